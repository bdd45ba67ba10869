"""The classifiers that vote, as scikit-learn estimators."""

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import redoubt
from redoubt import (
    BaggedSVMClassifier,
    CollaborativeEnsembleClassifier,
    LinearSVMClassifier,
    RobustEnsembleClassifier,
    RobustSVMClassifier,
    _core,
    datasets,
)

VOTES = {
    "svm-ens": BaggedSVMClassifier(n_planes=4, random_state=3),
    "ens-e": RobustEnsembleClassifier(radius=0.25, n_planes=4),
    "ens-r": RobustEnsembleClassifier(radius=0.25, n_planes=4, adversary="relaxed"),
    "ens-h": RobustEnsembleClassifier(radius=0.25, n_planes=4, adversary="heuristic"),
    "ens-c": CollaborativeEnsembleClassifier(2.0, n_planes=4, n_epochs=5, random_state=3),
}
ALL = {**VOTES, "svm": LinearSVMClassifier(), "ro-svm": RobustSVMClassifier()}


@pytest.fixture(scope="module")
def gaussian():
    X, y, *_ = datasets.load("gaussian")
    return X, y


def core_result(name, X, y):
    """The same training without the estimator."""
    radii = np.array([0.25])
    if name == "svm-ens":
        return _core.train_bagged_svms(X, y, n_planes=4, seed=3)
    if name == "ens-c":
        return _core.train_collaborative(X, y, np.array([2.0]), n_planes=4, n_epochs=5, seed=3)
    adversary = VOTES[name].adversary
    return _core.train_robust_ensemble(X, y, radii, n_planes=4, adversary=adversary)


@pytest.mark.parametrize("name", VOTES)
def test_same_bits_as_the_library(gaussian, name):
    X, y = gaussian
    model = clone(VOTES[name]).fit(X, y)
    result = core_result(name, X, y)
    np.testing.assert_array_equal(model.coef_, result.ensemble.coef)
    np.testing.assert_array_equal(model.intercept_, result.ensemble.intercept)
    wanted = "finished" if name == "ens-c" else "optimal"
    assert (model.status_, model.is_partial_) == (wanted, False)
    assert model.history_.keys() == dict(result.history).keys()
    threaded = clone(VOTES[name]).set_params(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(threaded.coef_, model.coef_)


@pytest.mark.parametrize("name", ALL)
def test_answers_belong_together(gaussian, name):
    X, y = gaussian
    model = clone(ALL[name]).fit(X, y)
    positive = model.predict(X) == model.classes_[1]
    np.testing.assert_array_equal(model.decision_function(X) > 0, positive)
    votes = model.votes(X)
    np.testing.assert_array_equal(votes.sum(axis=1), len(model.coef_))
    np.testing.assert_array_equal(votes[:, 1] >= votes[:, 0], positive)
    certificates = model.certify(X, y)
    np.testing.assert_array_equal(certificates.radius > 0, positive == (y > 0))
    direct = redoubt.certify(redoubt.Ensemble(model.coef_, model.intercept_), X, y)
    np.testing.assert_array_equal(certificates.radius, direct.radius)


def test_a_tie_is_positive():
    """Points on the plane, and votes that cancel."""
    model = clone(VOTES["svm-ens"]).set_params(n_planes=2).fit([[-1.0], [-2.0], [1.0], [2.0]], [0, 0, 1, 1])
    model.coef_ = np.array([[1.0], [1.0]])
    model.intercept_ = np.array([1.0, -1.0])
    X = np.array([[-1.0], [0.0], [1.0], [-1.5], [np.nextafter(-1.0, -2.0)]])
    assert model.predict(X).tolist() == [1, 1, 1, 0, 0]
    np.testing.assert_array_equal(model.decision_function(X) > 0, [True, True, True, False, False])
    plane = LinearSVMClassifier().fit([[-1.0], [1.0]], [0, 1])
    on_plane = -plane.intercept_ / plane.coef_[0]
    assert plane.predict([on_plane]).tolist() == [1]
    assert plane.decision_function([on_plane])[0] > 0


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_several_classes(load, name, norm):
    X, y = load(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    labels = np.array(["ash", "birch", "cedar"])[y]
    model = clone(ALL[name])
    if "norm" in model.get_params():
        model.set_params(norm=norm, radius=0.05)
    model.fit(X, labels)
    assert model.classes_.tolist() == ["ash", "birch", "cedar"]
    assert model.score(X, labels) > 0.75
    values = model.decision_function(X)
    assert values.shape == (len(X), 3)
    np.testing.assert_array_equal(model.classes_[values.argmax(axis=1)], model.predict(X))
    result = model.certify(X, norm=norm)
    assert np.all(result.lower >= 0)
    assert np.all(result.lower <= result.upper)
    # No move that is shorter than the certificate changes the answer; the witness does.
    rng = np.random.default_rng(0)
    order = {"l1": 1, "l2": 2, "linf": np.inf}[norm]
    for _ in range(20):
        move = rng.normal(size=X.shape)
        move *= ((1 - 1e-9) * result.lower / np.linalg.norm(move, order, axis=1))[:, None]
        np.testing.assert_array_equal(model.predict(X + move), model.predict(X))
    # It ends on the very edge, where rounding decides; a little further it may gain other votes.
    flips = [
        model.predict(X + (1 + stretch) * result.witness) != model.predict(X)
        for stretch in (0.0, 1e-9)
    ]
    assert np.all(flips[0] | flips[1])
    wrong = model.predict(X) != labels
    np.testing.assert_array_equal(model.certify(X, labels, norm=norm).radius < 0, wrong)


# --- scikit-learn's tools ---------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_copies_answer_the_same(gaussian, tmp_path, name):
    X, y = gaussian
    model = clone(ALL[name]).fit(X, y)
    joblib.dump(model, tmp_path / "model.joblib")
    for copy in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "model.joblib")):
        np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model), "coef_")


