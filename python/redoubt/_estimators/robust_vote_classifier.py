"""What classifiers trained against an adversary share: the radius."""

import time
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from redoubt._checks import check_real
from redoubt._estimators.auto_radius import as_choice, choices_by_class
from redoubt._estimators.progress import progress_bar
from redoubt._estimators.vote_classifier import VoteClassifier
from redoubt._typing import Labels, Rows


@dataclass(eq=False, repr=False)
class RobustVoteClassifier(VoteClassifier):
    """A classifier that is trained against an adversary.

    Parameters
    ----------
    radius : float or "auto"
        How far the adversary may move a point, >= 0, in the units of X: scale the features first.
        "auto" is the most robust radius that costs no accuracy, chosen by cross-validation within
        the training data (on a sample, if there are more than 2,000 points).
    norm : {"l1", "l2", "linf"} or None, default=None
        The adversary's norm p. None is the attack model's, or "l2".
    attack_model : AttackModel or None, default=None
        What the adversary may do, in the units of the X that is passed to `fit` (behind a scaler:
        in scaled units). `certify` and `attack` use it, too.

    Attributes
    ----------
    radius_ : float or ndarray of shape (n_classes,)
        The training radius; with more than two classes and radius="auto", one per class.
    radius_choice_ : dict or list of dict
        With radius="auto": the natural scale of the data ("scale"), the candidates
        ("candidate_radius", "candidate_planes") and their "balanced_accuracy", "standard_error" and
        "certified_radius" in cross-validation ("n_folds" folds of "n_points" points), and the
        choice ("radius", "n_planes"). With more than two classes, a list with one such dict per
        class.
    """

    _: KW_ONLY
    norm: str | None = None

    def fit(
        self,
        X: Rows,
        y: Labels,
        sample_weight: ArrayLike | None = None,
        radius: ArrayLike | None = None,
    ) -> "RobustVoteClassifier":
        """Train the planes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two or more classes; of two, the greater label is the positive one.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            c_j >= 0; a weight of 0 leaves the sample out.
        radius : float, array-like of shape (n_samples,), "auto" or None, default=None
            r_j >= 0, one per sample; None takes the parameter `radius` for all.

        Returns
        -------
        self : estimator
        """
        radius = self.radius if radius is None else radius
        if isinstance(radius, str) and radius != "auto":
            raise ValueError(f"radius: expected a number or 'auto', got {radius!r}")
        if np.ndim(radius) == 0 and not isinstance(radius, str):
            radius = self._check_radius(radius)
        for name in ("radius_", "radius_choice_", "_joint_choice"):
            self.__dict__.pop(name, None)
        if np.ndim(radius) == 0 and radius != "auto":
            self.radius_ = radius
        with self._noting_choices():
            self._fit(X, y, sample_weight, radius)
        return self

    @contextmanager
    def _noting_choices(self):
        """Radii that are chosen within become attributes, even if the training is interrupted."""
        self._choices: list[Any] = []
        try:
            yield
        finally:
            choices = self.__dict__.pop("_choices")
            if choices:
                radii = [choice["radius"] for choice in choices]
                self.radius_ = radii[0] if len(radii) == 1 else np.array(radii)
                self.radius_choice_ = choices[0] if len(choices) == 1 else choices

    def _check_radius(self, radius):
        return check_real("radius", radius, 0)

    def _planes_to_try(self, settings):
        return [settings.get("n_planes", 1)]

    def _choose_radius(self, data, settings):
        """The data and settings of a training whose radius, and planes, the data have chosen."""
        began = time.monotonic()
        # What only a training needs.
        ours = {"n_planes": self._planes_to_try(settings), "weights": data.weights}
        with progress_bar(getattr(self, "verbose", 0), f"{data.name}, radius", "training") as bar:
            try:
                found = self._choose(
                    data.X, data.signs, attack_model=data.attack_model, progress=bar, **settings | ours
                )
            except BaseException as error:
                error.__dict__.pop("partial_result", None)  # nothing that could be used
                raise
        choice = as_choice(found)
        self._choices.append(choice)
        if "n_planes" in settings:
            settings["n_planes"] = choice["n_planes"]
        if "max_seconds" in settings:
            left = settings["max_seconds"] - (time.monotonic() - began)
            settings["max_seconds"] = max(0.0, left)
        return replace(data, radii=np.array([choice["radius"]])), settings

    def _choose_radii(self, X, codes, weights, rules, settings):
        """One radius per class, chosen together, and the settings of the trainings."""
        began = time.monotonic()
        ours = {"n_planes": [settings.get("n_planes", 1)], "weights": weights}
        name, n_classes = f"{type(self).__name__}, radius", int(codes.max()) + 1
        with progress_bar(getattr(self, "verbose", 0), name, "training") as bar:
            try:
                found = self._choose(
                    X,
                    codes.astype(np.float64),
                    n_classes,
                    attack_model=rules,
                    progress=bar,
                    **settings | ours,
                )
            except BaseException as error:
                error.__dict__.pop("partial_result", None)  # nothing that could be used
                raise
        self._joint_choice = as_choice(found)
        self._choices += choices_by_class(found, found.radii, found.scales)
        if "max_seconds" in settings:
            left = settings["max_seconds"] - (time.monotonic() - began)
            settings = settings | {"max_seconds": max(0.0, left)}
        return found.radii, settings
