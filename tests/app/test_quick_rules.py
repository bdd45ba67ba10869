"""Rules for the adversary without a file, and the ranges that explanations keep to."""

import json

import numpy as np
import pytest
import redoubt as package

RULES = {"norm": "l2", "frozen": ["Age", "Sex"], "increase_only": ["Vessels"]}
QUICK = ["--frozen", "Age,Sex", "--increase-only", "Vessels"]


@pytest.fixture
def model(redoubt, tmp_path):
    assert redoubt("train", "heart", "--model", "model.json").code == 0
    (tmp_path / "rules.json").write_text(json.dumps(RULES))
    return tmp_path / "model.json"


@pytest.mark.parametrize(
    "command",
    [
        ["certify", "--witness"],
        ["attack", "--radius", "0.5"],
        ["evaluate", "--radii", "0,0.5"],
        ["explain", "--row", "1,2"],
    ],
    ids=lambda words: words[0],
)
def test_quick_rules_mean_what_a_file_means(redoubt, model, command):
    name, *options = command
    options += ["--format", "json"]
    if name == "explain":
        options.append("--no-ranges")
    quick = redoubt(name, model, "heart", *QUICK, *options)
    by_file = redoubt(name, model, "heart", "--attack-model", "rules.json", *options[:-1],
                      *([] if name == "explain" else options[-1:]))  # fmt: skip
    assert quick.code == by_file.code == 0, quick.err
    assert quick.json() == by_file.json()
    assert quick.json()["attack_model"]


@pytest.mark.parametrize("command", ["train", "tune"])
def test_a_trained_model_keeps_quick_rules(redoubt, model, tmp_path, command):
    method = ["--method", "ro-svm", "--radius", "0.1"]
    quick = redoubt(command, "heart", *method, *QUICK, "--model", "quick.json")
    by_file = redoubt(
        command, "heart", *method, "--attack-model", "rules.json", "--model", "file.json"
    )
    assert quick.code == by_file.code == 0, quick.err
    one, other = (package.load_model(tmp_path / name) for name in ("quick.json", "file.json"))
    assert one.attack_model.to_dict() == other.attack_model.to_dict()
    np.testing.assert_array_equal(one.ensemble.coef, other.ensemble.coef)


def test_quick_rules_take_the_place_of_the_models_own(redoubt, model):
    assert redoubt("train", "heart", "--frozen", "Age", "--model", "own.json").code == 0
    own = redoubt("certify", "own.json", "heart", "--format", "json").json()
    assert "frozen: Age" in own["attack_model"]
    options = ["--frozen", "Sex", "--norm", "l1", "--format", "json"]
    run = redoubt("certify", "own.json", "heart", *options)
    assert run.code == 0
    assert "frozen: Sex" in run.json()["attack_model"]
    assert run.json()["norm"] == "l1"


def test_bounds_are_the_ranges_of_the_data(redoubt, tmp_path):
    training = ["train", "bcw:train", "--test", "bcw:test", "--model", "model.json"]
    assert redoubt(*training).code == 0
    run = redoubt("certify", "model.json", "bcw:test", "--bounds", "data", "--witness")
    assert run.code == 0
    X = package.datasets.load("bcw")[0]
    names = package.load_model(tmp_path / "model.json").feature_names
    witnesses = np.array(
        [
            [float(row[f"witness:{name}"]) for name in names]
            for row in run.rows()
            if row["witness:" + names[0]]
        ]
    )
    assert len(witnesses) > 100
    assert (witnesses >= X.min(axis=0)).all()
    assert (witnesses <= X.max(axis=0)).all()
    free = redoubt("certify", "model.json", "bcw:test").column("radius")
    assert (np.abs(run.column("radius")) >= np.abs(free) * (1 - 1e-9)).all()


