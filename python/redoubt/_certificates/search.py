"""The least move that changes the answer of a vote or of an arg-max, from the exact search."""

import copy
import importlib.util
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from redoubt import _core
from redoubt._checks import thread_count
from redoubt._models.decision_rules import ArgMax

# A bracket narrower than this, relatively, counts as solved; the search reaches about 1e-11.
_TIGHT = 1e-9
# A length computed in floating point is raised by this to be safe as an upper bound.
ROUND_UP = 1 + 1e-12


def _find_highs():
    """Tell the library where the highspy wheel keeps HiGHS, if it is installed."""
    spec = importlib.util.find_spec("highspy")
    if spec is None or spec.origin is None:
        return
    package = Path(spec.origin).parent
    for folder in (package, package.parent / "highspy.libs", package / "lib"):
        for library in sorted(folder.glob("libhighs*.so*")):
            _core.set_highs_library(str(library))
            return


class Search:
    """The settings of a search, and a clock for the time that several of them share."""

    def __init__(
        self,
        norm,
        solver="native",
        max_nodes=None,
        max_seconds_per_point=None,
        max_seconds=None,
        n_jobs=None,
        attack_model=None,
        witness=True,
    ):
        if solver == "mip":
            _find_highs()
        self.norm = norm
        self.solver = solver
        self.attack_model = attack_model
        self.witness = witness
        self.proofs = None  # where to keep them, if they are wanted
        # Who attacks is settled before the search: it gets only the points that move.
        self._core_model = None if attack_model is None else attack_model.core()
        self.n_threads = thread_count(n_jobs)
        self.max_seconds = np.inf if max_seconds is None else max_seconds
        self._began = []  # when, once it has
        self._settings = {
            "norm": norm,
            "solver": solver,
            "max_nodes": max_nodes,
            "max_seconds_per_point": (
                np.inf if max_seconds_per_point is None else max_seconds_per_point
            ),
            "n_threads": self.n_threads,
            "attack_model": self._core_model,
        }

    def against(self, attack_model):
        """The same search, on the same clock, for other rules."""
        if attack_model is self.attack_model:
            return self
        other = copy.copy(self)
        other.attack_model = attack_model
        other._core_model = attack_model.core()
        other._settings = self._settings | {"attack_model": other._core_model}
        return other

    def on_rows(self, rows):
        """The same search, for these rows of the points: where their proofs are kept."""
        if self.proofs is None:
            return self
        other = copy.copy(self)
        other.proofs = self.proofs.of_rows(rows)
        return other

    def settings(self, X=None, labels=None, sign=1):
        """The keyword arguments of the next call; with labels (class indices) only attackers move.

        The library's labels are -1 and +1 times `sign`.
        """
        settings = self._settings
        if self.attack_model is not None and labels is not None:
            rules = self.attack_model.for_labels(X, labels, sign)
            settings = settings | {"attack_model": rules}
        left = self.max_seconds
        if not self._began:
            self._began.append(time.perf_counter())
        elif left > 0:
            left = max(0.0, left - (time.perf_counter() - self._began[0]))
        return settings | {"max_seconds": left}

    def move_sizes(self, X, moves):
        """The size of each row's move."""
        if self._core_model is not None:
            return self._core_model.move_sizes(X, moves)
        order = {"l1": 1, "l2": 2, "linf": np.inf, "l0": 0}[self.norm]
        return np.linalg.norm(moves, ord=order, axis=1)

    def allows(self, X, moves):
        """Which moves keep the rules, whatever their size."""
        if self._core_model is None:
            return np.ones(len(X), dtype=bool)
        return np.array(self._core_model.allows(X, X + moves), dtype=bool)


def share_of_seconds(search, n_rows, n_all):
    """The time for some rows, where the limit is one for all of them at each of several radii."""
    return search.max_seconds if n_rows == n_all else search.max_seconds * n_rows / n_all


