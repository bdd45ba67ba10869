"""Scores of classifiers that are a function of one plane: probabilities, thresholds, calibration.

A threshold on such a score is a threshold on the plane: it is shifted, and turned round where a
calibration found that the score falls with it.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, NuSVC

from redoubt._sklearn_private import BaseSearchCV, LinearClassifierMixin


@dataclass(frozen=True)
class Response:
    """A score that does not fall with ``u = sign * f``, f being the plane that a model is read as.

    It is at least t where u >= least(t), and more than t where u > most(t); infinite where that is
    never or always so.
    """

    sign: int
    least: object
    most: object


def _same(t):
    return t


def _logit(t):
    if t <= 0.0 or t >= 1.0:
        return -np.inf if t <= 0.0 else np.inf
    return float(np.log(np.longdouble(t)) - np.log1p(-np.longdouble(t)))


VALUE = Response(1, _same, _same)
PROBABILITY = Response(1, _logit, _logit)
_CLIPPED = Response(  # of SGDClassifier(loss="modified_huber"): (clip(f, -1, 1) + 1) / 2
    1,
    lambda t: -np.inf if t <= 0.0 else np.inf if t > 1.0 else 2.0 * t - 1.0,
    lambda t: -np.inf if t < 0.0 else np.inf if t >= 1.0 else 2.0 * t - 1.0,
)


def read_response(model, method):
    """The Response of `decision_function` or `predict_proba`; None if it is not known."""
    if isinstance(model, Pipeline):
        return read_response(model.steps[-1][1], method)
    if isinstance(model, BaseSearchCV):
        return read_response(model.best_estimator_, method)
    if isinstance(model, FrozenEstimator):
        return read_response(model.estimator, method)
    if isinstance(model, CalibratedClassifierCV):
        return _of_calibrated_plane(model) if method == "predict_proba" else None
    if method == "decision_function":
        if hasattr(type(model), "_planes_per_class"):  # ours; of one plane, who asks will check
            return VALUE
        linear = (LinearClassifierMixin, LinearDiscriminantAnalysis, SVC, NuSVC)
        return VALUE if isinstance(model, linear) else None
    if isinstance(model, SGDClassifier):
        return {"log_loss": PROBABILITY, "modified_huber": _CLIPPED}.get(model.loss)
    logistic = (LogisticRegression, LinearDiscriminantAnalysis)
    bayes = (MultinomialNB, ComplementNB, BernoulliNB)
    return PROBABILITY if isinstance(model, (*logistic, *bayes)) else None


def chosen_method(model, methods):
    """The first of the methods that the model has."""
    return next((name for name in methods if hasattr(model, name)), methods[-1])


def calibrated(model):
    """The Response of a CalibratedClassifierCV(ensemble=False) for two classes; None if unknown."""
    (one,) = model.calibrated_classifiers_
    method = chosen_method(one.estimator, ("decision_function", "predict_proba"))
    inner = read_response(one.estimator, method)
    if inner is None or one.method not in ("sigmoid", "isotonic"):
        return None
    (calibrator,) = one.calibrators
    if one.method == "isotonic":
        least, most = _isotonic(calibrator)
        return Response(inner.sign, lambda t: inner.least(least(t)), lambda t: inner.most(most(t)))
    slope, shift = float(calibrator.a_), float(calibrator.b_)
    if slope == 0.0:
        always = _logit_inverse(-shift)
        return Response(
            1,
            lambda t: -np.inf if always >= t else np.inf,
            lambda t: -np.inf if always > t else np.inf,
        )

    def score(t):  # where expit(-(slope * s + shift)) is t
        return -(_logit(t) + shift) / slope

    if slope < 0.0:
        return Response(
            inner.sign, lambda t: inner.least(score(t)), lambda t: inner.most(score(t))
        )
    return Response(  # the probability falls with the score: all turned round
        -inner.sign, lambda t: -inner.most(score(t)), lambda t: -inner.least(score(t))
    )


def _of_calibrated_plane(model):
    """The same for the plane that the model is read as, which is 0 where the probability is 1/2."""
    inner = calibrated(model)
    start = np.inf if inner is None else inner.most(0.5)
    if np.isinf(start):  # it always gives the same answer
        return None
    return Response(1, lambda t: inner.least(t) - start, lambda t: inner.most(t) - start)


def _logit_inverse(value):
    return 1.0 / (1.0 + np.exp(-value))


def _isotonic(calibrator):
    """Where a rising curve of straight pieces, flat at both ends, reaches t, and leaves it."""
    x, y = calibrator.X_thresholds_, calibrator.y_thresholds_

    def crossing(k, t):  # between knots k - 1 and k
        if y[k] == y[k - 1]:
            return float(x[k])
        share = (np.longdouble(t) - y[k - 1]) / (np.longdouble(y[k]) - y[k - 1])
        return float(x[k - 1] + share * (np.longdouble(x[k]) - x[k - 1]))

    def least(t):
        k = int(np.searchsorted(y, t, side="left"))  # the first knot with y >= t
        return -np.inf if k == 0 else np.inf if k == len(y) else crossing(k, t)

    def most(t):
        k = int(np.searchsorted(y, t, side="right"))  # the first knot with y > t
        if k == 0:
            return -np.inf
        return np.inf if k == len(y) else crossing(k, t)

    return least, most
