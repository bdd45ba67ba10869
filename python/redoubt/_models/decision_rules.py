"""The two forms of a linear classifier: a (weighted) vote of planes, and an arg-max over classes.

Everything here is exact: answers are those of arithmetic without rounding. Every plane says what
it answers at zero, because models differ: this package answers +1, scikit-learn -1, LIBSVM +1.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from redoubt import _core


@dataclass(frozen=True, eq=False)
class Planes:
    """Planes w_i'x + b_i; `tie[i]` is True where plane i answers +1 at zero, and -1 otherwise.

    `weights` are integers >= 1, so that votes add up without rounding; None is 1 for all. Only
    planes whose weights are multiples of the same unit can be added.
    """

    coef: np.ndarray
    intercept: np.ndarray
    tie: np.ndarray
    weights: np.ndarray | None = None

    @classmethod
    def make(cls, coef, intercept, tie, weights=None):
        coef = np.ascontiguousarray(coef, dtype=np.float64)
        shape = len(coef)
        intercept = np.array(np.broadcast_to(np.ravel(intercept), shape), dtype=np.float64)
        if weights is not None:
            weights = np.array(weights, dtype=np.int64)
            weights = None if np.all(weights == 1) else weights
        return cls(coef, intercept, np.array(np.broadcast_to(tie, shape), dtype=bool), weights)

    @classmethod
    def constant(cls, n_features, signs):
        """Planes that always give the same answer."""
        return cls.make(np.zeros((len(signs), n_features)), np.asarray(signs, dtype=float), True)

    def __len__(self):
        return len(self.coef)

    def __add__(self, other):
        """Both together."""
        return self.joined([other])

    def joined(self, others):
        """All together, these first."""
        parts = [self, *others]
        weights = None
        if any(part.weights is not None for part in parts):
            weights = np.concatenate([part.units for part in parts])
        return Planes(
            np.vstack([part.coef for part in parts]),
            np.concatenate([part.intercept for part in parts]),
            np.concatenate([part.tie for part in parts]),
            weights,
        )

    @property
    def units(self):
        """The weights, written out."""
        return np.ones(len(self), dtype=np.int64) if self.weights is None else self.weights

    def first(self, count):
        """The first planes only."""
        return self.part(slice(count))

    def part(self, rows):
        """These planes only."""
        weights = None if self.weights is None else self.weights[rows]
        return Planes(self.coef[rows], self.intercept[rows], self.tie[rows], weights)

    def minus(self, other):
        """The differences of linear functions, rounded once; positive where these are greater."""
        return Planes.make(self.coef - other.coef, self.intercept - other.intercept, True)

    def answers(self, X):
        """-1 or +1 of every plane (columns) at each row."""
        answers = np.empty((X.shape[0], len(self)), dtype=np.int8)
        for sign, chosen in ((1, self.tie), (-1, ~self.tie)):
            planes = _core.Ensemble(sign * self.coef[chosen], sign * self.intercept[chosen])
            answers[:, chosen] = sign * planes.answers(X)
        return answers

    def votes(self, X):
        """The sum of the weighted answers of all planes at each row."""
        total = np.zeros(X.shape[0], dtype=np.int64)
        for sign, chosen in ((1, self.tie), (-1, ~self.tie)):
            if chosen.any():
                planes = _core.Ensemble(sign * self.coef[chosen], sign * self.intercept[chosen])
                if self.weights is None:
                    total += sign * planes.votes(X)
                else:
                    total += sign * (planes.answers(X) @ self.weights[chosen])
        return total

    def after(self, factor, shift):
        """The same planes as functions of x where they now see ``factor * x + shift``.

        Works in extended precision and rounds the result once.
        """
        coef = self.coef.astype(np.longdouble)
        return Planes.make(coef * factor, self.intercept + coef @ shift, self.tie, self.weights)

    def ensemble(self, sign=1, need=None):
        """The planes times `sign` for the library, which answers zeros with +1.

        `need` is the weight of the planes that must answer +1; None is half of all.
        """
        made = self._majority(sign)
        return made if need is None else made.with_quota(float(need))

    def _majority(self, sign):
        coef, intercept = sign * self.coef, sign * self.intercept
        if self.weights is None:
            return _core.Ensemble(coef, intercept)
        ensemble = _core.Ensemble(coef, intercept, self.weights.astype(np.float64))
        units = ensemble.weight_units
        if np.any(self.weights != units * (self.weights[0] // units[0])):
            raise ValueError(
                f"weights: those of {len(self)} planes have too many digits to be added up without "
                "rounding; round them to fewer"
            )
        return ensemble


@dataclass(frozen=True, eq=False)
class Vote:
    """Two classes, 0 and 1: 1 where the weight of the planes that answer +1 is the greater.

    `tie` is the answer to a tie; `unit` is what a weight of 1 is in the model's own numbers. With
    a quota the answer is 1 where planes of weight `need` or more answer +1; there is no tie then.
    """

    planes: Planes
    tie: bool
    unit: float = 1.0
    need: int | None = None
    _made: dict = field(default_factory=dict, init=False, repr=False)  # what `ensemble` gave

    @property
    def n_features(self):
        return self.planes.coef.shape[1]

    @cached_property
    def tie_of_planes(self):
        """What all planes answer at zero; None if they differ."""
        tie = self.planes.tie
        return bool(tie[0]) if tie.all() or not tie.any() else None

    def answers(self, X):
        total = self.planes.votes(X)
        if self.need is not None:
            return (total >= self.least).astype(int)
        return np.where(total == 0, int(self.tie), (total > 0).astype(int))

    @property
    def least(self):
        """The least sum of weighted answers that a quota is content with."""
        return 2 * self.need - int(self.planes.units.sum())

    def after(self, factor, shift):
        return replace(self, planes=self.planes.after(factor, shift))

    def first(self, count):
        """By the first planes only; of a quota as large a share of their weight, rounded up."""
        planes, need = self.planes.first(count), self.need
        if need is not None:
            need = -(-need * int(planes.units.sum()) // int(self.planes.units.sum()))
        return replace(self, planes=planes, need=need)

    def class_vote(self):
        """The same for the library as a vote of two classes, whose planes may differ at zero.

        Class 0 has two planes that cancel each other, so that class 1 has to be above 0. The one
        that gets ties comes first: class 1 is number 0 where ties are its own.
        """
        if "classes" not in self._made:
            others = Planes.constant(self.n_features, [1, -1])
            classes = [self.planes, others] if self.tie else [others, self.planes]
            self._made["classes"] = _class_vote(classes, True)
        return self._made["classes"]

    def for_library(self, sign):
        """The same for the library, whose labels are -1 and +1 times `sign`."""
        return self.ensemble(sign, self.tie == (sign > 0))

    def ensemble(self, sign, goal_has_ties):
        """The planes times `sign` for the library, which answers every zero and tie with +1.

        `goal_has_ties`: the vote's answer to a tie is the one that the library calls +1. If it is
        not, and a tie is possible, a constant plane breaks it. It weighs one unit: where the
        weights add up to an even number, every vote is even, so it is 0 or outweighs that plane.
        """
        key = sign, bool(goal_has_ties)
        if key not in self._made:
            planes, need = self.planes, self.need
            total = int(planes.units.sum())
            if need is not None:
                need = need if sign > 0 else total - need + 1
            elif total % 2 == 0 and not goal_has_ties:
                planes = planes + Planes.constant(self.n_features, [-sign])
            self._made[key] = planes.ensemble(sign, need)
        return self._made[key]


@dataclass(frozen=True, eq=False)
class ArgMax:
    """The class with the greatest score; ties go to the smaller index.

    A score is the value of the class's one plane or, if `by_votes`, the sum of the weighted answers
    of its planes. The weights of all classes are multiples of one unit. If there are `tie_values`,
    one plane per class in one Planes, their values settle ties of votes first.
    """

    planes: list
    by_votes: bool
    tie_values: object = None
    _made: dict = field(default_factory=dict, init=False, repr=False)  # the library's

    @property
    def n_classes(self):
        return len(self.planes)

    @property
    def n_features(self):
        return self.planes[0].coef.shape[1]

    def after(self, factor, shift):
        values = self.tie_values
        return ArgMax(
            [planes.after(factor, shift) for planes in self.planes],
            self.by_votes,
            None if values is None else values.after(factor, shift),
        )

    def first(self, count):
        planes = [planes.first(count) for planes in self.planes]
        return ArgMax(planes, self.by_votes, self.tie_values)

    def for_library(self, sign=1):
        """The same for the library, whose labels are class indices."""
        return self.class_vote()

    def class_vote(self):
        """The same for the library."""
        if not self._made:
            self._made["vote"] = _class_vote(self.planes, self.by_votes, self.tie_values)
        return self._made["vote"]

    def answers(self, X):
        return self.class_vote().predict(X)


def _class_vote(classes, by_votes, tie_values=None):
    """The library's vote of these planes per class."""
    counts = [len(planes) for planes in classes]
    if not by_votes:  # a tie of values is none of planes
        coef = np.vstack([planes.coef for planes in classes])
        intercept = np.concatenate([planes.intercept for planes in classes])
        return _core.ClassVote(_core.Ensemble(coef, intercept), counts, "value")
    whole = classes[0].joined(classes[1:])
    minus = [] if whole.tie.all() else (~whole.tie).tolist()
    values = None if tie_values is None else tie_values.ensemble()
    return _core.ClassVote(whole.ensemble(), counts, "votes", minus, values)