@dataclass(eq=False)
class Flips:
    """Per point: a bracket of the least move that changes the answer, and a move that does."""

    answer: np.ndarray
    radius: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    witness: np.ndarray
    status: np.ndarray
    fooled: np.ndarray
    closed: np.ndarray
    n_nodes: np.ndarray
    solve_seconds: np.ndarray

    @classmethod
    def blank(cls, answer, n_features):
        """Nothing known yet: R is in [0, inf]."""
        m = len(answer)
        fooled = np.empty(m, dtype=object)
        fooled[:] = [[] for _ in range(m)]
        return cls(
            answer=np.array(answer),
            radius=np.full(m, np.inf),
            lower=np.zeros(m),
            upper=np.full(m, np.inf),
            witness=np.full((m, n_features), np.nan),
            status=np.full(m, "optimal", dtype=object),
            fooled=fooled,
            closed=np.zeros(m, dtype=bool),
            n_nodes=np.zeros(m, dtype=np.int64),
            solve_seconds=np.zeros(m),
        )

    def put(self, rows, other):
        """Overwrite these rows with those of `other`, one for one."""
        for name, values in vars(other).items():
            getattr(self, name)[rows] = values

    def take(self, rows):
        return Flips(**{name: values[rows] for name, values in vars(self).items()})

    def add_cost(self, rows, other):
        self.n_nodes[rows] += other.n_nodes
        self.solve_seconds[rows] += other.solve_seconds

    def negate(self, rows):
        """Make these rows those of wrong answers."""
        self.radius[rows] = -self.radius[rows]
        self.lower[rows], self.upper[rows] = -self.upper[rows], -self.lower[rows]
        self.closed[rows] = False

    def has_witness(self):
        return ~np.isnan(self.witness).any(axis=1)


def _is_attained(lower, upper, search):
    """A witness of the very size of the lower end; other solvers round theirs."""
    if search.solver != "native":
        return np.zeros(len(upper), dtype=bool)
    return (lower == upper) & np.isfinite(upper)


def _run(ensemble, X, search, n_planes):
    """The search itself; planes from `n_planes` on are constant ones and not reported."""
    proofs = search.proofs is not None
    found = _core.certify(
        ensemble, X, None, witness=search.witness, proofs=proofs, **search.settings()
    )
    if proofs:
        search.proofs.keep(found)
    lower, upper = found.lower, found.upper
    positive = found.label > 0  # without labels: the answers
    fooled = np.empty(len(lower), dtype=object)
    fooled[:] = found.fooled
    if ensemble.n_planes > n_planes:
        fooled[:] = [[i for i in planes if i < n_planes] for planes in fooled]
    return Flips(
        answer=positive.astype(int),
        radius=found.radius,
        lower=lower,
        upper=upper,
        witness=_moves(found, X.shape) if search.witness else None,
        status=np.array(found.status, dtype=object),
        fooled=fooled,
        closed=positive & ~_is_attained(lower, upper, search),  # away from +1 inequalities are strict
        n_nodes=np.asarray(found.n_nodes, dtype=np.int64),
        solve_seconds=np.asarray(found.solve_seconds),
    )


def _moves(found, shape):
    """The witnesses: dense, or compressed as X is."""
    moves = found.witness
    if isinstance(moves, np.ndarray):
        return moves
    return csr_array((moves.data, moves.indices, moves.indptr), shape=shape)


def flip_vote(vote, X, search):
    """The least move that changes the vote's answer, for every row of X."""
    tie = vote.tie_of_planes
    if tie is not None:
        sign = 1 if tie else -1
        ensemble = vote.ensemble(sign, vote.tie == tie)
        flips = _run(ensemble, X, search, len(vote.planes))
        if sign < 0:
            flips.answer = 1 - flips.answer
        return flips

    answer = vote.answers(X)
    flips = Flips.blank(answer, X.shape[1])
    for goal in (0, 1):
        rows = np.flatnonzero(answer != goal)
        if len(rows):
            flips.put(rows, _flip_mixed(vote, goal, X[rows], search))
    return flips


