"""One plane: the weighted SVM and the robust SVM as scikit-learn estimators."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from redoubt import _core
from redoubt._checks import check_count, check_real, thread_count
from redoubt._estimators import Trained, VoteClassifier


class _TrainedPlane(Trained):
    """One plane, and the solver's result behind it."""

    def __init__(self, result):
        super().__init__(
            result.coef.reshape(1, -1),
            np.array([result.intercept]),
            result.status,
            result.status == "interrupted",
            {},
            result.dual_ratio,
        )
        self.objective = result.primal_value
        self.gap = result.relative_gap
        self.n_steps = max(1, result.n_newton_steps)
        self.warning = result.warning

    def first(self, n_planes):
        return self


class _PlaneClassifier(VoteClassifier):
    """What the two estimators share: how a plane is trained, and how good it is."""

    def _fit_plane(self, X, y, sample_weight, radius, solve):
        """Call ``solve(problem, start)`` for every class that needs a plane."""

        def train(problem, earlier):
            return _TrainedPlane(solve(problem, self._start(problem, earlier)))

        return self._fit(X, y, sample_weight, radius, train)

    def _start(self, problem, earlier):
        if earlier is None:
            return None
        ratio = earlier.dual_ratio if len(earlier.dual_ratio) == len(problem.X) else None
        return _core.SvmStart(earlier.coef[0], earlier.intercept[0], ratio)

    def _partial(self, error):
        result = getattr(error, "partial_result", None)
        if result is None:
            return None
        del error.partial_result  # it would keep memory alive
        return _TrainedPlane(result)

    def _store(self, classes, parts):
        super()._store(classes, parts)
        self.objective_ = sum(part.objective for part in parts)
        self.dual_gap_ = max(part.gap for part in parts)
        self.n_iter_ = max(part.n_steps for part in parts)

    def _warn_of_limits(self):
        name = type(self).__name__
        if self.status_ != "optimal":
            warnings.warn(
                f"{name} stopped early ({self.status_}): relative duality gap "
                f"{self.dual_gap_:.2g}, wanted {self.tol:g}",
                ConvergenceWarning,
                stacklevel=5,
            )
        for text in dict.fromkeys(part.warning for part in self._trained):
            if text:
                warnings.warn(f"{name}: {text}", UserWarning, stacklevel=5)


class LinearSVMClassifier(_PlaneClassifier):
    """Linear support vector machine, solved to a proven accuracy.

    Minimises ``1/2 ||w||^2 + C sum_j c_j [1 - y_j (w'x_j + b)]_+``, where c_j are the sample
    weights. The bias b is not penalised (LIBLINEAR's is).

    Parameters
    ----------
    C : float, default=1.0
        Penalty of the hinges, > 0.
    tol : float, default=1e-8
        Relative duality gap to reach, in [1e-14, 0.1].
    max_iter : int, default=1000
        Newton steps before giving up.
    attack_model : AttackModel or None, default=None
        For `certify`, `attack` and displays, in the units of the X that `fit` is given (behind a
        scaler: in scaled units). The training knows no adversary.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the sample weights, as in scikit-learn.
    warm_start : bool, default=False
        Start the next `fit` from this answer: the same optimum, sooner.
    n_jobs : int or None, default=None
        Threads; -1 uses every core. The answer does not depend on it.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        w; of more than two classes, one plane per class against the rest.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        b.
    classes_ : ndarray of shape (n_classes,)
        Of two, the second is the positive one.
    status_ : str
        "optimal", or why the solver stopped early.
    objective_ : float
        Value of the objective at (w, b); of several planes, the sum.
    dual_gap_ : float
        Relative duality gap: how far `objective_` can be from the optimum.
    n_iter_ : int
        Newton steps taken.
    attack_model_ : ResolvedAttackModel or None
        `attack_model` for these features and classes.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if X had them.

    See Also
    --------
    RobustSVMClassifier : The same against an adversary that may move the points.

    Examples
    --------
    >>> from redoubt import LinearSVMClassifier
    >>> model = LinearSVMClassifier(C=10).fit([[-3], [-1], [1], [4]], ["low", "low", "up", "up"])
    >>> float(model.coef_[0, 0].round(6))
    1.0
    >>> model.predict([[-0.5], [0.5]]).tolist()
    ['low', 'up']
    """

    def __init__(
        self,
        C=1.0,
        *,
        tol=1e-8,
        max_iter=1000,
        attack_model=None,
        class_weight=None,
        warm_start=False,
        n_jobs=None,
    ):
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.attack_model = attack_model
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    def fit(self, X, y, sample_weight=None):
        """Train the plane.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two classes or more; of two, the greater label is the positive one.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            c_j >= 0; a weight of 0 leaves the sample out.

        Returns
        -------
        self : LinearSVMClassifier
        """
        settings = {
            "C": check_real("C", self.C, 0, strict=True),
            "tolerance": check_real("tol", self.tol, 1e-14, high=0.1),
            "max_iterations": check_count("max_iter", self.max_iter, 1),
            "n_threads": thread_count(self.n_jobs),
        }

        def solve(problem, start):
            return _core.train_svm(
                problem.X, problem.signs, weights=problem.weights, start=start, **settings
            )

        return self._fit_plane(X, y, sample_weight, None, solve)


