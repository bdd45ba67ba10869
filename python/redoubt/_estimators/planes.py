"""One plane: the weighted SVM and the robust SVM as scikit-learn estimators."""

import warnings
from dataclasses import KW_ONLY, dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from redoubt import _core
from redoubt._checks import number_list
from redoubt._estimators.documentation import inherit_documentation
from redoubt._estimators.robust_vote_classifier import RobustVoteClassifier
from redoubt._estimators.vote_classifier import Trained, VoteClassifier


class _TrainedPlane(Trained):
    """One plane, and the solver's result behind it."""

    def __init__(self, result):
        coef, intercept = result.coef.reshape(1, -1), np.array([result.intercept])
        is_partial = result.status == "interrupted"
        super().__init__(coef, intercept, result.status, is_partial, {}, result.dual_ratio)
        self.objective = result.primal_value
        self.gap = result.relative_gap
        self.n_steps = max(1, result.n_newton_steps)
        self.warning = result.warning

    def first(self, n_planes):
        return self


class _PlaneMixin:
    """What the two estimators share: how a plane is trained, and how good it is.

    Parameters
    ----------
    tol : float, default=1e-8
        Relative duality gap to reach, in [1e-14, 0.1].
    warm_start : bool, default=False
        Start the next `fit` from this answer: the same optimum, sooner.

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
    n_iter_ : int
        Newton steps taken.
    """

    def _train(self, data, earlier, settings):
        if earlier is not None:
            ratio = earlier.dual_ratio if len(earlier.dual_ratio) == data.X.shape[0] else None
            start = _core.SvmStart(earlier.coef[0], earlier.intercept[0], ratio)
            settings = settings | {"start": start}
        return self._as_trained(self._solve(data, weights=data.weights, **settings))

    def _as_trained(self, result):
        return _TrainedPlane(result)

    def _reason_of_constant(self):
        is_null = any(part.warning for part in self._trained)
        return ": no plane is worth its risk at this radius; it" if is_null else ""

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
                stacklevel=4,
            )


@inherit_documentation
@dataclass(eq=False, repr=False)
class LinearSVMClassifier(_PlaneMixin, VoteClassifier):
    """Linear support vector machine, solved to a proven accuracy.

    Minimises ``1/2 ||w||^2 + C sum_j c_j [1 - y_j (w'x_j + b)]_+``, where c_j are the sample
    weights. The bias b is not penalised (LIBLINEAR's is).

    Parameters
    ----------
    <C>
    <tol>
    max_iter : int, default=1000
        Maximum number of Newton steps.
    <attack_model, class_weight, warm_start, n_jobs>

    Attributes
    ----------
    <coef_, intercept_, classes_, status_, objective_, n_iter_>
    dual_gap_ : float
        Relative duality gap: how far `objective_` can be from the optimum.
    <attack_model_, ranges_, n_features_in_>

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

    C: float = 1.0
    _: KW_ONLY
    tol: float = 1e-8
    max_iter: int = 1000

    def _solve(self, data, **settings):
        return _core.train_svm(data.X, data.signs, **settings)


@inherit_documentation
@dataclass(eq=False, repr=False)
class RobustSVMClassifier(_PlaneMixin, RobustVoteClassifier):
    """Linear classifier trained against an adversary that may move every point.

    Minimises ``rho/2 ||w||^2 + sum_j c_j [1 - y_j (w'x_j + b) + r_j ||w||_q]_+``: the hinge loss
    after the worst move d of each point with ``||d||_p <= r_j``, where q is dual to p. Among
    several optima, the one with the least ``||w||_2`` and then the middle b is chosen.

    Parameters
    ----------
    radius : float or "auto", default=0.1
        How far the adversary may move a point, >= 0. In the units of X: scale first. "auto" is the
        most robust radius that costs no accuracy, chosen by cross-validation within the training
        data.
    <norm>
    regularization : float, default=0.0
        rho >= 0; 0 is the robust SVM of the literature.
    weight_bounds : tuple of (low, high) or None, default=None
        Bounds on the weights, low <= w <= high: numbers, arrays with one entry per feature, or None
        for no bound. With `radius` 0, or an attack model that counts (see Notes). ``(0, None)`` is
        the monotone filter, ``(-c, None)`` the one-sided box, ``(-c, c)`` Sec-SVM; with these, set
        `regularization` to 1 / C.
    shared_threshold : bool, default=False
        Against an attack model that counts: use one threshold for all samples, which gives an upper
        bound on the hinges (see Notes).
    <tol>
    max_iter : int, default=2000
        Maximum number of Newton steps, or of passes over the data where coordinate descent solves
        the problem (weight bounds, attack models that count).
    <attack_model, class_weight, warm_start, n_jobs>

    Attributes
    ----------
    <radius_, radius_choice_, coef_, intercept_, classes_, status_, objective_, n_iter_>
    dual_gap_ : float
        Relative duality gap: how far `objective_` can be from the minimum over all planes with
        ``||w||_q`` up to twice that of the answer.
    <attack_model_, ranges_, n_features_in_>

    See Also
    --------
    LinearSVMClassifier : The ordinary SVM.

    Notes
    -----
    If the adversary is too strong, the best plane is w = 0, which gives every point the same
    answer; `fit` then warns.

    If words are added or removed, ``AttackModel("l0", bounds=(0, 1), increase_only=range(n))`` on 0/1
    data counts them: a feature changes as a whole or not at all, and with radius a the worst move
    gains the a largest harmful weights of the sample, ``min over t >= 0 of a t + sum_f [gain_f -
    t]_+``. In a plane trained in this way (the budget hinge), no small set of words outweighs the
    rest. On sparse X with more than 200 columns and ``regularization`` > 0 it is solved by
    coordinate descent, in time proportional to the entries of X; ``tol=1e-3`` is quick, 1e-8 is
    not.

    Examples
    --------
    >>> from redoubt import RobustSVMClassifier
    >>> model = RobustSVMClassifier(radius=0.5).fit([[-3], [-1], [1], [4]], [0, 0, 1, 1])
    >>> float(model.coef_[0, 0].round(6))  # 1 = w (1 - radius)
    2.0
    >>> model.predict([[-0.5], [0.5]]).tolist()
    [0, 1]
    """

    radius: float | str = 0.1
    _: KW_ONLY
    regularization: float = 0.0
    weight_bounds: tuple | None = None
    shared_threshold: bool = False
    tol: float = 1e-8
    max_iter: int = 2000

    _choose = staticmethod(_core.choose_svm_radius)

    def _solve(self, data, **settings):
        if self.weight_bounds is not None:
            settings = settings | _ends(self.weight_bounds)
        if self.shared_threshold:
            settings = settings | {"shares_threshold": True}
        return _core.train_robust_svm(
            data.X, data.signs, data.radii, attack_model=data.attack_model, **settings
        )


def _ends(weight_bounds):
    """The library's settings of a pair of ends."""
    if not isinstance(weight_bounds, (tuple, list)) or len(weight_bounds) != 2:
        raise ValueError(f"weight_bounds: expected a pair (low, high), got {weight_bounds!r}")
    ends = {}
    for name, value, none in zip(
        ("least_weight", "greatest_weight"), weight_bounds, (-np.inf, np.inf), strict=True
    ):
        ends[name] = number_list("weight_bounds", none if value is None else value)
    return ends
