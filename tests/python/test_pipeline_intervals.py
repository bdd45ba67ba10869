"""Numbers that a pipeline cuts into intervals: the way into another one depends on the row."""

from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
import redoubt
from brute_force import ORDER
from random_pipelines import bins, disagreements, fit_quietly, random_labels, random_table
from redoubt._pipelines.steps import Steps, edges_before
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import VotingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import (
    Binarizer,
    MinMaxScaler,
    OneHotEncoder,
    StandardScaler,
)
from test_pipeline_radii import least_change

RNG = np.random.default_rng(8)
TABLE = random_table(RNG, 90, gaps=False).astype({"rooms": float})
LABELS = random_labels(RNG, TABLE)
GAPS = TABLE.mask(RNG.random(TABLE.shape) < 0.2)[["age", "income"]]
JOBS = {"job": [*sorted(set(TABLE["job"])), "never seen"]}


def fitted(last=None, encode="onehot", table=TABLE):
    """Ages in bins, incomes above a threshold or not, rooms as numbers and jobs as texts."""
    columns = ColumnTransformer(
        [
            ("bins", bins(encode=encode), ["age"]),
            ("above", Binarizer(threshold=20.0), ["income"]),
            ("numbers", StandardScaler(), ["rooms"]),
            ("texts", OneHotEncoder(handle_unknown="ignore"), ["job"]),
        ]
    )
    return fit_quietly(make_pipeline(columns, last or LogisticRegression()), table, LABELS)


def edges_of(model):
    return {"age": model[0].named_transformers_["bins"].bin_edges_[0][1:-1], "income": [20.0]}


def nearest_values(model, row):
    """Of each column that is cut: the row's own value, and the last ones before every edge."""
    found = {}
    for name, edges in edges_of(model).items():
        x = row[name].iloc[0]
        above = [e if name == "age" else np.nextafter(e, np.inf) for e in edges]
        found[name] = [x, *(e if x < e else np.nextafter(e, -np.inf) for e in above)]
    return found


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
@pytest.mark.parametrize("encode", ["onehot", "ordinal"])
def test_radii_are_those_of_all_combinations_of_intervals(norm, encode):
    model = fitted(encode=encode)
    scale = {"rooms": 0.5, "age": 8.0, "income": 15.0}
    rules = redoubt.AttackModel(norm, scale=scale)
    rows = TABLE[:10]
    result = redoubt.certify(model, rows, attack_model=rules)
    expected = []
    for k in range(len(rows)):
        row = rows[k : k + 1]
        cost = {
            name: lambda old, new, name=name: abs(new - old) / scale[name]
            for name in ("age", "income")
        }
        costs = {"values": nearest_values(model, row) | JOBS, "cost": cost}
        cost["job"] = lambda old, new: 1.0
        expected.append(least_change(model, row, norm, {"rooms": 0.5}, costs))
    assert set(result.status) == {"optimal"}
    np.testing.assert_allclose(result.radius, expected, rtol=1e-7)
    assert (model.predict(result.moved) != model.predict(rows)).all()
    assert result.scale == scale | {"job": 1.0}


@pytest.mark.parametrize(
    "rule",
    [
        {"integer": ["age"]},
        {"integer": ["age"], "increase_only": ["age"]},
        {"decrease_only": ["age"], "bounds": {"age": (30, 70)}, "integer": ["age"]},
        {"frozen": ["age"]},
    ],
    ids=["integer", "up", "down", "frozen"],
)
def test_rules_about_a_number_hold_for_its_intervals(rule):
    """Against every integer that the rules allow, one by one."""
    model = fitted()
    rows = TABLE[TABLE["age"].between(30, 70)][:10]
    rules = redoubt.AttackModel("l1", scale={"age": 8.0}, **{"frozen": [], **rule}).to_dict()
    rules = redoubt.AttackModel.from_dict(
        rules | {"frozen": [*rule.get("frozen", []), "income", "rooms", "job"]}
    )
    result = redoubt.certify(model, rows, attack_model=rules, units="raw")
    low, high = rule.get("bounds", {}).get("age", (0, 130))
    for k in range(len(rows)):
        x = rows["age"].iloc[k]
        values = np.array([x]) if "frozen" in rule else np.arange(low, high + 1)
        values = values[values >= x] if "increase_only" in rule else values
        values = values[values <= x] if "decrease_only" in rule else values
        tried = pd.concat([rows[k : k + 1]] * len(values)).assign(age=values)
        changes = model.predict(tried) != model.predict(rows[k : k + 1])
        least = np.abs(values - x)[changes].min(initial=np.inf) / 8.0
        assert result.radius[k] == pytest.approx(least, rel=1e-12)
        if np.isfinite(least):
            assert result.moved["age"].iloc[k] in values[changes]


