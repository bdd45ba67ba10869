"""A norm that contradicts the attack model is refused by everything that takes both."""

import numpy as np
import pytest
import redoubt
from redoubt import AttackModel, displays, metrics
from redoubt.model_selection import RadiusSearchCV
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

RULES = AttackModel("linf", frozen=[1])
X = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 1.0], [4.0, 0.0], [5.0, 1.0], [-1.0, 0.0]])
Y = np.array([0, 0, 1, 1, 1, 0])
ROBUST = {
    "ro-svm": redoubt.RobustSVMClassifier,
    "ens-e": redoubt.RobustEnsembleClassifier,
    "ens-c": redoubt.CollaborativeEnsembleClassifier,
}
refused = pytest.raises(ValueError, match="norm: 'l1' contradicts the attack model's 'linf'")


def small(kind, **parameters):
    counts = {} if kind == "ro-svm" else {"n_planes": 3}
    counts |= {"n_epochs": 1} if kind == "ens-c" else {}
    return ROBUST[kind](radius=0.1, **counts, **parameters)


@pytest.fixture(scope="module")
def vote():
    return redoubt.Ensemble([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [-2.0, 0.5, -2.0])


@pytest.fixture(scope="module")
def fitted():
    return redoubt.RobustSVMClassifier(attack_model=RULES).fit(X, Y)


@pytest.mark.parametrize("kind", ROBUST)
def test_estimators(kind):
    with refused:
        small(kind, norm="l1", attack_model=RULES).fit(X, Y)
    for norm in (None, "linf"):
        model = small(kind, norm=norm, attack_model=RULES).fit(X, Y)
        assert model.attack_model_.norm == "linf"
    assert small(kind).norm is None
    assert metrics.own_norm(small(kind)) == "l2"
    assert metrics.own_norm(small(kind, attack_model=RULES)) == "linf"


@pytest.mark.parametrize("kind", ROBUST)
def test_no_norm_and_no_attack_model_is_l2(kind, tmp_path):
    default, given = small(kind), small(kind, norm="l2")
    if kind == "ens-c":
        default.random_state = given.random_state = 0
    np.testing.assert_array_equal(default.fit(X, Y).coef_, given.fit(X, Y).coef_)
    default.save(tmp_path / "model.json")
    assert redoubt.load_model(tmp_path / "model.json").norm == "l2"
    assert default.certify(X, Y).norm == "l2"


def test_functions(vote):
    y = 2 * Y - 1
    both = {"norm": "l1", "attack_model": RULES}
    for call in (
        lambda: redoubt.certify(vote, X, y, **both),
        lambda: redoubt.attack(vote, X, y, 0.5, **both),
        lambda: redoubt.worst_expected_accuracy(vote, X, y, [0.5], **both),
        lambda: redoubt.explain(vote, X[0], **both),
    ):
        with refused:
            call()


def test_a_fitted_estimator_with_rules_of_its_own(fitted):
    for call in (
        lambda: fitted.certify(X, Y, norm="l1"),
        lambda: fitted.attack(X, Y, 0.5, norm="l1"),
        lambda: metrics.certified_accuracy_at(0.5, "l1")(fitted, X, Y),
        lambda: displays.RadiusHistogramDisplay.from_estimator(fitted, X, Y, norm="l1"),
        lambda: displays.BoundaryDisplay.from_estimator(fitted, X, Y, point=0, norm="l1"),
        lambda: displays.GrowthDisplay.from_estimator(fitted, X, Y, norm="l1"),
        lambda: displays.AttackCurveDisplay.from_estimator(fitted, X, Y, norm="l1"),
    ):
        with refused:
            call()


def test_scorers():
    for make in (
        metrics.mean_certified_accuracy,
        metrics.mean_balanced_certified_accuracy,
        metrics.certified_accuracies,
    ):
        with refused:
            make([0.5], "l1", attack_model=RULES)


def test_searches():
    plain = make_pipeline(StandardScaler(), redoubt.RobustSVMClassifier())
    with refused:
        RadiusSearchCV(plain, [0.1], norm="l1", attack_model=RULES, cv=2).fit(X, Y)
    own = make_pipeline(StandardScaler(), redoubt.RobustSVMClassifier(attack_model=RULES))
    with refused:
        RadiusSearchCV(own, [0.1], norm="l1", cv=2).fit(X, Y)
    search = RadiusSearchCV(own, [0.1], norm="linf", cv=2).fit(X, Y)
    assert np.isfinite(search.best_score_)


def test_displays_that_certify(vote, fitted):
    plain = redoubt.RobustSVMClassifier()
    results = cross_validate(plain, X, Y, cv=2, return_estimator=True, return_indices=True)
    both = {"norm": "l1", "attack_model": RULES}
    radii = {"defence_radii": [0.1], "attack_radii": [0.5]}
    for call in (
        lambda: displays.AttackCurveDisplay.from_estimator(vote, X, 2 * Y - 1, **both),
        lambda: displays.AttackCurveDisplay.from_cv_results(results, X, Y, **both),
        lambda: displays.BoundaryDisplay.from_estimator(vote, X, **both),
        lambda: displays.DefenceHeatmapDisplay.from_estimator(plain, X, Y, **radii, **both),
        lambda: displays.GrowthDisplay.from_estimator(vote, X, 2 * Y - 1, **both),
        lambda: displays.RadiusHistogramDisplay.from_estimator(vote, X, 2 * Y - 1, **both),
    ):
        with refused:
            call()


def test_displays_that_are_given_numbers():
    both = {"norm": "l1", "attack_model": RULES}
    for call in (
        lambda: displays.AttackCurveDisplay([0.0], {"a": [1.0]}, **both),
        lambda: displays.AttackCurveDisplay(
            [0.0], {"a": [1.0]}, norm="l1", attack_model={"a": None, "b": RULES}
        ),
        lambda: displays.DefenceHeatmapDisplay([[0.1]], [0.1], [0.5], **both),
        lambda: displays.GrowthDisplay([1], [[1.0]], **both),
        lambda: displays.RadiusHistogramDisplay([1.0], **both),
    ):
        with refused:
            call()