def test_pipelines_and_searches(gaussian):
    X, y = gaussian
    pipeline = make_pipeline(StandardScaler(), RobustEnsembleClassifier(n_planes=3))
    search = GridSearchCV(pipeline, {"robustensembleclassifier__radius": [0.1, 0.5]}, cv=3)
    search.fit(X, y)
    assert search.best_score_ > 0.9
    predicted = cross_val_predict(pipeline, X, y, cv=3)
    assert np.mean(predicted == y) > 0.9
    values = cross_val_predict(pipeline, X, y, cv=3, method="decision_function")
    np.testing.assert_array_equal(values > 0, predicted == 1)
    assert redoubt.certify(search, X, y).radius.shape == y.shape


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames(gaussian, frame):
    X, y = gaussian
    columns = ["a", "b", "c", "d", "e"]
    table = frame({name: X[:, j] for j, name in enumerate(columns)})
    model = clone(VOTES["ens-e"]).fit(table, y)
    assert model.feature_names_in_.tolist() == columns
    np.testing.assert_array_equal(model.predict(table), clone(VOTES["ens-e"]).fit(X, y).predict(X))
    renamed = frame({name.upper(): X[:, j] for j, name in enumerate(columns)})
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(renamed)


def test_metadata_routing(gaussian):
    X, y = gaussian
    radii = np.where(y > 0, 0.1, 0.6)
    weights = np.linspace(0.5, 1.5, len(y))
    with config_context(enable_metadata_routing=True):
        model = RobustEnsembleClassifier(n_planes=3)
        model.set_fit_request(sample_weight=True, radius=True)
        pipeline = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False), model
        )
        result = cross_validate(
            pipeline, X, y, cv=3, params={"sample_weight": weights, "radius": radii},
            return_estimator=True, return_indices=True,
            scoring=make_scorer(accuracy_score).set_score_request(sample_weight=False),
        )  # fmt: skip
        rows = result["indices"]["train"][0]
    scaled = StandardScaler().fit_transform(X[rows])
    direct = RobustEnsembleClassifier(n_planes=3).fit(
        scaled, y[rows], sample_weight=weights[rows], radius=radii[rows]
    )
    np.testing.assert_array_equal(result["estimator"][0][-1].coef_, direct.coef_)


@pytest.mark.parametrize("name", ["svm-ens", "ens-e", "ens-r", "ens-h"])
def test_warm_start_adds_the_planes_that_one_go_would_have(gaussian, name):
    X, y = gaussian
    model = clone(VOTES[name]).set_params(n_planes=2, warm_start=True).fit(X, y)
    first = model.coef_.copy()
    model.set_params(n_planes=5).fit(X, y)
    whole = clone(VOTES[name]).set_params(n_planes=5).fit(X, y)
    np.testing.assert_array_equal(model.coef_[:2], first)
    np.testing.assert_array_equal(model.coef_, whole.coef_)
    model.fit(X, y)
    np.testing.assert_array_equal(model.coef_, whole.coef_)


