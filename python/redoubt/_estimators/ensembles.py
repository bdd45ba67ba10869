"""Votes of planes as scikit-learn estimators: bagging, robust and collaborative ensembles."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from redoubt import _core
from redoubt._checks import check_real
from redoubt._estimators.documentation import inherit_documentation
from redoubt._estimators.progress import progress_bar
from redoubt._estimators.robust_vote_classifier import RobustVoteClassifier
from redoubt._estimators.vote_classifier import Trained, VoteClassifier


@inherit_documentation
@dataclass(eq=False, repr=False)
class BaggedSVMClassifier(VoteClassifier):
    """A vote of linear SVMs trained on bootstrap samples (SVM-Ens).

    Parameters
    ----------
    <n_planes, C, tol, attack_model, quota, max_seconds>
    warm_start : bool, default=False
        Keep the planes of the last `fit` and add planes up to `n_planes`.
    random_state : int, RandomState or None, default=None
        Seeds the bootstrap samples. An integer gives the planes of ``redoubt train --seed``.
    <class_weight, n_jobs, verbose>

    Attributes
    ----------
    <coef_, intercept_, classes_, quota_, status_, is_partial_>
    history_ : dict
        Empty: bags are independent of each other.
    <attack_model_, ranges_, n_features_in_>

    See Also
    --------
    RobustEnsembleClassifier, CollaborativeEnsembleClassifier

    Examples
    --------
    >>> from redoubt import BaggedSVMClassifier, datasets
    >>> X, y, *_ = datasets.load("gaussian")
    >>> model = BaggedSVMClassifier(n_planes=5, random_state=0).fit(X, y)
    >>> model.coef_.shape
    (5, 5)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    n_planes: int = 15
    _: KW_ONLY
    C: float = 1.0
    tol: float = 1e-8
    quota: int | None = None
    max_seconds: float | None = None
    random_state: int | np.random.RandomState | None = None
    verbose: int = 0

    def _train(self, data, earlier, settings):
        n_planes = settings.pop("n_planes")
        n_earlier = 0 if earlier is None else len(earlier.coef)
        if n_earlier >= n_planes:
            return None
        bags = None
        if n_earlier:
            sample = {"weights": data.weights, "n_planes": n_planes, "seed": settings["seed"]}
            bags = _core.draw_bags(data.X, data.signs, **sample)[n_earlier:]
        with progress_bar(self.verbose, data.name, "plane") as progress:
            result = _core.train_bagged_svms(
                data.X,
                data.signs,
                weights=data.weights,
                n_planes=n_planes - n_earlier,
                bags=bags,
                progress=progress,
                **settings,
            )
        later = Trained.of(result)
        return later if earlier is None else earlier.joined(later)