def _flip_mixed(vote, goal, X, search):
    """As `flip_vote` for points that are not answered with `goal`, by planes that differ at zero.

    The region that counts every zero for the goal contains the right one: it gives the lower end.
    The region that counts none is inside it: it gives the upper end, where the first one's witness
    does not hold.
    """
    sign = 1 if goal == 1 else -1
    wide = _run(vote.ensemble(sign, vote.tie == goal), X, search, len(vote.planes))
    inside = wide.answer == 1  # only by a zero: the point is on the boundary
    wide.lower[inside] = 0.0
    reaches = np.zeros(len(X), dtype=bool)
    known = np.flatnonzero(wide.has_witness() & ~inside)
    reaches[known] = vote.answers(X[known] + wide.witness[known]) == goal

    rest = np.flatnonzero(~reaches & (inside | np.isfinite(wide.upper)))
    if len(rest):
        narrow_vote = vote.ensemble(-sign, vote.tie != goal)
        narrow = _run(narrow_vote, X[rest], search, len(vote.planes))
        narrow.add_cost(slice(None), wide.take(rest))
        apart = np.isinf(narrow.upper) | (narrow.lower - wide.lower[rest] > _TIGHT * narrow.upper)
        narrow.lower = wide.lower[rest]
        narrow.status[apart & (narrow.status == "optimal")] = "bound"
        cut = wide.status[rest] != "optimal"
        narrow.status[cut] = wide.status[rest][cut]
        wide.put(rest, narrow)
    wide.answer[:] = 1 - goal
    wide.closed[:] = False
    return wide


def certify_decision(decision, X, labels, search, own=None):
    """Signed certificates; `labels` holds class indices, or is None.

    `own` holds the model's own answers, if they may differ from those of the decision.
    """
    certify = certify_argmax if isinstance(decision, ArgMax) else certify_vote
    model = search.attack_model
    if model is None:
        return certify(decision, X, labels, search)
    if model.attacking is None:
        try:
            return certify(decision, X, labels, search)
        except _core.InvalidInput:
            model.check_points(X)  # names the row and the feature
            raise
    answer = decision.answers(X) if own is None else own
    right = np.ones(len(X), dtype=bool) if labels is None else labels == answer
    moves = (answer if labels is None else labels) == model.attacking
    model.check_points(X, moves)
    flips = Flips.blank(answer, X.shape[1])
    for column in (flips.radius, flips.lower, flips.upper):
        column[:] = np.where(right, np.inf, -np.inf)
    if moves.any():
        here = search.on_rows(np.flatnonzero(moves))
        part = certify(decision, X[moves], None if labels is None else labels[moves], here)
        flips.put(moves, part)
    return flips


def certify_vote(vote, X, labels, search):
    """Signed certificates of a vote; `labels` holds 0 and 1, or is None."""
    flips = flip_vote(vote, X, search)
    if labels is not None:
        flips.negate(labels != flips.answer)
    return flips


def certify_argmax(decision, X, labels, search):
    """Signed certificates of an arg-max; `labels` holds class indices, or is None."""
    answer = decision.answers(X)
    flips = Flips.blank(answer, X.shape[1])
    wrong = np.zeros(len(X), dtype=bool) if labels is None else labels != answer
    for c in range(decision.n_classes):
        rows = np.flatnonzero(~wrong & (answer == c))
        if len(rows):
            flips.put(rows, _leave(decision, c, X[rows], search))
        rows = np.flatnonzero(wrong & (labels == c)) if wrong.any() else []
        if len(rows):
            enter = _enter_by_votes if decision.by_votes else _enter
            part = enter(decision, c, X[rows], search)
            part.answer = answer[rows]
            part.negate(slice(None))
            flips.put(rows, part)
    return flips


def _rivals(decision, c):
    return [k for k in range(decision.n_classes) if k != c]


