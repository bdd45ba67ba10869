"""--attack-model: budgets, frozen and whole features, one-hot groups, from file to printed rows."""

import csv
import io
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
import redoubt as package

EXAMPLES = Path(__file__).parents[2] / "examples"
POINTS = "height,width,kind\n-3,1,low\n-1,2,low\n1,1,high\n4,2,high\n-2,1,low\n2,1,high\n0,3,high\n"


def rules_of(name):
    """The attack model of an example, as JSON and as the path of its file."""
    path = EXAMPLES / f"{name}_attack_model.json"
    return json.loads(path.read_text()), path


@pytest.fixture
def files(tmp_path):
    """Writes files into the folder of the run: files("rules.json", {...})."""

    def write(name, content):
        text = content if isinstance(content, str) else json.dumps(content)
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


@pytest.fixture
def small(redoubt, files):
    """A model of two features, and its data."""
    files("points.csv", POINTS)
    assert redoubt("train", "points.csv", "--model", "model.json").code == 0
    return "model.json", "points.csv"


def moved_rows(finished, prefix=""):
    """The moved rows of a CSV report as texts by feature, and the features."""
    rows = finished.rows()
    return rows, [name[len(prefix) :] for name in rows[0] if name.startswith(prefix)]


def expect_obeyed(rules, before, after):
    """A printed row obeys the rules to the letter."""
    groups = [g["features"] if isinstance(g, dict) else g for g in rules.get("one_hot", [])]
    for name, text in after.items():
        old, new = float(before[name]), float(text)
        if name in rules["frozen"]:
            assert old == new, name
        if name in rules["integer"]:
            assert new == int(new), name
        low, high = rules["bounds"].get(name, (None, None))
        assert low is None or new >= low, name
        assert high is None or new <= high, name
        if name in rules.get("increase_only", []):
            assert new >= old, name
    for group in groups:
        assert sorted(float(after[name]) for name in group) == [0.0] * (len(group) - 1) + [1.0]


@pytest.mark.parametrize("data", ["heart", "diabetes"])
def test_printed_witnesses_obey_the_model_and_change_the_answer(redoubt, vote_file, files, data):
    rules, path = rules_of(data)
    model = vote_file(data, norm="linf")
    table = redoubt("attack", model, data, "--radius", 0, "--attack-model", path, "--format", "csv")
    assert table.code == 0, table.err
    originals = table.rows()
    names = list(originals[0])[11:]
    found = redoubt("certify", model, data, "--witness", "--attack-model", path, "--format", "csv")
    assert found.code == 0, found.err
    assert "keep their answer" not in found.err
    witnesses = []
    for before, row in zip(originals, found.rows(), strict=True):
        after = {name: row[f"witness:{name}"] for name in names}
        if not all(after.values()):
            assert row["radius"] in ("inf", "-inf")
            continue
        expect_obeyed(rules, before, after)
        witnesses.append((row["prediction"], after))
    assert len(witnesses) > 100
    text = io.StringIO()
    writer = csv.DictWriter(text, names)
    writer.writeheader()
    writer.writerows(after for _, after in witnesses)
    files("moved.csv", text.getvalue())
    again = redoubt("predict", model, "moved.csv", "--format", "csv")
    assert again.code == 0, again.err
    for (prediction, _), row in zip(witnesses, again.rows(), strict=True):
        assert row["prediction"] != prediction


def test_attacked_rows_obey_the_model_and_are_answered_as_printed(redoubt, vote_file, files):
    rules, path = rules_of("heart")
    model = vote_file("heart", norm="linf")
    arguments = ("attack", model, "heart", "--attack-model", path, "--format", "csv")
    before = redoubt(*arguments, "--radius", 0).rows()
    attacked = redoubt(*arguments, "--radius", 1.5)
    assert attacked.code == 0, attacked.err
    rows = attacked.rows()
    names = list(rows[0])[11:]
    for old, new in zip(before, rows, strict=True):
        expect_obeyed(rules, old, {name: new[name] for name in names})
    assert sum(row["success"] == "1" for row in rows) > sum(row["success"] == "1" for row in before)
    files("attacked.csv", attacked.out)
    again = redoubt("predict", model, "attacked.csv", "--label", "label", "--format", "csv")
    assert [row["prediction"] for row in again.rows()] == [row["attacked"] for row in rows]


