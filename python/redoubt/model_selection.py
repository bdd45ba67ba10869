"""The search for the radius to train against."""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.model_selection._search import BaseSearchCV

from redoubt._attack_models import AttackModel, choose_norm
from redoubt._estimators.ensembles import CollaborativeEnsembleClassifier
from redoubt._models.own_adversary import find_attack_model
from redoubt.metrics import mean_certified_accuracy

__all__ = ["RadiusSearchCV"]

# The defaults of the program's `tune`.
ATTACK_RADII = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0)
RADII = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5)


# Not GridSearchCV's own __init__: here the grid is made from the parameters.
@dataclass(eq=False, repr=False)
class RadiusSearchCV(GridSearchCV):
    """Choose the radius to train against, and the number of planes, by cross-validation.

    A candidate's score is its certified accuracy on the part that was left out, averaged over the
    attack radii. Everything else is as in scikit-learn's GridSearchCV.

    Parameters
    ----------
    estimator : estimator
        With the parameter `radius`, itself or in a part of it: in a Pipeline "step__radius" is
        found.
    radii : array-like of shape (n_radii,) or None, default=None
        Training radii to try. None tries 0.001, 0.01, 0.05, 0.1, 0.25 and 0.5; for a
        CollaborativeEnsembleClassifier 0.5, 0.75, 1, 1.5 and 3 times the largest attack radius.
    n_planes : array-like of int or None, default=None
        Numbers of planes to try. None keeps the estimator's.
    attack_radii : array-like of shape (n_attack_radii,), default=(0, 0.1, ..., 2)
        The attacks that are to be held off, in the units of X (see `units`).
    scoring : None, str, callable, list or dict, default=None
        None is `mean_certified_accuracy` over `attack_radii`. Otherwise as in GridSearchCV;
        `attack_radii`, `norm`, `attack_model`, `units` and `balanced` then have no effect.
    norm : {"l1", "l2", "linf"} or None, default=None
        The norm of the attacks. None takes the estimator's own, or "l2" if it has none.
    attack_model : AttackModel or None, default=None
        What the adversary may do, in the units of X. None takes the estimator's own, which is in
        the units of the features that it sees.
    units : {"raw", "scaled"}, default="raw"
        What `attack_radii` are measured in where scalers are part of the estimator: the units of X,
        or what the scalers make of them, which is what the estimator's `radius` is measured in.
    balanced : bool, default=False
        Every class weighs the same in the score.
    n_jobs : int or None, default=None
        Fits at the same time.
    refit : bool, str or callable, default=True
        As in GridSearchCV.
    cv : int, splitter, iterable or None, default=None
        As in GridSearchCV; None is 5 stratified parts.
    verbose : int, default=0
    pre_dispatch : int or str, default="2*n_jobs"
    error_score : "raise" or float, default=nan
    return_train_score : bool, default=False
        As in GridSearchCV.

    Attributes
    ----------
    best_params_ : dict
        The winner; equal scores go to the candidate that comes first.
    best_score_ : float
        Its mean score over the splits. Too good to be true for new points: it was chosen for it.
    best_estimator_ : estimator
        The winner, trained on all points, if `refit`.
    best_index_ : int
    cv_results_ : dict of ndarray
        One entry per candidate, as in GridSearchCV.
    scorer_ : callable
    n_splits_ : int
    refit_time_ : float
    multimetric_ : bool
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Notes
    -----
    The search itself can be given to `redoubt.certify`, which then certifies `best_estimator_`.

    Examples
    --------
    >>> from redoubt import RobustSVMClassifier, datasets
    >>> from redoubt.model_selection import RadiusSearchCV
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y, _, _ = datasets.load("breastcancer")
    >>> model = make_pipeline(StandardScaler(), RobustSVMClassifier())
    >>> search = RadiusSearchCV(
    ...     model, radii=[0.01, 0.1, 1.0], attack_radii=[0.0, 0.5, 1.0], units="scaled"
    ... )
    >>> search.fit(X, y).best_params_
    {'robustsvmclassifier__radius': 1.0}
    """

    _parameter_constraints: ClassVar = {
        **BaseSearchCV._parameter_constraints,
        "radii": ["array-like", None],
        "n_planes": ["array-like", None],
        "attack_radii": ["array-like"],
        "balanced": ["boolean"],
    }

    estimator: object
    radii: object = None
    _: KW_ONLY
    n_planes: object = None
    attack_radii: object = ATTACK_RADII
    scoring: object = None
    norm: str | None = None
    attack_model: AttackModel | None = None
    units: str = "raw"
    balanced: bool = False
    n_jobs: int | None = None
    refit: object = True
    cv: object = None
    verbose: int = 0
    pre_dispatch: int | str = "2*n_jobs"
    error_score: object = np.nan
    return_train_score: bool = False

    @property
    def param_grid(self):
        """What is searched, as GridSearchCV would be told."""
        name = find_parameter(self.estimator, "radius")
        radii = self._default_radii(name) if self.radii is None else self.radii
        grid = {name: [float(radius) for radius in np.ravel(radii)]}
        if self.n_planes is not None:
            name = find_parameter(self.estimator, "n_planes")
            grid[name] = [int(count) for count in np.ravel(self.n_planes)]
        return grid

    def _default_radii(self, name):
        owner = self.estimator
        if "__" in name:
            owner = owner.get_params()[name.rpartition("__")[0]]
        if isinstance(owner, CollaborativeEnsembleClassifier):
            return [factor * max(self.attack_radii) for factor in (0.5, 0.75, 1.0, 1.5, 3.0)]
        return RADII

    def _get_scorers(self):
        """What scikit-learn's `fit` and metadata routing ask for: the scorer and its name."""
        if self.scoring is not None:
            return super()._get_scorers()
        # Now, and not in the scores, where scikit-learn would make NaN and a warning of it.
        choose_norm(find_attack_model(self), self.norm)
        options = {"balanced": self.balanced, "units": self.units}
        options["attack_model"] = self.attack_model
        return mean_certified_accuracy(self.attack_radii, self.norm, **options), "score"


def find_parameter(estimator, name):
    """Return the full name of the one parameter called `name`, in the estimator or its parts."""
    names = list(estimator.get_params(deep=True))
    if name in names:
        return name
    found = [each for each in names if each.endswith(f"__{name}")]
    if len(found) == 1:
        return found[0]
    kind = type(estimator).__name__
    if not found:
        raise ValueError(f"estimator: {kind} has no parameter {name!r}, nor has a part of it")
    raise ValueError(
        f"estimator: {kind} has several parameters {name!r}: {', '.join(found)}; "
        "use GridSearchCV with redoubt.metrics.mean_certified_accuracy"
    )
