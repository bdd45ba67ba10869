"""Scorers for scikit-learn's model selection: accuracy that is proven to survive an attack."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_consistent_length, column_or_1d

from redoubt import _core
from redoubt._attack_models import NORMS, AttackModel, choose_norm
from redoubt._certificates.certify import certify
from redoubt._certificates.curves import check_attack_radii, safe_points, share_of_points
from redoubt._models.own_adversary import own_attack_model, own_norm
from redoubt._models.sparse_points import float_points
from redoubt._sklearn_private import (
    UNUSED,
    _check_sample_weight,
    _MetadataRequester,
    _safe_indexing,
)
from redoubt._typing import Array, Classifier, Labels, Norm, Rows

__all__ = [
    "CertifiedAccuracyScorer",
    "balanced_certified_accuracy_at",
    "certified_accuracies",
    "certified_accuracy_at",
    "mean_balanced_certified_accuracy",
    "mean_certified_accuracy",
    "own_attack_model",
    "own_norm",
]


class CertifiedAccuracyScorer(_MetadataRequester):
    """Certified accuracy as a scorer: the mean over attack radii, or one value for each.

    A point counts at radius r if its answer is right and proven to stay right under every move of
    size r. Each call computes one exact certificate per correctly answered point, whatever the
    number of radii. Use the functions of this module to make one.

    Parameters
    ----------
    radii : float or array-like of shape (n_radii,)
        Attack radii, finite and >= 0.
    norm : {"l1", "l2", "linf", "l0"} or None, default=None
        The norm of moves. None uses the estimator's own `norm` (that of the last step of a
        Pipeline), or "l2" if it has none.
    attack_model : AttackModel or None, default=None
        What the adversary may do, in the units of X. None takes the estimator's own; the plain ball
        is ``AttackModel(norm)``.
    balanced : bool, default=False
        Average the share of safe points over the classes.
    separate : bool, default=False
        Return a dict: "mean" and one entry "at_<radius>" for each radius.
    **options
        Passed to `redoubt.certify`: `units`, `solver`, `max_nodes`, `max_seconds_per_point`,
        `max_seconds`, `n_jobs`. If a limit is reached, points that are not proven safe count as
        unsafe.

    Examples
    --------
    >>> from redoubt.metrics import CertifiedAccuracyScorer
    >>> CertifiedAccuracyScorer([0.0, 0.5], norm="linf")
    mean_certified_accuracy([0.0, 0.5], norm='linf')
    """

    # Under metadata routing `set_score_request` may ask for sample weights, and nothing else.
    __metadata_request__score: ClassVar = {"estimator": UNUSED}

    def __init__(
        self,
        radii: ArrayLike,
        norm: Norm | None = None,
        *,
        attack_model: AttackModel | None = None,
        balanced: bool = False,
        separate: bool = False,
        **options: Any,
    ) -> None:
        self.radii = np.array(radii, dtype=np.float64).reshape(-1)
        if not len(self.radii):
            raise ValueError("radii: expected at least one radius, got none")
        check_attack_radii(self.radii)
        if norm is not None and norm not in NORMS:
            raise ValueError(f"norm: expected 'l1', 'l2', 'linf', 'l0' or None, got {norm!r}")
        if attack_model is not None:
            choose_norm(attack_model, norm)
        self.norm = norm
        self.attack_model = attack_model
        self.balanced = balanced
        self.separate = separate
        self.options = options

    def __call__(self, estimator, X, y, sample_weight=None):
        """Score a fitted model: the same as `score`."""
        return self.score(estimator, X, y, sample_weight)

    def score(
        self, estimator: Classifier, X: Rows, y: Labels, sample_weight: ArrayLike | None = None
    ) -> Any:
        """Score a fitted model.

        Parameters
        ----------
        estimator : fitted classifier
            Whatever `redoubt.certify` takes.
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            The answer is wrong for a label that the model does not know.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the points in each share.

        Returns
        -------
        score : float, or dict of float if `separate`
        """
        share = self.curve(estimator, X, y, sample_weight)
        mean = float(np.mean(share))
        if not self.separate:
            return mean
        return {"mean": mean, **dict(zip(self.keys, share.tolist(), strict=True))}

    @property
    def keys(self) -> list[str]:
        """The names of the separate results: ``at_<radius>``, in as few digits as possible."""
        return [f"at_{np.format_float_positional(radius, trim='-')}" for radius in self.radii]

    def curve(
        self, estimator: Classifier, X: Rows, y: Labels, sample_weight: ArrayLike | None = None
    ) -> Array:
        """Return the certified accuracy at each radius.

        Parameters
        ----------
        estimator, X, y, sample_weight
            As for `score`.

        Returns
        -------
        accuracy : ndarray of shape (n_radii,)
        """
        y = column_or_1d(y)
        check_consistent_length(X, y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(
                sample_weight, y, dtype=np.float64, ensure_non_negative=True
            )
        right = np.flatnonzero(_answers(estimator, X) == y)
        safe = np.zeros((len(self.radii), len(y)), dtype=bool)
        if len(right):  # the others are unsafe at any radius: no need to search
            certificates = certify(
                estimator,
                _safe_indexing(X, right),
                y[right],
                norm=self.norm,
                attack_model=self.attack_model,
                **self.options,
            )
            safe[:, right] = safe_points(certificates.lower, certificates.closed, self.radii)
        return share_of_points(safe, y, balanced=self.balanced, sample_weight=sample_weight)

    def __repr__(self):
        name = "certified_accuracy"
        if self.balanced:
            name = f"balanced_{name}"
        radii = self.radii.tolist()
        if self.separate:
            call, first = "certified_accuracies", radii
        elif len(radii) == 1:
            call, first = f"{name}_at", radii[0]
        else:
            call, first = f"mean_{name}", radii
        settings = {"norm": self.norm, "attack_model": self.attack_model}
        settings = {key: value for key, value in settings.items() if value is not None}
        if self.separate and self.balanced:
            settings["balanced"] = True
        settings.update(self.options)
        text = "".join(f", {key}={value!r}" for key, value in settings.items())
        return f"{call}({first!r}{text})"

    def _routing_repr(self):
        return repr(self)

    def _accept_sample_weight(self):
        return True  # scikit-learn's searches ask for it when routing is off


def _answers(model, X):
    if isinstance(model, _core.Ensemble):
        return model.predict(float_points(X))
    return model.predict(X)


def mean_certified_accuracy(
    radii: ArrayLike, norm: Norm | None = None, **options: Any
) -> "CertifiedAccuracyScorer":
    """Return a scorer: the certified accuracy, averaged over attack radii.

    Parameters
    ----------
    radii : array-like of shape (n_radii,)
        Attack radii, finite and >= 0; 0 is plain accuracy.
    norm : {"l1", "l2", "linf", "l0"} or None, default=None
        None takes the estimator's own `norm`, or "l2" if it has none.
    **options
        Passed to `redoubt.certify`, for example ``units="scaled"``, ``n_jobs=-1`` or an
        `attack_model` (None uses the estimator's own).

    Returns
    -------
    scorer : CertifiedAccuracyScorer
        Called as ``scorer(estimator, X, y, sample_weight=None)``.

    Examples
    --------
    >>> from redoubt import RobustSVMClassifier, datasets
    >>> from redoubt.metrics import mean_certified_accuracy
    >>> from sklearn.model_selection import GridSearchCV
    >>> X, y, _, _ = datasets.load("breastcancer")
    >>> search = GridSearchCV(
    ...     RobustSVMClassifier(norm="linf"),
    ...     {"radius": [0.01, 0.1, 1.0]},
    ...     scoring=mean_certified_accuracy([0.0, 0.5, 1.0]),
    ... )
    >>> search.fit(X, y).best_params_
    {'radius': 1.0}
    """
    return CertifiedAccuracyScorer(radii, norm, **options)


def certified_accuracy_at(
    radius: float, norm: Norm | None = None, **options: Any
) -> "CertifiedAccuracyScorer":
    """Return a scorer: the certified accuracy at one attack radius.

    Parameters
    ----------
    radius : float
        Finite and >= 0.
    norm, **options
        As for `mean_certified_accuracy`.

    Returns
    -------
    scorer : CertifiedAccuracyScorer

    Examples
    --------
    >>> from redoubt.metrics import certified_accuracy_at
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]
    >>> certified_accuracy_at(1.5)(LogisticRegression().fit(X, y), X, y)
    0.5
    """
    return CertifiedAccuracyScorer([float(radius)], norm, **options)


def mean_balanced_certified_accuracy(
    radii: ArrayLike, norm: Norm | None = None, **options: Any
) -> "CertifiedAccuracyScorer":
    """Return a scorer like `mean_certified_accuracy` in which every class has the same weight.

    Parameters
    ----------
    radii, norm, **options
        As for `mean_certified_accuracy`.

    Returns
    -------
    scorer : CertifiedAccuracyScorer

    Examples
    --------
    >>> from redoubt.metrics import mean_balanced_certified_accuracy
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = [[0.0], [1.0], [3.0], [4.0], [4.5]], [0, 0, 1, 1, 1]
    >>> model = LogisticRegression().fit(X, y)
    >>> round(mean_balanced_certified_accuracy([0.0, 1.5])(model, X, y), 4)
    0.7917
    """
    return CertifiedAccuracyScorer(radii, norm, balanced=True, **options)


def balanced_certified_accuracy_at(
    radius: float, norm: Norm | None = None, **options: Any
) -> "CertifiedAccuracyScorer":
    """Return a scorer like `certified_accuracy_at` in which every class has the same weight.

    Parameters
    ----------
    radius, norm, **options
        As for `certified_accuracy_at`.

    Returns
    -------
    scorer : CertifiedAccuracyScorer

    Examples
    --------
    >>> from redoubt.metrics import balanced_certified_accuracy_at
    >>> balanced_certified_accuracy_at(0.5, "l1")
    balanced_certified_accuracy_at(0.5, norm='l1')
    """
    return CertifiedAccuracyScorer([float(radius)], norm, balanced=True, **options)


def certified_accuracies(
    radii: ArrayLike, norm: Norm | None = None, *, balanced: bool = False, **options: Any
) -> "CertifiedAccuracyScorer":
    """Return a scorer with several results: the whole attack curve from one certificate per point.

    Its keys are "mean" and one "at_<radius>" for each radius. In a search set ``refit="mean"``.

    Parameters
    ----------
    radii, norm, **options
        As for `mean_certified_accuracy`.
    balanced : bool, default=False
        Give every class the same weight.

    Returns
    -------
    scorer : CertifiedAccuracyScorer
        Returns a dict.

    Examples
    --------
    >>> from redoubt.metrics import certified_accuracies
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]
    >>> certified_accuracies([0.0, 1.5])(LogisticRegression().fit(X, y), X, y)
    {'mean': 0.75, 'at_0': 1.0, 'at_1.5': 0.5}
    """
    return CertifiedAccuracyScorer(radii, norm, balanced=balanced, separate=True, **options)
