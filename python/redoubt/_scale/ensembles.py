"""Ensembles fitted by passes: plane after plane, each against those before."""

import numpy as np

from redoubt._checks import thread_count
from redoubt._estimators.ensembles import RobustEnsembleClassifier
from redoubt._estimators.planes import LinearSVMClassifier, RobustSVMClassifier
from redoubt._estimators.settings import library_settings
from redoubt._estimators.vote_classifier import Trained
from redoubt._scale.fitting import fit_planes
from redoubt._scale.moved_blocks import MovedPasses, Mover


def fit_by_passes(estimator, passes, **options):
    """Fit any estimator that passes can train; `passes` gives the rows, pass by pass."""
    if isinstance(estimator, RobustEnsembleClassifier):
        return _fit_robust_ensemble(estimator, passes, options)
    return fit_planes(estimator, passes, **options)


def _fit_robust_ensemble(estimator, passes, options):
    settings = library_settings(estimator)
    shared = {name: getattr(estimator, name) for name in ("tol", "class_weight", "n_jobs")}
    first = RobustSVMClassifier(
        estimator.radius, norm=estimator.norm, attack_model=estimator.attack_model, **shared
    )
    fit_planes(first, passes, **options)
    if len(first.classes_) > 2:
        raise NotImplementedError(
            f"RobustEnsembleClassifier: {len(first.classes_)} classes; training by passes knows two"
        )
    coef, intercept = [first.coef_[0]], [first.intercept_[0]]
    against = {name: settings[name] for name in ("adversary", "rule", "C", "tolerance")}
    against |= {"norm": first._training_norm(), "n_threads": thread_count(estimator.n_jobs)}
    gaps, n_passes, statuses = [first.dual_gap_], first.passes_, [first.status_]
    for _ in range(1, settings["n_planes"]):
        planes = np.array(coef), np.array(intercept)
        positive, rules = first.classes_.tolist()[1], first.attack_model_
        mover = Mover(*planes, positive, first.radius_, rules, against)
        plane = LinearSVMClassifier(estimator.C, **shared)
        fit_planes(plane, MovedPasses(passes, mover), **options)
        coef.append(plane.coef_[0])
        intercept.append(plane.intercept_[0])
        gaps.append(plane.dual_gap_)
        statuses.append(plane.status_)
        n_passes += plane.passes_
    _copy_look(first, estimator)
    stopped = [status for status in statuses if status != "optimal"]
    status = stopped[0] if stopped else "optimal"
    part = Trained(np.array(coef), np.array(intercept), status, False, {}, np.empty(0))
    estimator._store(first.classes_, [part])
    estimator.dual_gap_, estimator.passes_ = max(gaps), n_passes
    return estimator


def _copy_look(first, estimator):
    """What a fit knows about the rows, which the first plane's has found out."""
    for name in ("feature_names_in_", *FOUND):
        if name in first.__dict__:
            setattr(estimator, name, getattr(first, name))


FOUND = (
    *("n_features_in_", "attack_model_", "ranges_", "radius_"),
    *("_n_points", "_data_look", "_radii_of_training"),
)
