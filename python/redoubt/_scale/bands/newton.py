"""Newton's method by passes: slower than bands, but no rows are kept and nothing is sampled.

Hinges are made smooth over a width that falls from stage to stage. A pass gives value, gradient and
Hessian at a plane, and multipliers of all rows, which prove a bound (SmoothSums of the C++ library).
Where w = 0 is optimal these multipliers become a proof at a finite width: the smooth optimum weighs
the rows of the larger class as the proof needs them.
"""

from dataclasses import dataclass

import numpy as np

from redoubt._scale.bands.cone import minimise_in_cone
from redoubt._scale.rows.kept import Rows

FIRST_WIDTH = 0.3
NARROWER = 0.2
LEAST_WIDTH = 1e-9
# A stage ends when the next step promises less than this part of the smoothing error.
STAGE_END = 0.1
LEAST_DAMPING, MOST_DAMPING = 1e-4, 10.0


@dataclass(frozen=True, eq=False)
class SmoothLook:
    """What a pass found at a plane."""

    plane: tuple
    width: float
    hinge: float
    smooth: float
    masses: Rows
    gradient: np.ndarray
    hessian: np.ndarray

    def value(self, problem):
        return 0.5 * problem.mu * float(self.plane[0] @ self.plane[0]) + self.hinge

    def smooth_value(self, problem):
        return 0.5 * problem.mu * float(self.plane[0] @ self.plane[0]) + self.smooth

    def proof(self, problem):
        """Of the multipliers, which are those of two rows: the means of the classes."""
        if len(self.masses) < 2:
            return 0.0, 0.0
        return problem.proof(self.masses, self.masses.weights, np.ones(2))


def bulk_of(problem, rows, weights):
    """For `newton_steps`: from a sample of the rows."""
    slopes = np.column_stack([rows.X**2, np.ones(len(rows)), rows.radii**2])
    return weights @ slopes + problem.mu + 1e-300


def smooth_query(problem, plane, width, ranges):
    """The keywords of a pass."""
    w, b = plane
    return {
        "w": w,
        "b": float(b),
        "size": problem.size(w),
        "width": width,
        "units": ranges.smooth_units(problem, plane),
    }


def read_look(problem, query, high, low):
    n = len(query["w"])
    sums = (high.astype(np.float64) * 2.0**32 + low) * query["units"]
    k = n + 2
    plane = query["w"], query["b"]
    classes = sums[2 : 2 + k], sums[2 + k : 2 + 2 * k]
    masses = [
        (sign, each[0], each[1], each[2:])
        for sign, each in zip((-1.0, 1.0), classes, strict=True)
        if each[0] > 0
    ]
    rows = Rows(
        np.array([moment / weight for _, weight, _, moment in masses]).reshape(-1, n),
        np.array([sign for sign, _, _, _ in masses]),
        np.array([weight for _, weight, _, _ in masses]),
        np.array([radius / weight for _, weight, radius, _ in masses]),
        np.full(len(masses), -1),
        np.ones(len(masses)),
    )
    (minus, plus) = classes
    gradient = np.concatenate(
        [minus[2:] - plus[2:] + problem.mu * plane[0], [minus[0] - plus[0]], [minus[1] + plus[1]]]
    )
    hessian = np.zeros((k, k))
    hessian[np.triu_indices(k)] = sums[2 + 2 * k :] / query["width"]
    hessian = hessian + np.triu(hessian, 1).T
    hessian[np.arange(n), np.arange(n)] += problem.mu
    return SmoothLook(plane, query["width"], sums[0], sums[1], rows, gradient, hessian)


def constant_start(n_features, plus, minus, width):
    """w = 0, and the bias at which the larger class is smooth and as heavy as the other."""
    share = min(plus, minus) / max(plus, minus)
    end = 1.0 if plus >= minus else -1.0
    return np.zeros(n_features), end * (1.0 - min(share, 0.9) * width)


def newton_steps(problem, plane, width, ranges, bulk, is_constant):
    """A generator of looks at ever better planes: it yields a query and is sent its SmoothLook.

    `bulk` is about the diagonal of what the Hessian would be if all rows were smooth, times the
    width: steps that turn out too long are damped by it. If w = 0 seems optimal (`is_constant`),
    planes scale with the width.
    """
    look = yield smooth_query(problem, plane, width, ranges)
    damping = 0.0
    while look.width > LEAST_WIDTH:
        target, promised = _step(problem, look, damping * bulk / look.width)
        error = look.value(problem) - look.smooth_value(problem)
        if damping <= MOST_DAMPING and promised > STAGE_END * error:
            tried = yield smooth_query(problem, target, look.width, ranges)
            if tried.smooth_value(problem) <= look.smooth_value(problem) - 0.1 * promised:
                look = tried
                damping = damping / 3 if damping > 1e-3 * LEAST_DAMPING else 0.0
            else:
                damping = max(10 * damping, LEAST_DAMPING)
            continue
        start = target if damping <= MOST_DAMPING else look.plane
        if is_constant:
            end = np.sign(start[1])
            start = NARROWER * start[0], end + NARROWER * (start[1] - end)
        damping = 0.0
        look = yield smooth_query(problem, start, look.width * NARROWER, ranges)


def _step(problem, look, damping):
    """The minimum of the quadratic model, and how much lower than here it is."""
    w, b = look.plane
    here = np.concatenate([w, [b, problem.size(w)]])
    hessian = look.hessian + 1e-9 * np.diag(np.diag(look.hessian)) + np.diag(damping + 1e-300)
    if problem.norm is None:
        hessian, gradient = hessian[:-1, :-1], look.gradient[:-1]
        move = -np.linalg.lstsq(hessian, gradient, rcond=1e-14)[0]
        promised = -(gradient @ move + 0.5 * move @ hessian @ move)
        return (w + move[:-1], b + move[-1]), float(promised)
    there = minimise_in_cone(problem, hessian, look.gradient - hessian @ here, here)
    w_new = there[:-2]
    there[-1] = problem.size(w_new)
    move = there - here
    promised = -(look.gradient @ move + 0.5 * move @ hessian @ move)
    return (w_new, float(there[-2])), float(promised)
