"""Rows with their moves: what passes look at where every row has moves of its own.

Under ranges, integers or groups the worst move of a row is no longer its radius times one number,
and t is not affine in what a row is made of. It becomes so when what the row may do is written
beside it, as further columns:

    x; for linf the middle and the half widths of its box; the row's worst moves (for linf those of
    its one-hot groups) at each of some planes.

The mean row of a cell, with its mean box and any of its mean moves, then has a hinge of at most the
mean of the rows' hinges, wherever the plane is.
"""

from dataclasses import dataclass, replace

import numpy as np

from redoubt import _core


@dataclass(frozen=True, eq=False)
class Lift:
    """A pure function of rows.

    `planes` holds one w per row: the first is that of the pass. `rules` is the resolved attack
    model, `sign` the class that attacks if only one does, `reach` how far each feature may move.
    """

    planes: np.ndarray
    rules: object
    reach: np.ndarray
    sign: int | None = None

    @property
    def is_box(self):
        return self.rules.norm == "linf"

    @property
    def has_moves(self):
        return not self.is_box or len(self.rules.groups) > 0

    @property
    def width(self):
        """How many blocks of columns there are."""
        return (3 if self.is_box else 1) + (len(self.planes) if self.has_moves else 0)

    def of(self, rows, n_threads=1):
        """The rows with the columns of the lift."""
        columns = [rows.X]
        if self.is_box:
            middle, half = self.boxes(rows, n_threads)
            columns += [middle, -rows.y[:, None] * half]
        if self.has_moves:
            columns += [self.moves(rows, w, n_threads) for w in self.planes]
        for moves in columns[1:]:
            if len(moves) and np.any(np.abs(moves).max(axis=0) > self.reach):
                raise ValueError("attack_model: a row can move further than the values of all rows tell")
        return replace(rows, X=np.ascontiguousarray(np.hstack(columns)))

    def worst(self, rows, w, n_threads=1):
        """The worst moves against w."""
        return _core.worst_moves(
            np.ascontiguousarray(rows.X),
            rows.y,
            rows.radii,
            self.rules.core(self.sign),
            np.ascontiguousarray(w),
            n_threads,
        )

    def moves(self, rows, w, n_threads=1):
        """The same, without what boxes do."""
        found = self.worst(rows, w, n_threads)
        if self.is_box:
            found[:, ~self._is_grouped()] = 0.0
        return found

    def boxes(self, rows, n_threads=1):
        """(middle, half) of each row's box."""
        ones = np.ones(rows.X.shape[1])
        left, right = (self.worst(rows, side * ones, n_threads) for side in (-1.0, 1.0))
        is_plus = rows.y[:, None] > 0
        up, down = np.where(is_plus, left, right), np.where(is_plus, right, left)
        up[:, self._is_grouped()] = down[:, self._is_grouped()] = 0.0
        return 0.5 * (up + down), 0.5 * (up - down)

    def _is_grouped(self):
        found = np.zeros(self.planes.shape[1], dtype=bool)
        for features, _ in self.rules.groups:
            found[list(features)] = True
        return found

    def weights(self, w, place=0):
        """The w of lifted rows that has the t of the rows at w, one of the planes."""
        blocks = [w, w, np.abs(w)] if self.is_box else [w]
        if self.has_moves:
            blocks += [w if k == place else np.zeros_like(w) for k in range(len(self.planes))]
        return np.concatenate(blocks)

    def directions(self, moves, w):
        """Moves (dw, db) of the plane of the pass, as those of lifted planes."""
        dw = moves[:, :-1]
        blocks = [dw, dw, np.sign(w) * dw] if self.is_box else [dw]
        if self.has_moves:
            blocks += [dw, *[np.zeros_like(dw)] * (len(self.planes) - 1)]
        return np.hstack([*blocks, moves[:, -1:]])

    def bounds(self, features):
        """Of the lifted columns, from those of the features."""
        return np.concatenate([features, *[self.reach] * (self.width - 1)])

    def opened(self, rows):
        """(x, base, half, [moves of each plane]) of lifted rows: x is the row, base the middle of
        its box."""
        n = self.planes.shape[1]
        blocks = [rows.X[:, k * n : (k + 1) * n] for k in range(self.width)]
        x = base = np.ascontiguousarray(blocks[0])
        half = None
        if self.is_box:
            base, half = x + blocks[1], np.maximum(0.0, -rows.y[:, None] * blocks[2])
        return x, base, half, blocks[3 if self.is_box else 1 :] if self.has_moves else []


    def moved(self, rows, w):
        """Where the worst moves against the plane of the pass put lifted rows."""
        _, base, half, moves = self.opened(rows)
        found = base if half is None else base - rows.y[:, None] * half * np.sign(w)
        return found + moves[0] if moves else found


def reach_of(rules, ranges):
    """How far each feature of a row may move at most, from what bounds the rows."""
    scale, lower, upper = (np.asarray(each) for each in (rules.scale, rules.lower, rules.upper))
    by_radius = np.where(scale > 0, np.maximum(scale, 1e-300) * ranges.radius, 0.0)
    room = np.maximum(upper + ranges.features, ranges.features - lower)
    reach = np.minimum(by_radius, room)
    for features, _ in rules.groups:
        reach[list(features)] = 2.0 + 2.0 * ranges.features[list(features)].max()
    return reach * (1 + 1e-9) + 1e-300
