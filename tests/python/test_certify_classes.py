"""Certificates of an arg-max over votes, and the package's own models, against every cell."""

import numpy as np
import pytest
import redoubt
from brute_force import cell_distance, inner_moves, length, polyhedron_distance
from redoubt import LinearSVMClassifier, RobustSVMClassifier, _core
from redoubt._certificates.reporting import report
from redoubt._certificates.search import Search, certify_decision
from redoubt._models.decision_rules import ArgMax, Planes
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

NORMS = ["l1", "l2", "linf"]


def certify_votes(
    planes_per_class, X, labels=None, target=None, *, norm="l2", by_votes=True, **options
):
    """Certificates of "the class of most votes, or of the greatest value; ties: smaller index"."""
    planes = [Planes.make(coef, b, True) for coef, b in planes_per_class]
    search = Search(norm, **options)
    decision = ArgMax(planes, by_votes=by_votes)
    flips = certify_decision(decision, X, labels, search, target=target)
    return report(flips, labels, search, "raw", np.arange(len(planes)))


def random_classes(n_classes, n_planes, n_features, seed):
    rng = np.random.default_rng(seed)
    return [
        (rng.normal(size=(n_planes, n_features)), rng.normal(size=n_planes))
        for _ in range(n_classes)
    ]


def integer_classes(seed):
    rng = np.random.default_rng(seed)
    return [
        (rng.integers(-1, 2, size=(2, 2)).astype(float), rng.integers(-1, 2, size=2).astype(float))
        for _ in range(3)
    ]


def winner(planes, X):
    """By the definition: most votes, then the smaller index."""
    votes = [np.where(X @ coef.T + b >= 0, 1, -1).sum(axis=1) for coef, b in planes]
    return np.argmax(votes, axis=0)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("seed", range(4))
def test_votes_per_class_against_every_cell(norm, seed):
    n_classes, n_planes = [(3, 2), (2, 3), (3, 2), (4, 1)][seed]
    planes = random_classes(n_classes, n_planes, 2, seed)
    rng = np.random.default_rng(seed + 50)
    X = rng.normal(size=(5, 2)) * 2
    answers = winner(planes, X)
    labels = np.where(np.arange(5) < 3, answers, (answers + 1) % n_classes)
    result = certify_votes(planes, X, labels, norm=norm)
    np.testing.assert_array_equal(result.prediction, answers)
    coef = np.vstack([w for w, _ in planes])
    intercept = np.concatenate([b for _, b in planes])
    for j, x in enumerate(X):
        right = labels[j] == answers[j]

        def is_wanted(signs, label=labels[j], right=right):
            scores = signs.reshape(n_classes, n_planes).sum(axis=1)
            return (np.argmax(scores) == label) != right

        expected = cell_distance(coef, intercept, x, norm, is_wanted) * (1 if right else -1)
        assert result.status[j] == "optimal"
        np.testing.assert_allclose(result.radius[j], expected, rtol=1e-6)
        slack = 1e-7 * (0 if np.isinf(expected) else abs(expected))
        assert result.lower[j] - slack <= expected <= result.upper[j] + slack
        if np.isfinite(result.witness[j]).all():
            after = winner(planes, x[None] + result.witness[j])[0]
            assert (after != answers[j]) if right else (after == labels[j])
            assert result.nearest[j] == after


@pytest.mark.slow
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize(("n_classes", "n_planes"), [(3, 1), (4, 1), (5, 1), (3, 3), (5, 2)])
def test_targets_against_every_cell(norm, n_classes, n_planes):
    """Of every class, by values and by votes; the least of them is the radius of the answer."""
    by_votes = n_planes > 1
    planes = random_classes(n_classes, n_planes, 2, seed=n_classes)
    coef, intercept = np.vstack([w for w, _ in planes]), np.concatenate([b for _, b in planes])
    X = np.random.default_rng(n_planes).normal(size=(3, 2))
    radius = certify_votes(planes, X, norm=norm, by_votes=by_votes).radius
    found = [
        certify_votes(planes, X, target=np.full(3, c), norm=norm, by_votes=by_votes)
        for c in range(n_classes)
    ]
    for j, x in enumerate(X):
        answer = found[0].prediction[j]
        for c, one in enumerate(found):
            if c == answer:
                assert (one.lower[j], one.upper[j], one.nearest[j]) == (0.0, 0.0, c)
                assert not one.witness[j].any()
                continue
            if by_votes:

                def is_wanted(signs, c=c):
                    return np.argmax(signs.reshape(n_classes, n_planes).sum(axis=1)) == c

                expected = cell_distance(coef, intercept, x, norm, is_wanted)
            else:
                rivals = np.delete(np.arange(n_classes), c)
                scores = coef @ x + intercept
                G, h = coef[c] - coef[rivals], scores[rivals] - scores[c]
                expected = polyhedron_distance(G, h, norm)
            np.testing.assert_allclose(one.radius[j], expected, rtol=1e-6)
            assert one.nearest[j] == (c if np.isfinite(expected) else None)
        others = [one.radius[j] for c, one in enumerate(found) if c != answer]
        np.testing.assert_allclose(radius[j], min(others), rtol=1e-9)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("seed", range(8))
