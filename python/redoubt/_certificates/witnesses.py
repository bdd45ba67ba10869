"""Witnesses that the model itself sees, although it rounds."""

import numpy as np

from redoubt._certificates.search import ROUND_UP

# From a rounding or two to a millionth, relatively.
PUSHES = 2.0 ** np.arange(-50.0, -19.0, 3.0)


def push_witnesses(flips, attacked, labels, search):
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
        seen = _changes(attacked, labels, rows, attacked.ask(rows, moves))
        if push > 0:
            seen &= _changes(attacked, labels, rows, attacked.decision.answers(points + moves))
            _take(flips, rows[seen], moves[seen], search.move_sizes(points, moves)[seen])
        rows = rows[~seen]


def pushed(rules, points, moves, push):
    """The moves, a little longer where the rules allow any value."""
    free = rules.free
    moves = np.where(free, moves * (1 + push), moves)
    low, high = rules.lower - points, rules.upper - points
    return np.where(free, np.clip(moves, np.minimum(low, 0), np.maximum(high, 0)), moves)


def _changes(attacked, labels, rows, answer):
    """Does this answer differ from the one before, and is it right where that was wrong?"""
    before = attacked.own[rows]
    differs = answer != before
    if labels is not None:
        wrong = before != labels[rows]
        differs[wrong] = answer[wrong] == labels[rows][wrong]
    return differs


def _take(flips, rows, moves, sizes):
    """The witness is now further away: so is the end of the bracket that it proves."""
    sizes = sizes * ROUND_UP
    flips.witness[rows] = moves
    wrong = np.signbit(flips.radius[rows])
    flips.upper[rows[~wrong]] = np.maximum(flips.upper[rows], sizes)[~wrong]
    flips.lower[rows[wrong]] = np.minimum(flips.lower[rows], -sizes)[wrong]
    flips.radius[rows] = np.where(wrong, flips.lower[rows], flips.upper[rows])
