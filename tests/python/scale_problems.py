"""Rows for the trainings by passes, and a judge that knows nothing of them."""

import numpy as np


def cloud(m, n=8, *, seed=0, distance=1.0, heavy=False, share=0.5):
    """Two overlapping clouds and labels "no" and "yes"."""
    rng = np.random.default_rng(seed)
    y = rng.random(m) < share
    X = rng.standard_t(2.5, (m, n)) if heavy else rng.normal(size=(m, n))
    direction = rng.normal(size=n)
    X += np.outer(np.where(y, 1.0, -1.0), distance * direction / np.linalg.norm(direction))
    return X, np.where(y, "yes", "no")


def repeated(m, n=8, *, different=200, seed=0):
    """Few different rows, many times each, with labels that contradict each other."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(different, n))[rng.integers(0, different, m)]
    return X, np.where(X[:, 0] + rng.normal(size=m) > 0, "yes", "no")


DUAL_ORDER = {"l1": np.inf, "l2": 2, "linf": 1}


def objective(model, X, y, weights=None, radii=0.0, scale=1.0):
    """Of a fitted classifier of two classes, from its plane and the rows alone."""
    w, b = model.coef_[0], model.intercept_[0]
    sign = np.where(y == model.classes_[1], 1.0, -1.0)
    weights = np.ones(len(X)) if weights is None else weights
    robust = hasattr(model, "regularization")
    size = np.linalg.norm(scale * w, DUAL_ORDER[model.norm or "l2"]) if robust else 0.0
    hinges = np.maximum(0.0, 1.0 - sign * (X @ w + b) + radii * size)
    rho, C = (model.regularization, 1.0) if robust else (1.0, model.C)
    return 0.5 * rho * w @ w + C * (weights @ hinges)


def in_parts(X, y, *others, n_parts=5):
    """Tuples of parts of unequal sizes."""
    cuts = np.unique(np.round(np.linspace(0, 1, n_parts + 1) ** 1.5 * len(X)).astype(int))
    return [
        tuple(each[a:b] for each in (X, y, *others)) for a, b in zip(cuts, cuts[1:], strict=False)
    ]


def write_parquet(path, X, y, row_group_size=1000, **more):
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = {f"f{k}": column for k, column in enumerate(X.T)}
    pq.write_table(pa.table(table | {"answer": y} | more), path, row_group_size=row_group_size)
    return path
