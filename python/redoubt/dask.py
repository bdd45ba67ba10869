"""Certificates and training on Dask collections, with any scheduler and any number of workers.

Every task is a pure function of a partition and of values that are sent along with it. Results do
not depend on which worker runs a task, or how often: 1 worker and 100 give the same bits.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from redoubt import model_selection
from redoubt._batches.making import batch_certify, batch_evaluate, batch_predict
from redoubt._certificates.results import AttackCurve
from redoubt._estimators import ensembles, planes
from redoubt._scale.rows.collections import DaskPasses, partitions_of
from redoubt._scale.rows.dask_files import (
    Compute,
    RowError,
    RowTypeError,
    check_files,
    frame_of_row_groups,
    is_collection,
    is_frame,
    need_dask,
    place_of,
)
from redoubt._scale.training.fits import fit_by_passes
from redoubt._typing import FilePath, FittedModel, Labels, Rows

__all__ = [
    "BaggedSVMClassifier",
    "CollaborativeEnsembleClassifier",
    "LinearSVMClassifier",
    "RadiusSearchCV",
    "RobustEnsembleClassifier",
    "RobustSVMClassifier",
    "attack_curve",
    "certify",
    "predict",
    "read_parquet",
]


def read_parquet(source: FilePath | list[FilePath], columns: list[str] | None = None) -> Any:
    """Return Parquet files as a dask dataframe with one partition per row group.

    The same as `dask.dataframe.read_parquet`, except for bad files: those that are cut off, lack a
    column, or have text where the first file has numbers are named at once, and rows that cannot be
    read or that a model refuses are named with file and row group, in one line.

    Parameters
    ----------
    source : path, or list of paths
        Files, folders or patterns, as for `redoubt.stream`, in this order. Workers must see them
        under the same names.
    columns : list of str or None, default=None
        The columns to read; None is all. Columns that are not used are not read anyway.

    Returns
    -------
    rows : dask dataframe

    Examples
    --------
    >>> import pyarrow as pa, pyarrow.parquet as pq, shutil, tempfile
    >>> import redoubt, redoubt.dask
    >>> folder = tempfile.mkdtemp()
    >>> table = pa.table({"a": [3.0, -3.0], "b": [4.0, -4.0]})
    >>> pq.write_table(table, f"{folder}/rows.parquet", row_group_size=1)
    >>> rows = redoubt.dask.read_parquet(folder)
    >>> vote = redoubt.Ensemble([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0.0, 0.0, -1.0])
    >>> rows.npartitions, redoubt.dask.certify(vote, rows)["radius"].compute().round(6).tolist()
    (2, [4.242641, 5.0])
    >>> shutil.rmtree(folder)
    """
    need_dask("dataframe")
    return frame_of_row_groups(source, columns)


def predict(model: FittedModel, X: Rows) -> Any:
    """Return the answers for the rows of a dask collection, lazily.

    Parameters
    ----------
    model : Ensemble, Model or fitted classifier
        As for `redoubt.certify`.
    X : dask array or dataframe

    Returns
    -------
    answers : dask array or series
        With the partitions of X.
    """
    return _mapped(batch_predict(model), X)["prediction"]


def certify(
    model: FittedModel, X: Rows, y: Labels = None, *, witness: bool = False, **options: Any
) -> Any:
    """Return how far each row of a dask collection can move before its answer changes, lazily.

    Parameters
    ----------
    model : Ensemble, Model or fitted classifier
        As for `redoubt.certify`.
    X : dask array or dataframe
    y : dask array or series, str or None, default=None
        Labels, with the partitions of X; for a dataframe, also the name of a column. Without labels
        every answer counts as right.
    witness : bool, default=False
        Add the nearest row with another answer, as columns ``witness_NAME``.
    **options
        Passed to `redoubt.certify`. A limit `max_seconds` applies to one partition.

    Returns
    -------
    certificates : dask dataframe, or dask array with named fields
        `prediction`, `radius`, `lower`, `upper` and `status`, with the partitions of X.

    Examples
    --------
    >>> import dask.array
    >>> import redoubt, redoubt.dask
    >>> vote = redoubt.Ensemble([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0.0, 0.0, -1.0])
    >>> X = dask.array.from_array([[3.0, 4.0], [-3.0, -4.0]], chunks=(1, 2))
    >>> redoubt.dask.certify(vote, X)["radius"].compute().round(6).tolist()
    [4.242641, 5.0]
    """
    label = y if isinstance(y, str) else None
    task = batch_certify(model, label=label, witness=witness, **options)
    return _mapped(task, X, *([] if y is None or label is not None else [y]))


def attack_curve(
    model: FittedModel, X: Rows, y: Labels, attack_radii: ArrayLike, **options: Any
) -> AttackCurve:
    """Return the accuracy under attack on a dask collection, at many radii from one certificate a row.

    Parameters
    ----------
    model : Ensemble, Model or fitted classifier
        As for `redoubt.certify`.
    X : dask array or dataframe
    y : dask array or series, or str
        Labels, with the partitions of X; for a dataframe, also the name of a column.
    attack_radii : array-like of shape (n_radii,)
    **options
        Passed to `redoubt.certify`.

    Returns
    -------
    curve : AttackCurve
        The same as `redoubt.attack_curve` of all rows in memory. Partitions send counts, not rows.
    """
    dask = need_dask()
    label = y if isinstance(y, str) else None
    task = batch_evaluate(model, attack_radii, label=label, **options)
    rows = partitions_of("X", X, 2)
    labels = [None] * len(rows) if label is not None else partitions_of("y", y, 1)
    if len(labels) != len(rows):
        raise ValueError(f"y: expected {len(rows)} partitions as X has, got {len(labels)}")
    run = dask.delayed(_on_partition, pure=True)
    shared = dask.delayed(task)
    pairs = zip(rows, labels, strict=True)
    compute = Compute.of(X, None if label is not None else y)
    counts = compute([run(shared, number, *pair) for number, pair in enumerate(pairs)])
    return sum(counts[1:], counts[0]).curve()


def _on_partition(task, number, *pieces):
    """The task's result; errors name the partition, by file and row group where these are known."""
    try:
        return task(*pieces)
    except (ValueError, TypeError, NotImplementedError) as error:
        known = {TypeError: RowTypeError, NotImplementedError: NotImplementedError}
        kind = next((known[each] for each in known if isinstance(error, each)), RowError)
        place = place_of(pieces[0], number)
        text = _told_of_streams(task, pieces) or " ".join(str(error).split())
        raise kind(f"{place}: {text}") from error


