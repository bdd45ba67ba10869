"""Exact certificates and attacks for any vote of planes."""

import importlib.util
from pathlib import Path

import numpy as np
from sklearn.utils.validation import check_array

from redoubt import _core
from redoubt._checks import thread_count


class Ensemble(_core.Ensemble):
    """Planes that vote: the answer at x is sgn(sum_i sgn(w_i'x + b_i)) with sgn(0) = +1.

    Parameters
    ----------
    coef : array-like of shape (n_planes, n_features)
        One plane w_i per row.
    intercept : array-like of shape (n_planes,)
        b_i.

    Examples
    --------
    >>> import redoubt
    >>> vote = redoubt.Ensemble([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0.0, 0.0, -1.0])
    >>> vote.n_planes, vote.n_features
    (3, 2)
    """

    def __init__(self, coef, intercept):
        planes = check_array(coef, dtype=np.float64, order="C", input_name="coef")
        super().__init__(planes, np.asarray(intercept, dtype=np.float64).reshape(-1))


def _as_labels(y):
    """Labels -1 and +1 as floats; anything else is left for the library to name."""
    return None if y is None else np.asarray(y, dtype=np.float64)


def _find_highs():
    """Tell the library where the highspy wheel keeps HiGHS, if it is installed."""
    spec = importlib.util.find_spec("highspy")
    if spec is None or spec.origin is None:
        return
    package = Path(spec.origin).parent
    for folder in (package, package.parent / "highspy.libs", package / "lib"):
        for library in sorted(folder.glob("libhighs*.so*")):
            _core.set_highs_library(str(library))
            return


def _limits(max_nodes, max_seconds_per_point, max_seconds, n_jobs):
    return {
        "max_nodes": max_nodes,
        "max_seconds_per_point": np.inf if max_seconds_per_point is None else max_seconds_per_point,
        "max_seconds": np.inf if max_seconds is None else max_seconds,
        "n_threads": thread_count(n_jobs),
    }


def certify(
    ensemble,
    X,
    y=None,
    *,
    norm="l2",
    solver="native",
    max_nodes=None,
    max_seconds_per_point=None,
    max_seconds=None,
    n_jobs=None,
):
    """Return how far each point can move before the vote changes its answer.

    Parameters
    ----------
    ensemble : Ensemble
        Planes that vote.
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,) or None
        Labels -1 and +1. A point that is answered wrongly has a negative radius: minus the least
        move that puts it right. Without labels every answer counts as right.
    norm : {"l1", "l2", "linf"}, default="l2"
        How a move is measured.
    solver : {"native", "mip", "enumerate"}, default="native"
        The exact search, or one of two slow second opinions: the integer program of the source
        paper on HiGHS (needs the package highspy), or every subset of at most 16 planes.
    max_nodes, max_seconds_per_point, max_seconds : number or None
        Limits for one point, one point and the whole call. Where one strikes the status says so
        and the bracket is wide but true.
    n_jobs : int or None
        Threads; -1 uses every core. The result does not depend on it.

    Returns
    -------
    certificates : CertificateList
        Arrays with one entry per point: `radius`, the proven bracket `lower` and `upper`, `witness`
        (the perturbation that changes the answer; NaN where none is known), `status`, `fooled`
        (planes that the witness fools), `n_nodes`, `solve_seconds`.

    Examples
    --------
    >>> import redoubt
    >>> vote = redoubt.Ensemble([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0.0, 0.0, -1.0])
    >>> result = redoubt.certify(vote, [[3.0, 4.0]], norm="l2")
    >>> float(result.radius[0].round(6))
    4.242641
    >>> [int(i) for i in result.fooled[0]]
    [0, 2]
    """
    if solver == "mip":
        _find_highs()
    X = check_array(X, dtype=np.float64, order="C")
    limits = _limits(max_nodes, max_seconds_per_point, max_seconds, n_jobs)
    return _core.certify(ensemble, X, _as_labels(y), norm=norm, solver=solver, **limits)


