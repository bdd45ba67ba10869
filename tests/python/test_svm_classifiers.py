"""What the two estimators promise beyond scikit-learn's own checks."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from redoubt import LinearSVMClassifier, RobustSVMClassifier

BOTH = [LinearSVMClassifier(), RobustSVMClassifier(radius=0.2)]
both = pytest.mark.parametrize("model", BOTH, ids=lambda model: type(model).__name__)

DUAL_EXPONENT = {"l1": np.inf, "l2": 2, "linf": 1}


def robust_objective(X, y, w, b, radius, norm):
    dual_norm = np.linalg.norm(w, DUAL_EXPONENT[norm])
    return np.maximum(0.0, 1.0 - y * (X @ w + b) + radius * dual_norm).sum()


def test_linear_svm_agrees_with_libsvm(noisy):
    X, y = noisy
    ours = LinearSVMClassifier(C=0.5).fit(X, y)
    libsvm = SVC(kernel="linear", C=0.5, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(ours.coef_, libsvm.coef_, rtol=1e-5, atol=1e-7)
    assert ours.status_ == "optimal"
    assert ours.dual_gap_ <= 1e-8


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_robust_svm_objective_is_the_formula_and_no_neighbour_is_better(noisy, norm):
    X, y = noisy
    model = RobustSVMClassifier(radius=0.15, norm=norm).fit(X, y)
    w, b = model.coef_[0], model.intercept_[0]
    best = robust_objective(X, y, w, b, 0.15, norm)
    assert best == pytest.approx(model.objective_, rel=1e-12)
    rng = np.random.default_rng(1)
    for size in (1e-1, 1e-3, 1e-5):
        for _ in range(50):
            step = size * rng.normal(size=X.shape[1] + 1)
            other = robust_objective(X, y, w + step[:-1], b + step[-1], 0.15, norm)
            assert other >= best * (1 - 1e-8)


def test_radius_per_sample_equals_the_same_radius_for_all(noisy):
    X, y = noisy
    one = RobustSVMClassifier(radius=0.3).fit(X, y)
    each = RobustSVMClassifier(radius=0.1).fit(X, y, radius=np.full(len(y), 0.3))
    np.testing.assert_allclose(each.coef_, one.coef_, rtol=1e-6)


@both
def test_weight_zero_equals_removal(noisy, model):
    X, y = noisy
    keep = np.arange(len(y)) % 5 != 0
    weighted = clone(model).fit(X, y, sample_weight=keep.astype(float))
    removed = clone(model).fit(X[keep], y[keep])
    np.testing.assert_allclose(weighted.coef_, removed.coef_, rtol=1e-9)
    np.testing.assert_allclose(weighted.intercept_, removed.intercept_, rtol=1e-9)


@both
def test_weight_two_equals_repetition(noisy, model):
    X, y = noisy
    twice = np.where(np.arange(len(y)) % 3 == 0, 2, 1)
    weighted = clone(model).fit(X, y, sample_weight=twice)
    repeated = clone(model).fit(np.repeat(X, twice, axis=0), np.repeat(y, twice))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-6, atol=1e-9)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-7)


@both
def test_class_weight_multiplies_sample_weight(noisy, model):
    X, y = noisy
    by_class = clone(model).set_params(class_weight={-1: 3.0, 1: 1.0}).fit(X, y)
    by_sample = clone(model).fit(X, y, sample_weight=np.where(y < 0, 3.0, 1.0))
    np.testing.assert_array_equal(by_class.coef_, by_sample.coef_)


@both
def test_threads_do_not_change_a_bit(model):
    rng = np.random.default_rng(2)
    y = rng.choice([-1.0, 1.0], size=20_000)
    X = rng.normal(size=(20_000, 8)) + 0.4 * y[:, None]
    one = clone(model).set_params(n_jobs=1).fit(X, y)
    two = clone(model).set_params(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.coef_, two.coef_)
    np.testing.assert_array_equal(one.intercept_, two.intercept_)
    np.testing.assert_array_equal(one.predict(X), two.predict(X))


@both
def test_warm_start_finds_the_same_optimum(noisy, model):
    X, y = noisy
    weights = np.linspace(0.5, 1.5, len(y))
    warm = clone(model).set_params(warm_start=True).fit(X, y).fit(X, y, sample_weight=weights)
    cold = clone(model).fit(X, y, sample_weight=weights)
    assert warm.status_ == "optimal"
    assert warm.objective_ == pytest.approx(cold.objective_, rel=2e-8)


@both
def test_warm_start_survives_other_data(noisy, model):
    X, y = noisy
    warm = clone(model).set_params(warm_start=True).fit(X, y)
    fewer_rows = clone(model).fit(X[:50], y[:50])
    assert warm.fit(X[:50], y[:50]).objective_ == pytest.approx(fewer_rows.objective_, rel=2e-8)
    fewer_columns = clone(model).fit(X[:, :3], y)
    assert warm.fit(X[:, :3], y).objective_ == pytest.approx(fewer_columns.objective_, rel=2e-8)


@both
def test_pickle_keeps_answers_and_warm_start(noisy, model):
    X, y = noisy
    fitted = clone(model).set_params(warm_start=True).fit(X, y)
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.decision_function(X), fitted.decision_function(X))
    np.testing.assert_array_equal(copy.fit(X, y).coef_, fitted.fit(X, y).coef_)


@both
def test_pandas_frames_keep_names_and_text_labels(noisy, model):
    X, y = noisy
    frame = pd.DataFrame(X, columns=list("abcde"))
    labels = pd.Series(np.where(y > 0, "yes", "no"))
    fitted = clone(model).fit(frame, labels)
    assert fitted.feature_names_in_.tolist() == list("abcde")
    assert fitted.classes_.tolist() == ["no", "yes"]
    plain = clone(model).fit(X, y)
    np.testing.assert_array_equal(fitted.coef_, plain.coef_)
    np.testing.assert_array_equal(fitted.predict(frame) == "yes", plain.predict(X) > 0)


@both
def test_memory_order_and_type_do_not_matter(noisy, model):
    X, y = noisy
    X = X.astype(np.float32)
    plain = clone(model).fit(X.astype(np.float64), y)
    for other in (X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2]):
        np.testing.assert_array_equal(clone(model).fit(other, y).coef_, plain.coef_)


def test_a_point_on_the_plane_is_positive():
    model = LinearSVMClassifier().fit([[-1.0], [1.0]], [0, 1])
    model.coef_, model.intercept_ = np.array([[1.0]]), np.array([0.0])
    assert model.predict([[0.0], [-5e-324]]).tolist() == [1, 0]


def test_decision_function_has_the_exact_sign():
    model = LinearSVMClassifier().fit([[-1.0, 0.0], [1.0, 0.0]], [0, 1])
    # 1e16 - 1 - 1e16 is -1, but 0 when added from left to right with rounding.
    model.coef_, model.intercept_ = np.array([[1.0, -1.0]]), np.array([-1e16])
    points = np.array([[1e16, 1.0], [1e16, -1.0], [1e16, 0.0]])
    assert model.predict(points).tolist() == [0, 1, 1]
    assert (model.decision_function(points) >= 0).tolist() == [False, True, True]


def test_too_strong_an_adversary_warns(noisy):
    X, y = noisy
    with pytest.warns(UserWarning, match="RobustSVMClassifier: no plane is worth its risk"):
        model = RobustSVMClassifier(radius=100.0).fit(X, y)
    assert not model.coef_.any()
    assert len(set(model.predict(X))) == 1


@both
def test_stopping_early_warns_with_status_and_gap(noisy, model):
    X, y = noisy
    with pytest.warns(ConvergenceWarning, match=r"stopped early \(iteration limit\).*gap .* 1e-08"):
        stopped = clone(model).set_params(max_iter=1).fit(X, y)
    assert stopped.status_ == "iteration limit"
    assert stopped.dual_gap_ > 1e-8


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"tol": 0.0}, ValueError, r"tol: expected .* >= 1e-14 and <= 0.1, got 0.0"),
        ({"tol": "x"}, TypeError, r"tol: expected .*, got 'x'"),
        ({"max_iter": 0}, ValueError, r"max_iter: expected an integer >= 1, got 0"),
        ({"max_iter": 1.5}, TypeError, r"max_iter: expected an integer >= 1, got 1.5"),
        ({"n_jobs": 0}, ValueError, r"n_jobs: expected None or an integer other than 0, got 0"),
    ],
)
@both
def test_bad_parameters_are_named(noisy, model, change, error, message):
    with pytest.raises(error, match=message):
        clone(model).set_params(**change).fit(*noisy)


@pytest.mark.parametrize("C", [0.0, -1.0, np.nan, np.inf])
def test_bad_C(noisy, C):
    with pytest.raises(ValueError, match="C: expected a finite number > 0, got"):
        LinearSVMClassifier(C=C).fit(*noisy)


@pytest.mark.parametrize("radius", [-0.1, np.nan, np.inf])
def test_bad_radius(noisy, radius):
    with pytest.raises(ValueError, match="radius: expected a finite number >= 0, got"):
        RobustSVMClassifier(radius=radius).fit(*noisy)


def test_bad_norm(noisy):
    with pytest.raises(ValueError, match="norm: expected 'l1', 'l2', 'linf' or 'l0', got 'l3'"):
        RobustSVMClassifier(norm="l3").fit(*noisy)


def test_bad_radius_vectors(noisy):
    X, y = noisy
    with pytest.raises(ValueError, match="radius: expected one number or one per sample"):
        RobustSVMClassifier().fit(X, y, radius=np.ones(3))
    with pytest.raises(ValueError, match="radii"):
        RobustSVMClassifier().fit(X, y, radius=-np.ones(len(y)))


@both
def test_bad_data(noisy, model):
    X, y = noisy
    with pytest.raises(ValueError, match="2 classes with positive weight, got 1 class"):
        clone(model).fit(X, y, sample_weight=(y > 0).astype(float))
    with pytest.raises(ValueError, match="[Nn]egative"):
        clone(model).fit(X, y, sample_weight=-np.ones(len(y)))
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        clone(model).fit(X, np.linspace(0, 1, len(y)))
    with pytest.raises(ValueError, match="contains NaN"):
        clone(model).fit(np.where(X > 1, np.nan, X), y)
    with pytest.raises(ValueError, match="X"):
        clone(model).fit(X * 1e300, y)


@both
def test_a_failed_fit_leaves_the_model_as_it_was(noisy, model):
    X, y = noisy
    fitted = clone(model).fit(X, y)
    before = fitted.coef_.copy()
    with pytest.raises(ValueError, match="^X"):
        fitted.fit(X * 1e300, y)
    np.testing.assert_array_equal(fitted.coef_, before)


@both
def test_no_warning_on_an_ordinary_fit(noisy, model):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clone(model).fit(*noisy)
