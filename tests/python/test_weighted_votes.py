"""Votes with weights: from arrays, from files and from scikit-learn."""

import json
import pickle

import numpy as np
import pytest
import redoubt
from brute_force import cell_distance
from sklearn_models import (
    NORMS,
    check_both_sides,
    fit,
    is_changed_at_witness,
    three_members,
    two_classes,
)
from redoubt._certificates.search import Search, certify_decision
from redoubt._models.linear_model import read_model
from redoubt._models.decision_rules import ArgMax, Planes
from redoubt.displays import BoundaryDisplay, GrowthDisplay
from redoubt.metrics import certified_accuracy_at
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from test_sklearn_ties import GRID, by_hand, check_ties
from test_model_file import FIELDS


def random_vote(seed, n_planes, n_features, weights):
    rng = np.random.default_rng(seed)
    vote = redoubt.Ensemble(
        rng.normal(size=(n_planes, n_features)), 0.3 * rng.normal(size=n_planes), weights
    )
    return vote, rng.normal(size=(6, n_features))


def repeated(vote):
    """The same vote with every plane as often as it weighs."""
    times = vote.weights.astype(int)
    return redoubt.Ensemble(np.repeat(vote.coef, times, axis=0), np.repeat(vote.intercept, times))


# --- the vote itself ----------------------------------------------------------------------------


def test_votes_weigh_the_answers():
    vote = redoubt.Ensemble(np.eye(3), np.zeros(3), [5, 1, 2.5])
    assert vote.weights.tolist() == [5.0, 1.0, 2.5] and vote.is_weighted
    X = [[1.0, -1.0, -1.0], [-1.0, 1.0, 1.0], [0.0, -1.0, 0.0]]
    assert vote.votes(X).tolist() == [1.5, -1.5, 6.5]
    assert vote.predict(np.array(X)).tolist() == [1, -1, 1]
    assert vote.answers(np.array(X)).tolist() == [[1, -1, -1], [-1, 1, 1], [1, -1, 1]]
    assert redoubt.Ensemble(np.eye(3), np.zeros(3)).weights is None


def test_ties_are_exact():
    vote = redoubt.Ensemble(np.eye(3), np.zeros(3), [0.1, 0.1, 0.2])
    assert vote.predict(np.array([[-1.0, -1.0, 1.0], [1.0, 1.0, -1.0]])).tolist() == [1, 1]
    vote = redoubt.Ensemble(np.eye(3), np.zeros(3), [1.0, 1.0 + 2**-51, 2.0 + 2**-50])
    assert vote.predict(np.array([[1.0, 1.0, -1.0]])).tolist() == [-1]


def test_pickle_and_repr():
    vote = redoubt.Ensemble([[1.0, 2.0]], [3.0], weights=[0.5])
    assert repr(vote) == "Ensemble(n_planes=1, n_features=2, weighted)"
    assert pickle.loads(pickle.dumps(vote)).weights.tolist() == [0.5]
    plain = pickle.loads(pickle.dumps(redoubt.Ensemble([[1.0, 2.0]], [3.0])))
    assert plain.weights is None and repr(plain) == "Ensemble(n_planes=1, n_features=2)"


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], r"weights: expected one number per plane \(2\), got shape \(1,\)"),
        ([], r"weights: expected one number per plane \(2\), got shape \(0,\)"),
        ([[1.0, 1.0]], r"weights: expected one number per plane \(2\)"),
        ([1.0, 0.0], "weights: expected numbers > 0, got 0"),
        ([1.0, -2.0], "weights: expected numbers > 0, got -2"),
        ([-1.0, -2.0], "weights: expected numbers > 0"),
        ([1.0, np.nan], "weights"),
        ([1.0, np.inf], "weights"),
        ([1.0, 1e-13], "weights: expected numbers of at least 2\\^-40 of the largest"),
    ],
)
def test_bad_weights_are_named(weights, message):
    with pytest.raises(redoubt.InvalidInput, match=message):
        redoubt.Ensemble(np.eye(2), np.zeros(2), weights)