def test_a_vote_of_pipelines_cuts_a_number_at_all_edges():
    members = [
        ("a", make_pipeline(ColumnTransformer([("b", bins(4), ["age"])]), LogisticRegression())),
        ("b", make_pipeline(ColumnTransformer([("b", bins(7), ["age"])]), RidgeClassifier())),
        ("c", fitted()),
    ]
    model = fit_quietly(VotingClassifier(members), TABLE, LABELS)
    rows = TABLE[:12]
    rules = redoubt.AttackModel("l1", frozen=["income", "rooms", "job"])
    result = redoubt.certify(model, rows, attack_model=rules)
    ages = np.linspace(0, 120, 2401)
    for k in range(len(rows)):
        tried = pd.concat([rows[k : k + 1]] * len(ages)).assign(age=ages)
        changes = model.predict(tried) != model.predict(rows[k : k + 1])
        least = np.abs(ages - rows["age"].iloc[k])[changes].min(initial=np.inf)
        if np.isinf(least):
            assert np.isinf(result.radius[k]) or result.radius[k] > 60
        else:
            assert least - 0.05 <= result.radius[k] <= least * (1 + 1e-12)


def test_three_classes():
    rng = np.random.default_rng(1)
    y = np.digitize(TABLE["age"] + rng.normal(size=len(TABLE)), [40, 65])
    model = make_pipeline(ColumnTransformer([("b", bins(5), ["age", "income"])]), LogisticRegression())
    model = fit_quietly(model, TABLE, y)
    rows = TABLE[:15]
    result = redoubt.certify(model, rows, norm="l2")
    edges = model[0].named_transformers_["b"].bin_edges_
    for k in range(len(rows)):
        x = rows[["age", "income"]].iloc[k].to_numpy(float)
        options = [[v, *(e if v < e else np.nextafter(e, -np.inf) for e in each[1:-1])]
                   for v, each in zip(x, edges, strict=True)]  # fmt: skip
        pairs = np.array(list(product(*options)))
        tried = pd.concat([rows[k : k + 1]] * len(pairs)).assign(age=pairs[:, 0], income=pairs[:, 1])
        changes = model.predict(tried) != model.predict(rows[k : k + 1])[0]
        assert result.radius[k] == pytest.approx(
            np.linalg.norm(pairs - x, axis=1)[changes].min(initial=np.inf), rel=1e-9
        )


PIPELINES = {
    "behind an imputer": make_pipeline(SimpleImputer(), bins(encode="onehot-dense")),
    "marked": make_pipeline(SimpleImputer(add_indicator=True), bins(3, strategy="uniform")),
    "behind a scaler": make_pipeline(SimpleImputer(), StandardScaler(), bins(5)),
    "behind two": make_pipeline(StandardScaler(), SimpleImputer(), MinMaxScaler(), Binarizer(threshold=0.3)),
    "cut twice": make_pipeline(SimpleImputer(), make_union(bins(3), Binarizer(threshold=30.0))),
    "scaled afterwards": make_pipeline(SimpleImputer(), bins(5, encode="ordinal"), StandardScaler()),
}


@pytest.mark.parametrize("steps", PIPELINES.values(), ids=PIPELINES)
@pytest.mark.parametrize("norm", ["l1", "linf"])
def test_pipelines_with_gaps(steps, norm):
    model = fit_quietly(make_pipeline(steps, LogisticRegression()), GAPS, LABELS)
    assert disagreements(model, GAPS) == (0, 0)
    result = redoubt.certify(model, GAPS, norm=norm)
    known = np.isfinite(result.radius)
    assert known.any() and set(result.status) == {"optimal"}
    moved = result.moved[known]
    assert (model.predict(moved) != model.predict(GAPS[known])).all()
    assert (moved.isna() == GAPS[known].isna()).all(axis=None)  # gaps do not move
    size = (moved - GAPS[known]).fillna(0) / pd.Series(result.scale)
    np.testing.assert_allclose(
        np.linalg.norm(size, ORDER[norm], axis=1), result.radius[known], rtol=1e-9
    )
    # Less than that is not enough: a step of every number by a little less in all directions.
    known &= result.radius > 1e-9  # not the very next double
    for signs in product([-1, 0, 1], repeat=2):
        step = np.array(signs) * (1 if norm == "linf" else 0.5) * 0.999
        inside = GAPS[known] + result.radius[known][:, None] * step * list(result.scale.values())
        assert (model.predict(inside) == model.predict(GAPS[known])).all()


def test_features_that_a_classifier_itself_cuts():
    model = BernoulliNB(binarize=30.0).fit(TABLE[["age", "income"]], LABELS)
    rows = TABLE[["age", "income"]][:20]
    result = redoubt.certify(model, rows, norm="linf")
    known = np.isfinite(result.radius)
    assert known.any()
    assert (model.predict(result.moved[known]) != model.predict(rows[known])).all()
    # One threshold for both columns: the radius is the way to it of one column or another.
    ways = np.abs(np.nextafter(30.0, np.inf) - rows[known].to_numpy())
    assert np.isclose(result.radius[known][:, None], ways, atol=1e-12).any(axis=1).all()