def test_points_outside_widen_the_bounds(redoubt, tmp_path):
    (tmp_path / "points.csv").write_text("a,b,kind\n" + "0,0,x\n1,2,x\n3,1,y\n4,3,y\n")
    (tmp_path / "far.csv").write_text("a,b,kind\n0,1,x\n90,1,y\n")
    training = ["train", "points.csv", "--bounds", "data", "--model", "model.json"]
    assert redoubt(*training).code == 0
    rules = package.load_model(tmp_path / "model.json").attack_model
    assert list(rules.to_dict()["bounds"].values()) == [[0, 4], [0, 3]]
    run = redoubt("certify", "model.json", "far.csv")
    assert (run.code, run.out) == (2, "")
    assert redoubt("certify", "model.json", "far.csv", "--bounds", "data").code == 0
    assert redoubt(*training, "--test", "far.csv").code == 0


def narrow(tmp_path):
    """Data whose features have little room."""
    (tmp_path / "points.csv").write_text("a,b,kind\n" + "0,5,x\n1,5,x\n3,5,y\n4,5,y\n")
    (tmp_path / "row.csv").write_text("a,b\n-2,5\n")


def test_explanations_keep_to_the_ranges_of_the_training_data(redoubt, tmp_path):
    narrow(tmp_path)
    assert redoubt("train", "points.csv", "--model", "model.json").code == 0
    np.testing.assert_array_equal(
        package.load_model(tmp_path / "model.json").ranges, [[0, 4], [5, 5]]
    )
    run = redoubt("explain", "model.json", "points.csv", "--row", "1")
    assert run.code == 0
    assert run.fact("ranges") == "those of the training data, widened for a row outside them"
    assert "within the ranges of the training data, stays 'x' unless a rises by" in run.out
    free = redoubt("explain", "model.json", "points.csv", "--row", "1", "--no-ranges")
    assert "ranges" not in free.out
    # The row itself is outside; it stays explainable.
    outside = redoubt("explain", "model.json", "row.csv", "--format", "json").json()
    assert outside["points"][0]["prediction"] == "x"
    (end,) = (row["up_to"] for row in outside["features"] if row["feature"] == "a")
    assert 0 < end <= 4
    ends = [row["down_to"] for row in outside["features"]]
    assert ends == [None, None]


def test_an_attack_model_says_itself_where_features_stay(redoubt, tmp_path):
    narrow(tmp_path)
    (tmp_path / "rules.json").write_text('{"norm": "l2", "bounds": {"a": [-9, 9]}}')
    assert redoubt("train", "points.csv", "--model", "model.json").code == 0
    by_file = redoubt("explain", "model.json", "points.csv", "--attack-model", "rules.json")
    assert by_file.code == 0
    assert "ranges of the training data" not in by_file.out
    quick = redoubt("explain", "model.json", "points.csv", "--decrease-only", "b")
    assert "within the ranges of the training data" in quick.out


def test_a_model_without_ranges_has_none_to_keep_to(redoubt, tmp_path):
    narrow(tmp_path)
    assert redoubt("train", "points.csv", "--model", "model.json").code == 0
    fields = json.loads((tmp_path / "model.json").read_text())
    del fields["checksum"], fields["training"]["ranges"]
    (tmp_path / "old.json").write_text(json.dumps(fields))
    run = redoubt("explain", "old.json", "points.csv")
    assert run.code == 0
    assert "ranges" not in run.out
    assert package.load_model(tmp_path / "old.json").ranges is None


def test_numbers_in_text_are_rounded(redoubt, model):
    def digits(text):
        return len(text.partition("e")[0].replace(".", "").lstrip("-0"))

    run = redoubt("train", "heart")
    assert digits(run.fact("objective")) <= 6
    assert digits(run.fact("relative gap")) <= 6
    assert all(digits(weight) <= 6 for _, weight in run.text_table("Plane in scaled features")[1])
    info = redoubt("info", model)
    assert digits(info.fact("objective")) <= 6
    assert digits(info.fact("seconds")) <= 6
    exact = json.loads(model.read_text())["training"]
    assert redoubt("info", model, "--format", "json").json()["objective"] == exact["objective"]
