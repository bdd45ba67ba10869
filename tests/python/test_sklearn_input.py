"""Labels, frames and results of certificates; what is refused, and how it is said."""

import pickle

import numpy as np
import pandas as pd
import pytest
import redoubt
from sklearn_models import (
    SINGLE,
    VOTES,
    fit,
    three_classes,
    three_members,
    two_classes,
)
from redoubt import RobustSVMClassifier
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import (
    LogisticRegression,
    RidgeClassifier,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MinMaxScaler,
    PolynomialFeatures,
    StandardScaler,
)
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier


@pytest.mark.parametrize("labels", [(0, 1), (-1.0, 1.0), (False, True), ("ja", "nein"), (7, 3)])
def test_labels_of_any_kind(labels):
    X, y = two_classes()
    y = np.where(y == "yes", labels[0], labels[1])
    model = LogisticRegression().fit(X, y)
    result = redoubt.certify(model, X, y)
    np.testing.assert_array_equal(result.radius > 0, model.predict(X) == y)
    assert result.prediction.dtype == model.classes_.dtype
    attacks = redoubt.attack(model, X, y, np.abs(result.radius) * 1.001)
    assert attacks.success.all()
    curve = redoubt.attack_curve(result, y, [0.0, 1e9])
    assert curve.accuracy.tolist() == [model.score(X, y), 0.0]


def test_objects_as_labels_and_lists_as_points():
    X, y = two_classes()
    model = LinearSVC(random_state=0).fit(X, y)
    as_lists = redoubt.certify(model, X.tolist(), y.tolist())
    np.testing.assert_array_equal(
        as_lists.radius, redoubt.certify(model, X, y.astype(object)).radius
    )
    series = pd.Series(y, index=np.arange(len(y))[::-1])
    np.testing.assert_array_equal(as_lists.radius, redoubt.certify(model, X, series).radius)


