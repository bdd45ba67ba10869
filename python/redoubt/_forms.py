"""The two forms of a linear classifier: a vote of planes, and an arg-max over classes.

Everything here is exact: answers are those of arithmetic without rounding. Every plane says what
it answers at zero, because models differ: this package answers +1, scikit-learn -1, LIBSVM +1.
"""

from dataclasses import dataclass

import numpy as np

from redoubt import _core

__all__ = ["ArgMax", "Planes", "Vote"]


@dataclass(frozen=True, eq=False)
class Planes:
    """Planes w_i'x + b_i; `tie[i]` is True where plane i answers +1 at zero, and -1 otherwise."""

    coef: np.ndarray
    intercept: np.ndarray
    tie: np.ndarray

    @classmethod
    def make(cls, coef, intercept, tie):
        coef = np.ascontiguousarray(coef, dtype=np.float64)
        shape = len(coef)
        intercept = np.array(np.broadcast_to(np.ravel(intercept), shape), dtype=np.float64)
        return cls(coef, intercept, np.array(np.broadcast_to(tie, shape), dtype=bool))

    @classmethod
    def constant(cls, n_features, signs):
        """Planes that always give the same answer."""
        return cls.make(np.zeros((len(signs), n_features)), np.asarray(signs, dtype=float), True)

    def __len__(self):
        return len(self.coef)

    def __neg__(self):
        return Planes(-self.coef, -self.intercept, ~self.tie)

    def __add__(self, other):
        """Both together."""
        return Planes(
            np.vstack([self.coef, other.coef]),
            np.concatenate([self.intercept, other.intercept]),
            np.concatenate([self.tie, other.tie]),
        )

    def minus(self, other):
        """The difference of two linear functions, rounded once; positive where this is greater."""
        return self.coef - other.coef, self.intercept - other.intercept

    def votes(self, X):
        """The sum of the answers of all planes at each row."""
        total = np.zeros(len(X), dtype=int)
        for sign, chosen in ((1, self.tie), (-1, ~self.tie)):
            if chosen.any():
                planes = _core.Ensemble(sign * self.coef[chosen], sign * self.intercept[chosen])
                total += sign * planes.votes(X)
        return total

    def after(self, factor, shift):
        """The same planes as functions of x where they now see ``factor * x + shift``.

        Works in extended precision and rounds the result once.
        """
        coef = self.coef.astype(np.longdouble)
        return Planes.make(coef * factor, self.intercept + coef @ shift, self.tie)


@dataclass(frozen=True, eq=False)
class Vote:
    """Two classes, 0 and 1: 1 where more planes answer +1 than -1; `tie` is the answer to a tie."""

    planes: Planes
    tie: bool

    @property
    def n_features(self):
        return self.planes.coef.shape[1]

    def answers(self, X):
        total = self.planes.votes(X)
        return np.where(total == 0, int(self.tie), (total > 0).astype(int))

    def after(self, factor, shift):
        return Vote(self.planes.after(factor, shift), self.tie)


@dataclass(frozen=True, eq=False)
class ArgMax:
    """The class with the greatest score; ties go to the smaller index.

    A score is the value of the class's one plane or, if `by_votes`, the sum of the answers of its
    planes.
    """

    planes: list
    by_votes: bool

    @property
    def n_classes(self):
        return len(self.planes)

    @property
    def n_features(self):
        return self.planes[0].coef.shape[1]

    def after(self, factor, shift):
        return ArgMax([planes.after(factor, shift) for planes in self.planes], self.by_votes)

    def pair(self, c, k):
        """The vote that answers 1 where class c beats class k."""
        mine, theirs = self.planes[c], self.planes[k]
        if self.by_votes:
            return Vote(mine + -theirs, c < k)
        return Vote(Planes.make(*mine.minus(theirs), c < k), c < k)

    def region(self, c):
        """The vote that answers 1 where class c beats every rival; for scores that are values."""
        rivals = [k for k in range(self.n_classes) if k != c]
        planes = self.pair(c, rivals[0]).planes
        for k in rivals[1:]:
            planes = planes + self.pair(c, k).planes
        return _all_of(planes)

    def unanimous(self, c):
        """The vote that answers 1 where every plane of class c answers +1; for votes."""
        return _all_of(self.planes[c])

    def answers(self, X):
        if self.by_votes:
            return np.argmax([planes.votes(X) for planes in self.planes], axis=0)
        scores = [X @ planes.coef[0] + planes.intercept[0] for planes in self.planes]
        best = np.argmax(scores, axis=0)
        # Rounding may have crowned a rival of nearly the same score: let the pairs decide.
        for k in range(self.n_classes):
            for c in np.unique(best[best != k]):
                rows = np.flatnonzero(best == c)
                best[rows[self.pair(int(c), k).answers(X[rows]) == 0]] = k
        return best


def _all_of(planes):
    """The vote that answers 1 where all planes answer +1.

    As many constant planes, less one, vote against.
    """
    against = Planes.constant(planes.coef.shape[1], [-1] * (len(planes) - 1))
    return Vote(planes + against if len(against) else planes, True)
