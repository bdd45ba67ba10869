"""redoubt train --model: the model file from the outside."""

import json
import re

import numpy as np
import pytest
import redoubt as package

POINTS = "height,width,kind\n-3,1,low\n-1,2,low\n1,1,high\n4,2,high\n-2,1,low\n2,1,high\n"


@pytest.fixture
def points(tmp_path):
    path = tmp_path / "points.csv"
    path.write_text(POINTS)
    return path


def test_the_file_holds_the_printed_plane(redoubt, tmp_path):
    run = redoubt(
        "train", "bcw:train", "--norm", "linf", "--radius", "0.25", "--model", "model.json"
    )
    assert run.code == 0
    assert "model written to model.json\n" in run.err
    model = package.load_model(tmp_path / "model.json")
    printed = run.plane()
    weights = dict(zip(model.feature_names, model.ensemble.coef[0], strict=True))
    weights["(bias)"] = model.ensemble.intercept[0]
    assert printed == {name: float(f"{weight:.6g}") for name, weight in weights.items()}
    assert (model.method, model.norm, model.is_partial) == ("ro-svm", "linf", False)
    assert model.classes == ["benign", "malignant"]
    record = model.training
    assert record["radii"] == {"count": 1, "least": 0.25, "greatest": 0.25, "mean": 0.25}
    assert (record["data"], record["n_points"], record["status"]) == ("bcw:train", 559, "optimal")
    assert run.fact("objective") == f"{record['objective']:.6g}"
    least, greatest = model.ranges.T
    np.testing.assert_array_equal(least, record["ranges"]["least"])
    X = package.datasets.load("bcw")[0][package.datasets.published_split("bcw")[0]]
    np.testing.assert_array_equal(least, X.min(axis=0))
    np.testing.assert_array_equal(greatest, X.max(axis=0))
    assert record["settings"] == {}


def test_a_plain_svm_has_no_radius(redoubt, tmp_path):
    redoubt("train", "gaussian", "--method", "svm", "--C", "0.5", "--model", "model.json")
    model = package.load_model(tmp_path / "model.json")
    assert (model.method, model.norm) == ("svm", "l2")
    assert model.training["radii"]["count"] == 0
    assert model.training["settings"] == {"C": 0.5}


def test_only_times_differ_between_runs(redoubt, tmp_path):
    texts = []
    for threads in (1, 2):
        redoubt("train", "digits3:train", "--threads", threads, "--model", "model.json")
        fields = json.loads((tmp_path / "model.json").read_text())
        del fields["checksum"], fields["training"]["seconds"]
        texts.append(json.dumps(fields))
    assert texts[0] == texts[1]


def test_the_old_file_stays_if_training_fails(redoubt, points, tmp_path):
    (tmp_path / "model.json").write_text("old")
    (tmp_path / "bad.csv").write_text("a,kind\n1,x\n2,x\n")
    assert redoubt("train", "bad.csv", "--model", "model.json").code == 2
    assert (tmp_path / "model.json").read_text() == "old"
    assert redoubt("train", points, "--model", "model.json").code == 0
    assert package.load_model(tmp_path / "model.json").feature_names == ["height", "width"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "bad.csv",
        "model.json",
        "points.csv",
    ]


@pytest.mark.parametrize(
    ("model", "reason"),
    [("none/model.json", "No such file or directory"), (".", "Is a directory")],
)
def test_a_file_that_cannot_be_written_is_found_before_training(redoubt, points, model, reason):
    run = redoubt("train", points, "--model", model)
    assert (run.code, run.out) == (2, "")
    assert run.err == f"redoubt: {model}: cannot write the file: {reason}\n"


def test_names_must_be_utf8(redoubt, tmp_path):
    (tmp_path / "latin.csv").write_bytes(POINTS.replace("height", "höhe").encode("latin-1"))
    run = redoubt("train", "latin.csv", "--model", "model.json")
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith("redoubt: latin.csv:1: expected UTF-8 text, found the byte '\\xf6'")
    assert not (tmp_path / "model.json").exists()


