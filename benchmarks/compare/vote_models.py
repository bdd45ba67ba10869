"""The source paper's integer programs for an attacked vote, as data that any solver can take.

A step d fools plane i when a_i'd >= m_i, with a_i = -y w_i and m_i = y (w_i'x + b_i). The tests use
these models too.
"""

from typing import NamedTuple

import numpy as np

DUAL_ORDER = {"l1": np.inf, "l2": 2, "linf": 1}


class Planes(NamedTuple):
    """A vote as one point and its label see it: a step d fools plane i when a_i'd >= m_i."""

    a: np.ndarray
    m: np.ndarray

    @staticmethod
    def seen_from(vote, x, y):
        return Planes(-y * vote.coef, y * (vote.coef @ x + vote.intercept))

    def reach(self, radius, norm):
        """The most by which a step of length `radius` lowers each margin."""
        return radius * np.linalg.norm(self.a, DUAL_ORDER[norm], axis=1)


class Program(NamedTuple):
    """min cost'x  s.t.  row_lower <= A x <= row_upper, lower <= x <= upper, some x binary.

    `ball` = (n, r) adds ||x_1..n||_2 <= r. `square` = n minimises ||x_1..n||_2^2 instead of cost'x.
    """

    cost: np.ndarray
    A: np.ndarray
    row_lower: np.ndarray
    row_upper: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    is_binary: np.ndarray
    ball: tuple | None = None
    square: int = 0


def planes_needed(n_planes, y):
    """How many planes must be fooled before the vote is no longer y; a tied vote answers +1."""
    return n_planes // 2 + 1 if y > 0 else (n_planes + 1) // 2


def step_of(solution, n, norm):
    """The step d in a solution of `exact_adversary` or `least_radius`."""
    return solution[:n] - solution[n : 2 * n] if norm == "l1" else solution[:n]


def exact_adversary(planes, radius, norm, *, margin=0.0):
    """min sum z,  a_i'd + M_i z_i >= m_i + margin,  ||d|| <= radius; columns d (or d+, d-) and z.

    M_i = max(0, m_i + r ||w_i||_q) is the smallest valid constant. For label +1 a fooled plane must
    be passed, not reached; `margin` (one per plane or one for all) makes up for that.
    """
    k, n = planes.a.shape
    step, bound = _step_columns(planes, norm)
    wanted = planes.m + margin
    A = np.hstack([step, np.diag(np.maximum(0.0, wanted + planes.reach(radius, norm)))])
    row_lower, row_upper = wanted, np.full(k, np.inf)
    n_step = step.shape[1]
    if norm == "l1":
        A = np.vstack([A, np.r_[np.ones(n_step), np.zeros(k)]])
        row_lower, row_upper = np.r_[row_lower, -np.inf], np.r_[row_upper, radius]
    return Program(
        cost=np.r_[np.zeros(n_step), np.ones(k)],
        A=A, row_lower=row_lower, row_upper=row_upper,
        lower=np.r_[radius * bound, np.zeros(k)],
        upper=np.r_[np.full(n_step, radius), np.ones(k)],
        is_binary=np.arange(n_step + k) >= n_step,
        ball=(n, radius) if norm == "l2" else None,
    )  # fmt: skip


def least_radius(planes, need, farthest, norm):
    """The shortest step of at most `farthest` that fools `need` planes: one problem for all radii.

    Not in the paper. l2: min ||d||_2^2; otherwise min t with t the last column.
    """
    k, n = planes.a.shape
    attack = exact_adversary(planes, farthest, norm)
    spared = np.r_[np.zeros(attack.A.shape[1] - k), np.ones(k)]
    if norm == "l2":
        return attack._replace(
            A=np.vstack([attack.A, spared]),
            row_lower=np.r_[attack.row_lower, -np.inf],
            row_upper=np.r_[attack.row_upper, k - need],
            ball=None, square=n,
        )  # fmt: skip
    length, sides = _length_rows(n, k, norm)
    A = np.vstack([np.hstack([attack.A[:k], np.zeros((k, 1))]), np.r_[spared, 0.0], length])
    return Program(
        cost=np.r_[np.zeros(len(attack.cost)), 1.0],
        A=A,
        row_lower=np.r_[attack.row_lower[:k], np.full(1 + sides, -np.inf)],
        row_upper=np.r_[np.full(k, np.inf), k - need, np.zeros(sides)],
        lower=np.r_[attack.lower, 0.0],
        upper=np.r_[attack.upper, farthest],
        is_binary=np.r_[attack.is_binary, False],
    )


def relaxed_adversary_linf(planes, radius):
    """max r sum nu + c'v with nu_l = |(A'v)_l|, linearised; columns v, nu, rho, tau.

    nu_l = 2 rho_l - g_l with g = A'v and rho_l = tau_l g_l, tau_l = [g_l > 0]; big-M constants
    M_l = sum_i |w_il|. The objective is negated: every Program is minimised.
    """
    k, n = planes.a.shape
    M = np.abs(planes.a).sum(axis=0)
    g, eye, none, big = planes.a.T, np.eye(n), np.zeros((n, n)), np.diag(M)
    inf, zero = np.full(n, np.inf), np.zeros(n)
    rows = [  # coefficients of v, nu, rho, tau; then the two sides
        (g, eye, -2 * eye, none, zero, zero),
        (g, none, none, -big, -inf, zero),
        (g, none, none, -big, -M, inf),
        (0 * g, none, eye, -big, -inf, zero),
        (-g, none, eye, big, -inf, M),
        (-g, none, eye, -big, -M, inf),
    ]
    return Program(
        cost=-np.r_[1.0 - planes.m, np.full(n, radius), np.zeros(2 * n)],
        A=np.vstack([np.hstack(row[:4]) for row in rows]),
        row_lower=np.concatenate([row[4] for row in rows]),
        row_upper=np.concatenate([row[5] for row in rows]),
        lower=np.zeros(k + 3 * n),
        upper=np.r_[np.ones(k), M, M, np.ones(n)],
        is_binary=np.arange(k + 3 * n) >= k + 2 * n,
    )


def _step_columns(planes, norm):
    """The coefficients of d in the rows of the planes, and the lower bounds of d for radius 1."""
    n = planes.a.shape[1]
    if norm == "l1":
        return np.hstack([planes.a, -planes.a]), np.zeros(2 * n)
    return planes.a, np.full(n, -1.0)


def _length_rows(n, k, norm):
    """Rows <= 0 that hold t above the length of the step, and how many they are."""
    if norm == "l1":
        return np.r_[np.ones(2 * n), np.zeros(k), -1.0][None, :], 1
    side = np.hstack([np.eye(n), np.zeros((n, k)), np.full((n, 1), -1.0)])
    other = np.hstack([-np.eye(n), np.zeros((n, k)), np.full((n, 1), -1.0)])
    return np.vstack([side, other]), 2 * n
