"""Frames as they come: nullable types, booleans, dates, codes that are numbers, in memory and saved."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import redoubt
from random_pipelines import disagreements, fit_quietly
from redoubt._models.linear_model import read_model
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, RobustScaler, StandardScaler

N = 150


def messy_table(seed):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": pd.array(rng.integers(18, 80, N), dtype="Int64"),
            "income": rng.lognormal(10, 1, N).astype(np.float32),
            "owner": rng.random(N) < 0.5,
            "smoker": pd.array(rng.random(N) < 0.3, dtype="boolean"),
            "job": rng.choice(["clerk", "nurse", "cook"], N),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], N), ["S", "M", "L"], ordered=True),
            "zip": rng.choice([10115, 20095, 80331], N),
            "joined": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 999, N), "D"),
        }
    )
    for name in ("age", "smoker", "job"):
        table.loc[rng.random(N) < 0.1, name] = None if name == "job" else pd.NA
    score = (table["income"] > 25_000) ^ table["owner"] | (rng.random(N) < 0.2)
    return table, np.where(score, "yes", "no")


def numbers(*more):
    return make_pipeline(SimpleImputer(strategy="median"), *more, StandardScaler())


PIPELINES = {
    "booleans as numbers": [
        ("n", numbers(), ["age", "income"]),
        ("t", OneHotEncoder(handle_unknown="ignore"), ["job", "size"]),
        ("b", "passthrough", ["owner"]),
    ],
    "booleans as categories": [
        ("n", numbers(), ["age", "income"]),
        ("t", OneHotEncoder(handle_unknown="ignore"), ["job", "size", "smoker", "owner"]),
    ],
    "numbers as categories": [
        ("t", OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=30), ["zip", "job"]),
        ("o", OrdinalEncoder(), ["owner"]),
        ("n", RobustScaler(), ["income"]),
    ],
    "whatever has the type": [
        (
            "n",
            make_pipeline(SimpleImputer(add_indicator=True), RobustScaler()),
            make_column_selector(dtype_include="number"),
        ),
        (
            "t",
            OneHotEncoder(drop="if_binary", handle_unknown="ignore"),
            make_column_selector(dtype_include=["string", "object", "category", "boolean"]),
        ),
    ],
}


@pytest.fixture(params=PIPELINES)
def fitted(request):
    table, y = messy_table(7)
    columns = ColumnTransformer(PIPELINES[request.param])
    model = make_pipeline(columns, LogisticRegression(max_iter=1000))
    return fit_quietly(model, table, y), table, y


def test_the_model_itself_sees_the_moves(fitted):
    model, table, y = fitted
    assert disagreements(model, table) == (0, 0)
    result = redoubt.certify(model, table, y)
    assert set(result.status) <= {"optimal", "rounding"}
    moved, known = result.moved, np.isfinite(result.radius)
    assert known.mean() > 0.9
    assert (model.predict(moved) != model.predict(table))[known & (result.radius > 0)].all()
    zip_is_a_number = isinstance(model[0].transformers[0][2], make_column_selector)
    for name in ("smoker", "size", "joined", "zip")[: 3 if zip_is_a_number else 4]:  # types stay
        assert moved[name].dtype == table[name].dtype
    assert (moved["joined"] == table["joined"]).all()
    costs = {} if zip_is_a_number else {"zip": 2.0}
    rules = redoubt.AttackModel.from_frame(
        table, "l1", bounds="data", scale="scaled", switch_cost=costs
    )
    result = redoubt.certify(model, table, y, attack_model=rules)
    assert set(result.status) <= {"optimal", "rounding"}
    ages = result.moved["age"].dropna().astype(float)
    assert (ages == ages.round()).all()


def test_the_file_answers_as_the_pipeline_does(fitted, tmp_path):
    model, table, y = fitted
    redoubt.save_model(model, tmp_path / "model.json")
    loaded = redoubt.load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict(table), model.predict(table))
    ours, theirs = redoubt.certify(model, table, y), loaded.certify(table, y)
    np.testing.assert_array_equal(theirs.radius, ours.radius)
    moved = theirs.moved
    for name in moved.columns:
        if name not in ("age", "income") and moved[name].dtype != np.float64:
            assert moved[name].dtype == table[name].dtype
    right = ours.radius > 0
    told = table.assign(**{name: moved[name] for name in moved.columns})
    seen = model.predict(told) != model.predict(table)
    assert seen[right & np.isfinite(theirs.radius)].mean() > 0.98  # the file does not push on
    # The same table in polars, whose texts and booleans are those of pandas.
    frame = pl.from_pandas(table)
    np.testing.assert_array_equal(loaded.certify(frame, y).radius, theirs.radius)
    types = loaded.certify(frame, y).moved.schema
    assert all(types[name] == pl.Boolean for name in ("owner", "smoker") if name in types) or (
        types["owner"] == pl.Float64  # as a number it moves as one
    )


def test_one_row_has_two_dimensions(fitted):
    model, table, _ = fitted
    columns = len(model.feature_names_in_)
    with pytest.raises(ValueError, match=rf"a table of {columns} columns, .* is frame.iloc\[\[0\]\]"):
        redoubt.certify(model, table.iloc[0])
    for k in (*np.flatnonzero(table["job"].isna())[:2], *np.flatnonzero(table["age"].isna())[:2]):
        alone, row = redoubt.explain(model, table.iloc[k]), redoubt.explain(model, table.iloc[[k]])[0]
        assert alone.answer == row.answer == model.predict(table.iloc[[k]])[0]
        assert alone.radius == pytest.approx(row.radius, rel=1e-6)  # a float32 is a float there


def test_polars_booleans_stay_booleans():
    table, y = messy_table(3)
    frame = pl.from_pandas(table)
    columns = make_column_transformer(
        (numbers(), ["age", "income"]),
        (OneHotEncoder(handle_unknown="ignore"), ["job", "size", "smoker", "owner"]),
    )
    model = fit_quietly(make_pipeline(columns, LogisticRegression(max_iter=1000)), frame, y)
    result = redoubt.certify(model, frame, y)
    assert result.moved["smoker"].dtype == result.moved["owner"].dtype == pl.Boolean
    right = result.radius > 0
    assert (model.predict(result.moved) != model.predict(frame))[right].all()


GAPS = {
    "Int64": pd.array([1, 2, 3, 3], dtype="Int64"),
    "boolean": pd.array([True, False, True, True], dtype="boolean"),
    "bool[pyarrow]": pd.array([True, False, True, True], dtype="bool[pyarrow]"),
    "object": pd.array(["a", "b", "c", "c"], dtype=object),
    "string": pd.array(["a", "b", "c", "c"], dtype="string"),
    "str": pd.array(["a", "b", "c", "c"], dtype="str"),
    "category": pd.Categorical(["a", "b", "c", "c"]),
}


def gap_table(values, gap, dtype=None):
    column = pd.Series(values, dtype=dtype)
    column[3] = gap
    return pd.DataFrame({"v": column, "x": [0.5, 1.0, -1.0, 0.2]})


@pytest.mark.parametrize("kind", GAPS)
@pytest.mark.parametrize("gap", [None, np.nan, pd.NA])
def test_gaps_of_every_kind_are_what_encoders_take_them_for(kind, gap):
    """None, NaN and NA are three categories to an encoder, or unknown ones; types decide which."""
    steps = [OneHotEncoder(handle_unknown="ignore")]
    if kind == "object":
        steps = [SimpleImputer(missing_values=pd.NA, strategy="most_frequent"), *steps]
    columns = ColumnTransformer([("v", make_pipeline(*steps), ["v"]), ("x", "passthrough", ["x"])])
    model = make_pipeline(columns, LogisticRegression(C=100.0))
    try:
        fit_quietly(model, gap_table(GAPS[kind], gap), [0, 1, 0, 1])
    except TypeError:  # scikit-learn does not take NA among texts
        return
    linear = read_model(model)
    for other in (None, np.nan, pd.NA):
        for dtype in (None, object):
            table = gap_table(GAPS[kind], other, dtype)
            for rows in (table, table[3:]):
                try:
                    score = model.decision_function(rows)
                except (TypeError, ValueError):
                    continue
                planes = linear.decision.planes
                features = linear.coding.code(rows).expanded()
                np.testing.assert_allclose(
                    features @ planes.coef[0] + planes.intercept[0], score, atol=1e-9
                )


def test_gaps_among_numbers_of_polars_are_nan():
    frame = pl.DataFrame({"v": [1, 2, None, 2], "x": [0.5, 1.0, -1.0, 0.2]})
    columns = make_column_transformer((OneHotEncoder(), ["v"]), ("passthrough", ["x"]))
    model = make_pipeline(columns, LogisticRegression()).fit(frame, [0, 1, 0, 1])
    result = redoubt.certify(model, frame, norm="l1")
    assert result.status.tolist() == ["optimal"] * 4
    assert (model.predict(result.moved) != model.predict(frame)).all()
    assert redoubt.certify(model, frame[2:3], norm="l1").radius[0] == result.radius[2]
