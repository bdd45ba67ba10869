"""The banded scheme where every row has moves of its own (`lifted`).

Pass and proof are those of `scheme`, except that the mean row of a cell has the mean moves of its rows
at several planes, of which the proof takes the mixture that it needs, and for linf their mean box.
The next plane comes from an estimate: kept rows, a sample of the others with their own moves, and a
linear term that makes its slope at the plane of the pass that of all rows. Where that is no better,
the next ones lie between the best plane so far and the estimate made there, or the proof's plane.
"""

import re
from dataclasses import dataclass, replace

import numpy as np

from redoubt import _core
from redoubt._scale.bands.band import planned_rows
from redoubt._scale.bands.band import reach_of as reach_of_rows
from redoubt._scale.bands.estimate import anchors
from redoubt._scale.bands.lifted import Lift, reach_of
from redoubt._scale.bands.problem import Problem
from redoubt._scale.bands.pseudo_rows import mean_rows
from redoubt._scale.bands.scheme import Record, class_weights, turned
from redoubt._scale.bands.spread import spread_of_slopes, typical_move
from redoubt._scale.rows.kept import Rows

# Planes whose worst moves a pass collects.
N_PLANES = 8
N_SCOUTS = 3000
# Probes lie around a plane by so many of its standard errors.
PROBE_AT = 0.3