def test_warm_start_of_collaborative_planes(gaussian):
    X, y = gaussian
    model = clone(VOTES["ens-c"]).set_params(warm_start=True).fit(X, y)
    before = redoubt.Ensemble(model.coef_, model.intercept_)
    again = _core.train_collaborative(
        X, y, np.array([2.0]), n_planes=4, n_epochs=5, seed=3, start=before
    )
    np.testing.assert_array_equal(model.fit(X, y).coef_, again.ensemble.coef)


def test_weights_and_radii_matter(gaussian):
    X, y = gaussian
    weights = np.ones(len(y))
    weights[:50] = 0.0
    for name in VOTES:
        whole = clone(VOTES[name]).fit(X, y)
        left_out = clone(VOTES[name]).fit(X, y, sample_weight=weights)
        assert not np.array_equal(whole.coef_, left_out.coef_)
    for name in ("ens-e", "ens-c"):
        one = clone(VOTES[name]).fit(X, y, radius=0.3)
        each = clone(VOTES[name]).fit(X, y, radius=np.full(len(y), 0.3))
        np.testing.assert_array_equal(one.coef_, each.coef_)
        other = clone(VOTES[name]).fit(X, y, radius=np.linspace(0.1, 0.5, len(y)))
        assert not np.array_equal(one.coef_, other.coef_)


@pytest.mark.parametrize("name", ALL)
def test_model_files(gaussian, tmp_path, name):
    X, y = gaussian
    table = pd.DataFrame(X, columns=["a", "b", "c", "d", "e"])
    model = clone(ALL[name]).fit(table, np.where(y > 0, "up", "low"))
    model.save(tmp_path / "model.json")
    loaded = redoubt.load_model(tmp_path / "model.json")
    assert loaded.method == name
    assert loaded.feature_names == ["a", "b", "c", "d", "e"]
    np.testing.assert_array_equal(loaded.ensemble.coef, model.coef_)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(table))


@pytest.mark.parametrize("power", [0.5, 0.8, 1.0, 2.0])
def test_the_collaborative_objective_is_the_documented_formula(gaussian, power):
    """One epoch of steps that move nothing: its objective, from certificates and the formula."""
    X, y = gaussian
    radius, cap = 1.5, 0.4
    weights = np.linspace(0.5, 2.0, len(X))
    model = CollaborativeEnsembleClassifier(
        radius, power=power, cap=cap, n_planes=3, n_epochs=1, step=1e-13, random_state=0
    ).fit(X, y, sample_weight=weights)
    signed = np.maximum(model.certify(X, y, norm="l2").radius, -cap * radius)
    missing = np.maximum(0.0, radius - signed) / radius
    expected = np.mean(weights * radius / power * missing**power)
    assert model.history_["objective"][0] == pytest.approx(expected, rel=1e-9)


# --- limits and interruptions -----------------------------------------------------------------


def test_a_time_limit_is_a_convergence_warning():
    X, y, *_ = datasets.load("digits3")
    model = BaggedSVMClassifier(n_planes=2000, max_seconds=1.0, random_state=0)
    with pytest.warns(ConvergenceWarning, match=r"stopped early \(time limit\)"):
        model.fit(X, y)
    assert model.is_partial_
    assert 1 <= len(model.coef_) < 2000
    model.predict(X[:3])
    with pytest.raises(RuntimeError, match=r"stopped \(time limit\) before its first plane"):
        RobustEnsembleClassifier(max_seconds=0.0).fit(X, y)


LONG_FITS = {
    "svm-ens": "BaggedSVMClassifier(n_planes=3000, random_state=0)",
    "ens-e": "RobustEnsembleClassifier(radius=0.5, n_planes=100000)",
    "ens-c": "CollaborativeEnsembleClassifier(2.0, n_epochs=100000, random_state=0)",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG_FITS)
