"""RadiusSearchCV: GridSearchCV over the radius, scored by certificates."""

import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import redoubt
from redoubt import LinearSVMClassifier, RobustEnsembleClassifier, RobustSVMClassifier
from redoubt.metrics import certified_accuracies, mean_certified_accuracy
from redoubt.model_selection import RadiusSearchCV

RADII, ATTACKS = [0.01, 0.3, 1.0], [0.0, 0.5, 1.0]


def columns(search):
    """The results without times."""
    return {key: list(values) for key, values in search.cv_results_.items() if "time" not in key}


# Its own checks let a search off where the estimator inside says what is wrong in its own words.
EXPECTED_FAILURES = {
    "check_classifiers_one_label_sample_weights": "the message is the estimator's, as in GridSearchCV"
}


@parametrize_with_checks(
    [RadiusSearchCV(RobustSVMClassifier(), RADII[:2], cv=2, error_score="raise")],
    expected_failed_checks=lambda _: EXPECTED_FAILURES,
)
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")  # y = inf
@pytest.mark.filterwarnings("ignore:RobustSVMClassifier. no plane is worth:UserWarning")
def test_scikit_learn_check(estimator, check):
    check(estimator)


def test_same_as_a_grid_search(noisy):
    X, y = noisy
    model = make_pipeline(StandardScaler(), RobustSVMClassifier(norm="linf"))
    search = RadiusSearchCV(
        model, [0.01, 0.1, 0.3], attack_radii=ATTACKS, cv=3, return_train_score=True
    ).fit(X, y)
    grid = GridSearchCV(
        model,
        {"robustsvmclassifier__radius": [0.01, 0.1, 0.3]},
        scoring=mean_certified_accuracy(ATTACKS, "linf"),
        cv=3,
        return_train_score=True,
    ).fit(X, y)
    assert columns(search) == columns(grid)
    assert search.best_params_ == grid.best_params_
    assert search.best_score_ == grid.best_score_
    assert search.score(X, y) == grid.score(X, y)
    np.testing.assert_array_equal(search.predict(X), grid.predict(X))
    np.testing.assert_array_equal(search.decision_function(X), grid.decision_function(X))
    assert search.n_features_in_ == 5
    np.testing.assert_array_equal(search.classes_, [-1, 1])


@pytest.mark.parametrize("change", [{"norm": "l1"}, {"units": "scaled"}, {"balanced": True}])
def test_settings_reach_the_scorer(noisy, change):
    X, y = noisy
    X, y = 5 * X[20:], np.where(np.arange(20, 120) % 6 == 1, 1, y[20:])
    model = make_pipeline(StandardScaler(), RobustSVMClassifier())
    found = RadiusSearchCV(model, [0.1], attack_radii=ATTACKS, **{"balanced": False} | change).fit(X, y)
    plain = RadiusSearchCV(model, [0.1], attack_radii=ATTACKS, balanced=False).fit(X, y)
    change = {"balanced": False} | change
    scorer = mean_certified_accuracy(ATTACKS, **change)
    assert found.best_score_ != plain.best_score_
    assert found.score(X, y) == scorer(found.best_estimator_, X, y)


def test_the_radius_matters(noisy):
    """The winner is the candidate with the greatest mean, and it is trained on all points."""
    X, y = noisy
    search = RadiusSearchCV(RobustSVMClassifier(), RADII, attack_radii=ATTACKS).fit(X, y)
    means = search.cv_results_["mean_test_score"]
    assert len(set(means)) > 1
    assert search.best_params_["radius"] == RADII[int(np.argmax(means))]
    again = RobustSVMClassifier(**search.best_params_).fit(X, y)
    np.testing.assert_array_equal(search.best_estimator_.coef_, again.coef_)


def test_planes_are_searched_too(noisy):
    X, y = noisy
    model = make_pipeline(StandardScaler(), RobustEnsembleClassifier())
    search = RadiusSearchCV(model, [0.1, 0.3], n_planes=[1, 3], cv=2, attack_radii=[0.0, 0.2])
    search.fit(X, y)
    tried = [tuple(params.values()) for params in search.cv_results_["params"]]
    assert sorted(tried) == [(1, 0.1), (1, 0.3), (3, 0.1), (3, 0.3)]
    assert (
        search.best_estimator_[-1].n_planes
        == search.best_params_["robustensembleclassifier__n_planes"]
    )


@pytest.mark.parametrize("units", ["raw", "scaled"])
def test_default_radii_follow_the_data(noisy, units):
    """Around the median distance from the plane of the SVM, in the units in question."""
    X, y = noisy
    model = make_pipeline(StandardScaler(), RobustSVMClassifier())
    search = RadiusSearchCV(model, units=units, cv=2).fit(1000 * X, y)
    svm = make_pipeline(StandardScaler(), LinearSVMClassifier(class_weight="balanced")).fit(1000 * X, y)
    scale, attacked = (
        np.median(np.abs(redoubt.certify(svm, 1000 * X, y, units=each).lower))
        for each in ("scaled", units)
    )
    np.testing.assert_allclose(search.radii_, scale * np.array([0.1, 0.25, 0.5, 0.7, 1, 1.4, 2, 2.8, 4]))
    np.testing.assert_allclose(search.attack_radii_, attacked * np.array([0, 0.25, 0.5, 0.75, 1, 1.5, 2]))
    assert search.best_params_["robustsvmclassifier__radius"] in search.radii_


def test_unequal_classes_weigh_the_same(noisy):
    X, y = noisy
    for n_plus, balanced in ((60, False), (30, True)):
        rows = np.r_[np.flatnonzero(y < 0), np.flatnonzero(y > 0)[:n_plus]]
        search = RadiusSearchCV(RobustSVMClassifier(), [0.1], cv=2, attack_radii=ATTACKS)
        assert search.fit(X[rows], y[rows]).balanced_ is balanced


