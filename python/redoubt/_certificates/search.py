"""The least move that changes the answer of a vote or of an arg-max, from the exact search."""

import copy
import importlib.util
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array, issparse

from redoubt import _core
from redoubt._checks import thread_count
from redoubt._models.decision_rules import ArgMax

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

    def under(self, core_model, frozen):
        """The same search, on the same clock, under rules of the library, with features that stay."""
        other = copy.copy(self)
        other._core_model = core_model
        other._settings = self._settings | {"attack_model": core_model, "frozen": frozen}
        return other

    def on_rows(self, rows):
        """The same search, for these rows of the points: where their proofs are kept."""
        if self.proofs is None:
            return self
        other = copy.copy(self)
        other.proofs = self.proofs.of_rows(rows)
        return other

    def prepared(self, ensemble):
        """The library's `certify` for this vote, prepared if rules are kept that know it."""
        rules = self.attack_model
        if rules is not None and self._core_model is rules.core():
            return rules.certifier(ensemble).certify
        return partial(_core.certify, ensemble)

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


def share_of_seconds(search, n_rows, n_all):
    """The time for some rows, where the limit is one for all of them at each of several radii."""
    return search.max_seconds if n_rows == n_all else search.max_seconds * n_rows / n_all


@dataclass(eq=False)
class Flips:
    """Per point: a bracket of the least move that changes the answer, and a move that does.

    `answer` and `moved_answer`, the one after the move, are class indices; -1: no move is known.
    """

    answer: np.ndarray
    moved_answer: np.ndarray
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
            moved_answer=np.full(m, -1),
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

    @classmethod
    def standing(cls, answer, labels, target, X):
        """No point of X moves: R is infinite, but for targets that are reached."""
        flips = cls.blank(answer, 0 if issparse(X) else X.shape[1])
        if issparse(X):
            flips.witness = csr_array(X.shape)
        flips.lower[:] = np.inf
        if target is not None:
            flips.stay(np.flatnonzero(answer == target))
        elif labels is not None:
            flips.negate(answer != labels)
        return flips

    @classmethod
    def joined(cls, parts):
        """One after the other."""
        if not parts:
            return cls.blank(np.empty(0, dtype=int), 0)
        names = vars(parts[0])
        return cls(**{name: np.concatenate([vars(part)[name] for part in parts]) for name in names})

    def put(self, rows, other):
        """Overwrite these rows with those of `other`, one for one."""
        for name, values in vars(other).items():
            if issparse(values):
                self.witness = _with_empty_rows(values, rows)
            elif values is None:
                self.witness = None
            else:
                getattr(self, name)[rows] = values

    def stay(self, rows):
        """Make these rows those of points that are where they should be: no move."""
        self.moved_answer[rows] = self.answer[rows]
        for ends in (self.radius, self.lower, self.upper):
            ends[rows] = 0.0
        if isinstance(self.witness, np.ndarray):
            self.witness[rows] = 0.0
        elif self.witness is not None:
            forget_moves(self.witness, rows)
        self.status[rows] = "optimal"
        for row in rows:
            self.fooled[row] = []

    def swap_classes(self):
        """Call each of two classes by the number of the other."""
        self.answer = 1 - self.answer
        known = self.moved_answer >= 0
        self.moved_answer[known] = 1 - self.moved_answer[known]

    def negate(self, rows):
        """Make these rows those of wrong answers."""
        self.radius[rows] = -self.radius[rows]
        self.lower[rows], self.upper[rows] = -self.upper[rows], -self.lower[rows]
        self.closed[rows] = False

    def has_witness(self):
        return ~np.isnan(self.witness).any(axis=1)


def _with_empty_rows(moves, rows):
    """Compressed rows at these places, given by a mask, and empty ones elsewhere."""
    counts = np.zeros(len(rows), dtype=np.int64)
    counts[rows] = np.diff(moves.indptr)
    starts = np.concatenate([[0], np.cumsum(counts)])
    return csr_array((moves.data, moves.indices, starts), shape=(len(rows), moves.shape[1]))


def forget_moves(moves, rows):
    """Leave rows without a move: NaN, or no step where the rows are compressed."""
    for row in np.atleast_1d(rows):
        if isinstance(moves, np.ndarray):
            moves[row] = np.nan
        else:
            moves.data[moves.indptr[row] : moves.indptr[row + 1]] = 0.0


def _is_attained(lower, upper, search):
    """A witness of the very size of the lower end; other solvers round theirs."""
    if search.solver != "native":
        return np.zeros(len(upper), dtype=bool)
    return (lower == upper) & np.isfinite(upper)


