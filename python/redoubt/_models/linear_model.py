"""Fitted models of this package and of scikit-learn, read as votes of planes."""

from dataclasses import dataclass, field, replace

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import RidgeClassifier
from sklearn.linear_model._base import LinearClassifierMixin
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.model_selection._search import BaseSearchCV
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, NuSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from redoubt import _core
from redoubt._models.decision_rules import ArgMax, Planes, Vote, stacked, with_planes
from redoubt._models.model_file import Model
from redoubt._models.reading_cache import cached
from redoubt._models.responses import calibrated, chosen_method, read_response
from redoubt._models.stumps import stump_plane
from redoubt._pipelines import Coding, Form, pull_back
from redoubt._pipelines.encoders import binarised
from redoubt._pipelines.linear import SCALERS, scaler_numbers

SUPPORTED = (
    "redoubt.Ensemble, redoubt.Model and the fitted classifiers of redoubt; of scikit-learn "
    "LinearSVC, SVC and NuSVC with kernel='linear', LogisticRegression, SGDClassifier, Perceptron, "
    "PassiveAggressiveClassifier, RidgeClassifier, LinearDiscriminantAnalysis, MultinomialNB, "
    "ComplementNB, BernoulliNB, NearestCentroid, two-class trees of depth 1, "
    "VotingClassifier(voting='hard'), AdaBoostClassifier and BaggingClassifier over two-class "
    "members of these, FixedThresholdClassifier, TunedThresholdClassifierCV and "
    "CalibratedClassifierCV(ensemble=False) around these, a Pipeline of steps such as scalers, "
    "encoders, imputers and ColumnTransformer and one of these, and a search such as GridSearchCV "
    "over these"
)


@dataclass(frozen=True, eq=False)
class LinearModel:
    """What a model computes: the decision applied to ``factor * x + shift`` (None: to x itself).

    `transform` scales in the model's own arithmetic. `exact` models answer without rounding, and
    exactly as the decision does. `inner_scalers`: members of a vote have scalers of their own.

    A model of a table with categories or gaps has a `coding`, and the decision is about the
    features z that it makes of the raw columns. `form` holds the planes as functions of the raw
    columns, wherever a pipeline has steps other than scalers. `memo` is for what follows from it.
    """

    decision: Vote | ArgMax
    classes: np.ndarray
    factor: np.ndarray | None = None
    shift: np.ndarray | None = None
    transform: object = None
    exact: bool = False
    inner_scalers: bool = False
    form: Form | None = None
    coding: Coding | None = None
    memo: dict = field(default_factory=dict)

    def need_numbers(self, who):
        """Raise if the model is one of a table with categories or gaps."""
        if self.coding is not None:
            raise NotImplementedError(
                f"{who}: this model takes a table with categories or missing entries, which is not "
                "supported here; redoubt.certify, attack and explain take it"
            )

    def raw_form(self):
        """The planes as functions of the columns of X."""
        if self.form is not None:
            return self.form
        form = Form.linear(*stacked(self.decision))
        if self.factor is None:
            return form
        return form.scaled(self.factor, self.shift, is_unit=True)

    def scaler(self):
        """center and scale of ``(x - center) / scale``, the form of a model file.

        Rounded once from extended precision: those of a StandardScaler come out as they are.
        """
        if self.factor is None:
            return np.zeros(self.decision.n_features), np.ones(self.decision.n_features)
        center = -self.shift / self.factor
        return (center + 0.0).astype(np.float64), (1 / self.factor).astype(np.float64)

    def folded(self):
        """The decision in raw features."""
        return (
            self.decision if self.factor is None else self.decision.after(self.factor, self.shift)
        )


def read_model(model):
    """Return the LinearModel of a fitted model, or raise an error that says what is supported."""
    read = _read(model)
    if read.form is not None and read.form.tables and read.coding is None:
        return _of_columns(read, read.form, own_feature_names(model))
    return read


