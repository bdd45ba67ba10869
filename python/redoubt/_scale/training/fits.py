"""One entrance for everything that passes can train."""

from redoubt._estimators.ensembles import (
    BaggedSVMClassifier,
    CollaborativeEnsembleClassifier,
    RobustEnsembleClassifier,
)
from redoubt._estimators.planes import LinearSVMClassifier, RobustSVMClassifier
from redoubt._scale.rows.checkpoints import CheckpointedPasses, describe_run
from redoubt._scale.training.collaborative import fit_collaborative
from redoubt._scale.training.opening import PassOptions
from redoubt._scale.training.planes import fit_planes
from redoubt._scale.training.robust_ensembles import fit_robust_ensemble
from redoubt._scale.training.searches import fit_search
from redoubt.model_selection import RadiusSearchCV

_FITS = {
    LinearSVMClassifier: fit_planes,
    RobustSVMClassifier: fit_planes,
    BaggedSVMClassifier: fit_planes,
    RobustEnsembleClassifier: fit_robust_ensemble,
    CollaborativeEnsembleClassifier: fit_collaborative,
}


def fit_by_passes(estimator, passes, *, checkpoint=None, data=None, local=None, **options):
    """Fit a classifier of redoubt, or a RadiusSearchCV of one; `passes` gives the rows.

    `data` says what the rows are, for the checkpoint, and `local` is of searches (see fit_search).
    """
    settled = PassOptions.of(**options)
    fit = _fit_of(estimator)
    if checkpoint is not None:
        described = {"memory": settled.memory, "random_state": settled.random_state}
        run = describe_run(estimator, data, described)
        passes = CheckpointedPasses(passes, checkpoint, run)
    if fit is fit_search:
        fitted = fit_search(
            estimator, passes, settled, lambda each: _fit_of(each)(each, passes, settled), local
        )
    else:
        fitted = fit(estimator, passes, settled)
    if checkpoint is not None:
        passes.finish()
    return estimator if fitted is None else fitted


def _fit_of(estimator):
    if isinstance(estimator, RadiusSearchCV):
        return fit_search
    for kind, fit in _FITS.items():
        if isinstance(estimator, kind):
            return fit
    names = ", ".join(kind.__name__ for kind in _FITS)
    raise TypeError(
        f"estimator: expected one of {names}, or a RadiusSearchCV of one, got "
        f"{type(estimator).__name__}"
    )