@inherit_documentation
@dataclass(eq=False, repr=False)
class RobustEnsembleClassifier(RobustVoteClassifier):
    """The robust ensembles of the source paper: Ens-E, Ens-R and Ens-H.

    Plane 1 is the robust SVM. For each further plane, an adversary moves every point against the
    planes so far, and the new plane is the SVM on the moved points, weighted towards points that
    most planes get wrong.

    Parameters
    ----------
    radius : float or "auto", default=0.1
        How far the adversary may move a point, >= 0. In the units of X: scale first. "auto" is the
        most robust radius that costs no accuracy, chosen by cross-validation within the training
        data.
    adversary : {"exact", "relaxed", "heuristic"}, default="exact"
        Ens-E, Ens-R or Ens-H.
    <norm, n_planes, C>
    rule : {"corrected", "published"}, default="corrected"
        The heuristic adversary's step: corrected, or as in the source paper's code.
    <tol, attack_model, quota, max_seconds>
    warm_start : bool, default=False
        Keep the planes of the last `fit` and add planes up to `n_planes`; the result is that of a
        single training.
    <class_weight, n_jobs, verbose>

    Attributes
    ----------
    <radius_, radius_choice_, coef_, intercept_, classes_, quota_, status_, is_partial_>
    history_ : dict of ndarray
        Per plane: the numbers of points that could be fooled and that were, weights, seconds. With
        more than two classes, a list with one such dict per class.
    <attack_model_, ranges_, n_features_in_>

    See Also
    --------
    RobustSVMClassifier : The first plane alone.
    CollaborativeEnsembleClassifier : Planes trained together.

    Examples
    --------
    >>> from redoubt import RobustEnsembleClassifier, datasets
    >>> X, y, *_ = datasets.load("gaussian")
    >>> model = RobustEnsembleClassifier(radius=0.25, n_planes=5).fit(X, y)
    >>> model.status_, len(model.history_["n_fooled"])
    ('optimal', 5)
    """

    radius: float | str = 0.1
    _: KW_ONLY
    adversary: str = "exact"
    n_planes: int = 15
    C: float = 1.0
    rule: str = "corrected"
    tol: float = 1e-8
    quota: int | None = None
    max_seconds: float | None = None
    verbose: int = 0

    _choose = staticmethod(_core.choose_robust_radius)

    def _train(self, data, earlier, settings):
        if earlier is not None and len(earlier.coef) >= settings["n_planes"]:
            return None
        if earlier is not None:
            ratio = earlier.dual_ratio if len(earlier.dual_ratio) == data.X.shape[0] else None
            settings = settings | {"resume": earlier.ensemble(), "dual_ratio": ratio}
        with progress_bar(self.verbose, data.name, "plane") as progress:
            return Trained.of(
                _core.train_robust_ensemble(
                    data.X,
                    data.signs,
                    data.radii,
                    weights=data.weights,
                    progress=progress,
                    attack_model=data.attack_model,
                    **settings,
                )
            )


