"""Frames with texts and gaps as features: by hand, and bad ones."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from redoubt._tables.coding import Coding
from redoubt._tables.columns import Column, FileColumn
from redoubt._tables.frames import TableReader, table_like

AGE = FileColumn.of("age", fill=3.5, indicator=True)
JOB = FileColumn.of("job", ("clerk", "cook", "7"), other=True, fill="cook")
CITY = FileColumn.of("city", ("x", "y"), missing_category=True)
COLUMNS = Coding([AGE, JOB, CITY])


def by_hand(rows):
    """Features and missing entries, entry by entry."""
    features, missing = [], []
    for age, job, city in rows:
        jobs = ["clerk", "cook", "7", "(other)"]
        known = job if job in jobs else "cook" if job is None else "(other)"
        place = "(missing)" if city is None else city
        features.append(
            [3.5 if age is None else age, age is None]
            + [known == each for each in jobs]
            + [place == each for each in ("x", "y", "(missing)")]
        )
        missing.append([age is None, job is None, False])
    return np.array(features, dtype=float), np.array(missing)


def random_rows(seed, n=50):
    rng = np.random.default_rng(seed)

    def pick(*values):
        return values[rng.integers(len(values))]

    return [
        (pick(1.0, -2.5, None), pick("clerk", "cook", "7", "pilot", None), pick("x", "y", None))
        for _ in range(n)
    ]


def frames_of(rows):
    """The same table in every way that it comes."""
    names = ("age", "job", "city")
    columns = dict(zip(names, map(list, zip(*rows)), strict=True))
    yield columns
    yield pd.DataFrame(columns)
    yield pd.DataFrame(columns)[["city", "age", "job"]].assign(more="?")
    yield pd.DataFrame(columns).astype({"job": "category", "city": "category"})
    yield pd.DataFrame(columns).convert_dtypes()
    yield pl.DataFrame(columns)
    yield pl.DataFrame(columns).with_columns(pl.col("job").cast(pl.Categorical))
    texts = {
        name: ["?" if value is None else f" {value} " for value in values]
        for name, values in columns.items()
    }
    yield pd.DataFrame(texts)


@pytest.mark.parametrize("seed", range(3))
def test_every_kind_of_frame_gives_the_same_features(seed):
    rows = random_rows(seed)
    features, missing = by_hand(rows)
    for frame in frames_of(rows):
        coded = COLUMNS.code(frame)
        np.testing.assert_array_equal(coded.expanded(), features)
        np.testing.assert_array_equal(coded.filled, missing)
        np.testing.assert_array_equal(coded.take([3, 1]).expanded(), features[[3, 1]])
        parts = [coded.take(part).expanded() for part in coded.chunks(max_bytes=500)]
        assert len(parts) > 5
        np.testing.assert_array_equal(np.concatenate(parts), features)
        for row, frozen in enumerate(coded.frozen()):
            age, job, _ = missing[row].tolist()
            assert frozen == [0] * age + [2, 3, 4, 5] * job  # an indicator never moves


def test_names_of_features():
    assert COLUMNS.feature_names() == [
        *("age", "age is missing", "job=clerk", "job=cook", "job=7", "job=(other)"),
        *("city=x", "city=y", "city=(missing)"),
    ]
    assert COLUMNS.group_at.tolist() == [2, 6]
    assert COLUMNS.mark_at.tolist() == [1]
    assert COLUMNS.features_by_column()[0] == ("age", 0, [], 1)
    assert COLUMNS.features_by_column()[1][:2] == ("job", 2)


def test_moved_features_become_rows_of_the_table():
    columns = {"age": [1.0, None], "job": ["cook", None], "city": ["x", None]}
    frame = pd.DataFrame(columns, index=[5, 9])
    coded = COLUMNS.code(frame)
    moved = coded.expanded()
    moved[0, 0] = 2.5
    moved[0, 2:6] = [0, 0, 0, 1]
    moved[0, 6:] = [0, 0, 1]

    def table(X, features, known):
        return table_like(X, TableReader(X, COLUMNS), coded, coded.moved_to(features), known)

    every = np.ones(2, dtype=bool)
    rows = table(frame, moved, every)
    assert rows.index.tolist() == [5, 9]
    assert rows.iloc[0, :2].tolist() == [2.5, "(other)"]
    assert rows.iloc[0]["city"] is None or rows.isna().iloc[0]["city"]
    assert rows.iloc[1].isna().all()  # what was missing, and has not moved, still is
    assert table(frame, moved, ~every).isna().all(axis=None)
    like = pl.DataFrame(columns)
    assert table(like, coded.expanded(), every).equals(like)
    assert table(like, moved, every)["job"].to_list() == ["(other)", None]
    told = table(columns, moved, every)
    assert told["job"].tolist() == ["(other)", None]
    np.testing.assert_array_equal(told["age"], [2.5, np.nan])
    assert columns["job"] == ["cook", None]  # the table itself stays


def test_what_a_type_cannot_hold_becomes_text():
    """The text "False" is a true value to NumPy."""
    flags = Coding([FileColumn.of("flag", ("False", "True")), FileColumn.of("code", ("1", "x"))])
    for frame in (
        pd.DataFrame({"flag": [True, False], "code": [1, 1]}),
        pl.DataFrame({"flag": [True, False], "code": [1, 1]}),
    ):
        coded = flags.code(frame)
        moved = coded.expanded()[:, [1, 0, 3, 2]]  # the other member of each
        every = np.ones(2, dtype=bool)
        rows = table_like(frame, TableReader(frame, flags), coded, coded.moved_to(moved), every)
        np.testing.assert_array_equal(flags.code(rows).expanded(), moved)


def test_numbers_match_categories_that_are_texts_of_them():
    zips = Coding([FileColumn.of("zip", ("1", "2.5", "10"))])
    for values in ([1, 10], [1.0, 10.0], np.array([1, 10]), ["1", "10 "]):
        assert zips.code({"zip": values}).codes[:, 0].tolist() == [0, 2]
    flags = Coding([FileColumn.of("flag", ("FALSE", "true"))])
    assert flags.code(pd.DataFrame({"flag": [True, False]})).codes[:, 0].tolist() == [1, 0]
    # Otherwise a category is what it is.
    plain = Coding([Column("zip", "categories", [1, "1", "?"])])
    mixed = {"zip": np.array([1, "1", "?"], dtype=object)}
    assert plain.code(mixed).codes[:, 0].tolist() == [0, 1, 2]


GOOD = {"age": [1.0, 2.0], "job": ["cook", "clerk"], "city": ["x", "y"]}
STRICT = Coding([FileColumn.of("age"), FileColumn.of("job", ("clerk", "cook"))])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"age": None}, "X: column of the model not found: 'age'; X has 'job', 'city'"),
        ({"age": ["old", 1]}, "X: column 'age': expected a number, got 'old' in row 0"),
        ({"age": [1.0, np.inf]}, "X: column 'age': expected finite numbers, got inf in row 1"),
        (
            {"age": pd.to_datetime(["2020-01-01", "2020-01-02"])},
            "X: column 'age': expected numbers, got datetime64",
        ),
        ({"age": [1.0, None]}, "X: column 'age': row 1 has no value, and the model has none"),
        (
            {"job": ["pilot", "cook"]},
            r"X: column 'job': expected a category of the model \('clerk', 'cook'\), got 'pilot'",
        ),
        ({"job": ["cook", "?"]}, "X: column 'job': row 1 has no value"),
        ({"job": ["cook"]}, "X: column 'job' has 1 rows, and 'age' has 2"),
        ({"job": [["cook"], ["clerk"]]}, "X: column 'job': expected one dimension, got 2"),
        ({"job": "cook"}, "X: column 'job': expected a list of values, got 'cook'"),
        ({"job": np.array([1, 2])}, r"'job': expected a category of the model \(.*\), got 1 in row 0"),
    ],
)
def test_bad_tables_are_refused_in_one_line(change, message):
    table = {name: value for name, value in {**GOOD, **change}.items() if value is not None}
    with pytest.raises(ValueError, match=message) as error:
        STRICT.code(table)
    assert "\n" not in str(error.value)


def test_columns_that_occur_twice():
    frame = pd.DataFrame([[1.0, "cook", 2.0]], columns=["age", "job", "age"])
    with pytest.raises(ValueError, match="X: expected each column once, got 2 called 'age'"):
        STRICT.code(frame)
    # Those that the model does not look at may.
    frame.columns = ["age", "job", "job2"]
    STRICT.code(pd.concat([frame, frame[["job2"]]], axis=1))


def test_many_categories_take_little_memory():
    rng = np.random.default_rng(0)
    names = [f"v{i}" for i in range(1000)]
    columns = Coding([FileColumn.of(f"c{i}", names) for i in range(10)])
    frame = pd.DataFrame({f"c{i}": rng.choice(names, 5000) for i in range(10)})
    coded = columns.code(frame)
    assert columns.n_features == 10_000
    assert coded.codes.nbytes + coded.filled.nbytes < 1 << 20
    sizes = [coded.take(part).expanded().nbytes for part in coded.chunks()]
    assert max(sizes) <= 64 << 20
    assert sum(sizes) == 8 * 5000 * 10_000
