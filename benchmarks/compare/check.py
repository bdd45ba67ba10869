"""The benchmark's own judgement of an answer, from the data alone.

Nothing here knows a solver. Objectives are computed from the plane; lower bounds from dual
variables, after repairing whatever small infeasibility the solver left in them.
"""

from typing import NamedTuple

import numpy as np

# Objectives near 0 (separable points) are compared on this share of the total weight.
SCALE_FLOOR = 1e-4

DUAL_ORDER = {"l1": np.inf, "l2": 2, "linf": 1}
ORDER = {"l1": 1, "l2": 2, "linf": np.inf}


class Plane(NamedTuple):
    """w'x + b = 0, and the dual variables of the hinges if the solver gives any."""

    w: np.ndarray
    b: float
    alpha: np.ndarray | None = None


def svm_objective(problem, plane, *, C=1.0):
    """1/2 ||w||^2 + C sum_j c_j [1 - y_j (w'x_j + b)]_+."""
    hinge = np.maximum(0.0, 1.0 - problem.y * (problem.X @ plane.w + plane.b))
    return 0.5 * plane.w @ plane.w + C * problem.weights @ hinge


def svm_lower_bound(problem, alpha, *, C=1.0):
    """A lower bound on the optimum: the dual objective at `alpha`, made feasible first."""
    alpha = _balanced(np.clip(alpha, 0.0, C * problem.weights), problem.y)
    w = problem.X.T @ (alpha * problem.y)
    return alpha.sum() - 0.5 * w @ w


def robust_objective(problem, radius, norm, plane):
    """sum_j c_j [1 - y_j (w'x_j + b) + r ||w||_q]_+."""
    size = np.linalg.norm(plane.w, DUAL_ORDER[norm])
    margin = problem.y * (problem.X @ plane.w + plane.b)
    return problem.weights @ np.maximum(0.0, 1.0 - margin + radius * size)


def robust_lower_bound(problem, radius, norm, alpha, largest_norm):
    """A lower bound on the optimum over all w with ||w||_q <= `largest_norm`.

    For alpha in [0, c] with y'alpha = 0 the Lagrangian is
    sum alpha - (sum_j alpha_j y_j x_j)'w + (sum_j alpha_j r_j) ||w||_q.
    The objective is never negative, so 0 is a bound too: the best one for separable points.
    """
    alpha = _balanced(np.clip(alpha, 0.0, problem.weights), problem.y)
    pull = np.linalg.norm(problem.X.T @ (alpha * problem.y), ORDER[norm])
    return max(0.0, alpha.sum() - largest_norm * max(0.0, pull - radius * alpha.sum()))


def _balanced(alpha, y):
    """Scale the heavier class down until y'alpha = 0."""
    up, down = alpha[y > 0].sum(), alpha[y < 0].sum()
    common = min(up, down)
    return alpha * np.where(y > 0, common / up if up else 0.0, common / down if down else 0.0)


def relative_gap(problem, objective, lower_bound):
    """How far `objective` can be from the optimum, on the scale of the optimum."""
    return max(0.0, objective - lower_bound) / objective_scale(problem, objective)


def objective_scale(problem, objective):
    return max(abs(objective), SCALE_FLOOR * problem.weights.sum())
