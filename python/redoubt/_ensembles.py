"""Votes of planes as scikit-learn estimators: bagging and the robust ensembles."""

from redoubt import _core
from redoubt._checks import check_count, check_real, check_seconds, random_seed, thread_count
from redoubt._estimators import Trained, VoteClassifier
from redoubt._progress import progress_bar


class BaggedSVMClassifier(VoteClassifier):
    """Linear SVMs on bootstrap samples that vote (SVM-Ens).

    Parameters
    ----------
    n_planes : int, default=15
        How many planes vote.
    C : float, default=1.0
        Penalty of the hinges, > 0.
    tol : float, default=1e-8
        Relative duality gap of each SVM.
    attack_model : AttackModel or None, default=None
        For `certify`, `attack` and displays, in the units of the X that `fit` is given (behind a
        scaler: in scaled units). The training knows no adversary.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the sample weights, as in scikit-learn.
    max_seconds : float or None, default=None
        Stop after this time with the planes that are ready.
    warm_start : bool, default=False
        Keep the planes of the last `fit` and add what is missing up to `n_planes`.
    random_state : int, RandomState or None, default=None
        Of the bootstrap samples. An integer gives the planes of ``redoubt train --seed``.
    n_jobs : int or None, default=None
        Threads; -1 uses every core. The answer does not depend on it.
    verbose : int, default=0
        Above 0, a progress bar on standard error.

    Attributes
    ----------
    coef_ : ndarray of shape (n_planes, n_features)
        One plane per row; with K > 2 classes, K blocks of `n_planes` rows.
    intercept_ : ndarray of shape (n_planes,)
    classes_ : ndarray of shape (n_classes,)
    status_ : str
        "optimal", or what stopped the training.
    is_partial_ : bool
        A limit struck or Ctrl-C was pressed: fewer planes than asked for.
    history_ : dict
        Empty: bags know nothing of each other.
    attack_model_ : ResolvedAttackModel or None
        `attack_model` for these features and classes.
    n_features_in_, feature_names_in_
        As in scikit-learn.

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

    def __init__(
        self,
        n_planes=15,
        *,
        C=1.0,
        tol=1e-8,
        attack_model=None,
        class_weight=None,
        max_seconds=None,
        warm_start=False,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.n_planes = n_planes
        self.C = C
        self.tol = tol
        self.attack_model = attack_model
        self.class_weight = class_weight
        self.max_seconds = max_seconds
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X, y, sample_weight=None):
        """Train the planes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two classes or more; of two, the greater label is the positive one.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            c_j >= 0; a weight of 0 leaves the sample out.

        Returns
        -------
        self : BaggedSVMClassifier
        """
        n_planes = check_count("n_planes", self.n_planes, 1)
        settings = {
            "C": check_real("C", self.C, 0, strict=True),
            "tolerance": check_real("tol", self.tol, 1e-14, high=0.1),
            "max_seconds": check_seconds("max_seconds", self.max_seconds),
            "n_threads": thread_count(self.n_jobs),
        }
        seed = random_seed(self.random_state)

        def train(problem, earlier):
            n_earlier = 0 if earlier is None else len(earlier.coef)
            if n_earlier >= n_planes:
                return None
            bags = None
            if n_earlier:
                bags = _core.draw_bags(
                    problem.X, problem.signs, weights=problem.weights, n_planes=n_planes, seed=seed
                )[n_earlier:]
            with progress_bar(self.verbose, problem.name, "plane") as progress:
                result = _core.train_bagged_svms(
                    problem.X,
                    problem.signs,
                    weights=problem.weights,
                    n_planes=n_planes - n_earlier,
                    seed=seed,
                    bags=bags,
                    progress=progress,
                    **settings,
                )
            later = Trained.of(result)
            return later if earlier is None else earlier.joined(later)

        return self._fit(X, y, sample_weight, None, train)


class RobustEnsembleClassifier(VoteClassifier):
    """The robust ensembles of the source paper: Ens-E, Ens-R and Ens-H.

    Plane 1 is the robust SVM. For each further plane an adversary moves every point against the
    planes so far, and the plane is the SVM on the moved points, where points that most planes lose
    weigh most.

    Parameters
    ----------
    radius : float, default=0.1
        How far the adversary may move a point, >= 0. In the units of X: scale first.
    adversary : {"exact", "relaxed", "heuristic"}, default="exact"
        Ens-E, Ens-R or Ens-H.
    norm : {"l1", "l2", "linf"} or None, default=None
        The adversary's. None is the attack model's, or "l2".
    n_planes : int, default=15
        How many planes vote.
    C : float, default=1.0
        Penalty of the hinges, > 0.
    rule : {"corrected", "published"}, default="corrected"
        The heuristic adversary's step, or the one of the source paper's code.
    tol : float, default=1e-8
        Relative duality gap of each SVM.
    attack_model : AttackModel or None, default=None
        What the adversary may do, in the units of the X that `fit` is given (behind a scaler: in
        scaled units). `certify` and `attack` take it, too.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the sample weights, as in scikit-learn.
    max_seconds : float or None, default=None
        Stop after this time with the planes that are ready.
    warm_start : bool, default=False
        Keep the planes of the last `fit` and add what is missing up to `n_planes`: the same planes
        as in one go.
    n_jobs : int or None, default=None
        Threads; -1 uses every core. The answer does not depend on it.
    verbose : int, default=0
        Above 0, a progress bar on standard error.

    Attributes
    ----------
    coef_ : ndarray of shape (n_planes, n_features)
        One plane per row; with K > 2 classes, K blocks of `n_planes` rows.
    intercept_ : ndarray of shape (n_planes,)
    classes_ : ndarray of shape (n_classes,)
    status_ : str
        "optimal", or what stopped the training.
    is_partial_ : bool
        A limit struck or Ctrl-C was pressed: fewer planes than asked for.
    history_ : dict of ndarray
        Per plane: points that could be fooled and were, weights, seconds. With more than two
        classes a list of such, one per class.
    attack_model_ : ResolvedAttackModel or None
        `attack_model` for these features and classes.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    RobustSVMClassifier : Plane 1 alone.
    CollaborativeEnsembleClassifier : Planes that are trained together.

    Examples
    --------
    >>> from redoubt import RobustEnsembleClassifier, datasets
    >>> X, y, *_ = datasets.load("gaussian")
    >>> model = RobustEnsembleClassifier(radius=0.25, n_planes=5).fit(X, y)
    >>> model.status_, len(model.history_["n_fooled"])
    ('optimal', 5)
    """

    def __init__(
        self,
        radius=0.1,
        *,
        adversary="exact",
        norm=None,
        n_planes=15,
        C=1.0,
        rule="corrected",
        tol=1e-8,
        attack_model=None,
        class_weight=None,
        max_seconds=None,
        warm_start=False,
        n_jobs=None,
        verbose=0,
    ):
        self.radius = radius
        self.adversary = adversary
        self.norm = norm
        self.n_planes = n_planes
        self.C = C
        self.rule = rule
        self.tol = tol
        self.attack_model = attack_model
        self.class_weight = class_weight
        self.max_seconds = max_seconds
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X, y, sample_weight=None, radius=None):
        """Train the planes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two classes or more; of two, the greater label is the positive one.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            c_j >= 0; a weight of 0 leaves the sample out.
        radius : float, array-like of shape (n_samples,) or None, default=None
            r_j >= 0, one per sample; None takes the parameter `radius` for all.

        Returns
        -------
        self : RobustEnsembleClassifier
        """
        n_planes = check_count("n_planes", self.n_planes, 1)
        settings = {
            "norm": self._training_norm(),
            "adversary": self.adversary,
            "rule": self.rule,
            "C": check_real("C", self.C, 0, strict=True),
            "tolerance": check_real("tol", self.tol, 1e-14, high=0.1),
            "max_seconds": check_seconds("max_seconds", self.max_seconds),
            "n_threads": thread_count(self.n_jobs),
        }
        if radius is None:
            radius = check_real("radius", self.radius, 0)

        def train(problem, earlier):
            if earlier is not None and len(earlier.coef) >= n_planes:
                return None
            resumed = {}
            if earlier is not None:
                resumed["resume"] = _core.Ensemble(earlier.coef, earlier.intercept)
                if len(earlier.dual_ratio) == len(problem.X):
                    resumed["dual_ratio"] = earlier.dual_ratio
            with progress_bar(self.verbose, problem.name, "plane") as progress:
                result = _core.train_robust_ensemble(
                    problem.X,
                    problem.signs,
                    problem.radii,
                    weights=problem.weights,
                    n_planes=n_planes,
                    progress=progress,
                    attack_model=problem.attack_model,
                    **resumed,
                    **settings,
                )
            return Trained.of(result)

        return self._fit(X, y, sample_weight, radius, train)


__all__ = ["BaggedSVMClassifier", "RobustEnsembleClassifier"]
