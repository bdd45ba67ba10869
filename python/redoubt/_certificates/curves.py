"""Accuracy under attack: of a model, and what no model can beat."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_array

from redoubt import _core
from redoubt._attack_models import DUAL_NORMS
from redoubt._certificates.attacked_points import class_codes
from redoubt._certificates.results import AccuracyCeiling, AttackCurve, Certificates
from redoubt._checks import check_word, number_list
from redoubt._models.sparse_points import as_points
from redoubt._typing import Labels, Norm, Rows


def attack_curve(certificates: Any, y: Labels, attack_radii: ArrayLike) -> AttackCurve:
    """Return the accuracy under attack at many radii from one certificate per point.

    Parameters
    ----------
    certificates : Certificates or array-like of shape (n_samples,)
        What `certify` returned, or signed radii.
    y : array-like of shape (n_samples,)
        Labels of the model, or any labels that belong to the signed radii; at least two different
        ones.
    attack_radii : array-like of shape (n_radii,)
        In the units of the certificates.

    Returns
    -------
    curve : AttackCurve
        `radii`, `accuracy`, `balanced_accuracy`, and `constant_accuracy`, the accuracy of the best
        classifier that always gives one answer. Points whose brackets contain the radius (only if a
        limit was reached) do not count as safe; `undecided` and `balanced_undecided` say what they
        would add.

    Notes
    -----
    A point is safe at radius r if its signed radius is greater than r, or equal to it and the model
    breaks ties in favour of the point's class. For plain radii the latter is assumed for the label
    +1 if the labels are -1 and +1, and never otherwise.

    Examples
    --------
    >>> import redoubt
    >>> redoubt.attack_curve([0.5, -0.1, 2.0], [1, 1, -1], [0.0, 1.0]).accuracy.round(3).tolist()
    [0.667, 0.333]

    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], ["low", "low", "up", "up"]
    >>> result = redoubt.certify(LogisticRegression().fit(X, y), X, y)
    >>> redoubt.attack_curve(result, y, [0.0, 1.5, 3.0])
    <AttackCurve: accuracy at radius 0: 1.000, 1.5: 0.500, 3: 0.000>
    """
    radii = number_list("attack_radii", attack_radii).reshape(-1)
    check_attack_radii(radii)
    if isinstance(certificates, Certificates):
        if certificates.target is not None:
            raise ValueError("certificates: expected those of labels, got those of a target")
        lower, upper, closed, codes = _labelled_brackets(certificates, y)
    else:
        lower = np.asarray(certificates, dtype=np.float64)
        if np.isnan(lower).any():
            raise _core.InvalidInput("lower: expected numbers, got nan")
        y = np.asarray(y)
        if len(y) != len(lower):
            raise _core.InvalidInput(f"y: expected length {len(lower)}, got length {len(y)}")
        names, codes = np.unique(y, return_inverse=True)
        is_sign = set(names.tolist()) <= {-1, 1}
        upper, closed = lower, (y == 1) if is_sign else np.zeros(len(y), dtype=bool)
    sizes = np.unique(codes, return_counts=True)[1]
    if len(sizes) < 2:
        raise _core.InvalidInput(f"y: expected at least two classes, got {len(sizes)}")
    safe = safe_points(lower, closed, radii)
    undecided = ~safe & (upper > radii[:, None])
    return AttackCurve(
        radii=radii,
        accuracy=share_of_points(safe, codes),
        balanced_accuracy=share_of_points(safe, codes, balanced=True),
        undecided=share_of_points(undecided, codes),
        balanced_undecided=share_of_points(undecided, codes, balanced=True),
        constant_accuracy=float(sizes.max() / len(codes)),
        attack_model=getattr(certificates, "attack_model", None),
    )


def _labelled_brackets(certificates, y):
    """Brackets for these labels, where the certificates were made with them or without any."""
    codes = class_codes(y, certificates.classes, len(certificates))
    labels = certificates.classes[codes]
    if certificates.label is None:
        wrong = certificates.prediction != labels  # unsafe at any radius, however far
        lower = np.where(wrong, -np.inf, certificates.lower)
        upper = np.where(wrong, -np.inf, certificates.upper)
        return lower, upper, certificates.closed & ~wrong, codes
    if np.any(certificates.label != labels):
        raise ValueError("y: not the labels that the certificates were made for")
    return certificates.lower, certificates.upper, certificates.closed, codes


def safe_points(lower, closed, attack_radii):
    """Return which points are right and proven to stay so: shape (n_radii, n_samples)."""
    at = np.asarray(attack_radii, dtype=np.float64).reshape(-1, 1)
    return (lower > at) | (closed & (lower == at))


def share_of_points(chosen, y, *, balanced=False, sample_weight=None):
    """Return the weighted share of the chosen points, per row; `balanced`: mean over the classes."""
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    if not balanced:
        return np.average(chosen, axis=1, weights=weight)
    classes, codes = np.unique(y, return_inverse=True)
    in_class = (codes[:, None] == np.arange(len(classes))) * weight[:, None]
    sizes = in_class.sum(axis=0)
    heavy = sizes > 0  # a class without weight is as good as absent
    return np.mean((chosen @ in_class[:, heavy]) / sizes[heavy], axis=1)


def check_attack_radii(radii):
    """Raise unless every radius is finite and not negative."""
    bad = radii[~((radii >= 0) & np.isfinite(radii))]
    if len(bad):
        raise _core.InvalidInput(f"radii: expected finite numbers >= 0, got {bad[0]:g}")


def accuracy_ceiling(
    X: Rows, y: Labels, attack_radii: ArrayLike, *, norm: Norm = "l2"
) -> AccuracyCeiling:
    """Return the accuracy under attack that no classifier of any kind can beat on these points.

    Two points of opposite classes whose balls meet cannot both be safe. Time and memory grow with
    the number of pairs of points within twice the largest radius: use it for up to a few thousand
    points.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels -1 and +1.
    attack_radii : array-like of shape (n_radii,)
    norm : {"l1", "l2", "linf"}, default="l2"

    Returns
    -------
    ceiling : AccuracyCeiling
        `radii`, `accuracy` and `balanced_accuracy`.

    Examples
    --------
    >>> import redoubt
    >>> redoubt.accuracy_ceiling([[0.0], [1.0], [9.0]], [1, -1, 1], [0.4, 0.5]).accuracy.tolist()
    [1.0, 1.0]
    >>> redoubt.accuracy_ceiling([[0.0], [1.0], [9.0]], [1, -1, 1], [0.6]).accuracy.round(3).tolist()
    [0.667]
    """
    X = as_points(check_array(X, accept_sparse="csr", dtype=np.float64, order="C"))
    radii = number_list("attack_radii", attack_radii)
    check_word("norm", norm, DUAL_NORMS)
    found: Any = _core.accuracy_ceiling(X, np.asarray(y, dtype=np.float64), radii, norm)
    return AccuracyCeiling(radii, found.accuracy, found.balanced_accuracy)
