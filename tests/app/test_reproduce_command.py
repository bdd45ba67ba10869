"""The source paper's experiments, as a user reruns them."""

import csv
import json
import signal
from pathlib import Path

import pytest

ALWAYS = {
    "datasets.csv",
    "accuracy.csv",
    "comparison.csv",
    "comparison_summary.csv",
    "training_time.csv",
    "speedup.csv",
    "stability.csv",
    "ceiling.csv",
    "errata.csv",
    "run.json",
}


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def published(redoubt_in, tmp_path_factory):
    """A folder with the published Gaussian tables, rerun."""
    folder = tmp_path_factory.mktemp("published")
    run = redoubt_in(folder)(
        "reproduce", "--dataset", "gaussian", "--as-published", "--out", "results"
    )
    assert run.code == 0, run.err
    return run, folder / "results"


def test_writes_a_file_per_table(published):
    run, folder = published
    assert {path.name for path in folder.iterdir()} == ALWAYS
    record = json.loads((folder / "run.json").read_text())
    assert record["summary"].startswith("as published: ")
    assert "of 456 cells equal" in record["summary"]
    assert "as published: " + run.fact("as published") == record["summary"]
    assert str(folder) not in (folder / "run.json").read_text()


def test_every_published_cell_is_compared(published):
    _, folder = published
    cells = read(folder / "comparison.csv")
    assert len(cells) == 456
    for cell in cells:
        own, printed = float(cell["own"]), float(cell["published"])
        if cell["verdict"] == "equal":
            assert abs(own - printed) < 0.051
            assert (cell["n_points"], cell["explanation"]) == ("0", "")
        else:
            assert abs(own - printed) > 0.051
            assert int(cell["n_points"]) == round((own - printed) / 100 * 40)
            assert cell["explanation"]
            assert (cell["explanation"] == "unexplained") == (cell["evidence"] == "")
    total = [row for row in read(folder / "comparison_summary.csv") if row["method"] == "all"]
    n_equal = sum(cell["verdict"] == "equal" for cell in cells)
    assert [int(row["n_equal"]) for row in total if row["table"] == "accuracy"] == [n_equal]


def test_only_what_was_trained_here_has_a_time(published):
    _, folder = published
    assert {row["mode"] for row in read(folder / "training_time.csv")} == {"published"}
    assert read(folder / "speedup.csv") == []


def test_winners_are_marked(published):
    _, folder = published
    rows = read(folder / "accuracy.csv")
    for row in rows:
        contest = [
            float(other["accuracy"])
            for other in rows
            if all(other[key] == row[key] for key in ("mode", "norm", "attack_radius"))
        ]
        assert (row["is_best"] == "1") == (float(row["accuracy"]) == max(contest))


@pytest.mark.slow
def test_corrected_form_has_every_method_in_every_norm(redoubt, tmp_path):
    run = redoubt("reproduce", "--dataset", "gaussian", "--out", "results")
    assert run.code == 0, run.err
    rows = read(tmp_path / "results" / "accuracy.csv")
    own = {(row["norm"], row["method"]) for row in rows if row["mode"] == "corrected"}
    methods = ("SVM-Ens", "RO-SVM", "Ens-E", "Ens-R", "Ens-H", "Ens-C")
    assert own == {(norm, method) for norm in ("l1", "l2", "linf") for method in methods}
    # A speed is a ratio where a time was published.
    speeds = read(tmp_path / "results" / "speedup.csv")
    assert len(speeds) == 2 * (1 + 6 + 6 + 6)
    for row in speeds:
        printed, trained = float(row["published_seconds"]), float(row["own_seconds"])
        if printed == 0.0:
            assert row["ratio"] == ""
        else:
            assert float(row["ratio"]) == pytest.approx(printed / trained)


def test_committed_summary_is_what_comes_out(published):
    """The counts under docs/ are those of this program."""
    _, folder = published
    committed = Path(__file__).parents[2] / "docs" / "reproduction" / "comparison_summary.csv"
    wanted = [
        row
        for row in read(committed)
        if (row["mode"], row["table"], row["dataset"]) == ("as_published", "accuracy", "gaussian")
    ]
    assert wanted
    assert [row for row in read(folder / "comparison_summary.csv") if row["dataset"] != "all"] == wanted


@pytest.mark.slow
def test_other_choices_give_other_cells(redoubt, published):
    run, _ = published
    usual = run.fact("as published")
    for choice in (("--svm", "exact"), ("--first-plane", "least-norm"), ("--perturbation", "shortest")):
        other = redoubt("reproduce", "--dataset", "gaussian", "--as-published", *choice)
        assert other.code == 0, other.err
        assert other.fact("as published") != usual, choice


@pytest.mark.slow
def test_growth_and_splits(redoubt, tmp_path):
    run = redoubt(
        "reproduce", "--dataset", "gaussian", "--norm", "l2", "--as-published", "--k-development",
        "--splits", "2", "--out", "results",
    )  # fmt: skip
    assert run.code == 0, run.err
    folder = tmp_path / "results"
    grown = read(folder / "k_development.csv")
    for mode in ("published", "as_published"):
        for method in ("SVM-Ens", "RO-SVM", "Ens-E", "Ens-H"):
            counts = [
                int(row["k"]) for row in grown if (row["mode"], row["method"]) == (mode, method)
            ]
            assert counts == list(range(5, 80, 5))
    splits = read(folder / "splits.csv")
    assert {row["split"] for row in splits} == {"0", "1"}
    for row in read(folder / "splits_summary.csv"):
        same = [
            float(split["accuracy"])
            for split in splits
            if (split["method"], split["attack_radius"]) == (row["method"], row["attack_radius"])
        ]
        assert float(row["accuracy_mean"]) == pytest.approx(sum(same) / 2, abs=1e-5)
        assert float(row["accuracy_mean"]) <= float(row["ceiling_mean"]) + 1e-9
    # Tables that the next run does not make are taken away.
    again = redoubt(
        "reproduce", "--dataset", "gaussian", "--norm", "l2", "--as-published", "--out", "results"
    )
    assert again.code == 0
    assert {path.name for path in folder.iterdir()} == ALWAYS


@pytest.mark.release_only
def test_results_do_not_depend_on_threads(redoubt, tmp_path):
    for threads in ("1", "2"):
        run = redoubt(
            "reproduce", "--dataset", "gaussian", "--norm", "linf", "--as-published",
            "--threads", threads, "--out", threads,
        )  # fmt: skip
        assert run.code == 0, run.err
    one, two = ((tmp_path / t / "accuracy.csv").read_text() for t in "12")
    assert one == two


def test_interrupt_writes_nothing(start, tmp_path):
    process = start("reproduce", "--norm", "linf", "--dataset", "digits3", "--out", "results")
    folder = tmp_path / "results"
    while not folder.exists():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "interrupted; nothing was written" in err
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "--dataset heart",
            "--dataset: expected 'gaussian', 'bcw', 'digits3' or 'digits7', got 'heart'",
        ),
        ("--both --as-published", "--as-published: specify --as-published or --both, not both"),
        ("--svm exact", "--svm: specify --as-published or --both as well"),
        ("--splits -1", "--splits: expected an integer >= 0, got '-1'"),
        ("--norm l2,l3", "--norm: expected 'l1', 'l2' or 'linf', got 'l3'"),
        ("--out file", "file: cannot write the file: Not a directory"),
    ],
)
def test_mistakes(redoubt, tmp_path, arguments, message):
    (tmp_path / "file").write_text("")
    run = redoubt("reproduce", *arguments.split())
    assert (run.code, run.out, run.err) == (2, "", f"redoubt: {message}\n")