@pytest.mark.parametrize("package", ["pandas", "polars"])
@pytest.mark.parametrize(
    "model",
    [
        LinearSVC(random_state=0),
        make_pipeline(StandardScaler(), LogisticRegression()),
        VOTES["Bagging"],
        RobustSVMClassifier(radius=0.2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_frames(package, model):
    frames = pytest.importorskip(package)
    X, y = two_classes()
    frame = frames.DataFrame(X, **{"columns" if package == "pandas" else "schema": ["u", "v", "w"]})
    model = fit(model, frame, y)
    result = redoubt.certify(model, frame, y)
    expected = redoubt.certify(fit(model, X, y), X, y)
    np.testing.assert_allclose(result.radius, expected.radius, rtol=1e-9)
    with pytest.raises(ValueError, match="The feature names should match those that were passed"):
        redoubt.certify(model, frame[["v", "u", "w"]], y)
    with pytest.raises(ValueError, match="The feature names should match|X has 2 features"):
        redoubt.certify(model, frame[["u", "v"]], y)
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        redoubt.certify(model, X, y)


def test_sparse_coefficients():
    X, y = two_classes()
    dense = SVC(kernel="linear").fit(X, y)
    model = SVC(kernel="linear").fit(sparse.csr_matrix(X), y)
    assert sparse.issparse(model.coef_)
    result = redoubt.certify(model, X, y)
    np.testing.assert_allclose(result.radius, redoubt.certify(dense, X, y).radius, rtol=1e-6)
    model = LogisticRegression().fit(X, y)
    expected = redoubt.certify(model, X, y)
    np.testing.assert_array_equal(redoubt.certify(model.sparsify(), X, y).radius, expected.radius)
    sparse_points = redoubt.certify(model, sparse.csr_matrix(X), y)
    np.testing.assert_allclose(sparse_points.radius, expected.radius, rtol=1e-9)


def test_results_are_pickled_shown_and_tabled():
    X, y = two_classes()
    model = LinearSVC(random_state=0).fit(X, y)
    result = redoubt.certify(model, X, y)
    copy = pickle.loads(pickle.dumps(result))
    np.testing.assert_array_equal(copy.witness, result.witness)
    assert len(copy) == len(X) and repr(copy) == repr(result)
    assert repr(result).startswith("<Certificates: 50 points, norm l2, raw units, radius -")
    assert "50 optimal" in repr(result)
    frame = result.to_frame()
    assert len(frame) == len(X)
    assert {"radius", "lower", "upper", "status", "prediction", "label"} <= set(frame.columns)
    assert "label" not in redoubt.certify(model, X).to_frame().columns
    attacks = redoubt.attack(model, X, y, 0.5)
    assert repr(pickle.loads(pickle.dumps(attacks))) == repr(attacks)
    assert f"{attacks.success.sum()} of 50 points broken" in repr(attacks)
    assert attacks.to_frame().success.tolist() == attacks.success.tolist()
    curve = redoubt.attack_curve(result, y, [0.0, 0.5])
    assert pickle.loads(pickle.dumps(curve)).to_frame().radii.tolist() == [0.0, 0.5]
    vote = redoubt.Ensemble([[1.0, 2.0]], [3.0])
    assert pickle.loads(pickle.dumps(vote)).coef.tolist() == [[1.0, 2.0]]


class OwnPredict(LogisticRegression):
    def predict(self, X):
        return self.classes_[np.zeros(len(X), dtype=int)]


class Unknown(BaseEstimator):
    pass


def multilabel_ridge(X, y):
    return RidgeClassifier().fit(X, np.c_[y == "yes", X[:, 0] > 0])


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (DecisionTreeClassifier(), TypeError, "got DecisionTreeClassifier, .*supported are redou"),
        (None, TypeError, "got NoneType, which is not supported"),
        (LinearSVC, TypeError, "got the class LinearSVC"),
        (Unknown(), TypeError, "got Unknown"),
        (SVC(), ValueError, "SVC has kernel='rbf'; only kernel='linear' is supported"),
        (OwnPredict(), ValueError, "OwnPredict has a predict of its own"),
        (multilabel_ridge, ValueError, "RidgeClassifier was fitted to several labels per point"),
        (
            VotingClassifier([("a", LogisticRegression())], voting="soft"),
            ValueError,
            "voting='soft', which averages probabilities and is no vote",
        ),
        (
            VotingClassifier([("a", VotingClassifier(three_members()))]),
            ValueError,
            "has the member VotingClassifier, which is not a single plane",
        ),
        (
            VotingClassifier([("a", DecisionTreeClassifier())]),
            TypeError,
            "got DecisionTreeClassifier",
        ),
        (
            BaggingClassifier(LogisticRegression(), 3, random_state=0),
            ValueError,
            r"members with predict_proba \(LogisticRegression\): scikit-learn averages",
        ),
        (
            make_pipeline(MinMaxScaler(clip=True), LinearSVC()),
            ValueError,
            "MinMaxScaler has clip=True",
        ),
        (
            make_pipeline(PolynomialFeatures(), LinearSVC()),
            TypeError,
            "Pipeline has the step PolynomialFeatures, which is not supported",
        ),
        (make_pipeline(StandardScaler(), DecisionTreeClassifier()), TypeError, "got DecisionTree"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else value[:20],
)
def test_what_is_not_supported_is_named(make, error, message):
    X, y = two_classes()
    if make is multilabel_ridge:
        model = multilabel_ridge(X, y)
    else:
        model = fit(make, X, y) if hasattr(make, "fit") and not isinstance(make, type) else make
    for call in (redoubt.certify, lambda *args: redoubt.attack(*args, 0.1)):
        with pytest.raises(error, match=message):
            call(model, X, y)


def test_votes_on_three_classes_are_refused():
    X, y = three_classes()
    for model in (VotingClassifier([("a", LinearSVC())]), BaggingClassifier(LinearSVC(), 3)):
        with pytest.raises(ValueError, match="votes on 3 classes, .* two classes only"):
            redoubt.certify(fit(model, X, y), X)
    model = LinearSVC(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="adversary: expected 'exact' for a model of 3 classes"):
        redoubt.attack(model, X, y, 0.1, adversary="relaxed")


@pytest.mark.parametrize("name", [*SINGLE, *VOTES])
def test_models_must_be_fitted(name):
    model = (SINGLE | VOTES)[name]  # every test fits a clone
    with pytest.raises(NotFittedError):
        redoubt.certify(model, [[1.0, 2.0, 3.0]])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": [[1.0, 2.0]]}, "X has 2 features, but LinearSVC is expecting 3 features as input"),
        ({"X": [[1.0, np.nan, 2.0]]}, "Input X contains NaN"),
        ({"X": [1.0, 2.0, 3.0]}, "Expected 2D array, got 1D array instead"),
        ({"y": ["maybe"]}, r"y: unknown labels \['maybe'\]; the model's are \['no', 'yes'\]"),
        ({"y": [1]}, r"y: unknown labels \[1\]"),
        ({"y": ["no", "no"]}, r"inconsistent numbers of samples: \[1, 2\]"),
        ({"norm": "l3"}, "norm: expected 'l1', 'l2', 'linf' or 'l0', got 'l3'"),
    ],
)
def test_bad_input_is_named(change, message):
    X, y = two_classes()
    model = LinearSVC(random_state=0).fit(X, y)
    call = {"X": X[:1], "y": y[:1]} | change
    with pytest.raises(ValueError, match=message):
        redoubt.certify(model, **call)
