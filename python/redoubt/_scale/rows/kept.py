"""Rows that a training holds in memory: kept ones, and means that stand for many."""

from dataclasses import dataclass, fields, replace

import numpy as np

LEAST_ROWS = 500
# Copies of a kept row, in numbers of 8 bytes: the row itself, its share of joined arrays, slopes,
# and what the solver needs beside it. Measured in benchmarks/results/scale.md.
COPIES = 6


def rows_for(memory, n_features, copies=COPIES):
    """How many rows may be kept in so many bytes."""
    return max(LEAST_ROWS, int(memory / (8 * copies * (n_features + 5))))


@dataclass(frozen=True, eq=False)
class Rows:
    """`number` is a row's place in the whole data, `chance` the probability that it was kept."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    radii: np.ndarray
    number: np.ndarray
    chance: np.ndarray

    def __len__(self):
        return len(self.y)

    def __getitem__(self, chosen):
        return Rows(*(getattr(self, field.name)[chosen] for field in fields(self)))

    @classmethod
    def joined(cls, parts):
        parts = list(parts)
        if len(parts) == 1:
            return parts[0]
        return cls(
            *(
                np.concatenate([getattr(part, field.name) for part in parts])
                for field in fields(cls)
            )
        )

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
        step = max(1, len(self) // count)
        some = self[::step]
        return some.with_chance(some.chance / step)


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