def _told_of_streams(task, pieces):
    """What `redoubt.stream` says of the same rows, which names column and row; "" if it can not."""
    if not hasattr(pieces[0], "to_records"):
        return ""
    try:
        import pyarrow as pa

        task(pa.RecordBatch.from_pandas(pieces[0], preserve_index=False), *pieces[1:])
    except (ValueError, TypeError) as error:
        return " ".join(str(error).split())
    except Exception:  # of pyarrow, or none
        pass
    return ""


@dataclass(frozen=True, eq=False)
class _OnFrames:
    task: Any

    def __call__(self, *frames, partition_info=None):
        return _on_partition(self.task, partition_info["number"], *frames)


@dataclass(frozen=True, eq=False)
class _OnBlocks:
    """Labels come as a column, because blocks that are mapped together have as many dimensions."""

    task: Any

    def __call__(self, rows, *labels, block_info=None):
        number = block_info[0]["chunk-location"][0]
        return _on_partition(self.task, number, rows, *(each[:, 0] for each in labels))


def _mapped(task, X, *labels):
    """A task on the partitions of a dask collection: one record per row."""
    if is_frame(X):
        check_files(X)
        return X.map_partitions(_OnFrames(task), *labels, meta=task.meta)
    if not is_collection(X):
        raise TypeError(f"X: expected a dask array or dataframe, got {type(X).__name__}")
    if X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    columns = [each[:, None] for each in labels]
    meta = np.empty(0, dtype=task.dtype)
    return need_dask("array").map_blocks(
        _OnBlocks(task), X, *columns, drop_axis=1, dtype=task.dtype, meta=meta
    )


