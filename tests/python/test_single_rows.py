"""Rows of a table one at a time: prepared once, and then the bits of the whole table."""

import pickle

import numpy as np
import pandas as pd
import pytest
import redoubt
from random_pipelines import PLANES, fit_quietly, random_labels, random_model, random_table
from redoubt._certificates import certify as certify_module
from sklearn.compose import make_column_transformer
from sklearn.ensemble import BaggingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

ARRAYS = ("radius", "lower", "upper", "closed", "n_nodes", "status", "nearest", "prediction")


def assert_same_row(one, many, k):
    """The certificate of one row is row k of the other."""
    assert len(one) == 1
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(one, name), getattr(many, name)[k : k + 1], name)
    assert one.fooled == many.fooled[k : k + 1]
    assert (one.norm, one.units, one.scale) == (many.norm, many.units, many.scale)
    assert (one.witness is None, one.target, one.proofs) == (many.witness is None, None, None)
    pd.testing.assert_frame_equal(one.moved, many.moved[k : k + 1], check_dtype=False)


@pytest.fixture
def prepared_only(monkeypatch):
    """From where it is called, `certify` may take no other way than the prepared one."""

    def refuse(*arguments, **options):
        raise AssertionError("the general way")

    return lambda: monkeypatch.setattr(certify_module, "read_attacked", refuse)


@pytest.fixture(scope="module")
def loans():
    rng = np.random.default_rng(3)
    table = random_table(rng, 200)
    columns = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["age", "income", "rooms"]),
        (OneHotEncoder(handle_unknown="ignore"), ["job", "city", "member"]),
    )
    y = random_labels(rng, table)
    return table, y, make_pipeline(columns, LogisticRegression()).fit(table, y)


RULES = [
    None,
    redoubt.AttackModel("l1", scale={"income": 10.0}, integer=["rooms"], frozen=["member"]),
    redoubt.AttackModel("linf", missing="free", switch_cost={"job": [("clerk", None, 0.3)]}),
]


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("n_planes", [1, 5])
def test_one_row_has_the_bits_of_the_table(loans, rules, n_planes, prepared_only):
    table, y, model = loans
    if n_planes > 1:
        bag = BaggingClassifier(LinearSVC(), n_planes, max_samples=0.3, random_state=0)
        model = make_pipeline(model[0], bag).fit(table, y)
    few = table[:25]
    many = redoubt.certify(model, few, attack_model=rules)
    labelled = redoubt.certify(model, few, many.prediction, attack_model=rules)
    redoubt.certify(model, few[:1], attack_model=rules)
    prepared_only()
    for k in range(len(few)):
        one = redoubt.certify(model, few[k : k + 1], attack_model=rules)
        assert_same_row(one, many, k)
        assert one.label is None
        label = [many.prediction[k]]
        one = redoubt.certify(model, few[k : k + 1], label, attack_model=rules)
        assert_same_row(one, labelled, k)
        assert one.label.tolist() == label


@pytest.mark.parametrize("seed", range(12))
def test_rows_of_any_pipeline_have_the_bits_of_the_table(seed):
    rng = np.random.default_rng(seed)
    table = random_table(rng)
    y = random_labels(rng, table)
    model = fit_quietly(random_model(rng, PLANES), table, y)
    few = random_table(rng, 12, unseen=True)
    many = redoubt.certify(model, few, y[:12], norm="l1")
    for _ in range(2):
        for k in range(len(few)):
            one = redoubt.certify(model, few[k : k + 1], y[k : k + 1], norm="l1")
            assert_same_row(one, many, k)


def test_rows_of_other_frames_are_read_alike(loans, prepared_only):
    pl = pytest.importorskip("polars")
    table, _, model = loans
    whole = table.dropna()[:10].astype({"job": "category", "city": object})
    many = redoubt.certify(model, whole)
    redoubt.certify(model, whole[:1])
    prepared_only()
    other = pl.from_pandas(whole.astype({"job": object}))
    turned = whole[whole.columns[::-1]]
    for k in range(len(whole)):
        for frame in (whole, other, turned):
            one = redoubt.certify(model, frame[k : k + 1])
            assert one.radius == many.radius[k]
            assert one.moved.shape == (1, 6)


def test_a_step_that_changes_is_noticed(loans):
    table, y, _ = loans
    columns = make_column_transformer((StandardScaler(), ["rooms"]), (OneHotEncoder(), ["city"]))
    model = make_pipeline(columns, LogisticRegression()).fit(table, y)
    row = table[:1]
    before = [redoubt.certify(model, row).radius[0] for _ in range(3)]
    assert len(set(before)) == 1
    model[-1].coef_[0, 0] *= 2.0
    after = redoubt.certify(model, row).radius[0]
    assert after != before[0]
    assert after == redoubt.certify(model, table[:2]).radius[0]
    model.fit(table, y[::-1])
    assert redoubt.certify(model, row).radius[0] == redoubt.certify(model, table[:2]).radius[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"age": np.inf}, "'age': expected finite numbers, got inf in row 0"),
        ({"age": "old"}, "'age': expected a number, got 'old' in row 0"),
        ({"rooms": 2.5}, "integers where the attack model says so, got 2.5 for 'rooms' in row 0"),
        ({"income": None, "age": []}, "'age': expected a number, got"),
    ],
)
def test_wrong_rows_are_refused_as_in_a_table(loans, change, message):
    table, _, model = loans
    rules = RULES[1]
    row = table[:1].astype(object)
    redoubt.certify(model, table[:1], attack_model=rules)
    for name, value in change.items():
        row[name] = [value]
    with pytest.raises(ValueError, match=message):
        redoubt.certify(model, row, attack_model=rules)
    with pytest.raises(ValueError, match="column of the model not found: 'job'"):
        redoubt.certify(model, table[:1].drop(columns="job"), attack_model=rules)
    with pytest.raises(ValueError, match="unknown labels"):
        redoubt.certify(model, table[:1], ["maybe"], attack_model=rules)


def test_predict_is_asked_once(loans, monkeypatch):
    table, _, model = loans
    asked = []
    predict = type(model).predict
    redoubt.certify(model, table[:1])
    monkeypatch.setattr(type(model), "predict", lambda *given: asked.append(1) or predict(*given))
    for k in range(20):
        redoubt.certify(model, table[k : k + 1])
    redoubt.certify(model, table[:1], norm="l1")
    assert len(asked) == 21


def test_what_is_asked_for_later_is_that_of_the_row(loans):
    table, _, model = loans
    redoubt.certify(model, table[:1])
    row = table[3:4].copy()
    result = redoubt.certify(model, row)
    copy = pickle.loads(pickle.dumps(redoubt.certify(model, row)))
    many = redoubt.certify(model, table[:5])
    assert_same_row(result, many, 3)
    assert_same_row(copy, many, 3)
    assert repr(result) == repr(copy)
    assert result.radius is result.radius
    assert not hasattr(result, "no_such_field")
    frames = [each.to_frame().drop(columns="solve_seconds") for each in (result, copy)]
    pd.testing.assert_frame_equal(*frames)
