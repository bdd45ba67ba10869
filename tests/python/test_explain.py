"""Explanations: every change that is named can be tried."""

import json

import numpy as np
import pandas as pd
import pytest
import redoubt
from attack_rules import check_move, make_points, make_rules, size_of
from sklearn_models import NORMS, fit, three_classes, three_members, two_classes
from redoubt import AttackModel
from sklearn.ensemble import AdaBoostClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC
from test_sklearn_ties import by_hand
from test_model_file import FIELDS


def random_vote(rng, n_features, weighted):
    weights = rng.choice([0.5, 1.0, 2.0, 0.7], size=5) if weighted else None
    coef = rng.normal(size=(5, n_features)) * (rng.random((5, n_features)) < 0.8)
    return redoubt.Ensemble(coef, 0.3 * rng.normal(size=5), weights)


def check_singles(predict, explanation, frozen=(), slack=None):
    """Nothing changes before the end of a single change, and the answer does at the end.

    Up to the last double before it, or up to `slack` for models that round.
    """
    x, answer = explanation.row, explanation.answer
    for l, single in enumerate(explanation.singles):
        assert single.before == x[l]
        for to, size in ((single.up_to, single.up_size), (single.down_to, single.down_size)):
            is_up = to > single.before
            rows = np.repeat(x[None], 12, axis=0)
            if np.isfinite(to):
                assert l not in frozen and np.isfinite(size)
                step = to - x[l]
                last = np.nextafter(to, x[l]) if slack is None else x[l] + step * (1 - slack)
                rows[:, l] = np.linspace(x[l], last, 12)
                assert np.all(predict(rows) == answer)
                rows[:, l] = to if slack is None else x[l] + step * (1 + slack)
                assert np.all(predict(rows) != answer)
            elif l not in frozen:
                assert size == np.inf
                rows[:, l] = x[l] + (1 if is_up else -1) * np.geomspace(1e-3, 1e9, 12)
                assert np.all(predict(rows) == answer)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("seed", range(6))
def test_votes(seed, norm):
    rng = np.random.default_rng(seed)
    vote = random_vote(rng, 3, seed % 2)
    X = rng.normal(size=(5, 3))
    certificates = redoubt.certify(vote, X, norm=norm)
    for j, result in enumerate(redoubt.explain(vote, X, norm=norm)):
        assert result.answer == vote.predict(X[j][None])[0]
        np.testing.assert_allclose(result.radius, certificates.radius[j], rtol=1e-9)
        assert result.lower <= result.radius <= result.upper and result.status == "optimal"
        check_singles(vote.predict, result)
        assert min(single.size for single in result.singles) >= result.lower * (1 - 1e-9)
        if np.isinf(result.radius):
            continue
        assert result.is_changed and vote.predict(result.moved[None])[0] != result.answer
        sizes = np.abs(result.moved - X[j])
        assert {move.feature for move in result.attack} == {
            f"feature {l}" for l in np.flatnonzero(sizes)
        }
        order = {"l1": 1, "l2": 2, "linf": np.inf}[norm]
        whole = np.linalg.norm([move.size for move in result.attack], ord=order)
        np.testing.assert_allclose(whole, result.radius, rtol=1e-6)
        shares = [move.share for move in result.attack]
        assert shares == sorted(shares, reverse=True)
        np.testing.assert_allclose(max(shares) if norm == "linf" else sum(shares), 1.0)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("seed", range(8))
def test_rules_are_kept(seed, norm):
    rng = np.random.default_rng(seed)
    rules = make_rules(rng, 6, norm)
    X = make_points(rng, 4, 6, rules)
    vote = random_vote(rng, 6, seed % 2)
    certificates = redoubt.certify(vote, X, attack_model=rules)
    grouped = {l for features, _ in rules.one_hot for l in features}
    for j, result in enumerate(redoubt.explain(vote, X, attack_model=rules)):
        np.testing.assert_allclose(result.radius, certificates.radius[j], rtol=1e-9)
        if np.isfinite(result.radius):
            still = result.moved == X[j]
            assert still[list(rules.frozen)].all(), "a frozen feature moved by a bit"
            check_move(rules, X[j], result.moved - X[j])
            size = size_of(rules, np.where(still, 0.0, result.moved - X[j]))
            np.testing.assert_allclose(size, result.radius, rtol=1e-6)
        else:
            assert not result.attack and np.isnan(result.moved).all() and not result.is_changed
            assert result.sentence.endswith("whatever the adversary does")
        for l, single in enumerate(result.singles):
            if l in rules.frozen:
                assert np.isinf([single.up_to, single.down_to, single.size]).all()
            elif l in grouped:
                check_switch(vote, result, single)
            else:
                check_allowed_single(vote, rules, result, l)


