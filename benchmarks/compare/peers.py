"""The other solvers. Each class builds its model once; only the call itself is timed."""

import warnings

import clarabel
import highspy
from typing import ClassVar

import numpy as np
import scipy.sparse as sparse
from sklearn.svm import SVC, LinearSVC

from .check import Plane

try:  # private, and only for a second opinion on the cost of SVC's own checks
    from sklearn.svm import _libsvm
except ImportError:
    _libsvm = None


def svc_fit(problem, tol=1e-8):
    """LIBSVM as users call it."""
    return SVC(kernel="linear", C=1.0, tol=tol).fit(
        problem.X, problem.y, sample_weight=problem.weights
    )


def svc_plane(model, problem):
    alpha = np.zeros(len(problem.y))
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    return Plane(model.coef_[0], model.intercept_[0], alpha)


def bare_libsvm_fit(problem, tol=1e-8):
    """LIBSVM without the estimator around it."""
    labels = (problem.y > 0).astype(np.float64)
    return _libsvm.fit(
        problem.X, labels, svm_type=0, kernel="linear", C=1.0, tol=tol,
        sample_weight=problem.weights, cache_size=200.0,
    )  # fmt: skip


has_bare_libsvm = _libsvm is not None


def linear_svc_fit(problem, tol=1e-4, max_iter=100_000, intercept_scaling=1.0):
    """LIBLINEAR, dual coordinate descent. It penalises the bias like one more weight."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whether it converged shows in the objective
        model = LinearSVC(loss="hinge", C=1.0, tol=tol, max_iter=max_iter, random_state=0,
                          intercept_scaling=intercept_scaling)  # fmt: skip
        return model.fit(problem.X, problem.y, sample_weight=problem.weights)


class ClarabelRobustSvm:
    """min c'xi, xi_j >= 1 - y_j (w'x_j + b) + r t, xi >= 0, t >= ||w||_2; variables w b t xi."""

    def __init__(self, problem, radius, tolerance):
        m, n = self.shape = problem.X.shape
        signed = problem.y[:, None] * problem.X
        hinge = [-signed, -problem.y[:, None], np.full((m, 1), radius), -sparse.identity(m)]
        positive = [sparse.csc_matrix((m, n + 2)), -sparse.identity(m)]
        columns = np.r_[n + 1, np.arange(n)]
        cone = sparse.csc_matrix(
            (np.full(n + 1, -1.0), (np.arange(n + 1), columns)), shape=(n + 1, n + 2 + m)
        )
        rows = [sparse.hstack([sparse.csc_matrix(part) for part in hinge]),
                sparse.hstack(positive), cone]  # fmt: skip
        self.A = sparse.vstack(rows, format="csc")
        self.b = np.r_[-np.ones(m), np.zeros(m + n + 1)]
        self.q = np.r_[np.zeros(n + 2), problem.weights]
        self.cones = [clarabel.NonnegativeConeT(2 * m), clarabel.SecondOrderConeT(n + 1)]
        self.settings = clarabel.DefaultSettings()
        self.settings.verbose = False
        self.settings.tol_gap_rel = self.settings.tol_gap_abs = tolerance
        self.settings.tol_feas = tolerance

    def prepare(self):
        """A fresh solver (its set-up, which orders and scales, is not timed)."""
        P = sparse.csc_matrix((len(self.q), len(self.q)))
        self.solver = clarabel.DefaultSolver(P, self.q, self.A, self.b, self.cones, self.settings)

    def solve(self):
        self.solution = self.solver.solve()

    def plane(self):
        m, n = self.shape
        x, z = np.asarray(self.solution.x), np.asarray(self.solution.z)
        return Plane(x[:n], x[n], z[:m])


class HighsRobustSvm:
    """The robust SVM for l1 and linf as a linear program."""

    #: What is tried; the fastest is measured.
    METHODS: ClassVar = {
        "dual simplex": {"solver": "simplex", "simplex_strategy": 1},
        "primal simplex": {"solver": "simplex", "simplex_strategy": 4},
        "interior point": {"solver": "ipx", "run_crossover": "off"},
    }

    def __init__(self, problem, radius, norm, method):
        self.shape = problem.X.shape
        self.norm = norm
        build = self._rows_l1 if norm == "l1" else self._rows_linf
        A, cost, lower, row_lower = build(problem, radius)
        program = highspy.HighsLp()
        program.num_row_, program.num_col_ = A.shape
        program.col_cost_, program.col_lower_ = cost, lower
        program.col_upper_ = np.full(A.shape[1], highspy.kHighsInf)
        program.row_lower_, program.row_upper_ = row_lower, np.full(A.shape[0], highspy.kHighsInf)
        program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        program.a_matrix_.start_, program.a_matrix_.index_ = A.indptr, A.indices
        program.a_matrix_.value_ = A.data
        self.highs = highspy.Highs()
        for name, value in {"output_flag": False, "threads": 1, **self.METHODS[method]}.items():
            if self.highs.setOptionValue(name, value) != highspy.HighsStatus.kOk:
                raise RuntimeError(f"HiGHS does not know {name} = {value}")
        self.highs.passModel(program)

    @staticmethod
    def _rows_l1(problem, radius):
        """Variables w b t xi with t >= |w_l|."""
        (m, n), y = problem.X.shape, problem.y[:, None]
        eye, zero, one = sparse.identity(n), sparse.csc_matrix((n, 1)), np.ones((n, 1))
        none = sparse.csc_matrix((n, m))
        hinge = [y * problem.X, y, np.full((m, 1), -radius), sparse.identity(m)]
        A = sparse.vstack(
            [
                sparse.hstack([sparse.csc_matrix(part) for part in hinge]),
                sparse.hstack([eye, zero, one, none]),
                sparse.hstack([-eye, zero, one, none]),
            ],
            format="csc",
        )
        lower = np.r_[np.full(n + 1, -highspy.kHighsInf), np.zeros(m + 1)]
        cost = np.r_[np.zeros(n + 2), problem.weights]
        return A, cost, lower, np.r_[np.ones(m), np.zeros(2 * n)]

    @staticmethod
    def _rows_linf(problem, radius):
        """Variables u v b xi >= 0 (b free) with w = u - v, ||w||_1 = sum(u + v)."""
        (m, n), y = problem.X.shape, problem.y[:, None]
        hinge = [y * problem.X - radius, -y * problem.X - radius, y, sparse.identity(m)]
        A = sparse.hstack([sparse.csc_matrix(part) for part in hinge], format="csc")
        lower = np.r_[np.zeros(2 * n), -highspy.kHighsInf, np.zeros(m)]
        return A, np.r_[np.zeros(2 * n + 1), problem.weights], lower, np.ones(m)

    def prepare(self):
        self.highs.clearSolver()

    def solve(self):
        self.highs.run()

    def plane(self):
        m, n = self.shape
        solution = self.highs.getSolution()
        x, alpha = np.asarray(solution.col_value), np.asarray(solution.row_dual)[:m]
        if self.norm == "l1":
            return Plane(x[:n], x[n], alpha)
        return Plane(x[:n] - x[n : 2 * n], x[2 * n], alpha)