_OPTIONS = """
    Parameters
    ----------
    memory : int or None, default=None
        Bytes for the rows that are kept between passes, in this process; None is 256 MiB.
    max_passes : int, default=60
        Then the best plane is taken, with a warning and the gap that is proven.
    checkpoint : path or None, default=None
        A folder for what the passes found: the same `fit` goes on from there after an interruption,
        to the same bits. It is removed at the end.

    Attributes
    ----------
    passes_ : int
        How often the data were read.
    dual_gap_ : float
        The largest relative duality gap of a plane (Ens-C has none).
"""


class _DaskMixin:
    """What the classifiers share that are fitted on dask collections."""

    def fit(self, X: Rows, y: Labels, sample_weight: ArrayLike | None = None) -> "_DaskMixin":
        """Train the planes by a few passes over the partitions.

        Parameters
        ----------
        X : dask array or dataframe
            Blocks of arrays may be sparse matrices of SciPy.
        y : dask array or series
            With the partitions of X.
        sample_weight : dask array or series, or None, default=None

        Returns
        -------
        self : estimator
        """
        return self._fit_by_passes(X, y, sample_weight)

    def _fit_by_passes(self, X, y, sample_weight, radius=None, **more):
        passes = DaskPasses.of(X, y, sample_weight, radius)
        options = {name: getattr(self, name) for name in ("memory", "max_passes", "checkpoint")}
        options |= {"names": passes.names, "data": passes.described()}
        return fit_by_passes(self, passes, **options, **more)

    def predict(self, X: Rows) -> Any:
        """Return the class of each row of X; lazily for a dask collection.

        Parameters
        ----------
        X : dask array or dataframe, or array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : dask array or series, or ndarray
        """
        return predict(self._local(), X) if is_collection(X) else super().predict(X)

    def certify(self, X: Rows, y: Labels = None, **options: Any) -> Any:
        """Return how far each point can move; lazily for a dask collection, as `redoubt.dask.certify`.

        Parameters
        ----------
        X : dask array or dataframe, or array-like of shape (n_samples, n_features)
        y : dask array or series, array-like or None, default=None
        **options
            Passed to `redoubt.certify`.

        Returns
        -------
        certificates : dask dataframe or array, or Certificates
        """
        if is_collection(X):
            return certify(self._local(), X, y, **options)
        return super().certify(X, y, **options)

    def _local(self):
        """This classifier for the tasks: they see parts in memory."""
        twin = _twin_of(self)
        twin.__dict__.update(self.__dict__)
        return twin


def _twin_of(estimator):
    """The classifier of the same parameters that is fitted in memory."""
    kind = getattr(estimator, "_twin", None)
    if kind is None:
        raise TypeError(
            f"estimator: expected a classifier of redoubt.dask, got {type(estimator).__name__}"
        )
    return kind(**{name: getattr(estimator, name) for name in kind().get_params()})


class _RobustDaskMixin(_DaskMixin):
    """The same where every row may have a radius of its own."""

    def fit(
        self,
        X: Rows,
        y: Labels,
        sample_weight: ArrayLike | None = None,
        radius: ArrayLike | None = None,
    ) -> "_RobustDaskMixin":
        """Train the planes by a few passes over the partitions.

        Parameters
        ----------
        X : dask array or dataframe
            Blocks of arrays may be sparse matrices of SciPy.
        y : dask array or series
            With the partitions of X.
        sample_weight, radius : dask array or series, or None, default=None
            One per row; without `radius` the parameter is that of all rows.

        Returns
        -------
        self : estimator
        """
        return self._fit_by_passes(X, y, sample_weight, radius)


def _on_dask(cls):
    """Finish a classifier: its parameters are those of its twin and `_OPTIONS`."""
    cls.__doc__ = cls.__doc__.rstrip() + "\n" + _OPTIONS
    return cls