@inherit_documentation
@dataclass(eq=False, repr=False)
class CollaborativeEnsembleClassifier(RobustVoteClassifier):
    """Planes trained together to raise the certified radii of their vote (Ens-C).

    Every point should reach the target radius r. Minimises ``sum_j c_j r / s ([r - R_j]_+ / r)^s``,
    where R_j is the exact signed radius of point j under the vote, s is `power` and c_j are the
    sample weights. The exact gradient of R_j moves the planes that determine it.

    Parameters
    ----------
    radius : float or "auto", default="auto"
        The radius that every point should reach, > 0, in the units of X: scale the features first.
        "auto" is the most robust one that costs no accuracy, chosen by cross-validation within the
        training data (on a sample, if there are more than 2,000 points).
    norm : {"l1", "l2", "linf"} or None, default=None
        The norm of radii. None is the attack model's norm, or "l2".
    n_planes : int or None, default=None
        Number of planes in the vote. None is 15, and with ``radius="auto"`` a single plane is tried
        as well; with more than two classes it is 1 per class, because votes would often be equal.
        Such planes are trained together: R_j is then the least radius against one rival.
    n_epochs : int or None, default=None
        Passes over the data. None is 20, but at least about 1,000 steps and at most 50,000.
    batch_size : int, default=32
        Points per step.
    step : float or None, default=None
        Size of the first steps. None is 2 / sqrt(number of steps), at most 0.06.
    power : float or None, default=None
        The exponent s of the loss, in (0, 2]. Below 1, points that have almost reached the target
        pull hardest. None is 2 if `radius` is "auto"; else 0.8, or 1 for more than two classes (in
        votes of several planes per class always 1).
    cap : float or None, default=None
        The loss does not grow for a point that is wrong by more than this many target radii. None
        is 1; 10 for more than two classes, unless `radius` is "auto" and they are trained together.
    start_radius : float, default=0.5
        The radius of the robust SVM from which all planes start, in units of the spread of the
        data.
    jitter : float, default=0.3
        Size of the random perturbation of the start.
    features_per_plane : {None, 1}, default=None
        None: planes use all features. 1: each plane uses one feature, for norm="linf" only. Such
        votes of stumps are trained by exact coordinate descent (`n_epochs` limits the sweeps; the
        options of the gradient method are ignored) and are hard to beat on small noisy tables.
    n_bags : int, default=1
        With `features_per_plane=1`: join this many votes of `n_planes` stumps, each trained on a
        bootstrap sample.
    validation_share : float, default=0.0
        Hold out this share of the points, and keep the planes that do best on them.
    patience : int, default=20
        With a validation share: stop after this many epochs without progress.
    <attack_model, quota, max_seconds>
    warm_start : bool, default=False
        Start from the planes of the last `fit`.
    random_state : int, RandomState or None, default=None
        Seeds the start and the order of the points. An integer gives the planes of ``redoubt train
        --seed``.
    <class_weight, n_jobs, verbose>

    Attributes
    ----------
    <radius_, radius_choice_, coef_, intercept_, classes_>
    status_ : str
        "finished" if every step was done (no optimum is proven), or what stopped the training.
    <is_partial_>
    history_ : dict of ndarray
        Per epoch (stumps: per sweep, over all bags): objective, validation objective, seconds. With
        votes of more than two classes, a list with one such dict per class.
    <attack_model_, ranges_, n_features_in_>

    See Also
    --------
    RobustEnsembleClassifier : Planes trained one after another.

    Notes
    -----
    A vote of stumps has `n_bags` times `n_planes` planes.

    Examples
    --------
    >>> from redoubt import CollaborativeEnsembleClassifier, datasets
    >>> X, y, *_ = datasets.load("gaussian")
    >>> model = CollaborativeEnsembleClassifier(n_planes=5, n_epochs=10, random_state=0).fit(X, y)
    >>> bool(model.certify(X, y).radius.mean() > 0.5)
    True
    """

    radius: float | str = "auto"
    _: KW_ONLY
    n_planes: int | None = None
    n_epochs: int | None = None
    batch_size: int = 32
    step: float | None = None
    power: float | None = None
    cap: float | None = None
    start_radius: float = 0.5
    jitter: float = 0.3
    features_per_plane: int | None = None
    n_bags: int = 1
    validation_share: float = 0.0
    patience: int = 20
    quota: int | None = None
    max_seconds: float | None = None
    random_state: int | np.random.RandomState | None = None
    verbose: int = 0

    _choose = staticmethod(_core.choose_collaborative_radius)

    def _check_radius(self, radius):
        return check_real("radius", radius, 0, strict=True)

    def _trains_jointly(self):
        return self.n_planes in (None, 1) and self.features_per_plane in (None, 0)

    def _defaults_for(self, n_parts, is_auto, is_joint=False):
        # Votes of several classes are often equal, and one class against all others is seldom
        # linear: single planes whose loss goes on growing do not give up on it.
        usual = {"n_planes": 1 if n_parts > 1 else 15}
        if is_auto and (n_parts == 1 or is_joint) and self.features_per_plane in (None, 0):
            usual["power"] = _core.CHOSEN_POWER
        elif n_parts > 1:
            usual |= {"power": 1.0, "cap": 10.0}
        return {name: usual[name] for name in usual if getattr(self, name) is None}

    def _n_planes_wanted(self):
        return None if self.n_planes is None else self.n_planes * self.n_bags

    def _planes_to_try(self, settings):
        return [1, settings["n_planes"]] if self.n_planes is None else [self.n_planes]

    def _train(self, data, earlier, settings):
        n_rows = settings.get("joint_classes", settings["n_planes"])
        is_alike = earlier is not None and len(earlier.coef) == n_rows
        has_start = is_alike and settings["features_per_plane"] == 0
        if self.quota is not None and settings["features_per_plane"] == 0:
            settings = settings | {"quota": self.quota}  # the radii are those of this vote
        with progress_bar(self.verbose, data.name, "epoch") as progress:
            return Trained.of(
                _core.train_collaborative(
                    data.X,
                    data.signs,
                    data.radii,
                    weights=data.weights,
                    start=earlier.ensemble() if has_start else None,
                    progress=progress,
                    attack_model=data.attack_model,
                    **settings,
                )
            )
