"""What all classifiers of this package share: checks, classes, answers, certificates, files."""

import warnings
from dataclasses import KW_ONLY, dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from redoubt import _core
from redoubt._attack_models import AttackModel, choose_norm
from redoubt._checks import check_count, number_list
from redoubt._estimators.fitted_votes import FittedVotes
from redoubt._estimators.settings import library_settings
from redoubt._models.saving import look_of
from redoubt._models.sparse_points import as_points, column_ranges, n_rows
from redoubt._sklearn_private import _check_sample_weight
from redoubt._typing import Labels, Rows


class ConstantAnswerWarning(UserWarning):
    """A classifier gives (almost) one answer to all of its training points.

    Or its balanced accuracy is no better than that of a constant answer.
    """


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Two classes, ready for the library. `radii` has one entry, or one per point; or is None.

    `attack_model` is the library's, or None.
    """

    X: np.ndarray
    signs: np.ndarray
    weights: np.ndarray | None
    radii: np.ndarray | None
    name: str
    attack_model: object = None


# What a training that did all that was asked says of itself.
SUCCESS = ("optimal", "finished")
# A class that is answered less often than this share of its size is hardly ever found.
RARE_ANSWER = 0.1


@dataclass(eq=False)
class Trained:
    """Planes that tell one class from the rest, and how they came about."""

    coef: np.ndarray
    intercept: np.ndarray
    status: str
    is_partial: bool
    history: dict
    dual_ratio: np.ndarray

    @classmethod
    def of(cls, result):
        """From what the library's trainings of votes return."""
        if result.ensemble is None:
            raise RuntimeError(f"the training stopped ({result.status}) before its first plane")
        planes, history = result.ensemble, dict(result.history)
        status = result.status, result.is_partial
        return cls(planes.coef, planes.intercept, *status, history, result.dual_ratio)

    def ensemble(self):
        return _core.Ensemble(self.coef, self.intercept)

    def joined(self, later):
        """These planes, followed by those of a later training that did not repeat them."""
        coef = np.vstack([self.coef, later.coef])
        return replace(later, coef=coef, intercept=np.append(self.intercept, later.intercept))

    def only(self, number):
        """With this plane alone."""
        rows = slice(number, number + 1)
        return replace(self, coef=self.coef[rows], intercept=self.intercept[rows])

    def first(self, n_planes):
        """With this many planes only."""
        return replace(self, coef=self.coef[:n_planes], intercept=self.intercept[:n_planes])


