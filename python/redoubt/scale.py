"""Training on more rows than fit in memory, to the same proven accuracy."""

from collections.abc import Iterable
from typing import Any

from redoubt._scale.rows.files import Columns
from redoubt._scale.rows.passes import LocalPasses
from redoubt._scale.rows.sources import open_source
from redoubt._scale.training.fits import fit_by_passes
from redoubt._typing import Classifier, FilePath

__all__ = ["fit"]


def fit(
    estimator: Classifier,
    data: Any,
    *,
    label: str | None = None,
    features: Iterable[str] | None = None,
    sample_weight: str | None = None,
    radius: str | None = None,
    memory: float | None = None,
    max_passes: int = 60,
    random_state: int = 0,
    checkpoint: FilePath | None = None,
) -> Any:
    """Fit a classifier by a few passes over data that need not fit in memory.

    The result is optimal to the estimator's `tol`, with a proof that covers all rows (`dual_gap_`),
    as if all rows had been in memory; ordinary data take 3 to 6 passes. The same data give the same
    bits, however they are cut into blocks, row groups or files.

    Parameters
    ----------
    estimator : classifier or RadiusSearchCV
        A LinearSVMClassifier, RobustSVMClassifier, BaggedSVMClassifier, RobustEnsembleClassifier
        (for two classes) or CollaborativeEnsembleClassifier, with their parameters, including
        attack models. Bags share the passes and the memory; the number of times that a row is in a
        bag is Poisson with mean 1. A robust ensemble takes a few passes for each plane.
        ``radius="auto"`` is chosen on a sample of 2,000 rows; a `RadiusSearchCV` searches on 20,000
        and trains the best candidate on all rows.
    data : path, list of paths, list of tuples or callable
        Files of rows (Parquet, Arrow IPC or CSV; a file, a folder, a pattern or a list); or a list
        of tuples ``(X, y[, sample_weight[, radius]])`` of arrays, memory-mapped ones too; or a
        function without arguments that returns an iterator over such tuples, once per pass.
    label : str
        For files: the column with the labels.
    features : list of str or None, default=None
        For files: the columns of the features; None means all columns without another role.
    sample_weight, radius : str or None, default=None
        For files: the columns with the weight and the radius of each row.
    memory : int or None, default=None
        Bytes for the rows that are kept between passes; None is 256 MiB. The part being read comes
        on top, usually some 40 MB. More memory means fewer passes.
    max_passes : int, default=60
        Maximum number of passes; then the best plane is returned, with a warning and its proven
        gap.
    random_state : int, default=0
        Seeds the samples; it affects only the path to the optimum.
    checkpoint : path or None, default=None
        A folder for the results of the passes: after an interruption, the same call continues from
        there and ends with the same bits. It is removed at the end. Files are identified by name,
        size and time; it is up to you that other data are the same.

    Returns
    -------
    estimator : the same, fitted
        With `passes_`, the number of passes over the data, and `history_`, a record of each pass.

    Notes
    -----
    Features must be numbers without missing values: scale and encode them first. If several planes
    are optimal, this is one of them; `LinearSVMClassifier.fit` defines which.

    Examples
    --------
    >>> import numpy as np
    >>> from redoubt import LinearSVMClassifier, scale
    >>> random = np.random.default_rng(0)
    >>> def parts():
    ...     random = np.random.default_rng(0)
    ...     for _ in range(5):
    ...         X = random.normal(size=(1000, 3))
    ...         yield X, X[:, 0] + 0.5 * random.normal(size=1000) > 0
    >>> model = scale.fit(LinearSVMClassifier(tol=1e-6), parts)
    >>> bool(model.dual_gap_ <= 1e-6), model.status_
    (True, 'optimal')
    """
    columns = Columns(label, None if features is None else tuple(features), sample_weight, radius)
    source = open_source(data, columns)
    return fit_by_passes(
        estimator,
        LocalPasses(source),
        data=source.described(),
        checkpoint=checkpoint,
        names=source.names,
        memory=memory,
        max_passes=max_passes,
        random_state=random_state,
    )