def test_radii_under_the_model_agree_with_attacks(redoubt, vote_file):
    _, path = rules_of("diabetes")
    model = vote_file("diabetes", norm="linf")
    radii = redoubt("certify", model, "diabetes", "--attack-model", path, "--format", "csv")
    attacked = redoubt(
        "attack", model, "diabetes", "--attack-model", path, "--radius", 0.8, "--format", "csv"
    )
    for certificate, attack in zip(radii.rows(), attacked.rows(), strict=True):
        radius = float(certificate["radius"])
        if abs(radius - 0.8) < 1e-6:
            continue
        assert (attack["success"] == "1") == (radius < 0.8)


def test_the_model_keeps_its_attack_model(redoubt, files, tmp_path):
    _, path = rules_of("heart")
    trained = redoubt(
        "train", "heart", "--attack-model", path, "--model", "model.json", "--radii", "0,1"
    )
    assert trained.code == 0, trained.err
    assert trained.fact("attack model") == "norm: linf"
    assert re.search("^ +frozen: Age, Sex$", trained.out, re.MULTILINE)
    assert trained.fact("unit of radii") == "the scales of the attack model"
    assert trained.fact("method").startswith("ro-svm, linf radius 0.1")
    info = redoubt("info", "model.json", "--format", "json").json()
    summary = info["attack_model"]
    assert "frozen: Age, Sex" in summary
    assert info["unit_of_radii"] == "the scales of the attack model"
    evaluated = redoubt("evaluate", "model.json", "heart", "--radii", "0,1", "--format", "json")
    assert evaluated.json()["attack_model"] == summary
    assert evaluated.json()["norm"] == "linf"
    by_hand = redoubt(
        "evaluate",
        "model.json",
        "heart",
        "--radii",
        "0,1",
        "--format",
        "json",
        "--attack-model",
        path,
    )
    assert by_hand.json()["curve"] == evaluated.json()["curve"]
    plain = redoubt(
        "evaluate",
        "model.json",
        "heart",
        "--radii",
        "0,1",
        "--format",
        "json",
        "--attack-model",
        "none",
    )
    assert "attack_model" not in plain.json()
    assert plain.json()["curve"] != evaluated.json()["curve"]
    assert plain.json()["curve"][1]["ceiling"] is not None
    assert evaluated.json()["curve"][1]["ceiling"] is None
    assert evaluated.json()["ceiling"] == "only known for a plain ball"
    fields = json.loads((tmp_path / "model.json").read_text())
    assert fields["format_version"] == 3
    assert fields["attack_model"]["frozen"] == ["Age", "Sex"]


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("certify", []),
        ("attack", ["--radius", 1]),
        ("evaluate", []),
        ("explain", []),
        ("train", []),
        ("tune", ["--folds", 2]),
    ],
)
def test_a_norm_that_contradicts_the_attack_model_is_refused(
    redoubt, small, files, command, options
):
    rules = {"norm": "linf", "scale": {"width": 0}}
    files("rules.json", rules)
    data = small if command not in ("train", "tune") else ("points.csv",)
    arguments = (command, *data, "--attack-model", "rules.json", *options)
    refused = redoubt(*arguments, "--norm", "l1")
    assert (refused.code, refused.out) == (2, "")
    message = "--norm: 'l1' contradicts the attack model's 'linf'; leave it out"
    assert refused.err == f"redoubt: {message}\n"
    if command != "tune":
        assert redoubt(*arguments, "--norm", "linf").code == 0


def test_a_norm_that_contradicts_the_models_own_attack_model_is_refused(redoubt, files):
    files("points.csv", POINTS)
    files("rules.json", {"norm": "linf", "frozen": ["width"]})
    train = ("train", "points.csv", "--attack-model", "rules.json", "--model", "model.json")
    assert redoubt(*train).code == 0
    certify = ("certify", "model.json", "points.csv", "--norm", "l1")
    refused = redoubt(*certify)
    assert (refused.code, refused.out) == (2, "")
    assert "--norm: 'l1' contradicts the attack model's 'linf'" in refused.err
    assert redoubt(*certify, "--attack-model", "none").code == 0


def test_tune_keeps_the_attack_model(redoubt, files):
    files("rules.json", {"norm": "l1", "frozen": ["Mitoses"]})
    tuned = redoubt(
        "tune",
        "bcw:train",
        "--method",
        "ro-svm",
        "--radius",
        "0.1",
        "--folds",
        2,
        "--attack-model",
        "rules.json",
        "--model",
        "model.json",
        "--holdout",
        0.2,
    )
    assert tuned.code == 0, tuned.err
    assert " frozen: Mitoses" in tuned.out
    assert " frozen: Mitoses" in redoubt("info", "model.json").out
    assert redoubt("info", "model.json").fact("norm") == "l1"


