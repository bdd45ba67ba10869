"""Planes and votes of two features on a grid."""

import numpy as np

from redoubt._models.decision_rules import ArgMax


def grid(X, place, witness, radius, resolution):
    """A grid that has room for all points, the ball (a radius, or one per axis) and the witness."""
    shown = [X] + [each[None] for each in (place, witness) if each is not None]
    if place is not None and np.all(np.isfinite(radius)):
        shown += [place[None] - radius, place[None] + radius]
    shown = np.concatenate(shown)
    low, high = shown.min(axis=0), shown.max(axis=0)
    margin = 0.06 * np.maximum((high - low).max(), 1e-9)
    return np.meshgrid(
        *(np.linspace(a - margin, b + margin, resolution) for a, b in zip(low, high, strict=True))
    )


def reachable(center, radius, rules, n_corners=360):
    """The outline of what an attack model allows within a radius, integers aside.

    Cutting a ball with a box moves its outline to the box, coordinate by coordinate.
    """
    angle = np.linspace(0.0, 2 * np.pi, n_corners, endpoint=False)  # with those of all corners
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    order = {"l1": 1, "l2": 2, "linf": np.inf}[rules.norm]
    ball = radius * rules.scale * circle / np.linalg.norm(circle, ord=order, axis=1)[:, None]
    low, high = np.minimum(rules.lower - center, 0), np.maximum(rules.upper - center, 0)
    low = np.where([each == "up" for each in rules.direction], 0.0, low)
    high = np.where([each == "down" for each in rules.direction], 0.0, high)
    return center + np.clip(ball, low, high)


def votes(decision, points):
    """What to colour, and functions whose zeros are the boundary; rounded: it is a picture."""
    if not isinstance(decision, ArgMax):
        values = _distances(decision.planes, points)
        answers = np.where(values == 0, decision.planes.tie, values > 0)
        share = np.average(answers, axis=1, weights=decision.planes.units)
        return share, [_deciding(decision, values)]
    if decision.by_votes:
        scores = np.array([planes.votes(points) for planes in decision.planes], dtype=float)
    else:
        scores = np.array([points @ each.coef[0] + each.intercept[0] for each in decision.planes])
    best = np.argmax(scores, axis=0)
    if decision.by_votes:  # nothing continuous to go by: half a step to either side
        return best, [(best == c) - 0.5 for c in range(len(scores))]
    rivals = [np.delete(scores, c, axis=0).max(axis=0) for c in range(len(scores))]
    return best, list(scores - rivals)


def _deciding(decision, values):
    """The value of the plane that decides each vote: the greater ones alone do not outweigh it.

    The answer is +1 where it is positive.
    """
    units = decision.planes.units
    needed = decision.need
    if needed is None:
        needed = (units.sum() + (0 if decision.tie else 1) + 1) // 2
    order = np.argsort(-values, axis=1)
    place = (np.cumsum(units[order], axis=1) >= needed).argmax(axis=1)
    return np.take_along_axis(values, np.take_along_axis(order, place[:, None], 1), 1)[:, 0]


def _distances(planes, points):
    """Signed distances to the planes; where there is no plane to be distant from, the bias."""
    length = np.linalg.norm(planes.coef, axis=1)
    return (points @ planes.coef.T + planes.intercept) / np.where(length > 0, length, 1.0)


def drawn_planes(decision):
    """Planes that mean something by themselves; scores of classes only matter by comparison."""
    if not isinstance(decision, ArgMax):
        return decision.planes.coef, decision.planes.intercept
    if not decision.by_votes:
        return np.empty((0, 2)), np.empty(0)
    coef = np.vstack([planes.coef for planes in decision.planes])
    return coef, np.concatenate([planes.intercept for planes in decision.planes])


def segment(w, b, corners):
    """The part of the line w'x + b = 0 in a box, or None."""
    left, right, bottom, top = corners
    ends = []
    if w[1] != 0:
        ends += [(x, -(b + w[0] * x) / w[1]) for x in (left, right)]
    if w[0] != 0:
        ends += [(-(b + w[1] * y) / w[0], y) for y in (bottom, top)]
    slack = 1e-9 * max(right - left, top - bottom)
    inside = [
        (x, y)
        for x, y in ends
        if left - slack <= x <= right + slack and bottom - slack <= y <= top + slack
    ]
    return np.array([min(inside), max(inside)]) if len(inside) > 1 else None
