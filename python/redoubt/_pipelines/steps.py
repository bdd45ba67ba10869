"""Numbers that a model cuts into intervals: which ones there are, and the ways into them.

A number moves, and what the planes see is the interval that it is in. So the intervals are the
members of a group, and the price of a switch is the way from the number to the nearest place in
the interval, which is another one for every row.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Steps:
    """Intervals of doubles: each but the first begins with an edge, and ends before the next."""

    edges: np.ndarray  # ascending, each once

    @classmethod
    def joined(cls, edges):
        """The intervals that all of these edges together make."""
        return cls(np.unique(np.concatenate([np.asarray(each, dtype=np.float64) for each in edges])))

    def __len__(self):
        return len(self.edges) + 1

    @property
    def first(self):
        """The least number of each interval."""
        return np.concatenate([[-np.inf], self.edges])

    @property
    def last(self):
        return np.concatenate([np.nextafter(self.edges, -np.inf), [np.inf]])

    def samples(self):
        """A number of each interval."""
        return np.concatenate([self.last[:1], self.edges]) if len(self.edges) else np.zeros(1)

    def names(self):
        edges = [f"{edge:g}" for edge in self.edges]
        if not edges:
            return ["any"]
        between = [f"{low} to {high}" for low, high in zip(edges, edges[1:], strict=False)]
        return [f"below {edges[0]}", *between, f"{edges[-1]} or more"]

    def member_of(self, numbers):
        """The interval of each number."""
        return np.searchsorted(self.edges, numbers, side="right")

    def places(self, x, lower=-np.inf, upper=np.inf, direction="both", is_integer=False):
        """The nearest place to x in each interval that the rules allow; NaN where there is none."""
        first, last = np.maximum(self.first, lower), np.minimum(self.last, upper)
        if is_integer:
            first, last = np.ceil(first), np.floor(last)
        places = np.clip(x, first, last)
        places[first > last] = np.nan
        here = self.member_of(x)
        if direction != "both":
            members = np.arange(len(self))
            places[members < here if direction == "up" else members > here] = np.nan
        places[here] = x
        return places


def edges_before(edges, transform):
    """The first doubles that an ascending function takes to the edges or beyond.

    `transform` takes an array, number by number, and rounds as it does in the model.
    """
    edges = np.asarray(edges, dtype=np.float64)
    low, high = (np.full(len(edges), _rank(sign * np.finfo(float).max)) for sign in (-1, 1))
    while (low < high).any():
        middle = (low >> 1) + (high >> 1) + (low & high & 1)
        with np.errstate(over="ignore"):
            reaches = transform(_number(middle)) >= edges
        low, high = np.where(reaches, low, np.minimum(middle + 1, high)), np.where(reaches, middle, high)
    return _number(low)


def _rank(number):
    """Doubles in their order as integers."""
    bits = np.asarray(number, dtype=np.float64).view(np.int64)
    return np.where(bits < 0, np.int64(-(2**63)) - bits, bits)


def _number(rank):
    return np.where(rank < 0, np.int64(-(2**63)) - rank, rank).astype(np.int64).view(np.float64)
