"""Points exactly on the planes of scikit-learn's models: the model's own answer counts."""

import numpy as np
import pytest
import redoubt
from sklearn_models import (
    NORMS,
    fit,
    is_changed_at_witness,
    two_classes,
)
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import (
    LogisticRegression,
    Perceptron,
    RidgeClassifier,
)
from sklearn.svm import SVC, LinearSVC

GRID = np.array([[a, b] for a in range(-2, 3) for b in range(-2, 3)], dtype=float)


def by_hand(model, coef, intercept, classes=("a", "b")):
    """A fitted model of scikit-learn whose planes are integers."""
    rng = np.random.default_rng(0)
    model = fit(model, rng.normal(size=(12, 2)), np.resize(classes, 12))
    model.coef_ = np.array(coef, dtype=float).reshape(-1, 2)
    model.intercept_ = np.array(intercept, dtype=float).reshape(-1)
    return model


def check_ties(model):
    answers = model.predict(GRID)
    y = np.where(np.arange(len(GRID)) % 2 == 0, model.classes_[0], model.classes_[1])
    for norm in NORMS:
        result = redoubt.certify(model, GRID, y, norm=norm)
        np.testing.assert_array_equal(result.prediction, answers)
        assert "rounding" not in result.status
        np.testing.assert_array_equal(np.signbit(result.radius), answers != y)
        on_boundary = np.abs(result.radius) < 1e-12
        assert on_boundary.any()
        assert np.all((result.lower == 0) | (result.upper == 0), where=on_boundary)
        curve = redoubt.attack_curve(result, y, [0.0])
        assert curve.accuracy[0] == np.mean(answers == y)
        again = redoubt.attack_curve(redoubt.certify(model, GRID, norm=norm), y, [0.0])
        assert again.accuracy[0] == np.mean(answers == y)
        # On integers planes may meet so that the search finds no witness: it says so.
        known = np.isfinite(result.witness).all(axis=1)
        assert known.mean() >= 0.9 and set(result.status[~known]) <= {"numerical failure"}
        result.witness[~known] = 0.0
        assert is_changed_at_witness(model, GRID, answers, result)[known].all()


@pytest.mark.parametrize(
    "model", [LinearSVC(), LogisticRegression(), Perceptron(), RidgeClassifier()], ids=str
)
def test_a_point_on_the_plane_is_in_the_first_class(model):
    model = by_hand(model, [1, -1], 0)
    assert model.predict([[1.0, 1.0]]) == ["a"]
    check_ties(model)


def test_a_point_on_the_plane_of_an_svc_is_in_the_second_class():
    model = SVC(kernel="linear").fit([[-1.0, 0.0], [1.0, 0.0]], ["a", "b"])
    assert model.predict([[0.0, 1.0]]) == ["b"]
    check_ties(model)


def vote_by_hand(planes, svc=False):
    """A hard vote whose members have the given planes; the last may be an SVC for x_0."""
    members = [(str(i), LinearSVC()) for i in range(len(planes))]
    if svc:
        members.append(("svc", SVC(kernel="linear")))
    X = np.array([[-1.0, 0.0], [1.0, 0.0]])
    model = VotingClassifier(members).fit(X, ["a", "b"])
    for member, (coef, intercept) in zip(model.estimators_, planes, strict=False):
        member.coef_, member.intercept_ = np.array([coef], float), np.array([intercept], float)
    return model


@pytest.mark.parametrize("svc", [False, True])
@pytest.mark.parametrize("n_planes", [1, 2, 3, 4])
def test_ties_of_votes(n_planes, svc):
    planes = [([1, 0], 0), ([0, 1], 0), ([1, 1], -1), ([1, -2], 1)][:n_planes]
    check_ties(vote_by_hand(planes, svc))


def test_a_class_that_only_exists_on_a_plane():
    """Two opposite planes and an SVC: their tie on the plane x_0 = 0 is a region of its own."""
    model = vote_by_hand([([1, 0], 0), ([-1, 0], 0)])  # one vote each, except on the plane
    answers = model.predict(GRID)
    assert set(answers) == {"a"}
    result = redoubt.certify(model, GRID)
    assert np.all(np.isinf(result.radius)) and np.all(np.isnan(result.witness))


@pytest.mark.parametrize("model", [LinearSVC(), LogisticRegression(), Perceptron()], ids=str)
def test_ties_of_three_classes_go_to_the_first(model):
    coef, intercept = [[1, 0], [0, 1], [-1, -1]], [0, 0, 0]
    model = by_hand(model, coef, intercept, classes=("a", "b", "c"))
    assert model.predict([[0.0, 0.0], [-2.0, 1.0]]).tolist() == ["a", "b"]
    check_ties(model)


def test_ties_of_a_one_vs_one_svc():
    model = SVC(kernel="linear", C=100).fit([[-2.0, 0.0], [2.0, 0.0], [0.0, 2.0]], ["a", "b", "c"])
    result = redoubt.certify(model, GRID)
    np.testing.assert_array_equal(result.prediction, model.predict(GRID))
    assert set(result.status) == {"optimal"}
    assert np.sum(result.radius < 1e-12) >= 5
    assert is_changed_at_witness(model, GRID, result.prediction, result).all()


def test_rounding_of_the_model_is_admitted():
    model = by_hand(LinearSVC(), [1, 1], -1)
    X = np.array([[1.0, 2.0**-60], [1.0, 0.0], [1.0, 2.0**-50]])
    assert model.predict(X).tolist() == ["a", "a", "b"]  # the first is really above the plane
    for y, sign in (("a", 1), ("b", -1)):
        result = redoubt.certify(model, X, [y] * 3)
        assert result.status.tolist() == ["rounding", "optimal", "optimal"]
        assert result.radius[0] == 0 and np.signbit(result.radius[0]) == (sign < 0)
        assert result.lower[0] < 0 < result.upper[0] < 1e-12
    np.testing.assert_array_equal(result.prediction, model.predict(X))


def test_single_precision():
    """The model rounds to single precision: near its boundary it may disagree, and that is said."""
    X, y = two_classes()
    X = X.astype(np.float32)
    model = LogisticRegression().fit(X, y)
    if model.coef_.dtype != np.float32:
        pytest.skip("this version of scikit-learn trains in double precision")
    result = redoubt.certify(model, X, y)
    plane = redoubt.Ensemble(model.coef_, model.intercept_)
    exact = redoubt.certify(plane, X.astype(float), np.where(y == "yes", 1, -1))
    np.testing.assert_allclose(result.radius, exact.radius, rtol=1e-9)
    border = (X[:1] + result.witness[:1]).astype(np.float32)
    nearby = border + 1e-7 * np.random.default_rng(0).normal(size=(200, 3)).astype(np.float32)
    found = redoubt.certify(model, nearby)
    np.testing.assert_array_equal(found.prediction, model.predict(nearby))
    assert set(found.status) == {"optimal", "rounding"}