def test_frames_of_polars_attacks_and_explanations():
    model = fitted()
    rows = TABLE[:8]
    result = redoubt.certify(model, rows, LABELS[:8], norm="l1")
    model_of_polars = fitted(table=pl.from_pandas(TABLE))
    same = redoubt.certify(model_of_polars, pl.from_pandas(rows), LABELS[:8], norm="l1")
    assert same.radius.tobytes() == result.radius.tobytes()
    assert same.moved["age"].to_list() == result.moved["age"].tolist()
    right = result.radius > 0
    for factor, breaks in ((0.999, False), (1.001, True)):
        found = redoubt.attack(model, rows, LABELS[:8], factor * np.abs(result.radius), norm="l1")
        assert (found.success[right] == breaks).all()
    one = redoubt.explain(model, rows.iloc[0])
    (age,) = [each for each in one.singles if each.feature == "age"]
    assert age.before == rows["age"].iloc[0]
    for end, size in ((age.up_to, age.up_size), (age.down_to, age.down_size)):
        if np.isfinite(size):
            assert model.predict(rows[:1].assign(age=end))[0] != model.predict(rows[:1])[0]
            assert size == abs(end - age.before)


def test_the_sentence_says_where_a_number_goes():
    model = make_pipeline(ColumnTransformer([("b", bins(4), ["age"])]), LogisticRegression())
    model = fit_quietly(model, TABLE, LABELS)
    row = TABLE[:1].assign(age=20.0)
    edges = model[0].named_transformers_["b"].bin_edges_[0]
    sentence = redoubt.explain(model, row.iloc[0]).sentence
    (end,) = [e for e in edges[1:-1] if f"age changes from 20 to {e:.6g}" in sentence]
    assert model.predict(row.assign(age=end))[0] != model.predict(row)[0]


def test_what_is_refused():
    numbers, both = ["age"], make_union(bins(3), StandardScaler())
    model = fit_quietly(make_pipeline(both, LogisticRegression()), TABLE[numbers], LABELS)
    with pytest.raises(ValueError, match="'age' goes into the model both as a number and by way of KB"):
        redoubt.certify(model, TABLE[numbers])
    both = make_union(bins(3), OneHotEncoder(handle_unknown="ignore"))
    model = fit_quietly(make_pipeline(both, LogisticRegression()), TABLE[numbers], LABELS)
    message = "'age' goes into the model both as a number, by way of KBinsDiscretizer, and by way of One"
    with pytest.raises(ValueError, match=message):
        redoubt.certify(model, TABLE[numbers])
    rounded = bins(3, dtype=np.float32)
    model = fit_quietly(make_pipeline(rounded, LogisticRegression()), TABLE[numbers], LABELS)
    with pytest.raises(ValueError, match="KBinsDiscretizer rounds numbers to float32 first"):
        redoubt.certify(model, TABLE[numbers])
    model = fitted()
    with pytest.raises(ValueError, match="'age' is a number that is cut into steps, which a file can"):
        redoubt.save_model(model, "nowhere.json")
    rules = redoubt.AttackModel("l1", switch_cost={"age": 2.0})
    with pytest.raises(ValueError, match="age"):
        redoubt.certify(model, TABLE, attack_model=rules)


def test_scalers_in_front_of_intervals_may_give_frames():
    table = pd.DataFrame({"age": np.arange(40.0), "job": ["cook", "clerk"] * 20})
    scaler = StandardScaler().set_output(transform="pandas")
    columns = ColumnTransformer([("b", make_pipeline(scaler, Binarizer()), ["age"])])
    model = make_pipeline(columns, LogisticRegression()).fit(table, table["age"] > 19)
    radius = redoubt.certify(model, table[:1]).radius[0]
    assert radius == pytest.approx(19.5 / scaler.fit(table[["age"]]).scale_[0])


def test_steps_by_themselves():
    steps = Steps.joined([[1.0, 2.0], [2.0, 5.0]])
    assert steps.names() == ["below 1", "1 to 2", "2 to 5", "5 or more"]
    assert steps.member_of([0.0, 1.0, 4.9, 5.0]).tolist() == [0, 1, 2, 3]
    assert steps.places(3.0).tolist() == [np.nextafter(1, 0), np.nextafter(2, 0), 3.0, 5.0]
    whole = steps.places(3.0, lower=1.0, is_integer=True)
    assert np.isnan(whole[0]) and whole[1:].tolist() == [1.0, 3.0, 5.0]
    assert np.isnan(steps.places(3.0, direction="up")[:2]).all()
    assert np.isnan(steps.places(3.0, upper=4.0)[3])


@pytest.mark.parametrize("factor", [1 / 3, 1e-300, 7e200])
def test_edges_are_found_behind_any_rounding(factor):
    edges = np.array([-2.5, 0.0, 1e-3, 4.0])
    first = edges_before(edges, lambda x: x * factor - 0.1)
    assert (first * factor - 0.1 >= edges).all()
    assert (np.nextafter(first, -np.inf) * factor - 0.1 < edges).all()
