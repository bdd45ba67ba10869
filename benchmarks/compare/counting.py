"""How fast attacks are counted: wide votes of words, one plane, votes of stumps."""

import time
import warnings

import numpy as np
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning

import redoubt
from redoubt import _core

from .measure import judged, table
from .tabular import split, stumps
from .wide_sparse import words

#: Columns, entries a row, planes; rows to train on and to certify.
COLUMNS, PER_ROW, N_PLANES, N_TRAIN, N_ROWS = (45_000, 1_000_000), 55, 15, 2_000, 200
#: Rows of each training.
BAG = 1_000
LIMIT = 2.0  # seconds for a point
#: Milliseconds of the median point, by kind of plane; the share proven within the limit.
TARGETS, ONE_TARGET, PROVEN_TARGET = {"plain": 1.0, "robust": 20.0}, 0.1, 0.99
BUDGET, REGULARIZATION, GAP, PASSES = 5, 1.0, 1e-2, 40
#: Microseconds of the median point for votes of stumps.
STUMP_TARGETS = {"linf": 20, "l1": 200, "l2": 200, "l0": 200}
STUMP_TABLES, STUMP_RADIUS = ("breastcancer", "diabetes", "heart"), 0.3


def report(quick):
    columns = COLUMNS[:1] if quick else COLUMNS
    rows = [row for n in columns for row in _wide_rows(n, 20 if quick else N_ROWS)]
    return "\n\n".join(
        [
            "## Wide votes",
            f"Made-up words, about 50 in a row, {N_ROWS} rows of both classes, one thread, `norm="
            f'"l0"`. {N_PLANES} planes, each trained on {BAG} rows drawn from {N_TRAIN:,}: plain '
            f"SVMs, or robust ones (the budget hinge for {BUDGET} words that come or go, for both "
            "classes), whose weights are much alike. Milliseconds of the search for a point: median, "
            f"99 % of points, longest; the share that is proven within {LIMIT:g} s. Set-up, once per "
            "call: what a call with one row takes beyond its search, and the first row of each "
            "answer, which puts the features in order and is left out of the other columns.",
            table(["columns", "planes", "adversary", "radius", "median ms", "target", "99 %",
                   "longest", "proven", "target", "set-up ms"], rows),
            "## Votes of stumps",
            "15 bags of 9 stumps from Ens-C, on a third of the rows, features scaled to [0, 1]. "
            "Microseconds of a point: median and longest.",
            table(["data", "stumps", "norm", "points", "median", "longest", "proven", "target"],
                  [row for name in STUMP_TABLES for row in _stump_rows(name)]),
        ]
    )  # fmt: skip


# --- Wide votes -----------------------------------------------------------------------------------


def _wide_rows(n, n_rows):
    problem = words(N_TRAIN + n_rows, n, PER_ROW, seed=1)
    problem.X.data[:] = 1.0  # there or not
    X, y = csr_array(problem.X[:N_TRAIN]), problem.y[:N_TRAIN]
    rows = csr_array(problem.X[N_TRAIN:])
    for kind in TARGETS:
        planes = [_plane(kind, X, y, seed) for seed in range(N_PLANES)]
        for k in (N_PLANES, 1):
            vote = _core.Ensemble(
                np.array([w for w, _ in planes[:k]]), np.array([b for _, b in planes[:k]])
            )
            for adversary in ("adds", "flips"):
                yield [f"{n:,}", f"{k} {kind}", adversary, *_counted(vote, rows, adversary, kind)]


def _rules(n, adversary):
    adds = {"increase_only": list(range(n))} if adversary == "adds" else {}
    return redoubt.AttackModel("l0", bounds=(0, 1), integer=range(n), **adds)


def _plane(kind, X, y, seed):
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, len(y), BAG)
    if kind == "plain":
        found = _core.train_svm(X[drawn], y[drawn], tolerance=1e-4)
        return found.coef, found.intercept
    model = redoubt.RobustSVMClassifier(
        radius=BUDGET, attack_model=redoubt.AttackModel("l0", bounds=(0, 1)),
        regularization=REGULARIZATION, tol=GAP, max_iter=PASSES,
    )  # fmt: skip
    # Words that do not occur have no weight.
    bag = X[drawn]
    used = np.unique(bag.indices)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(bag[:, used], y[drawn])
    weights = np.zeros(X.shape[1])
    weights[used] = model.coef_[0]
    return weights, model.intercept_[0]


def _counted(vote, rows, adversary, kind):
    rules = _rules(rows.shape[1], adversary)
    options = {"attack_model": rules, "max_seconds_per_point": LIMIT, "n_jobs": 1, "witness": False}
    vote = redoubt.Ensemble(vote.coef, vote.intercept)
    redoubt.certify(vote, rows[:1], **options)
    began = time.perf_counter()
    first = redoubt.certify(vote, rows[:1], **options)
    set_up = time.perf_counter() - began - first.solve_seconds[0]
    found = redoubt.certify(vote, rows, **options)
    answers = np.asarray(found.prediction)
    firsts = [np.flatnonzero(answers == each)[0] for each in np.unique(answers)]
    set_up += found.solve_seconds[firsts].sum()
    spent = 1e3 * np.delete(found.solve_seconds, firsts)
    proven = np.mean(found.status == "optimal")
    finite = found.radius[np.isfinite(found.radius)]
    radius = f"{np.median(finite):g}" if len(finite) else "infinite"
    target = ONE_TARGET if vote.n_planes == 1 else TARGETS[kind]
    median = np.median(spent)
    return [radius, f"{median:.3f}", judged(median <= target, f"{target:g}"),
            f"{np.percentile(spent, 99):.2f}", f"{spent.max():.2f}", f"{proven:.1%}",
            judged(proven >= PROVEN_TARGET, f"{PROVEN_TARGET:.0%}"), f"{1e3 * set_up:.0f}"]  # fmt: skip


# --- Stumps ---------------------------------------------------------------------------------------


def _stump_rows(name):
    X, y, rows, _ = split(name, 0)
    model = stumps(STUMP_RADIUS)(0).fit(X, y)
    for norm, target in STUMP_TARGETS.items():
        rules = redoubt.AttackModel("l0", bounds=(0, 1)) if norm == "l0" else None
        options = {"attack_model": rules} if rules else {"norm": norm}
        points = np.clip(rows, 0, 1) if rules else rows
        found = redoubt.certify(model, points, n_jobs=1, **options)
        spent = 1e6 * found.solve_seconds
        median = np.median(spent)
        yield [name, model.coef_.shape[0], norm, len(points), f"{median:.1f}", f"{spent.max():.1f}",
               f"{np.mean(found.status == 'optimal'):.1%}", judged(median <= target, f"{target}")]  # fmt: skip
