"""Planes trained by passes where every row has moves of its own."""

import numpy as np
import pytest
from scale_rules import KINDS, ruled
from sklearn.base import clone

import redoubt
from redoubt import RobustSVMClassifier, scale

NORMS = ("l1", "l2", "linf")
# Of 8,000 rows some 700 are kept where the lifted rows have 9 times as many columns.
MEMORY = 700 * 8 * 6 * (7 * 9 + 5)


def worst_objective(model, X, y, rules, radius, weights=1.0, regularization=0.0):
    """From the data, by certificates of the plane: a hinge after the worst move within the radius."""
    signs = np.where(y == model.classes_[1], 1.0, -1.0)
    found = redoubt._core.worst_moves(
        X, signs, np.broadcast_to(radius, len(y)).astype(float), rules, model.coef_[0], 1
    )
    t = 1.0 - signs * ((X + found) @ model.coef_[0] + model.intercept_[0])
    return 0.5 * regularization * model.coef_[0] @ model.coef_[0] + np.sum(weights * np.maximum(0, t))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("norm", NORMS)
def test_the_optimum_of_memory_is_reached_and_proven(norm, kind):
    X, y, rules, radius = ruled(norm, kind, seed=1, n_rows=8_000)
    model = RobustSVMClassifier(radius, attack_model=rules, tol=1e-6)
    wanted = clone(model).set_params(tol=1e-8).fit(X, y)
    found = scale.fit(clone(model), [(X, y)], memory=MEMORY)
    assert found.status_ == "optimal" and found.dual_gap_ <= 1e-6
    assert found.objective_ == pytest.approx(wanted.objective_, rel=1.1e-6)
    core = found.attack_model_.core()
    assert found.objective_ == pytest.approx(worst_objective(found, X, y, core, radius), rel=1e-9)
    if wanted.coef_.any():
        assert found.passes_ <= 8


@pytest.mark.parametrize("norm", NORMS)
def test_weights_radii_an_attacking_class_and_a_regulariser(norm):
    X, y, _, radius = ruled(norm, "mixed", seed=2, n_rows=4_000)
    rules = redoubt.AttackModel(
        norm, bounds={3: (-2, 2)}, integer=[0], attacking_class="yes", scale=[2, 1, 0.5, 0, 1, 2, 1]
    )
    random = np.random.default_rng(0)
    weights, radii = random.uniform(0, 2, len(y)), random.uniform(0, 2 * radius, len(y))
    model = RobustSVMClassifier(radius, attack_model=rules, tol=1e-6, regularization=3.0)
    wanted = clone(model).fit(X, y, sample_weight=weights, radius=radii)
    found = scale.fit(clone(model), [(X, y, weights, radii)], memory=MEMORY)
    assert found.dual_gap_ <= 1e-6
    assert found.objective_ == pytest.approx(wanted.objective_, rel=2e-6)


@pytest.mark.parametrize(("norm", "kind"), [("linf", "groups"), ("l1", "mixed")])
def test_the_bits_do_not_depend_on_how_the_rows_are_cut(norm, kind):
    X, y, rules, radius = ruled(norm, kind, seed=3, n_rows=3_000)
    model = RobustSVMClassifier(radius, attack_model=rules, tol=1e-6)
    one = scale.fit(clone(model), [(X, y)], memory=MEMORY / 2)
    cuts = [0, 1, 700, 700, 2_999, 3_000]
    parts = [(X[a:b], y[a:b]) for a, b in zip(cuts, cuts[1:], strict=False)]
    other = scale.fit(clone(model).set_params(n_jobs=2), parts, memory=MEMORY / 2)
    assert np.array_equal(one.coef_, other.coef_)
    assert np.array_equal(one.intercept_, other.intercept_)


def test_a_constant_answer_is_proven():
    X, y, rules, _ = ruled("linf", "ranges", seed=4, n_rows=3_000)
    with pytest.warns(redoubt.ConstantAnswerWarning, match="w = 0 is optimal"):
        model = scale.fit(RobustSVMClassifier(3.0, attack_model=rules, tol=1e-6), [(X, y)], memory=MEMORY)
    assert not model.coef_.any() and model.dual_gap_ <= 1e-6


def test_what_is_not_proven_in_time_is_said():
    X, y, rules, radius = ruled("l1", "mixed", seed=5, n_rows=4_000)
    model = RobustSVMClassifier(radius, attack_model=rules, tol=1e-9)
    with pytest.warns(match="relative duality gap"):
        found = scale.fit(clone(model), [(X, y)], memory=MEMORY / 3, max_passes=2)
    assert found.status_ == "iteration limit"
    wanted = clone(model).fit(X, y).objective_
    assert wanted >= found.objective_ * (1 - found.dual_gap_) * (1 - 1e-9)


def test_several_classes_and_robust_ensembles():
    X, y, rules, radius = ruled("linf", "direction", seed=6, n_rows=3_000)
    three = np.digitize(X[:, 0] + 0.4 * X[:, 5], [-0.6, 0.6])
    model = RobustSVMClassifier(radius, attack_model=rules, tol=1e-6)
    wanted, found = clone(model).fit(X, three), scale.fit(clone(model), [(X, three)], memory=MEMORY)
    assert found.objective_ == pytest.approx(wanted.objective_, rel=2e-6)
    vote = redoubt.RobustEnsembleClassifier(
        radius, attack_model=rules, n_planes=2, adversary="heuristic", norm="linf", tol=1e-6
    )
    wanted, found = clone(vote).fit(X, y), scale.fit(clone(vote), [(X, y)], memory=MEMORY)
    assert np.mean(wanted.predict(X) == found.predict(X)) > 0.99


def test_rows_that_break_the_rules_are_named():
    X, y, rules, radius = ruled("l2", "integer", seed=7, n_rows=3_000)
    X[2_100, 0] = 0.5
    model = RobustSVMClassifier(radius, attack_model=rules)
    for memory in (MEMORY, 2.0):
        with pytest.raises(ValueError, match=r"(part 1: .* in row 100|data: .* in row 2100, counted)") as error:
            scale.fit(clone(model), [(X[:2_000], y[:2_000]), (X[2_000:], y[2_000:])], memory=memory)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"attack_model": redoubt.AttackModel("l0", bounds=(-9, 9))}, "those that are counted need all rows"),
        ({"radius": 0.0, "weight_bounds": (0, None)}, "weight_bounds: training by passes knows none"),
        ({"shared_threshold": True}, "shared_threshold: training by passes knows none"),
    ],
)
def test_what_stays_in_memory(parameters, message):
    X, y, _, _ = ruled("l2", "ranges", seed=0, n_rows=100)
    with pytest.raises(NotImplementedError, match=message):
        scale.fit(RobustSVMClassifier(**{"radius": 1.0} | parameters), [(X, y)])
