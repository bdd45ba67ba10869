"""Tables of more than two classes: train, predict, certify, evaluate and info."""

import json
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, load_wine
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


def scaled_file(path, X, labels):
    """The standardised table as a file; every number reads back to the same bits."""
    scaled = StandardScaler().fit_transform(X)
    lines = [",".join([*(f"f{l}" for l in range(X.shape[1])), "kind"])]
    lines += [",".join([*map(repr, row), y]) for row, y in zip(scaled.tolist(), labels, strict=True)]
    path.write_text("\n".join(lines) + "\n")
    return scaled


ALIKE = {
    "svm": ([], lambda: package.LinearSVMClassifier()),
    "svm-ens": (
        ["--planes", "3", "--seed", "5"],
        lambda: package.BaggedSVMClassifier(n_planes=3, random_state=5),
    ),
    "ens-c": (
        ["--radius", "0.5", "--seed", "3", "--class-weight", "balanced"],
        lambda: package.CollaborativeEnsembleClassifier(
            radius=0.5, random_state=3, class_weight="balanced"
        ),
    ),
}


@pytest.mark.parametrize("method", ["ro-svm", "ens-e", "ens-c", "svm", "svm-ens"])
@pytest.mark.parametrize("table", ["iris", "wine", "digits"])
def test_the_same_numbers_give_the_same_bits(redoubt, tmp_path, table, method):
    """Where no scaler rounds: planes, predictions, radii and attacks, to the last bit."""
    X, y = {**TABLES, "digits": load_digits}[table](return_X_y=True)
    if table == "digits":
        X, y = X[:200], y[:200]
    if table == "digits" and method in ("ens-e", "svm-ens"):
        pytest.skip("the same code on more classes")
    labels, file = np.array([f"kind {c}" for c in y]), tmp_path / "model.json"
    scaled = scaled_file(tmp_path / "data.csv", X, labels)
    options, make = {**METHODS, **ALIKE}[method]
    made = redoubt(
        "train", "data.csv", "--method", method, *options, "--scale", "none", "--model", file
    )
    assert made.code == 0, made.err
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator = make().fit(scaled, labels)
    planes = json.loads(file.read_text())["planes"]
    np.testing.assert_array_equal([plane["w"] for plane in planes], estimator.coef_)
    np.testing.assert_array_equal([plane["b"] for plane in planes], estimator.intercept_)
    some = slice(0, 40)
    found = package.certify(estimator, scaled, labels)
    attacks = package.attack(estimator, scaled[some], labels[some], 0.4)
    rows = redoubt("certify", file, "data.csv").rows()
    assert [row["prediction"] for row in rows] == found.prediction.tolist()
    np.testing.assert_array_equal([float(row["radius"]) for row in rows], found.radius)
    assert [row["nearest"] or None for row in rows] == found.nearest.tolist()
    rows = redoubt("attack", file, "data.csv", "--radius", "0.4").rows()[some]
    assert [row["success"] == "1" for row in rows] == attacks.success.tolist()
    moves = [[float(row[f"f{l}"]) for l in range(X.shape[1])] for row in rows] - scaled[some]
    np.testing.assert_allclose(moves, attacks.perturbation, rtol=1e-6, atol=1e-9)


def test_attacks_are_the_moves_of_certificates(redoubt, trained):
    file, path, X, labels, _ = trained
    certified = redoubt("certify", file, path, "--witness").rows()
    rows = redoubt("attack", file, path, "--radius", "0.3").rows()
    for row, proof, features in zip(rows, certified, X, strict=True):
        is_right = proof["prediction"] == proof["label"]
        hit = is_right and float(proof["upper"]) <= 0.3
        assert row["success"] == str(int(hit or not is_right))
        assert row["attacked"] == (proof["nearest"] if hit else proof["prediction"])
        moved = [float(row[f"f{l}"]) for l in range(X.shape[1])]
        if hit:
            assert moved == [float(proof[f"witness:f{l}"]) for l in range(X.shape[1])]
        else:
            assert moved == features.tolist()


