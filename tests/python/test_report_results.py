"""Reading the files of a run: what is damaged is named, with file and line."""

import json

import pytest
import redoubt
from redoubt.report._results import read_results
from report_run import write_run


@pytest.fixture
def run(tmp_path):
    write_run(tmp_path / "run", [("gaussian", "l2")])
    return tmp_path / "run"


def edit(path, line, old, new):
    """Replace text in one line, counted from 1."""
    lines = path.read_text().splitlines()
    assert old in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new, 1)
    path.write_text("\n".join(lines) + "\n")


def test_every_row_is_read(run):
    results = read_results(run)
    published = [row for row in results.accuracy if row.mode == "published"]
    assert len(published) == 12 + 3 * 72
    first = published[0]
    assert (first.method, first.attack_radius, first.accuracy) == ("SVM-Ens", 0.0, 100.0)
    assert first.balanced_accuracy is None
    assert first.is_best is True
    assert results.run["machine"]["threads"] == 2


def test_order_of_columns_and_further_columns_do_not_matter(run):
    path = run / "errata.csv"
    path.write_text("title,note,erratum,evidence\nA title,x,E1,Evidence\n")
    assert read_results(run).errata == [("E1", "A title", "Evidence")]


def test_a_column_that_may_be_left_out(run):
    path = run / "splits_summary.csv"
    assert read_results(run).splits_summary[0].balanced_ceiling_mean == 99.0
    lines = [line.rpartition(",")[0] for line in path.read_text().splitlines()]
    path.write_text("\n".join(lines) + "\n")
    assert read_results(run).splits_summary[0].balanced_ceiling_mean is None


@pytest.mark.parametrize("name", ["datasets.csv", "accuracy.csv", "run.json"])
def test_a_file_that_every_run_has(run, name):
    (run / name).unlink()
    with pytest.raises(FileNotFoundError, match=rf"{name}: missing; is .*`redoubt reproduce`"):
        read_results(run)


def test_no_such_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere: no such folder"):
        read_results(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("name", "line", "old", "new", "message"),
    [
        ("accuracy", 1, "attack_radius", "radius", "line 1: column attack_radius is missing"),
        ("accuracy", 3, "100.0", "abc", "line 3, column accuracy: expected a number, got 'abc'"),
        ("accuracy", 4, "100.0", "nan", "line 4, column accuracy: expected a number, got 'nan'"),
        ("accuracy", 5, "published", "printed", "line 5, column mode: expected one of published, "),
        ("accuracy", 2, "l2", "l3", "line 2, column norm: expected one of l1, l2, linf, got 'l3'"),
        ("accuracy", 2, ",,1", ",,2", "line 2, column is_best: expected 0 or 1, got '2'"),
        ("accuracy", 6, ",l2", "", "line 6: expected 9 cells, got 8"),
        ("datasets", 2, "200", "2e2", "line 2, column n_samples: expected an integer"),
        ("comparison", 2, ",equal", ",same", "line 2, column verdict: expected one of equal, "),
        ("stability", 2, ",accuracy", ",f1", "line 2, column measure: expected one of accuracy"),
        ("errata", 2, "E6", "", "line 2, column erratum: expected a text, got nothing"),
    ],
)
def test_damage_is_named(run, name, line, old, new, message):
    edit(run / f"{name}.csv", line, old, new)
    with pytest.raises(redoubt.ParseError) as caught:
        read_results(run)
    assert f"{name}.csv, {message}" in str(caught.value)


def test_a_cell_that_comes_twice(run):
    path = run / "accuracy.csv"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines, lines[1]]) + "\n")
    with pytest.raises(
        redoubt.ParseError, match=rf"line {len(lines) + 1}: the same cell as line 2"
    ):
        read_results(run)


def test_an_empty_file_and_bytes_that_are_no_text(run):
    (run / "ceiling.csv").write_text("")
    with pytest.raises(redoubt.ParseError, match=r"ceiling\.csv, line 1: expected a header"):
        read_results(run)
    (run / "ceiling.csv").write_bytes(b"dataset,\xff\n")
    with pytest.raises(redoubt.ParseError, match=r"ceiling\.csv: expected UTF-8"):
        read_results(run)


def test_damaged_run_json(run):
    (run / "run.json").write_text('{"redoubt": 1,\n}')
    with pytest.raises(redoubt.ParseError, match=r"run\.json, line 2: "):
        read_results(run)
    (run / "run.json").write_text(json.dumps([1]))
    with pytest.raises(
        redoubt.ParseError, match=r"run\.json, line 1: expected an object, got list"
    ):
        read_results(run)