@dataclass(frozen=True, eq=False)
class RuledProblem:
    """A Problem whose moves are those of `rules`; sizes are ||w||_2."""

    mu: float
    rules: object
    sign: int | None = None
    n_threads: int = 1

    norm = "rules"

    @property
    def width(self):
        """Of lifted rows."""
        return Lift(np.empty((N_PLANES, 0)), self.rules, np.empty(0)).width

    def reference_size(self, w):
        return float(np.linalg.norm(w))

    bound = Problem.bound

    def solve(self, rows, weights, tol, means=None):
        """Of rows with their own moves and, after them, `means` (Means)."""
        X, y, radii, given = rows.X, rows.y, rows.radii, {}
        if means is not None:
            X, y = np.vstack([X, means.X]), np.concatenate([y, means.y])
            radii = np.concatenate([radii, np.ones(len(means.y))])
            weights = np.concatenate([weights, means.weights])
            given = {"given_start": means.start, "given_moves": means.moves, "given_half": means.half}
        return _core.train_robust_svm(
            np.ascontiguousarray(X), y, radii, weights=weights, tolerance=tol,
            attack_model=self.rules.core(self.sign), regularization=self.mu,
            n_threads=self.n_threads, **given,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Means:
    """Points with given moves, as the solver takes them."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    start: list
    moves: np.ndarray
    half: np.ndarray | None

    @classmethod
    def of(cls, lift, cells):
        """The mean rows of lifted cells."""
        _, base, half, moves = lift.opened(cells)
        k, n = len(moves), base.shape[1]
        table = np.stack(moves, axis=1).reshape(-1, n) if k else np.empty((0, n))
        start = [k * j for j in range(len(base) + 1)]
        return cls(base, cells.y, cells.weights, start, np.ascontiguousarray(table), half)

    @classmethod
    def fixed(cls, rows, is_box):
        """Points that stay where they are."""
        n = rows.X.shape[1]
        half = np.zeros_like(rows.X) if is_box else None
        return cls(rows.X, rows.y, rows.weights, [0] * (len(rows) + 1), np.empty((0, n)), half)


class _Seen:
    """Rows in memory at a plane: t, its slopes, the rows where the worst moves put them."""

    def __init__(self, lift, rows, plane):
        w, b = plane
        self.moved = rows.X + lift.worst(rows, w)
        self.t = 1.0 - rows.y * (self.moved @ w + b)
        self.slopes = np.column_stack([-rows.y[:, None] * self.moved, -rows.y])


def banded_rules(problem, sample, ranges, limits):
    """As `banded`, for a RuledProblem; there is a "lift" among the keywords that it yields."""
    record = Record(problem, limits)
    reach = reach_of(problem.rules, ranges)
    weights = sample.weights / sample.chance
    result = _first_solution(problem, sample, weights)
    record.n_steps += result.n_newton_steps
    plane, result = turned(problem, sample, weights, result)
    record.reference = problem.reference_size(plane[0])
    spread = _spread(problem, reach, sample, plane, result.dual_ratio, limits.seed)
    scouts = _Scouts(sample)
    rng = np.random.default_rng(limits.seed)
    others = [plane[0] + PROBE_AT * move[:-1] for move in spread]
    del sample, weights, result
    crowding, earlier, aim, step, n_slow = 1.0, [], plane, 1.0, 0
    while record.is_unfinished():
        planes = np.array([plane[0], *others[: N_PLANES - 1]])
        lift = Lift(planes, problem.rules, reach, problem.sign)
        seen = _Seen(lift, scouts.rows, plane)
        wanted = planned_rows(limits) / crowding
        band = _band(lift, plane, spread, scouts.reach_of(seen, spread, wanted), ranges)
        band |= {"seed": limits.seed + record.n_passes + 1, "lift": lift}
        summary = yield band
        rows = summary.rows.as_weights().in_order()
        crowding *= max(0.5, len(rows) / summary.share / planned_rows(limits))
        rows = replace(rows, X=lift.opened(rows)[0])
        cells = mean_rows(summary, band)
        value = 0.5 * problem.mu * float(plane[0] @ plane[0]) + summary.hinge * band["hinge_unit"]
        is_better = record.note_plane(plane, value)
        record.note_classes(*class_weights(rows, cells), len(plane[0]))
        result = problem.solve(
            rows, rows.weights, max(limits.tol / 10, 1e-12), Means.of(lift, cells.rows)
        )
        record.n_steps += result.n_newton_steps
        record.note_proof((result.multipliers, result.distance))
        record.note_pass("band", value, len(rows), float(rows.chance.min(initial=1.0)))
        if not record.is_unfinished():
            break
        earlier = [plane[0], *earlier[:N_PLANES]]
        proven, is_slow = (np.array(result.coef), result.intercept), record.is_slow()
        if is_better:
            is_far = scouts.distances(seen, spread) > band["reach"]
            found = _estimated(problem, lift, rows, cells, scouts, seen, is_far, plane)
            record.n_steps += found.n_newton_steps
            aim, step = (np.array(found.coef), found.intercept), 1.0
        else:
            step *= 0.5
        n_slow = n_slow + 1 if is_slow else 0
        # Where rows have several worst moves, the proof knows more of them than the estimate.
        is_turn_of_proof = lift.has_moves and n_slow % 2 == 1
        following = _between(record.plane, *((proven, 0.5) if is_turn_of_proof else (aim, step)))
        probes = _probes(rng, following[0], plane[0], is_slow)
        others = [w for w in (proven[0], *probes, *earlier) if np.any(w)]
        # A constant answer needs no pass, and its moves say nothing.
        plane = following if np.any(following[0]) else (0.5 * plane[0], following[1])
    return record.answer()


def _first_solution(problem, sample, weights):
    try:
        return problem.solve(sample, weights, 1e-6)
    except _core.InvalidInput as error:
        # A row that breaks the rules: by its number in the data, not in the sample.
        in_data = re.sub(r"(?<=in row )\d+", lambda row: str(sample.number[int(row[0])]), str(error))
        raise ValueError(f"data: {in_data}, counted over all rows") from error


def _spread(problem, reach, sample, plane, dual_ratio, seed):
    """Moves by which the sample's plane may be off."""
    seen = _Seen(Lift(plane[0][None], problem.rules, reach, problem.sign), sample, plane)
    least = 1e-9 * (sample.weights / sample.chance) @ sample.X**2 + 1e-300
    curvature = np.diag(problem.mu + least)
    spread = spread_of_slopes(sample, plane, seen.t, seen.slopes, curvature, dual_ratio, seed)
    # Features that the adversary empties have no curvature to go by.
    most = typical_move(sample, plane)
    return np.clip(spread, -most, most)


def _between(plane, other, share):
    return tuple((1 - share) * a + share * b for a, b in zip(plane, other, strict=True))


def _probes(rng, following, plane, is_slow):
    """Planes around the next one, as far as it is away: where rows have several worst moves at the
    optimum, these show which. If that does not help, they go further."""
    size = np.abs(following - plane) + 1e-9 * np.abs(plane).max()
    if is_slow:
        size += PROBE_AT * rng.random() ** 4 * np.linalg.norm(plane) / np.sqrt(len(plane))
    return [following + size * rng.standard_normal(len(size)) for _ in range(1 if is_slow else 3)]


class _Scouts:
    """A few rows of all kinds: they foretell how many rows a band has, and stand for rows outside."""

    def __init__(self, sample):
        self.rows = sample.spread(N_SCOUTS)
        self.weights = self.rows.weights / self.rows.chance
        step = sample.step(N_SCOUTS)
        self._standing = sample.represented()[::step] * step

    @staticmethod
    def distances(seen, spread):
        scale = np.sqrt(np.mean((seen.slopes @ spread.T) ** 2, axis=1))
        return np.abs(seen.t) / np.maximum(scale, 1e-300)

    def reach_of(self, seen, spread, wanted):
        """How far a band of `wanted` rows reaches."""
        reach = reach_of_rows(self.distances(seen, spread), self._standing, wanted)
        return max(reach, 1e-12)


def _band(lift, plane, spread, reach, ranges):
    """The keywords of a pass that keeps all rows of a band, but for its seed."""
    w, b = plane
    lifted = lift.weights(w)
    directions = lift.directions(spread, w)
    return {
        "w": lifted,
        "b": float(b),
        "size": 0.0,
        "moves": directions,
        "size_moves": np.zeros(len(directions)),
        "share": 1.0,
        "reach": reach,
        "density": np.inf,
        **ranges.lifted_units(lift.bounds(ranges.features), lifted, b),
    }


def _estimated(problem, lift, rows, cells, scouts, seen, is_far, plane):
    """The optimum of kept rows, the far scouts for the others, and the slope of all at the plane.

    The scouts of a class and side have the weight of the cells there; two more rows say by how much
    the slope of their hinges differs from that of the cells (see `anchors`).
    """
    far, t, moved = scouts.rows[is_far], seen.t[is_far], seen.moved[is_far]
    weights = scouts.weights[is_far]
    means, centre = cells.rows, lift.moved(cells.rows, plane[0])
    weight, moment = {}, {}
    for sign in (1.0, -1.0):
        for beyond in (True, False):
            ours = (far.y == sign) & ((t > 0) == beyond)
            theirs = (means.y == sign) & (cells.beyond == beyond)
            there = weights[ours].sum()
            weights[ours] *= means.weights[theirs].sum() / there if there > 0 else 0.0
            if beyond:
                total = means.weights[theirs]
                weight[sign] = total.sum() - weights[ours].sum()
                moment[sign] = total @ centre[theirs] - weights[ours] @ moved[ours]
    total = rows.weights.sum() + means.weights.sum()
    two = anchors(Problem(problem.mu), plane, weight, moment, 0.0, total)
    together = Rows.joined([rows, replace(far, weights=weights)])
    return problem.solve(together, together.weights, 1e-7, Means.fixed(two, lift.is_box))