def _read(model):
    """The same; a classifier that does not look at numbers as such may be one behind an encoder."""
    for kind, read, _ in READERS:
        if isinstance(model, kind):
            return cached(model, _fitted(read)) if kind in _CACHED else _fitted(read)(model)
    if isinstance(model, _core.Ensemble):
        return LinearModel(_read_ensemble(model), np.array([-1, 1]), exact=True)
    if isinstance(model, Model):
        return _read_redoubt_model(model)
    if _is_redoubt_estimator(model):
        return _read_redoubt_estimator(model)
    what = f"the class {model.__name__}" if isinstance(model, type) else type(model).__name__
    raise TypeError(f"model: got {what}, which is not supported; supported are {SUPPORTED}")


def _fitted(read):
    """The reader, which is given fitted models only."""

    def check_and_read(model):
        check_is_fitted(model)
        return read(model)

    return check_and_read


def own_feature_names(model):
    """The names of the features that a fitted model knows, as a list; or None."""
    if isinstance(model, Pipeline):
        steps = [step for _, step in model.steps if step is not None and step != "passthrough"]
        return own_feature_names(steps[0])
    if isinstance(model, BaseSearchCV):
        return own_feature_names(model.best_estimator_)
    if isinstance(model, FrozenEstimator):
        return own_feature_names(model.estimator)
    names = getattr(model, "feature_names_in_", getattr(model, "feature_names", None))
    return None if names is None or not len(names) else [str(name) for name in names]


def _refuse(model, reason):
    return ValueError(f"model: {type(model).__name__} {reason}")


# --- ours -------------------------------------------------------------------------------------


def _read_ensemble(ensemble):
    weights = ensemble.weight_units
    planes = Planes.make(ensemble.coef, ensemble.intercept, True, weights)
    return Vote(planes, True, ensemble.weight_unit)


def _read_redoubt_model(model):
    scale = model.scale.astype(np.longdouble)
    return LinearModel(
        _read_ensemble(model.ensemble),
        np.asarray(model.classes),
        factor=1 / scale,
        shift=-model.center / scale,
        transform=model.transform,
    )


def _is_redoubt_estimator(model):
    """One of our classifiers or made from one."""
    return isinstance(model, BaseEstimator) and any(
        base.__module__.partition(".")[0] == "redoubt" for base in type(model).__mro__
    )


def _read_redoubt_estimator(model):
    """Two classes: the planes are in `coef_`. More: `_planes_per_class()` has them class by class."""
    check_is_fitted(model)
    if len(model.classes_) > 2:
        planes = [Planes.make(coef, b, True) for coef, b in model._planes_per_class()]
        # Single planes are compared by their values, which round; votes are integers.
        by_votes = len(planes[0].coef) > 1
        return LinearModel(ArgMax(planes, by_votes=by_votes), model.classes_, exact=by_votes)
    planes = Planes.make(model.coef_, model.intercept_, True)
    return LinearModel(Vote(planes, True), model.classes_, exact=True)


# --- scikit-learn's planes --------------------------------------------------------------------


def _coef(model):
    coef = model.coef_
    return np.atleast_2d(coef.toarray() if sparse.issparse(coef) else coef)


def _read_linear(model):
    """``decision_function > 0`` is ``classes_[1]``; several planes: the first greatest wins."""
    kind = type(model)
    known = (LinearClassifierMixin, LinearDiscriminantAnalysis, RidgeClassifier)
    for method in ("predict", "decision_function"):
        if getattr(kind, method) not in [getattr(base, method) for base in known]:
            raise _refuse(model, f"has a {method} of its own, which is not supported")
    binarizer = getattr(model, "_label_binarizer", None)  # of RidgeClassifier
    if binarizer is not None and binarizer.y_type_.startswith("multilabel"):
        raise _refuse(model, "was fitted to several labels per point, which is not supported")
    coef = _coef(model)
    planes = Planes.make(coef, model.intercept_, False)
    if len(coef) == 1:
        return LinearModel(Vote(planes, False), model.classes_)
    each = [Planes.make(w[None, :], b, False) for w, b in zip(coef, planes.intercept, strict=True)]
    return LinearModel(ArgMax(each, by_votes=False), model.classes_)


