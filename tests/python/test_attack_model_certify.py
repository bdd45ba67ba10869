"""Certificates and attacks under an attack model, against enumeration and the rules themselves."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import redoubt
from attack_rules import check_move, make_points, make_rules, reachable_moves, size_of
from hypothesis import given, settings
from hypothesis import strategies as st
from redoubt import AttackModel
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC

NORMS = ["l1", "l2", "linf"]
SIZES = 1e-9  # relative


def make_vote(rng, n_planes, n_features):
    coef = np.round(rng.normal(size=(n_planes, n_features)), 2)
    return redoubt.Ensemble(coef, np.round(rng.normal(size=n_planes), 2))


def least_move(rules, vote, x):
    """By enumeration: the least size of a move that changes the answer."""
    moves = list(reachable_moves(rules, x))
    answers = vote.predict(x + np.array(moves))
    changed = np.flatnonzero(answers != vote.predict(x[None])[0])
    return min((size_of(rules, moves[i]) for i in changed), default=np.inf)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("seed", range(12))
def test_against_enumeration(norm, seed):
    rng = np.random.default_rng([seed, NORMS.index(norm)])
    n_features = int(rng.integers(1, 6))
    rules = make_rules(rng, n_features, norm, finite=True)
    vote = make_vote(rng, int(rng.integers(1, 6)), n_features)
    X = make_points(rng, 8, n_features, rules)
    result = redoubt.certify(vote, X, attack_model=rules)
    wanted = np.array([least_move(rules, vote, x) for x in X])
    np.testing.assert_allclose(result.radius, wanted, rtol=SIZES)
    assert np.all(result.lower <= wanted * (1 + SIZES))
    assert np.all(result.upper >= wanted * (1 - SIZES))
    assert set(result.status) == {"optimal"}


@st.composite
def problems(draw):
    norm = draw(st.sampled_from(NORMS))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_features = draw(st.integers(1, 6))
    rules = make_rules(rng, n_features, norm)
    vote = make_vote(rng, draw(st.integers(1, 6)), n_features)
    return rules, vote, make_points(rng, 4, n_features, rules)


@settings(max_examples=120, deadline=None)
@given(problems())
def test_witnesses_keep_the_rules_and_change_the_answer(problem):
    rules, vote, X = problem
    result = redoubt.certify(vote, X, attack_model=rules)
    before = vote.predict(X)
    for j, x in enumerate(X):
        move = result.witness[j]
        if np.isnan(move).any():
            assert result.upper[j] == np.inf
            assert result.radius[j] == np.inf or result.status[j] != "optimal"
            continue
        check_move(rules, x, move)
        assert vote.predict((x + move)[None])[0] != before[j]
        assert size_of(rules, move) == pytest.approx(result.upper[j], rel=SIZES, abs=1e-12)
        assert result.lower[j] <= result.upper[j]


@settings(max_examples=80, deadline=None)
@given(problems(), st.sampled_from(["exact", "relaxed", "heuristic"]), st.floats(0.0, 3.0))
def test_attacks_keep_the_rules(problem, adversary, radius):
    rules, vote, X = problem
    y = vote.predict(X).astype(float)
    found = redoubt.attack(vote, X, y, radius, adversary=adversary, attack_model=rules)
    for x, move in zip(X, found.perturbation, strict=True):
        check_move(rules, x, move)
        assert size_of(rules, move) <= radius * (1 + SIZES) + 1e-12
    moved = vote.predict(X + found.perturbation)
    assert (found.success == (moved != y)).all()


@settings(max_examples=60, deadline=None)
@given(problems())
def test_attacks_on_both_sides_of_the_radius(problem):
    rules, vote, X = problem
    y = vote.predict(X).astype(float)
    result = redoubt.certify(vote, X, y, attack_model=rules)
    radius = result.radius
    near = np.isfinite(radius) & (radius > 1e-6) & (result.status == "optimal")
    if not near.any():
        return
    for factor, wanted in ((1 - 1e-6, False), (1 + 1e-6, True)):
        radii = factor * radius[near]
        found = redoubt.attack(vote, X[near], y[near], radii, attack_model=rules)
        assert (found.success == wanted).all()


def test_second_opinions_agree():
    pytest.importorskip("highspy")
    rng = np.random.default_rng(3)
    for norm in ("l1", "linf"):
        rules = make_rules(rng, 5, norm)
        vote, X = make_vote(rng, 3, 5), make_points(rng, 5, 5, rules)
        native = redoubt.certify(vote, X, attack_model=rules)
        for solver in ("mip", "enumerate"):
            other = redoubt.certify(vote, X, attack_model=rules, solver=solver)
            np.testing.assert_allclose(other.radius, native.radius, rtol=1e-5, atol=1e-6)


# --- units, names, models ---------------------------------------------------------------------


def make_patients(n_samples=80, seed=0):
    """Columns of very different sizes, with names; the label depends on all of them."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(3, size=n_samples)
    X = pd.DataFrame(
        {
            "age": rng.integers(20, 80, size=n_samples).astype(float),
            "pressure": rng.normal(130, 15, size=n_samples),
            "visits": rng.integers(0, 12, size=n_samples).astype(float),
            "kind_a": (kind == 0).astype(float),
            "kind_b": (kind == 1).astype(float),
            "kind_c": (kind == 2).astype(float),
        }
    )
    score = (X["pressure"] - 130) / 15 + (X["visits"] - 6) / 4 + 1.5 * X["kind_a"]
    score = score + (X["age"] - 50) / 30 + rng.normal(scale=0.5, size=n_samples)
    return X, np.where(score > 0.4, "sick", "well")


