"""Random attack models, and their rules once more, written without the package."""

from itertools import product

import numpy as np
from brute_force import ORDER
from redoubt import AttackModel

# What rounding may make of x + d.
ROUNDING = 1e-9


def make_rules(rng, n_features, norm, *, groups=True, integers=True, finite=False):
    """A random attack model of numbered features; `finite`: with few reachable points."""
    one_hot, free = [], list(range(n_features))
    if groups and n_features >= 4 and rng.random() < 0.6:
        one_hot = [([0, 1, 2], float(rng.choice([0.5, 1.0, 2.0])))]
        free = free[3:]
    chosen = {name: [] for name in ("frozen", "increase_only", "decrease_only", "integer")}
    bounds = {}
    for l in free:
        kind = rng.choice(["frozen", "increase_only", "decrease_only", "any", "any"])
        if kind != "any":
            chosen[kind].append(l)
        if finite or (integers and rng.random() < 0.4):
            chosen["integer"].append(l)
        if finite or rng.random() < 0.5:
            bounds[l] = (-2.0, 2.0) if finite else (-4.0, [None, 4.0][rng.integers(2)])
    scale = {l: float(rng.choice([0.5, 1.0, 3.0])) for l in free if rng.random() < 0.7}
    return AttackModel(norm, scale=scale, bounds=bounds, one_hot=one_hot, **chosen)


def make_points(rng, n_points, n_features, rules):
    """Points that keep the rules."""
    X = np.round(rng.uniform(-2.0, 2.0, size=(n_points, n_features)), 3)
    X[:, list(rules.integer)] = np.round(X[:, list(rules.integer)])
    for features, _ in rules.one_hot:
        X[:, features] = np.eye(len(features))[rng.integers(len(features), size=n_points)]
    return X


def scale_of(rules, feature):
    if feature in rules.frozen:
        return 0.0
    return rules.scale.get(feature, 1.0) if isinstance(rules.scale, dict) else 1.0


def size_of(rules, move):
    """The size of a move; infinite if a frozen feature moves."""
    sizes, grouped = [], set()
    for features, cost in rules.one_hot:
        grouped |= set(features)
        sizes.append(
            (rules.switch_cost if cost is None else cost) * bool(np.any(move[[*features]]))
        )
    for l, step in enumerate(move):
        if l not in grouped and step != 0:
            scale = scale_of(rules, l)
            sizes.append(abs(step) / scale if scale else np.inf)
    return float(np.linalg.norm(np.append(sizes, 0.0), ord=ORDER[rules.norm]))


def check_move(rules, x, move):
    """Every rule holds after the move."""
    moved = x + move
    assert not np.any(move[[*rules.frozen]]), "a frozen feature moved"
    assert np.all(move[[*rules.increase_only]] >= 0)
    assert np.all(move[[*rules.decrease_only]] <= 0)
    integer = moved[[*rules.integer]]
    assert np.all(np.abs(integer - np.round(integer)) <= ROUNDING)
    for l, (low, high) in (rules.bounds or {}).items():
        assert low is None or moved[l] >= low - ROUNDING
        assert high is None or moved[l] <= high + ROUNDING
    for features, _ in rules.one_hot:
        assert sorted(moved[[*features]]) == [0.0] * (len(features) - 1) + [1.0]


def reachable_moves(rules, x):
    """All moves, where every feature is integer and bounded or in a group."""
    axes = {}
    for l in rules.integer:
        low, high = rules.bounds[l]
        values = np.arange(low, high + 1)
        if l in rules.frozen:
            values = x[[l]]
        elif l in rules.increase_only:
            values = values[values >= x[l]]
        elif l in rules.decrease_only:
            values = values[values <= x[l]]
        axes[(l,)] = [(value,) for value in values]
    for features, _ in rules.one_hot:
        axes[features] = [tuple(row) for row in np.eye(len(features))]
    for values in product(*axes.values()):
        moved = x.copy()
        for features, part in zip(axes, values, strict=True):
            moved[list(features)] = part
        yield moved - x
