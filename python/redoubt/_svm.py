"""One plane: the weighted SVM and the robust SVM as scikit-learn estimators."""

import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from redoubt import _core
from redoubt._checks import check_count, check_real, thread_count


class _PlaneClassifier(ClassifierMixin, BaseEstimator):
    """What the two estimators share: checks around `_solve`, and the plane's answers."""

    def _fit(self, X, y, sample_weight, solve):
        """Check the data, call ``solve(X, signs, weights, start)``, store the answer."""
        X, y = validate_data(self, X, y, dtype=np.float64, order="C")
        classes, signs = self._signs(y)
        weights = self._weights(X, y, sample_weight)
        present = np.unique(signs if weights is None else signs[weights > 0])
        if len(present) < 2:
            raise ValueError(
                f"{type(self).__name__} needs samples of 2 classes with positive weight, "
                f"got {len(present)} class{'' if len(present) == 1 else 'es'}"
            )

        result = solve(X, signs, weights, self._start(X) if self.warm_start else None)

        self.classes_ = classes
        self.coef_ = result.coef.reshape(1, -1)
        self.intercept_ = np.array([result.intercept])
        self.objective_ = result.primal_value
        self.dual_gap_ = result.relative_gap
        self.status_ = result.status
        self.n_iter_ = max(1, result.n_newton_steps)
        self._dual_ratio = result.dual_ratio
        self._warn(result)
        return self

    def _signs(self, y):
        check_classification_targets(y)
        kind = type_of_target(y, input_name="y", raise_unknown=True)
        if kind != "binary":
            raise ValueError(
                f"Only binary classification is supported. The type of the target is {kind}."
            )
        classes, codes = np.unique(y, return_inverse=True)
        return classes, np.where(codes == 1, 1.0, -1.0)

    def _weights(self, X, y, sample_weight):
        if sample_weight is None and self.class_weight is None:
            return None
        weights = _check_sample_weight(
            sample_weight, X, dtype=np.float64, ensure_non_negative=True
        )
        if self.class_weight is not None:
            weights = weights * compute_sample_weight(self.class_weight, y)
        return weights

    def _start(self, X):
        """The last fit's answer, if there is one that fits these data."""
        if not hasattr(self, "coef_") or self.coef_.shape[1] != X.shape[1]:
            return None
        ratio = self._dual_ratio if len(self._dual_ratio) == len(X) else None
        return _core.SvmStart(self.coef_[0], self.intercept_[0], ratio)

    def _warn(self, result):
        name = type(self).__name__
        if result.status != "optimal":
            warnings.warn(
                f"{name} stopped early ({result.status}): relative duality gap "
                f"{result.relative_gap:.2g}, wanted {self.tol:g}",
                ConvergenceWarning,
                stacklevel=4,
            )
        if result.warning:
            warnings.warn(f"{name}: {result.warning}", UserWarning, stacklevel=4)

    def _ensemble(self):
        return _core.Ensemble(self.coef_, self.intercept_)

    def decision_function(self, X):
        """Return w'x + b for each row x of X.

        The sign is that of exact arithmetic: where rounding would put a point on the wrong side
        of the plane, the smallest number of the right sign is returned instead.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        values : ndarray of shape (n_samples,)
            At least 0 where `predict` answers ``classes_[1]``, negative elsewhere.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64, order="C")
        ensemble = self._ensemble()
        values = ensemble.margins(X)[:, 0]
        positive = ensemble.predict(X, thread_count(self.n_jobs)) > 0
        tiny = np.nextafter(0.0, -1.0)
        return np.where(positive, np.maximum(values, 0.0), np.minimum(values, tiny))

    def predict(self, X):
        """Return the class of each row of X; a point on the plane is in ``classes_[1]``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64, order="C")
        answers = self._ensemble().predict(X, thread_count(self.n_jobs))
        return self.classes_[(answers > 0).astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


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
    class_weight : dict, "balanced" or None, default=None
        Multiplies the sample weights, as in scikit-learn.
    warm_start : bool, default=False
        Start the next `fit` from this answer: the same optimum, sooner.
    n_jobs : int or None, default=None
        Threads; -1 uses every core. The answer does not depend on it.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        w.
    intercept_ : ndarray of shape (1,)
        b.
    classes_ : ndarray of shape (2,)
        Negative and positive class.
    status_ : str
        "optimal", or why the solver stopped early.
    objective_ : float
        Value of the objective at (w, b).
    dual_gap_ : float
        Relative duality gap: how far `objective_` can be from the optimum.
    n_iter_ : int
        Newton steps taken.
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
        class_weight=None,
        warm_start=False,
        n_jobs=None,
    ):
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    def fit(self, X, y, sample_weight=None):
        """Train the plane.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two classes; the greater label is the positive one.
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

        def solve(X, signs, weights, start):
            return _core.train_svm(X, signs, weights=weights, start=start, **settings)

        return self._fit(X, y, sample_weight, solve)


class RobustSVMClassifier(_PlaneClassifier):
    """Linear classifier trained against an adversary that may move every point.

    Minimises ``rho/2 ||w||^2 + sum_j c_j [1 - y_j (w'x_j + b) + r_j ||w||_q]_+``: the hinge loss
    after the worst move d of each point with ``||d||_p <= r_j``, where q is dual to p. Among
    several optima the answer is the one with the least ``||w||_2``, then the middle b.

    Parameters
    ----------
    radius : float, default=0.1
        How far the adversary may move a point, >= 0. In the units of X: scale first.
    norm : {"l1", "l2", "linf"}, default="l2"
        The adversary's norm p.
    regularization : float, default=0.0
        rho >= 0; 0 is the robust SVM of the literature.
    tol : float, default=1e-8
        Relative duality gap to reach, in [1e-14, 0.1].
    max_iter : int, default=2000
        Newton steps before giving up.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the sample weights, as in scikit-learn.
    warm_start : bool, default=False
        Start the next `fit` from this answer: the same optimum, sooner.
    n_jobs : int or None, default=None
        Threads; -1 uses every core. The answer does not depend on it.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        w.
    intercept_ : ndarray of shape (1,)
        b.
    classes_ : ndarray of shape (2,)
        Negative and positive class.
    status_ : str
        "optimal", or why the solver stopped early.
    objective_ : float
        Value of the objective at (w, b).
    dual_gap_ : float
        Relative duality gap: how far `objective_` can be from the least value over all planes
        with ``||w||_q`` up to twice that of the answer.
    n_iter_ : int
        Newton steps taken.
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
        norm="l2",
        regularization=0.0,
        tol=1e-8,
        max_iter=2000,
        class_weight=None,
        warm_start=False,
        n_jobs=None,
    ):
        self.radius = radius
        self.norm = norm
        self.regularization = regularization
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    def fit(self, X, y, sample_weight=None, radius=None):
        """Train the plane.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two classes; the greater label is the positive one.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            c_j >= 0; a weight of 0 leaves the sample out.
        radius : float, array-like of shape (n_samples,) or None, default=None
            r_j >= 0, one per sample; None takes the parameter `radius` for all.

        Returns
        -------
        self : RobustSVMClassifier
        """
        settings = {
            "norm": self.norm,
            "regularization": check_real("regularization", self.regularization, 0),
            "tolerance": check_real("tol", self.tol, 1e-14, high=0.1),
            "max_iterations": check_count("max_iter", self.max_iter, 1),
            "n_threads": thread_count(self.n_jobs),
        }
        if radius is None:
            radius = check_real("radius", self.radius, 0)
        radii = np.atleast_1d(np.asarray(radius, dtype=np.float64))

        def solve(X, signs, weights, start):
            return _core.train_robust_svm(
                X, signs, radii, weights=weights, start=start, **settings
            )

        return self._fit(X, y, sample_weight, solve)