def test_frozen_features_without_scales_leave_the_others_in_scaled_units(redoubt, small, files):
    model, data = small
    files("rules.json", {"norm": "l2", "frozen": ["width"]})
    radii = redoubt("certify", model, data, "--attack-model", "rules.json", "--format", "csv")
    fields = json.loads(Path(files("x", "").parent / model).read_text())
    (plane,) = fields["planes"]
    points = np.array([[float(v) for v in line.split(",")[:2]] for line in POINTS.split()[1:]])
    scaled = (points - fields["scaler"]["offset"]) / fields["scaler"]["scale"]
    margins = scaled @ plane["w"] + plane["b"]
    np.testing.assert_allclose(np.abs(radii.column("radius")), np.abs(margins / plane["w"][0]))


@pytest.mark.parametrize(
    "rules",
    [
        {"norm": "linf"},
        {"norm": "l2", "frozen": ["width"]},
        {"norm": "l1", "scale": {"width": 0.5}, "bounds": {"height": [-9, None]}},
        {"norm": "l2", "default_scale": 1, "increase_only": [2]},
        {"norm": "linf", "integer": ["width"], "attacking_class": "high"},
    ],
)
@pytest.mark.parametrize("scaling", ["standard", "minmax", "maxabs", "none"])
def test_the_same_file_means_the_same_in_python(redoubt, files, tmp_path, rules, scaling):
    """Scales that the file does not give are units of the scaled features, here and there."""
    files("points.csv", POINTS)
    path = files("rules.json", rules)
    train = ("train", "points.csv", "--scale", scaling, "--model", "model.json")
    assert redoubt(*train, "--attack-model", "rules.json").code == 0
    model = package.load_model(tmp_path / "model.json")
    data = package.datasets.read(tmp_path / "points.csv")
    labels = np.asarray(data.classes)[(data.y > 0).astype(int)]
    found = redoubt("certify", "model.json", "points.csv", "--format", "csv")
    attack_model = package.AttackModel.from_json(path)
    results = [package.certify(model, data.X, labels, attack_model=attack_model)]
    assert results[0].units == ("raw" if "default_scale" in rules else "scaled")
    own = {"attack_model": model.attack_model}
    if set(rules) == {"norm"}:  # a plain ball is no attack model
        assert model.attack_model is None
        own = {"norm": model.norm, "units": "scaled"}
    results.append(package.certify(model, data.X, labels, **own))
    for result in results:
        np.testing.assert_allclose(result.radius, found.column("radius"), rtol=1e-9, atol=1e-12)


def test_all_features_frozen_gives_infinite_radii(redoubt, small, files):
    model, data = small
    files("rules.json", {"norm": "l2", "frozen": ["width", "height"]})
    found = redoubt("certify", model, data, "--attack-model", "rules.json", "--format", "csv")
    assert found.code == 0
    assert all(math.isinf(radius) for radius in found.column("radius"))


def test_only_one_class_attacks(redoubt, small, files):
    model, data = small
    files("rules.json", {"norm": "l2", "attacking_class": "high"})
    found = redoubt("certify", model, data, "--attack-model", "rules.json", "--format", "json")
    assert "only points of this class move: high" in found.json()["attack_model"]
    for point in found.json()["points"]:
        assert (point["radius"] in ("inf", "-inf")) == (point["label"] == "low")


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"scale": {"width": 1}}, "rules.json: norm: expected 'l1', 'l2', 'linf' or 'l0', found nothing"),
        (
            {"norm": "l2", "scale": {"width": -1}},
            "rules.json: scale.width: expected a number >= 0, found -1",
        ),
        (
            {"norm": "l2", "bounds": {"width": [3, 2]}},
            "rules.json: bounds.width: expected low <= high, found [3, 2], an empty range",
        ),
        (
            {"norm": "l2", "bounds": {"width": [0, 1.5]}},
            (
                "DATA: expected values within the attack model's range [0, 1.5], got 2 for "
                "'width' in row 2"
            ),
        ),
        (
            {"norm": "l2", "frozen": ["widht"]},
            (
                "rules.json: frozen[0]: expected the name or number (1 to 2) of a feature, found "
                "'widht'; did you mean 'width'?"
            ),
        ),
        (
            {"norm": "l2", "one_hot": [["width", "height"], ["height", "width"]]},
            "rules.json: one_hot[1][0]: expected features of no other group, found 'height' again",
        ),
        (
            {"norm": "l2", "one_hot": [["width", "height"]]},
            (
                "DATA: expected features of a one-hot group to be on (1) or off (0), got -3 for "
                "'height' in row 1"
            ),
        ),
        ({"norm": "l2", "whole": [1]}, "rules.json: unknown field 'whole'"),
        ("{", "rules.json:1: not valid JSON"),
    ],
)
@pytest.mark.parametrize("command", ["certify", "evaluate", "explain", "train"])
def test_bad_attack_models_are_told_in_one_line(redoubt, small, files, rules, message, command):
    files("rules.json", rules)
    data = small if command != "train" else ("points.csv",)
    finished = redoubt(command, *data, "--attack-model", "rules.json")
    assert finished.code == 2
    assert finished.out == ""
    assert finished.err.startswith(f"redoubt: {message}")
    assert finished.err.count("\n") == 1