PATIENT_RULES = AttackModel(
    scale={"pressure": 10.0},
    frozen=["age"],
    increase_only=["visits"],
    bounds={"visits": (0, 20), "pressure": (60, 220)},
    integer=["visits"],
    one_hot=[["kind_a", "kind_b", "kind_c"]],
)
NUMBERED = AttackModel(
    scale={1: 10.0},
    frozen=[0],
    increase_only=[2],
    bounds={2: (0, 20), 1: (60, 220)},
    integer=[2],
    one_hot=[[3, 4, 5]],
)


@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler(), RobustScaler()], ids=repr)
@pytest.mark.parametrize("units", ["raw", "scaled"])
@pytest.mark.parametrize(
    "last",
    [
        LogisticRegression(),
        LinearSVC(random_state=0),
        redoubt.CollaborativeEnsembleClassifier(0.2, n_planes=3, random_state=0),
    ],
    ids=["logistic", "LinearSVC", "vote"],
)
def test_pipeline(scaler, units, last):
    X, y = make_patients()
    model = clone(make_pipeline(scaler, last)).fit(X, y)
    result = redoubt.certify(model, X, y, attack_model=PATIENT_RULES, units=units)
    assert result.attack_model == PATIENT_RULES
    assert "attack model (" in repr(result)
    known = ~np.isnan(result.witness).any(axis=1)
    assert known.sum() > 70
    for x, move in zip(X.to_numpy()[known], result.witness[known], strict=True):
        check_move(NUMBERED, x, move)
        assert (x + move)[2] == round((x + move)[2]), "visits are whole to the bit"
    moved = pd.DataFrame(X.to_numpy()[known] + result.witness[known], columns=X.columns)
    assert (model.predict(moved) != model.predict(X)[known]).all(), (
        "seen by the model's own predict"
    )
    # No feature's scale is left to the scaler here, except one-hot groups, which have costs.
    if units == "raw":
        sizes = [size_of(NUMBERED, move) for move in result.witness[known]]
        np.testing.assert_allclose(np.abs(result.radius[known]), sizes, rtol=SIZES)


def test_units_say_what_a_feature_without_scale_may_do():
    X, y = make_patients()
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    rules = AttackModel("l2")
    raw = redoubt.certify(model, X, y, attack_model=rules)
    scaled = redoubt.certify(model, X, y, attack_model=rules, units="scaled")
    plain_raw = redoubt.certify(model, X, y, norm="l2")
    plain_scaled = redoubt.certify(model, X, y, norm="l2", units="scaled")
    np.testing.assert_allclose(raw.radius, plain_raw.radius, rtol=1e-6)
    np.testing.assert_allclose(scaled.radius, plain_scaled.radius, rtol=1e-6)


def test_a_scale_is_in_units_of_X_whatever_the_units():
    X, y = make_patients()
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    rules = AttackModel("l1", scale=2.0, frozen=["age"])
    raw = redoubt.certify(model, X, y, attack_model=rules)
    scaled = redoubt.certify(model, X, y, attack_model=rules, units="scaled")
    np.testing.assert_array_equal(raw.radius, scaled.radius)


def test_names_come_from_the_model_if_X_has_none():
    X, y = make_patients()
    model = LogisticRegression(max_iter=5000).fit(X, y)
    by_name = redoubt.certify(model, X, y, attack_model=AttackModel(frozen=["age", "kind_b"]))
    by_number = redoubt.certify(model, X, y, attack_model=AttackModel(frozen=[0, 4]))
    np.testing.assert_array_equal(by_name.radius, by_number.radius)
    assert not by_name.witness[:, [0, 4]].any()


