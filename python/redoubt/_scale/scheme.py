"""The banded scheme: from a sample to a plane with a proof, in a few passes.

Each pass looks at all rows around a plane. Rows near its margin are kept; the others are added up in
cells of one class and one side of the margin. Two small problems follow:

- the proof: kept rows, and one row per cell at its mean with all of its weight. By Jensen's
  inequality its optimum is at most that of all rows, wherever the plane is.
- where only a part of the band could be kept, an estimate of the optimum: kept rows count for those
  that they stand for, and the cells beyond the margin enter with their exact linear part.

The better one is the plane of the next pass. docs/scale.md has the argument and the costs.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from redoubt._scale.band import divisions, next_band
from redoubt._scale.estimate import estimate_plane
from redoubt._scale.pseudo_rows import mean_rows
from redoubt._scale.spread import plane_spread

# As the library's kGapFloor: gaps are never measured against less of the total weight.
GAP_FLOOR = 1e-4


@dataclass(frozen=True)
class Limits:
    tol: float
    max_passes: int
    most_rows: int
    seed: int


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


class _Record:
    """The best plane so far, the proofs, and what happened."""

    def __init__(self, problem):
        self.problem = problem
        self.plane, self.value, self.proofs = None, np.inf, []
        self.total_weight, self.reference, self.n_steps = 0.0, 0.0, 0
        self.history = []

    def note_plane(self, plane, value):
        if value < self.value:
            self.plane, self.value = plane, value

    def note_proof(self, proof):
        self.proofs.append(proof)

    def bound(self):
        size = max(self.reference, self.problem.reference_size(self.plane[0]))
        return max(self.problem.bound(proof, size) for proof in self.proofs)

    def gap(self):
        return max(0.0, self.value - self.bound()) / max(self.value, GAP_FLOOR * self.total_weight)


def banded(problem, sample, ranges, limits):
    """A generator that yields what a pass is to ask (the band's keywords) and is sent its Summary.

    `sample` holds rows of both classes with their chances, `ranges` what bounds the rows' numbers.
    Returns an Answer.
    """
    record = _Record(problem)
    weights = sample.weights / sample.chance
    result = problem.solve(sample, weights, 1e-6)
    record.n_steps += result.n_newton_steps
    plane, result = _turned(problem, sample, weights, result)
    record.reference = problem.reference_size(plane[0])
    spread = plane_spread(problem, sample, plane, result.dual_ratio, np.zeros(len(sample)), limits.seed)
    kept, scouts, earlier = sample, sample.spread(4000), []
    status = "iteration_limit"
    for number in range(2, limits.max_passes + 1):
        band = next_band(problem, plane, spread, (kept, scouts), ranges, limits, number)
        band |= divisions(problem, earlier, limits)
        earlier.append(plane)
        summary = yield band
        rows = summary.rows.in_order()
        means = mean_rows(summary, band)
        value = 0.5 * problem.mu * float(plane[0] @ plane[0]) + summary.hinge * band["hinge_unit"]
        record.note_plane(plane, value)
        _note_constant(record, rows, means, len(plane[0]))

        proof_rows = rows.joined([rows, means.rows])
        result = problem.solve(proof_rows, proof_rows.weights, min(1e-8, max(limits.tol / 10, 1e-12)))
        record.n_steps += result.n_newton_steps
        record.note_proof(problem.proof(proof_rows, proof_rows.weights, result.dual_ratio))
        gap = record.gap()
        record.history.append(
            {
                "pass": number,
                "objective": value,
                "bound": record.bound(),
                "gap": gap,
                "kept": len(rows),
                "least_chance": float(rows.chance.min(initial=1.0)),
            }
        )
        if gap <= limits.tol:
            status = "optimal"
            break
        proposed = np.array(result.coef), result.intercept
        if band["share"] == summary.share == 1.0 and np.isinf(band["density"]):
            plane = proposed
        else:
            estimate = estimate_plane(problem, rows, means, plane)
            record.n_steps += estimate.n_newton_steps
            spread = estimate.spread(limits.seed + number)
            plane = estimate.plane if np.any(estimate.plane[0]) else proposed
        if not np.any(plane[0]):  # nothing to divide rows by
            plane = 0.5 * earlier[-1][0], earlier[-1][1]
        kept = rows if len(rows) else kept
    return _answer(record, status)


def _turned(problem, sample, weights, result):
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


def _note_constant(record, rows, means, n_features):
    """w = 0 needs no pass: its objective is that of the classes' weights."""
    plus = float(rows.weights[rows.y > 0].sum() + means.rows.weights[means.rows.y > 0].sum())
    minus = float(rows.weights[rows.y < 0].sum() + means.rows.weights[means.rows.y < 0].sum())
    record.total_weight = plus + minus
    record.note_plane((np.zeros(n_features), 1.0 if plus >= minus else -1.0), 2 * min(plus, minus))


def _answer(record, status):
    warning = ""
    w, b = record.plane
    if not np.any(w):
        warning = (
            "w = 0 is optimal: no plane is worth its risk at these radii, and every point gets the "
            f"answer {'+1' if b >= 0 else '-1'}"
        )
    return Answer(
        w,
        float(b),
        record.value,
        record.bound(),
        record.gap(),
        status,
        record.history[-1]["pass"],
        record.n_steps,
        warning,
        record.history,
    )
