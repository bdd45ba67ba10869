"""Displays of planes: the picture of two features, and the growth of a vote."""

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from conftest import make_noisy
from sklearn.datasets import load_iris
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import redoubt
from redoubt import BaggedSVMClassifier, LinearSVMClassifier
from redoubt.displays import BoundaryDisplay, GrowthDisplay


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture
def flat():
    """Two features, and labels that are words."""
    X, y = make_noisy(seed=3, n_samples=60, n_features=2)
    return X, np.where(y > 0, "yes", "no")


@pytest.fixture
def vote():
    """Five planes of two features."""
    rng = np.random.default_rng(5)
    return redoubt.Ensemble(rng.normal(size=(5, 2)) + 1.0, rng.normal(size=5))


def texts(legend):
    return [text.get_text() for text in legend.get_texts()]


# --- boundary -----------------------------------------------------------------------------------


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_ball_and_witness(vote, flat, norm):
    X, _ = flat
    y = redoubt.certify(vote, X).prediction
    y[7] = -y[7]  # a wrong answer has a ball as well
    for row in (0, 7):
        display = BoundaryDisplay.from_estimator(vote, X, y, point=row, norm=norm)
        wanted = redoubt.certify(vote, X, y, norm=norm)
        assert display.radius == wanted.radius[row]
        assert (display.radius < 0) == (row == 7)
        np.testing.assert_array_equal(
            display.line_.get_xydata(), [X[row], X[row] + wanted.witness[row]]
        )
        if norm == "l2":
            assert display.ball_.get_radius() == abs(display.radius)
            np.testing.assert_array_equal(display.ball_.center, X[row])
        else:
            edge = display.ball_.get_patch_transform().transform_path(display.ball_.get_path())
            order = {"l1": 1, "linf": np.inf}[norm]
            far = np.linalg.norm(edge.interpolated(4).vertices - X[row], ord=order, axis=1)
            np.testing.assert_allclose(far, abs(display.radius), rtol=1e-9)
        same = BoundaryDisplay.from_certificates(wanted, vote, X, point=row)
        np.testing.assert_array_equal(same.line_.get_xydata(), display.line_.get_xydata())
        assert display.ax_.get_aspect() == 1


def test_votes_and_boundary_are_the_models(vote, flat):
    X, _ = flat
    display = BoundaryDisplay.from_estimator(vote, X, grid_resolution=40)
    grid = np.column_stack([display.xx0.ravel(), display.xx1.ravel()])
    answers = redoubt.certify(vote, grid).prediction
    np.testing.assert_array_equal(display.levels[0].ravel() > 0, answers > 0)
    shares = np.mean(grid @ vote.coef.T + vote.intercept > 0, axis=1)
    np.testing.assert_array_equal(display.surface_.get_array().ravel(), shares)
    lines = display.planes_.get_segments()
    assert 0 < len(lines) <= 5
    values = [np.abs(line @ vote.coef.T + vote.intercept).max(axis=0).min() for line in lines]
    np.testing.assert_allclose(values, 0.0, atol=1e-9)  # both ends on one plane
    for path in display.boundary_[0].get_paths():
        near = np.abs(path.vertices @ vote.coef.T + vote.intercept)
        assert np.all((near / np.linalg.norm(vote.coef, axis=1)).min(axis=1) < 0.2)


@pytest.mark.parametrize("make", [True, False])
def test_even_votes_tie_as_the_model_does(flat, make):
    """Ours gives a tie to the second class, scikit-learn's vote to the first."""
    X, y = flat
    if make:
        model = BaggedSVMClassifier(n_planes=4, random_state=0).fit(X[:12], y[:12])
    else:
        members = [(str(c), LinearSVC(C=c)) for c in (1e-3, 1e-2, 0.1, 1.0)]
        model = VotingClassifier(members).fit(X[:12], y[:12])
    display = BoundaryDisplay.from_estimator(model, X, y, grid_resolution=60)
    grid = np.column_stack([display.xx0.ravel(), display.xx1.ravel()])
    assert np.any(display.response == 0.5)
    np.testing.assert_array_equal(display.levels[0].ravel() > 0, model.predict(grid) == "yes")


def test_scaled_models_and_points_of_each_class(flat):
    X, y = flat
    frame = pd.DataFrame(100 * X, columns=["width", "height"])
    model = make_pipeline(StandardScaler(), LinearSVMClassifier()).fit(frame, y)
    display = BoundaryDisplay.from_estimator(model, frame, y, point=[10.0, -20.0])
    assert display.ax_.get_xlabel() == "width"
    np.testing.assert_array_equal(display.points_["yes"].get_offsets(), 100 * X[y == "yes"])
    place = pd.DataFrame([[10.0, -20.0]], columns=frame.columns)
    found = redoubt.certify(model, place)
    assert display.radius == found.radius[0]
    end = np.array([[10.0, -20.0]]) + found.witness
    (line,) = display.planes_.get_segments()
    across = np.cross(np.append(line[1] - line[0], 0), np.append(end[0] - line[0], 0))[2]
    assert abs(across) / np.linalg.norm(line[1] - line[0]) < 1e-9  # the witness is on the plane


