"""Robust SVMs against adversaries who count, and with ends of weights: against HiGHS."""

import re

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, random as random_sparse

import redoubt


def words(seed, m=30, n=8):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(m) % 2, 1, 0)
    chance = np.where((np.arange(n) % 2)[None, :] == y[:, None], 0.6, 0.25)
    return (rng.random((m, n)) < chance).astype(float), y


def add_only(n, attacking=1):
    return redoubt.AttackModel(
        "l1", bounds=(0, 1), increase_only=list(range(n)), attacking_class=attacking
    )


def least_hinges(X, y, budget, low, high):
    """The least sum of hinges without a regulariser, a linear program: w, b, then per row its
    hinge, its threshold and what exceeds that."""
    m, n = X.shape
    signs = np.where(y == 1, 1.0, -1.0)
    spam = np.flatnonzero(y == 1)
    size = n + 1 + 2 * m + m * n
    cost = np.zeros(size)
    cost[n + 1 : n + 1 + m] = 1
    rows, limits = [], []
    for j in range(m):
        row = np.zeros(size)
        row[:n], row[n] = -signs[j] * X[j], -signs[j]
        row[n + 1 + j] = -1
        if j in spam:
            row[n + 1 + m + j] = budget
            row[n + 1 + 2 * m + j * n : n + 1 + 2 * m + (j + 1) * n] = 1
        rows.append(row)
        limits.append(-1.0)
        for f in np.flatnonzero(X[j] == 0) if j in spam else []:
            row = np.zeros(size)
            row[f], row[n + 1 + m + j], row[n + 1 + 2 * m + j * n + f] = -1, -1, -1
            rows.append(row)
            limits.append(0.0)
    ends = [(low, high)] * n + [(None, None)] + [(0, None)] * (size - n - 1)
    found = linprog(cost, np.array(rows), limits, bounds=ends, method="highs")
    assert found.status == 0
    return found.fun


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("bounds", [(-0.5, 0.5), (0.0, 1.0), (-0.2, 2.0)])
def test_hinges_are_those_of_a_linear_program(seed, bounds):
    X, y = words(seed)
    budget = seed % 4
    model = redoubt.RobustSVMClassifier(
        radius=budget,
        attack_model=add_only(8),
        weight_bounds=bounds,
        tol=1e-4,
        max_iter=20000,
    ).fit(X, y)
    least = least_hinges(X, y, budget, *bounds)
    assert model.objective_ >= least - 1e-6
    assert model.objective_ <= least * (1 + 2e-4) + 1e-3
    assert model.coef_.min() >= bounds[0] and model.coef_.max() <= bounds[1]


def test_without_a_regulariser_ends_of_weights_are_enough():
    X, y = words(3)
    model = redoubt.RobustSVMClassifier(
        radius=2, attack_model=add_only(8), weight_bounds=(-1, 1), tol=1e-3, max_iter=20000
    ).fit(X, y)
    least = least_hinges(X, y, 2, -1, 1)
    assert least - 1e-6 <= model.objective_ <= least * (1 + 2e-3) + 1e-3


def worst_hinges(model, X, y, budget, rho):
    (w,), (b,) = model.coef_, model.intercept_
    signs = np.where(y == 1, 1.0, -1.0)
    total = rho / 2 * w @ w
    for x, sign in zip(X, signs, strict=True):
        gains = np.sort(-w[(x == 0) & (w < 0)])[::-1][:budget].sum() if sign > 0 else 0.0
        total += max(0.0, 1 - sign * (w @ x + b) + gains)
    return total


def test_sparse_words_take_the_quick_route_to_the_same_plane():
    rng = np.random.default_rng(0)
    X = (random_sparse(120, 260, 0.05, random_state=0) > 0).astype(float).tocsr()
    y = (X @ rng.normal(size=260) + 0.3 * rng.normal(size=120) > 0).astype(int)
    options = {"radius": 3, "attack_model": add_only(260), "regularization": 1.0}
    quick = redoubt.RobustSVMClassifier(**options, tol=1e-4, max_iter=20000).fit(X, y)
    assert quick.status_ == "optimal"
    wanted = worst_hinges(quick, X.toarray(), y, 3, 1.0)
    assert quick.objective_ == pytest.approx(wanted, rel=1e-9)
    dense = redoubt.RobustSVMClassifier(**options, tol=1e-5).fit(X.toarray()[:, :], y)
    assert quick.objective_ == pytest.approx(dense.objective_, rel=2e-4)


def test_weights_that_are_alike_cannot_be_bought():
    X, y = words(1, m=200, n=30)
    rules = add_only(30)
    plain = redoubt.LinearSVMClassifier().fit(X, y)
    hinge = redoubt.RobustSVMClassifier(
        radius=5, attack_model=rules, regularization=1.0, weight_bounds=(None, None), tol=1e-3
    ).fit(csr_matrix(X), y)
    spam = y == 1
    size = {
        name: redoubt.certify(model, X[spam], y[spam], attack_model=rules).lower
        for name, model in (("plain", plain), ("hinge", hinge))
    }
    assert np.median(size["hinge"]) > np.median(size["plain"])


def test_a_shared_threshold_is_an_upper_bound():
    X, y = words(5, m=60)
    options = {
        "radius": 2, "attack_model": add_only(8), "regularization": 1.0, "tol": 1e-3,
        "weight_bounds": (None, None), "max_iter": 20000,
    }  # fmt: skip
    own = redoubt.RobustSVMClassifier(**options).fit(csr_matrix(X), y)
    shared = redoubt.RobustSVMClassifier(**options, shared_threshold=True).fit(csr_matrix(X), y)
    assert shared.objective_ >= own.objective_ * (1 - 2e-3)
    assert shared.objective_ >= worst_hinges(shared, X, y, 2, 1.0) - 1e-9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weight_bounds": 3}, "weight_bounds: expected a pair (low, high), got 3"),
        ({"weight_bounds": (1, -1)}, "greatest_weight: expected a number of at least the least"),
        ({"weight_bounds": (0, None), "radius": 1.5}, "radii: expected integers"),
        ({"weight_bounds": (0, None), "attack_model": None, "norm": "l2", "radius": 1.0},
         "attack_model: expected l1 moves, or radius 0"),
    ],
)  # fmt: skip
def test_what_cannot_be_counted(options, message):
    X, y = words(0)
    options = {"radius": 1, "attack_model": add_only(8), "regularization": 1.0} | options
    with pytest.raises(ValueError, match=re.escape(message)):
        redoubt.RobustSVMClassifier(**options).fit(X, y)


def test_words_that_are_counted_twice_are_refused():
    X, y = words(0)
    X[1, 0] = 0.5
    with pytest.raises(ValueError, match="features at an end of their range, or that go one way|size 1"):
        redoubt.RobustSVMClassifier(
            radius=1, attack_model=add_only(8), regularization=1.0, weight_bounds=(0, None)
        ).fit(X, y)
