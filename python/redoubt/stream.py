"""Rows that do not fit in memory: from Parquet, Arrow IPC or CSV files to a file of results.

Memory does not grow with the size of the files. Ctrl-C, a full disk or a bad row cost only the
current part; ``resume=True`` continues from there. In the shell::

    python -m redoubt.stream certify model.json rows.parquet --out radii.parquet

Needs pyarrow: ``pip install pyarrow``.
"""

import os
from collections.abc import Iterable
from typing import Any

from numpy.typing import ArrayLike

from redoubt._batches.columns import classes_of
from redoubt._batches.counts import CurveCounts
from redoubt._batches.making import batch_attack, batch_certify, batch_evaluate, batch_predict
from redoubt._certificates.loaded_model import load_model
from redoubt._certificates.results import AttackCurve
from redoubt._streams.outputs import check_output, write_output
from redoubt._streams.running import Stream, StreamResult
from redoubt._streams.sources import StreamError
from redoubt._typing import FilePath, FittedModel

__all__ = ["StreamError", "StreamResult", "attack", "certify", "evaluate", "predict"]


def predict(
    source: Any,
    model: FittedModel,
    out: FilePath,
    *,
    keep: Iterable[str] = (),
    resume: bool = False,
    progress: bool | None = None,
) -> StreamResult:
    """Write the model's answer to every row.

    Parameters
    ----------
    source : path, or list of paths
        Files (``.parquet``, ``.arrow``, ``.feather``, ``.ipc``, ``.csv``), folders of them, or
        patterns such as ``"day-*.parquet"``: read in this order.
    model : Ensemble, Model, fitted classifier, or the path of a model file
        As for `redoubt.certify`. Columns are matched by the model's names.
    out : path
        The output file: Parquet, Arrow IPC or CSV by its extension, with one row per input row, in
        the same order. An existing file is replaced only by a complete one.
    keep : list of str, default=()
        Columns of the source to copy, such as an identifier.
    resume : bool, default=False
        Continue an unfinished run of the same model, options and files. Finished parts are in the
        folder ``OUT.parts``.
    progress : bool or None, default=None
        Show progress and remaining time on standard error. None: if that is a terminal.

    Returns
    -------
    result : StreamResult

    Raises
    ------
    StreamError
        A ValueError in one line that names the file and the row group.
    """
    task = batch_predict(_loaded(model))
    stream = Stream("predicting", task, source, keep=keep, progress=progress)
    return stream.to_file(out, resume=resume)


def certify(
    source: Any,
    model: FittedModel,
    out: FilePath,
    *,
    label: str | None = None,
    witness: bool = False,
    keep: Iterable[str] = (),
    n_jobs: int = -1,
    resume: bool = False,
    progress: bool | None = None,
    **options: Any,
) -> StreamResult:
    """Write how far each row can move before the model changes its answer.

    Parameters
    ----------
    source, model, out, keep, resume, progress
        As for `predict`. The columns of the output are `prediction`, `radius`, `lower`, `upper`
        and `status`.
    label : str or None, default=None
        The column of labels. Without one every answer counts as right.
    witness : bool, default=False
        Add the nearest row with another answer, as columns ``witness_NAME``.
    n_jobs : int or None, default=-1
        Threads; -1 uses every core. The result does not depend on it.
    **options
        Passed to `redoubt.certify`. A limit `max_seconds` applies to one part.

    Returns
    -------
    result : StreamResult
    """
    options |= {"n_jobs": n_jobs}
    task = batch_certify(_loaded(model), label=label, witness=witness, **options)
    stream = Stream("certifying", task, source, keep=keep, progress=progress)
    return stream.to_file(out, resume=resume)


def attack(
    source: Any,
    model: FittedModel,
    out: FilePath,
    *,
    radius: float | str,
    label: str | None = None,
    moved: bool = False,
    keep: Iterable[str] = (),
    n_jobs: int = -1,
    resume: bool = False,
    progress: bool | None = None,
    **options: Any,
) -> StreamResult:
    """Write the worst that an adversary with a given radius can do to each row.

    Parameters
    ----------
    source, model, out, keep, resume, progress
        As for `predict`. The columns of the output are `success`, `n_fooled`, `objective`, `bound`
        and `status`.
    radius : float or str
        The radius of the ball, or the column with the radius of each row.
    label : str or None, default=None
        The column of labels. Without one the model's own answer counts as right.
    moved : bool, default=False
        Add the attacked row, as columns ``moved_NAME``.
    n_jobs : int or None, default=-1
        Threads; -1 uses every core.
    **options
        Passed to `redoubt.attack`.

    Returns
    -------
    result : StreamResult
    """
    options |= {"n_jobs": n_jobs}
    task = batch_attack(_loaded(model), radius, label=label, moved=moved, **options)
    stream = Stream("attacking", task, source, keep=keep, progress=progress)
    return stream.to_file(out, resume=resume)


def evaluate(
    source: Any,
    model: FittedModel,
    radii: ArrayLike,
    *,
    label: str,
    out: FilePath | None = None,
    n_jobs: int = -1,
    resume: bool = False,
    progress: bool | None = None,
    **options: Any,
) -> AttackCurve:
    """Return the accuracy under attack at many radii.

    Only counts are kept, not rows. There is no ceiling (`redoubt.accuracy_ceiling`), because it
    compares all pairs of points.

    Parameters
    ----------
    source, model, progress
        As for `predict`.
    radii : list of float
        Attack radii.
    label : str
        The column of labels.
    out : path or None, default=None
        Also write the curve to this file; an interrupted run can then be resumed.
    n_jobs : int or None, default=-1
        Threads; -1 uses every core.
    resume : bool, default=False
        As for `predict`; needs `out`.
    **options
        Passed to `redoubt.certify`.

    Returns
    -------
    curve : AttackCurve
        The same as for all rows at once.
    """
    if out is not None:
        check_output(out)
    elif resume:
        raise ValueError("resume: specify out, too; the finished parts are kept next to it")
    model = _loaded(model)
    task: Any = batch_evaluate(model, radii, label=label, n_jobs=n_jobs, **options)
    stream = Stream("evaluating", task, source, progress=progress)
    none = CurveCounts.none(task.radii, classes_of(model))
    counts, journal = stream.to_counts(none, out, resume=resume)
    curve = counts.curve()
    if journal is not None:
        import pyarrow as pa

        names = ("accuracy", "balanced_accuracy", "undecided", "balanced_undecided")
        columns = {"radius": curve.radii} | {name: getattr(curve, name) for name in names}
        table = pa.table(columns)
        write_output(out, table.schema, table.to_batches())
        journal.remove()
    return curve


def _loaded(model):
    return load_model(model) if isinstance(model, (str, os.PathLike)) else model


if __name__ == "__main__":
    import sys

    from redoubt._streams.command import main

    functions = {"predict": predict, "certify": certify, "attack": attack, "evaluate": evaluate}
    sys.exit(main(functions))
