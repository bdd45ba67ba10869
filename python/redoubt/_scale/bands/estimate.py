"""The optimum of all rows, estimated from those kept of a band that was too large."""

from dataclasses import dataclass, field

import numpy as np

from redoubt._scale.bands.spread import plane_spread
from redoubt._scale.rows.kept import Rows


@dataclass(eq=False)
class Estimate:
    plane: tuple
    n_newton_steps: int
    _details: tuple = field(repr=False)

    def spread(self, seed):
        """How far the plane may be from the optimum."""
        problem, rows, dual_ratio, known = self._details
        return plane_spread(problem, rows, self.plane, dual_ratio, known, seed)


def estimate_plane(problem, rows, means, plane):
    """Minimise the hinges of the kept rows, each counted as 1 / chance, corrected by what is known.

    Had no row crossed t = 0 since `plane`, the objective would be linear, and its sums are known for
    the rows that were not kept. Only the difference is estimated:

        sum_kept c/chance [t]_+  +  L ,   L = sum_others c t [t0 > 0] - sum_kept c (1/chance - 1) t [t0 > 0].

    L is linear in (w, b, ||S w||_q), and two rows, one of each class and always beyond the margin, say
    the same (but for a constant) when they have enough weight.
    """
    t0 = problem.hinges(rows, plane)
    known = (t0 > 0).astype(np.float64)
    surplus = rows.weights * (1.0 / rows.chance - 1.0) * known
    far = means.rows[means.beyond]
    weight, moment, radius = {}, {}, 0.0
    for sign in (1.0, -1.0):
        ours, theirs = rows.y == sign, far.y == sign
        weight[sign] = far.weights[theirs].sum() - surplus[ours].sum()
        moment[sign] = far.weights[theirs] @ far.X[theirs] - surplus[ours] @ rows.X[ours]
        radius += far.weights[theirs] @ far.radii[theirs] - surplus[ours] @ rows.radii[ours]
    two = anchors(
        problem, plane, weight, moment, radius, rows.weights.sum() + means.rows.weights.sum()
    )
    together = Rows.joined([rows, two])
    weights = np.concatenate([rows.weights / rows.chance, two.weights])
    result = problem.solve(together, weights, 1e-8)
    found = np.array(result.coef), result.intercept
    details = problem, rows, result.dual_ratio[: len(rows)], known
    return Estimate(found, result.n_newton_steps, details)


def anchors(problem, plane, weight, moment, radius, total):
    """The two rows: weights W+ and W-, with W+ - W-, W+ x+ - W- x- and the radii's sum as given.

    As much is added to both weights as makes t about 1; both are moved along w until their t agree.
    """
    w, _ = plane
    signs = np.array([1.0, -1.0])
    given = np.array([weight[1.0], weight[-1.0]])
    weights = given + max(0.0, -given.min()) + total
    X = np.array([moment[1.0], moment[-1.0]]) / weights[:, None]
    radii = np.full(2, max(radius, 0.0) / weights.sum())
    anchors = Rows(X, signs, weights, radii, np.full(2, -1), np.ones(2))
    t = problem.hinges(anchors, plane)
    shift = (t[0] - t[1]) / (w @ w * np.sum(1.0 / weights))
    X += shift * w / weights[:, None]
    return anchors
