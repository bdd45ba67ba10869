"""redoubt tune: radius and planes by cross-validation."""

import json

import numpy as np
import pytest

import redoubt as package


def grid(run):
    return [(row["radius"], row["planes"]) for row in run.json()["candidates"]]


def test_the_best_mean_wins_and_is_trained_on_everything(redoubt, tmp_path):
    arguments = ["--method", "ro-svm", "--radius", "0.05,0.5,5", "--format", "json"]
    run = redoubt("tune", "gaussian:train", *arguments, "--model", "model.json")
    assert run.code == 0
    candidates = run.json()["candidates"]
    assert grid(run) == [(0.05, 1), (0.5, 1), (5, 1)]
    means = [row["mean"] for row in candidates]
    (best,) = [row for row in candidates if row["choice"] == "best"]
    assert best["mean"] == max(means)
    assert means[2] == pytest.approx(0.5, abs=0.05)  # so large a radius leaves a constant plane
    assert [row["folds"] for row in candidates] == [5, 5, 5]
    redoubt(
        "train", "gaussian:train", "--radius", best["radius"], "--model", "plain.json"
    )
    tuned, plain = (json.loads((tmp_path / name).read_text()) for name in ("model.json", "plain.json"))
    assert tuned["planes"] == plain["planes"]
    assert tuned["training"]["n_points"] == 160


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
@pytest.mark.parametrize("method", ["ro-svm", "svm-ens", "ens-e", "ens-r", "ens-h", "ens-c"])
def test_every_method_and_norm(redoubt, tmp_path, method, norm):
    arguments = ["--method", method, "--norm", norm, "--folds", "2", "--format", "json"]
    arguments += ["--radius", "0.5,1"] if method != "svm-ens" else []
    arguments += ["--planes", "1,3"] if method != "ro-svm" else []
    arguments += ["--epochs", "3"] if method == "ens-c" else []
    run = redoubt("tune", "gaussian", *arguments, "--model", "model.json")
    assert run.code == 0
    radii = [None] if method == "svm-ens" else [0.5, 1]
    planes = [1] if method == "ro-svm" else [1, 3]
    assert grid(run) == [(radius, count) for radius in radii for count in planes]
    model = package.load_model(tmp_path / "model.json")
    (best,) = [row for row in run.json()["candidates"] if row["choice"] == "best"]
    assert (model.method, model.norm) == (method, norm)
    assert model.ensemble.n_planes == best["planes"]


def test_a_held_out_part_shows_what_the_winner_is_worth(redoubt):
    arguments = ["--method", "ro-svm", "--radius", "0.1,0.5", "--holdout", "0.2"]
    run = redoubt("tune", "bcw", *arguments)
    assert run.code == 0
    assert len(run.table()) == 7
    assert "on 20 % of bcw, held out; l2 radii in standard deviations" in run.out
    assert redoubt("tune", "bcw", *arguments).out == run.out
    assert redoubt("tune", "bcw", *arguments, "--seed", "1").out != run.out


def test_score_and_weights_matter(redoubt):
    arguments = ["tune", "digits3", "--method", "ro-svm", "--radius", "0.1,0.5", "--folds", "3"]
    arguments += ["--format", "csv", "--radii", "0,0.5"]
    accuracy = redoubt(*arguments, "--score", "accuracy")
    usual = redoubt(*arguments)
    assert "scores are balanced, because the classes are unequal" in usual.err
    balanced = redoubt(*arguments, "--score", "balanced")
    weighted = redoubt(*arguments, "--score", "balanced", "--class-weight", "balanced")
    assert accuracy.code == balanced.code == weighted.code == 0
    assert usual.out == balanced.out
    assert np.all(balanced.column("mean") < accuracy.column("mean"))
    assert weighted.column("mean").max() > balanced.column("mean").max()


def test_without_time_there_is_no_winner(redoubt, tmp_path):
    run = redoubt("tune", "gaussian", "--time-limit", "0", "--model", "model.json")
    assert run.code == 1
    assert "before every candidate had been tried, so there is no model" in run.err
    assert not (tmp_path / "model.json").exists()
    columns, rows = run.text_table("Mean accuracy under attack")
    assert columns == ["radius", "planes", "mean", "deviation", "clean_balanced", "certified_radius", "folds", "choice"]
    assert len(rows) == 27


def test_the_most_robust_that_costs_nothing(redoubt):
    """The rule of `train --radius auto`, from the table that it prints."""
    run = redoubt("tune", "heart", "--method", "ro-svm", "--choose", "no-cost", "--format", "json")
    rows = run.json()["candidates"]
    (chosen,) = [row for row in rows if row["choice"] == "best"]
    top = max(row["clean_balanced"] for row in rows)
    assert chosen["clean_balanced"] >= top - 0.01
    close = [row for row in rows if row["clean_balanced"] >= top]
    assert chosen["certified_radius"] >= max(row["certified_radius"] for row in close)
