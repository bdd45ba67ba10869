"""Randomised votes: the worst expected accuracy against every subset of the planes."""

from itertools import product

import numpy as np
import pytest
import redoubt
from attack_rules import make_points, make_rules, reachable_moves, size_of
from brute_force import polyhedron_distance
from sklearn_models import NORMS, fit, three_classes, three_members, two_classes
from redoubt._models.linear_model import read_model
from sklearn.ensemble import AdaBoostClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, LinearSVC


def least_accuracy(vote, x, label, radius, norm):
    """One minus the heaviest set of planes that a move of this size fools together."""
    weights = np.ones(vote.n_planes) if vote.weights is None else vote.weights
    margins = label * (vote.coef @ x + vote.intercept)
    most = 0.0
    for chosen in product([False, True], repeat=vote.n_planes):
        chosen = np.array(chosen)
        weight = weights[chosen].sum()
        if weight > most:
            cut = -label * vote.coef[chosen]
            if polyhedron_distance(cut, margins[chosen], norm) <= radius:
                most = weight
    return 1 - most / weights.sum()


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 0.7, 0.7, 3.1]], ids=["even", "weighted"])
def test_against_all_subsets(weights, norm):
    rng = np.random.default_rng(0)
    vote = redoubt.Ensemble(rng.normal(size=(5, 3)), rng.normal(size=5), weights)
    X, y = rng.normal(size=(6, 3)), np.resize([1, -1], 6)
    radii = [0.0, 0.2, 0.7, 2.0]
    scores = redoubt.worst_expected_accuracy(vote, X, y, radii, norm=norm)
    wanted = [
        [least_accuracy(vote, x, label, r, norm) for x, label in zip(X, y, strict=True)]
        for r in radii
    ]
    np.testing.assert_allclose(scores.accuracy, wanted, atol=1e-12)
    np.testing.assert_array_equal(scores.accuracy, scores.lower)
    np.testing.assert_allclose(scores.mean, np.mean(wanted, axis=1))
    np.testing.assert_array_equal(scores.mean, scores.mean_lower)
    halves = [np.mean(np.array(wanted)[:, y == label], axis=1) for label in (-1, 1)]
    np.testing.assert_allclose(scores.balanced, np.mean(halves, axis=0))
    second = redoubt.worst_expected_accuracy(vote, X, y, radii, norm=norm, solver="enumerate")
    np.testing.assert_array_equal(scores.accuracy, second.accuracy)
    assert scores.radii.tolist() == radii and scores.norm == norm
    assert scores.to_frame().columns[1] == "mean"


@pytest.mark.parametrize("seed", range(6))
def test_with_an_attack_model(seed):
    """Few reachable points: try them all."""
    rng = np.random.default_rng(seed)
    rules = make_rules(rng, 4, NORMS[seed % 3], finite=True)
    X, y = make_points(rng, 4, 4, rules), np.resize([1, -1], 4)
    weights = rng.choice([0.5, 1.0, 2.0], size=4)
    vote = redoubt.Ensemble(rng.normal(size=(4, 4)), rng.normal(size=4), weights)
    radii = [0.0, 1.0001, 2.5]
    scores = redoubt.worst_expected_accuracy(vote, X, y, radii, attack_model=rules)
    assert "attack model" in repr(scores)
    for j, (x, label) in enumerate(zip(X, y, strict=True)):
        moves = [(size_of(rules, move), x + move) for move in reachable_moves(rules, x)]
        for i, radius in enumerate(radii):
            places = np.array([place for size, place in moves if size <= radius])
            right = (vote.answers(places) == label) @ weights / weights.sum()
            np.testing.assert_allclose(scores.accuracy[i, j], right.min(), atol=1e-12)


