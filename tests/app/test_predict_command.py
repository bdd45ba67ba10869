"""redoubt predict: labels, votes and margins."""

import numpy as np
import pytest

import redoubt as package


def bcw_test():
    X, y, names, classes = package.datasets.load("bcw")
    test = package.datasets.published_split("bcw")[1]
    return X[test], y[test], names, classes


def test_a_vote_is_that_of_the_library(redoubt, vote_file):
    path = vote_file("bcw:train")
    run = redoubt("predict", path, "bcw:test")
    assert run.code == 0
    X, y, _, classes = bcw_test()
    model = package.load_model(path)
    answers = model.predict(X)
    assert [row["prediction"] for row in run.rows()] == list(answers)
    assert [row["label"] for row in run.rows()] == [classes[int(sign > 0)] for sign in y]
    for_, against = run.column("votes:malignant"), run.column("votes:benign")
    np.testing.assert_array_equal(for_ + against, 7)
    np.testing.assert_array_equal(run.column("margin"), (for_ - against) / 7)
    np.testing.assert_array_equal(run.column("margin") > 0, answers == "malignant")
    n_right = sum(row["prediction"] == row["label"] for row in run.rows())
    assert run.err == f"predicted 140 points, {n_right} as labelled\n"


def test_the_margin_of_one_plane_is_its_value(redoubt, tmp_path):
    assert redoubt("train", "bcw:train", "--model", "model.json").code == 0
    run = redoubt("predict", "model.json", "bcw:test")
    model = package.load_model(tmp_path / "model.json")
    X, *_ = bcw_test()
    values = run.column("margin")
    np.testing.assert_array_equal(values >= 0, model.predict(X) == "malignant")
    expected = model.transform(X) @ model.ensemble.coef[0] + model.ensemble.intercept[0]
    np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-13)


def test_without_labels_there_is_no_label_column(redoubt, vote_file, tmp_path):
    path = vote_file("gaussian:train")
    X, *_ = package.datasets.load("gaussian")
    (tmp_path / "new.csv").write_text(
        "".join(",".join(map(repr, row.tolist())) + "\n" for row in X[:5])
    )
    run = redoubt("predict", path, "new.csv")
    assert run.code == 0
    assert "label" not in run.rows()[0]
    assert [row["row"] for row in run.rows()] == ["1", "2", "3", "4", "5"]
    assert run.err == "predicted 5 points\n"
    piped = redoubt("predict", path, "-", stdin=(tmp_path / "new.csv").read_text())
    assert piped.out == run.out


def test_libsvm_text(redoubt, tmp_path):
    text = "+1 1:3 2:1\n-1 1:-3\n+1 1:2\n-1 1:-2 2:1\n"
    assert redoubt("train", "-", "--model", "model.json", stdin=text).code == 0
    run = redoubt("predict", "model.json", "-", stdin=text)
    assert run.code == 0
    assert [float(row["prediction"]) for row in run.rows()] == [1, -1, 1, -1]
    (tmp_path / "points.libsvm").write_text(text)
    assert redoubt("predict", "model.json", "points.libsvm").out == run.out


def test_columns_in_another_order_are_told(redoubt, tmp_path):
    text = "a,b,c,kind\n1,0,5,x\n2,0,6,y\n3,1,5,x\n4,1,6,y\n"
    (tmp_path / "train.csv").write_text(text)
    assert redoubt("train", "train.csv", "--model", "model.json").code == 0
    (tmp_path / "same.csv").write_text("a,b,c\n2,0,6\n")
    (tmp_path / "moved.csv").write_text("c,more,b,a\n6,1,0,2\n")
    same, moved = (redoubt("predict", "model.json", name) for name in ("same.csv", "moved.csv"))
    assert moved.out == same.out
    assert same.err == "predicted 1 points\n"
    assert moved.err == (
        "columns in another order than the model's, matched by name: 'a', 'c'\n"
        "predicted 1 points\n"
    )
    assert redoubt("predict", "model.json", "moved.csv", "--quiet").err == ""


def test_every_missing_column_is_named(redoubt, tmp_path):
    (tmp_path / "train.csv").write_text("a,b,c,kind\n1,0,5,x\n2,0,6,y\n")
    assert redoubt("train", "train.csv", "--model", "model.json").code == 0
    (tmp_path / "new.csv").write_text("b,d\n1,2\n")
    run = redoubt("predict", "model.json", "new.csv")
    assert (run.code, run.out) == (2, "")
    assert "'a'" in run.err
    assert "'c'" in run.err


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_do_not_change_the_answers(redoubt, vote_file, threads):
    path = vote_file("digits3:train")
    assert (
        redoubt("predict", path, "digits3", "--threads", threads).out
        == redoubt("predict", path, "digits3").out
    )