def _read_svc(model):
    """LIBSVM: a vote of one plane per pair of classes.

    The plane of classes i < j is positive for i and answers zero with j; scikit-learn turns it
    round when there are only two classes.
    """
    if model.kernel != "linear":
        raise _refuse(model, f"has kernel={model.kernel!r}; only kernel='linear' is supported")
    coef, classes = _coef(model), model.classes_
    if len(classes) == 2:
        return LinearModel(Vote(Planes.make(coef, model.intercept_, True), True), classes)
    if model.break_ties:
        raise _refuse(model, "has break_ties=True, which is not linear and not supported")
    pairs = [(i, j) for i in range(len(classes)) for j in range(i + 1, len(classes))]
    each = []
    for c in range(len(classes)):
        mine = [p for p, pair in enumerate(pairs) if c in pair]
        sign = np.array([1.0 if pairs[p][0] == c else -1.0 for p in mine])
        each.append(
            Planes.make(sign[:, None] * coef[mine], sign * model.intercept_[mine], sign < 0)
        )
    return LinearModel(ArgMax(each, by_votes=True), classes)


def _read_stump(model):
    """A tree of depth 1 is a plane of one feature, shifted to where scikit-learn rounds to it."""
    if model.tree_.max_depth > 1:
        raise TypeError(
            f"model: got {type(model).__name__}, of depth {model.tree_.max_depth}, which is not "
            f"supported; supported are {SUPPORTED}"
        )
    if model.n_outputs_ > 1 or len(model.classes_) != 2:
        raise _refuse(model, "is no stump for one question with two answers")
    return LinearModel(Vote(stump_plane(model.tree_), False), model.classes_)


# --- votes ------------------------------------------------------------------------------------


def _read_member(model, member, classes=(0, 1)):
    """One plane with its scalers folded in; its classes must be these: codes, as a rule."""
    read = read_model(member)
    if not isinstance(read.decision, Vote) or len(read.decision.planes) != 1:
        raise _refuse(model, f"has the member {type(member).__name__}, which is not a single plane")
    if read.classes.tolist() != list(classes):
        raise _refuse(
            model, f"has a member that was trained on the classes {read.classes.tolist()}"
        )
    return read


def _folded(read):
    """The planes of a member in the columns of X; has it a scaler?"""
    return read.folded().planes, read.factor is not None


def _on_one_table(model, members):
    """Members that look at raw columns, as planes on features that they share."""
    forms = [member.raw_form() for member in members]
    coding = Coding.of(forms, own_feature_names(model))
    has_scaler = coding.is_numeric and any(form.units for form in forms)
    planes = [
        (Planes.make(*_planes(coding, form), member.decision.planes.tie), has_scaler)
        for member, form in zip(members, forms, strict=True)
    ]
    return planes, _stack(forms), None if coding.is_numeric else coding


def _planes(coding, form):
    """Coefficients and intercepts: of features z or, where there are only numbers, of all columns."""
    if coding.is_numeric:
        return np.where(form.is_linear, form.coef, 0), form.intercept
    return coding.coefficients(form)


def _stack(forms):
    """The functions of all forms: each adds nothing to those of the others."""
    n = sum(len(form.coef) for form in forms)
    whole, start = None, 0
    for form in forms:
        matrix = np.zeros((n, len(form.coef)), dtype=np.longdouble)
        matrix[start : start + len(form.coef)] = np.eye(len(form.coef))
        start += len(form.coef)
        part = form.weighed(matrix)
        whole = part if whole is None else whole + part
    return whole


