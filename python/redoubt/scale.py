"""Training on more rows than fit into memory, to the same proven accuracy."""

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
    """Fit a classifier by a few passes over data that need not fit into memory.

    The result is the optimum to the estimator's `tol`, with a proof that holds for all rows
    (`dual_gap_`), as if all rows had been in memory; ordinary data take 3 to 6 passes. The same data
    give the same bits, however they are cut into blocks, row groups or files.

    Parameters
    ----------
    estimator : classifier or RadiusSearchCV
        A LinearSVMClassifier, RobustSVMClassifier, BaggedSVMClassifier, RobustEnsembleClassifier (of
        two classes) or CollaborativeEnsembleClassifier, with the parameters of `fit`, attack models
        too. Bags share the passes and the memory; a row is in a bag as often as a Poisson number of
        mean 1 says. A robust ensemble takes a few passes for each plane. With ``radius="auto"`` the
        radius is chosen on a sample of 2,000 rows; a `RadiusSearchCV` searches on 20,000 and trains
        the winner on all.
    data : path, list of paths, list of tuples or callable
        Files of rows (Parquet, Arrow IPC or CSV; a file, a folder, a pattern or a list); or a list
        of tuples ``(X, y[, sample_weight[, radius]])`` of arrays, memory-mapped ones too; or a
        function without arguments that returns an iterator over such tuples, once per pass.
    label : str
        Of files: the column with the labels.
    features : list of str or None, default=None
        Of files: the columns of the features; None is all that are nothing else.
    sample_weight, radius : str or None, default=None
        Of files: the columns with the weight and with the radius of each row.
    memory : int or None, default=None
        Bytes for the rows that are kept between passes; None is 256 MiB. The part that is being
        read comes on top of it, some 40 MB as a rule. More memory, fewer passes.
    max_passes : int, default=60
        Then the best plane is taken, with a warning and the gap that is proven.
    random_state : int, default=0
        Of the samples; it changes the way to the optimum only.
    checkpoint : path or None, default=None
        A folder for what the passes found: the same call goes on from there after an interruption,
        to the same bits. It is removed at the end. Files are known by name, size and time; that
        other data are the same is up to you.

    Returns
    -------
    estimator : the same, fitted
        With `passes_`, how often the data were read, and `history_`, a record of each pass.

    Notes
    -----
    Features must be numbers without gaps: scale and encode them before. Where several planes are
    optimal, this is one of them; `LinearSVMClassifier.fit` has a rule for which.

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
