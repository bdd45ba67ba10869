"""Witnesses that the model itself sees, although it rounds."""

import numpy as np

from redoubt._certificates.search import ROUND_UP

# From a rounding or two to a millionth, relatively.
PUSHES = 2.0 ** np.arange(-50.0, -19.0, 3.0)


def wanted_answers(answers, labels, target):
    """The class that each move is to reach, -1 where any other one than the answer will do."""
    if target is not None:
        return target
    if labels is None:
        return np.full(len(answers), -1)
    return np.where(answers == labels, -1, labels)


def reaches(answers, before, wanted):
    """Are these the answers that moves were to bring about?"""
    return np.where(wanted < 0, answers != before, answers == wanted)


def push_witnesses(flips, attacked, wanted, search):
    """Push on, within the rules, the witnesses that the model's own arithmetic does not see.

    Features that may take any value go a little further. The end of the bracket that has the
    witness moves with it; what cannot be pushed stays as it is.
    """
    rows = np.flatnonzero(flips.has_witness() & (flips.answer == attacked.own))
    for push in (0.0, *PUSHES):
        if not len(rows):
            return
        points = attacked.points[rows]
        moves = pushed(attacked.attack_model, points, flips.witness[rows], push)
        before, aims = attacked.own[rows], wanted[rows]
        seen = reaches(attacked.ask(rows, moves), before, aims)
        if push > 0:
            seen &= reaches(attacked.decision.answers(points + moves), before, aims)
            _take(flips, rows[seen], moves[seen], search.move_sizes(points, moves)[seen])
        rows = rows[~seen]


def pushed(rules, points, moves, push):
    """The moves, a little longer where the rules allow any value."""
    free = rules.free
    moves = np.where(free, moves * (1 + push), moves)
    low, high = rules.lower - points, rules.upper - points
    return np.where(free, np.clip(moves, np.minimum(low, 0), np.maximum(high, 0)), moves)


def _take(flips, rows, moves, sizes):
    """The witness is now further away: so is the end of the bracket that it proves."""
    sizes = sizes * ROUND_UP
    flips.witness[rows] = moves
    wrong = np.signbit(flips.radius[rows])
    flips.upper[rows[~wrong]] = np.maximum(flips.upper[rows], sizes)[~wrong]
    flips.lower[rows[wrong]] = np.minimum(flips.lower[rows], -sizes)[wrong]
    flips.radius[rows] = np.where(wrong, flips.lower[rows], flips.upper[rows])
