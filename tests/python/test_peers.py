"""The solvers' optima beside those of LIBSVM, HiGHS and Clarabel, on random problems.

The objective is recomputed here from the plane, so a solver's own figures are never trusted.
"""

import clarabel
import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.optimize import linprog
from sklearn.svm import SVC

from redoubt import _core

AGREEMENT = 1e-6
# As in the library: an optimum near 0 is measured against this share of the total weight.
SCALE_FLOOR = 1e-4
DUAL_ORDER = {"l1": np.inf, "l2": 2, "linf": 1}
KINDS = ["separable", "overlapping", "duplicated", "badly scaled", "zero weights", "own radii",
         "many features"]  # fmt: skip
N_SEEDS = 14


class Problem:
    """Random points of one kind; the seed also chooses the sizes."""

    def __init__(self, kind, seed):
        rng = np.random.default_rng([KINDS.index(kind), seed])
        m, n = int(rng.integers(12, 90)), int(rng.integers(1, 9))
        if kind == "many features":
            m, n = 12 + m // 3, int(rng.integers(201, 220))
        self.y = np.where(np.arange(m) % 3 == 0, 1.0, -1.0)
        shift = 6.0 if kind == "separable" else 0.5
        self.X = rng.normal(size=(m, n)) + shift / np.sqrt(n) * self.y[:, None]
        self.weights = rng.uniform(0.2, 2.0, size=m)
        self.radii = np.full(m, rng.choice([0.02, 0.1, 0.4]))
        if kind == "duplicated":  # each point several times, some under both labels
            rows = rng.integers(0, m, size=2 * m)
            self.X = np.vstack([self.X, self.X[rows]])
            self.y = np.r_[self.y, self.y[rows] * rng.choice([1.0, 1.0, -1.0], size=2 * m)]
            self.weights = np.ones(3 * m)
            self.radii = np.full(3 * m, self.radii[0])
        elif kind == "badly scaled":
            self.X = self.X * 10.0 ** rng.uniform(-2, 2, size=n)
        elif kind == "zero weights":
            self.weights[2 + rng.permutation(m - 2)[: m // 2]] = 0.0  # rows 0, 1 keep both classes
        elif kind == "many features" and seed % 2 == 1:  # two labels for one point
            self.X[0] = self.X[1]
        elif kind == "own radii":
            self.radii = rng.uniform(0.0, 0.5, size=m)

    def svm_objective(self, w, b):
        return 0.5 * w @ w + self.weights @ np.maximum(0.0, 1.0 - self.y * (self.X @ w + b))

    def robust_objective(self, norm, w, b):
        worst = self.y * (self.X @ w + b) - self.radii * np.linalg.norm(w, DUAL_ORDER[norm])
        return self.weights @ np.maximum(0.0, 1.0 - worst)

    def scale(self, objective):
        return max(objective, SCALE_FLOOR * self.weights.sum())

    def train_svm(self):
        result = _core.train_svm(self.X, self.y, weights=self.weights)
        assert result.status == "optimal"
        return result.coef, result.intercept

    def train_robust(self, norm):
        result = _core.train_robust_svm(
            self.X, self.y, self.radii, norm=norm, weights=self.weights
        )
        assert result.status == "optimal"
        return result.coef, result.intercept


def skip_unsolved(kind, seed, norm):
    if kind == "many features" and norm == "l1" and seed % 2 == 1:
        pytest.skip("not solved: l1, fewer points than features, not separable")


problems = pytest.mark.parametrize("seed", range(N_SEEDS))
kinds = pytest.mark.parametrize("kind", KINDS)


# --- peers --------------------------------------------------------------------------------------


def robust_rows(problem, norm):
    """G, h with G (w b t xi ..) <= h: the hinges, xi >= 0 and, for l1 and linf, t >= ||w||_q."""
    m, n = problem.X.shape
    y = problem.y[:, None]
    n_more = n if norm == "linf" else 0  # mu_l >= |w_l| with t >= sum mu
    blocks = [
        [-y * problem.X, -y, problem.radii[:, None], -sparse.identity(m), zeros(m, n_more)],
        [zeros(m, n), zeros(m, 1), zeros(m, 1), -sparse.identity(m), zeros(m, n_more)],
    ]
    eye = sparse.identity(n)
    if norm == "l1":
        for sign in (1, -1):
            blocks.append([sign * eye, zeros(n, 1), -np.ones((n, 1)), zeros(n, m), zeros(n, 0)])
    elif norm == "linf":
        for sign in (1, -1):
            blocks.append([sign * eye, zeros(n, 1), zeros(n, 1), zeros(n, m), -eye])
        blocks.append([zeros(1, n), zeros(1, 1), [[-1.0]], zeros(1, m), np.ones((1, n))])
    G = sparse.vstack([sparse.hstack([sparse.csc_matrix(b) for b in row]) for row in blocks])
    h = np.zeros(G.shape[0])
    h[:m] = -1.0
    return sparse.csc_matrix(G), h


def zeros(rows, columns):
    return sparse.csc_matrix((rows, columns))


def costs(problem, n_variables):
    m, n = problem.X.shape
    cost = np.zeros(n_variables)
    cost[n + 2 : n + 2 + m] = problem.weights
    return cost


def highs_plane(problem, norm):
    G, h = robust_rows(problem, norm)
    found = linprog(costs(problem, G.shape[1]), A_ub=G, b_ub=h, bounds=(None, None), method="highs")
    assert found.status == 0, found.message
    n = problem.X.shape[1]
    return found.x[:n], found.x[n]


def clarabel_svm(problem):
    m, n = problem.X.shape
    y = problem.y[:, None]
    rows = [[-y * problem.X, -y, -sparse.identity(m)], [zeros(m, n + 1), -sparse.identity(m)]]
    G = sparse.vstack([sparse.hstack([sparse.csc_matrix(b) for b in row]) for row in rows])
    P = sparse.diags(np.r_[np.ones(n), np.zeros(m + 1)], format="csc")
    q, h = np.r_[np.zeros(n + 1), problem.weights], np.r_[-np.ones(m), np.zeros(m)]
    x = clarabel_solve(P, q, G, h, [clarabel.NonnegativeConeT(2 * m)])
    return x[:n], x[n]


def clarabel_plane(problem, norm, at_most=None):
    """The robust SVM; or, given a value, the least ||w||_2 with an objective of at most that."""
    n = problem.X.shape[1]
    G, h = robust_rows(problem, norm)
    size = G.shape[1]
    q, P = costs(problem, size), zeros(size, size)
    if at_most is not None:
        G, h = sparse.vstack([G, q[None, :]], format="csc"), np.r_[h, at_most]
        P = sparse.diags(np.r_[np.ones(n), np.zeros(size - n)], format="csc")
        q = np.zeros(size)
    cones = [clarabel.NonnegativeConeT(len(h))]
    if norm == "l2":
        columns = np.r_[n + 1, np.arange(n)]
        cone = sparse.csc_matrix(
            (np.full(n + 1, -1.0), (np.arange(n + 1), columns)), shape=(n + 1, size)
        )
        G, h = sparse.vstack([G, cone], format="csc"), np.r_[h, np.zeros(n + 1)]
        cones.append(clarabel.SecondOrderConeT(n + 1))
    x = clarabel_solve(P, q, G, h, cones)
    return x[:n], x[n]


def clarabel_solve(P, q, G, h, cones):
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    found = clarabel.DefaultSolver(P, q, sparse.csc_matrix(G), h, cones, settings).solve()
    assert str(found.status) in ("Solved", "AlmostSolved")
    return np.asarray(found.x)


# --- equal objectives ---------------------------------------------------------------------------


# LIBSVM keeps its kernel values in single precision: on badly scaled points it stops 20 % short of
# the optimum, and tolerances below 1e-5 may never be met.
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "badly scaled"])
@problems
def test_weighted_svm_agrees_with_libsvm(kind, seed):
    problem = Problem(kind, seed)
    ours = problem.svm_objective(*problem.train_svm())
    peer = SVC(kernel="linear", C=1.0, tol=1e-5)
    peer.fit(problem.X, problem.y, sample_weight=problem.weights)

    # Its dual value is accurate to the square of its tolerance, the primal one is not.
    theirs = np.abs(peer.dual_coef_).sum() - 0.5 * peer.coef_[0] @ peer.coef_[0]

    assert ours == pytest.approx(theirs, rel=AGREEMENT)


