"""Rules about the columns of a table, explanations in its terms, and tables that do not fit."""

import pickle

import numpy as np
import pandas as pd
import pytest
import redoubt
from random_pipelines import fit_quietly, random_labels, random_table
from redoubt import AttackModel
from redoubt.displays import GrowthDisplay
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

RNG = np.random.default_rng(4)
TABLE = random_table(RNG, 150)
LABELS = random_labels(RNG, TABLE)


def table_model(table=TABLE):
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    return fit_quietly(
        Pipeline(
            [
                (
                    "columns",
                    ColumnTransformer(
                        [
                            ("n", numbers, ["age", "income"]),
                            ("t", OneHotEncoder(handle_unknown="ignore"), ["job", "city"]),
                        ],
                        remainder="passthrough",
                    ),
                ),
                ("last", LogisticRegression(max_iter=1000)),
            ]
        ),
        table,
        LABELS,
    )


MODEL = table_model()


# --- rules ----------------------------------------------------------------------------------------


def test_rules_by_column():
    rules = AttackModel(
        "l1",
        scale={"age": 10.0, "income": 5.0, "rooms": 1.0},
        frozen=["city"],
        increase_only=["age"],
        integer=["age", "rooms"],
        bounds={"age": (0, 100), "rooms": (1, 4)},
        switch_cost={"job": 0.5, "member": 2.0},
    )
    result = redoubt.certify(MODEL, TABLE, LABELS, attack_model=rules)
    assert set(result.status) == {"optimal"}
    moved, known = result.moved, np.isfinite(result.radius)
    assert (moved["city"] == TABLE["city"]).all()
    assert (moved["age"] >= TABLE["age"])[known & TABLE["age"].notna()].all()
    assert (moved["age"].dropna() == moved["age"].dropna().round()).all()
    assert moved["rooms"][known].isin([1, 2, 3, 4]).all()
    assert moved["member"][known].isin([0.0, 1.0]).all()
    assert (moved["job"] != TABLE["job"])[known].any()
    assert result.scale["job"] == 0.5 and result.scale["city"] == 0.0
    assert result.attack_model == rules


def test_units_are_stated():
    result = redoubt.certify(MODEL, TABLE[:5], norm="l1")
    deviations = TABLE[["age", "income"]].fillna(TABLE[["age", "income"]].mean()).std(ddof=0)
    assert result.units == "scaled" and "scaled units" in repr(result)
    assert result.scale["age"] == pytest.approx(deviations["age"])
    assert result.scale["rooms"] == 1.0 and result.scale["job"] == 1.0
    raw = redoubt.certify(MODEL, TABLE[:5], attack_model=AttackModel("l1"))
    assert raw.units == "raw" and raw.scale["age"] == 1.0
    scaled = redoubt.certify(MODEL, TABLE[:5], attack_model=AttackModel("l1", "scaled"))
    np.testing.assert_array_equal(scaled.radius, result.radius)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"frozen": ["jop"]}, r"frozen\[0\]: expected the name of a column, found 'jop'; did you mean 'job'\?"),
        ({"frozen": [9]}, "there is no column 9; they are numbered 0 to 5"),
        ({"increase_only": ["job"]}, "increase_only.*found the text column 'job'"),
        ({"bounds": {"city": (0, 1)}}, "bounds.city: expected a column of numbers, found the text column"),
        ({"integer": ["city"]}, "integer.*found the text column 'city'"),
        ({"scale": {"job": 2.0}}, "scale.job: expected a column of numbers.*have a switch_cost"),
        ({"switch_cost": {"jobs": 2.0}}, "switch_cost: expected the name of a column, found 'jobs'; did you"),
        ({"switch_cost": {"age": 0.0}}, "switch_cost.age: expected a number > 0 for a column of numbers"),
        ({"scale": [1.0, 2.0]}, r"scale: expected one entry per column \(6\), got 2"),
        ({"bounds": {"age": (0, 20)}}, "expected values within the attack model's range .* 'age'"),
    ],
    ids=lambda each: None if isinstance(each, str) else next(iter(each)),
)
def test_rules_that_do_not_fit(rules, message):
    with pytest.raises(ValueError, match=message):
        redoubt.certify(MODEL, TABLE, attack_model=AttackModel(**rules))


def test_the_row_that_breaks_a_rule_is_named():
    table = TABLE.dropna(ignore_index=True)
    table.loc[7, "age"] = 500.0
    with pytest.raises(ValueError, match="got 500 for 'age' in row 7"):
        redoubt.certify(MODEL, table, attack_model=AttackModel(bounds={"age": (0, 200)}))
    gaps = TABLE.copy()
    row = int(np.flatnonzero(gaps["income"].isna() & gaps["age"].notna())[0])
    gaps.loc[row, "age"] = 500.0
    with pytest.raises(ValueError, match=f"'age' in row {row}"):
        redoubt.certify(MODEL, gaps, attack_model=AttackModel(bounds={"age": (0, 200)}))


