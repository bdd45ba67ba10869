"""Brackets of votes of stumps, checked again in rationals."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

import redoubt


def sign(number):
    return (number > 0) - (number < 0)


def places(stumps, x, low, high):
    """Where a feature may go: to a threshold, or next to it on either side (-1, 0, +1)."""
    found = [(x, 0)]
    for weight, bias in stumps:
        threshold = -bias / weight
        for side in (-1, 0, 1):
            is_low = threshold > low or (threshold == low and side >= 0)
            is_high = threshold < high or (threshold == high and side <= 0)
            if is_low and is_high:
                found.append((threshold, side))
    return found


def answer(weight, bias, place):
    value, side = place
    way = sign(value + bias / weight) or side
    return 1 if way * sign(weight) >= 0 else -1


def least_size(stumps, x, ends, norm):
    """By all places of all features; of l2 the square, of l0 the number of features that change."""
    options = []
    for feature, value in enumerate(x):
        own = [s[1:] for s in stumps if s[0] == feature]
        options.append(
            [
                (abs(place[0] - value), place != (value, 0), sum(answer(*s, place) for s in own))
                for place in places(own, value, *ends[feature])
            ]
        )
    start = sum(option[0][2] for option in options)
    label = 1 if start >= 0 else -1
    least = None
    for moves in itertools.product(*options):
        if (1 if sum(votes for *_, votes in moves) >= 0 else -1) == label:
            continue
        parts = [part for part, *_ in moves]
        size = {
            "linf": max(parts),
            "l1": sum(parts),
            "l2": sum(part * part for part in parts),
            "l0": Fraction(sum(changed for _, changed, _ in moves)),
        }[norm]
        least = size if least is None else min(least, size)
    return least


@pytest.mark.parametrize("norm", ["linf", "l1", "l2", "l0"])
def test_brackets_hold_in_rationals(norm):
    rng = np.random.default_rng(5)
    n, k = 3, 7
    n_tight = 0
    for case in range(40):
        feature = rng.integers(0, n, k)
        weight = rng.choice([-3.0, -1.0, 0.7, 1.0, 3.0], k)
        # Tenths: points lie on thresholds, or beside them by the last digit.
        bias = rng.integers(-9, 10, k) / 10 if case % 2 else rng.normal(size=k)
        coef = np.zeros((k, n))
        coef[np.arange(k), feature] = weight
        x = rng.integers(-9, 10, n) / 10
        low, high = x - rng.integers(1, 9, n) / 8, x + rng.integers(1, 9, n) / 8
        found = redoubt.certify(
            redoubt.Ensemble(coef, bias), x[None],
            attack_model=redoubt.AttackModel(norm, bounds=list(zip(low, high, strict=True))),
        )  # fmt: skip
        stumps = [
            (int(f), Fraction(w), Fraction(b)) for f, w, b in zip(feature, weight, bias, strict=True)
        ]
        ends = [(Fraction(a), Fraction(b)) for a, b in zip(low, high, strict=True)]
        least = least_size(stumps, [Fraction(v) for v in x], ends, norm)
        if least is None:
            assert found.lower[0] == np.inf
            continue
        lower = Fraction(found.lower[0])
        power = 2 if norm == "l2" else 1
        assert lower**power <= least
        if np.isinf(found.upper[0]):
            assert found.status[0] == "numerical failure"
            continue
        assert Fraction(found.upper[0]) ** power >= least
        n_tight += found.upper[0] <= found.lower[0] * (1 + 1e-12)
    assert n_tight >= 20
