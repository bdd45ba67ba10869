"""Planes that vote, made from arrays."""

import numpy as np
from sklearn.utils.validation import check_array

from redoubt import _core

__all__ = ["Ensemble"]


class Ensemble(_core.Ensemble):
    """Planes that vote: the answer at x is sgn(sum_i sgn(w_i'x + b_i)) with sgn(0) = +1.

    Parameters
    ----------
    coef : array-like of shape (n_planes, n_features)
        One plane w_i per row.
    intercept : array-like of shape (n_planes,)
        b_i.

    Examples
    --------
    >>> import redoubt
    >>> vote = redoubt.Ensemble([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0.0, 0.0, -1.0])
    >>> vote
    Ensemble(n_planes=3, n_features=2)
    >>> redoubt.certify(vote, [[3.0, 4.0], [-3.0, -4.0]]).prediction.tolist()
    [1, -1]
    """

    def __init__(self, coef, intercept):
        planes = check_array(coef, dtype=np.float64, order="C", input_name="coef")
        super().__init__(planes, np.asarray(intercept, dtype=np.float64).reshape(-1))

    def __reduce__(self):
        return type(self), (self.coef, self.intercept)

    def __repr__(self):
        return f"{type(self).__name__}(n_planes={self.n_planes}, n_features={self.n_features})"