def test_the_most_robust_that_costs_nothing(noisy):
    X, y = noisy
    search = RadiusSearchCV(RobustSVMClassifier(), choose="no-cost").fit(X, y)
    found = search.cv_results_
    top = found["mean_test_balanced_accuracy"].max()
    best = search.best_index_
    assert found["mean_test_balanced_accuracy"][best] >= top - 0.01
    close = found["mean_test_balanced_accuracy"] >= top
    assert found["mean_test_certified_radius"][best] >= found["mean_test_certified_radius"][close].max()
    assert search.refit is True
    assert search.best_estimator_.radius == search.best_params_["radius"]


def test_other_parameters_are_searched_along(noisy):
    X, y = noisy
    search = RadiusSearchCV(
        RobustSVMClassifier(), [0.1, 0.3], also={"regularization": [0.0, 1.0]}, cv=2
    ).fit(X, y)
    assert set(search.best_params_) == {"radius", "regularization"}
    assert len(search.cv_results_["params"]) == 4


def test_candidates_that_collapse_are_no_news(noisy):
    X, y = noisy
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RadiusSearchCV(RobustSVMClassifier(), [0.1, 50.0], cv=2).fit(X, y)
    with pytest.warns(redoubt.ConstantAnswerWarning, match="gives all points the same answer"):
        RadiusSearchCV(RobustSVMClassifier(), [50.0], cv=2).fit(X, y)


def test_other_scoring(noisy):
    X, y = noisy
    search = RadiusSearchCV(
        RobustSVMClassifier(), RADII, scoring=certified_accuracies(ATTACKS), refit="mean"
    ).fit(X, y)
    assert {"mean_test_at_0", "mean_test_at_0.5", "mean_test_at_1"} <= set(search.cv_results_)
    assert search.best_score_ == search.cv_results_["mean_test_mean"].max()
    accuracy = RadiusSearchCV(RobustSVMClassifier(), RADII, scoring="accuracy").fit(X, y)
    assert accuracy.score(X, y) == np.mean(accuracy.predict(X) == y)


def test_clone_pickle_and_parameters(noisy):
    X, y = noisy
    search = RadiusSearchCV(RobustSVMClassifier(), RADII, attack_radii=ATTACKS, norm="linf")
    assert clone(search).get_params() | {"estimator": 0} == search.get_params() | {"estimator": 0}
    assert search.set_params(estimator__regularization=0.5).estimator.regularization == 0.5
    again = pickle.loads(pickle.dumps(search.fit(X, y)))
    np.testing.assert_array_equal(again.predict(X), search.predict(X))
    assert again.score(X, y) == search.score(X, y)


def test_no_refit_jobs_frames_and_weights(noisy):
    X, y = noisy
    frame = pd.DataFrame(X, columns=list("abcde"))
    search = RadiusSearchCV(
        RobustSVMClassifier(), RADII, attack_radii=ATTACKS, refit=False, n_jobs=2
    )
    with joblib.parallel_config("threading"):
        search.fit(frame, y)
    assert not hasattr(search, "best_estimator_")
    plain = RadiusSearchCV(RobustSVMClassifier(), RADII, attack_radii=ATTACKS).fit(X, y)
    assert columns(search) == columns(plain)
    named = RadiusSearchCV(RobustSVMClassifier(), RADII, attack_radii=ATTACKS).fit(frame, y)
    assert list(named.feature_names_in_) == list("abcde")
    weighted = RadiusSearchCV(RobustSVMClassifier(), RADII, attack_radii=ATTACKS)
    weighted.fit(X, y, sample_weight=np.where(y > 0, 3.0, 1.0))
    assert columns(weighted) != columns(plain)


def test_a_search_can_be_certified_and_nested(noisy):
    X, y = noisy
    search = RadiusSearchCV(RobustSVMClassifier(), RADII, attack_radii=ATTACKS, cv=2)
    answers = cross_val_predict(search, X, y, cv=StratifiedKFold(2))
    assert set(answers) <= {-1.0, 1.0}
    search.fit(X, y)
    np.testing.assert_array_equal(
        redoubt.certify(search, X, y).radius, redoubt.certify(search.best_estimator_, X, y).radius
    )


@pytest.mark.parametrize(
    ("search", "message"),
    [
        (RadiusSearchCV(LogisticRegression()), "LogisticRegression has no parameter 'radius'"),
        (
            RadiusSearchCV(RobustSVMClassifier(), n_planes=[1, 2]),
            "RobustSVMClassifier has no parameter 'n_planes'",
        ),
        (
            RadiusSearchCV(
                VotingClassifier([("a", RobustSVMClassifier()), ("b", RobustSVMClassifier())])
            ),
            "several parameters 'radius': a__radius, b__radius",
        ),
        (
            RadiusSearchCV(RobustSVMClassifier(), attack_radii=[-1.0]),
            "radii: expected finite numbers >= 0, got -1",
        ),
        (
            RadiusSearchCV(RobustSVMClassifier(), norm="l3"),
            "norm: expected 'l1', 'l2', 'linf' or 'l0', got 'l3'",
        ),
        (RadiusSearchCV(RobustSVMClassifier(), radii="many"), "The 'radii' parameter"),
        (RadiusSearchCV(RobustSVMClassifier(), units="cm"), "units: expected 'raw' or 'scaled'"),
    ],
)
def test_bad_settings(noisy, search, message):
    with pytest.raises(ValueError, match=message):
        search.set_params(error_score="raise").fit(*noisy)
