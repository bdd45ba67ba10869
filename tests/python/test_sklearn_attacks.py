"""Attacks and attack curves of scikit-learn's models."""

import numpy as np
import pytest
import redoubt
from sklearn_models import (
    NORMS,
    VOTES,
    fit,
    three_classes,
    two_classes,
)
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import (
    LogisticRegression,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    StandardScaler,
)
from sklearn.svm import SVC, LinearSVC


@pytest.mark.parametrize("units", ["raw", "scaled"])
@pytest.mark.parametrize("norm", NORMS)
def test_attacks_agree_with_certificates(norm, units):
    X, y = two_classes()
    pipeline = fit(make_pipeline(StandardScaler(), VOTES["Bagging"]), X, y)
    X3, y3 = three_classes()
    several = fit(make_pipeline(StandardScaler(), LogisticRegression()), X3, y3)
    one_vs_one = SVC(kernel="linear").fit(X3, y3)
    for model, points, labels in ((pipeline, X, y), (several, X3, y3), (one_vs_one, X3, y3)):
        radius = redoubt.certify(model, points, labels, norm=norm, units=units).radius
        reach = {"norm": norm, "units": units}
        hits = redoubt.attack(model, points, labels, np.abs(radius) * 1.001, **reach)
        right = radius > 0
        assert hits.success[right].all()
        moved = model.predict(points + hits.perturbation)
        assert np.all((moved != labels)[right])
        misses = redoubt.attack(model, points, labels, np.abs(radius) * 0.999, **reach)
        np.testing.assert_array_equal(misses.success, ~right)
        assert np.all(misses.bound[right] <= (0 if len(model.classes_) > 2 else 2))
        for adversary in ("relaxed", "heuristic") if len(model.classes_) == 2 else ():
            weak = redoubt.attack(
                model, points, labels, np.abs(radius) * 0.999, adversary=adversary, **reach
            )
            assert not weak.success[right].any()
    with pytest.raises(ValueError, match="radii: expected length 45, got length 2"):
        redoubt.attack(several, X3, y3, [0.1, 0.2])


def test_the_curve_of_three_classes():
    X, y = three_classes()
    model = LinearDiscriminantAnalysis().fit(X, y)
    result = redoubt.certify(model, X, y)
    radii = [0.0, 0.3, 0.6]
    curve = redoubt.attack_curve(result, y, radii)
    expected = [np.mean(result.radius > radius) for radius in radii]
    np.testing.assert_allclose(curve.accuracy, expected)
    each = [[np.mean(result.radius[y == c] > r) for c in model.classes_] for r in radii]
    np.testing.assert_allclose(curve.balanced_accuracy, np.mean(each, axis=1))
    assert curve.constant_accuracy == pytest.approx(1 / 3)
    assert curve.accuracy[0] == model.score(X, y)
    plain = redoubt.attack_curve(result.radius, y, radii)
    np.testing.assert_array_equal(plain.accuracy, curve.accuracy)


def test_labels_of_a_curve_must_be_those_of_the_certificates():
    X, y = two_classes()
    model = LinearSVC(random_state=0).fit(X, y)
    result = redoubt.certify(model, X, y)
    with pytest.raises(ValueError, match="not the labels that the certificates were made for"):
        redoubt.attack_curve(result, y[::-1], [0.0])
    with pytest.raises(ValueError, match="unknown labels"):
        redoubt.attack_curve(result, np.arange(len(y)), [0.0])
    with pytest.raises(ValueError, match="y: expected at least two classes, got 1"):
        redoubt.attack_curve(redoubt.certify(model, X), ["yes"] * len(X), [0.0])
    unlabelled = redoubt.attack_curve(redoubt.certify(model, X), y, [0.0, 0.2, 5.0])
    labelled = redoubt.attack_curve(result, y, [0.0, 0.2, 5.0])
    np.testing.assert_array_equal(unlabelled.accuracy, labelled.accuracy)
