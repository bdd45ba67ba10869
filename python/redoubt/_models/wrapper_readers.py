"""What is put around a classifier: pipelines, searches, thresholds, calibration.

Every reader takes a fitted model and `read`, which reads the model inside.
"""

from dataclasses import replace

import numpy as np
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.utils.validation import check_is_fitted

from redoubt._models.decision_rules import Planes, Vote, stacked, with_planes
from redoubt._models.reading import LinearModel, own_feature_names, planes_of, refuse
from redoubt._models.responses import calibrated, chosen_method, read_response
from redoubt._pipelines import coding_of, pull_back
from redoubt._pipelines.linear import SCALERS, scaler_numbers
from redoubt._sklearn_private import label_of_threshold

# --- thresholds and calibration ---------------------------------------------------------------


def shifted(model, inner, sign, start, answers_at_start):
    """Class 1 where ``sign * f`` exceeds `start`, f being the model's one plane."""
    if not isinstance(inner.decision, Vote) or len(inner.decision.planes) != 1:
        raise refuse(model, "is not around a single plane of two classes")
    coef, intercept = stacked(inner.decision)
    form = inner.form
    if np.isinf(start):  # the answer is always the same
        coef, intercept = 0 * coef, np.array([-np.sign(start)])
        form = None if form is None else form.times(0).plus(intercept)
    else:
        coef, intercept = sign * coef, sign * intercept.astype(np.longdouble) - start
        form = None if form is None else form.times(sign).plus(-start)
    vote = Vote(Planes.make(coef, intercept, answers_at_start), answers_at_start)
    return replace(inner, decision=vote, classes=model.classes_, form=form, exact=False)


def read_threshold(model, read):
    """scikit-learn gives the positive label where its score is at least the threshold."""
    inner = getattr(model, "estimator_", None) or model.estimator
    methods = ("predict_proba", "decision_function")
    method = model.response_method
    method = chosen_method(inner, methods) if method == "auto" else method
    if isinstance(model, TunedThresholdClassifierCV):
        positive, threshold = label_of_threshold(model), model.best_threshold_
    else:
        positive, threshold = model.pos_label, model.threshold
        if threshold == "auto":
            threshold = 0.5 if method == "predict_proba" else 0.0
    response = read_response(inner, method)
    if response is None:
        raise refuse(
            model, f"has a threshold on {method} of {type(inner).__name__}, which is not supported"
        )
    if positive is None or positive == model.classes_[1]:
        return shifted(model, read(inner), response.sign, response.least(threshold), True)
    # The score of the first class is 1 - p, or -f: class 1 is where that is below the threshold.
    level = 1.0 - threshold if method == "predict_proba" else -threshold
    return shifted(model, read(inner), response.sign, response.most(level), False)


def read_calibrated(model, read):
    if len(model.calibrated_classifiers_) != 1:
        raise refuse(
            model,
            f"averages {len(model.calibrated_classifiers_)} models, which is not linear; take "
            "ensemble=False",
        )
    if len(model.classes_) != 2:
        raise refuse(model, f"has {len(model.classes_)} classes; two are supported")
    (one,) = model.calibrated_classifiers_
    response = calibrated(model)
    if response is None:
        raise refuse(
            model,
            f"calibrates {type(one.estimator).__name__} by method={one.method!r}, which is not "
            "supported",
        )
    # p > 1 - p; a tie is the first class.
    return shifted(model, read(one.estimator), response.sign, response.most(0.5), False)


# --- pipelines --------------------------------------------------------------------------------


def read_pipeline(model, read):
    *steps, (_, last) = model.steps
    inner = read(last)
    steps = [step for _, step in steps if step is not None and step != "passthrough"]
    if not steps:
        return replace(inner, exact=False)
    if inner.form is not None or not all(isinstance(step, SCALERS) for step in steps):
        return of_columns(inner, _pulled_back(steps, inner.raw_form()), own_feature_names(model))
    for step in steps:
        check_is_fitted(step)
    own = [] if inner.transform is None else [(inner.factor, inner.shift)]
    (factor, shift), *others = [scaler_numbers(step) for step in steps] + own
    for next_factor, next_shift in others:
        factor, shift = next_factor * factor, next_factor * shift + next_shift
    transforms = [step.transform for step in steps]
    transforms += [] if inner.transform is None else [inner.transform]

    def transform(X):
        for each in transforms:
            X = each(X)
        return np.asarray(X)

    return replace(inner, factor=factor, shift=shift, transform=transform, exact=False)


def _pulled_back(steps, form):
    for step in reversed(steps):
        form = pull_back(step, form)
    return form


def of_columns(inner, form, names):
    """The model as one of raw columns: of features z, or of the numbers as they are."""
    coding = coding_of([form], names)
    coef, intercept = planes_of(coding, form)
    if not coding.is_numeric:
        decision = with_planes(inner.decision, coef, intercept)
        return LinearModel(decision, inner.classes, form=form, coding=coding)
    unit = coding.units().astype(np.longdouble)
    if np.all(unit == 1.0):
        return LinearModel(with_planes(inner.decision, coef, intercept), inner.classes, form=form)
    return LinearModel(
        with_planes(inner.decision, coef * unit, intercept),
        inner.classes,
        factor=1 / unit,
        shift=np.zeros(len(unit), dtype=np.longdouble),
        transform=lambda X: np.asarray(X, dtype=np.float64) / unit.astype(np.float64),
        form=form,
    )


def read_search(model, read):
    return replace(read(model.best_estimator_), exact=False)


def read_frozen(model, read):
    return replace(read(model.estimator), exact=False)