def test_rules_proposed_from_a_frame():
    rules = AttackModel.from_frame(TABLE, "l1", bounds="data", frozen=["city"])
    assert rules.integer == ("rooms",)
    assert rules.switch_cost == {"job": 1.0, "member": 1.0}
    assert set(rules.bounds) == {"age", "income", "rooms"}
    assert "categories, a switch costs 1: job, member" in str(rules)
    assert "2 switching columns" in rules.brief()
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert AttackModel.from_dict(rules.to_dict()) != rules  # a file's default scale is written out
    assert AttackModel.from_dict(rules.to_dict()).switch_cost == rules.switch_cost
    result = redoubt.certify(MODEL, TABLE, attack_model=rules)
    assert set(result.status) == {"optimal"}
    polars = pytest.importorskip("polars")
    columns = {name: [None if pd.isna(v) else v for v in TABLE[name]] for name in TABLE}
    same = AttackModel.from_frame(polars.DataFrame(columns), "l1", bounds="data", frozen=["city"])
    assert same.switch_cost == rules.switch_cost and same.integer == rules.integer
    for key in ("rooms", 2):  # its numbers are codes
        codes = AttackModel.from_frame(TABLE, bounds="data", switch_cost={key: 2.0})
        assert codes.integer is None or "rooms" not in codes.integer
        assert set(codes.bounds) == {"age", "income"}
        assert codes.switch_cost == {key: 2.0, "job": 1.0, "city": 1.0, "member": 1.0}
    odd = TABLE.assign(since=pd.Timestamp("2020-01-01"), empty=np.nan)
    assert AttackModel.from_frame(odd, "l1", bounds="data", frozen=["city"]) == rules
    with pytest.raises(TypeError, match="frame: expected a data frame, got ndarray"):
        AttackModel.from_frame(np.eye(2))


def test_missing_entries_move_where_the_rules_say_so():
    rules = AttackModel("l1", scale="scaled", frozen=["income", "rooms", "job", "city", "member"])
    rows = TABLE[TABLE["age"].isna()]
    assert np.isinf(redoubt.certify(MODEL, rows, attack_model=rules).radius).all()
    fills = AttackModel(**{**rules._values(), "missing": "free"})
    assert AttackModel.from_dict(fills.to_dict()).missing == "free"
    result = redoubt.certify(MODEL, rows, attack_model=fills)
    assert np.isfinite(result.radius).all() and result.moved["age"].notna().all()
    assert (MODEL.predict(result.moved) != MODEL.predict(rows)).all()
    filled = rows.assign(age=TABLE["age"].mean())  # what the imputer takes them for
    same = redoubt.certify(MODEL, filled, attack_model=rules)
    np.testing.assert_allclose(result.radius, same.radius, rtol=1e-9)


def test_a_switch_of_a_plain_number():
    X = np.array([[0.0, 1.0], [1.0, 0.0]])
    vote = redoubt.Ensemble([[1.0, 0.1]], [-0.5])
    rules = AttackModel("l1", frozen=[1], switch_cost={0: 3.0})
    assert redoubt.certify(vote, X, attack_model=rules).radius == pytest.approx(3.0)


# --- answers --------------------------------------------------------------------------------------


def test_attacks_of_a_table_are_tables():
    rows, y = TABLE[:40], LABELS[:40]
    result = redoubt.certify(MODEL, rows, y, norm="l1")
    finite = np.isfinite(result.radius)
    radii = np.where(finite, np.abs(result.radius) * 1.01, 1.0)
    attacks = redoubt.attack(MODEL, rows, y, radii, norm="l1")
    right = result.radius > 0
    assert attacks.success[right & finite].all()
    assert (MODEL.predict(attacks.moved) != y)[right & finite].all()
    weak = redoubt.attack(MODEL, rows, y, np.abs(result.lower) * 0.99, norm="l1")
    assert not weak.success[right].any()
    copy = pickle.loads(pickle.dumps(attacks))
    pd.testing.assert_frame_equal(copy.moved, attacks.moved)
    assert "moved" not in attacks.to_frame() and len(attacks.to_frame()) == 40