@kinds
@problems
def test_weighted_svm_agrees_with_clarabel(kind, seed):
    problem = Problem(kind, seed)
    ours = problem.svm_objective(*problem.train_svm())
    theirs = problem.svm_objective(*clarabel_svm(problem))
    assert ours == pytest.approx(theirs, rel=AGREEMENT)


@pytest.mark.parametrize("norm", ["l1", "linf"])
@kinds
@problems
def test_robust_svm_agrees_with_highs(kind, seed, norm):
    skip_unsolved(kind, seed, norm)
    problem = Problem(kind, seed)
    ours = problem.robust_objective(norm, *problem.train_robust(norm))
    theirs = problem.robust_objective(norm, *highs_plane(problem, norm))
    assert abs(ours - theirs) <= AGREEMENT * problem.scale(theirs)


@kinds
@problems
def test_robust_svm_agrees_with_clarabel(kind, seed):
    problem = Problem(kind, seed)
    ours = problem.robust_objective("l2", *problem.train_robust("l2"))
    theirs = problem.robust_objective("l2", *clarabel_plane(problem, "l2"))
    assert abs(ours - theirs) <= AGREEMENT * problem.scale(theirs)


# --- the defined answer -------------------------------------------------------------------------


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
@kinds
@pytest.mark.parametrize("seed", range(4))
def test_robust_svm_has_the_least_norm_among_the_optima(kind, seed, norm):
    skip_unsolved(kind, seed, norm)
    problem = Problem(kind, seed)
    w, b = problem.train_robust(norm)
    best = problem.robust_objective(norm, w, b)

    # Our plane is admitted here, so the least norm cannot exceed ours; the slack lets it be a
    # little less than that of the true optima.
    least, _ = clarabel_plane(problem, norm, at_most=best * (1 + 1e-9) + 1e-10)

    tiny = 1e-6
    assert np.linalg.norm(w) <= np.linalg.norm(least) * (1 + 1e-3) + tiny
    assert np.linalg.norm(least) <= np.linalg.norm(w) * (1 + 1e-6) + tiny
