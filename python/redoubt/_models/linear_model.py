"""Fitted models of this package and of scikit-learn, read as votes of planes."""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, VotingClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.linear_model._base import LinearClassifierMixin
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import SVC, NuSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from redoubt import _core
from redoubt._models.decision_rules import ArgMax, Planes, Vote
from redoubt._models.model_file import Model
from redoubt._models.stumps import stump_plane

SUPPORTED = (
    "redoubt.Ensemble, redoubt.Model and the fitted classifiers of redoubt; of scikit-learn "
    "LinearSVC, SVC and NuSVC with kernel='linear', LogisticRegression, SGDClassifier, Perceptron, "
    "PassiveAggressiveClassifier, RidgeClassifier, LinearDiscriminantAnalysis, two-class trees of "
    "depth 1, VotingClassifier(voting='hard'), AdaBoostClassifier and BaggingClassifier over "
    "two-class members of these, a Pipeline of StandardScaler, MinMaxScaler, MaxAbsScaler or "
    "RobustScaler and one of these, and a search such as GridSearchCV over these"
)


@dataclass(frozen=True, eq=False)
class LinearModel:
    """What a model computes: the decision applied to ``factor * x + shift`` (None: to x itself).

    `transform` scales in the model's own arithmetic. `exact` models answer without rounding, and
    exactly as the decision does. `inner_scalers`: members of a vote have scalers of their own.
    """

    decision: Vote | ArgMax
    classes: np.ndarray
    factor: np.ndarray | None = None
    shift: np.ndarray | None = None
    transform: object = None
    exact: bool = False
    inner_scalers: bool = False

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
    for kind, read in _READERS:
        if isinstance(model, kind):
            check_is_fitted(model)
            return read(model)
    if isinstance(model, _core.Ensemble):
        return LinearModel(_read_ensemble(model), np.array([-1, 1]), exact=True)
    if isinstance(model, Model):
        return _read_redoubt_model(model)
    if _is_redoubt_estimator(model):
        return _read_redoubt_estimator(model)
    what = f"the class {model.__name__}" if isinstance(model, type) else type(model).__name__
    raise TypeError(f"model: got {what}, which is not supported; supported are {SUPPORTED}")


def own_feature_names(model):
    """The names of the features that a fitted model knows, as a list; or None."""
    if isinstance(model, Pipeline):
        steps = [step for _, step in model.steps if step is not None and step != "passthrough"]
        return own_feature_names(steps[0])
    if isinstance(model, BaseSearchCV):
        return own_feature_names(model.best_estimator_)
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
    return read.folded().planes, read.factor is not None


def _join(model, members, weights=None):
    """The vote of several planes; scikit-learn answers a tie with the first class."""
    planes = members[0][0]
    for member, _ in members[1:]:
        planes = planes + member
    scaled = any(has_scaler for _, has_scaler in members)
    unit = 1.0
    if weights is not None:
        weighed = _core.Ensemble(planes.coef, planes.intercept, weights)
        unit = weighed.weight_unit
        planes = Planes.make(planes.coef, planes.intercept, planes.tie, weighed.weight_units)
    return LinearModel(Vote(planes, False, unit), model.classes_, inner_scalers=scaled)


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
        planes, has_scaler = _read_member(model, member)
        coef = np.zeros((1, model.n_features_in_), dtype=np.longdouble)
        np.add.at(coef, (0, features), planes.coef[0])  # a feature may have been drawn twice
        members.append((Planes.make(coef, planes.intercept, planes.tie), has_scaler))
    return _join(model, members)


# --- scalers ----------------------------------------------------------------------------------


def _read_scaler(step):
    """The scaler as ``factor * x + shift``, in extended precision."""
    check_is_fitted(step)
    if getattr(step, "clip", False):
        raise _refuse(step, "has clip=True, which is not linear and not supported")
    if isinstance(step, MinMaxScaler):
        return step.scale_.astype(np.longdouble), step.min_.astype(np.longdouble)
    center = {StandardScaler: "mean_", RobustScaler: "center_"}.get(_scaler_kind(step))
    center = None if center is None else getattr(step, center)
    if isinstance(step, StandardScaler) and not step.with_mean:
        center = None  # mean_ is there but not used
    scale = np.ones(step.n_features_in_) if step.scale_ is None else step.scale_
    factor = 1 / scale.astype(np.longdouble)
    return factor, factor * (0 if center is None else -center)


def _scaler_kind(step):
    kinds = (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler)
    return next((kind for kind in kinds if isinstance(step, kind)), None)


def _read_pipeline(model):
    *steps, (_, last) = model.steps
    read = read_model(last)
    scalers = [step for _, step in steps if step is not None and step != "passthrough"]
    for step in scalers:
        if _scaler_kind(step) is None:
            raise TypeError(
                f"model: Pipeline has the step {type(step).__name__}, which is not supported; "
                f"supported are {SUPPORTED}"
            )
    if not scalers:
        return replace(read, exact=False)
    inner = [] if read.transform is None else [(read.factor, read.shift)]
    (factor, shift), *others = [_read_scaler(step) for step in scalers] + inner
    for next_factor, next_shift in others:
        factor, shift = next_factor * factor, next_factor * shift + next_shift
    transforms = [step.transform for step in scalers]
    transforms += [] if read.transform is None else [read.transform]

    def transform(X):
        for each in transforms:
            X = each(X)
        return np.asarray(X)

    return replace(read, factor=factor, shift=shift, transform=transform, exact=False)


def _read_search(model):
    return replace(read_model(model.best_estimator_), exact=False)


# In this order: the first match counts.
_READERS = (
    (Pipeline, _read_pipeline),
    (BaseSearchCV, _read_search),
    (VotingClassifier, _read_voting),
    (BaggingClassifier, _read_bagging),
    (AdaBoostClassifier, _read_boosting),
    (DecisionTreeClassifier, _read_stump),
    ((SVC, NuSVC), _read_svc),
    (LinearClassifierMixin, _read_linear),
)
