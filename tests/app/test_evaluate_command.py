"""redoubt evaluate: accuracy under attack and what to compare it with."""

import numpy as np
import pytest

import redoubt as package


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_the_curve_follows_from_the_certificates(redoubt, vote_file, norm):
    path = vote_file("bcw:train", norm=norm)
    run = redoubt("evaluate", path, "bcw:test", "--format", "csv", "--radii", "0,0.25,1,2")
    assert run.code == 0
    certificates = redoubt("certify", path, "bcw:test")
    radii = certificates.column("radius")
    positive = np.array([row["label"] == "malignant" for row in certificates.rows()])
    np.testing.assert_array_equal(run.column("radius"), [0, 0.25, 1, 2])
    for row in run.rows():
        safe = radii > float(row["radius"])
        assert float(row["accuracy"]) == pytest.approx(safe.mean(), rel=1e-14)
        balanced = (safe[positive].mean() + safe[~positive].mean()) / 2
        assert float(row["balanced_accuracy"]) == pytest.approx(balanced, rel=1e-14)
    assert set(run.column("undecided")) == {0.0}
    assert run.column("constant") == pytest.approx(np.full(4, max(positive.mean(), 1 - positive.mean())))


def test_the_ceiling_is_that_of_the_library_and_never_below(redoubt, vote_file):
    path = vote_file("gaussian:train")
    run = redoubt("evaluate", path, "gaussian:test", "--format", "csv")
    X, y, *_ = package.datasets.load("gaussian")
    train, test = package.datasets.published_split("gaussian")
    scaled = (X[test] - X[train].mean(axis=0)) / X[train].std(axis=0)
    ceiling = package.accuracy_ceiling(scaled, y[test], run.column("radius"), norm="l2")
    np.testing.assert_array_equal(run.column("ceiling"), ceiling.accuracy)
    np.testing.assert_array_equal(run.column("balanced_ceiling"), ceiling.balanced_accuracy)
    assert np.all(run.column("ceiling") >= run.column("accuracy"))


def test_the_confusion_matrix_counts_the_predictions(redoubt, vote_file):
    path = vote_file("bcw:train")
    report = redoubt("evaluate", path, "bcw:test", "--format", "json").json()
    rows = redoubt("predict", path, "bcw:test").rows()
    for line in report["confusion"]:
        for answer in ("benign", "malignant"):
            pairs = [(row["label"], row["prediction"]) for row in rows]
            assert line[f"answered:{answer}"] == pairs.count((line["label"], answer))
    assert report["points"] == 140
    assert report["norm"] == "l2"
    assert report["unit_of_radii"] == "standard deviations of the training data"


def test_training_rows_are_noticed(redoubt, tmp_path):
    redoubt("train", "bcw:train", "--model", "model.json")
    # Many rows of these data are equal, so some of any test part occur in the training part.
    assert "training data" not in redoubt("evaluate", "model.json", "bcw:test").err
    run = redoubt("evaluate", "model.json", "bcw:train")
    assert run.err.startswith(
        "redoubt: warning: 559 of these 559 rows were in the model's training data; "
    )
    assert run.code == 0
    assert "training data; " in redoubt("evaluate", "model.json", "bcw").err


def test_held_out_rows_are_no_training_rows(redoubt, tmp_path):
    train = redoubt(
        "train", "digits3", "--holdout", "0.25", "--seed", "7", "--model", "model.json",
        "--radii", "0,1", "--scale", "none",
    )  # fmt: skip
    assert train.code == 0
    assert "25 % of digits3, held out" in train.out
    run = redoubt("evaluate", "model.json", "digits3", "--holdout", "0.25", "--seed", "7",
                  "--radii", "0,1")  # fmt: skip
    assert run.code == 0
    assert "warning" not in run.err
    assert run.table() == train.table()
    assert "warning" in redoubt("evaluate", "model.json", "digits3", "--holdout", "0.25").err
    whole = redoubt("evaluate", "model.json", "digits3")
    n_train = package.load_model(tmp_path / "model.json").training["n_points"]
    assert n_train == pytest.approx(0.75 * 1797, abs=1)
    assert f"{n_train} of these 1797 rows" in whole.err


@pytest.mark.slow
def test_a_large_training_set_is_recognised_by_a_sample(redoubt, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 2)).round(6)
    lines = [f"{a},{b},{'yes' if a > b else 'no'}" for a, b in X.tolist()]
    (tmp_path / "train.csv").write_text("a,b,kind\n" + "\n".join(lines[:5000]) + "\n")
    (tmp_path / "mixed.csv").write_text("a,b,kind\n" + "\n".join(lines[4000:]) + "\n")
    (tmp_path / "fresh.csv").write_text("a,b,kind\n" + "\n".join(lines[5000:]) + "\n")
    assert redoubt("train", "train.csv", "--model", "model.json").code == 0
    assert "warning" not in redoubt("evaluate", "model.json", "fresh.csv").err
    err = redoubt("evaluate", "model.json", "mixed.csv").err
    share = float(err.removeprefix("redoubt: warning: about ").split(" %")[0])
    assert share == pytest.approx(50, abs=6)
    assert (tmp_path / "model.json").stat().st_size < 50_000


def test_limits_leave_points_undecided(redoubt, vote_file):
    path = vote_file("digits3:train")
    arguments = ["evaluate", path, "digits3:test", "--radii", "0.1,0.5", "--format", "csv"]
    exact = redoubt(*arguments)
    run = redoubt(*arguments, "--node-limit", "0")
    assert run.code == 1
    assert "points were not settled; their brackets are wide but correct" in run.err
    assert run.column("undecided").max() > 0
    assert np.all(run.column("accuracy") <= exact.column("accuracy"))
    assert np.all(run.column("accuracy") + run.column("undecided") >= exact.column("accuracy"))


def test_many_points_have_no_ceiling(redoubt, tmp_path):
    rng = np.random.default_rng(0)
    lines = [f"{a!r},{int(a > 0)}" for a in rng.normal(size=5001).tolist()]
    (tmp_path / "many.csv").write_text("a,kind\n" + "\n".join(lines) + "\n")
    assert redoubt("train", "many.csv", "--model", "model.json").code == 0
    run = redoubt("evaluate", "model.json", "many.csv")
    assert run.code == 0
    assert run.fact("ceiling") == "not computed for more than 5000 points"
    report = redoubt("evaluate", "model.json", "many.csv", "--format", "json").json()
    assert report["curve"][0]["ceiling"] is None