# --- certificates -------------------------------------------------------------------------------


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("seed", range(4))
def test_against_cells_and_enumeration(seed, norm):
    rng = np.random.default_rng(seed)
    weights = rng.choice([0.5, 1.0, 1.7, 3.0], size=5)
    vote, X = random_vote(seed, 5, 2, weights)
    result = redoubt.certify(vote, X, norm=norm)
    second = redoubt.certify(vote, X, norm=norm, solver="enumerate")
    np.testing.assert_allclose(result.radius, second.radius, rtol=1e-9)
    for x, radius in zip(X, result.radius, strict=True):
        answer = vote.predict(x[None])[0]

        def flips(signs, answer=answer):
            return (signs @ weights < 0) == (answer > 0)

        wanted = cell_distance(vote.coef, vote.intercept, x, norm, flips)
        np.testing.assert_allclose(radius, wanted, rtol=1e-7)
    assert is_changed_at_witness(vote, X, vote.predict(X), result).all()


@pytest.mark.parametrize("norm", NORMS)
def test_integer_weights_are_repetitions(norm):
    vote, X = random_vote(8, 5, 3, [1, 3, 2, 1, 2])
    y = np.resize([1, -1], len(X))
    one, other = (redoubt.certify(each, X, y, norm=norm) for each in (vote, repeated(vote)))
    np.testing.assert_allclose(one.radius, other.radius, rtol=1e-9)
    np.testing.assert_array_equal(one.prediction, other.prediction)
    for radius in (0.1, 0.6):
        one, other = (
            redoubt.attack(each, X, y, radius, norm=norm) for each in (vote, repeated(vote))
        )
        np.testing.assert_allclose(one.objective, other.objective)
        np.testing.assert_array_equal(one.success, other.success)
        scores = [
            certified_accuracy_at(radius, norm)(each, X, y) for each in (vote, repeated(vote))
        ]
        assert scores[0] == scores[1]


def test_equal_weights_are_a_majority():
    vote, X = random_vote(3, 4, 3, [0.3] * 4)
    majority = redoubt.Ensemble(vote.coef, vote.intercept)
    one, other = redoubt.certify(vote, X), redoubt.certify(majority, X)
    np.testing.assert_array_equal(one.radius, other.radius)
    np.testing.assert_array_equal(one.prediction, other.prediction)
    attacks = [redoubt.attack(each, X, [1] * 6, 0.5) for each in (vote, majority)]
    np.testing.assert_allclose(attacks[0].objective, 0.3 * attacks[1].objective)
    np.testing.assert_allclose(attacks[0].bound, 0.3 * attacks[1].bound)


@pytest.mark.parametrize("adversary", ["exact", "relaxed", "heuristic"])
def test_attacks_weigh_what_they_fool(adversary):
    weights = np.array([0.4, 1.1, 2.0, 0.7])
    vote, X = random_vote(5, 4, 2, weights)
    y = vote.predict(X)
    result = redoubt.attack(vote, X, y, 0.8, adversary=adversary)
    after = vote.answers(X + result.perturbation) != y[:, None]
    assert [np.flatnonzero(row).tolist() for row in after] == result.fooled
    np.testing.assert_array_equal(result.success, vote.predict(X + result.perturbation) != y)
    if adversary != "relaxed":
        np.testing.assert_allclose(result.objective, after @ weights)


def test_several_classes_by_weighted_votes():
    """Class by class the same as repeated planes; radii of wrong answers are brackets."""
    rng = np.random.default_rng(0)
    planes, copies = [], []
    for weights in ([1, 2, 2], [3, 1, 1], [2, 1, 2]):
        coef, intercept = rng.normal(size=(3, 2)), rng.normal(size=3)
        planes.append(Planes.make(coef, intercept, True, weights))
        repeats = np.repeat(coef, weights, axis=0), np.repeat(intercept, weights)
        copies.append(Planes.make(*repeats, True))
    X = rng.normal(size=(15, 2))
    one, other = ArgMax(planes, by_votes=True), ArgMax(copies, by_votes=True)
    np.testing.assert_array_equal(one.answers(X), other.answers(X))
    assert len(set(one.answers(X))) == 3
    for labels in (None, np.resize([0, 1, 2], 15)):
        found, wanted = (certify_decision(each, X, labels, Search("l2")) for each in (one, other))
        right = wanted.radius > 0
        np.testing.assert_allclose(found.radius[right], wanted.radius[right], rtol=1e-9)
        assert np.all(found.lower <= wanted.upper + 1e-9)
        assert np.all(wanted.lower <= found.upper + 1e-9)