def _join(model, members, weights=None):
    """The vote of several planes; scikit-learn answers a tie with the first class."""
    form, coding = None, None
    if any(member.form is not None for member in members):
        members, form, coding = _on_one_table(model, members)
    else:
        members = [_folded(member) for member in members]
    planes = members[0][0]
    for member, _ in members[1:]:
        planes = planes + member
    scaled = any(has_scaler for _, has_scaler in members)
    unit = 1.0
    if weights is not None:
        weighed = _core.Ensemble(planes.coef, planes.intercept, weights)
        unit = weighed.weight_unit
        planes = Planes.make(planes.coef, planes.intercept, planes.tie, weighed.weight_units)
    return LinearModel(
        Vote(planes, False, unit), model.classes_, inner_scalers=scaled, form=form, coding=coding
    )


def _with_weight(model, members, weights):
    """The members that count, and their weights."""
    weights = np.asarray(weights, dtype=np.float64)
    bad = weights[~(np.isfinite(weights) & (weights >= 0))]
    if len(bad) or not np.any(weights > 0):
        got = "none that is not 0" if not len(bad) else f"{bad[0]:g}"
        raise _refuse(model, f"needs finite weights >= 0 to be a weighted vote, got {got}")
    chosen = [member for member, weight in zip(members, weights, strict=True) if weight > 0]
    return chosen, weights[weights > 0]


def _check_two_classes(model):
    if len(model.classes_) != 2:
        raise _refuse(
            model,
            f"votes on {len(model.classes_)} classes; a vote is supported for two classes only",
        )


def _read_voting(model):
    if model.voting != "hard":
        raise _refuse(
            model,
            f"has voting={model.voting!r}, which averages probabilities and is no vote of planes; "
            "only voting='hard' is supported",
        )
    _check_two_classes(model)
    members, weights = model.estimators_, model._weights_not_none
    if weights is not None:
        members, weights = _with_weight(model, members, weights)
    return _join(model, [_read_member(model, member) for member in members], weights)


def _read_boosting(model):
    """SAMME on two classes: the sum of the members' answers, -1 and +1, times their weights."""
    _check_two_classes(model)
    if getattr(model, "algorithm", "SAMME") == "SAMME.R":
        raise _refuse(model, "has algorithm='SAMME.R', which adds up probabilities")
    weights = model.estimator_weights_[: len(model.estimators_)]
    members, weights = _with_weight(model, model.estimators_, weights)
    classes = model.classes_.tolist()
    return _join(model, [_read_member(model, member, classes) for member in members], weights)


def _read_bagging(model):
    _check_two_classes(model)
    members = []
    for member, features in zip(model.estimators_, model.estimators_features_, strict=True):
        if hasattr(member, "predict_proba"):
            raise _refuse(
                model,
                f"has members with predict_proba ({type(member).__name__}): scikit-learn averages "
                "their probabilities, which is no vote of planes",
            )
        read = _read_member(model, member)
        if read.coding is not None:
            raise _refuse(model, "has members that encode columns of their own")
        planes, has_scaler = _folded(read)
        coef = np.zeros((1, model.n_features_in_), dtype=np.longdouble)
        np.add.at(coef, (0, features), planes.coef[0])  # a feature may have been drawn twice
        planes = Planes.make(coef, planes.intercept, planes.tie)
        ones = np.ones(model.n_features_in_, dtype=np.longdouble) if has_scaler else None
        members.append(
            replace(
                read,
                decision=Vote(planes, False),
                factor=ones,
                shift=None if ones is None else 0 * ones,
                form=None,
            )
        )
    return _join(model, members)


# --- naive Bayes and centroids ----------------------------------------------------------------


def _of_scores(model, coef, intercept):
    """The class with the greatest linear score, the first of several."""
    if len(model.classes_) == 2:
        planes = Planes.make(
            (coef[1] - coef[0])[None, :], np.atleast_1d(intercept[1] - intercept[0]), False
        )
        return LinearModel(Vote(planes, False), model.classes_)
    each = [Planes.make(w[None, :], b, False) for w, b in zip(coef, intercept, strict=True)]
    return LinearModel(ArgMax(each, by_votes=False), model.classes_)