def test_explanations_hold_for_predict(redoubt, trained, tmp_path):
    """At the end of each change the answer is another one, and just before it is not."""
    file, path, X, _, _ = trained
    rows = [1, 60, 120]
    told = redoubt("explain", file, path, "--row", "1,60,120", "--format", "json", "--no-ranges")
    told = told.json()
    certified = redoubt("certify", file, path).rows()
    model = package.load_model(file)
    for point in told["points"]:
        proof = certified[point["row"] - 1]
        assert point["prediction"] == proof["prediction"]
        assert point["explanation"].startswith(f"stays '{proof['prediction']}' unless ")
        raw = X[point["row"] - 1]
        assert point["prediction"] == model.predict(raw[None])[0]
        mine = package.explain(model, raw, ranges=None)
        assert (mine.sentence, mine.radius) == (point["explanation"], point["radius"])
        assert mine.nearest == point["nearest"] == model.predict(mine.moved[None])[0]
    assert [point["row"] for point in told["points"]] == rows
    for one in told["features"]:
        raw, l = X[one["row"] - 1], int(one["feature"][1:])
        (answer,) = model.predict(raw[None])
        for end in (one["up_to"], one["down_to"]):
            if end is None:
                continue
            there = raw.copy()
            there[l] = end
            assert model.predict(there[None])[0] != answer
            there[l] = np.nextafter(end, raw[l])
            assert model.predict(there[None])[0] == answer
            between = np.repeat(raw[None], 50, axis=0)
            between[:, l] = np.linspace(raw[l], end, 52)[1:-1]
            assert (model.predict(between) == answer).all()


@pytest.mark.parametrize("method", ["ro-svm", "ens-c"])
def test_the_radius_that_the_data_choose(redoubt, tmp_path, method):
    X, y = load_iris(return_X_y=True)
    labels, file = np.array(["kind " + "abc"[c] for c in y]), tmp_path / "model.json"
    scaled = scaled_file(tmp_path / "data.csv", X, labels)
    options = "--scale", "none", "--radius", "auto", "--model", file
    run = redoubt("train", "data.csv", "--method", method, *options)
    assert run.code == 0, run.err
    kinds = {
        "ro-svm": package.RobustSVMClassifier(radius="auto"),
        "ens-c": package.CollaborativeEnsembleClassifier(random_state=0),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator = kinds[method].fit(scaled, labels)
        estimator.save(tmp_path / "saved.json")
    fields = json.loads(file.read_text())
    np.testing.assert_array_equal([plane["w"] for plane in fields["planes"]], estimator.coef_)
    assert "How the radius was chosen" in run.out
    radii, scales = estimator.radius_, [one["scale"] for one in estimator.radius_choice_]
    np.testing.assert_allclose(radii / scales, np.full(3, radii[0] / scales[0]), rtol=1e-12)
    saved = tmp_path / "saved.json"
    choices = [json.loads(each.read_text())["training"]["choice"] for each in (file, saved)]
    assert choices[0] == choices[1]


def test_tuning(redoubt, tables, tmp_path):
    path, *_ = tables["iris"]
    file = tmp_path / "model.json"
    options = "--radius", "0.05,0.3,3", "--folds", "3", "--holdout", "0.3", "--model", file
    run = redoubt("tune", path, "--method", "ro-svm", *options, "--format", "json")
    assert run.code == 0, run.err
    candidates = run.json()["candidates"]
    assert [row["folds"] for row in candidates] == [3, 3, 3]
    (best,) = [row for row in candidates if row["choice"] == "best"]
    assert best["mean"] == max(row["mean"] for row in candidates)
    assert len(json.loads(file.read_text())["planes"]) == 3
    votes = redoubt("tune", path, "--method", "ens-h", "--radius", "0.1", "--planes", "1,3")
    assert votes.code == 0, votes.err


def test_an_attacking_class(redoubt, tables, tmp_path):
    path, X, labels = tables["iris"]
    (tmp_path / "rules.json").write_text(
        json.dumps({"norm": "l2", "attacking_class": "kind versicolor"})
    )
    file = tmp_path / "model.json"
    rules = "--attack-model", "rules.json"
    run = redoubt("train", path, "--method", "ro-svm", "--radius", "0.2", *rules, "--model", file)
    assert run.code == 0, run.err
    assert "only points of this class move: kind versicolor" in run.out
    rows = redoubt("certify", file, path).rows()
    for row in rows:
        assert np.isinf(float(row["radius"])) == (row["label"] != "kind versicolor")
    moved = redoubt("attack", file, path, "--radius", "9").rows()
    for row, proof in zip(moved, rows, strict=True):
        is_right = row["label"] == row["prediction"]
        assert row["success"] == str(int(not is_right or np.isfinite(float(proof["radius"]))))
    told = redoubt("explain", file, path, "--row", "1", "--format", "json").json()
    assert told["points"][0]["explanation"].endswith("whatever the adversary does")
    (tmp_path / "wrong.json").write_text(json.dumps({"norm": "l2", "attacking_class": "kind rose"}))
    refused = redoubt("certify", file, path, "--attack-model", "wrong.json")
    assert "expected one of the 3 classes, such as 'kind setosa', found 'kind rose'" in refused.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
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
            "attack model.json iris.csv --radius 1 --adversary relaxed",
            "adversary: expected exact for several classes, got relaxed",
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
