"""redoubt train --method: every method, class weights, limits, bad options."""

import json

import numpy as np
import pytest
import redoubt as package

METHODS = ["svm", "ro-svm", "svm-ens", "ens-e", "ens-r", "ens-h", "ens-c"]
ENSEMBLES = METHODS[2:]


def planes(path):
    fields = json.loads(path.read_text())
    return [[*plane["w"], plane["b"]] for plane in fields["planes"]]


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
@pytest.mark.parametrize("method", METHODS)
def test_the_table_follows_from_the_certificates_of_the_model(redoubt, tmp_path, method, norm):
    arguments = ["--method", method, "--norm", norm, "--test", "gaussian:test"]
    arguments += ["--planes", "5"] if method in ENSEMBLES else []
    arguments += ["--epochs", "5"] if method == "ens-c" else []
    run = redoubt("train", "gaussian:train", *arguments, "--model", "model.json")
    assert run.code == 0
    model = package.load_model(tmp_path / "model.json")
    assert (model.method, model.norm, model.is_partial) == (method, norm, False)
    assert model.ensemble.n_planes == (5 if method in ENSEMBLES else 1)
    certificates = redoubt("certify", "model.json", "gaussian:test")
    assert certificates.code == 0
    radii = certificates.column("radius")
    labels = certificates.column("label")
    for radius, accuracy, balanced in run.table():
        right = radii > radius
        per_class = [right[labels == label].mean() for label in (-1, 1)]
        assert accuracy == pytest.approx(100 * right.mean(), abs=0.0051)
        assert balanced == pytest.approx(100 * np.mean(per_class), abs=0.0051)


RECORDS = {
    "svm-ens": (0, {"n_planes": 4.0, "C": 1.0}, 7, 0),
    "ens-e": (0.1, {"adversary": "exact", "n_planes": 4.0, "C": 1.0}, None, 4),
    "ens-r": (0.1, {"adversary": "relaxed", "n_planes": 4.0, "C": 1.0}, None, 4),
    "ens-h": (
        0.1,
        {"adversary": "heuristic", "rule": "corrected", "n_planes": 4.0, "C": 1.0},
        None,
        4,
    ),
}


@pytest.mark.parametrize("method", RECORDS)
def test_the_record_tells_how_the_planes_came_about(redoubt, tmp_path, method):
    radius, settings, seed, n_rounds = RECORDS[method]
    arguments = ["--method", method, "--planes", "4", "--model", "model.json"]
    run = redoubt("train", "gaussian", *arguments, *(["--seed", seed] if seed else []))
    assert run.code == 0
    record = package.load_model(tmp_path / "model.json").training
    assert (record["data"], record["n_points"]) == ("gaussian", 200)
    assert (record["status"], record["is_partial"]) == ("optimal", False)
    assert (record["objective"], record["seed"]) == (None, seed)
    assert record["radii"]["count"] == (1 if radius else 0)
    assert record["radii"]["greatest"] == radius
    assert record["settings"] == settings
    assert record["seconds"] > 0
    rows = record["rounds"]["rows"]
    assert [row[0] for row in rows] == list(range(1, n_rounds + 1))


def test_the_record_of_a_collaborative_ensemble(redoubt, tmp_path):
    arguments = ["--method", "ens-c", "--radius", "2", "--planes", "3", "--epochs", "6", "--seed", "9"]
    run = redoubt("train", "gaussian", *arguments, "--model", "model.json")
    record = package.load_model(tmp_path / "model.json").training
    assert record["radii"] == {"count": 1, "least": 2.0, "greatest": 2.0, "mean": 2.0}
    assert record["seed"] == 9
    assert record["settings"]["n_planes"] == 3
    assert record["settings"]["n_epochs"] == 6
    assert record["rounds"]["columns"] == ["epoch", "objective", "seconds"]
    objectives = [row[1] for row in record["rounds"]["rows"]]
    assert len(objectives) == 6
    assert objectives[-1] < objectives[0]
    assert record["objective"] == objectives[-1]
    assert run.fact("objective") == f"{record['objective']:.6g}"


