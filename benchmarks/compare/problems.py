"""The problems that all solvers get: published data, the ensembles' chain, large noisy points."""

from typing import NamedTuple

import numpy as np

from redoubt import _core, datasets

TITLES = {
    "digits3": "Digits(3)",
    "digits7": "Digits(7)",
    "bcw": "BCW",
    "gaussian": "Gaussian",
}


class Problem(NamedTuple):
    title: str
    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray

    @property
    def size(self):
        return f"{self.X.shape[0]:,} x {self.X.shape[1]}"


def published(name):
    """The training part of a published data set, standardised as published."""
    data = datasets.load(name)
    train, _ = datasets.published_split(name)
    X, y = data.X[train], np.asarray(data.y[train], dtype=np.float64)
    spread = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return Problem(TITLES[name], np.ascontiguousarray(X), y, np.ones(len(y)))


def noisy_points(n_samples, n_features=50, seed=0):
    """Normal points, labelled by a plane and much noise: the classes overlap widely."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    w = rng.normal(size=n_features)
    y = np.where(X @ w + 3.0 * rng.normal(size=n_samples) >= 0, 1.0, -1.0)
    return Problem("noisy points", X, y, np.ones(n_samples))


def ensemble_chain(problem, radius=0.5, n_planes=15):
    """The weighted SVMs that the ensemble with the heuristic l2 adversary trains, in order.

    Returns the first plane (the robust SVM, as a solver's result) and problems 2..n_planes. Each
    moves the points against the planes known so far and weighs them by how few planes they fool:
    neighbours differ in both. The planes are solved to 1e-12, so the chain does not depend on the
    tolerance under test.
    """
    X, y = problem.X, problem.y
    first = _core.train_robust_svm(X, y, np.array([radius]), norm="l2")
    coef, intercept = [first.coef], [first.intercept]
    chain = []
    while len(coef) < n_planes:
        moved, weights = _attacked(X, y, np.array(coef), np.array(intercept), radius)
        chain.append(Problem(problem.title, moved, y, weights))
        result = _core.train_svm(moved, y, weights=weights, tolerance=1e-12)
        coef.append(result.coef)
        intercept.append(result.intercept)
    return first, chain


def _attacked(X, y, coef, intercept, radius):
    beta = np.maximum(0.0, 1.0 + y[:, None] * (X @ coef.T + intercept))
    total = beta.sum(axis=1, keepdims=True)
    pull = (beta / np.where(total > 0, total, 1.0)) @ coef
    length = np.linalg.norm(pull, axis=1, keepdims=True)
    moved = X - radius * y[:, None] * pull / np.where(length > 0, length, 1.0)
    votes = np.where(moved @ coef.T + intercept >= 0, 1.0, -1.0).sum(axis=1)
    gamma = len(coef) + y * votes
    return np.ascontiguousarray(moved), 1.0 / (1.0 + gamma)
