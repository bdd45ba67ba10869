"""Rows, and attack models under which every row has moves of its own."""

import numpy as np

import redoubt

RADII = {"l1": 0.5, "l2": 0.35, "linf": 0.12}
KINDS = ("ranges", "direction", "integer", "groups", "mixed")


def ruled(norm, kind, seed, n_rows):
    """(X, labels, attack model, radius): 7 features, of which some have no use."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 7))
    w = random.normal(size=7) * (random.random(7) > 0.3)
    radius, rules = RADII[norm], {}
    if kind in ("ranges", "mixed"):
        X = np.clip(X, -1.5, 1.5)
        rules["bounds"] = dict.fromkeys(range(3, 7), (-1.5, 1.5))
    if kind in ("direction", "mixed"):
        rules["increase_only"], rules["decrease_only"] = [3], [4]
    if kind in ("integer", "mixed"):
        X[:, :2] = np.round(1.5 * X[:, :2])
        rules["integer"] = [0, 1]
        rules["scale"] = [3.0, 3.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    if kind == "groups":
        X[:, :4] = np.eye(4)[random.integers(0, 4, size=n_rows)]
        rules["one_hot"] = [[0, 1, 2, 3]]
        rules["switch_cost"] = 0.8 * radius
        w[:4] *= 2.0
    y = X @ w + 0.6 * np.linalg.norm(w) * random.normal(size=n_rows) > 0
    return X, np.where(y, "yes", "no"), redoubt.AttackModel(norm, **rules), radius
