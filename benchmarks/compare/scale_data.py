"""Large tables for the report `scale`: made part by part, written as Parquet."""

import numpy as np

N_FEATURES = 20
PART = 100_000
RADII = {"plain": 0.0, "l2": 0.2, "linf": 0.05, "l1": 0.2}


def parts(n_rows, kind="ordinary", seed=0):
    """Tuples (X, y): two clouds (heavy tails, few of one class, hardly overlapping), or UNSEEN."""
    if kind in UNSEEN:
        rng = np.random.default_rng([77, seed])
        yield UNSEEN[kind](n_rows, rng, _direction(rng))
        return
    direction = np.random.default_rng(seed).normal(size=N_FEATURES)
    direction *= (3.0 if "separable" in kind else 1.0) / np.linalg.norm(direction)
    share = 0.1 if "unbalanced" in kind else 0.5
    for number in range(-(-n_rows // PART)):
        rng = np.random.default_rng([seed, number])
        m = min(PART, n_rows - number * PART)
        y = rng.random(m) < share
        shape = (m, N_FEATURES)
        X = rng.standard_t(2.5, shape) if "heavy" in kind else rng.normal(size=shape)
        X += np.outer(np.where(y, 1.0, -1.0), direction)
        yield X, y.astype(np.int8)


# --- data that nothing was tuned on ---------------------------------------------------------------


def _direction(rng):
    direction = rng.normal(size=N_FEATURES)
    return direction / np.linalg.norm(direction)


def _counts(m, rng, direction):
    X = rng.poisson(1.0, (m, N_FEATURES)).astype(float)
    score = (X - 1.0) @ direction + rng.logistic(size=m)
    return X, score > np.quantile(score, 0.7)


def _lognormal(m, rng, direction):
    Z = rng.normal(size=(m, N_FEATURES))
    return np.exp(Z), Z @ direction + rng.normal(size=m) > 0.5


def _outliers(m, rng, direction):
    """One row of a hundred is fifty times as long and has the wrong label."""
    X = rng.normal(size=(m, N_FEATURES))
    y = X @ direction + 0.5 * rng.normal(size=m) > 0
    wrong = rng.random(m) < 0.01
    X[wrong] *= 50.0
    return X, y ^ wrong


def _repeated(m, rng, direction):
    """500 different rows, with labels that contradict each other."""
    X = rng.normal(size=(500, N_FEATURES))[rng.integers(0, 500, m)]
    return X, X @ direction + rng.normal(size=m) > 0


def _rare(m, rng, direction):
    y = rng.random(m) < 0.005
    return rng.normal(size=(m, N_FEATURES)) + 3.0 * np.outer(y, direction), y


def _mixture(m, rng, direction):
    """Eight clouds of different widths, every other one of the same class."""
    centres = rng.normal(size=(8, N_FEATURES)) * 1.5
    cloud = rng.integers(0, 8, m)
    noise = rng.normal(size=(m, N_FEATURES))
    return centres[cloud] + noise * rng.uniform(0.3, 1.5, 8)[cloud][:, None], cloud % 2 == 0


def _switches(m, rng, direction):
    """Ones and zeros: some rows once, others hundreds of times, and any number of ties."""
    X = (rng.random((m, N_FEATURES)) < rng.uniform(0.02, 0.5, N_FEATURES)).astype(float)
    return X, 2.0 * X @ direction + rng.normal(size=m) > 0.3


UNSEEN = {
    "counts": _counts,
    "lognormal": _lognormal,
    "outliers": _outliers,
    "repeated": _repeated,
    "rare": _rare,
    "mixture": _mixture,
    "switches": _switches,
}


def write(path, n_rows):
    """As Parquet; returns the bytes of its numbers in memory."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer = None
    for X, y in parts(n_rows):
        table = pa.table({f"f{k}": X[:, k] for k in range(N_FEATURES)} | {"label": y})
        writer = writer or pq.ParquetWriter(path, table.schema, use_dictionary=False)
        writer.write_table(table, row_group_size=PART // 4)
    writer.close()
    return n_rows * N_FEATURES * 8


def classifier(name, tol):
    import redoubt

    if name == "plain":
        return redoubt.LinearSVMClassifier(tol=tol)
    return redoubt.RobustSVMClassifier(RADII[name], norm=name, tol=tol)


def objective(model, blocks, radius):
    """Of a plane, from the rows alone: code that knows nothing of how it was trained."""
    w, b = model.coef_[0], model.intercept_[0]
    order = {"l1": np.inf, "linf": 1}.get(getattr(model, "norm", None), 2)
    total = 0.5 * w @ w if not hasattr(model, "regularization") else 0.0
    for X, y in blocks:
        hinges = 1.0 - np.where(y > 0, 1.0, -1.0) * (X @ w + b) + radius * np.linalg.norm(w, order)
        total += np.maximum(hinges, 0.0).sum()
    return float(total)
