"""Models of several classes as files: what is saved is what the model, and the program, answers."""

import csv
import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import redoubt
import redoubt_check
from redoubt import AttackModel
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.svm import SVC
from sklearn_models import NORMS, fit
from test_class_models import make_table, table_pipeline

TABLES = {"iris": load_iris, "wine": load_wine, "digits": load_digits}
MODELS = {
    "planes": redoubt.RobustSVMClassifier(radius=0.2),
    "votes": redoubt.RobustEnsembleClassifier(radius=0.2, n_planes=3),
    "pairs": SVC(kernel="linear"),
    "search": GridSearchCV(LogisticRegression(max_iter=500), {"C": [0.1, 1.0]}, cv=2),
}


def program():
    path = Path(os.environ.get("REDOUBT_PROGRAM", Path(sys.prefix, "bin", "redoubt")))
    if not path.exists():
        pytest.skip("there is no program here")
    return path


def run(*arguments):
    found = subprocess.run(
        [program(), *map(str, arguments)], check=False, capture_output=True, text=True
    )
    assert found.returncode == 0, found.stderr
    return list(csv.DictReader(io.StringIO(found.stdout)))


def load_rows(name, n_rows):
    """Some rows of a table of scikit-learn, with texts as labels, and all of it for training."""
    bunch = TABLES[name]()
    labels = np.array([f"kind {label}" for label in bunch.target])
    rows = np.random.default_rng(0).permutation(len(labels))[:n_rows]
    return pd.DataFrame(bunch.data, columns=[f"f{l}" for l in range(bunch.data.shape[1])]), labels, rows


def written(folder, frame, labels):
    path = folder / "rows.csv"
    frame.assign(kind=labels).to_csv(path, index=False)
    return path