def test_bigger_scales_and_fewer_rules_make_smaller_radii():
    X, y = make_patients()
    model = LogisticRegression(max_iter=5000).fit(X, y)
    base = redoubt.certify(model, X, attack_model=PATIENT_RULES).radius
    free = redoubt.certify(model, X, attack_model=AttackModel(scale={"pressure": 10.0})).radius
    assert (free <= base * (1 + SIZES)).all()
    assert (free < base).any()


# --- who attacks ------------------------------------------------------------------------------


@pytest.mark.parametrize("attacker", ["sick", "well"])
def test_only_one_class_attacks(attacker):
    X, y = make_patients()
    model = LogisticRegression(max_iter=5000).fit(X, y)
    rules = AttackModel("l2", attacking_class=attacker)
    result = redoubt.certify(model, X, y, attack_model=rules)
    every = redoubt.certify(model, X, y, norm="l2")
    moves = y == attacker
    np.testing.assert_allclose(result.radius[moves], every.radius[moves], rtol=1e-6)
    right = model.predict(X) == y
    assert (result.radius[~moves & right] == np.inf).all()
    assert (result.radius[~moves & ~right] == -np.inf).all()
    assert np.isnan(result.witness[~moves]).all()
    curve = redoubt.attack_curve(result, y, [1e9])
    assert curve.accuracy[0] == pytest.approx((~moves & right).mean())
    assert curve.attack_model == rules

    without = redoubt.certify(model, X, attack_model=rules)
    assert (np.isinf(without.radius) == (model.predict(X) != attacker)).all()

    found = redoubt.attack(model, X, y, 30.0, attack_model=rules)
    assert not found.perturbation[~moves].any()
    assert (found.success[~moves] == ~right[~moves]).all()
    assert found.success[moves].mean() > right[moves].mean() * 0.1


def test_points_that_do_not_attack_need_not_keep_the_rules():
    vote = redoubt.Ensemble([[1.0]], [1.0])
    rules = AttackModel(bounds=(0, 10), attacking_class=1)
    result = redoubt.certify(vote, [[3.0], [-5.0]], [1, -1], attack_model=rules)
    assert result.radius.tolist() == [np.inf, np.inf]
    with pytest.raises(ValueError, match=r"range \[0, 10\], got -5 for feature 0 in row 1"):
        redoubt.certify(vote, [[3.0], [-5.0]], [1, 1], attack_model=rules)


# --- several classes --------------------------------------------------------------------------


