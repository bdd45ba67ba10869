"""How far an estimated plane may be from the optimum, as a set of moves."""

import numpy as np

N_MOVES = 16
# Of the plane itself: no direction is taken to be better known than this.
LEAST_MOVE = 1e-7


def plane_spread(problem, rows, plane, dual_ratio, known, seed):
    """Moves (dw, db), one per row, drawn from the plane's sampling error.

    The plane solves a problem in which row j stands for 1 / chance_j rows; `known` is the part of
    its multiplier that is exact for all of them. The error of a sum has the covariance V, and the
    plane that of H^-1 V H^-1, H being the curvature: rows that cross t = 0 as the plane moves.
    """
    slopes, t = problem.slopes(rows, plane), problem.hinges(rows, plane)
    pressure = float(rows.weights / rows.chance @ (rows.radii * (t > 0)))
    curvature = problem.curvature(plane, pressure)
    return spread_of_slopes(rows, plane, t, slopes, curvature, dual_ratio - known, seed)


def spread_of_slopes(rows, plane, t, slopes, curvature, doubt, seed):
    """The same for hinges t with these slopes, and a curvature that no row has; `doubt` is the part
    of each row's multiplier that is not exact. The slopes are overwritten."""
    w, _ = plane
    weights = rows.weights / rows.chance
    near = min(len(t) - 1, max(10 * (len(w) + 1), len(t) // 20))
    window = max(np.partition(np.abs(t), near)[near], 1e-9)
    close = np.abs(t) <= window
    H = (slopes[close] * weights[close, None]).T @ slopes[close] / (2 * window)
    H[:-1, :-1] += curvature

    factor = weights * np.sqrt(np.maximum(0.0, 1.0 - rows.chance)) * doubt
    slopes *= factor[:, None]
    # In units of the features' sizes: H is as badly scaled as they are.
    unit = np.sqrt(np.maximum(np.diag(H), 1e-300))
    inverse = _inverse(H / np.outer(unit, unit))
    root = (slopes / unit) @ inverse  # of the covariance: root'root
    random = np.random.default_rng(seed)
    moves = random.standard_normal((N_MOVES, len(root))) @ root / unit
    floor = LEAST_MOVE * typical_move(rows, plane)
    moves += floor * random.standard_normal(moves.shape)
    return moves


def _inverse(H):
    values, vectors = np.linalg.eigh((H + H.T) / 2)
    values = np.maximum(values, 1e-8 * max(values[-1], 1e-300))
    return (vectors / values) @ vectors.T


def typical_move(rows, plane):
    """Moves of (w, b) that change t by about as much, feature by feature."""
    w, b = plane
    sizes = np.sqrt(np.mean(rows.X**2, axis=0))
    sizes = np.where(sizes > 0, sizes, 1.0)
    height = np.sqrt(np.mean((w * sizes) ** 2)) + abs(b) + 1e-3
    return np.append(height / sizes, height)