def check_switch(vote, result, single):
    if single.partner is None:
        assert single.size == np.inf
        return
    moved = result.row.copy()
    names = [each.feature for each in result.singles]
    on, off = (single.feature, single.partner)[:: 1 if single.goes_on else -1]
    moved[names.index(on)], moved[names.index(off)] = 1.0, 0.0
    assert result.row[names.index(off)] == 1.0
    assert vote.predict(moved[None])[0] != result.answer


def check_allowed_single(vote, rules, result, l):
    """Ends keep the rules, and the allowed values before them keep the answer."""
    single, x = result.singles[l], result.row
    low, high = (rules.bounds or {}).get(l, (None, None))
    for to, barred, end in (
        (single.up_to, l in rules.decrease_only, high),
        (single.down_to, l in rules.increase_only, low),
    ):
        is_up = to > x[l]
        if barred:
            assert np.isinf(to)
            continue
        if np.isfinite(to):
            moved = x.copy()
            moved[l] = to
            check_move(rules, x, moved - x)
            assert vote.predict(moved[None])[0] != result.answer
            last = to - (1 if is_up else -1) if l in rules.integer else np.nextafter(to, x[l])
        else:
            last = (1e6 if is_up else -1e6) if end is None else end
        values = np.linspace(x[l], last, 30)
        if l in rules.integer:
            values = np.round(values)
        rows = np.repeat(x[None], 30, axis=0)
        rows[:, l] = values
        assert np.all(vote.predict(rows) == result.answer)


def test_model_files_are_explained_to_the_bit(tmp_path):
    path = tmp_path / "model.json"
    path.write_text(json.dumps(FIELDS | {"format_version": 2, "weights": [1.0, 0.4, 0.9]}))
    model = redoubt.load_model(path)
    X = np.random.default_rng(0).normal(size=(20, 2)) * [2.0, 0.5] + [1.0, -2.0]
    for units in ("raw", "scaled"):
        certificates = redoubt.certify(model, X, units=units, norm="l1")
        for j, result in enumerate(redoubt.explain(model, X, units=units, norm="l1")):
            assert result.units == units and result.answer == model.predict(X[j][None])[0]
            np.testing.assert_allclose(result.radius, certificates.radius[j], rtol=1e-9)
            check_singles(model.predict, result)
            assert result.is_changed and model.predict(result.moved[None])[0] != result.answer
            assert [single.feature for single in result.singles] == ["height", "width"]
            assert result.sentence.startswith(f"stays '{result.answer}' unless ")


MODELS = {
    "LogisticRegression": LogisticRegression(),
    "SVC": SVC(kernel="linear"),
    "standard": make_pipeline(StandardScaler(), LinearSVC(random_state=0)),
    "min max": make_pipeline(MinMaxScaler((-1, 2)), redoubt.RobustSVMClassifier(radius=0.1)),
    "AdaBoost": AdaBoostClassifier(LogisticRegression(C=0.1), n_estimators=5),
    "Voting": VotingClassifier(three_members(), weights=[1, 1, 2]),
    "Voting of SVC": VotingClassifier(
        [(str(C), SVC(kernel="linear", C=C)) for C in (0.01, 0.1, 1.0, 10.0)]
    ),
    "Bagged": redoubt.BaggedSVMClassifier(n_planes=5, random_state=0),
}


