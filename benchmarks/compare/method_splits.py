"""Data sets and splits on which methods meet."""

from typing import NamedTuple

import numpy as np

from redoubt import datasets

L2_RADII = np.array([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2])
LINF_RADII = {
    "gaussian": np.linspace(0.05, 0.5, 10),
    "bcw": np.linspace(0.05, 0.5, 10),
    "digits3": np.linspace(0.02, 0.3, 15),
    "digits7": np.linspace(0.02, 0.3, 15),
}
NAMES = {
    "gaussian": "Gaussian", "bcw": "BCW", "digits3": "Digits(3)", "digits7": "Digits(7)",
    "heart": "heart", "diabetes": "diabetes",
}  # fmt: skip


class Part(NamedTuple):
    X: np.ndarray
    y: np.ndarray


def standardised(X, y, train, test):
    """Both parts, scaled by the mean and deviation of the training part."""
    mean, deviation = X[train].mean(axis=0), X[train].std(axis=0)
    deviation[deviation == 0] = 1.0
    return tuple(Part(np.ascontiguousarray((X[rows] - mean) / deviation), y[rows].astype(float))
                 for rows in (train, test))  # fmt: skip


def published(name):
    X, y, _, _ = datasets.load(name)
    return standardised(X, y, *datasets.published_split(name))


def random_split(name, seed):
    """A fifth of the points for the test, drawn class by class."""
    X, y, _, _ = datasets.load(name)
    return standardised(X, y, *stratified(y, 0.2, np.random.default_rng(1000 + seed)))


def stratified(y, share, rng):
    held_out = np.zeros(len(y), dtype=bool)
    for label in (-1, 1):
        rows = rng.permutation(np.flatnonzero(y == label))
        held_out[rows[: round(share * len(rows))]] = True
    return np.flatnonzero(~held_out), np.flatnonzero(held_out)


def balanced_weights(y):
    """Both classes weigh the same, and the mean weight is 1."""
    n_plus = np.count_nonzero(y > 0)
    return np.where(y > 0, len(y) / (2 * n_plus), len(y) / (2 * (len(y) - n_plus)))
