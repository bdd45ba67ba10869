"""Tables of more than two classes: train, predict, certify, evaluate and info."""

import json
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import StandardScaler

import redoubt as package

TABLES = {"iris": load_iris, "wine": load_wine}
METHODS = {
    "ro-svm": (["--radius", "0.2"], lambda: package.RobustSVMClassifier(radius=0.2)),
    "ens-e": (
        ["--radius", "0.2", "--planes", "4"],
        lambda: package.RobustEnsembleClassifier(radius=0.2, n_planes=4),
    ),
    "ens-c": (
        ["--radius", "0.5", "--seed", "3"],
        lambda: package.CollaborativeEnsembleClassifier(radius=0.5, random_state=3),
    ),
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The path of each table, its features and the texts of its labels."""
    folder, found = tmp_path_factory.mktemp("tables"), {}
    for name, load in TABLES.items():
        bunch = load()
        labels = np.array(["kind " + str(label) for label in bunch.target_names])[bunch.target]
        lines = [",".join([*(f"f{l}" for l in range(bunch.data.shape[1])), "kind"])]
        lines += [",".join([*map(repr, map(float, row)), y]) for row, y in zip(bunch.data, labels)]
        path = folder / f"{name}.csv"
        path.write_text("\n".join(lines) + "\n")
        found[name] = path, bunch.data, labels
    return found


@pytest.fixture(scope="module", params=[(t, m) for t in TABLES for m in METHODS])
def trained(request, redoubt_in, tables, tmp_path_factory):
    """A model file, its table, and the estimator of the package for the same training."""
    (_, method), (path, X, labels) = request.param, tables[request.param[0]]
    options, make = METHODS[method]
    folder = tmp_path_factory.mktemp("models")
    file = folder / "model.json"
    run = redoubt_in(folder)("train", path, "--method", method, *options, "--model", file)
    assert run.code == 0, run.err
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the middle one of three irises is not linear
        estimator = make().fit(StandardScaler().fit_transform(X), labels)
    return file, path, X, labels, estimator


def test_the_program_trains_the_planes_of_the_package(trained):
    file, _, _, _, estimator = trained
    fields = json.loads(file.read_text())
    assert fields["format_version"] == 7
    assert fields["classes"] == estimator.classes_.tolist()
    counts = [len(estimator.coef_) // len(estimator.classes_)] * len(estimator.classes_)
    kind = "value" if counts[0] == 1 else "votes"
    assert fields["decision"] == {"score": kind, "planes_per_class": counts}
    # The two scalers differ in the last bits.
    alike = {"rtol": 1e-5, "atol": 1e-7}
    np.testing.assert_allclose(
        [plane["w"] for plane in fields["planes"]], estimator.coef_, **alike
    )
    np.testing.assert_allclose(
        [plane["b"] for plane in fields["planes"]], estimator.intercept_, **alike
    )


def test_predictions_are_those_of_the_package(redoubt, trained):
    file, path, X, labels, estimator = trained
    rows = redoubt("predict", file, path).rows()
    scaled = StandardScaler().fit_transform(X)
    assert [row["prediction"] for row in rows] == estimator.predict(scaled).tolist()
    assert [row["label"] for row in rows] == labels.tolist()
    votes = estimator.votes(scaled)
    for c, name in enumerate(estimator.classes_):
        assert [int(row["votes:" + name]) for row in rows] == votes[:, c].tolist()
    assert all(float(row["margin"]) >= 0 for row in rows)


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_certificates_agree_with_the_package(redoubt, trained, norm):
    file, path, X, labels, estimator = trained
    rows = redoubt("certify", file, path, "--norm", norm, "--witness").rows()
    scaled = StandardScaler().fit_transform(X)
    found = package.certify(estimator, scaled, labels, norm=norm)
    lower, upper = (np.array([float(row[name]) for row in rows]) for name in ("lower", "upper"))
    assert {row["status"] for row in rows} == {"optimal"}
    right = found.prediction == labels
    np.testing.assert_allclose(lower[right], found.radius[right], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(upper[right], found.radius[right], rtol=1e-9, atol=1e-12)
    # Of wrong answers of votes the package may know a bracket only.
    slack = 1e-9 * (1 + np.abs(lower[~right]))
    assert np.all(found.lower[~right] <= upper[~right] + slack)
    assert np.all(found.upper[~right] >= lower[~right] - slack)
    moved = np.array([[float(row[f"witness:f{l}"]) for l in range(X.shape[1])] for row in rows])
    # The scalers differ by a rounding: a move that ends on an edge may have to go a little further.
    scaler, nearest = StandardScaler().fit(X), np.array([row["nearest"] for row in rows])
    places = moved, X + (moved - X) * (1 + 1e-6)
    reached = [estimator.predict(scaler.transform(place)) == nearest for place in places]
    assert np.mean(reached[0] | reached[1]) > 0.98
    assert np.all((nearest == labels) == ~right)


def test_the_curve_follows_from_the_certificates(redoubt, trained):
    file, path, _, labels, _ = trained
    run = redoubt("evaluate", file, path, "--radii", "0,0.1,0.5", "--format", "csv")
    radii = redoubt("certify", file, path).column("radius")
    kinds = np.unique(labels)
    for row in run.rows():
        safe = radii > float(row["radius"])
        assert float(row["accuracy"]) == pytest.approx(safe.mean(), rel=1e-12)
        balanced = np.mean([safe[labels == kind].mean() for kind in kinds])
        assert float(row["balanced_accuracy"]) == pytest.approx(balanced, rel=1e-12)
        assert float(row["balanced_constant"]) == pytest.approx(1 / 3)
    report = redoubt("evaluate", file, path, "--format", "json").json()
    rows = redoubt("predict", file, path).rows()
    for line in report["confusion"]:
        for answer in kinds:
            pairs = [(row["label"], row["prediction"]) for row in rows]
            assert line[f"answered:{answer}"] == pairs.count((line["label"], answer))


def test_attack_models_and_held_out_rows(redoubt, tables, tmp_path):
    path, *_ = tables["iris"]
    file = tmp_path / "model.json"
    options = "--holdout", "0.3", "--frozen", "f0", "--increase-only", "f2", "--bounds", "data"
    run = redoubt("train", path, "--method", "ro-svm", "--radius", "0.1", *options, "--model", file)
    assert run.code == 0, run.err
    rows = redoubt("certify", file, path, "--witness", "--node-limit", "100000").rows()
    raw = [line.split(",") for line in path.read_text().splitlines()[1:]]
    for row, features in zip(rows, raw, strict=True):
        if row["nearest"]:
            assert float(row["witness:f0"]) == float(features[0])
            assert float(row["witness:f2"]) >= float(features[2])
    held_out = redoubt("evaluate", file, path, "--holdout", "0.3", "--format", "json").json()
    assert held_out["points"] == 45


def test_info_says_how_the_classes_answer(redoubt, trained):
    file, _, _, _, estimator = trained
    text = redoubt("info", file).out
    assert all(name in text for name in estimator.classes_)
    if len(estimator.coef_) == 3:
        assert "the greatest value of one plane per class" in text
    else:
        assert "most votes, of 4 planes per class" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "train iris.csv --method ens-c --radius auto",
            "--radius: expected a number with more than two classes, got auto",
        ),
        (
            "train iris.csv --positive a",
            "--positive: expected two classes, got 3: 'kind setosa', 'kind versicolor', "
            "'kind virginica'",
        ),
        (
            "train iris.csv --method ens-e --checkpoint state.json",
            "--checkpoint: expected two classes, got more",
        ),
        (
            "attack model.json iris.csv --radius 1",
            "MODEL: expected two classes for attack (certify finds the least moves of more), got 3",
        ),
        (
            "explain model.json iris.csv --row 1",
            "MODEL: expected two classes for explain (certify --witness shows the nearest row with "
            "another answer), got 3",
        ),
        (
            "adjust model.json iris.csv --model other.json",
            "MODEL: expected two classes for adjust, got 3",
        ),
        (
            "certify model.json iris.csv --solver mip",
            "solver: expected native for several classes, got mip",
        ),
    ],
)
def test_what_is_about_two_classes_says_so(redoubt, tables, tmp_path, arguments, message):
    (tmp_path / "iris.csv").write_text(tables["iris"][0].read_text())
    run = redoubt("train", "iris.csv", "--model", "model.json")
    assert run.code == 0, run.err
    refused = redoubt(*arguments.split())
    assert refused.code != 0
    assert message in refused.err.replace("\n", " ")


def test_proofs_of_right_and_wrong_answers(redoubt, tables, tmp_path):
    (tmp_path / "iris.csv").write_text(tables["iris"][0].read_text())
    for method in METHODS:
        train = ["train", "iris.csv", "--method", method, *METHODS[method][0]]
        assert redoubt(*train, "--model", "model.json").code == 0
        for labels in ((), ("--label", "kind")):
            run = redoubt("certify", "model.json", "iris.csv", *labels, "--proof", "proofs.jsonl")
            assert run.code == 0, run.err
            checked = redoubt("check", "proofs.jsonl", "--model", "model.json")
            assert checked.out == "150 proven, 0 refused\n"
