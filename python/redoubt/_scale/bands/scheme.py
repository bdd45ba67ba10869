"""The banded scheme: from a sample to a plane with a proof, in a few passes.

Each pass looks at all rows around a plane. Rows near its margin are kept; the others are added up in
cells of one class and one side of the margin. Two small problems follow:

- the proof: kept rows, and one row per cell at its mean with all of its weight. By Jensen's
  inequality its optimum is at most that of all rows, wherever the plane is.
- where only a part of the band could be kept, an estimate of the optimum: kept rows count for those
  that they stand for, and the cells beyond the margin enter with their exact linear part.

The better one is the plane of the next pass. docs/scale.md has the argument and the costs.
"""

import time
from dataclasses import dataclass, field, replace

import numpy as np

from redoubt._scale.bands.band import divisions, narrowed, next_band, planned_rows
from redoubt._scale.bands.estimate import estimate_plane
from redoubt._scale.bands.newton import (
    FIRST_WIDTH,
    NARROWER,
    bulk_of,
    constant_start,
    newton_steps,
    read_look,
)
from redoubt._scale.bands.pseudo_rows import mean_rows
from redoubt._scale.bands.spread import plane_spread

# As the library's kGapFloor: gaps are never measured against less of the total weight.
GAP_FLOOR = 1e-4
# Passes with bands that must bring the gap down tenfold, or Newton's method takes over.
PATIENCE = 5
# Widths that Newton's method then goes through before bands are tried again.
NEWTON_STAGES = 2


@dataclass(frozen=True)
class Limits:
    tol: float
    max_passes: int
    most_rows: int
    seed: int
    deadline: float = np.inf


@dataclass
class Answer:
    """The best plane and what is proven about it; named as the solver names its results."""

    coef: np.ndarray
    intercept: float
    primal_value: float
    dual_value: float
    relative_gap: float
    status: str
    n_passes: int
    n_newton_steps: int
    warning: str = ""
    history: list = field(default_factory=list)
    dual_ratio: np.ndarray = field(default_factory=lambda: np.empty(0))


class Record:
    """The best plane so far, the proofs, and what happened."""

    def __init__(self, problem, limits):
        self.problem, self.limits = problem, limits
        self.plane, self.value, self.proofs = None, np.inf, []
        self.class_weights, self.reference, self.n_steps = (0.0, 0.0), 0.0, 0
        self.n_passes, self.history = 1, []
        self.patience_from, self.n_newton_visits = 0, 0

    def note_plane(self, plane, value):
        """Is it the best so far?"""
        is_better = value <= self.value
        if is_better:
            self.plane, self.value = plane, value
        return is_better

    def note_classes(self, plus, minus, n_features):
        """w = 0 needs no pass: its objective is that of the classes' weights."""
        self.class_weights = plus, minus
        constant = np.zeros(n_features), 1.0 if plus >= minus else -1.0
        self.note_plane(constant, 2 * min(plus, minus))

    def note_proof(self, proof):
        self.proofs.append(proof)

    def note_pass(self, kind, value, n_kept, least_chance):
        self.n_passes += 1
        self.history.append(
            {
                "pass": self.n_passes,
                "kind": kind,
                "objective": value,
                "bound": self.bound(),
                "gap": self.gap(),
                "kept": n_kept,
                "least_chance": least_chance,
            }
        )

    def bound(self):
        size = max(self.reference, self.problem.reference_size(self.plane[0]))
        return max(self.problem.bound(proof, size) for proof in self.proofs)

    def gap(self):
        floor = GAP_FLOOR * sum(self.class_weights)
        return max(0.0, self.value - self.bound()) / max(self.value, floor)

    def is_unfinished(self):
        if not self.history:
            return True
        return self.gap() > self.limits.tol and not self.limit()

    def limit(self):
        """The limit that has been reached, as a status; "" for none."""
        if self.n_passes >= self.limits.max_passes:
            return "iteration limit"
        return "time limit" if time.monotonic() >= self.limits.deadline else ""

    def is_stuck(self):
        """Have the last passes with bands not brought the gap down tenfold?"""
        if len(self.history) - self.patience_from <= PATIENCE:
            return False
        return self.history[-1]["gap"] > 0.1 * self.history[-1 - PATIENCE]["gap"]

    def is_slow(self):
        """Has the last pass hardly narrowed the gap?"""
        return len(self.history) > 1 and self.history[-1]["gap"] > 0.5 * self.history[-2]["gap"]

    def answer(self):
        w, b = self.plane
        status = "optimal" if self.gap() <= self.limits.tol else self.limit()
        warning = ""
        if status == "optimal" and self.problem.norm is not None and not np.any(w):
            warning = (
                "w = 0 is optimal: no plane is worth its risk at these radii, and every point gets "
                f"the answer {'+1' if b >= 0 else '-1'}"
            )
        return Answer(
            w,
            float(b),
            self.value,
            self.bound(),
            self.gap(),
            status,
            self.n_passes,
            self.n_steps,
            warning,
            self.history,
        )