def test_who_does_not_attack_stays():
    rules = redoubt.AttackModel("l2", attacking_class=1)
    vote = redoubt.Ensemble([[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0], [1.0, 3.0])
    X, y = [[0.1, -0.1], [0.1, -0.1]], [1, -1]
    scores = redoubt.worst_expected_accuracy(vote, X, y, [0.0, 5.0], attack_model=rules)
    assert scores.accuracy.tolist() == [[0.25, 0.75], [0.0, 0.75]]


@pytest.mark.parametrize(
    "model",
    [
        AdaBoostClassifier(LogisticRegression(C=0.1), n_estimators=4),
        VotingClassifier(three_members(), weights=[1, 2, 4]),
        redoubt.BaggedSVMClassifier(n_planes=5, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_models_of_either_class_order(model):
    """What scikit-learn answers zero with is the other class: its planes are turned round."""
    X, y = two_classes()
    model = fit(model, X, y)
    planes = read_model(model)
    form = planes.folded()
    vote = redoubt.Ensemble(form.planes.coef, form.planes.intercept, form.planes.units)
    signs = np.where(y == planes.classes[1], 1, -1)
    wanted = redoubt.worst_expected_accuracy(vote, X, signs, [0.0, 0.3])
    found = redoubt.worst_expected_accuracy(model, X, y, [0.0, 0.3])
    np.testing.assert_allclose(found.accuracy, wanted.accuracy, atol=1e-12)
    np.testing.assert_allclose(found.balanced, wanted.balanced)
    assert found.mean[0] > found.mean[1]


def test_one_plane_is_certified_accuracy():
    X, y = two_classes()
    model = fit(LinearSVC(random_state=0), X, y)
    curve = redoubt.attack_curve(redoubt.certify(model, X, y), y, [0.0, 0.3, 1.0])
    scores = redoubt.worst_expected_accuracy(model, X, y, [0.0, 0.3, 1.0])
    np.testing.assert_array_equal(scores.mean, curve.accuracy)
    np.testing.assert_allclose(scores.balanced, curve.balanced_accuracy)


def test_limits_leave_a_bound():
    rng = np.random.default_rng(3)
    vote = redoubt.Ensemble(rng.normal(size=(25, 8)), rng.normal(size=25), rng.uniform(1, 2, 25))
    X = rng.normal(size=(5, 8))
    y = vote.predict(X)
    short = redoubt.worst_expected_accuracy(vote, X, y, 0.5, max_nodes=1)
    full = redoubt.worst_expected_accuracy(vote, X, y, 0.5)
    assert np.all(short.lower <= full.accuracy) and np.all(full.accuracy <= short.accuracy)
    assert np.any(short.lower < short.accuracy)
    assert short.mean_lower[0] < short.mean[0]


def test_one_class_alone_is_balanced():
    vote = redoubt.Ensemble([[1.0, 0.0]], [0.0])
    scores = redoubt.worst_expected_accuracy(vote, [[1.0, 0.0]], [1], [0.5, 2.0])
    assert scores.balanced.tolist() == scores.mean.tolist() == [1.0, 0.0]


def test_what_is_no_vote_on_two_classes_is_named():
    X, y = three_classes()
    with pytest.raises(NotImplementedError, match="expected a model of two classes, got 3"):
        redoubt.worst_expected_accuracy(fit(LinearSVC(), X, y), X, y, 0.1)
    X, y = two_classes()
    mixed = VotingClassifier([("a", LinearSVC()), ("b", SVC(kernel="linear"))])
    with pytest.raises(NotImplementedError, match="planes that answer zero alike"):
        redoubt.worst_expected_accuracy(fit(mixed, X, y), X, y, 0.1)
    vote = redoubt.Ensemble([[1.0, 0.0]], [0.0])
    for radii in (-1.0, [np.nan], [0.1, np.inf]):
        with pytest.raises(redoubt.InvalidInput, match="radii: expected finite numbers >= 0"):
            redoubt.worst_expected_accuracy(vote, [[1.0, 2.0]], [1], radii)
    with pytest.raises(redoubt.InvalidInput, match=r"y: expected labels -1 and \+1, got 3"):
        redoubt.worst_expected_accuracy(vote, [[1.0, 2.0]], [3], 0.1)