def _read_bayes(model):
    """ComplementNB has no prior, and BernoulliNB asks whether columns exceed `binarize`."""
    coef = model.feature_log_prob_.astype(np.longdouble)
    if isinstance(model, ComplementNB):
        return _of_scores(model, coef, np.zeros(len(coef)))
    if not isinstance(model, BernoulliNB):
        return _of_scores(model, coef, model.class_log_prior_)
    absent = np.log(1 - np.exp(coef))
    read = _of_scores(model, coef - absent, model.class_log_prior_ + absent.sum(axis=1))
    if model.binarize is None:
        return read
    name = f"BernoulliNB(binarize={model.binarize:g})"
    return replace(read, form=binarised(name, model.binarize, Form.linear(*stacked(read.decision))))


def _read_centroids(model):
    """The nearest centroid; with unequal priors in units of the deviations within the classes."""
    if model.metric != "euclidean":
        raise _refuse(model, f"has metric={model.metric!r}; only 'euclidean' is linear")
    centroids = model.centroids_.astype(np.longdouble)
    prior = getattr(model, "class_prior_", np.full(len(centroids), 1 / len(centroids)))
    unit, shift = np.ones(centroids.shape[1]), np.zeros(len(centroids))
    if not np.isclose(prior, 1 / len(prior)).all():
        deviation = model.within_class_std_dev_
        unit, shift = np.where(deviation != 0, deviation, 1.0) ** 2, 2.0 * np.log(prior)
    squares = (centroids**2 / unit).sum(axis=1)
    return _of_scores(model, 2 * centroids / unit, shift - squares)


# --- thresholds and calibration ---------------------------------------------------------------


def _shifted(model, read, sign, start, answers_at_start):
    """Class 1 where ``sign * f`` exceeds `start`, f being the model's one plane."""
    if not isinstance(read.decision, Vote) or len(read.decision.planes) != 1:
        raise _refuse(model, "is not around a single plane of two classes")
    coef, intercept = stacked(read.decision)
    form = read.form
    if np.isinf(start):  # the answer is always the same
        coef, intercept = 0 * coef, np.array([-np.sign(start)])
        form = None if form is None else form.times(0).plus(intercept)
    else:
        coef, intercept = sign * coef, sign * intercept.astype(np.longdouble) - start
        form = None if form is None else form.times(sign).plus(-start)
    vote = Vote(Planes.make(coef, intercept, answers_at_start), answers_at_start)
    return replace(read, decision=vote, classes=model.classes_, form=form, exact=False)


def _read_threshold(model):
    """scikit-learn gives the positive label where its score is at least the threshold."""
    inner = getattr(model, "estimator_", None) or model.estimator
    read = _read(inner)
    methods = ("predict_proba", "decision_function")
    method = model.response_method
    method = chosen_method(inner, methods) if method == "auto" else method
    if isinstance(model, TunedThresholdClassifierCV):
        positive, threshold = model._curve_scorer._get_pos_label(), model.best_threshold_
    else:
        positive, threshold = model.pos_label, model.threshold
        if threshold == "auto":
            threshold = 0.5 if method == "predict_proba" else 0.0
    response = read_response(inner, method)
    if response is None:
        raise _refuse(
            model, f"has a threshold on {method} of {type(inner).__name__}, which is not supported"
        )
    if positive is None or positive == model.classes_[1]:
        return _shifted(model, read, response.sign, response.least(threshold), True)
    # The score of the first class is 1 - p, or -f: class 1 is where that is below the threshold.
    level = 1.0 - threshold if method == "predict_proba" else -threshold
    return _shifted(model, read, response.sign, response.most(level), False)


def _read_calibrated(model):
    if len(model.calibrated_classifiers_) != 1:
        raise _refuse(
            model,
            f"averages {len(model.calibrated_classifiers_)} models, which is not linear; take "
            "ensemble=False",
        )
    if len(model.classes_) != 2:
        raise _refuse(model, f"has {len(model.classes_)} classes; two are supported")
    (one,) = model.calibrated_classifiers_
    response = calibrated(model)
    if response is None:
        raise _refuse(
            model,
            f"calibrates {type(one.estimator).__name__} by method={one.method!r}, which is not "
            "supported",
        )
    # p > 1 - p; a tie is the first class.
    return _shifted(model, _read(one.estimator), response.sign, response.most(0.5), False)