def banded(problem, sample, ranges, limits):
    """A generator that yields what a pass is to ask (the band's keywords) and is sent its Summary.

    `sample` holds rows of both classes with their chances, `ranges` what bounds the rows' numbers.
    Returns an Answer.
    """
    record = Record(problem, limits)
    weights = sample.weights / sample.chance
    result = problem.solve(sample, weights, 1e-6)
    record.n_steps += result.n_newton_steps
    is_constant = not np.any(result.coef)
    plane, result = turned(problem, sample, weights, result)
    record.reference = problem.reference_size(plane[0])
    known = np.zeros(len(sample))
    spread = plane_spread(problem, sample, plane, result.dual_ratio, known, limits.seed)
    scouts, earlier = sample.spread(4000), []
    standing = sample.represented()
    seen = sample, standing
    standing = standing[:: sample.step(4000)] * sample.step(4000)
    bulk = bulk_of(problem, sample, weights)
    del sample, weights
    is_careful, crowding = False, 1.0
    while record.is_unfinished():
        if (is_constant and earlier) or record.is_stuck():
            plane = yield from _newton(problem, record, ranges, bulk, scouts)
            spread = _spread_of_all(problem, scouts, plane, limits.seed + record.n_passes)
            is_constant, is_careful = False, True
            continue
        band = next_band(
            problem, plane, spread, (seen, (scouts, standing)), ranges, limits, record.n_passes + 1
        )
        if is_careful:
            band |= narrowed(problem, band, plane, scouts, standing, limits, crowding)
        band |= divisions(problem, earlier, limits)
        earlier.append(plane)
        summary = yield band
        rows = summary.rows.as_weights().in_order()
        if is_careful:
            # The few rows that foretold how many the band has may have been far off.
            crowding *= max(0.5, len(rows) / summary.share / planned_rows(limits))
        means = mean_rows(summary, band)
        value = 0.5 * problem.mu * float(plane[0] @ plane[0]) + summary.hinge * band["hinge_unit"]
        is_better = record.note_plane(plane, value)
        record.note_classes(*class_weights(rows, means), len(plane[0]))

        proof_rows = rows.joined([rows, means.rows])
        result = problem.solve(
            proof_rows, proof_rows.weights, min(1e-8, max(limits.tol / 10, 1e-12))
        )
        record.n_steps += result.n_newton_steps
        record.note_proof(problem.proof(proof_rows, proof_rows.weights, result.dual_ratio))
        record.note_pass("band", value, len(rows), float(rows.chance.min(initial=1.0)))
        if not record.is_unfinished():
            break
        if is_careful and not is_better:
            plane = 0.5 * (plane[0] + record.plane[0]), 0.5 * (plane[1] + record.plane[1])
        elif is_careful or (band["share"] == summary.share == 1.0 and np.isinf(band["density"])):
            plane = np.array(result.coef), result.intercept
        else:
            estimate = estimate_plane(problem, rows, means, plane)
            record.n_steps += estimate.n_newton_steps
            spread = estimate.spread(limits.seed + record.n_passes)
            plane = estimate.plane
        plane = _tamed(problem, plane, record, scouts)
        is_constant = is_constant or not np.any(plane[0]) or not np.any(record.plane[0])
        seen = (rows, 1.0 / rows.chance) if len(rows) else seen
    return record.answer()