def _flips(found, shape, search, answer, moved_answer, fooled, closed):
    """What a search found, with its answers as class indices."""
    lists = np.empty(len(answer), dtype=object)
    lists[:] = fooled
    return Flips(
        answer=answer,
        moved_answer=moved_answer,
        radius=found.radius,
        lower=found.lower,
        upper=found.upper,
        witness=_moves(found, shape) if search.witness else None,
        status=np.array(found.status, dtype=object),
        fooled=lists,
        closed=closed,
        n_nodes=np.asarray(found.n_nodes, dtype=np.int64),
        solve_seconds=np.asarray(found.solve_seconds),
    )


def _run(vote, X, search, sign):
    """The search of two classes, which are -1 and +1 times `sign`."""
    ensemble = vote.for_library(sign)
    certify = search.prepared(ensemble)
    proofs = search.proofs is not None
    found = certify(X, None, witness=search.witness, proofs=proofs, **search.settings())
    if proofs:
        search.proofs.keep(found)
    return found


def vote_flips(found, shape, search, vote):
    """What the library found of a vote whose planes answer zero alike, as Flips."""
    answer = (found.label > 0).astype(int)  # without labels: the answers
    moved_answer = np.where(np.isfinite(found.upper), 1 - answer, -1)
    n_planes = len(vote.planes)
    # Constant planes, which break ties, are not reported.
    fooled = [[i for i in planes if i < n_planes] for planes in found.fooled]
    # Away from +1 inequalities are strict.
    closed = (answer == 1) & ~_is_attained(found.lower, found.upper, search)
    flips = _flips(found, shape, search, answer, moved_answer, fooled, closed)
    if not vote.tie_of_planes:
        flips.swap_classes()
    return flips


def _run_classes(vote, X, search, labels=None, target=None):
    """The search of several classes, signed by the labels, or for moves to the class `target`."""
    proofs = search.proofs is not None
    found = _core.certify_classes(
        vote, X, labels, target, witness=search.witness, proofs=proofs, **search.settings()
    )
    if proofs:
        search.proofs.keep(found)
    answer, moved_answer = np.array(found.answer, dtype=int), np.array(found.moved_answer, dtype=int)
    fooled = [[] if k < 0 else [k] for k in found.moved_answer]
    closed = np.zeros(len(answer), dtype=bool)  # it is not known who gets the ties there
    return _flips(found, X.shape, search, answer, moved_answer, fooled, closed)


def _moves(found, shape):
    """The witnesses: dense, or compressed as X is."""
    moves = found.witness
    if isinstance(moves, np.ndarray):
        return moves
    return csr_array((moves.data, moves.indices, moves.indptr), shape=shape)


def _flip_vote(vote, X, search):
    """The least move that changes the answer of a vote of two classes, for every row of X."""
    tie = vote.tie_of_planes
    if tie is None:
        flips = _run_classes(vote.class_vote(), X, search)
        if vote.tie:  # class 1 came first
            flips.swap_classes()
        known = np.flatnonzero(flips.moved_answer >= 0)
        for_one = vote.planes.answers(X[known] + flips.witness[known]) > 0
        for row, planes in zip(known, for_one == flips.moved_answer[known, None], strict=True):
            flips.fooled[row] = np.flatnonzero(planes).tolist()
        return flips
    return vote_flips(_run(vote, X, search, 1 if tie else -1), X.shape, search, vote)


def certify_decision(decision, X, labels, search, own=None, target=None):
    """Signed certificates; `labels` holds class indices, or is None.

    `own` holds the model's own answers, if they may differ from those of the decision. With
    `target`, class indices, radii are those of the least moves to these classes, and labels only
    say who attacks.
    """
    model = search.attack_model
    if model is None:
        return certify_moving(decision, X, labels, search, target)
    if model.attacking is None:
        try:
            return certify_moving(decision, X, labels, search, target)
        except _core.InvalidInput:
            model.check_points(X)  # names the row and the feature
            raise
    answer = decision.answers(X) if own is None else own
    moves = (answer if labels is None else labels) == model.attacking
    model.check_points(X, moves)
    flips = Flips.standing(answer, labels, target, X)
    if moves.any():
        here = search.on_rows(np.flatnonzero(moves))
        labels, target = (each if each is None else each[moves] for each in (labels, target))
        flips.put(moves, certify_moving(decision, X[moves], labels, here, target))
    return flips


def certify_moving(decision, X, labels, search, target=None):
    """The same where every point attacks, and the rules are known to allow it."""
    if isinstance(decision, ArgMax):
        return _run_classes(decision.class_vote(), X, search, labels, target)
    flips = _flip_vote(decision, X, search)
    if target is not None:
        flips.closed[:] = False
        flips.stay(np.flatnonzero(flips.answer == target))
    elif labels is not None:
        flips.negate(labels != flips.answer)
    return flips
