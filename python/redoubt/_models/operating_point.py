"""Operating points of detectors: a rate of false positives in place of the sign of a vote."""

import copy
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_array, check_is_fitted

from redoubt import _core
from redoubt._checks import check_real
from redoubt._models.decision_rules import Vote
from redoubt._models.ensemble import Ensemble
from redoubt._models.linear_model import read_model
from redoubt._models.model_file import Model
from redoubt._models.sparse_points import as_points
from redoubt._sklearn_private import LinearClassifierMixin


@dataclass(frozen=True, eq=False)
class OperatingPoint:
    """A model at a given rate of false positives; made by `operating_point`.

    Attributes
    ----------
    model : fitted classifier, Pipeline, Ensemble or Model
        An adjusted copy of the model, which `certify`, `attack`, curves and model files accept.
    quota : float or None
        How many planes (or how much of their weight) must answer +1; None for a single plane.
    shift : float
        The change of the bias of a single plane; 0 for a vote.
    false_positive_rate, detection_rate : float
        Shares of the given points that the adjusted model answers with ``classes_[1]``: among those
        of ``classes_[0]``, and among those of ``classes_[1]``.
    """

    model: object
    quota: float | None
    shift: float
    false_positive_rate: float
    detection_rate: float


def operating_point(model, X, y, max_fpr=0.01):
    """Return a model with at most a given rate of false positives.

    A single plane gets another bias: the one with the highest detection rate, half-way to the next
    value of any of the points. A vote gets a quota, the smallest that suffices: it answers
    ``classes_[1]`` if at least that many planes do. Certificates, attacks, curves and files of the
    adjusted model are about that answer.

    Parameters
    ----------
    model : fitted classifier, Pipeline, Ensemble or Model
        For two classes: a classifier of this package, one plane from scikit-learn
        (LogisticRegression, LinearSVC, SGDClassifier, ...), a Pipeline that ends in one, an
        `Ensemble` (classes -1 and +1) or a loaded model file. It is not modified.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Points that are neither training nor test data.
    y : array-like of shape (n_samples,)
        Labels.
    max_fpr : float, default=0.01
        In [0, 1): the largest share of the points of ``classes_[0]`` that may be answered with
        ``classes_[1]``.

    Returns
    -------
    point : OperatingPoint

    Raises
    ------
    InvalidInput
        A ValueError, for example if even a unanimous vote exceeds the rate.

    Examples
    --------
    >>> import redoubt
    >>> X, y, *_ = redoubt.datasets.load("bcw")
    >>> train, rest = redoubt.datasets.published_split("bcw")
    >>> model = redoubt.BaggedSVMClassifier(random_state=0).fit(X[train], y[train])
    >>> point = redoubt.operating_point(model, X[rest], y[rest], max_fpr=0.03)
    >>> bool(point.false_positive_rate <= 0.03), point.model.quota_ == point.quota
    (True, True)
    """
    max_fpr = check_real("max_fpr", max_fpr, low=0)
    linear = read_model(model)
    if not isinstance(linear.decision, Vote):
        raise ValueError(
            f"model: an operating point needs two classes, and this model has {len(linear.classes)}"
        )
    classes = np.asarray(linear.classes)
    signs = _signs(classes, y)
    adjust, ensemble, points = _parts(model, X)
    found = _core.choose_operating_point(ensemble, as_points(points), signs, max_fpr)
    rates = found.false_positive_rate, found.detection_rate
    if ensemble.n_planes == 1:
        shift = float(found.ensemble.intercept[0] - ensemble.intercept[0])
        return OperatingPoint(adjust(found.ensemble), None, shift, *rates)
    return OperatingPoint(adjust(found.ensemble), found.ensemble.quota, 0.0, *rates)


def _signs(classes, y):
    labels = np.asarray(y)
    if classes.dtype.kind in "OUS" and labels.dtype.kind not in "OUS":
        labels = labels.astype(str)
    is_second = labels == classes[1]
    unknown = labels[~is_second & (labels != classes[0])]
    if len(unknown):
        known = " and ".join(repr(each) for each in classes.tolist())
        raise ValueError(f"y: expected labels {known}, got {unknown[:1].tolist()[0]!r}")
    return np.where(is_second, 1.0, -1.0)


def _parts(model, X):
    """How to put other planes into a copy of the model, its planes, and the points they see."""
    if isinstance(model, _core.Ensemble):
        X = check_array(X, dtype=np.float64, accept_sparse="csr", order="C")
        return Ensemble._of, model, X
    if isinstance(model, Model):
        return model._with_ensemble, model.ensemble, model.transform(X)
    last, points = model, X
    if isinstance(model, Pipeline):
        last = model.steps[-1][1]
        points = model[:-1].transform(X) if len(model.steps) > 1 else X
    ours = hasattr(type(last), "_planes_per_class")
    if not ours and not (isinstance(last, LinearClassifierMixin) and hasattr(last, "coef_")):
        raise TypeError(
            f"model: got {type(last).__name__}; an operating point is for the classifiers of this "
            "package, single planes of scikit-learn with coef_ and intercept_, Pipelines that end "
            "in one, Ensemble and Model"
        )
    check_is_fitted(last)
    points = check_array(points, dtype=np.float64, accept_sparse="csr", order="C")
    coef = last.coef_.toarray() if sparse.issparse(last.coef_) else last.coef_
    planes = _core.Ensemble(
        np.ascontiguousarray(np.atleast_2d(coef), dtype=np.float64),
        np.array(np.broadcast_to(np.ravel(last.intercept_), len(np.atleast_2d(coef))), dtype=float),
    )

    def adjust(ensemble):
        adjusted = copy.deepcopy(model)
        classifier = adjusted.steps[-1][1] if isinstance(adjusted, Pipeline) else adjusted
        if ensemble.has_quota:
            classifier.quota_ = int(ensemble.quota_units)
        else:
            classifier.intercept_ = ensemble.intercept
        return adjusted

    return adjust, planes, points