def test_three_classes_have_three_regions():
    X, y = load_iris(return_X_y=True)
    X = X[:, 2:]
    model = LogisticRegression(max_iter=500).fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y, point=0, grid_resolution=50)
    grid = np.column_stack([display.xx0.ravel(), display.xx1.ravel()])
    np.testing.assert_array_equal(display.response.ravel(), model.predict(grid))
    for label, level in enumerate(display.levels):
        np.testing.assert_array_equal(level.ravel() > 0, model.predict(grid) == label)
    assert display.radius == redoubt.certify(model, X[:1], y[:1]).radius[0]


def test_votes_of_three_classes():
    X, y = load_iris(return_X_y=True)
    X = X[:, 2:]
    model = BaggedSVMClassifier(n_planes=3, random_state=0).fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y, grid_resolution=40)
    grid = np.column_stack([display.xx0.ravel(), display.xx1.ravel()])
    np.testing.assert_array_equal(model.classes_[display.response.ravel()], model.predict(grid))
    assert len(display.coef) == 9


def test_bad_boundaries(noisy, flat):
    X, y = noisy
    with pytest.raises(ValueError, match="X: expected 2 features, got 5"):
        BoundaryDisplay.from_estimator(LinearSVMClassifier().fit(X, y), X, y)
    X, y = flat
    model = make_pipeline(StandardScaler(), LinearSVMClassifier()).fit(X, y)
    scaled = redoubt.certify(model, X, y, units="scaled")
    with pytest.raises(ValueError, match="expected units 'raw', got 'scaled'"):
        BoundaryDisplay.from_certificates(scaled, model, X, point=0)


# --- growth -------------------------------------------------------------------------------------


@pytest.mark.parametrize("balanced", [False, True])
def test_growth_is_the_accuracy_of_the_first_planes(flat, vote, balanced):
    X, y = flat
    y = np.where(y == "yes", 1, -1)
    X, y = X[10:], np.where(np.arange(10, 60) % 6 == 1, 1, y[10:])
    display = GrowthDisplay.from_estimator(
        vote, X, y, attack_radii=[0.0, 0.5], n_planes=[1, 2, 3, 4, 5], norm="l1", balanced=balanced
    )
    certificates = {
        k: redoubt.certify(redoubt.Ensemble(vote.coef[:k], vote.intercept[:k]), X, y, norm="l1")
        for k in range(1, 6)
    }
    curves = [redoubt.attack_curve(each, y, [0.0, 0.5]) for each in certificates.values()]
    which = "balanced_accuracy" if balanced else "accuracy"
    for row, line in enumerate(display.lines_):
        np.testing.assert_array_equal(line.get_xdata(), [1, 2, 3, 4, 5])
        wanted = [getattr(curve, which)[row] for curve in curves]
        np.testing.assert_allclose(line.get_ydata(), wanted, rtol=1e-14)
    same = GrowthDisplay.from_certificates(certificates, attack_radii=[0.0, 0.5], balanced=balanced)
    np.testing.assert_allclose(same.accuracy, display.accuracy, rtol=1e-14)
    assert texts(display.legend_) == ["r = 0", "r = 0.5"]


def test_growth_from_votes(flat, vote):
    X, y = flat
    y = np.where(y == "yes", 1, -1)
    display = GrowthDisplay.from_estimator(vote, X, y)
    votes = np.cumsum(np.where(X @ vote.coef.T + vote.intercept >= 0, 1, -1), axis=1)
    np.testing.assert_array_equal(display.n_planes, [1, 3, 5])
    answers = np.where(votes[:, [0, 2, 4]] >= 0, 1, -1)
    np.testing.assert_array_equal(display.accuracy[0], np.mean(answers == y[:, None], axis=0))
    assert display.legend_ is None
    assert display.ax_.get_ylabel() == "Accuracy"


def test_growth_of_estimators_and_classes(noisy):
    X, y = noisy
    model = BaggedSVMClassifier(n_planes=6, random_state=0).fit(X, y)
    display = GrowthDisplay.from_estimator(model, X, y, name="bag")
    np.testing.assert_array_equal(display.n_planes, [1, 3, 5, 6])
    assert display.accuracy[0, -1] == model.score(X, y)
    assert texts(display.legend_) == ["bag"]
    X, y = load_iris(return_X_y=True)
    model = BaggedSVMClassifier(n_planes=3, random_state=0).fit(X, y)
    display = GrowthDisplay.from_estimator(model, X, y)
    assert display.accuracy[0, -1] == model.score(X, y)


def test_two_growths_on_one_picture(flat, vote):
    X, y = flat
    y = np.where(y == "yes", 1, -1)
    first = GrowthDisplay.from_estimator(vote, X[:30], y[:30], name="training")
    second = GrowthDisplay.from_estimator(vote, X[30:], y[30:], name="test", ax=first.ax_)
    assert first.line_.get_color() != second.line_.get_color()
    assert texts(second.legend_) == ["training", "test"]


@pytest.mark.parametrize(
    ("n_planes", "got"), [([0], "0"), ([1, 6], "6"), ([1.5], "1.5"), ([], "none")]
)
def test_bad_growth(flat, vote, n_planes, got):
    X, y = flat
    with pytest.raises(ValueError, match=f"n_planes: expected integers from 1 to 5, got {got}"):
        GrowthDisplay.from_estimator(vote, X, np.where(y == "yes", 1, -1), n_planes=n_planes)


def test_growth_needs_a_vote():
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=500).fit(X, y)
    with pytest.raises(ValueError, match="expected a vote of planes, got one plane for each class"):
        GrowthDisplay.from_estimator(model, X, y)