def make_three_classes():
    rng = np.random.default_rng(5)
    y = np.arange(90) % 3
    centers = np.array([[0, 0, 0, 0], [3, 0, 2, 0], [0, 3, 0, 2]])
    X = np.round(centers[y] + rng.normal(scale=0.8, size=(90, 4)), 2)
    X[:, 1] = np.round(X[:, 1])
    return X, np.array(["a", "b", "c"])[y]


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        SVC(kernel="linear"),
        redoubt.LinearSVMClassifier(),
        redoubt.BaggedSVMClassifier(n_planes=3, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("norm", NORMS)
def test_several_classes(model, norm):
    X, y = make_three_classes()
    model = clone(model).fit(X, y)
    rules = AttackModel(norm, frozen=[3], integer=[1], bounds={0: (-6, 9)}, scale={2: 0.5})
    result = redoubt.certify(model, X, y, attack_model=rules)
    known = ~np.isnan(result.witness).any(axis=1)
    assert known.sum() > 45
    after = model.predict(X[known] + result.witness[known])
    before = model.predict(X)[known]
    wrong = before != y[known]
    assert (after != before).all()
    assert (after[wrong] == y[known][wrong]).all()
    for j in np.flatnonzero(known):
        check_move(rules, X[j], result.witness[j])
        reach = result.upper[j] if result.radius[j] > 0 else -result.lower[j]
        assert size_of(rules, result.witness[j]) == pytest.approx(reach, rel=1e-9, abs=1e-12)
    rng = np.random.default_rng(0)
    for _ in range(50):  # no allowed move within `lower` changes the answer
        move = rng.normal(size=X.shape) * [1, 1, 0.5, 0]
        move[:, 1] = 0.0
        move /= np.array([size_of(rules, each) for each in move])[:, None]
        safe = np.isfinite(result.lower) & (result.lower > 0)
        moved = X[safe] + 0.999 * result.lower[safe, None] * move[safe]
        moved[:, 0] = np.clip(moved[:, 0], -6, 9)
        assert (model.predict(moved) == y[safe]).all()

    found = redoubt.attack(model, X, y, 1.0, attack_model=rules)
    for x, move in zip(X, found.perturbation, strict=True):
        check_move(rules, x, move)
        assert size_of(rules, move) <= 1.0 + 1e-9


def test_several_classes_and_one_attacker():
    X, y = make_three_classes()
    model = LogisticRegression().fit(X, y)
    rules = AttackModel("l2", attacking_class="b")
    result = redoubt.certify(model, X, y, attack_model=rules)
    assert (np.isinf(result.radius) == (y != "b")).all()


# --- mistakes, and what is none ---------------------------------------------------------------


@pytest.mark.parametrize("norm", NORMS)
def test_all_frozen(norm):
    rng = np.random.default_rng(0)
    vote, X = make_vote(rng, 3, 4), rng.normal(size=(6, 4))
    rules = AttackModel(norm, frozen=[0, 1, 2, 3])
    y = vote.predict(X) * [1, 1, 1, -1, -1, -1]
    result = redoubt.certify(vote, X, y, attack_model=rules)
    assert result.radius.tolist() == [np.inf] * 3 + [-np.inf] * 3
    found = redoubt.attack(vote, X, y.astype(float), 5.0, attack_model=rules)
    assert not found.perturbation.any()


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (AttackModel(bounds={1: (0, 1)}), r"range \[0, 1\], got 4 for feature 1 in row 0"),
        (
            AttackModel(integer=[0]),
            "X: expected integers where the attack model says so, got 0.5 for feature 0 in row 0",
        ),
        (
            AttackModel(one_hot=[[0, 2]]),
            r"one-hot group to be on \(1\) or off \(0\), got 0.5 for feature 0 in row 0",
        ),
        (AttackModel(one_hot=[[2, 3]]), "exactly one feature .* got 0 in the group of feature 2"),
        (AttackModel(frozen=["age"]), "because the features have no names, found 'age'"),
        (AttackModel(frozen=[7]), "a feature from 0 to 3, found 7"),
        (AttackModel(attacking_class=3), r"unknown class 3; the model's are \[-1, 1\]"),
    ],
)
def test_rules_that_do_not_fit_the_points(rules, message):
    vote = redoubt.Ensemble([[1.0, 0.0, 1.0, 1.0]], [0.0])
    X = [[0.5, 4.0, 0.0, 0.0]]
    with pytest.raises(ValueError, match=message):
        redoubt.certify(vote, X, attack_model=rules)
    with pytest.raises(ValueError, match=message):
        redoubt.attack(vote, X, [1], 1.0, attack_model=rules)


def test_two_norms_are_a_mistake():
    vote = redoubt.Ensemble([[1.0]], [0.0])
    for call in (redoubt.certify, lambda *a, **k: redoubt.attack(*a, [1], 1.0, **k)):
        with pytest.raises(ValueError, match="norm: 'l2' contradicts the attack model's 'linf'"):
            call(vote, [[1.0]], norm="l2", attack_model=AttackModel())
    result = redoubt.certify(vote, [[1.0]], norm="linf", attack_model=AttackModel())
    assert result.norm == "linf"
    assert redoubt.certify(vote, [[1.0]]).norm == "l2"


def test_something_else_is_a_mistake():
    vote = redoubt.Ensemble([[1.0]], [0.0])
    with pytest.raises(TypeError, match="attack_model: expected a redoubt.AttackModel"):
        redoubt.certify(vote, [[1.0]], attack_model={"norm": "l1"})


def test_a_model_file(tmp_path):
    X, y = make_patients()
    vote = redoubt.BaggedSVMClassifier(3, random_state=0).fit(X, y)
    vote.save(tmp_path / "model.json")
    model = redoubt.load_model(tmp_path / "model.json")
    result = redoubt.certify(model, X.to_numpy(), y, attack_model=PATIENT_RULES)
    wanted = redoubt.certify(vote, X, y, attack_model=PATIENT_RULES)
    np.testing.assert_allclose(result.radius, wanted.radius, rtol=SIZES)
    assert not np.nan_to_num(result.witness[:, 0]).any()


def test_a_polars_frame():
    X, y = make_patients()
    model = make_pipeline(StandardScaler(), LogisticRegression())
    model.fit(pl.DataFrame(X.to_dict("list")), y)
    frame = pl.DataFrame(X.to_dict("list"))
    result = redoubt.certify(model, frame, y, attack_model=PATIENT_RULES)
    known = ~np.isnan(result.witness).any(axis=1)
    moved = X.to_numpy()[known] + result.witness[known]
    moved = pl.DataFrame(dict(zip(X.columns, moved.T, strict=True)))
    assert known.sum() > 70
    assert (model.predict(moved) != model.predict(frame)[known]).all()
