"""The search for the radius to train against."""

import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV

from redoubt import _core
from redoubt._attack_models import AttackModel, choose_norm
from redoubt._certificates.certify import certify
from redoubt._estimators.auto_radius import CAPPED_SCALES, FACTORS, mean_radius
from redoubt._estimators.planes import LinearSVMClassifier
from redoubt._estimators.vote_classifier import ConstantAnswerWarning
from redoubt._models.own_adversary import find_attack_model, own_norm
from redoubt._sklearn_private import (
    StrOptions,
    _MultimetricScorer,
    search_constraints,
)
from redoubt._typing import Labels, Rows
from redoubt.metrics import mean_certified_accuracy

__all__ = ["RadiusSearchCV"]

# The defaults of the program's `tune`, in natural scales of the data.
ATTACK_FACTORS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
# A class with a smaller part of its equal share makes the balanced score the usual one.
EQUAL_SHARE = 0.8


# Not GridSearchCV's own __init__: here the grid is made from the parameters.
@dataclass(eq=False, repr=False)
class RadiusSearchCV(GridSearchCV):
    """Choose the radius to train against, and the number of planes, by cross-validation.

    A candidate's score is its certified accuracy on the fold that was left out, averaged over the
    attack radii. Default radii are multiples of the natural scale of the data, the median distance
    of the points from the plane of the ordinary SVM. Everything else works as in scikit-learn's
    GridSearchCV.

    Parameters
    ----------
    estimator : estimator
        Has a parameter `radius`, itself or in one of its parts: in a Pipeline, "step__radius" is
        found.
    radii : array-like of shape (n_radii,) or None, default=None
        Training radii to try. None tries 0.1, 0.25, 0.5, 0.7, 1, 1.4, 2, 2.8 and 4 natural scales.
    n_planes : array-like of int or None, default=None
        Numbers of planes to try. None keeps that of the estimator.
    attack_radii : array-like of shape (n_attack_radii,) or None, default=None
        The attacks to resist, in the units of X (see `units`). None is 0, 0.25, 0.5, 0.75, 1, 1.5
        and 2 natural scales.
    choose : {"best", "no-cost"}, default="best"
        Which candidate wins. "best": the highest mean score. "no-cost": the most robust candidate
        that loses no accuracy without attack, as with ``radius="auto"``: within one standard error
        and one point of the best balanced accuracy, the one with the greatest mean certified
        radius.
    also : dict or None, default=None
        Further parameters to search, as in GridSearchCV's `param_grid`: {"C": [0.1, 1]}.
    scoring : None, str, callable, list or dict, default=None
        None is `mean_certified_accuracy` over `attack_radii`. Otherwise as in GridSearchCV;
        `attack_radii`, `norm`, `attack_model`, `units` and `balanced` then have no effect.
    norm : {"l1", "l2", "linf", "l0"} or None, default=None
        The norm of the attacks. None takes the estimator's own, or "l2" if it has none.
    attack_model : AttackModel or None, default=None
        What the adversary may do, in the units of X. None takes the estimator's own, which is in
        the units of the features that it sees.
    units : {"raw", "scaled"}, default="raw"
        The units of `attack_radii` if scalers are part of the estimator: those of X, or those after
        the scalers, which are the units of the estimator's `radius`.
    balanced : bool or "auto", default="auto"
        Give every class the same weight in the score. "auto" does so if a class has less than 80 %
        of its equal share of the points (of two classes, 40 % of all); see `balanced_`.
    n_jobs : int or None, default=None
        Number of fits at the same time.
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
        The best candidate; among equal scores, the first.
    best_score_ : float
        Its mean score over the splits. Too optimistic for new points, because it was selected.
    best_estimator_ : estimator
        The best candidate, trained on all points, if `refit`.
    best_index_ : int
    cv_results_ : dict of ndarray
        One entry per candidate, as in GridSearchCV.
    attack_radii_ : ndarray of shape (n_attack_radii,)
    radii_ : ndarray of shape (n_radii,)
        The radii that were used.
    balanced_ : bool
        Whether every class had the same weight.
    scorer_ : callable
    n_splits_ : int
    refit_time_ : float
    multimetric_ : bool
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Notes
    -----
    Pass the search itself to `redoubt.certify` to certify `best_estimator_`.

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
        **search_constraints(),
        "radii": ["array-like", None],
        "n_planes": ["array-like", None],
        "attack_radii": ["array-like", None],
        "balanced": ["boolean", StrOptions({"auto"})],
        "choose": [StrOptions({"best", "no-cost"})],
        "also": [dict, None],
    }

    estimator: object
    radii: Any = None
    _: KW_ONLY
    n_planes: Any = None
    attack_radii: Any = None
    choose: str = "best"
    also: dict | None = None
    scoring: object = None
    norm: str | None = None
    attack_model: AttackModel | None = None
    units: str = "raw"
    balanced: bool | str = "auto"
    n_jobs: int | None = None
    refit: object = True
    cv: object = None
    verbose: int = 0
    pre_dispatch: int | str = "2*n_jobs"
    error_score: object = np.nan
    return_train_score: bool = False

    def fit(self, X: Rows, y: Labels = None, **params: Any) -> "RadiusSearchCV":
        """Search, and train the best candidate on all points.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        **params
            As in GridSearchCV.

        Returns
        -------
        self : RadiusSearchCV
        """
        return self._search(X, y, **params)

    def _search(self, X, y, **params):
        self._validate_params()
        self._get_scorers()  # which looks at the norm
        self._settled = self._settle(X, y)
        self.radii_, self.attack_radii_, self.balanced_ = self._settled
        refit = self.refit
        if self.choose == "no-cost" and self.scoring is None and refit is True:
            self.refit = _choose_no_cost
        try:
            with warnings.catch_warnings():  # of candidates, which are there to be tried
                warnings.simplefilter("ignore", ConstantAnswerWarning)
                super().fit(X, y, **params)
        finally:
            self.refit = refit
            del self._settled
        if hasattr(self, "best_estimator_") and len(np.unique(self.predict(X))) == 1:
            warnings.warn(
                "the best candidate gives all points the same answer; try smaller radii or weights "
                "that balance the classes",
                ConstantAnswerWarning,
                stacklevel=3,
            )
        return self

    def _settle(self, X, y):
        """Training radii, attack radii and balance: what is given, or what follows from the data."""
        radii, attacks, balanced = self.radii, self.attack_radii, self.balanced
        if radii is None:
            radii = self._natural_scale(X, y, "scaled") * np.array(FACTORS)
        if attacks is None:
            attacks = 0.0
            if self.scoring is None:
                attacks = self._natural_scale(X, y, self.units) * np.array(ATTACK_FACTORS)
        if balanced == "auto":
            sizes = np.unique(np.asarray(y), return_counts=True)[1]
            balanced = bool(sizes.min() < EQUAL_SHARE * sizes.mean())
        return *(np.ravel(np.asarray(each, dtype=np.float64)) for each in (radii, attacks)), balanced

    def _natural_scale(self, X, y, units):
        """The median distance of the points from the plane of the SVM, in these units."""
        name = find_parameter(self.estimator, "radius").rpartition("__")[0]
        svm = LinearSVMClassifier(class_weight="balanced")
        model = clone(self.estimator).set_params(**{name: svm}) if name else svm
        norm = choose_norm(find_attack_model(self), self.norm or own_norm(self.estimator))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConstantAnswerWarning)
            model.fit(X, y)
        try:
            found = certify(model, X, y, norm=norm, units=units)
        except ValueError:  # no scaler in front of the whole: the planes see X
            found = certify(model, X, y, norm=norm)
        scale = np.median(np.abs(found.lower))
        return float(scale) if 0 < scale < np.inf else 1.0

    @property
    def param_grid(self) -> Any:
        """What is searched, as GridSearchCV would be told."""
        name = find_parameter(self.estimator, "radius")
        radii = FACTORS if self.radii is None else self.radii
        if hasattr(self, "_settled"):
            radii = self._settled[0]
        grid = {name: [float(radius) for radius in np.ravel(radii)]}
        if self.n_planes is not None:
            name = find_parameter(self.estimator, "n_planes")
            grid[name] = [int(count) for count in np.ravel(self.n_planes)]
        for name, values in (self.also or {}).items():
            grid[find_parameter(self.estimator, name)] = list(values)
        return grid

    def _get_scorers(self):
        """What scikit-learn's `fit` and metadata routing ask for: the scorer and its name."""
        if self.scoring is not None:
            return super()._get_scorers()
        # Now, and not in the scores, where scikit-learn would make NaN and a warning of it.
        choose_norm(find_attack_model(self), self.norm)
        options = {"units": self.units, "attack_model": self.attack_model}
        _, radii, balanced = getattr(self, "_settled", (None, (0.0,), False))
        score = mean_certified_accuracy(radii, self.norm, balanced=balanced, **options)
        if self.choose == "best":
            return score, "score"
        cap = CAPPED_SCALES * float(np.max(radii)) / max(ATTACK_FACTORS) or np.inf
        scorers = {
            "score": score,
            "balanced_accuracy": get_scorer("balanced_accuracy"),
            "certified_radius": _MeanRadius(cap, self.norm, options),
        }
        return _MultimetricScorer(scorers=scorers), "score"


class _MeanRadius:
    """A scorer: the mean signed radius, up to a cap, where every class weighs the same."""

    def __init__(self, cap, norm, options):
        self.cap, self.norm, self.options = cap, norm, options

    def __call__(self, estimator, X, y):
        found = certify(estimator, X, y, norm=self.norm, **self.options)
        return mean_radius(found.lower, y, self.cap)


def _choose_no_cost(results):
    """The candidate that the rule of radius="auto" chooses, by its number."""
    accuracy = results["mean_test_balanced_accuracy"]
    n_splits = sum(name.startswith("split") and name.endswith("_accuracy") for name in results)
    # scikit-learn's deviations divide by the number of splits.
    error = results["std_test_balanced_accuracy"] / np.sqrt(max(1, n_splits - 1))
    return _core.most_robust(accuracy, error, results["mean_test_certified_radius"])


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
