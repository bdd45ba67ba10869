"""Dask collections as rows: partitions become blocks inside the tasks."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import issparse

from redoubt._scale.rows.blocks import cut_blocks
from redoubt._scale.rows.dask_files import (
    Compute,
    RowError,
    check_files,
    is_collection,
    is_frame,
    need_dask,
    place_of,
)
from redoubt._scale.rows.passes import Passes

# Answers that one task puts together, in the order of the partitions.
MERGED_AT_ONCE = 16


def feature_names(X):
    """The names of the columns of a dask dataframe, None for an array."""
    return [str(name) for name in X.columns] if is_frame(X) else None


def partitions_of(name, collection, ndim):
    """One delayed object per block of rows."""
    if is_frame(collection):
        if collection.ndim != ndim:
            raise ValueError(f"{name}: expected {ndim} dimensions, got {collection.ndim}")
        check_files(collection)
        # Of the optimisations only the first: the others join small files, and how many depends on the
        # columns, so that X and y would come in different parts.
        return collection.simplify().to_delayed(optimize_graph=False)
    if not is_collection(collection) or not hasattr(collection, "chunks"):
        raise TypeError(
            f"{name}: expected a dask array or dataframe, got {type(collection).__name__}"
        )
    if collection.ndim != ndim:
        raise ValueError(f"{name}: expected {ndim} dimensions, got {collection.ndim}")
    if ndim == 2 and collection.numblocks[1] > 1:
        collection = collection.rechunk({1: -1})
    return list(collection.to_delayed().ravel())


@dataclass(frozen=True, eq=False)
class DaskPasses(Passes):
    """Rows of dask collections. A pass is one task per partition, and a few that merge the answers.

    A task is a pure function of its partition and the question. So any scheduler will do, and a
    worker that dies costs time only.
    """

    partitions: list
    names: list | None
    lengths: list
    compute: Compute

    @classmethod
    def of(cls, X, y, weights=None, radii=None):
        need_dask()
        columns = [("X", X, 2), ("y", y, 1), ("sample_weight", weights, 1), ("radius", radii, 1)]
        given = [
            None if values is None else partitions_of(name, values, ndim)
            for name, values, ndim in columns
        ]
        n = len(given[0])
        for (name, _, _), parts in zip(columns, given, strict=True):
            if parts is not None and len(parts) != n:
                raise ValueError(
                    f"{name}: expected {n} partitions as X has, got {len(parts)}; "
                    "repartition or rechunk it as X is"
                )
        parts = list(zip(*([None] * n if each is None else each for each in given), strict=True))
        compute = Compute.of(X, y, weights, radii)
        return cls(parts, feature_names(X), _lengths(X, given[1], compute), compute)

    def described(self):
        """What tells these collections from others: the names that Dask gives them."""
        first = self.partitions[0] if self.partitions else ()
        return [None if part is None else str(part.key) for part in first] + [len(self.partitions)]

    def fold(self, task):
        dask = need_dask()
        first = np.concatenate([[0], np.cumsum(self.lengths)]).tolist()
        run = dask.delayed(_summarise_partition, pure=True)
        shared = dask.delayed(task)
        tasks = [
            run(shared, part, number, first[number], self.lengths[number], self.names)
            for number, part in enumerate(self.partitions)
        ]
        # The answers are merged where they are: this process gets one, however many partitions.
        merge = dask.delayed(_merge_answers, pure=True)
        while len(tasks) > 1:
            groups = [tasks[k : k + MERGED_AT_ONCE] for k in range(0, len(tasks), MERGED_AT_ONCE)]
            tasks = [merge(shared, group) for group in groups]
        return self.compute(tasks)[0] if tasks else None


def _merge_answers(task, answers):
    found = None
    for answer in answers:
        found = task.merged(found, answer)
    return found


def _lengths(X, labels, compute):
    """Rows of each partition: every row has a number, and the samples depend on it.

    Where the chunks do not tell, the labels are counted: they are one column.
    """
    if not is_frame(X) and not np.isnan(X.chunks[0]).any():
        return [int(length) for length in X.chunks[0]]
    count = need_dask().delayed(_n_rows, pure=True)
    return list(compute([count(part) for part in labels]))


def _summarise_partition(task, part, number, first_row, length, names):
    """The task's answer for one partition, block by block."""
    place = place_of(part[0], number)
    pieces = [None if piece is None else _values(piece) for piece in part]
    if _n_rows(pieces[0]) != length:
        raise RowError(
            f"{place}: expected {length} rows, as many as labels, got {_n_rows(pieces[0])}"
        )
    found = None
    try:
        for block in cut_blocks(pieces, place, names) if length else ():
            found = task.merged(found, task(block.at(first_row)))
            first_row += len(block)
    except ValueError as error:
        raise RowError(str(error)) from error
    return found


def _n_rows(piece):
    return piece.shape[0]


def _values(piece):
    if issparse(piece):
        return piece
    values = piece.to_numpy() if hasattr(piece, "to_numpy") else np.asarray(piece)
    if values.dtype == object and values.ndim == 1 and all(isinstance(v, str) for v in values):
        return values.astype(str)
    return values
