"""Ens-C with one plane for each of several classes: trained together."""

import numpy as np
import pytest
import redoubt
from redoubt import AttackModel, CollaborativeEnsembleClassifier, _core
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

ORDER = {"l1": np.inf, "l2": 2, "linf": 1}  # of the planes, for the norm of the moves


def rival_radii(coef, intercept, X, codes, norm, scale=1.0):
    """The least signed radius of each row against one rival of its class."""
    values = X @ coef.T + intercept
    found = np.full(values.shape, np.inf)
    for c in range(len(coef)):
        for k in range(len(coef)):
            if k != c:
                length = np.linalg.norm(scale * (coef[c] - coef[k]), ORDER[norm])
                mine = codes == c
                found[mine, k] = (values[mine, c] - values[mine, k]) / length
    return found.min(axis=1)


def objective(coef, intercept, X, codes, norm, rho, power, cap, scale=1.0):
    radii = np.maximum(rival_radii(coef, intercept, X, codes, norm, scale), -cap * rho)
    return np.sum(rho / power * (np.maximum(0.0, rho - radii) / rho) ** power)


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
@pytest.mark.parametrize("power", [1.0, 2.0])
@pytest.mark.parametrize("scale", [None, [1.0, 0.5, 0.0, 2.0]])
def test_the_gradient_is_that_of_the_radii(norm, power, scale):
    """Adam's first mean after one batch is a tenth of the gradient."""
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(30, 4)), np.arange(30) % 4
    X += np.eye(4)[codes]
    coef, intercept = rng.normal(size=(4, 4)), rng.normal(size=4)
    rules = None if scale is None else AttackModel(norm, scale=scale)
    settings = {"norm": norm, "power": power, "cap": 10.0, "joint_classes": 4, "n_planes": 1}
    if rules is not None:
        settings["attack_model"] = rules.resolve(4).core()
    start = _core.CollaborativeDescent(
        np.ones(4), 0.0, X, len(X), 1.0, batch_size=30, n_epochs=1, **settings
    )
    zeros = np.zeros((4, 5))
    start = start.at((coef, intercept, zeros, zeros, 0))
    about = (X, codes, norm, 0.7, power, 10.0, 1.0 if scale is None else np.array(scale))
    points = X, codes.astype(float), np.array([0.7]), np.empty(0)
    value = start.objective(*points)
    assert value == pytest.approx(objective(coef, intercept, *about), rel=1e-9)
    after, before = start.go_on(*points)
    assert before == value
    gradient = 10 * len(X) * after.arrays[2]
    h = 1e-6
    for c in range(4):
        for l in range(5):
            step = np.zeros((4, 5))
            step[c, l] = h
            ends = [
                objective(coef + sign * step[:, :4], intercept + sign * step[:, 4], *about)
                for sign in (1, -1)
            ]
            assert gradient[c, l] == pytest.approx((ends[0] - ends[1]) / (2 * h), abs=1e-5)


def table(load, n_rows=None):
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X)[:n_rows], y[:n_rows]


def test_planes_trained_together_are_more_robust_than_one_against_the_rest():
    X, y = table(load_wine)
    train = np.arange(len(X)) % 4 != 0
    together = CollaborativeEnsembleClassifier(random_state=0).fit(X[train], y[train])
    alone = redoubt.RobustSVMClassifier(radius="auto").fit(X[train], y[train])
    means = [
        np.clip(each.certify(X[~train], y[~train]).lower, -3, 3).mean() for each in (together, alone)
    ]
    assert means[0] > means[1]
    assert together.score(X[~train], y[~train]) > alone.score(X[~train], y[~train]) - 0.03
    assert together.coef_.shape == (3, X.shape[1])
    assert len(set(together.radius_)) == 1 and len(together.radius_choice_) == 3


def test_threads_warm_starts_and_limits():
    X, y = table(load_wine)
    model = CollaborativeEnsembleClassifier(1.0, n_epochs=8, random_state=3)
    first = model.fit(X, y).coef_.copy()
    assert model.status_ == "finished" and len(model.history_["objective"]) == 8
    assert model.history_["objective"][-1] < model.history_["objective"][0]
    first_history = model.history_
    np.testing.assert_array_equal(model.set_params(n_jobs=2).fit(X, y).coef_, first)
    again = model.set_params(warm_start=True).fit(X, y)
    assert again.history_["objective"][0] < first_history["objective"][0]
    with pytest.warns(UserWarning, match="stopped early"):
        cut = model.set_params(warm_start=False, max_seconds=0.0).fit(X, y)
    assert cut.is_partial_ and cut.coef_.shape == first.shape
    weights = np.where(y == 0, 5.0, 1.0)
    model.set_params(max_seconds=None).fit(X, y, weights)
    assert np.mean(model.predict(X)[y == 0] == 0) == 1.0


def test_rules_and_the_class_that_attacks():
    X, y = table(load_wine)
    rules = AttackModel(
        "linf", scale=0.5, frozen=[0, 1], increase_only=[2], bounds=(-9, 9), attacking_class=1
    )
    model = CollaborativeEnsembleClassifier(0.5, attack_model=rules, random_state=0).fit(X, y)
    found = model.certify(X, y)
    np.testing.assert_array_equal(np.isinf(found.radius), y != 1)
    assert not found.witness[y == 1][:, :2].any()
    assert model.score(X, y) > 0.95
    X = np.round(X)
    whole = AttackModel("l1", integer=list(range(13)), bounds=(-9, 9))
    model = CollaborativeEnsembleClassifier(2.0, attack_model=whole, n_epochs=3, random_state=0)
    assert model.fit(X, y).score(X, y) > 0.9


def test_votes_of_several_planes_are_one_against_the_rest():
    X, y = table(load_wine)
    model = CollaborativeEnsembleClassifier(0.5, n_planes=3, n_epochs=3, random_state=0).fit(X, y)
    assert model.coef_.shape == (9, 13) and len(model.history_) == 3
    one = CollaborativeEnsembleClassifier(
        0.5, n_planes=3, n_epochs=3, power=1.0, cap=10.0, random_state=0
    )
    one.fit(X, y == 1)
    np.testing.assert_array_equal(model.coef_[3:6], one.coef_)
    with pytest.raises(ValueError, match="l1, l2 or linf for several classes"):
        CollaborativeEnsembleClassifier(1.0, norm="l0").fit(X, y)