def test_categories_and_medians_travel_with_the_model(redoubt, tmp_path):
    text = "a,colour,kind\n1,red,no\n2,blue,no\n,red,yes\n9,,yes\n8,blue,yes\n"
    (tmp_path / "train.csv").write_text(text)
    redoubt("train", "train.csv", "--missing", "median", "--one-hot", "--model", "model.json")
    (tmp_path / "new.csv").write_text("colour,a\n,8\nred,\n")
    run = redoubt("certify", "model.json", "new.csv")
    assert run.code == 0
    model = package.load_model(tmp_path / "model.json")
    # The most frequent category is blue (first of two); the median of a is 5.
    expected = model.predict([[8.0, 1.0, 0.0], [5.0, 0.0, 1.0]])
    assert [row["prediction"] for row in run.rows()] == expected.tolist()
    (tmp_path / "new.csv").write_text("colour,a\ngreen,8\n")
    run = redoubt("certify", "model.json", "new.csv")
    assert (run.code, run.out) == (2, "")
    assert run.err == (
        "redoubt: new.csv:2:1: expected a category of the training file ('blue', 'red'), "
        "found 'green'; a model trained with --unseen other takes it\n"
    )


def test_bundled_and_file_data_give_the_same_model(redoubt, tmp_path):
    X, y, names, classes = package.datasets.load("bcw")
    lines = [",".join([*names, "label"])]
    lines += [
        ",".join([*map(repr, row.tolist()), classes[int(sign > 0)]])
        for row, sign in zip(X, y, strict=True)
    ]
    (tmp_path / "bcw.csv").write_text("\n".join(lines) + "\n")
    redoubt("train", "bcw", "--model", "bundled.json")
    redoubt("train", "./bcw.csv", "--model", "file.json")
    bundled, file = (package.load_model(tmp_path / name) for name in ("bundled.json", "file.json"))
    assert bundled.feature_names == file.feature_names
    np.testing.assert_array_equal(bundled.ensemble.coef, file.ensemble.coef)
    for model in ("bundled.json", "file.json"):
        for data in ("bcw:test", "./bcw.csv"):
            assert redoubt("certify", model, data).code == 0
    assert (
        redoubt("certify", "bundled.json", "bcw").out
        == redoubt("certify", "file.json", "./bcw.csv").out
    )


@pytest.mark.release_only
def test_a_radius_that_the_data_choose(redoubt, tmp_path):
    arguments = ["train", "heart", "--method", "ens-c", "--epochs", "3", "--model", "model.json"]
    run = redoubt(*arguments, "--format", "json")
    assert run.code == 0
    rows = run.json()["radius_choice"]
    assert len(rows) == 12
    assert {row["planes"] for row in rows} == {1, 15}
    (chosen,) = [row for row in rows if row["choice"] == "chosen"]
    training = json.loads((tmp_path / "model.json").read_text())["training"]
    assert training["radii"]["mean"] == chosen["radius"]
    assert training["status"] == "finished"
    assert training["settings"]["radius_rule"] == "auto"
    info = redoubt("info", "model.json")
    assert "How the radius was chosen" in info.out
    assert redoubt("info", "model.json", "--format", "json").json()["radius_choice"] == rows
    given = redoubt(*arguments, "--radius", chosen["radius"], "--planes", chosen["planes"])
    assert "radius_choice" not in given.out and " chosen of " not in given.err
    for method in ("ro-svm", "ens-h"):
        assert redoubt("train", "heart", "--method", method, "--radius", "auto").code == 0


def test_a_model_with_one_answer_is_not_silent(redoubt):
    run = redoubt("train", "heart", "--method", "ens-h", "--radius", "9", "--planes", "1")
    assert run.code == 0
    assert re.search(
        r"warning: the model answers '(healthy|disease)' for (none|\d+) of its 270 training points, "
        r"of which \d+ are; try a smaller --radius or --class-weight balanced",
        run.err,
    )
    assert "warning" not in redoubt("train", "heart", "--method", "svm").err