def test_explanations_speak_of_columns_and_categories():
    rules = AttackModel("l1", scale="scaled", frozen=["age", "income", "rooms"])
    told = redoubt.explain(MODEL, TABLE[:25], attack_model=rules)
    with_switch = 0
    for k, one in enumerate(told):
        assert "\x02" not in one.sentence and "switched on" not in one.sentence
        if not np.isfinite(one.radius):
            assert one.sentence.endswith("whatever the adversary does")
            continue
        assert one.is_changed
        assert MODEL.predict(one.moved)[0] != MODEL.predict(one.row)[0] == one.answer
        pd.testing.assert_frame_equal(one.row, TABLE[k : k + 1])
        assert sum(move.share for move in one.attack) == pytest.approx(1.0)
        for move in one.attack:
            with_switch += move.feature in ("job", "city")
            if move.feature in ("job", "city"):
                assert move.after == one.moved[move.feature].iloc[0] != move.before
                if len(one.attack) == 1:
                    before, after = move.before, move.after
                    assert f"{move.feature} changes from '{before}' to '" in one.sentence
                    assert f"{move.feature}  " in str(one) and after in str(one)
        # All categories of a column that do it, together.
        assert max(one.sentence.count(f"{name} changes") for name in ("job", "city")) <= 1
    assert with_switch > 5
    assert any(" or '" in one.sentence for one in told)
    assert set(told[0].to_frame().index) == {"age", "income", "rooms", "job", "city", "member"}


def test_one_row_is_explained_as_a_series_or_an_array():
    row = TABLE.dropna().iloc[3]
    one = redoubt.explain(MODEL, row)
    table = redoubt.explain(MODEL, TABLE.dropna().iloc[[3]])
    assert one.sentence == table[0].sentence and one.radius == table[0].radius
    single = {each.feature: each for each in one.singles}["age"]
    assert single.before == row["age"]
    if np.isfinite(single.up_to):
        other = pd.DataFrame([row]).assign(age=single.up_to * (1 + 1e-12))
        assert MODEL.predict(other.infer_objects())[0] != one.answer


def test_missing_entries_are_named_and_stay():
    row = TABLE[TABLE["age"].isna()][:1]
    one = redoubt.explain(MODEL, row, norm="l1")[0]
    assert one.moved["age"].isna().all()
    assert {each.feature: each for each in one.singles}["age"].size == np.inf


def test_several_classes_and_nullable_types():
    y = np.array(["a", "b", "c"])[np.arange(len(TABLE)) % 3]
    jobs = TABLE["job"].fillna("nurse").astype("string")
    table = TABLE.assign(rooms=TABLE["rooms"].astype("Int64"), job=jobs)
    model = fit_quietly(clone(MODEL), table, y)
    rows, labels = table[:20], y[:20]
    result = redoubt.certify(model, rows, labels, norm="l1")
    assert set(result.status) == {"optimal"}
    before, after = model.predict(rows), model.predict(result.moved)
    right = before == labels
    assert (after != before)[right].all() and (after == labels)[~right].all()
    attacks = redoubt.attack(model, rows, labels, np.abs(result.radius) * 1.01, norm="l1")
    assert attacks.success.all()
    least = [explanation.radius for explanation in redoubt.explain(model, rows, norm="l1")]
    np.testing.assert_allclose(least, redoubt.certify(model, rows, norm="l1").radius, rtol=1e-9)


# --- tables that do not fit -----------------------------------------------------------------------


def test_frames_with_other_columns():
    expected = redoubt.certify(MODEL, TABLE).radius
    reordered = TABLE[TABLE.columns[::-1]]
    np.testing.assert_array_equal(redoubt.certify(MODEL, reordered).radius, expected)
    more = TABLE.assign(number=range(len(TABLE)))
    result = redoubt.certify(MODEL, more)
    np.testing.assert_array_equal(result.radius, expected)
    assert (result.moved["number"] == more["number"]).all()


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (TABLE.drop(columns="job"), "X: column of the model not found: 'job'; X has 'age'"),
        (TABLE.rename(columns={"age": "Age"}), "X: column of the model not found: 'age'; X has"),
        (pd.concat([TABLE, TABLE[["job"]]], axis=1), "X: expected each column once, got 2 called 'job'"),
        (TABLE.assign(age="old"), "X: column 'age': expected a number, got 'old' in row 0"),
        (TABLE.assign(rooms=pd.Timestamp(0)), "X: column 'rooms': expected numbers, got datetime64"),
        (TABLE.assign(job=3.5), "X: column 'job': expected a text such as 'clerk', got 3.5 in row 0"),
        (TABLE.assign(rooms=np.nan), "X: column 'rooms': row 0 has no value, and the model has none"),
        (TABLE.assign(age=1j), "X: column 'age': expected numbers, got complex128"),
        (
            pd.concat([TABLE.assign(more=1), TABLE.assign(more=1)[["more"]]], axis=1),
            "X: expected each column once, got 2 called 'more'",
        ),
        (TABLE.to_numpy(dtype=object)[:, :4], r"X: expected an array of 6 columns, got shape \(150, 4\)"),
        (TABLE.to_numpy(dtype=object), "X: expected a data frame, because the model finds its columns"),
        (dict(TABLE), r"X: expected a data frame, got a dict; pass pandas.DataFrame\(X\)"),
        (dict(TABLE.iloc[0]), r"or pandas.DataFrame\(\[X\]\) for one row"),
        ("loans.csv", "X: expected a table of 6 columns, got 'loans.csv'"),
        (None, "X: expected a table of 6 columns, got None"),
    ],
)
def test_frames_that_do_not_fit_are_refused_in_one_line(bad, message):
    for ask in (
        lambda: redoubt.certify(MODEL, bad),
        lambda: redoubt.explain(MODEL, bad),
        lambda: redoubt.attack(MODEL, bad, LABELS, 0.5),
        lambda: redoubt.worst_expected_accuracy(MODEL, bad, LABELS, 0.5),
    ):
        with pytest.raises(ValueError, match=message) as error:
            ask()
        assert "\n" not in str(error.value)