@pytest.mark.parametrize("method", ENSEMBLES)
def test_threads_and_checkpoints_do_not_change_a_vote(redoubt, tmp_path, method):
    extra = ["--epochs", "4"] if method == "ens-c" else []
    results = []
    for run in (["--threads", "1"], ["--threads", "2"], ["--threads", "2", "--checkpoint", "c"]):
        arguments = ["--method", method, "--planes", "6", *extra, *run, "--model", "model.json"]
        assert redoubt("train", "gaussian", *arguments).code == 0
        results.append(planes(tmp_path / "model.json"))
    assert len(results[0]) == 6
    assert results[1] == results[0]
    assert results[2] == results[0]
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize(
    ("method", "option", "value"),
    [
        ("svm-ens", "--seed", "1"),
        ("svm-ens", "--C", "0.01"),
        ("ens-e", "--C", "0.01"),
        ("ens-e", "--radius", "0.5"),
        ("ens-e", "--norm", "linf"),
        ("ens-h", "--rule", "published"),
        ("ens-c", "--seed", "1"),
        ("ens-c", "--radius", "1"),
        ("ens-c", "--norm", "l1"),
        ("ens-c", "--class-weight", "balanced"),
        ("ens-e", "--class-weight", "balanced"),
    ],
)
def test_every_option_matters(redoubt, tmp_path, method, option, value):
    arguments = ["--method", method, "--planes", "4", *(["--epochs", "3"] * (method == "ens-c"))]
    redoubt("train", "gaussian:train", *arguments, "--model", "before.json")
    run = redoubt("train", "gaussian:train", *arguments, option, value, "--model", "after.json")
    assert run.code == 0
    assert planes(tmp_path / "before.json") != planes(tmp_path / "after.json")


def test_balanced_classes_weigh_as_if_the_rarer_one_stood_there_more_often(redoubt, tmp_path):
    rng = np.random.default_rng(3)
    low = [(*point, "low") for point in rng.normal(-0.5, 1, (40, 2)).tolist()]
    high = [(*point, "high") for point in rng.normal(0.5, 1, (20, 2)).tolist()]
    for name, rows in (("once.csv", low + high), ("twice.csv", low + high + high)):
        lines = [f"{a!r},{b!r},{kind}" for a, b, kind in rows]
        (tmp_path / name).write_text("\n".join(["a,b,kind", *lines]) + "\n")
    svm = ["--method", "svm", "--scale", "none"]
    # Balanced weights are 60 / 80 and 60 / 40: three quarters of 1 and 2.
    balanced = redoubt("train", "once.csv", *svm, "--class-weight", "balanced", "--C", "4")
    repeated = redoubt("train", "twice.csv", *svm, "--C", "3")
    assert balanced.code == repeated.code == 0
    assert balanced.plane() == pytest.approx(repeated.plane(), rel=1e-4)
    assert "classes balanced" in balanced.out


def test_without_time_there_is_no_model(redoubt, tmp_path):
    for method in ("svm-ens", "ens-e"):
        arguments = ["--method", method, "--time-limit", "0", "--model", "model.json"]
        run = redoubt("train", "gaussian", *arguments)
        assert (run.code, run.out) == (1, "")
        assert run.err.endswith(
            "redoubt: stopped before the first plane, so there is no model (time limit)\n"
        )
        assert not (tmp_path / "model.json").exists()


def test_a_time_limit_leaves_a_partial_model(redoubt, tmp_path):
    arguments = ["--method", "ens-c", "--time-limit", "0", "--model", "model.json"]
    run = redoubt("train", "gaussian", *arguments)
    assert run.code == 1
    assert run.fact("status") == "time limit, so partial"
    assert len(run.table()) == 12
    assert package.load_model(tmp_path / "model.json").is_partial
    assert redoubt("certify", "model.json", "gaussian").code == 0