class RobustSVMClassifier(_PlaneClassifier):
    """Linear classifier trained against an adversary that may move every point.

    Minimises ``rho/2 ||w||^2 + sum_j c_j [1 - y_j (w'x_j + b) + r_j ||w||_q]_+``: the hinge loss
    after the worst move d of each point with ``||d||_p <= r_j``, where q is dual to p. Among
    several optima the answer is the one with the least ``||w||_2``, then the middle b.

    Parameters
    ----------
    radius : float, default=0.1
        How far the adversary may move a point, >= 0. In the units of X: scale first.
    norm : {"l1", "l2", "linf"} or None, default=None
        The adversary's norm p. None is the attack model's, or "l2".
    regularization : float, default=0.0
        rho >= 0; 0 is the robust SVM of the literature.
    tol : float, default=1e-8
        Relative duality gap to reach, in [1e-14, 0.1].
    max_iter : int, default=2000
        Newton steps before giving up.
    attack_model : AttackModel or None, default=None
        What the adversary may do, in the units of the X that `fit` is given (behind a scaler: in
        scaled units). `certify` and `attack` take it, too.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the sample weights, as in scikit-learn.
    warm_start : bool, default=False
        Start the next `fit` from this answer: the same optimum, sooner.
    n_jobs : int or None, default=None
        Threads; -1 uses every core. The answer does not depend on it.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        w; of more than two classes, one plane per class against the rest.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        b.
    classes_ : ndarray of shape (n_classes,)
        Of two, the second is the positive one.
    status_ : str
        "optimal", or why the solver stopped early.
    objective_ : float
        Value of the objective at (w, b); of several planes, the sum.
    dual_gap_ : float
        Relative duality gap: how far `objective_` can be from the least value over all planes
        with ``||w||_q`` up to twice that of the answer.
    n_iter_ : int
        Newton steps taken.
    attack_model_ : ResolvedAttackModel or None
        `attack_model` for these features and classes.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if X had them.

    See Also
    --------
    LinearSVMClassifier : The ordinary SVM.

    Notes
    -----
    Against too strong an adversary the best plane is w = 0, which gives every point the same
    answer; `fit` then warns.

    Examples
    --------
    >>> from redoubt import RobustSVMClassifier
    >>> model = RobustSVMClassifier(radius=0.5).fit([[-3], [-1], [1], [4]], [0, 0, 1, 1])
    >>> float(model.coef_[0, 0].round(6))  # 1 = w (1 - radius)
    2.0
    >>> model.predict([[-0.5], [0.5]]).tolist()
    [0, 1]
    """

    def __init__(
        self,
        radius=0.1,
        *,
        norm=None,
        regularization=0.0,
        tol=1e-8,
        max_iter=2000,
        attack_model=None,
        class_weight=None,
        warm_start=False,
        n_jobs=None,
    ):
        self.radius = radius
        self.norm = norm
        self.regularization = regularization
        self.tol = tol
        self.max_iter = max_iter
        self.attack_model = attack_model
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    def fit(self, X, y, sample_weight=None, radius=None):
        """Train the plane.

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
        self : RobustSVMClassifier
        """
        settings = {
            "norm": self._training_norm(),
            "regularization": check_real("regularization", self.regularization, 0),
            "tolerance": check_real("tol", self.tol, 1e-14, high=0.1),
            "max_iterations": check_count("max_iter", self.max_iter, 1),
            "n_threads": thread_count(self.n_jobs),
        }
        if radius is None:
            radius = check_real("radius", self.radius, 0)

        def solve(problem, start):
            return _core.train_robust_svm(
                problem.X,
                problem.signs,
                problem.radii,
                weights=problem.weights,
                start=start,
                attack_model=problem.attack_model,
                **settings,
            )

        return self._fit_plane(X, y, sample_weight, radius, solve)