def attack(
    ensemble,
    X,
    y,
    radius,
    *,
    norm="l2",
    adversary="exact",
    rule="corrected",
    solver="native",
    max_nodes=None,
    max_seconds_per_point=None,
    max_seconds=None,
    n_jobs=None,
):
    """Return the worst move of each point within a ball.

    Parameters
    ----------
    ensemble : Ensemble
        Planes that vote.
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels -1 and +1.
    radius : float or array-like of shape (n_samples,)
        Of the ball, >= 0.
    norm : {"l1", "l2", "linf"}, default="l2"
    adversary : {"exact", "relaxed", "heuristic"}, default="exact"
        Most planes fooled; largest sum of hinges; one step against a weighted mean of the planes.
    rule : {"corrected", "published"}, default="corrected"
        The heuristic adversary's step, or the one of the source paper's code.
    solver, max_nodes, max_seconds_per_point, max_seconds, n_jobs
        As for `certify`.

    Returns
    -------
    attacks : AttackList
        Arrays with one entry per point: `perturbation`, `fooled`, `success` (1 where the vote is
        no longer y), `objective` with a proven `bound`, `status`, `n_nodes`, `solve_seconds`.

    Examples
    --------
    >>> import redoubt
    >>> vote = redoubt.Ensemble([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0.0, 0.0, -1.0])
    >>> redoubt.attack(vote, [[3.0, 4.0]], [1], radius=4.3).success.tolist()
    [1.0]
    >>> redoubt.attack(vote, [[3.0, 4.0]], [1], radius=4.2).success.tolist()
    [0.0]
    """
    if solver == "mip":
        _find_highs()
    X = check_array(X, dtype=np.float64, order="C")
    radii = np.atleast_1d(np.asarray(radius, dtype=np.float64))
    limits = _limits(max_nodes, max_seconds_per_point, max_seconds, n_jobs)
    return _core.attack(
        ensemble, X, _as_labels(y), radii, norm=norm, adversary=adversary, rule=rule, solver=solver, **limits
    )


def attack_curve(certificates, y, attack_radii):
    """Return the accuracy under attack at many radii from one certificate per point.

    Parameters
    ----------
    certificates : CertificateList or array-like of shape (n_samples,)
        What `certify` returned, or signed radii.
    y : array-like of shape (n_samples,)
        Labels -1 and +1.
    attack_radii : array-like of shape (n_radii,)

    Returns
    -------
    curve : AttackCurve
        `radii`, `accuracy`, `balanced_accuracy`, and `constant_accuracy`, the accuracy of the best
        classifier that always gives one answer. Points whose bracket contains the radius (only
        where a limit struck) are not counted as safe; `undecided` and `balanced_undecided` hold
        what they would add.

    Examples
    --------
    >>> import redoubt
    >>> redoubt.attack_curve([0.5, -0.1, 2.0], [1, 1, -1], [0.0, 1.0]).accuracy.round(3).tolist()
    [0.667, 0.333]
    """
    if isinstance(certificates, _core.CertificateList):
        bracket = certificates.lower, certificates.upper
    else:
        bracket = certificates, certificates
    as_floats = [np.asarray(values, dtype=np.float64) for values in (*bracket, y, attack_radii)]
    return _core.attack_curve(*as_floats)


def accuracy_ceiling(X, y, attack_radii, *, norm="l2"):
    """Return the accuracy under attack that no classifier of any kind can beat on these points.

    Two points of opposite class whose balls meet cannot both be safe. Takes time and memory for all
    pairs of points within twice the largest radius: meant for up to a few thousand points.

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
    X = check_array(X, dtype=np.float64, order="C")
    radii = np.asarray(attack_radii, dtype=np.float64)
    return _core.accuracy_ceiling(X, _as_labels(y), radii, norm)


__all__ = ["Ensemble", "accuracy_ceiling", "attack", "attack_curve", "certify"]
