"""Scorers: the numbers of `attack_curve`, in scikit-learn's model selection."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from conftest import make_noisy
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.svm import LinearSVC

import redoubt
from redoubt import LinearSVMClassifier, RobustSVMClassifier
from redoubt.metrics import (
    CertifiedAccuracyScorer,
    balanced_certified_accuracy_at,
    certified_accuracies,
    certified_accuracy_at,
    mean_balanced_certified_accuracy,
    mean_certified_accuracy,
    own_norm,
)

RADII = [0.0, 0.3, 0.9, 2.0]


@pytest.fixture
def uneven():
    """Three points of one class for each of the other."""
    X, y = make_noisy(seed=1)
    keep = (y > 0) | (np.arange(len(y)) % 6 == 1)
    return X[keep], y[keep]


def curve(model, X, y, norm="l2", **options):
    return redoubt.attack_curve(redoubt.certify(model, X, y, norm=norm, **options), y, RADII)


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_scores_are_those_of_the_attack_curve(uneven, norm):
    X, y = uneven
    model = LinearSVMClassifier().fit(X, y)
    wanted = curve(model, X, y, norm)
    assert not np.allclose(wanted.accuracy, wanted.balanced_accuracy)
    mean = mean_certified_accuracy(RADII, norm)(model, X, y)
    balanced = mean_balanced_certified_accuracy(RADII, norm)(model, X, y)
    np.testing.assert_allclose(mean, wanted.accuracy.mean(), rtol=1e-14)
    np.testing.assert_allclose(balanced, wanted.balanced_accuracy.mean(), rtol=1e-14)
    for i, radius in enumerate(RADII):
        assert certified_accuracy_at(radius, norm)(model, X, y) == wanted.accuracy[i]
        at = balanced_certified_accuracy_at(radius, norm)(model, X, y)
        np.testing.assert_allclose(at, wanted.balanced_accuracy[i], rtol=1e-14)
    every = certified_accuracies(RADII, norm)(model, X, y)
    assert every == {"mean": mean} | {
        f"at_{radius:g}": share for radius, share in zip(RADII, wanted.accuracy, strict=True)
    }


def test_just_inside_and_outside_the_radius():
    vote = redoubt.Ensemble([[1.0]], [0.0])
    X, y = [[2.0], [-2.0]], [1, -1]
    assert certified_accuracy_at(2.0 - 1e-12)(vote, X, y) == 1.0
    assert certified_accuracy_at(2.0 + 1e-12)(vote, X, y) == 0.0


def test_ties_at_radius_zero():
    vote = redoubt.Ensemble([[1.0]], [0.0])  # 0 is answered with +1
    assert certified_accuracy_at(0.0)(vote, [[0.0], [-2.0]], [1, -1]) == 1.0
    assert certified_accuracy_at(0.0)(vote, [[0.0], [-2.0]], [-1, -1]) == 0.5


def test_every_model_that_certify_takes(noisy):
    X, y = noisy
    models = [
        redoubt.Ensemble(np.eye(5), np.zeros(5)),
        LogisticRegression().fit(X, y),
        make_pipeline(StandardScaler(), LinearSVC()).fit(X, y),
        BaggingClassifier(LinearSVC(), 5, random_state=0).fit(X, y),
    ]
    for model in models:
        wanted = curve(model, X, y).accuracy.mean()
        np.testing.assert_allclose(mean_certified_accuracy(RADII)(model, X, y), wanted, rtol=1e-14)


def test_three_classes():
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=500).fit(X, y)
    wanted = curve(model, X, y)
    np.testing.assert_allclose(
        mean_balanced_certified_accuracy(RADII)(model, X, y),
        wanted.balanced_accuracy.mean(),
        rtol=1e-14,
    )


def test_units_reach_certify(noisy):
    X, y = noisy
    X = 10 * X
    model = make_pipeline(StandardScaler(), LinearSVMClassifier()).fit(X, y)
    for units in ("raw", "scaled"):
        wanted = curve(model, X, y, units=units).accuracy.mean()
        score = mean_certified_accuracy(RADII, units=units)(model, X, y)
        np.testing.assert_allclose(score, wanted, rtol=1e-14)


def test_integer_weights_are_repetitions(uneven):
    X, y = uneven
    model = LinearSVMClassifier().fit(X, y)
    weight = np.arange(len(y)) % 4
    repeated = np.repeat(np.arange(len(y)), weight)
    for make in (mean_certified_accuracy, mean_balanced_certified_accuracy):
        weighted = make(RADII)(model, X, y, sample_weight=weight)
        np.testing.assert_allclose(weighted, make(RADII)(model, X[repeated], y[repeated]))


def test_a_class_without_weight_is_as_good_as_absent(uneven):
    X, y = uneven
    model = LinearSVMClassifier().fit(X, y)
    score = mean_balanced_certified_accuracy(RADII)(model, X, y, sample_weight=(y > 0) * 1.0)
    assert score == mean_certified_accuracy(RADII)(model, X[y > 0], y[y > 0])


def test_one_class_and_unknown_labels(noisy):
    X, y = noisy
    model = LinearSVMClassifier().fit(X, y)
    scorer = certified_accuracy_at(0.0)
    assert scorer(model, X[y > 0], y[y > 0]) == np.mean(model.predict(X[y > 0]) == 1)
    assert scorer(model, X, np.full(len(y), 7)) == 0.0


@pytest.mark.parametrize(
    ("model", "norm"),
    [
        (RobustSVMClassifier(norm="linf"), "linf"),
        (make_pipeline(Normalizer(norm="l1"), RobustSVMClassifier(norm="linf")), "linf"),
        (make_pipeline(Normalizer(norm="l1"), LogisticRegression()), "l2"),
        (GridSearchCV(RobustSVMClassifier(norm="l1"), {}), "l1"),
        (BaggingClassifier(RobustSVMClassifier(norm="l1")), "l1"),
        (redoubt.Ensemble([[1.0]], [0.0]), "l2"),
    ],
)
def test_own_norm(model, norm):
    assert own_norm(model) == norm


def test_no_norm_takes_the_models_own(noisy):
    X, y = noisy
    model = RobustSVMClassifier(norm="linf").fit(X, y)
    own = mean_certified_accuracy(RADII)(model, X, y)
    assert own == mean_certified_accuracy(RADII, "linf")(model, X, y)
    assert own != mean_certified_accuracy(RADII, "l2")(model, X, y)


def test_frames(noisy):
    X, y = noisy
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = LinearSVMClassifier().fit(frame, y)
    score = mean_certified_accuracy(RADII)(model, frame, pd.Series(y))
    assert score == mean_certified_accuracy(RADII)(LinearSVMClassifier().fit(X, y), X, y)


def test_in_cross_validation(noisy):
    X, y = noisy
    scorer = mean_certified_accuracy(RADII)
    results = cross_validate(
        LinearSVMClassifier(), X, y, scoring=scorer, return_estimator=True, return_indices=True
    )
    for model, test, score in zip(
        results["estimator"], results["indices"]["test"], results["test_score"], strict=True
    ):
        wanted = curve(model, X[test], y[test]).accuracy.mean()
        np.testing.assert_allclose(score, wanted, rtol=1e-14)
    both = cross_validate(LinearSVMClassifier(), X, y, scoring={"s": scorer, "a": "accuracy"})
    np.testing.assert_array_equal(both["test_s"], results["test_score"])


def test_several_results_in_a_grid_search(noisy):
    X, y = noisy
    search = GridSearchCV(
        RobustSVMClassifier(),
        {"radius": [0.01, 0.5]},
        scoring=certified_accuracies([0.0, 0.5]),
        refit="mean",
    ).fit(X, y)
    columns = search.cv_results_
    np.testing.assert_allclose(
        columns["mean_test_mean"], (columns["mean_test_at_0"] + columns["mean_test_at_0.5"]) / 2
    )


def test_keys_of_close_radii_differ(noisy):
    X, y = noisy
    radii = [0.1234567, 0.1234568, 1e-9, 2.0]
    every = certified_accuracies(radii)(LinearSVMClassifier().fit(X, y), X, y)
    assert list(every) == ["mean", "at_0.1234567", "at_0.1234568", "at_0.000000001", "at_2"]


def test_metadata_routing(noisy):
    X, y = noisy
    weight = np.where(y > 0, 1.0, 0.0)
    plain = cross_val_score(LinearSVMClassifier(), X, y, scoring=mean_certified_accuracy(RADII))
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = mean_certified_accuracy(RADII).set_score_request(sample_weight=True)
        model = LinearSVMClassifier().set_fit_request(sample_weight=False)
        params = {"sample_weight": weight}
        weighted = cross_val_score(model, X, y, scoring=scorer, params=params)
        again = pickle.loads(pickle.dumps(scorer))
        np.testing.assert_array_equal(
            cross_val_score(model, X, y, scoring=again, params=params), weighted
        )
        unset = mean_certified_accuracy(RADII)
        with pytest.raises(ValueError, match="sample_weight"):
            cross_val_score(model, X, y, scoring=unset, params=params)
    assert not np.allclose(plain, weighted)


@pytest.mark.parametrize(
    ("scorer", "text"),
    [
        (mean_certified_accuracy([0, 0.5]), "mean_certified_accuracy([0.0, 0.5])"),
        (certified_accuracy_at(1, "l1"), "certified_accuracy_at(1.0, norm='l1')"),
        (
            mean_balanced_certified_accuracy([0, 1], units="scaled"),
            "mean_balanced_certified_accuracy([0.0, 1.0], units='scaled')",
        ),
        (
            balanced_certified_accuracy_at(0.5, n_jobs=2),
            "balanced_certified_accuracy_at(0.5, n_jobs=2)",
        ),
        (
            certified_accuracies([0.5], balanced=True),
            "certified_accuracies([0.5], balanced=True)",
        ),
    ],
)
def test_text_and_pickle(scorer, text):
    assert repr(scorer) == text
    again = pickle.loads(pickle.dumps(scorer))
    assert repr(again) == text
    assert repr(eval(text)) == text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.0, -1.0],), "radii: expected finite numbers >= 0, got -1"),
        (([np.inf],), "radii: expected finite numbers >= 0, got inf"),
        (([],), "radii: expected at least one radius, got none"),
        (([1.0], "l3"), "norm: expected 'l1', 'l2', 'linf', 'l0' or None, got 'l3'"),
    ],
)
def test_bad_settings(arguments, message):
    with pytest.raises(ValueError, match=message):
        CertifiedAccuracyScorer(*arguments)


def test_bad_data(noisy):
    X, y = noisy
    model = LinearSVMClassifier().fit(X, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        mean_certified_accuracy(RADII)(model, X, y[:-1])
    with pytest.raises(ValueError, match="Negative values"):
        mean_certified_accuracy(RADII)(model, X, y, sample_weight=-np.ones(len(y)))