@dataclass(eq=False, repr=False)  # its __init__ is of the kind that scikit-learn asks for
class VoteClassifier(FittedVotes):
    """A vote of planes for two classes; for more, one vote per class, of which the greatest wins.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of the hinges, > 0.
    n_planes : int, default=15
        Number of planes in the vote.
    tol : float, default=1e-8
        Relative duality gap of each SVM.
    attack_model : AttackModel or None, default=None
        For `certify`, `attack` and displays, in the units of the X that is passed to `fit` (behind
        a scaler: in scaled units). Training ignores it.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the sample weights, as in scikit-learn.
    quota : int or None, default=None
        For two classes: answer ``classes_[1]`` if at least this many planes do. None is half of
        them. `redoubt.operating_point` chooses a quota for a rate of false positives.
    max_seconds : float or None, default=None
        Stop after this time, with the planes that are finished.
    n_jobs : int or None, default=None
        Threads; -1 uses every core. The answer does not depend on it.
    verbose : int, default=0
        If > 0, show a progress bar on standard error.

    Attributes
    ----------
    coef_ : ndarray of shape (n_planes, n_features)
        One plane per row; with K > 2 classes, K blocks of `n_planes` rows.
    intercept_ : ndarray of shape (n_planes,)
    classes_ : ndarray of shape (n_classes,)
    status_ : str
        "optimal", or what stopped the training.
    is_partial_ : bool
        A limit was reached or Ctrl-C was pressed: training is incomplete.
    quota_ : int or None
        The quota that `predict` uses.
    attack_model_ : ResolvedAttackModel or None
        `attack_model` for these features and classes.
    ranges_ : ndarray of shape (n_features, 2)
        The least and the greatest value of each feature in the training data.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    """

    _: KW_ONLY
    attack_model: AttackModel | None = None
    class_weight: dict | str | None = None
    warm_start: bool = False
    n_jobs: int | None = None

    def fit(self, X: Rows, y: Labels, sample_weight: ArrayLike | None = None) -> "VoteClassifier":
        """Train the planes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two or more classes; of two, the greater label is the positive one.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            c_j >= 0; a weight of 0 leaves the sample out.

        Returns
        -------
        self : estimator
        """
        return self._fit(X, y, sample_weight, None)

    def _train(self, data, earlier, settings):
        """Return the Trained of a TrainingData, or None to keep `earlier`.

        `earlier` is the Trained of the last fit, if that is wanted and fits; `settings` are the
        library's.
        """
        raise NotImplementedError

    def _fit(self, X, y, sample_weight, radius):
        """Train once, or once per class. What an interrupted training has is kept, and the
        interruption goes on.
        """
        settings = library_settings(self)
        if radius is not None:
            settings["norm"] = self._training_norm()
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, order="C")
        X = as_points(X)
        check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
        weights = self._weights(X, y, sample_weight)
        self._check_classes(classes, codes, weights)
        self._check_quota(len(classes))
        is_auto = isinstance(radius, str)
        radii = None if radius is None or is_auto else self._radii(radius, n_rows(X))
        # For the model file.
        self._n_points, self._radii_of_training, self._data_look = n_rows(X), radii, look_of(X)
        self.attack_model_ = self._resolve_attack_model(classes)
        self.ranges_ = column_ranges(X)
        rules = None if radius is None else self._rules(X, codes, classes)
        earlier = self._earlier(X, classes)

        interruption = None
        parts = []
        n_parts = 1 if len(classes) == 2 else len(classes)
        is_joint = n_parts > 1 and self._trains_jointly()
        settings |= self._defaults_for(n_parts, is_auto, is_joint)
        if is_joint:
            settings["joint_classes"] = n_parts
        if is_auto and n_parts > 1:
            radii, settings = self._choose_radii(X, codes, weights, rules, settings)
        if is_joint:
            self._fit_jointly(X, codes, weights, radii, rules, earlier, classes, settings)
        for number in [] if is_joint else [1] if n_parts == 1 else range(n_parts):
            name = type(self).__name__ + ("" if n_parts == 1 else f", {classes[number]!r}")
            signs = np.where(codes == number, 1.0, -1.0)
            before = None if earlier is None else earlier[len(parts)]
            mine = rules if rules is None or n_parts == 1 else rules.against_rest(number)
            data = TrainingData(X, signs, weights, radii, name, mine)
            own = dict(settings)
            if is_auto and n_parts == 1:
                data, own = self._choose_radius(data, own)
            elif is_auto:
                data = replace(data, radii=radii[number : number + 1])
            try:
                after = self._train(data, before, own)
            except BaseException as error:
                after = self._partial(error)
                if after is None:
                    raise
                interruption = error
            parts.append(before if after is None else after)
            if interruption is not None:
                break
        if interruption is not None and len(parts) < n_parts:
            raise interruption  # some classes have no planes yet
        if not is_joint:
            self._store(classes, parts)
        if interruption is not None:
            raise interruption
        self._warn_of_limits()
        self._warn_of_constant(X, codes)
        return self

    def _fit_jointly(self, X, codes, weights, radii, rules, earlier, classes, settings):
        """Train the planes of all classes in one training, and keep them."""
        radii = radii[:1] if len(radii) == len(classes) != n_rows(X) else radii  # equal ones
        before = None
        if earlier is not None:
            before = earlier[0]
            for part in earlier[1:]:
                before = before.joined(replace(part, history=before.history))
        data = TrainingData(
            X, codes.astype(np.float64), weights, radii, type(self).__name__, rules
        )
        interruption = None
        try:
            whole = self._train(data, before, settings)
        except BaseException as error:
            whole = self._partial(error)
            if whole is None:
                raise
            interruption = error
        self._store(classes, [whole.only(number) for number in range(len(classes))])
        self.history_ = whole.history
        if interruption is not None:
            raise interruption

    def _trains_jointly(self):
        """Are several classes one training, and not one each against the rest?"""
        return False

    def _defaults_for(self, n_parts, is_auto, is_joint=False):
        """Settings that depend on the number of classes, where nobody gave them."""
        return {}

    def _partial(self, error):
        """What an interrupted training left behind, if it is of use."""
        result = getattr(error, "partial_result", None)
        if result is None:
            return None
        del error.partial_result  # it would keep memory alive
        return self._as_trained(result)

    def _as_trained(self, result):
        return None if result.ensemble is None else Trained.of(result)

    def _check_classes(self, classes, codes, weights):
        present = np.unique(codes if weights is None else codes[weights > 0])
        if len(present) < 2 or len(present) < len(classes):
            raise ValueError(
                f"{type(self).__name__} needs samples of {max(2, len(classes))} classes with "
                f"positive weight, got {len(present)} class{'' if len(present) == 1 else 'es'}"
            )

    def _check_quota(self, n_classes):
        quota = getattr(self, "quota", None)
        if quota is None:
            return
        check_count("quota", quota, low=1)
        if n_classes > 2:
            raise ValueError(f"quota: expected None for {n_classes} classes, got {quota}")
        n_planes = self._n_planes_wanted()
        if n_planes is not None and quota > n_planes:
            raise ValueError(
                f"quota: expected at most the number of planes, {n_planes}, got {quota}"
            )

    def _n_planes_wanted(self):
        """How many planes will vote; None if the training decides."""
        return self.n_planes

    def _weights(self, X, y, sample_weight):
        if sample_weight is None and self.class_weight is None:
            return None
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if self.class_weight is not None:
            weights = weights * compute_sample_weight(self.class_weight, y)
        return weights

    def _training_norm(self):
        """The norm to train against: `norm`, or else the attack model's; "l2" without either."""
        return choose_norm(self.attack_model, getattr(self, "norm", None))

    def _resolve_attack_model(self, classes):
        if self.attack_model is None:
            return None
        self._training_norm()
        names = getattr(self, "feature_names_in_", self.n_features_in_)
        return self.attack_model.resolve(names, classes)

    def _rules(self, X, codes, classes):
        """The attack model for the library's trainings against an adversary."""
        model = self.attack_model_
        return None if model is None else model.for_labels(X, codes, n_classes=len(classes))

    def _radii(self, radius, n):
        radii = number_list("radius", radius)
        if radii.ndim == 1 and len(radii) in (1, n):
            return radii
        wanted = f"one number or one per sample ({n})"
        raise ValueError(f"radius: expected {wanted}, got shape {radii.shape}")

    def _earlier(self, X, classes):
        """The planes of the last fit, class by class, if they are wanted and fit these data."""
        if not self.warm_start or not hasattr(self, "_trained"):
            return None
        same = np.array_equal(classes, self.classes_) and self.coef_.shape[1] == X.shape[1]
        return self._trained if same else None

    def _store(self, classes, parts):
        n_planes = min(len(part.coef) for part in parts)
        if len(parts) > 1:  # votes are compared, so each class must have as many
            parts = [part.first(n_planes) for part in parts]
        self.classes_ = classes
        self.coef_ = np.vstack([part.coef for part in parts])
        self.intercept_ = np.concatenate([part.intercept for part in parts])
        self.quota_ = getattr(self, "quota", None)
        if self.quota_ is not None and self.quota_ > n_planes:  # of those that are ready
            self.quota_ = n_planes
        stopped = [part.status for part in parts if part.status not in SUCCESS]
        self.status_ = stopped[0] if stopped else parts[0].status
        self.is_partial_ = any(part.is_partial for part in parts)
        histories = [part.history for part in parts]
        self.history_ = histories[0] if len(parts) == 1 else histories
        self._trained = parts

    def _warn_of_limits(self):
        if self.status_ in SUCCESS:
            return
        warnings.warn(
            f"{type(self).__name__} stopped early ({self.status_})",
            ConvergenceWarning,
            stacklevel=4,
        )

    def _warn_of_constant(self, X, codes):
        """Once per fit, where the answers to the training points are those of a constant."""
        answers = self._answers(X)
        sizes = np.bincount(codes, minlength=len(self.classes_))
        given = np.bincount(answers, minlength=len(self.classes_))
        right = np.bincount(codes[answers == codes], minlength=len(self.classes_))
        rare = np.flatnonzero(given < RARE_ANSWER * sizes)
        if len(rare):
            label = self.classes_[rare[0] : rare[0] + 1].tolist()[0]
            count = given[rare[0]] or "none"
            problem = (
                f"answers {label!r} for {count} of its {n_rows(X)} training points, of which "
                f"{sizes[rare[0]]} are"
            )
        elif np.mean(right / sizes) <= 1 / len(sizes):
            problem = "is no better than a constant answer on its training points"
        else:
            return
        cures = [] if self.class_weight is not None else ["class_weight='balanced'"]
        if hasattr(self, "radius"):
            cures.insert(0, "a smaller radius")
        cure = " or ".join(cures) or "other features"
        name = type(self).__name__ + self._reason_of_constant()
        warnings.warn(f"{name} {problem}; try {cure}", ConstantAnswerWarning, stacklevel=4)

    def _reason_of_constant(self):
        """Why the answers are constant, if the training says so, between the name and the rest."""
        return ""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