def _spread_of_all(problem, scouts, plane, seed):
    """Moves of the shape that sampling errors have around a plane; of what size does not matter."""
    multipliers = (problem.hinges(scouts, plane) > 0).astype(np.float64)
    return plane_spread(problem, scouts, plane, multipliers, np.zeros(len(scouts)), seed)


def _tamed(problem, plane, record, scouts):
    """The plane, or one on the way to it from the best one if a sample of the rows warns of it.

    Estimates from few rows near the margin can be far off, where a few rows of all kinds see it.
    """

    def value(w, b):
        hinges = np.maximum(0.0, problem.hinges(scouts, (w, b)))
        return 0.5 * problem.mu * w @ w + hinges @ (scouts.weights / scouts.chance)

    best = record.plane
    limit = 2 * max(record.value, value(*best))
    for _ in range(10):
        if value(*plane) <= limit:
            break
        plane = 0.5 * (plane[0] + best[0]), 0.5 * (plane[1] + best[1])
    return plane


def class_weights(rows, means):
    return [
        float(rows.weights[rows.y == sign].sum() + means.rows.weights[means.rows.y == sign].sum())
        for sign in (1.0, -1.0)
    ]


def _newton(problem, record, ranges, bulk, scouts):
    """Where bands do not get on: from the best plane, or from w = 0 if that is the best.

    Returns a plane for bands to go on from: after some stages, or when w = 0 turns out not to be
    optimal. (Where it is, the proof ends the training.)
    """
    is_constant = not np.any(record.plane[0])
    if is_constant:
        width = FIRST_WIDTH
        plane = constant_start(len(record.plane[0]), *record.class_weights, width)
    else:
        plane = record.plane
        width = FIRST_WIDTH * float(np.sqrt(np.mean(problem.hinges(scouts, plane) ** 2)))
        width *= NARROWER**record.n_newton_visits
        record.n_newton_visits += 1
    least_width = 0.0 if is_constant else width * NARROWER**NEWTON_STAGES
    steps = newton_steps(problem, plane, width, ranges, bulk, is_constant)
    query = next(steps)
    while record.is_unfinished() and query["width"] >= least_width:
        summary = yield query
        look = read_look(problem, query, summary.high, summary.low)
        record.note_plane(look.plane, look.value(problem))
        record.note_proof(look.proof(problem))
        record.note_pass("newton", look.value(problem), 0, 1.0)
        record.n_steps += 1
        if is_constant and np.any(record.plane[0]):
            break
        try:
            query = steps.send(look)
        except StopIteration:
            break
    record.patience_from = len(record.history)
    return record.plane if np.any(record.plane[0]) else look.plane


def turned(problem, sample, weights, result):
    """The sample's plane; where that is w = 0, a direction that may prove w = 0 for all rows.

    That of the strongest adversary against whom the sample's plane is not 0: its multipliers are
    nearly a proof, and the stronger adversary gives the slack that makes it one for all rows.
    """
    if np.any(result.coef):
        return (np.array(result.coef), result.intercept), result
    low, high, best = 0.0, 1.0, None
    for _ in range(10):
        middle = (low + high) / 2
        found = problem.solve(replace(sample, radii=middle * sample.radii), weights, 1e-6)
        if np.any(found.coef):
            low, best = middle, found
        else:
            high = middle
    if best is not None:
        return (np.array(best.coef), best.intercept), best
    plus = sample.y > 0
    means = [weights[one] @ sample.X[one] / weights[one].sum() for one in (plus, ~plus)]
    w = means[0] - means[1]
    if not np.any(w):
        w = np.eye(1, len(w))[0]
    w = w / (np.sqrt(w @ w) * np.sqrt(np.mean(sample.X**2)) + 1e-300)
    return (w, -float(w @ (means[0] + means[1])) / 2), result
