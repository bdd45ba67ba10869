"""Dask collections as rows: partitions become blocks inside the tasks."""

from dataclasses import dataclass
from importlib import import_module

import numpy as np
from scipy.sparse import issparse

from redoubt._scale.rows.blocks import cut_blocks
from redoubt._scale.rows.passes import Passes

# Answers that one task puts together, in the order of the partitions.
MERGED_AT_ONCE = 16


def need_dask(part=None):
    """The package dask, or its module `part`; an ImportError that says how to get it."""
    try:
        return import_module("dask" if part is None else f"dask.{part}")
    except ImportError:
        raise ImportError("redoubt.dask needs dask: pip install 'dask[array,dataframe]' distributed") from None


def is_collection(values):
    """A dask array, dataframe or series."""
    return hasattr(values, "dask") and hasattr(values, "compute")


def is_frame(collection):
    """A dask dataframe or series, as opposed to an array."""
    return hasattr(collection, "npartitions") and hasattr(collection, "divisions")


def feature_names(X):
    """The names of the columns of a dask dataframe, None for an array."""
    return [str(name) for name in X.columns] if is_frame(X) else None


def partitions_of(name, collection, ndim):
    """One delayed object per block of rows."""
    if is_frame(collection):
        if collection.ndim != ndim:
            raise ValueError(f"{name}: expected {ndim} dimensions, got {collection.ndim}")
        return collection.to_delayed(optimize_graph=True)
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
        return cls(parts, feature_names(X), _lengths(X, given[0]))

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
        return dask.compute(*tasks)[0] if tasks else None


def _merge_answers(task, answers):
    found = None
    for answer in answers:
        found = task.merged(found, answer)
    return found


def _lengths(X, parts):
    """Rows of each partition: every row has a number, and the samples depend on it."""
    dask = need_dask()
    if not is_frame(X):
        lengths = X.chunks[0]
        if not np.isnan(lengths).any():
            return [int(length) for length in lengths]
        return list(dask.compute(*(dask.delayed(_n_rows)(part) for part in parts)))
    return [int(length) for length in X.map_partitions(len).compute()]


def _summarise_partition(task, part, number, first_row, length, names):
    """The task's answer for one partition, block by block."""
    place = f"partition {number}"
    pieces = [None if piece is None else _values(piece) for piece in part]
    if _n_rows(pieces[0]) != length:
        raise ValueError(
            f"{place}: expected {length} rows as in the first pass, got {_n_rows(pieces[0])}"
        )
    found = None
    for block in cut_blocks(pieces, place, names) if length else ():
        found = task.merged(found, task(block.at(first_row)))
        first_row += len(block)
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
