"""What a trained vote does: it answers, is certified and attacked, and goes into a file."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from redoubt import _core
from redoubt._attack_models import AttackModel
from redoubt._certificates.certify import attack, certify
from redoubt._certificates.results import Attacks, Certificates
from redoubt._checks import thread_count
from redoubt._estimators.auto_radius import choice_record
from redoubt._models.arrow_rows import rows_for
from redoubt._models.saving import save_model
from redoubt._models.sparse_points import as_points
from redoubt._typing import Array, FilePath, Labels, Norm, Rows


class FittedVotes(ClassifierMixin, BaseEstimator):
    """What classifiers of this package have in common once they are fitted.

    They have `coef_`, `intercept_` and `classes_`, and `quota_` if there is a quota; `n_jobs` is a parameter.
    """

    # --- answers ------------------------------------------------------------------------------

    def _planes_per_class(self):
        """(coef, intercept) of each class; of two classes, those of ``classes_[1]`` only."""
        n_parts = 1 if len(self.classes_) == 2 else len(self.classes_)
        return list(
            zip(np.split(self.coef_, n_parts), np.split(self.intercept_, n_parts), strict=True)
        )

    def _checked(self, X):
        check_is_fitted(self)
        X = rows_for(self, X)
        X = validate_data(
            self, X, accept_sparse="csr", reset=False, dtype=np.float64, order="C"
        )
        return as_points(X)

    def _vote_sums(self, X):
        """Votes for minus votes against, one column per part."""
        threads = thread_count(self.n_jobs)
        sums = [_core.Ensemble(*planes).votes(X, threads) for planes in self._planes_per_class()]
        return np.column_stack(sums)

    def _least_sum(self):
        """The least sum of votes that is answered with ``classes_[1]``."""
        quota = getattr(self, "quota_", None)
        return 0 if quota is None else 2 * quota - len(self.coef_)

    def _values(self, X):
        """What the classes are compared by, one column per part, and its exact signs."""
        sums = self._vote_sums(X)
        n_planes = len(self._planes_per_class()[0][0])
        if n_planes > 1:
            return (sums - self._least_sum()) / n_planes, sums
        values = [_core.Ensemble(*planes).margins(X)[:, 0] for planes in self._planes_per_class()]
        return np.column_stack(values), sums

    def votes(self, X: Rows) -> Array:
        """Return how many planes vote for each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        votes : ndarray of int, shape (n_samples, n_classes)
        """
        X = self._checked(X)
        sums = self._vote_sums(X)
        n_planes = len(self._planes_per_class()[0][0])
        votes_for = (n_planes + sums) // 2
        return np.hstack([n_planes - votes_for, votes_for]) if sums.shape[1] == 1 else votes_for

    def decision_function(self, X: Rows) -> Array:
        """Return a number (with several classes, one per class) that determines the answer.

        For a vote it is the mean of the planes' answers, from -1 to 1, minus the mean of a vote
        that just meets the quota, if there is one; for one plane it is w'x + b. With two classes
        the number is positive exactly where `predict` answers ``classes_[1]``: a tie, or a value
        that rounding would put on the wrong side, becomes the smallest number of the right sign.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        values : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        values, sums = self._values(self._checked(X))
        if values.shape[1] > 1:
            return values
        tiny = np.nextafter(0.0, 1.0)
        positive = sums[:, 0] >= self._least_sum()
        return np.where(positive, np.maximum(values[:, 0], tiny), np.minimum(values[:, 0], -tiny))

    def predict(self, X: Rows) -> Array:
        """Return the class of each row of X.

        A tie between two classes goes to ``classes_[1]``, one between several to the first.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        answers = self._answers(self._checked(X))
        return self.classes_[answers]

    def _answers(self, X):
        """The number of each row's class."""
        if len(self.classes_) > 2:
            return self._class_vote().predict(X, thread_count(self.n_jobs))
        return (self._vote_sums(X)[:, 0] >= self._least_sum()).astype(int)

    def _class_vote(self):
        """Of more than two classes: how they answer, exactly."""
        counts = [len(coef) for coef, _ in self._planes_per_class()]
        score = "value" if counts[0] == 1 else "votes"
        return _core.ClassVote(_core.Ensemble(self.coef_, self.intercept_), counts, score)

    def certify(
        self,
        X: Rows,
        y: Labels = None,
        *,
        norm: Norm | None = None,
        attack_model: AttackModel | None = None,
        **options: Any,
    ) -> Certificates:
        """Return how far each point can move before the answer changes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or None, default=None
            Labels; without them every answer counts as right.
        norm : {"l1", "l2", "linf"} or None, default=None
            None is the norm of the training, or "l2".
        attack_model : AttackModel or None, default=None
            None is that of the training; the plain ball is ``AttackModel(norm)``.
        **options
            Passed to `redoubt.certify`.

        Returns
        -------
        certificates : Certificates
        """
        check_is_fitted(self)
        return certify(self, X, y, norm=norm, attack_model=attack_model, **options)

    def attack(
        self,
        X: Rows,
        y: Labels,
        radius: ArrayLike,
        *,
        norm: Norm | None = None,
        attack_model: AttackModel | None = None,
        **options: Any,
    ) -> Attacks:
        """Return the worst move of each point within a radius.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        radius : float or array-like of shape (n_samples,)
        norm, attack_model
            As for `certify`.
        **options
            Passed to `redoubt.attack`.

        Returns
        -------
        attacks : Attacks
        """
        check_is_fitted(self)
        return attack(self, X, y, radius, norm=norm, attack_model=attack_model, **options)

    # --- files --------------------------------------------------------------------------------

    def save(self, path: FilePath) -> None:
        """Write a model file for the `redoubt` program, as `redoubt.save_model` does.

        Behind scalers, save the whole Pipeline with `redoubt.save_model`: this classifier does not
        know the scalers.

        Parameters
        ----------
        path : str or path-like

        See Also
        --------
        redoubt.save_model : The same for pipelines, with their scalers.
        redoubt.load_model : Read a model file.
        """
        save_model(self, path)

    def _training_record(self):
        """What a model file says about the training."""
        radii = self._radii_of_training
        if radii is None and hasattr(self, "radius_"):
            radii = np.atleast_1d(self.radius_)
        return {
            "method": self._method_name(),
            "radii": radii,
            "n_points": self._n_points,
            "status": self.status_,
            "is_partial": self.is_partial_,
            **choice_record(getattr(self, "_joint_choice", getattr(self, "radius_choice_", None))),
        }

    def _method_name(self):
        """As the program calls the method."""
        name = type(self).__name__
        known = {
            "LinearSVMClassifier": "svm",
            "RobustSVMClassifier": "ro-svm",
            "BaggedSVMClassifier": "svm-ens",
            "CollaborativeEnsembleClassifier": "ens-c",
        }
        if name == "RobustEnsembleClassifier":
            return "ens-" + self.adversary[0]
        return known.get(name, name)
