"""Small quadratic programs over (w, b, s) with ||S w||_q <= s."""

import numpy as np


def project(point, norm):
    """The nearest point (v, s) with ||v||_q <= s; q is dual to `norm`."""
    v, s = point[:-1], point[-1]
    if norm == "l2":
        return _project_round(v, s)
    if norm == "l1":
        # q = inf: cut at the level c = s + sum (|v| - c)_+ .
        return _project_max(v, s)
    # q = 1: its polar cone is that of the largest entry; Moreau gives one from the other.
    polar = _project_max(v, -s)
    return np.append(v - polar[:-1], s + polar[-1])


def _project_round(v, s):
    size = np.linalg.norm(v)
    if size <= s:
        return np.append(v, s)
    if size <= -s:
        return np.zeros(len(v) + 1)
    level = (size + s) / 2
    return np.append(v * (level / size), level)


def _project_max(v, s):
    """Onto |v_l| <= s for all l."""
    sizes = np.sort(np.abs(v))[::-1]
    if sizes[0] <= s:
        return np.append(v, s)
    sums = s + np.cumsum(sizes)
    levels = sums / np.arange(2, len(v) + 2)
    # The level above which entries are cut: the first that no further entry would raise.
    following = np.append(sizes[1:], -np.inf)
    level = max(0.0, levels[np.argmax(levels >= following)])
    return np.append(np.clip(v, -level, level), level)


@np.errstate(over="ignore", invalid="ignore")
def minimise_in_cone(problem, hessian, linear, start):
    """min x'Hx/2 + linear'x over x = (w, b, s) in the cone, by the method of multipliers.

    Returns `start` where that has no end.
    """
    n = len(start) - 2
    picked = np.append(np.arange(n), n + 1)
    scale = np.ones(n + 1)
    if problem.scale is not None:
        scale[:n] = problem.scale
    # Variables in units in which the Hessian's diagonal is 1.
    unit = 1.0 / np.sqrt(np.maximum(np.diag(hessian), 1e-12 * np.diag(hessian).max()))
    H = hessian * np.outer(unit, unit)
    g = linear * unit
    pull = scale * unit[picked]
    strength = 0.1 / np.mean(pull**2)
    x = start / unit
    split = project(pull * x[picked], problem.norm)
    push = np.zeros(n + 1)
    values, vectors, last = None, None, None
    for turn in range(4000):
        if turn % 100 == 0 and strength != last:
            system = H.copy()
            system[picked, picked] += strength * pull**2
            values, vectors = np.linalg.eigh(system)
            values = np.maximum(values, 1e-14 * values[-1])
            last = strength
        right = -g.copy()
        right[picked] += strength * pull * (split - push)
        x = vectors @ ((vectors.T @ right) / values)
        point = pull * x[picked]
        before = split
        split = project(point + push, problem.norm)
        push += point - split
        primal = np.linalg.norm(point - split)
        dual = np.linalg.norm(split - before)
        size = np.linalg.norm(split) + 1e-300
        if not max(primal, dual) > 1e-13 * size:  # or no number at all
            break
        if turn % 100 == 99:
            factor = 4.0 if primal > 5 * dual else 0.25 if dual > 5 * primal else 1.0
            strength, push = strength * factor, push / factor
    x[picked] = np.where(pull > 0, split / np.where(pull > 0, pull, 1.0), x[picked])
    return x * unit if np.isfinite(x).all() else start.copy()
