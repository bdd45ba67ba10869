"""ONNX graphs against onnxruntime."""

import numpy as np
import onnxruntime
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from test_ensemble_estimators import ALL

import redoubt
from redoubt import datasets


def run(model, X):
    session = onnxruntime.InferenceSession(
        redoubt.to_onnx(model).SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(["label", "votes"], {"X": np.asarray(X, dtype=np.float64)})


@pytest.mark.parametrize("name", ALL)
def test_two_classes(name):
    X, y, *_ = datasets.load("digits3")
    labels = np.where(y > 0, "three", "other")
    model = clone(ALL[name]).fit(X, labels)
    answers, votes = run(model, X)
    np.testing.assert_array_equal(answers, model.predict(X))
    counts = model.votes(X)
    np.testing.assert_array_equal(votes, counts[:, 1] - counts[:, 0])


@pytest.mark.parametrize("name", ALL)
def test_several_classes(name):
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model = clone(ALL[name])
    if "radius" in model.get_params():
        model.set_params(radius=0.05)
    model.fit(X, y)
    answers, votes = run(model, X)
    np.testing.assert_array_equal(answers, model.predict(X))
    assert votes.shape == (len(X), 3)


def test_ties_and_points_on_planes():
    vote = redoubt.Ensemble([[1.0, 0.0], [0.0, 1.0]], [0.0, -1.0])
    X = [[0.0, 0.0], [-1.0, 1.0], [-1.0, 0.5], [0.0, 1.0]]
    answers, votes = run(vote, X)
    assert answers.tolist() == vote.predict(np.array(X)).tolist() == [1, 1, -1, 1]
    assert votes.tolist() == [0, 0, -2, 2]


def test_models_of_others_and_model_files(tmp_path):
    X, y, *_ = datasets.load("bcw")
    members = [("a", LogisticRegression(C=0.1)), ("b", LinearSVC(C=0.01)), ("c", LinearSVC(C=1))]
    model = make_pipeline(StandardScaler(), VotingClassifier(members)).fit(X, y.astype(int))
    answers, _ = run(model, X)
    np.testing.assert_array_equal(answers, model.predict(X))
    clone(ALL["ens-e"]).fit(X, np.where(y > 0, "bad", "good")).save(tmp_path / "model.json")
    loaded = redoubt.load_model(tmp_path / "model.json")
    answers, _ = run(loaded, X)
    np.testing.assert_array_equal(answers, loaded.predict(X))


def test_columns_without_a_weight_are_left_out():
    rng = np.random.default_rng(0)
    coef = np.zeros((3, 20_000))
    coef[:, rng.choice(20_000, 50, replace=False)] = rng.normal(size=(3, 50))
    vote = redoubt.Ensemble(coef, rng.normal(size=3))
    X = rng.normal(size=(40, 20_000))
    answers, votes = run(vote, X)
    np.testing.assert_array_equal(answers, vote.predict(X))
    np.testing.assert_array_equal(votes, vote.votes(X))
    assert len(redoubt.to_onnx(vote).SerializeToString()) < 5_000
    nothing = redoubt.Ensemble(np.zeros((1, 5)), [-1.0])
    assert run(nothing, np.ones((2, 5)))[0].tolist() == [-1, -1]


def test_without_onnx_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(ImportError, match="needs the package onnx: pip install onnx"):
        redoubt.to_onnx(redoubt.Ensemble([[1.0]], [0.0]))