def test_ties_of_votes_per_class(norm, seed):
    """Integers: points on planes, equal planes in two classes, opposite planes."""
    planes = integer_classes(seed)
    X = np.array([[a, b] for a in range(-2, 3) for b in range(-2, 3)], dtype=float)
    answers = winner(planes, X)
    result = certify_votes(planes, X, norm=norm)
    np.testing.assert_array_equal(result.prediction, answers)
    moves = inner_moves(np.random.default_rng(seed), 60, 2, norm)
    inside = np.minimum(result.lower, 1e6) * (1 - 1e-9)
    for move in moves:
        np.testing.assert_array_equal(winner(planes, X + inside[:, None] * move), answers)
    known = np.isfinite(result.witness).all(axis=1)
    assert np.all(winner(planes, X[known] + result.witness[known]) != answers[known])
    # Rounded up, so nearly the length of the witness.
    reach = length(result.witness[known], norm)
    np.testing.assert_allclose(result.upper[known], reach, rtol=1e-9, atol=1e-12)
    unknown = result.status[~known & np.isfinite(result.lower)]
    assert set(unknown) <= {"numerical failure"}
    # A whole grid of other places: none is nearer than the proven distance.
    other = np.random.default_rng(seed).uniform(-4, 4, size=(4000, 2))
    classes = winner(planes, other)
    for x, lower, answer in zip(X, result.lower, answers, strict=True):
        nearest = length(other[classes != answer] - x, norm).min(initial=np.inf)
        assert nearest >= lower


class OneVsRest(ClassifierMixin, BaseEstimator):
    """Made as the package's own estimators for several classes are."""

    __module__ = "redoubt.testing"

    def __init__(self, planes=None):
        self.planes = planes

    def fit(self, X, y):
        self.classes_, self.n_features_in_ = np.unique(y), np.shape(X)[1]
        return self

    def _planes_per_class(self):
        return self.planes

    def predict(self, X):
        return self.classes_[winner(self.planes, np.asarray(X))]


def test_estimators_of_this_package():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=40) > 0, "up", "down")
    for model in (LinearSVMClassifier(), RobustSVMClassifier(radius=0.1)):
        model.fit(X, y)
        result = redoubt.certify(model, X, y)
        signs = np.where(y == "up", 1.0, -1.0)
        direct = _core.certify(_core.Ensemble(model.coef_, model.intercept_), X, signs)
        for name in ("radius", "lower", "upper", "witness", "n_nodes"):
            np.testing.assert_array_equal(getattr(result, name), getattr(direct, name))
        assert (result.fooled, result.status.tolist()) == (direct.fooled, direct.status)
        np.testing.assert_array_equal(result.prediction, model.predict(X))
        with pytest.raises(ValueError, match="X has 2 features, but .* is expecting 3 features"):
            redoubt.certify(model, X[:, :2])
        pipeline = make_pipeline(StandardScaler(), model).fit(X, y)
        scaled = redoubt.certify(pipeline, X, y, units="scaled")
        inner = redoubt.certify(pipeline[-1], pipeline[0].transform(X), y)
        np.testing.assert_array_equal(scaled.radius, inner.radius)


def test_estimators_of_several_classes_are_asked_for_their_planes():
    planes = random_classes(3, 3, 2, seed=3)
    X = np.random.default_rng(0).normal(size=(20, 2))
    model = OneVsRest(planes).fit(X, np.resize(["a", "b", "c"], 20))
    y = model.predict(X)
    result = redoubt.certify(model, X, y, norm="linf")
    direct = certify_votes(planes, X, norm="linf")
    np.testing.assert_array_equal(result.radius, direct.radius)
    np.testing.assert_array_equal(result.prediction, y)


@pytest.mark.parametrize("norm", NORMS)
def test_python_and_the_library_give_the_same_bits(norm):
    rng = np.random.default_rng(5)
    vote = redoubt.Ensemble(rng.normal(size=(8, 3)), rng.normal(size=8))
    X, y = rng.normal(size=(60, 3)), rng.choice([-1.0, 1.0], size=60)
    for labels in (None, y):
        result = redoubt.certify(vote, X, labels, norm=norm)
        direct = _core.certify(vote, X, labels, norm=norm)
        for name in ("radius", "lower", "upper", "witness", "n_nodes"):
            np.testing.assert_array_equal(getattr(result, name), getattr(direct, name))
        assert result.fooled == direct.fooled
    radii = np.append(np.linspace(0, 2, 7), np.abs(result.lower))  # ties of R and r included
    curve = redoubt.attack_curve(result, y, radii)
    direct = _core.attack_curve(result.lower, result.upper, y, radii)
    for name in ("accuracy", "balanced_accuracy", "undecided", "balanced_undecided"):
        np.testing.assert_array_equal(getattr(curve, name), getattr(direct, name))
    assert curve.constant_accuracy == direct.constant_accuracy
    attacks = redoubt.attack(vote, X, y, 0.5, norm=norm)
    direct = _core.attack(vote, X, y, np.array([0.5]), norm=norm)
    for name in ("perturbation", "objective", "bound", "success"):
        np.testing.assert_array_equal(getattr(attacks, name), getattr(direct, name))


def test_a_time_limit_is_shared_by_all_searches():
    planes = random_classes(3, 15, 6, seed=1)
    X = np.random.default_rng(0).normal(size=(20, 6))
    cut = certify_votes(planes, X, max_seconds=0.0)
    full = certify_votes(planes, X[:3], max_nodes=3)
    assert set(cut.status) == {"time limit"}
    assert np.all(cut.lower <= cut.upper)
    assert set(full.status) <= {"node limit", "optimal"}