def _leave(decision, c, X, search):
    """Points in class c: the nearest place where some rival beats c."""
    best = Flips.blank(np.full(len(X), c), X.shape[1])
    best.lower[:] = np.inf
    parts = [flip_vote(decision.pair(c, k), X, search) for k in _rivals(decision, c)]
    for k, part in zip(_rivals(decision, c), parts, strict=True):
        closer, as_close = part.lower < best.lower, part.lower == best.lower
        best.closed[closer] = part.closed[closer]
        best.closed[as_close] &= part.closed[as_close]
        best.lower = np.minimum(best.lower, part.lower)
        nearer = part.upper < best.upper
        best.upper[nearer] = part.upper[nearer]
        best.witness[nearer] = part.witness[nearer]
        for row in np.flatnonzero(nearer):
            best.fooled[row] = [k]
        best.add_cost(slice(None), part)
    for part in parts:  # a rival that was not settled matters if it could be the nearest
        open_ = (part.status != "optimal") & (part.lower < best.upper)
        best.status[open_] = part.status[open_]
    best.radius = np.where(np.isfinite(best.upper), best.upper, best.lower)
    return best


def _enter(decision, c, X, search):
    """Points outside class c: the nearest place where c beats every rival."""
    flips = flip_vote(decision.region(c), X, search)
    for row in range(len(X)):
        flips.fooled[row] = [c]
    return flips


def _enter_by_votes(decision, c, X, search):
    """As `_enter` for scores that are votes: a bound.

    Every rival must be beaten, so no move is shorter than the longest of those that beat one; any
    move that happens to beat them all is an upper bound.
    """
    flips = Flips.blank(np.zeros(len(X), dtype=int), X.shape[1])
    for k in _rivals(decision, c):
        pair = decision.pair(c, k)
        rows = np.flatnonzero(pair.answers(X) == 0)
        if not len(rows):
            continue
        part = flip_vote(pair, X[rows], search)
        flips.add_cost(rows, part)
        flips.lower[rows] = np.maximum(flips.lower[rows], part.lower)
        _offer(decision, c, X, flips, rows, part.witness, search)
    rows = np.flatnonzero(np.isfinite(flips.lower) & ~_is_tight(flips))
    if len(rows):
        _offer(decision, c, X, flips, rows, _walk(decision, c, X[rows], search), search)
        all_for_c = flip_vote(decision.unanimous(c), X[rows], search)
        flips.add_cost(rows, all_for_c)
        _offer(decision, c, X, flips, rows, all_for_c.witness, search)
    found = np.isfinite(flips.upper)
    flips.status[~_is_tight(flips)] = "bound"
    flips.radius = np.where(found, flips.upper, flips.lower)
    for row in np.flatnonzero(found):
        flips.fooled[row] = [c]
    return flips


def _is_tight(flips):
    """The ends of the bracket meet, or both are infinite: no move does it."""
    tight = np.isinf(flips.lower)
    finite = np.isfinite(flips.upper)
    tight[finite] = (flips.upper - flips.lower)[finite] <= _TIGHT * flips.upper[finite]
    return tight


def _offer(decision, c, X, flips, rows, moves, search):
    """Take the moves that put their point into class c and are shorter than what is known."""
    known = ~np.isnan(moves).any(axis=1)
    rows, moves = rows[known], moves[known]
    if not len(rows):
        return
    length = search.move_sizes(X[rows], moves) * ROUND_UP
    good = (decision.answers(X[rows] + moves) == c) & (length < flips.upper[rows])
    good &= search.allows(X[rows], moves)  # steps that are allowed may add up to what is not
    flips.upper[rows[good]] = length[good]
    flips.witness[rows[good]] = moves[good]


def _walk(decision, c, X, search):
    """Moves that beat the rival in front, time and again; NaN where this does not end well."""
    Z = X.copy()
    lost = np.zeros(len(X), dtype=bool)
    for _ in range(2 * decision.n_classes):
        front = decision.answers(Z)
        for k in np.unique(front[(front != c) & ~lost]):
            rows = np.flatnonzero((front == k) & ~lost)
            step = flip_vote(decision.pair(c, int(k)), Z[rows], search).witness
            stuck = np.isnan(step).any(axis=1)
            lost[rows[stuck]] = True
            Z[rows[~stuck]] += step[~stuck]
        if np.all((front == c) | lost):
            break
    return np.where(lost[:, None], np.nan, Z - X)
