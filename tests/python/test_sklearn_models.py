"""Certificates of scikit-learn's fitted models: against their own `predict` and brute force."""

import numpy as np
import pytest
import redoubt
from brute_force import cell_distance, length, polyhedron_distance
from sklearn_models import (
    MULTICLASS,
    NORMS,
    SINGLE,
    VOTES,
    check_both_sides,
    check_inside,
    fit,
    is_changed_at_witness,
    three_classes,
    two_classes,
)
from sklearn.svm import SVC


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", [*SINGLE, *VOTES])
def test_two_classes_against_the_models_own_predict(name, norm):
    X, y = two_classes()
    model = fit((SINGLE | VOTES)[name], X, y)
    # LIBSVM sums over support vectors, here with large multipliers: it rounds more.
    result = check_both_sides(model, X, y, norm, slack=1e-7 if name == "NuSVC" else 1e-9)
    assert np.any(result.radius < 0)  # some points are wrong
    if name in SINGLE:
        dual = {"l1": "linf", "l2": "l2", "linf": "l1"}[norm]
        distance = np.abs(model.decision_function(X)) / length(np.ravel(model.coef_), dual)
        np.testing.assert_allclose(np.abs(result.radius), distance, rtol=1e-8)
    unlabelled = redoubt.certify(model, X, norm=norm)
    np.testing.assert_array_equal(unlabelled.radius, np.abs(result.radius))


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", [name for name in VOTES if name != "Search"])
def test_votes_against_every_cell(name, norm):
    """The planes are found by probing the members, not by reading them."""
    X, y = two_classes()
    X = X / X.std(axis=0)
    model = fit(VOTES[name], X, y)
    members = model.estimators_
    features = getattr(model, "estimators_features_", [np.arange(X.shape[1])] * len(members))
    unit = np.vstack([np.zeros(X.shape[1]), np.eye(X.shape[1])])
    values = [
        member.decision_function(unit[:, columns])
        for member, columns in zip(members, features, strict=True)
    ]
    intercept = np.array([value[0] for value in values])
    coef = np.array([value[1:] - value[0] for value in values])
    points = X[:4]
    result = redoubt.certify(model, points, norm=norm)
    for j, x in enumerate(points):
        first = model.predict(points)[j] == model.classes_[0]

        def is_wanted(signs, first=first):
            return signs.sum() > 0 if first else signs.sum() <= 0

        expected = cell_distance(coef, intercept, x, norm, is_wanted)
        np.testing.assert_allclose(result.radius[j], expected, rtol=1e-7)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", [name for name in MULTICLASS if name != "SVC"])
def test_more_classes_against_brute_force(name, norm):
    X, y = three_classes()
    model = fit(SINGLE[name], X, y)
    result = check_both_sides(model, X, y, norm)
    assert np.any(result.radius < 0)
    scores = X @ model.coef_.T + model.intercept_
    for j in [*range(6), *np.flatnonzero(result.radius < 0)[:4]]:
        right = result.radius[j] > 0
        c = model.classes_.tolist().index(y[j])
        rivals = [k for k in range(3) if k != c]
        G = model.coef_[c] - model.coef_[rivals]
        h = scores[j, rivals] - scores[j, c]
        if right:
            expected = min(
                polyhedron_distance(-G[i : i + 1], -h[i : i + 1], norm) for i in range(2)
            )
        else:
            expected = -polyhedron_distance(G, h, norm)
        np.testing.assert_allclose(result.radius[j], expected, rtol=1e-6)


@pytest.mark.parametrize("norm", NORMS)
def test_one_vs_one_svc_against_every_cell(norm):
    X, y = three_classes(n_features=2, seed=4)
    model = SVC(kernel="linear").fit(X, y)
    result = redoubt.certify(model, X, y, norm=norm)
    answers = model.predict(X)
    np.testing.assert_array_equal(result.radius > 0, answers == y)
    check_inside(model, X, y, result, answers)
    for j in [*range(6), *np.flatnonzero(result.radius < 0)]:
        c = model.classes_.tolist().index(y[j])
        wins = np.array([[1, 1, 0], [-1, 0, 1], [0, -1, -1]])  # of the planes 01, 02, 12

        def in_c(signs, c=c, wins=wins):
            return np.argmax(wins @ signs) == c

        right = result.radius[j] > 0
        expected = cell_distance(
            model.coef_,
            model.intercept_,
            X[j],
            norm,
            lambda signs, right=right: in_c(signs) != right,
        )
        expected *= 1 if right else -1
        assert result.status[j] == "optimal" or not right
        assert result.lower[j] - 1e-7 <= expected <= result.upper[j] + 1e-7
        if result.status[j] == "optimal":
            np.testing.assert_allclose(result.radius[j], expected, rtol=1e-6)
        else:
            assert result.status[j] == "bound"
    found = np.isfinite(result.witness).all(axis=1)
    assert found[result.radius > 0].all() and found.mean() > 0.9
    assert np.all(is_changed_at_witness(model, X, y, result)[found])
