"""Fitted models of this package and of scikit-learn, read as votes of planes."""

import os
from weakref import WeakKeyDictionary

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, NuSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from redoubt import _core
from redoubt._models.decision_rules import ArgMax, Planes, Vote
from redoubt._models.ensemble import Ensemble
from redoubt._models.model_file import Model
from redoubt._models.multiclass_readers import read_one_vs_one, read_one_vs_rest
from redoubt._models.plane_readers import (
    read_bayes,
    read_centroids,
    read_linear,
    read_stump,
    read_svc,
)
from redoubt._models.reading import SUPPORTED, LinearModel, own_feature_names
from redoubt._models.reading_cache import cached
from redoubt._models.vote_readers import read_bagging, read_boosting, read_voting
from redoubt._models.wrapper_readers import (
    of_columns,
    read_calibrated,
    read_frozen,
    read_pipeline,
    read_search,
    read_threshold,
)
from redoubt._sklearn_private import BaseSearchCV, LinearClassifierMixin

__all__ = ["READERS", "LinearModel", "own_feature_names", "read_model"]


def read_model(model):
    """Return the LinearModel of a fitted model, or raise an error that says what is supported."""
    read = _read(model)
    if read.form is not None and read.form.tables and read.coding is None:
        return of_columns(read, read.form, own_feature_names(model))
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
        return cached(model, _read_redoubt_estimator)
    if isinstance(model, str | os.PathLike):
        raise TypeError(f"model: got a path; load the file first: redoubt.load_model({str(model)!r})")
    what = f"the class {model.__name__}" if isinstance(model, type) else type(model).__name__
    raise TypeError(f"model: got {what}, which is not supported; supported are {SUPPORTED}")


def _fitted(read):
    """The reader, which is given fitted models only."""

    def check_and_read(model):
        check_is_fitted(model)
        return read(model, _read)

    return check_and_read


# --- ours -------------------------------------------------------------------------------------

#: The votes of the package's own ensembles, which are known again as objects.
_VOTES: WeakKeyDictionary[Ensemble, Vote] = WeakKeyDictionary()
#: And those of model files of more than two classes.
_CLASSES: WeakKeyDictionary[Model, ArgMax] = WeakKeyDictionary()


def _read_ensemble(ensemble):
    """Once: an ensemble does not change, and searches keep with a vote what they prepare."""
    if not isinstance(ensemble, Ensemble):
        return _vote_of(ensemble)
    if ensemble not in _VOTES:
        _VOTES[ensemble] = _vote_of(ensemble)
    return _VOTES[ensemble]


def _vote_of(ensemble):
    planes = Planes.make(ensemble.coef, ensemble.intercept, True, ensemble.weight_units)
    need = ensemble.quota_units if ensemble.has_quota else None
    return Vote(planes, True, ensemble.weight_unit, need)


def _read_redoubt_model(model):
    scale = model.scale.astype(np.longdouble)
    return LinearModel(
        _read_ensemble(model.ensemble) if model.score is None else _read_classes(model),
        np.asarray(model.classes),
        factor=1 / scale,
        shift=-model.center / scale,
        transform=model.transform,
    )


def _read_classes(model):
    """The decision of a model file of more than two classes, once: it does not change."""
    if model not in _CLASSES:
        vote, start, classes = model._model.class_vote, 0, []
        ties = ~np.array(vote.is_minus_at_zero or np.zeros(vote.planes.n_planes), dtype=bool)
        whole = Planes.make(vote.planes.coef, vote.planes.intercept, ties, vote.planes.weight_units)
        for count in vote.counts:
            classes.append(whole.part(slice(start, start + count)))
            start += count
        _CLASSES[model] = ArgMax(classes, by_votes=vote.score == "votes")
    return _CLASSES[model]


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
        decision = ArgMax(planes, by_votes=len(planes[0].coef) > 1)
        return LinearModel(decision, model.classes_, exact=True)
    planes = Planes.make(model.coef_, model.intercept_, True)
    vote = Vote(planes, True, need=getattr(model, "quota_", None))
    return LinearModel(vote, model.classes_, exact=True)


# In this order, the first match counts: classes, how they are read, what they are asked for. The
# documentation is made from this.
READERS = (
    (Pipeline, read_pipeline, "of steps that are read, and a classifier of this table"),
    (BaseSearchCV, read_search, "what the search chose"),
    (FrozenEstimator, read_frozen, "around a classifier of this table"),
    (
        (FixedThresholdClassifier, TunedThresholdClassifierCV),
        read_threshold,
        "around one plane of two classes: on its decision function, or on a probability of "
        "LogisticRegression, LinearDiscriminantAnalysis, SGDClassifier, naive Bayes or a "
        "calibrated plane",
    ),
    (
        CalibratedClassifierCV,
        read_calibrated,
        "ensemble=False, two classes, method sigmoid or isotonic",
    ),
    (
        (MultinomialNB, ComplementNB, BernoulliNB),
        read_bayes,
        "BernoulliNB with binarize=None, or behind encoders",
    ),
    (NearestCentroid, read_centroids, "metric='euclidean'"),
    (VotingClassifier, read_voting, "voting='hard', two classes, members of one plane"),
    (
        BaggingClassifier,
        read_bagging,
        "two classes, members of one plane without predict_proba",
    ),
    (AdaBoostClassifier, read_boosting, "two classes, members of one plane"),
    (
        OneVsRestClassifier,
        read_one_vs_rest,
        "members of one plane; for more than two classes those with a linear decision function",
    ),
    (
        OneVsOneClassifier,
        read_one_vs_one,
        "members of one plane; for more than two classes those with a linear decision function",
    ),
    (DecisionTreeClassifier, read_stump, "two classes, depth 1"),
    ((SVC, NuSVC), read_svc, "kernel='linear'"),
    (LinearClassifierMixin, read_linear, ""),
)
# Those that take the time to read.
_CACHED = (Pipeline, BaseSearchCV, VotingClassifier, OneVsRestClassifier)