def test_an_interrupt_keeps_the_partial_model(name):
    """In a process of its own: a real SIGINT, as from a terminal."""
    script = f"""
        import redoubt, time
        from redoubt import *
        X, y, *_ = datasets.load("digits3")
        model = {LONG_FITS[name]}
        print("ready", flush=True)
        try:
            model.fit(X, y)
        except KeyboardInterrupt:
            print("stopped", model.status_, model.is_partial_, len(model.coef_) > 0,
                  len(model.predict(X[:5])), flush=True)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    with process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "stopped interrupted True True 5\n"
    assert process.returncode == 0


def test_an_interrupt_ends_a_search():
    rng = np.random.default_rng(0)
    vote = redoubt.Ensemble(rng.normal(size=(201, 40)), np.full(201, 3.0))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
    try:
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            redoubt.certify(vote, rng.normal(size=(50, 40)))
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_run_during_a_fit():
    X, y, *_ = datasets.load("digits3")
    ticks = []
    done = threading.Event()

    def tick():
        while not done.wait(0.005):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        BaggedSVMClassifier(n_planes=2000, max_seconds=1.0, random_state=0).fit(X, y)
    done.set()
    thread.join()
    assert len(ticks) > 3  # none but the first where the fit keeps all others waiting


def test_verbose_tells_of_the_progress(capsys):
    X, y, *_ = datasets.load("digits3")
    CollaborativeEnsembleClassifier(2.0, n_planes=5, n_epochs=10, random_state=0, verbose=1).fit(X, y)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.rstrip().splitlines()[-1].split("\r")[-1].startswith(
        "CollaborativeEnsembleClassifier: "
    )
    CollaborativeEnsembleClassifier(2.0, n_planes=5, n_epochs=2, random_state=0).fit(X, y)
    assert capsys.readouterr().err == ""


# --- bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "parameters", "error", "message"),
    [
        ("svm-ens", {"n_planes": 0}, ValueError, "n_planes: expected an integer >= 1, got 0"),
        ("svm-ens", {"n_planes": 2.5}, TypeError, "n_planes: expected an integer >= 1, got 2.5"),
        ("svm-ens", {"C": 0}, ValueError, "C: expected a finite number > 0, got 0"),
        ("svm-ens", {"random_state": "x"}, ValueError, "cannot be used to seed"),
        ("svm-ens", {"n_jobs": 0}, ValueError, "n_jobs: expected None or an integer other than 0"),
        ("svm-ens", {"max_seconds": -1}, ValueError, "max_seconds: expected a finite number >= 0"),
        ("ens-e", {"radius": -1}, ValueError, "radius: expected a finite number >= 0, got -1"),
        ("ens-e", {"norm": "l3"}, ValueError, "norm: expected"),
        ("ens-e", {"adversary": "x"}, ValueError, "adversary: expected"),
        ("ens-h", {"rule": "x"}, ValueError, "rule: expected"),
        ("ens-c", {"radius": 0}, ValueError, "radius: expected a finite number > 0, got 0"),
        ("ens-c", {"n_epochs": 0}, ValueError, "n_epochs: expected an integer >= 1, got 0"),
        ("ens-c", {"validation_share": 1}, ValueError, "validation_share: expected"),
        ("ens-c", {"class_weight": "x"}, ValueError, "class_weight"),
    ],
)
def test_bad_parameters(gaussian, name, parameters, error, message):
    with pytest.raises(error, match=message):
        clone(VOTES[name]).set_params(**parameters).fit(*gaussian)


def test_bad_data(gaussian, tmp_path):
    X, y = gaussian
    model = clone(VOTES["ens-e"])
    with pytest.raises(ValueError, match="needs samples of 2 classes"):
        model.fit(X, np.ones(len(y)))
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
        model.fit(X, y, sample_weight=-np.ones(len(y)))
    with pytest.raises(ValueError, match="expected one number or one per sample"):
        model.fit(X, y, radius=[0.1, 0.2])
    with pytest.raises(ValueError, match="radii"):
        model.fit(X, y, radius=-np.ones(len(y)))
    with pytest.raises(ValueError, match="Input X contains NaN"):
        model.fit(np.where(X > 1, np.nan, X), y)
    model.fit(X, y)
    with pytest.raises(ValueError, match="X has 2 features, but"):
        model.predict(X[:, :2])
    iris = clone(model).fit(*load_iris(return_X_y=True))
    iris.save(tmp_path / "model.json")
    assert redoubt.load_model(tmp_path / "model.json").classes == ["0", "1", "2"]
