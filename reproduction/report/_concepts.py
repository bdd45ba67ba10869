"""The paper's two drawings of ideas, from computations."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.optimize import linprog

import redoubt

__all__ = ["OneAgainstThree", "heuristic_example", "one_against_three", "reach_of_one_plane"]


@dataclass(frozen=True)
class OneAgainstThree:
    """Three points that one plane cannot guard and a vote of three planes can."""

    points: np.ndarray
    labels: np.ndarray
    radius: float
    single: object
    single_radii: np.ndarray
    vote: object
    vote_radii: np.ndarray
    single_limit: float  # no plane certifies all points farther
    single_most: int  # no plane certifies more points at `radius`
    limit: float  # no classifier of any kind certifies all points farther


def one_against_three():
    """Train and certify. The points and the radius are the paper's."""
    points = np.array([[-2.0, 0.0], [0.0, 2.0], [0.5, -0.5]])
    labels = np.array([-1, -1, 1])
    radius = 1.0
    single = redoubt.RobustSVMClassifier(radius=0.5, norm="linf").fit(points, labels)
    vote = redoubt.CollaborativeEnsembleClassifier(
        radius=1.2, norm="linf", n_planes=3, n_epochs=300, random_state=1
    ).fit(points, labels)
    distances = np.abs(points[labels > 0][:, None] - points[labels < 0][None]).max(axis=2)
    return OneAgainstThree(
        points,
        labels,
        radius,
        single,
        redoubt.certify(single, points, labels, norm="linf").lower,
        vote,
        redoubt.certify(vote, points, labels, norm="linf").lower,
        single_limit=reach_of_one_plane(points, labels),
        single_most=_most_by_one_plane(points, labels, radius),
        limit=distances.min() / 2,
    )


def reach_of_one_plane(points, labels):
    """The largest radius (linf) at which one plane can be right on every ball.

    A plane with sum |w| = 1 keeps a margin t exactly where its certified radius is t, so it is
    a linear program: max t, y (w'x + b) >= t, with w = u - v, u, v >= 0, sum u + v <= 1.
    """
    if len(set(labels)) < 2:
        return np.inf
    n, d = points.shape
    signed = labels[:, None] * points
    rows = np.hstack([-signed, signed, -labels[:, None], np.ones((n, 1))])
    total = np.concatenate([np.ones(2 * d), [0.0, 0.0]])
    found = linprog(
        -np.eye(2 * d + 2)[-1],
        A_ub=np.vstack([rows, total]),
        b_ub=np.concatenate([np.zeros(n), [1.0]]),
        bounds=[(0, None)] * (2 * d) + [(None, None)] * 2,
    )
    if found.status != 0:
        raise RuntimeError(f"linear program: {found.message}")
    return -found.fun


def _most_by_one_plane(points, labels, radius):
    for size in range(len(points), 0, -1):
        for chosen in map(list, combinations(range(len(points)), size)):
            if reach_of_one_plane(points[chosen], labels[chosen]) >= radius:
                return size
    return 0


@dataclass(frozen=True)
class HeuristicExample:
    """The heuristic adversary's step against two planes."""

    coef: np.ndarray
    intercept: np.ndarray
    point: np.ndarray
    label: int
    radius: float
    weights: np.ndarray
    step: np.ndarray
    fooled: list


def heuristic_example():
    """The paper's example; the step is that of `redoubt.attack`."""
    coef = np.array([[-1.0, 1.0], [1.0, 1.0]])
    intercept = np.array([0.0, -2.0])
    point, label, radius = np.array([0.6, 0.5]), -1, 1.0
    found = redoubt.attack(
        redoubt.Ensemble(coef, intercept),
        point[None],
        [label],
        radius=radius,
        norm="l2",
        adversary="heuristic",
    )
    # How near each plane is to being fooled; the attack weighs the normals with it.
    weights = np.maximum(0.0, 1.0 + label * (coef @ point + intercept))
    return HeuristicExample(
        coef,
        intercept,
        point,
        label,
        radius,
        weights / weights.sum(),
        found.perturbation[0],
        found.fooled[0],
    )