@pytest.mark.parametrize("name", MODELS)
def test_fitted_models(name):
    X, y = two_classes()
    frame = pd.DataFrame(X, columns=["age", "height", "weight"])
    model = fit(MODELS[name], frame, y)
    rules = AttackModel("l1", frozen=["age"], scale={"height": 2.0})
    certificates = redoubt.certify(model, frame, attack_model=rules)

    def predict(rows):
        return model.predict(pd.DataFrame(rows, columns=frame.columns))

    for j, result in enumerate(redoubt.explain(model, frame, attack_model=rules)):
        assert result.answer == certificates.prediction[j] and result.attack_model is rules
        np.testing.assert_allclose(result.radius, certificates.radius[j], rtol=1e-6)
        assert result.is_changed and predict(result.moved[None])[0] != result.answer
        assert result.moved[0] == X[j, 0]
        assert {move.feature for move in result.attack} <= {"height", "weight"}
        for move in result.attack:
            l = list(frame.columns).index(move.feature)
            assert (move.before, move.after) == (X[j, l], result.moved[l])
        slack = None if name == "Bagged" else 1e-9
        check_singles(predict, result, frozen=[0], slack=slack)


def test_rows_names_and_words():
    X, y = two_classes()
    frame = pd.DataFrame(X, columns=["age", "height", "weight"])
    model = redoubt.LinearSVMClassifier().fit(frame, y)
    several = redoubt.explain(model, frame.iloc[:2])
    assert isinstance(several, list) and len(several) == 2
    one = redoubt.explain(model, frame.iloc[0])
    assert one.sentence == several[0].sentence and repr(one) == f"<Explanation: {one.sentence}>"
    where = "within the ranges of the training data, "
    assert one.sentence.startswith(f"{where}stays '{y[0]}' unless ")
    assert [single.feature for single in one.singles] == ["age", "height", "weight"]
    table = one.to_frame()
    assert table.index.tolist() == ["age", "height", "weight"]
    assert table.attack_share.sum() == pytest.approx(1.0)
    text = str(one)
    assert text.startswith(one.sentence) and "The cheapest attack, l2 size" in text
    assert "One feature alone, the cheapest first:\n  feature" in text
    named = redoubt.explain(model, frame, feature_names=["a", "b", "c"], n_named=0)[0]
    assert [single.feature for single in named.singles] == ["a", "b", "c"]
    assert " has l2 size " in named.sentence and "rises" not in named.sentence
    rules = AttackModel(frozen=["a", "b", "c"])
    still = redoubt.explain(model, frame, feature_names=["a", "b", "c"], attack_model=rules)[0]
    assert still.radius == np.inf and "One feature alone" not in str(still)


def test_the_class_that_does_not_attack():
    """Of scikit-learn the planes are turned round, and the attacking class with them."""
    X, y = two_classes()
    model = LogisticRegression().fit(X, y)
    for attacking in model.classes_:
        rules = AttackModel("l2", attacking_class=attacking)
        for result in redoubt.explain(model, X, attack_model=rules):
            assert np.isfinite(result.radius) == (result.answer == attacking)
            assert (result.singles[0].size < np.inf) == (result.answer == attacking)


def test_rounding_is_admitted():
    model = by_hand(LinearSVC(), [1, 1], -1)
    on_plane, beside = redoubt.explain(model, [[1.0, 2.0**-60], [1.0, 2.0**-50]])
    assert on_plane.status == "rounding" and on_plane.radius == 0 and on_plane.singles == []
    assert on_plane.sentence == "is 'a' within rounding of another answer"
    assert on_plane.to_frame().empty and str(on_plane) == on_plane.sentence
    assert beside.status == "optimal" and beside.is_changed


def test_limits():
    rng = np.random.default_rng(0)
    vote = redoubt.Ensemble(rng.normal(size=(31, 8)), rng.normal(size=31))
    result = redoubt.explain(vote, rng.normal(size=8), max_nodes=1)
    assert result.status == "node limit" and result.lower < result.upper