def test_unfitted_steps():
    columns, last = MODEL["columns"], MODEL["last"]
    inner = table_model()
    inner["columns"].transformers_[1] = ("t", OneHotEncoder(), ["job", "city"])
    for model, step in (
        (make_pipeline(columns, LogisticRegression()), "Pipeline"),
        (make_pipeline(clone(columns), last), "ColumnTransformer"),
        (inner, "OneHotEncoder"),
    ):
        with pytest.raises(NotFittedError, match=f"This {step} instance is not fitted yet"):
            redoubt.certify(model, TABLE)


def test_steps_that_change_after_reading_are_read_again():
    model = table_model()
    first = redoubt.certify(model, TABLE[:20], norm="l1")
    again = redoubt.certify(model, TABLE[:20], norm="l1")
    np.testing.assert_array_equal(first.radius, again.radius)
    model["last"].coef_[0, 0] *= 2.0  # written into
    written = redoubt.certify(model, TABLE[:20], norm="l1")
    assert not np.array_equal(first.radius, written.radius)
    encoder, swapped = model["columns"].named_transformers_["t"], [1, 0]
    encoder.categories_[1][:2] = encoder.categories_[1][swapped]
    renamed = redoubt.certify(model, TABLE[:20], norm="l1")
    assert not np.array_equal(written.radius, renamed.radius)
    model.fit(TABLE[:100], LABELS[:100])
    fitted = redoubt.certify(model, TABLE[:20], norm="l1")
    assert not np.array_equal(written.radius, fitted.radius)
    encoder = model["columns"].named_transformers_["t"]
    encoder.handle_unknown = "error"
    rules = AttackModel("l1", scale="scaled", frozen=["age", "income", "rooms", "member"])
    moved = redoubt.certify(model, TABLE[:20], attack_model=rules).moved
    assert "(other)" not in set(moved["job"]) | set(moved["city"])


class OwnTransform(StandardScaler):
    def transform(self, X, copy=None):
        return super().transform(X, copy) ** 3


def test_a_reading_that_is_wrong_is_an_error():
    blocks = [("n", OwnTransform(), ["rooms"]), ("t", OneHotEncoder(), ["city"])]
    model = make_pipeline(ColumnTransformer(blocks), LogisticRegression(C=100.0))
    y = (TABLE["rooms"] == 4) | ((TABLE["city"] == "Rome") & (TABLE["rooms"] == 3))
    model.fit(TABLE, y)
    with pytest.raises(ValueError, match="predict gives another answer than its parts"):
        redoubt.certify(model, TABLE)


def test_what_takes_numbers_only_says_so():
    with pytest.raises(NotImplementedError, match="takes a table with categories or missing"):
        redoubt.to_onnx(MODEL)


def test_drawn_and_growing_votes_take_missing_entries():
    radii = [0.0, 0.3, 1.0]
    certified = redoubt.certify(MODEL, TABLE, LABELS, norm="l1")
    curve = redoubt.attack_curve(certified, LABELS, radii)
    drawn = redoubt.worst_expected_accuracy(MODEL, TABLE, LABELS, radii, norm="l1")
    # One plane: it is drawn always.
    np.testing.assert_allclose(drawn.mean, curve.accuracy, rtol=1e-12)
    np.testing.assert_array_equal(drawn.accuracy[2] > 0, certified.lower > 1.0)
    assert 0 < drawn.mean[2] < drawn.mean[1] < drawn.mean[0]
    rows = [5, 3, 8]
    alone = redoubt.worst_expected_accuracy(MODEL, TABLE.iloc[rows], LABELS[rows], radii, norm="l1")
    np.testing.assert_array_equal(alone.accuracy, drawn.accuracy[:, rows])
    pytest.importorskip("matplotlib").use("Agg")
    grown = GrowthDisplay.from_estimator(MODEL, TABLE, LABELS, attack_radii=radii, norm="l1")
    np.testing.assert_allclose(grown.accuracy[:, 0], curve.accuracy, rtol=1e-12)
