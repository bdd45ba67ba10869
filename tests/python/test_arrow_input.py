"""Tables that speak Arrow are read by name and give what arrays and frames give."""

import numpy as np
import pandas as pd
import pytest

import redoubt
from redoubt._models.arrow import ArrowColumns

pa = pytest.importorskip("pyarrow")


class OnlyArrow:
    """Nothing but the protocol: what a library that we do not know looks like."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__()


def as_arrow(table):
    """The table in other types and another order."""
    gaps = [None if np.isnan(value) else value for value in table["income"]]
    return pa.table(
        {
            "kids": pa.array(table["kids"].tolist(), type=pa.int8()),
            "more": pa.array([b"x"] * len(table)),
            "job": pa.array(table["job"].tolist()).dictionary_encode(),
            "income": pa.chunked_array([gaps[:10], gaps[10:]], type=pa.float64()),
            "home": pa.array(table["home"].tolist()),
        }
    )


@pytest.mark.parametrize("is_file", [False, True])
def test_texts_and_gaps(bank, tmp_path, is_file):
    model, table, y = bank
    if is_file:
        redoubt.save_model(model, tmp_path / "model.json")
        model = redoubt.load_model(tmp_path / "model.json")
    expected = redoubt.certify(model, table, y)
    arrow = as_arrow(table)
    for rows in (arrow, OnlyArrow(arrow), OnlyArrow(table), arrow.combine_chunks().to_batches()[0]):
        found = redoubt.certify(model, rows, y)
        assert found.radius.tolist() == expected.radius.tolist()
        assert found.prediction.tolist() == expected.prediction.tolist()
        assert list(found.moved["job"]) == list(expected.moved["job"])
    attacks = redoubt.attack(model, arrow, y, 0.5)
    assert attacks.success.tolist() == redoubt.attack(model, table, y, 0.5).success.tolist()
    if is_file:
        assert model.predict(arrow).tolist() == model.predict(table).tolist()


def test_slices_start_where_they_should(bank):
    model, table, y = bank
    expected = redoubt.certify(model, table, y).radius
    arrow = as_arrow(table)
    for start in (0, 1, 7, 8, 9, 33):
        found = redoubt.certify(model, arrow.slice(start, 20), y[start : start + 20])
        assert found.radius.tolist() == expected[start : start + 20].tolist()


NUMERIC = [
    *(pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64()),
    *(pa.uint64(), pa.float16(), pa.float32(), pa.float64()),
]


@pytest.mark.parametrize("kind", NUMERIC, ids=str)
def test_every_type_of_number(kind):
    values = np.array([0, 1, 2, 100, 7, 5, 3, 1, 9])
    typed = values.astype(np.float16) if kind == pa.float16() else values.tolist()
    column = pa.array(typed, type=kind)
    with_gap = pa.concat_arrays([column, pa.nulls(1, type=kind)])
    table = ArrowColumns(pa.table({"a": column, "b": with_gap.slice(0, 9)}))
    assert table.numbers([0, 1]).tolist() == np.column_stack([values, values]).tolist()
    assert table.column(0).tolist() == values.tolist()
    gaps = ArrowColumns(pa.table({"b": with_gap})).column(0)
    assert gaps[:9].tolist() == values.tolist() and np.isnan(gaps[9])


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_every_type_of_text(kind):
    texts = ["", "kurz", "exactly 12 b", "thirteen byte", None, "ä€𝄞", "x" * 1000]
    table = ArrowColumns(pa.table({"a": pa.array(texts, type=kind)}).slice(1))
    assert table.column(0).tolist() == texts[1:]
    coded = pa.array([*texts, "kurz"]).dictionary_encode()
    assert ArrowColumns(pa.table({"a": coded})).column(0).tolist() == [*texts, "kurz"]


def test_half_floats_to_the_bit():
    every = np.arange(0x7C00, dtype=np.uint16).view(np.float16)
    every = np.concatenate([every, -every])
    found = ArrowColumns(pa.table({"a": pa.array(every)})).numbers([0])
    assert found[:, 0].tolist() == every.astype(float).tolist()


def test_booleans_with_gaps_at_every_offset():
    values = [True, None, False, True, True, None, False, False, True, None, True]
    column = pa.array(values)
    for start in range(len(values)):
        table = ArrowColumns(pa.table({"a": column.slice(start)}))
        assert table.column(0).tolist() == values[start:]


def test_names_count_and_not_places(noisy):
    X, y = noisy
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = redoubt.LinearSVMClassifier().fit(frame, y)
    turned = pa.Table.from_pandas(frame[list("edcba")])
    assert model.predict(turned).tolist() == model.predict(frame).tolist()
    radii = redoubt.certify(model, turned, y).radius
    assert radii.tolist() == redoubt.certify(model, frame, y).radius.tolist()
    plain = redoubt.LinearSVMClassifier().fit(X, y)
    assert plain.predict(pa.Table.from_pandas(frame)).tolist() == plain.predict(X).tolist()


def test_refusals_are_one_line(noisy, bank):
    X, y = noisy
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = redoubt.LinearSVMClassifier().fit(frame, y)
    table = pa.Table.from_pandas(frame)
    gap = pa.array([0.0, 1.0, None] + [0.0] * (len(X) - 3))
    cases = [
        (table.set_column(1, "b", gap), "column 'b': row 2 has no value"),
        (table.drop_columns(["c"]), "column of the model not found: 'c'"),
        (table.set_column(0, "a", pa.array(["x"] * len(X))), "'a': expected numbers, got texts"),
        (table.append_column("a", table["a"]), "expected each column once, got 2 called 'a'"),
        (
            table.set_column(0, "a", pa.array([0] * len(X), type=pa.timestamp("s"))),
            "'a': expected numbers, got the Arrow type 'tss:'",
        ),
    ]
    for rows, message in cases:
        with pytest.raises(ValueError, match=message) as error:
            redoubt.certify(model, rows, y)
        assert "\n" not in str(error.value)
    with pytest.raises(TypeError, match="expected a table or record batch"):
        redoubt.certify(model, pa.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="expected a category|does not know|unknown categories"):
        redoubt.certify(bank[0], as_arrow(bank[1].assign(job="pilot")))


def test_polars_and_duckdb(bank):
    model, table, y = bank
    expected = redoubt.certify(model, table, y).radius.tolist()
    arrow = as_arrow(table)
    polars = pytest.importorskip("polars")
    for rows in (polars.from_arrow(arrow), OnlyArrow(polars.from_arrow(arrow))):
        assert redoubt.certify(model, rows, y).radius.tolist() == expected
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.sql("select job, home, income, kids from arrow")
    assert redoubt.certify(model, relation, y).radius.tolist() == expected
