"""Names for the types of the public functions."""

import os
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

from numpy.typing import ArrayLike, NDArray

# Arrays, sparse matrices, data frames, Arrow tables, texts: whatever the model's `predict` takes.
Rows: TypeAlias = Any
# A fitted classifier: of this package, of scikit-learn, a Model or an Ensemble.
FittedModel: TypeAlias = Any
# A classifier to be fitted.
Classifier: TypeAlias = Any
Labels: TypeAlias = Any
# matplotlib is optional, and so are pandas and pyarrow.
Axes: TypeAlias = Any
Frame: TypeAlias = Any

Array: TypeAlias = NDArray[Any]
Norm: TypeAlias = Literal["l1", "l2", "linf", "l0"]
Units: TypeAlias = Literal["raw", "scaled"]
Solver: TypeAlias = Literal["native", "mip", "enumerate"]
Adversary: TypeAlias = Literal["exact", "relaxed", "heuristic"]
Rule: TypeAlias = Literal["corrected", "published"]
FilePath: TypeAlias = str | os.PathLike[str]
# Of an attack model: a number for all features, or one for each name or index.
Features: TypeAlias = str | int | Iterable[str | int]
PerFeature: TypeAlias = float | ArrayLike | Mapping[Any, Any]
