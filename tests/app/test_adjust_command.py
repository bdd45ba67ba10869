"""redoubt adjust: operating points of model files, and the filters that train makes for them."""

import json

import numpy as np
import pytest

import redoubt as package


def rates(model, X, y):
    up = model.predict(X) == model.classes[1]
    return up[y < 0].mean(), up[y > 0].mean()


def test_a_plane_gets_another_bias(redoubt, tmp_path):
    assert redoubt("train", "bcw:train", "--model", "model.json").code == 0
    run = redoubt("adjust", "model.json", "bcw:test", "--max-fpr", "0.02", "--model", "new.json")
    assert run.code == 0
    before, after = (package.load_model(tmp_path / name) for name in ("model.json", "new.json"))
    np.testing.assert_array_equal(before.ensemble.coef, after.ensemble.coef)
    X, y, *_ = package.datasets.load("bcw")
    test = package.datasets.published_split("bcw")[1]
    fpr, detection = rates(after, X[test], y[test])
    assert fpr <= 0.02
    assert float(run.fact("false positive rate")) == pytest.approx(fpr, rel=1e-3)
    assert float(run.fact("detection rate")) == pytest.approx(detection, rel=1e-3)
    wanted = package.operating_point(before, X[test], [before.classes[int(s > 0)] for s in y[test]], 0.02)
    np.testing.assert_array_equal(wanted.model.ensemble.intercept, after.ensemble.intercept)


def test_a_vote_gets_a_quota(redoubt, vote_file, tmp_path):
    path = vote_file("bcw:train")
    run = redoubt("adjust", path, "bcw:test", "--max-fpr", "0.1", "--model", "new.json")
    assert run.code == 0
    quota = float(run.fact("quota"))
    new = package.load_model(tmp_path / "new.json")
    assert new.ensemble.quota == quota
    assert redoubt("info", "new.json").fact("quota") == run.fact("quota")
    X, y, *_ = package.datasets.load("bcw")
    test = package.datasets.published_split("bcw")[1]
    predicted = redoubt("predict", "new.json", "bcw:test")
    for_ = predicted.column("votes:malignant")
    answers = np.array([row["prediction"] for row in predicted.rows()])
    np.testing.assert_array_equal(answers == "malignant", for_ >= quota)
    np.testing.assert_array_equal(predicted.column("margin") >= 0, for_ >= quota)
    found = redoubt("certify", "new.json", "bcw:test")
    labels = [new.classes[int(sign > 0)] for sign in y[test]]
    radii = package.certify(new, X[test], labels).radius
    np.testing.assert_allclose(found.column("radius"), radii, rtol=1e-9)
    evaluated = redoubt("evaluate", "new.json", "bcw:test", "--radii", "0,0.5", "--format", "csv")
    wanted = [np.mean(radii > radius) for radius in (0, 0.5)]
    np.testing.assert_allclose(evaluated.column("accuracy"), wanted)
    attacked = redoubt("attack", "new.json", "bcw:test", "--radius", "0.5")
    np.testing.assert_array_equal(attacked.column("success") == 1, radii <= 0.5)
    told = redoubt("explain", "new.json", "bcw:test", "--row", "1", "--no-ranges")
    assert told.code == 0 and answers[0] in told.out
    assert redoubt("certify", "new.json", "bcw:test", "--proof", "proofs.jsonl").code == 0
    checked = redoubt("check", "proofs.jsonl", "--model", "new.json")
    assert checked.out == f"{len(answers)} proven, 0 refused\n"


def test_what_cannot_be_adjusted(redoubt):
    assert redoubt("train", "bcw:train", "--model", "model.json").code == 0
    run = redoubt("adjust", "model.json", "bcw:test", "--max-fpr", "1", "--model", "new.json")
    assert (run.code, run.err) == (2, "redoubt: --max-fpr: expected a number in [0, 1), got 1\n")


def test_ends_of_weights(redoubt, tmp_path):
    ends = ["--radius", "0", "--regularization", "1", "--least-weight", "0", "--greatest-weight", "0.2"]
    assert redoubt("train", "bcw:train", *ends, "--model", "model.json").code == 0
    model = package.load_model(tmp_path / "model.json")
    assert model.ensemble.coef.min() >= 0 and model.ensemble.coef.max() <= 0.2
    settings = json.loads((tmp_path / "model.json").read_text())["training"]["settings"]
    assert settings == {"regularization": 1, "least_weight": 0, "greatest_weight": 0.2}
    run = redoubt("train", "bcw:train", "--radius", "auto", "--least-weight", "0")
    assert run.code == 2 and "cannot be combined with --regularization" in run.err
    run = redoubt("train", "bcw:train", "--method", "svm", "--least-weight", "0")
    assert run.code == 2 and "--least-weight: applies to --method ro-svm" in run.err
