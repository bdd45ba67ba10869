"""Columns of weights and radii."""

import numpy as np
import pytest


@pytest.fixture
def table(tmp_path):
    """Points with weights and radii, and the same without."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 2)).round(4)
    kinds = np.where(X[:, 0] + rng.normal(0, 0.7, 60) > 0, "high", "low")
    weights = rng.integers(0, 4, 60)
    radii = rng.uniform(0, 0.4, 60).round(3)
    rows = list(zip(*X.T, weights, radii, kinds, strict=True))

    def write(name, header, fields):
        lines = [",".join(map(str, row)) for row in fields]
        (tmp_path / name).write_text("\n".join([header, *lines]) + "\n")

    write("all.csv", "a,b,weight,reach,kind", rows)
    write("plain.csv", "a,b,kind", [(a, b, kind) for a, b, _, _, kind in rows])
    repeated = [(a, b, kind) for a, b, weight, _, kind in rows for _ in range(weight)]
    write("repeated.csv", "a,b,kind", repeated)
    constant = [(a, b, 0.25, kind) for a, b, _, _, kind in rows]
    write("constant.csv", "a,b,reach,kind", constant)
    return radii


def test_such_columns_are_no_features(redoubt, table):
    columns = ["--weight-column", "weight", "--radius-column", "reach"]
    run = redoubt("train", "all.csv", *columns, "--model", "model.json")
    assert run.code == 0
    assert set(run.plane()) == {"a", "b", "(bias)"}
    assert run.fact("method") == "ro-svm, l2 radius of each point, scaling standard"
    assert redoubt("predict", "model.json", "plain.csv").code == 0
    assert redoubt("predict", "model.json", "all.csv").code == 0


def test_a_weight_counts_like_repetition(redoubt, table, tmp_path):
    text = (tmp_path / "all.csv").read_text().splitlines()
    lines = [",".join(np.delete(line.split(","), 3)) for line in text]
    (tmp_path / "weights.csv").write_text("\n".join(lines) + "\n")
    svm = ["--method", "svm", "--scale", "none"]
    weighted = redoubt("train", "weights.csv", *svm, "--weight-column", "weight")
    by_number = redoubt("train", "weights.csv", *svm, "--weight-column", "3")
    repeated = redoubt("train", "repeated.csv", *svm)
    assert weighted.plane() == pytest.approx(repeated.plane(), rel=1e-4)
    assert by_number.plane() == weighted.plane()


@pytest.mark.parametrize("method", ["ro-svm", "ens-e", "ens-c"])
def test_equal_radii_are_one_radius(redoubt, table, tmp_path, method):
    arguments = ["--method", method, "--format", "json"]
    arguments += [] if method == "ro-svm" else ["--planes", "3"]
    each = redoubt("train", "constant.csv", "--radius-column", "reach", *arguments,
                   "--model", "each.json")  # fmt: skip
    one = redoubt("train", "plain.csv", "--radius", "0.25", *arguments, "--model", "one.json")
    assert each.code == one.code == 0
    assert each.json()["curve"] == one.json()["curve"]
    info = redoubt("info", "each.json").fact("training radius")
    assert info == "0.25 to 0.25, mean 0.25, of 60 points"


def test_attacks_with_radii_of_their_own(redoubt, table):
    assert redoubt("train", "plain.csv", "--model", "model.json").code == 0
    run = redoubt("attack", "model.json", "all.csv", "--radius-column", "reach")
    assert run.code == 0
    certificates = redoubt("certify", "model.json", "all.csv").column("radius")
    np.testing.assert_array_equal(run.column("success") == 1, certificates <= table)
    assert "at l2 radii of their own" in run.err
