"""Planes that vote, made from arrays."""

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_array

from redoubt import _core
from redoubt._models.sparse_points import float_points
from redoubt._typing import Array, Rows


class Ensemble(_core.Ensemble):
    """Planes that vote: the answer at x is sgn(sum_i alpha_i sgn(w_i'x + b_i)) with sgn(0) = +1.

    Parameters
    ----------
    coef : array-like of shape (n_planes, n_features)
        One plane w_i per row.
    intercept : array-like of shape (n_planes,)
        b_i.
    weights : array-like of shape (n_planes,) or None, default=None
        alpha_i > 0, between 1e-100 and 1e100, and at least 2^-40 of the largest unless they need no
        rounding (see Notes). None is a majority vote: all weigh 1.
    quota : float or None, default=None
        The answer is +1 where planes of at least this weight (this many planes, if all weigh 1)
        answer +1. Between 0, exclusive, and the sum of the weights; None is half of it.

    Notes
    -----
    Votes are added without rounding: weights are rounded to 2^-52 of the largest (slightly more for
    more than 512 planes) and treated as integer multiples of their greatest common divisor. So 0.1
    and 0.1 tie with 0.2, as they should.

    Examples
    --------
    >>> import redoubt
    >>> vote = redoubt.Ensemble([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0.0, 0.0, -1.0])
    >>> vote
    Ensemble(n_planes=3, n_features=2)
    >>> redoubt.certify(vote, [[3.0, 4.0], [-3.0, -4.0]]).prediction.tolist()
    [1, -1]

    The second plane outweighs the others, and so decides alone:

    >>> vote = redoubt.Ensemble(vote.coef, vote.intercept, weights=[1.0, 3.0, 1.5])
    >>> vote
    Ensemble(n_planes=3, n_features=2, weighted)
    >>> vote.votes([[3.0, -4.0]]).tolist()
    [-3.5]
    >>> redoubt.certify(vote, [[3.0, 4.0]]).radius.round(6).tolist()
    [4.0]

    All three must agree on +1:

    >>> vote = redoubt.Ensemble(vote.coef, vote.intercept, quota=3)
    >>> vote.predict([[3.0, 4.0], [3.0, -1.0]]).tolist()
    [1, -1]
    >>> redoubt.certify(vote, [[3.0, 4.0]]).radius.round(6).tolist()
    [3.0]
    """

    def __init__(
        self,
        coef: ArrayLike,
        intercept: ArrayLike,
        weights: ArrayLike | None = None,
        quota: float | None = None,
    ) -> None:
        planes = check_array(coef, dtype=np.float64, order="C", input_name="coef")
        intercept = np.asarray(intercept, dtype=np.float64).reshape(-1)
        if weights is None:
            self._fill(_core.Ensemble(planes, intercept), quota)
            return
        weights = np.asarray(weights, dtype=np.float64)
        if weights.shape != (len(planes),):
            raise _core.InvalidInput(
                f"weights: expected one number per plane ({len(planes)}), got shape {weights.shape}"
            )
        self._fill(_core.Ensemble(planes, intercept, weights), quota)

    def _fill(self, ensemble, quota):
        super().__init__(ensemble if quota is None else ensemble.with_quota(quota))

    @classmethod
    def _of(cls, ensemble):
        """From the library's."""
        return cls(
            ensemble.coef,
            ensemble.intercept,
            ensemble.weights if ensemble.is_weighted else None,
            ensemble.quota if ensemble.has_quota else None,
        )

    def with_quota(self, quota):
        """Return the same planes and weights with another quota.

        Parameters
        ----------
        quota : float

        Returns
        -------
        ensemble : Ensemble
        """
        return self._of(super().with_quota(quota))

    @property
    def quota(self):
        """As given; None without one."""
        return super().quota if self.has_quota else None

    @property
    def weights(self) -> Array | None:  # type: ignore[override]
        """alpha_i as given; None for a majority vote."""
        return super().weights if self.is_weighted else None

    def votes(self, X: Rows, n_threads: int = 1) -> Array:
        """Return sum_i alpha_i sgn(w_i'x + b_i) for every row of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        n_threads : int, default=1
            0 uses every core.

        Returns
        -------
        votes : ndarray of shape (n_samples,)
            As if computed without rounding. Integers for a majority vote; else rounded once.
        """
        count = super().weighted_votes if self.is_weighted else super().votes
        return count(float_points(X), n_threads)

    def predict(self, X: Rows, n_threads: int = 1) -> Array:
        """Return the answer of the vote, -1 or +1, for every row of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        n_threads : int, default=1
            0 uses every core.

        Returns
        -------
        answers : ndarray of shape (n_samples,)
        """
        return super().predict(float_points(X), n_threads)

    def __reduce__(self):
        return type(self), (self.coef, self.intercept, self.weights, self.quota)

    def __repr__(self):
        weighted = ", weighted" if self.is_weighted else ""
        quota = f", quota={self.quota:g}" if self.has_quota else ""
        size = f"n_planes={self.n_planes}, n_features={self.n_features}"
        return f"{type(self).__name__}({size}{weighted}{quota})"