# --- pipelines --------------------------------------------------------------------------------


def _read_pipeline(model):
    *steps, (_, last) = model.steps
    read = _read(last)
    steps = [step for _, step in steps if step is not None and step != "passthrough"]
    if not steps:
        return replace(read, exact=False)
    if read.form is not None or not all(isinstance(step, SCALERS) for step in steps):
        return _of_columns(read, _pulled_back(steps, read.raw_form()), own_feature_names(model))
    for step in steps:
        check_is_fitted(step)
    inner = [] if read.transform is None else [(read.factor, read.shift)]
    (factor, shift), *others = [scaler_numbers(step) for step in steps] + inner
    for next_factor, next_shift in others:
        factor, shift = next_factor * factor, next_factor * shift + next_shift
    transforms = [step.transform for step in steps]
    transforms += [] if read.transform is None else [read.transform]

    def transform(X):
        for each in transforms:
            X = each(X)
        return np.asarray(X)

    return replace(read, factor=factor, shift=shift, transform=transform, exact=False)


def _pulled_back(steps, form):
    for step in reversed(steps):
        form = pull_back(step, form)
    return form


def _of_columns(read, form, names):
    """The model as one of raw columns: of features z, or of the numbers as they are."""
    coding = Coding.of([form], names)
    coef, intercept = _planes(coding, form)
    if not coding.is_numeric:
        decision = with_planes(read.decision, coef, intercept)
        return LinearModel(decision, read.classes, form=form, coding=coding)
    unit = coding.units().astype(np.longdouble)
    if np.all(unit == 1.0):
        return LinearModel(with_planes(read.decision, coef, intercept), read.classes, form=form)
    return LinearModel(
        with_planes(read.decision, coef * unit, intercept),
        read.classes,
        factor=1 / unit,
        shift=np.zeros(len(unit), dtype=np.longdouble),
        transform=lambda X: np.asarray(X, dtype=np.float64) / unit.astype(np.float64),
        form=form,
    )


def _read_search(model):
    return replace(_read(model.best_estimator_), exact=False)


def _read_frozen(model):
    return replace(_read(model.estimator), exact=False)


# In this order, the first match counts: classes, how they are read, what they are asked for. The
# documentation is made from this.
READERS = (
    (Pipeline, _read_pipeline, "of steps that are read, and a classifier of this table"),
    (BaseSearchCV, _read_search, "what the search chose"),
    (FrozenEstimator, _read_frozen, "around a classifier of this table"),
    (
        (FixedThresholdClassifier, TunedThresholdClassifierCV),
        _read_threshold,
        "around one plane of two classes: on its decision function, or on a probability of "
        "LogisticRegression, LinearDiscriminantAnalysis, SGDClassifier, naive Bayes or a "
        "calibrated plane",
    ),
    (
        CalibratedClassifierCV,
        _read_calibrated,
        "ensemble=False, two classes, method sigmoid or isotonic",
    ),
    (
        (MultinomialNB, ComplementNB, BernoulliNB),
        _read_bayes,
        "BernoulliNB with binarize=None, or behind encoders",
    ),
    (NearestCentroid, _read_centroids, "metric='euclidean'"),
    (VotingClassifier, _read_voting, "voting='hard', two classes, members of one plane"),
    (
        BaggingClassifier,
        _read_bagging,
        "two classes, members of one plane without predict_proba",
    ),
    (AdaBoostClassifier, _read_boosting, "two classes, members of one plane"),
    (DecisionTreeClassifier, _read_stump, "two classes, depth 1"),
    ((SVC, NuSVC), _read_svc, "kernel='linear'"),
    (LinearClassifierMixin, _read_linear, ""),
)
# Those that take the time to read.
_CACHED = (Pipeline, BaseSearchCV, VotingClassifier)