def test_with_an_attack_model():
    vote, X = random_vote(6, 5, 3, [1.0, 2.5, 1.0, 0.5, 1.0])
    rules = redoubt.AttackModel("l2", frozen=[1], increase_only=[2])
    result = redoubt.certify(vote, X, attack_model=rules)
    free = redoubt.certify(vote, X)
    assert np.all(result.radius >= free.radius * (1 - 1e-9))
    found = np.isfinite(result.witness).all(axis=1)
    assert found.any() and not np.any(result.witness[found][:, 1])
    assert np.all(result.witness[found][:, 2] >= 0)


# --- files --------------------------------------------------------------------------------------


def weighted_file(tmp_path, weights):
    path = tmp_path / "model.json"
    path.write_text(json.dumps(FIELDS | {"format_version": 2, "weights": weights}))
    return path


def test_model_files_keep_weights(tmp_path):
    path = weighted_file(tmp_path, [1.0, 0.1, 3.5])
    model = redoubt.load_model(path)
    assert model.ensemble.weights.tolist() == [1.0, 0.1, 3.5]
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2)) * [2.0, 0.5] + [1.0, -2.0]
    answers = model.ensemble.predict(model.transform(X))
    assert model.predict(X).tolist() == np.array(model.classes)[(answers > 0).astype(int)].tolist()
    check_both_sides(model, X, np.resize(["low", "high"], 20), "l2")
    model.save(tmp_path / "one.json")
    again = redoubt.load_model(tmp_path / "one.json")
    again.save(tmp_path / "two.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    assert again.ensemble.weights.tobytes() == model.ensemble.weights.tobytes()


# --- scikit-learn -------------------------------------------------------------------------------

BOOSTED = {
    "Voting": VotingClassifier(three_members(), weights=[1, 1, 3]),
    "Voting with real weights": VotingClassifier(
        [*three_members(), ("d", LogisticRegression(C=0.01))], weights=[0.91, 0.4, 0.83, 0.7]
    ),
    "Voting without one": VotingClassifier(three_members(), weights=[2, 0, 1]),
    "AdaBoost of planes": AdaBoostClassifier(LogisticRegression(C=0.1), n_estimators=5),
    "AdaBoost of stumps": AdaBoostClassifier(n_estimators=9, random_state=0),
    "stump": DecisionTreeClassifier(max_depth=1),
    "scaled AdaBoost": make_pipeline(StandardScaler(), AdaBoostClassifier(n_estimators=7)),
}


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", BOOSTED)
def test_both_sides_of_models_of_scikit_learn(name, norm):
    X, y = two_classes()
    check_both_sides(fit(BOOSTED[name], X, y), X, y, norm, slack=1e-6)


def test_stumps_round_to_single_precision():
    """At the very threshold, and at the doubles next to where single precision changes its mind."""
    rng = np.random.default_rng(0)
    for seed in range(40):
        x = np.float32(rng.normal(size=(8, 1)) * 10.0 ** rng.integers(-3, 4)).astype(float)
        for y in (x[:, 0] > np.median(x), x[:, 0] <= np.median(x)):
            model = DecisionTreeClassifier(max_depth=1, random_state=seed).fit(x, y)
            threshold = model.tree_.threshold[0]
            near = [threshold, np.float32(threshold)]
            for step in (np.float32(-np.inf), np.float32(np.inf)):
                next_one = np.nextafter(np.float32(threshold), step)
                middle = (np.float64(np.float32(threshold)) + np.float64(next_one)) / 2
                near += [next_one, *np.nextafter(middle, [-np.inf, np.inf]), middle]
            near = np.array(near, dtype=float)[:, None]
            result = redoubt.certify(model, near)
            np.testing.assert_array_equal(result.prediction, model.predict(near))
            assert "rounding" not in result.status


@pytest.mark.parametrize("weights", [[1, 1, 2], [1, 2, 3], [0.3, 0.3, 0.7], [1.5, 0.5, 1.0]])
@pytest.mark.parametrize("members", ["linear", "svc", "mixed"])
def test_ties_go_to_the_first_class(members, weights):
    """Planes of integers on a grid: ties of planes and, for some weights, of votes."""
    kinds = {"linear": [LinearSVC()] * 3, "svc": [SVC(kernel="linear")] * 3}
    kinds["mixed"] = [LinearSVC(), SVC(kernel="linear"), LinearSVC()]
    X, y = GRID, np.resize(["a", "b"], len(GRID))
    names = [(str(number), kind) for number, kind in enumerate(kinds[members])]
    model = fit(VotingClassifier(names, weights=weights), X, y)
    for number, (w, b) in enumerate([([1, 0], 0), ([0, 1], -1), ([1, 1], 0)]):
        model.estimators_[number] = with_plane(kinds[members][number], np.array(w, float), b)
    check_ties(model)


def with_plane(kind, w, b):
    """Fitted so that its plane is w'x + b = 0, up to a factor for an SVC."""
    if isinstance(kind, SVC):  # halfway between two support vectors
        return clone(kind).set_params(C=100).fit(np.vstack([w, -w]) - b * w / (w @ w), [1, 0])
    return by_hand(kind, w, b, classes=(0, 1))


def test_wide_weights_that_tie():
    """Full doubles in equal pairs, broken by a plane of one unit, 2^-52 of theirs."""
    coef, intercept = [[1, 0], [0, 1], [1, 1], [1, -1]], [0, 0.5, -0.25, 0.75]
    weights = [0.91, 0.87, 0.91, 0.87]
    members = [(str(number), SVC(kernel="linear")) for number in range(4)]
    X, y = two_classes(n_features=2)
    model = fit(VotingClassifier(members, weights=weights), X, y)
    form = read_model(model).decision
    assert form.planes.weights.max() > 2**45 and not form.tie and form.planes.tie.all()
    form = type(form)(Planes.make(coef, intercept, True, form.planes.weights), False, form.unit)
    rng = np.random.default_rng(0)
    points = rng.normal(size=(30, 2))
    search = Search("l2")
    flips = certify_decision(form, points, None, search)
    np.testing.assert_array_equal(flips.answer, form.answers(points))
    signs = np.sign(points @ np.transpose(coef) + intercept)
    ties = np.isclose(signs @ weights, 0)
    assert ties.any() and not flips.answer[ties].any()
    for x, answer, radius in zip(points, flips.answer, flips.radius, strict=True):

        def flips_it(signs, answer=answer):
            total = round(float(signs @ weights), 9)
            return (total > 0) != (answer > 0)

        wanted = cell_distance(np.array(coef, float), np.array(intercept), x, "l2", flips_it)
        np.testing.assert_allclose(radius, wanted, rtol=1e-7)


@pytest.mark.parametrize(
    ("weights", "message"),
    [([1, -1, 2], "needs finite weights >= 0 .*, got -1"), ([0, 0, 0], "got none that is not 0")],
)
def test_weights_that_make_no_vote_are_refused(weights, message):
    X, y = two_classes()
    with pytest.raises(ValueError, match=message):
        redoubt.certify(fit(VotingClassifier(three_members(), weights=weights), X, y), X)


# --- displays and graphs ------------------------------------------------------------------------


def test_displays_weigh_votes():
    vote, X = random_vote(2, 3, 2, [1.0, 5.0, 1.0])
    y = np.resize([1, -1], len(X))
    display = BoundaryDisplay.from_estimator(vote, X, y, grid_resolution=21)
    points = np.column_stack([display.xx0.ravel(), display.xx1.ravel()])
    share = (1 + vote.votes(points) / 7.0) / 2
    np.testing.assert_allclose(display.response.ravel(), share)
    decides = redoubt.displays._plane_geometry.votes(read_model(vote).decision, points)[1][0]
    np.testing.assert_array_equal(decides > 0, vote.predict(points) > 0)
    growth = GrowthDisplay.from_estimator(vote, X, y, n_planes=[2, 3], attack_radii=[0.0])
    first = redoubt.Ensemble(vote.coef[:2], vote.intercept[:2], vote.weights[:2])
    wanted = [np.mean(each.predict(X) == y) for each in (first, vote)]
    assert growth.accuracy.ravel().tolist() == wanted


def test_graphs_weigh_votes():
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    vote, _ = random_vote(4, 5, 3, [0.3, 1.2, 0.7, 0.3, 0.5])
    X = np.random.default_rng(1).normal(size=(200, 3))
    session = runtime.InferenceSession(redoubt.to_onnx(vote).SerializeToString())
    label, votes = session.run(["label", "votes"], {"X": X})
    np.testing.assert_array_equal(label, vote.predict(X))
    np.testing.assert_allclose(votes * vote.weight_unit, vote.votes(X), rtol=1e-12)
