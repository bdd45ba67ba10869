"""Judges the answers to attacks, over the rationals. Nothing here knows a solver."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

#: What a difference between two answers can come down to.
PEER_CHEATS = "the peer's step leaves the ball or misses a plane, within its tolerance"
PEER_SHORT = "the peer fools fewer planes than a step that is proven here"
OURS_OPEN = "**ours gave up, with a bound above its answer**"
UNEXPLAINED = "**unexplained**"


class Answer(NamedTuple):
    """Planes fooled by a step, and a bound on how many any step fools."""

    count: int
    bound: float
    step: np.ndarray


def n_fooled(vote, x, y, step):
    """Planes whose answer at x + step (rounded to doubles) is not y, exactly; sgn(0) = +1."""
    moved = _exact(x + step)
    count = 0
    for row, b in zip(vote.coef, vote.intercept):
        value = sum(w * c for w, c in zip(_exact(row), moved)) + Fraction(float(b))
        count += (value >= 0) != (y > 0)
    return count


def is_within(step, radius, norm, slack=0.0):
    """||step|| <= radius (1 + slack), exactly."""
    sizes = [abs(value) for value in _exact(step)]
    limit = Fraction(float(radius)) * (1 + Fraction(slack))
    if norm == "l1":
        return sum(sizes) <= limit
    if norm == "linf":
        return max(sizes) <= limit
    return sum(size * size for size in sizes) <= limit * limit


def explain(vote, x, y, radius, norm, ours, theirs):
    """Why two answers name different numbers of planes.

    Our step may exceed the radius by rounding alone (a few units in the last place).
    """
    if ours.count < ours.bound:
        return OURS_OPEN
    if theirs.count > ours.count:
        holds = is_within(theirs.step, radius, norm)
        holds = holds and n_fooled(vote, x, y, theirs.step) > ours.count
        return UNEXPLAINED if holds else PEER_CHEATS
    holds = is_within(ours.step, radius, norm, slack=1e-14)
    holds = holds and n_fooled(vote, x, y, ours.step) >= ours.count
    return PEER_SHORT if holds else UNEXPLAINED


def _exact(values):
    return [Fraction(float(value)) for value in values]