@_on_dask
@dataclass(eq=False, repr=False)
class LinearSVMClassifier(_DaskMixin, planes.LinearSVMClassifier):
    """`redoubt.LinearSVMClassifier`, fitted on dask collections to the same proven accuracy.

    Parameters are those of `redoubt.LinearSVMClassifier`, and
    """

    _: KW_ONLY
    memory: int | None = None
    max_passes: int = 60
    checkpoint: str | None = None

    _twin = planes.LinearSVMClassifier


@_on_dask
@dataclass(eq=False, repr=False)
class RobustSVMClassifier(_RobustDaskMixin, planes.RobustSVMClassifier):
    """`redoubt.RobustSVMClassifier`, fitted on dask collections to the same proven accuracy.

    With ``radius="auto"`` a sample of 2,000 rows chooses. Parameters are those of
    `redoubt.RobustSVMClassifier`, and
    """

    _: KW_ONLY
    memory: int | None = None
    max_passes: int = 60
    checkpoint: str | None = None

    _twin = planes.RobustSVMClassifier


@_on_dask
@dataclass(eq=False, repr=False)
class BaggedSVMClassifier(_DaskMixin, ensembles.BaggedSVMClassifier):
    """`redoubt.BaggedSVMClassifier`, fitted on dask collections; all bags share each pass.

    The number of times that a row is in a bag is Poisson with mean 1. Parameters are those of
    `redoubt.BaggedSVMClassifier`, and
    """

    _: KW_ONLY
    memory: int | None = None
    max_passes: int = 60
    checkpoint: str | None = None

    _twin = ensembles.BaggedSVMClassifier


@_on_dask
@dataclass(eq=False, repr=False)
class RobustEnsembleClassifier(_RobustDaskMixin, ensembles.RobustEnsembleClassifier):
    """`redoubt.RobustEnsembleClassifier` of two classes, fitted on dask collections.

    Each plane takes a few passes (`max_passes` at most), and in each pass the adversary moves the rows
    of a partition anew against the planes so far. Parameters are those of
    `redoubt.RobustEnsembleClassifier`, and
    """

    _: KW_ONLY
    memory: int | None = None
    max_passes: int = 60
    checkpoint: str | None = None

    _twin = ensembles.RobustEnsembleClassifier


@_on_dask
@dataclass(eq=False, repr=False)
class CollaborativeEnsembleClassifier(
    _RobustDaskMixin, ensembles.CollaborativeEnsembleClassifier
):
    """`redoubt.CollaborativeEnsembleClassifier`, fitted on dask collections.

    The steps are those of training in memory, and are made in the process that calls `fit`; a pass
    collects the rows of the next batches, as many as `memory` holds. Votes of stumps need all rows
    in memory. Parameters are those of `redoubt.CollaborativeEnsembleClassifier`, and
    """

    _: KW_ONLY
    memory: int | None = None
    max_passes: int = 60
    checkpoint: str | None = None

    _twin = ensembles.CollaborativeEnsembleClassifier


@_on_dask
@dataclass(eq=False, repr=False)
class RadiusSearchCV(_DaskMixin, model_selection.RadiusSearchCV):
    """`redoubt.model_selection.RadiusSearchCV` on dask collections.

    The search uses 20,000 rows, drawn class by class; the best candidate is trained on all rows.
    Methods that are not about the search (`predict`, `certify`) are those of `best_estimator_`. The
    estimator is a classifier of `redoubt.dask`. Parameters are those of
    `redoubt.model_selection.RadiusSearchCV`, and
    """

    memory: int | None = None
    max_passes: int = 60
    checkpoint: str | None = None

    def fit(self, X, y, sample_weight=None):
        """Search on a sample, and train the best candidate on all rows.

        Parameters
        ----------
        X : dask array or dataframe
        y : dask array or series
            With the partitions of X.
        sample_weight : dask array or series, or None, default=None

        Returns
        -------
        self : RadiusSearchCV
        """
        return self._fit_by_passes(X, y, sample_weight, local=_twin_of)

    def _local(self):
        best = self.best_estimator_
        return best._local() if hasattr(best, "_local") else best