def test_rules_that_need_the_native_solver_say_so(redoubt, small, files):
    files("rules.json", {"norm": "l2", "frozen": ["width"]})
    model, data = small
    finished = redoubt(
        "attack",
        model,
        data,
        "--attack-model",
        "rules.json",
        "--radius",
        1,
        "--adversary",
        "heuristic",
        "--rule",
        "published",
    )
    assert finished.code == 2
    assert finished.err.count("\n") == 1


def test_explain_is_true_of_the_rows_it_prints(redoubt, small, files):
    model, data = small
    report = redoubt("explain", model, data, "--no-ranges", "--format", "json").json()
    predicted = redoubt("predict", model, data, "--format", "json").json()["points"]
    answers = [point["prediction"] for point in predicted]
    rows = [line.split(",")[:2] for line in POINTS.split()[1:]]
    for point, answer in zip(report["points"], answers, strict=True):
        assert point["explanation"].startswith(f"stays '{answer}' unless ")
    lines, expected = ["height,width"], []
    for feature in report["features"]:
        place = ["height", "width"].index(feature["feature"])
        for end in ("up_to", "down_to"):
            if feature[end] is None:
                continue
            row = list(rows[feature["row"] - 1])
            row[place] = repr(feature[end])
            lines.append(",".join(row))
            expected.append((answers[feature["row"] - 1], True))
            # Half way there, nothing has changed yet.
            row[place] = repr((feature[end] + feature["value"]) / 2)
            lines.append(",".join(row))
            expected.append((answers[feature["row"] - 1], False))
    files("single.csv", "\n".join(lines) + "\n")
    tried = redoubt("predict", model, "single.csv", "--format", "json").json()["points"]
    assert len(expected) > 10
    for point, (answer, is_changed) in zip(tried, expected, strict=True):
        assert (point["prediction"] != answer) == is_changed


def test_explain_takes_rows_and_formats(redoubt, small, files):
    model, data = small
    table = redoubt("explain", model, data, "--row", "2", "--row", "5")
    assert table.code == 0, table.err
    assert "stays 'low' unless" in table.out
    rows = redoubt("explain", model, data, "--row", "2,5", "--format", "csv").rows()
    assert [(row["row"], row["feature"]) for row in rows] == [
        ("2", "height"),
        ("2", "width"),
        ("5", "height"),
        ("5", "width"),
    ]
    shares = [float(row["attack_share"]) for row in rows[:2]]
    assert sum(shares) == pytest.approx(1.0)
    wrong = redoubt("explain", model, data, "--row", "8")
    assert wrong.code == 2
    assert wrong.err == "redoubt: --row: expected a row of DATA, from 1 to 7, got 8\n"


def test_explain_switches_and_counts_on_heart(redoubt, vote_file):
    rules, path = rules_of("heart")
    model = vote_file("heart", norm="linf")
    report = redoubt(
        "explain",
        model,
        "heart",
        "--row",
        "1,2,3,4,5,6",
        "--attack-model",
        path,
        "--format",
        "json",
    ).json()
    assert "frozen: Age, Sex" in report["attack_model"]
    for feature in report["features"]:
        if feature["feature"] in rules["frozen"]:
            assert feature["up_to"] is None
            assert feature["down_to"] is None
            assert feature["attack_to"] is None
        for end in ("up_to", "down_to", "attack_to"):
            if feature["feature"] in rules["integer"] and feature[end] is not None:
                assert feature[end] == int(feature[end])
            if "=" in feature["feature"] and feature[end] is not None:
                assert feature[end] == 1 - feature["value"]
