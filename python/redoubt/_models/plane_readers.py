"""Classifiers of scikit-learn that are planes by themselves.

Every reader takes a fitted model and `read`, which reads the models inside (there are none here).
"""

from dataclasses import replace

import numpy as np
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB

from redoubt._models.decision_rules import ArgMax, Planes, Vote, stacked
from redoubt._models.reading import SUPPORTED, LinearModel, refuse
from redoubt._models.stumps import stump_plane
from redoubt._pipelines import Form
from redoubt._pipelines.encoders import binarised
from redoubt._sklearn_private import LinearClassifierMixin


def _coef(model):
    coef = model.coef_
    return np.atleast_2d(coef.toarray() if sparse.issparse(coef) else coef)


def read_linear(model, read):
    """``decision_function > 0`` is ``classes_[1]``; several planes: the first greatest wins."""
    kind = type(model)
    known = (LinearClassifierMixin, LinearDiscriminantAnalysis, RidgeClassifier)
    for method in ("predict", "decision_function"):
        if getattr(kind, method) not in [getattr(base, method) for base in known]:
            raise refuse(model, f"has a {method} of its own, which is not supported")
    binarizer = getattr(model, "_label_binarizer", None)  # of RidgeClassifier
    if binarizer is not None and binarizer.y_type_.startswith("multilabel"):
        raise refuse(model, "was fitted to several labels per point, which is not supported")
    coef = _coef(model)
    planes = Planes.make(coef, model.intercept_, False)
    if len(coef) == 1:
        return LinearModel(Vote(planes, False), model.classes_)
    each = [Planes.make(w[None, :], b, False) for w, b in zip(coef, planes.intercept, strict=True)]
    return LinearModel(ArgMax(each, by_votes=False), model.classes_)


def read_svc(model, read):
    """LIBSVM: a vote of one plane per pair of classes.

    The plane of classes i < j is positive for i and answers zero with j; scikit-learn turns it
    round when there are only two classes.
    """
    if model.kernel != "linear":
        raise refuse(model, f"has kernel={model.kernel!r}; only kernel='linear' is supported")
    coef, classes = _coef(model), model.classes_
    if len(classes) == 2:
        return LinearModel(Vote(Planes.make(coef, model.intercept_, True), True), classes)
    # With break_ties, ties of votes are settled by the sums of the decisions, and zeros go to i.
    has_values = model.break_ties and model.decision_function_shape == "ovr"
    pairs = [(i, j) for i in range(len(classes)) for j in range(i + 1, len(classes))]
    each, values = [], []
    for c in range(len(classes)):
        mine = [p for p, pair in enumerate(pairs) if c in pair]
        sign = np.array([1.0 if pairs[p][0] == c else -1.0 for p in mine])
        ties = sign > 0 if has_values else sign < 0
        each.append(Planes.make(sign[:, None] * coef[mine], sign * model.intercept_[mine], ties))
        exact = sign.astype(np.longdouble)
        values.append((exact @ coef[mine], exact @ model.intercept_[mine]))
    settle = Planes.make(np.array([w for w, _ in values]), [b for _, b in values], True)
    return LinearModel(ArgMax(each, True, settle if has_values else None), classes)


def read_stump(model, read):
    """A tree of depth 1 is a plane of one feature, shifted to where scikit-learn rounds to it."""
    if model.tree_.max_depth > 1:
        raise TypeError(
            f"model: got {type(model).__name__}, of depth {model.tree_.max_depth}, which is not "
            f"supported; supported are {SUPPORTED}"
        )
    if model.n_outputs_ > 1 or len(model.classes_) != 2:
        raise refuse(model, "is no stump for one question with two answers")
    return LinearModel(Vote(stump_plane(model.tree_), False), model.classes_)


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


def read_bayes(model, read):
    """ComplementNB has no prior, and BernoulliNB asks whether columns exceed `binarize`."""
    coef = model.feature_log_prob_.astype(np.longdouble)
    if isinstance(model, ComplementNB):
        return _of_scores(model, coef, np.zeros(len(coef)))
    if not isinstance(model, BernoulliNB):
        return _of_scores(model, coef, model.class_log_prior_)
    absent = np.log(1 - np.exp(coef))
    plane = _of_scores(model, coef - absent, model.class_log_prior_ + absent.sum(axis=1))
    if model.binarize is None:
        return plane
    name = f"BernoulliNB(binarize={model.binarize:g})"
    form = Form.linear(*stacked(plane.decision))
    return replace(plane, form=binarised(name, model.binarize, form))


def read_centroids(model, read):
    """The nearest centroid; with unequal priors in units of the deviations within the classes."""
    if model.metric != "euclidean":
        raise refuse(model, f"has metric={model.metric!r}; only 'euclidean' is linear")
    centroids = model.centroids_.astype(np.longdouble)
    prior = getattr(model, "class_prior_", np.full(len(centroids), 1 / len(centroids)))
    unit, shift = np.ones(centroids.shape[1]), np.zeros(len(centroids))
    if not np.isclose(prior, 1 / len(prior)).all():
        deviation = model.within_class_std_dev_
        unit, shift = np.where(deviation != 0, deviation, 1.0) ** 2, 2.0 * np.log(prior)
    squares = (centroids**2 / unit).sum(axis=1)
    return _of_scores(model, 2 * centroids / unit, shift - squares)