def test_the_rules_of_an_estimator_behind_a_scaler():
    """They are about scaled features; what is said is about those of the table."""
    X, y = two_classes()
    X = X * [1.0, 10.0, 0.1] + [0.0, 5.0, 0.0]
    inner = AttackModel("l1", frozen=[1], scale={2: 0.5}, bounds={0: (-30, 30)})
    model = make_pipeline(StandardScaler(), redoubt.RobustSVMClassifier(attack_model=inner))
    scaler = model.fit(X, y)[0]
    outer = AttackModel(
        "l1",
        frozen=[1],
        scale={0: scaler.scale_[0], 2: 0.5 * scaler.scale_[2]},
        bounds={0: tuple(scaler.mean_[0] + scaler.scale_[0] * np.array([-30, 30]))},
    )
    for own, wanted in zip(
        redoubt.explain(model, X[:5]), redoubt.explain(model, X[:5], attack_model=outer), strict=True
    ):
        assert own.sentence == wanted.sentence
        assert own.radius == pytest.approx(wanted.radius, rel=1e-9)
        np.testing.assert_allclose(own.moved, wanted.moved, rtol=1e-9)
    assert own.attack_model == inner
    assert redoubt.explain(model[-1], X[0]).norm == "l1"


def test_one_of_several_classes():
    X, y = three_classes()
    model = fit(LinearSVC(), X, y)
    for row, told in zip(X[:6], redoubt.explain(model, X[:6]), strict=True):
        assert told.is_changed and model.predict(told.moved[None])[0] == told.nearest != told.answer
        for single in told.singles:
            for end in (single.up_to, single.down_to):
                if np.isfinite(end):
                    there = row.copy()
                    there[int(single.feature.split()[-1])] = end + 1e-9 * (end - single.before)
                    assert model.predict(there[None])[0] != told.answer


def test_what_is_not_explained_is_named():
    X, y = two_classes()
    mixed = VotingClassifier([("a", LinearSVC()), ("b", SVC(kernel="linear"))])
    with pytest.raises(NotImplementedError, match="planes that answer zero alike"):
        redoubt.explain(fit(mixed, X, y), X)
    vote = redoubt.Ensemble([[1.0, 0.0]], [0.0])
    for change, message in (
        ({"feature_names": ["a"]}, "feature_names: expected 2 names, got 1"),
        ({"n_named": -1}, "n_named: expected an integer >= 0"),
        ({"norm": "l3"}, "norm: expected"),
        ({"units": "miles"}, "units: expected 'raw' or 'scaled'"),
        (
            {"attack_model": AttackModel(bounds=(5, 9))},
            "X: expected values within the attack model's",
        ),
        ({"attack_model": AttackModel(frozen=["age"])}, "the features have no names, found 'age'"),
    ):
        with pytest.raises(ValueError, match=message):
            redoubt.explain(vote, [1.0, 2.0], **change)
    with pytest.raises(ValueError, match="NaN"):
        redoubt.explain(vote, [1.0, np.nan])


def test_explanations_keep_to_the_ranges_of_the_training_data(tmp_path):
    X = np.array([[0.0, 5.0], [1.0, 6.0], [3.0, 5.0], [4.0, 6.0]])
    model = redoubt.LinearSVMClassifier().fit(X, [0, 0, 1, 1])
    np.testing.assert_array_equal(model.ranges_, [[0, 4], [5, 6]])
    model.save(tmp_path / "model.json")
    loaded = redoubt.load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.ranges, model.ranges_)
    for classifier in (model, loaded):
        free = redoubt.explain(classifier, X[0], ranges=None)
        assert free.ranges is None
        kept = redoubt.explain(classifier, X[0])
        where = "within the ranges of the training data, "
        name = kept.singles[0].feature
        assert kept.sentence.startswith(f"{where}stays '0' unless {name} rises by ")
        assert "stays" in free.sentence and where not in free.sentence
        assert kept.radius > free.radius  # below 5 the second feature would help
        assert np.isfinite(free.singles[1].down_to) and np.isinf(kept.singles[1].down_to)
        np.testing.assert_array_equal(kept.ranges, model.ranges_)
        # A row outside its ranges widens them.
        outside = redoubt.explain(classifier, [-3.0, 9.0])
        np.testing.assert_array_equal(outside.ranges, [[-3, 4], [5, 9]])
        assert -3 < outside.singles[0].up_to <= 4
        # What cannot change within its range has no change at all.
        assert np.isinf(outside.singles[1].up_to) and np.isinf(outside.singles[1].down_to)
        rules = redoubt.AttackModel("l2", frozen=[1])
        assert redoubt.explain(classifier, X[0], attack_model=rules).ranges is None