def _all_planes(decision):
    """All that is linear in a decision, one Planes after the other."""
    if isinstance(decision, Vote):
        return [decision.planes]
    return decision.planes + ([] if decision.tie_values is None else [decision.tie_values])


def stacked(decision):
    """The coefficients and intercepts of all planes of a decision, one below the other."""
    planes = _all_planes(decision)
    return np.vstack([each.coef for each in planes]), np.concatenate(
        [each.intercept for each in planes]
    )


def with_planes(decision, coef, intercept):
    """The same decision by other coefficients and intercepts, stacked likewise."""
    changed, start = [], 0
    is_vote = isinstance(decision, Vote)
    for planes in _all_planes(decision):
        rows = slice(start, start + len(planes))
        changed.append(Planes.make(coef[rows], intercept[rows], planes.tie, planes.weights))
        start = rows.stop
    if is_vote:
        return replace(decision, planes=changed[0])
    values = None if decision.tie_values is None else changed.pop()
    return ArgMax(changed, decision.by_votes, values)


def is_near(decision, X, share=1e-6):
    """Which rows are so near to a plane, or to a draw of two scores, that rounding may decide."""
    if isinstance(decision, Vote):
        votes = [decision.planes]
    else:
        votes = decision.planes if decision.by_votes else []
        values = decision.tie_values
        if not decision.by_votes:
            values = decision.planes[0].joined(decision.planes[1:])
        pairs = [(c, k) for c in range(decision.n_classes) for k in range(c)]
        if values is not None:
            votes = votes + [values.part([c]).minus(values.part([k])) for c, k in pairs]
    near = np.zeros(X.shape[0], dtype=bool)
    for planes in votes:
        margin = np.abs(X @ planes.coef.T + planes.intercept)
        size = np.abs(X) @ np.abs(planes.coef).T + np.abs(planes.intercept)
        near |= (margin <= share * size).any(axis=1)
    return near
