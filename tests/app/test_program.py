"""The program from the outside: results, exit codes, messages."""

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import redoubt as package

POINTS = "height,width,kind\n-3,1,low\n-1,2,low\n1,1,high\n4,2,high\n-2,1,low\n2,1,high\n"


@pytest.fixture
def points(tmp_path):
    path = tmp_path / "points.csv"
    path.write_text(POINTS)
    return path


def test_version(redoubt):
    run = redoubt("--version")
    assert (run.code, run.err) == (0, "")
    version, solvers, threads = run.out.splitlines()
    assert version == f"redoubt {package.__version__}"
    assert re.fullmatch(
        r"solvers: native, enumerate \(at most 16 planes\), mip \(HiGHS (\d+\.\d+\.\d+|not found)\)",
        solvers,
    )
    assert int(threads.removeprefix("threads: ")) == len(os.sched_getaffinity(0))


def test_version_knows_the_solver_that_is_there(redoubt, highs):
    assert re.search(r"mip \(HiGHS \d", redoubt("--version", env=highs).out)
    missing = {"REDOUBT_HIGHS": "nowhere.so"}
    assert "mip (HiGHS not found)" in redoubt("--version", env=missing).out


def test_help_goes_to_standard_output(redoubt):
    for arguments in (["--help"], ["train", "--help"], ["certify", "--help"], ["attack", "--help"]):
        run = redoubt(*arguments)
        assert (run.code, run.err) == (0, "")
        assert "Usage: redoubt" in run.out


def test_datasets_lists_every_name_with_its_sizes(redoubt):
    run = redoubt("datasets")
    assert run.code == 0
    rows = [line.split() for line in run.out.splitlines()[1:]]
    assert [row[0] for row in rows] == package.datasets.names()
    assert ["bcw", "699", "9", "458", "241", "malignant", "559", "140"] in rows
    assert ["heart", "270", "20", "150", "120", "disease"] in rows


def test_results_and_messages_are_apart(redoubt, points):
    run = redoubt("train", points, "--radius", "0.5")
    assert run.code == 0
    assert run.fact("data") == f"{points}: 6 points, 2 features; -1 is 'high', +1 is 'low'"
    assert run.fact("status") == "optimal"
    assert run.fact("unit of radii") == "standard deviations of the training data"
    assert set(run.plane()) == {"height", "width", "(bias)"}
    assert "Newton steps" in run.err


def test_positive_label_turns_the_plane_around(redoubt, points):
    low = redoubt("train", points, "--positive", "low").plane()
    high = redoubt("train", points, "--positive", "high").plane()
    assert high["height"] > 0 > low["height"]
    assert high["height"] == pytest.approx(-low["height"])


def test_standard_input_and_file_give_the_same_plane(redoubt, points):
    from_file = redoubt("train", points)
    from_input = redoubt("train", "-", stdin=POINTS)
    assert from_input.code == 0
    assert from_input.plane() == from_file.plane()


def test_label_by_name_and_by_number(redoubt, points):
    assert redoubt("train", points, "--label", "kind").plane() == redoubt("train", points).plane()
    assert redoubt("train", points, "--label", "3").plane() == redoubt("train", points).plane()


def test_missing_values_and_text_columns_on_request(redoubt, tmp_path):
    path = tmp_path / "messy.csv"
    path.write_text("a,colour,kind\n1,red,0\n,blue,0\n3,red,1\n4,blue,1\n")
    run = redoubt("train", path, "--missing", "median", "--one-hot")
    assert run.code == 0
    assert set(run.plane()) == {"a", "colour=blue", "colour=red", "(bias)"}
    assert "4 points" in run.out
    assert "3 points" in redoubt("train", path, "--missing", "drop", "--one-hot").out


def test_threads_do_not_change_the_output(redoubt):
    one = redoubt("train", "digits3:train", "--threads", 1)
    two = redoubt("train", "digits3:train", "--threads", 2)
    assert one.code == 0
    assert one.out == two.out


def test_a_constant_plane_is_a_warning_not_an_error(redoubt, points):
    run = redoubt("train", points, "--radius", "1000")
    assert run.code == 0
    assert "redoubt: warning: " in run.err
    assert run.plane()["height"] == 0.0


def test_a_bad_test_file_is_named_and_nothing_is_printed(redoubt, points, tmp_path):
    (tmp_path / "test.csv").write_text("height,kind\n1,low\n")
    run = redoubt("train", points, "--test", "test.csv")
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith("redoubt: test.csv:1: ")
    assert "'width'" in run.err


def test_a_full_disk_is_not_a_success(program):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    with open("/dev/full", "w") as full:
        run = subprocess.run([program, "datasets"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert run.returncode == 2
    assert run.stderr == "redoubt: cannot write to standard output\n"


def test_attack_table_of_the_published_experiment(redoubt):
    run = redoubt("train", "bcw:train", "--test", "bcw:test", "--norm", "l2", "--radius", "0.5")
    assert run.code == 0
    published = {0: 95.0, 0.5: 92.9, 1: 92.1, 1.25: 87.1, 1.5: 81.4, 1.75: 72.9, 2: 58.6}
    table = {radius: accuracy for radius, accuracy, _ in run.table()}
    assert len(table) == 12
    for radius, accuracy in published.items():
        assert table[radius] == pytest.approx(accuracy, abs=0.051)
    assert run.fact("constant answer") == "62.14 % right, 50 % balanced, at any radius"


@pytest.mark.parametrize(("norm", "dual_exponent"), [("l1", np.inf), ("l2", 2), ("linf", 1)])
def test_attack_table_is_the_closed_form(redoubt, tmp_path, norm, dual_exponent):
    arguments = ["--scale", "none", "--norm", norm, "--radius", "0.2", "--radii", "0,0.5,1.5,3"]
    run = redoubt("train", "bcw:train", "--test", "bcw:test", *arguments, "--model", "model.json")
    ensemble = package.load_model(tmp_path / "model.json").ensemble
    w, b = ensemble.coef[0], ensemble.intercept[0]
    X, y, _, _ = package.datasets.load("bcw")
    test = package.datasets.published_split("bcw")[1]
    safe = y[test] * (X[test] @ w + b) / np.linalg.norm(w, dual_exponent)
    assert [row[0] for row in run.table()] == [0, 0.5, 1.5, 3]
    for radius, accuracy, balanced in run.table():
        right = safe > radius
        per_class = [right[y[test] == label].mean() for label in (-1, 1)]
        assert accuracy == pytest.approx(100 * right.mean(), abs=0.0051)
        assert balanced == pytest.approx(100 * np.mean(per_class), abs=0.0051)


def test_without_test_data_the_table_is_about_the_training_data(redoubt, points):
    run = redoubt("train", points, "--radii", "0")
    assert f"on {points}, the training data; l2 radii in standard deviations" in run.out
    assert run.table() == [(0.0, 100.0, 100.0)]


def test_test_file_is_read_like_the_training_file(redoubt, points, tmp_path):
    (tmp_path / "test.csv").write_text("kind,width,extra,height\nlow,1,z,-9\nhigh,1,z,9\nlow,1,z,8\n")
    run = redoubt("train", points, "--test", "test.csv", "--radii", "0")
    assert run.table() == [(0.0, 66.67, 75.0)]