def check_same_bits(model, frame, labels, path, file, norm):
    """The program's table of certificates, number for number."""
    options = "--label", "kind", "--format", "csv", "--witness"
    rows = run("certify", file, path, "--norm", norm, *options)
    found = redoubt.certify(model, frame, labels, norm=norm)
    for name in ("radius", "lower", "upper"):
        np.testing.assert_array_equal([float(row[name]) for row in rows], getattr(found, name))
    assert [row["status"] for row in rows] == found.status.tolist()
    assert [row["prediction"] for row in rows] == found.prediction.tolist()
    assert [row["nearest"] or None for row in rows] == found.nearest.tolist()


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("kind", MODELS)
def test_what_python_saves_the_program_answers_alike(tmp_path, table, kind):
    frame, labels, some = load_rows(table, 40)
    train = frame.index if table != "digits" else frame.index[:600]
    scaler = MaxAbsScaler() if table == "digits" else StandardScaler()
    model = fit(make_pipeline(scaler, MODELS[kind]), frame.iloc[train], labels[train])
    file = tmp_path / "model.json"
    redoubt.save_model(model, file)
    loaded = redoubt.load_model(file)
    assert loaded.classes == model.classes_.tolist()
    np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame))
    frame, labels = frame.iloc[some], labels[some]
    path = written(tmp_path, frame, labels)
    for norm in NORMS if table != "digits" else ["l2"]:
        check_same_bits(loaded, frame, labels, path, file, norm)
        scaled = redoubt.certify(model, frame, labels, norm=norm, units="scaled")
        found = redoubt.certify(loaded, frame, labels, norm=norm)
        np.testing.assert_allclose(found.radius, scaled.radius, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(found.nearest, scaled.nearest)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("method", ["ro-svm", "ens-e"])
def test_what_the_program_trains_python_answers_alike(tmp_path, table, method):
    frame, labels, some = load_rows(table, 40)
    few = np.arange(len(labels)) if table != "digits" else np.arange(400)
    path, file = written(tmp_path, frame.iloc[few], labels[few]), tmp_path / "model.json"
    planes = ["--planes", 3] if method == "ens-e" else []
    scale = ["--scale", "maxabs" if table == "digits" else "standard"]
    run("train", path, "--method", method, "--radius", 0.2, *planes, *scale, "--model", file)
    model = redoubt.load_model(file)
    frame, labels = frame.iloc[some], labels[some]
    path = written(tmp_path, frame, labels)
    rows = run("predict", file, path, "--label", "kind", "--format", "csv")
    assert [row["prediction"] for row in rows] == model.predict(frame).tolist()
    for norm in NORMS if table != "digits" else ["linf"]:
        check_same_bits(model, frame, labels, path, file, norm)


def test_a_table_model_is_saved_whole(tmp_path):
    table, y = make_table(4)
    model = fit(table_pipeline(LogisticRegression()), table, y)
    file = tmp_path / "model.json"
    redoubt.save_model(model, file)
    loaded = redoubt.load_model(file)
    np.testing.assert_array_equal(loaded.predict(table), model.predict(table))
    path = tmp_path / "rows.csv"
    table.assign(kind=y).to_csv(path, index=False)
    rows = run("certify", file, path, "--label", "kind", "--format", "csv")
    mine = loaded.certify(table, y)
    pipeline = redoubt.certify(model, table, y)
    np.testing.assert_array_equal([float(row["radius"]) for row in rows], mine.radius)
    assert [row["nearest"] for row in rows] == mine.nearest.tolist()
    np.testing.assert_allclose(mine.radius, pipeline.radius, rtol=1e-9)
    np.testing.assert_array_equal(loaded.predict(mine.moved), mine.nearest)
    right = loaded.predict(table) == y
    to_a = loaded.certify(table, target="a")
    np.testing.assert_allclose(to_a.radius, redoubt.certify(model, table, target="a").radius, rtol=1e-9)
    attacks = loaded.attack(table, y, 0.5)
    np.testing.assert_array_equal(attacks.success, ~right | (mine.upper <= 0.5))
    np.testing.assert_array_equal(loaded.predict(attacks.moved) != y, attacks.success)
    rules = AttackModel("l2", attacking_class="b")
    only = loaded.certify(table, y, attack_model=rules)
    assert (np.isinf(only.radius) == (y != "b")).all()
    proofs = loaded.certify(table, y, proofs=True)
    proofs.save_proofs(tmp_path / "proofs.jsonl")
    assert redoubt_check.check_file(tmp_path / "proofs.jsonl", quiet=True) == (len(table), 0)


def test_what_a_loaded_model_says_of_itself(tmp_path):
    X, y = load_iris(return_X_y=True)
    file = tmp_path / "model.json"
    redoubt.RobustEnsembleClassifier(radius=0.2, n_planes=4).fit(X, y).save(file)
    model = redoubt.load_model(file)
    assert repr(model) == (
        "<Model: ens-e, l2, 4 planes per class, 4 features, classes '0', '1' and '2'>"
    )
    assert (model.score, model.planes_per_class) == ("votes", [4, 4, 4])
    assert len(model.ensemble.coef) == 12
    X, y = load_digits(return_X_y=True)
    redoubt.LinearSVMClassifier(C=0.01).fit(X[:300], y[:300]).save(file)
    text = repr(redoubt.load_model(file))
    assert "1 plane per class, 64 features, classes '0', '1', '2' and 7 more>" in text


def test_an_attacking_class_is_saved(tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    rules, file = AttackModel("l2", attacking_class=1), tmp_path / "model.json"
    model = redoubt.RobustSVMClassifier(radius=0.3, attack_model=rules).fit(X, y)
    model.save(file)
    loaded = redoubt.load_model(file)
    assert str(loaded.attack_model.attacking_class) == "1"
    mine = model.certify(X, y)
    np.testing.assert_array_equal(np.isinf(mine.radius), y != 1)
    np.testing.assert_array_equal(loaded.certify(X, y.astype(str)).radius, mine.radius)
    rows = tmp_path / "rows.csv"
    X.assign(kind=y).to_csv(rows, index=False)
    told = run("certify", file, rows, "--label", "kind", "--format", "csv")
    np.testing.assert_array_equal([float(row["radius"]) for row in told], mine.radius)
    # Against this class alone planes can be less careful of the others.
    plain = redoubt.RobustSVMClassifier(radius=0.3).fit(X, y)
    assert model.score(X, y) > plain.score(X, y) - 0.02
    assert mine.radius[y == 1].mean() > plain.certify(X, y).radius[y == 1].mean()


@pytest.mark.parametrize("kind", MODELS)
def test_onnx(kind):
    onnxruntime = pytest.importorskip("onnxruntime")
    frame, labels, _ = load_rows("wine", 1)
    X = frame.to_numpy()
    model = fit(make_pipeline(StandardScaler(), MODELS[kind]), X, labels)
    session = onnxruntime.InferenceSession(redoubt.to_onnx(model).SerializeToString())
    answers = session.run(["label"], {"X": X})[0]
    np.testing.assert_array_equal(answers, model.predict(X))
