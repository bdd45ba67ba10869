"""Least moves found without the package: every cell of the planes, each a small convex problem."""

from itertools import product

import numpy as np
from scipy.optimize import linprog, nnls

ORDER = {"l1": 1, "l2": 2, "linf": np.inf}


def length(moves, norm):
    return np.linalg.norm(moves, ord=ORDER[norm], axis=-1)


def polyhedron_distance(G, h, norm):
    """min ||d|| with G d >= h; infinity where there is no such d."""
    n = G.shape[1]
    if norm == "l2":  # Lawson and Hanson: a least-distance problem is one of non-negative squares
        E, f = np.vstack([G.T, h]), np.append(np.zeros(n), 1.0)
        residual = E @ nnls(E, f)[0] - f
        if np.linalg.norm(residual) < 1e-10:
            return np.inf
        return np.linalg.norm(residual[:n] / residual[n])
    if norm == "linf":  # variables d, t
        size = np.ones((n, 1))
        cost = np.append(np.zeros(n), 1.0)
    else:  # variables d, t_1..t_n
        size = np.eye(n)
        cost = np.append(np.zeros(n), np.ones(n))
    rows = [
        np.hstack([-G, np.zeros((len(G), size.shape[1]))]),
        np.hstack([np.eye(n), -size]),
        np.hstack([-np.eye(n), -size]),
    ]
    limits = np.concatenate([-h, np.zeros(2 * n)])
    found = linprog(cost, np.vstack(rows), limits, bounds=(None, None), method="highs")
    return found.fun if found.status == 0 else np.inf


def cell_distance(coef, intercept, x, norm, is_wanted):
    """The distance from x to the nearest cell whose signs ``is_wanted(signs)``."""
    best = np.inf
    margins = coef @ x + intercept
    for signs in product([-1.0, 1.0], repeat=len(coef)):
        signs = np.array(signs)
        if is_wanted(signs):
            best = min(best, polyhedron_distance(signs[:, None] * coef, -signs * margins, norm))
    return best


def inner_moves(rng, n_moves, n_features, norm):
    """Random moves of length at most 1, many of them of length exactly 1, axes included."""
    moves = rng.normal(size=(n_moves, n_features))
    moves[: n_moves // 4] = np.sign(moves[: n_moves // 4])
    axes = np.vstack([np.eye(n_features), -np.eye(n_features)])
    moves = np.vstack([moves, axes])
    moves /= length(moves, norm)[:, None]
    moves[n_moves // 2 : n_moves] *= rng.random((n_moves - n_moves // 2, 1))
    return moves
