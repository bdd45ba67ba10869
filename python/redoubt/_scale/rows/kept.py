"""Rows that a training holds in memory: kept ones, and means that stand for many."""

from dataclasses import dataclass, fields, replace

import numpy as np

from redoubt import _core

LEAST_ROWS = 500
# Copies of a kept row, in numbers of 8 bytes: the row itself, its share of joined arrays, slopes,
# and what the solver needs beside it. Measured in benchmarks/results/scale.md.
COPIES = 6


def rows_for(memory, n_features, copies=COPIES):
    """How many rows may be kept in so many bytes."""
    return max(LEAST_ROWS, int(memory / (8 * copies * (n_features + 5))))


@dataclass(frozen=True, eq=False)
class Rows:
    """`number` is a row's place in the whole data, `chance` the probability that it was kept.

    A row may stand for several equal ones (`copies`; None: one each). Then `number` is the first of
    theirs, and `weights` has the weight of one.
    """

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    radii: np.ndarray
    number: np.ndarray
    chance: np.ndarray
    copies: np.ndarray | None = None

    def __len__(self):
        return len(self.y)

    def __getitem__(self, chosen):
        return Rows(*(None if each is None else each[chosen] for each in self._columns()))

    def _columns(self):
        return [getattr(self, field.name) for field in fields(self)]

    @classmethod
    def joined(cls, parts):
        parts = list(parts)
        if len(parts) == 1:
            return parts[0]
        if any(part.copies is not None for part in parts):
            parts = [replace(part, copies=part.counts()) for part in parts]
        columns = zip(*(part._columns() for part in parts), strict=True)
        return cls(*(None if each[0] is None else np.concatenate(each) for each in columns))

    def counts(self):
        """The copies, as numbers."""
        return np.ones(len(self), dtype=np.int64) if self.copies is None else self.copies

    def keys(self):
        """Numbers that are equal for equal rows."""
        return _core.row_keys(self.X, self.y, self.weights, self.radii)

    def merged(self):
        """Each different row once, with its copies."""
        keys = self.keys()
        order = np.lexsort([self.number, keys])
        keys = keys[order]
        is_first = np.append(True, keys[1:] != keys[:-1])[: len(self)]
        if is_first.all():
            return self
        first = order[np.maximum.accumulate(np.where(is_first, np.arange(len(self)), 0))]
        # Different rows of the same key stay as they are.
        is_first |= ~self._are_equal(order, first)
        group = np.cumsum(is_first) - 1
        copies = np.zeros(group[-1] + 1, dtype=np.int64)
        np.add.at(copies, group, self.counts()[order])
        return replace(self[order[is_first]], copies=copies)

    def represented(self):
        """How many different rows each row of a sample stands for, copies and all.

        1 / chance, but for copies: if k of the sample are equal, each stands for 1/k row, and that
        those which are there once were drawn from many copies shows in how many are there twice
        (Chao's estimate).
        """
        _, group, sizes = np.unique(self.keys(), return_inverse=True, return_counts=True)
        sizes_here = sizes[group]
        most = np.inf
        if np.any(sizes == 2):
            most = 1.0 + np.count_nonzero(sizes == 1) / (2.0 * np.count_nonzero(sizes == 2))
        return np.where(sizes_here == 1, np.minimum(1.0 / self.chance, most), 1.0 / sizes_here)

    def _are_equal(self, some, others):
        columns = (self.y, self.weights, self.radii)
        same = np.all(self.X[some] == self.X[others], axis=1)
        return same & np.all([each[some] == each[others] for each in columns], axis=0)

    def as_weights(self):
        """The same rows, each with the weight of its copies."""
        if self.copies is None:
            return self
        return replace(self, weights=self.weights * self.copies, copies=None)

    @classmethod
    def none(cls, n_features):
        empty = np.empty(0)
        return cls(
            np.empty((0, n_features)), empty, empty, empty, np.empty(0, dtype=np.int64), empty
        )

    def in_order(self):
        """By number: the order of the data, whichever part came first."""
        if np.all(self.number[1:] > self.number[:-1]):
            return self
        return self[np.argsort(self.number)]

    def with_chance(self, chance):
        return replace(self, chance=chance)

    def spread(self, count):
        """About `count` of these rows, evenly chosen, with their chances."""
        step = self.step(count)
        some = self[::step]
        return some.with_chance(some.chance / step)

    def step(self, count):
        return max(1, len(self) // count)


class RowParts:
    """Rows of many blocks, put together when they are asked for: adding a block copies nothing."""

    def __init__(self, parts):
        self._parts = list(parts)
        self._length = sum(map(len, self._parts))

    def __len__(self):
        return self._length

    def plus(self, other):
        return RowParts([*self._parts, *other._parts])

    def rows(self):
        if len(self._parts) > 1:
            self._parts = [Rows.joined(self._parts)]
        return self._parts[0]
