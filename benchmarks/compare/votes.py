"""The votes and points that the certificate benchmarks use. Everything is seeded."""

from typing import NamedTuple

import numpy as np
from sklearn.svm import SVC

import redoubt
from redoubt import _core, datasets

from .problems import TITLES

#: The attack radii of the published tables.
PUBLISHED_RADII = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0)

#: Points of a synthetic set, and how far the two classes' means are from 0.
N_SYNTHETIC, SEPARATION = 500, 1.5


class Case(NamedTuple):
    """A vote and points to certify, with labels or (None) without."""

    title: str
    vote: redoubt.Ensemble
    X: np.ndarray
    y: np.ndarray

    def first_planes(self, k):
        vote = redoubt.Ensemble(self.vote.coef[:k], self.vote.intercept[:k])
        return self._replace(vote=vote)


def published_bagging(name, k, *, part="test"):
    """Bagged SVMs (C = 1) of a published set and the points of one part, all standardised.

    The first 75 bags are the published ones, later ones are drawn here.
    """
    data = datasets.load(name)
    train, test = datasets.published_split(name)
    mean, spread = data.X[train].mean(axis=0), data.X[train].std(axis=0)
    X = (data.X - mean) / np.where(spread > 0, spread, 1.0)
    y = np.asarray(data.y, dtype=np.float64)
    X_train, y_train = np.ascontiguousarray(X[train]), y[train]
    bags = np.asarray(datasets.published_bags(name), dtype=np.float64)
    rng = np.random.default_rng(0)
    while len(bags) < k:
        bags = np.vstack([bags, _bag(rng, len(train))])
    planes = [_core.train_svm(X_train, y_train, weights=bag) for bag in bags[:k]]
    vote = redoubt.Ensemble([p.coef for p in planes], [p.intercept for p in planes])
    rows = {"train": train, "test": test}[part]
    return Case(TITLES[name], vote, np.ascontiguousarray(X[rows]), y[rows])


def synthetic_bagging(n, k, n_points):
    """Bagged SVMs of two overlapping normal clouds, and fresh points of the same kind.

    LIBSVM trains them: with fewer points than features it is the faster choice, and training is
    not what is measured.
    """
    rng = np.random.default_rng([n, 1])
    X, y = _clouds(rng, N_SYNTHETIC, n)
    coef, intercept = [], []
    for _ in range(k):
        bag = _bag(rng, len(y))
        rows = bag > 0
        plane = SVC(kernel="linear", C=1.0).fit(X[rows], y[rows], sample_weight=bag[rows])
        coef.append(plane.coef_[0])
        intercept.append(plane.intercept_[0])
    return Case(f"n = {n}", redoubt.Ensemble(coef, intercept), *_clouds(rng, n_points, n))


def random_planes(n, k, n_points, bias=0.0):
    """Normal w, b and x with w'x and b - `bias` of the same size: planes with nothing in common.

    With bias 0 about as many planes say +1 as say -1, and a few decide; with bias 1 three of four
    say +1, as in a vote that was trained. b is the same for all n. Every answer counts as right.
    """
    rng = np.random.default_rng([n, 2])
    b = bias + np.random.default_rng(3).normal(size=k)
    vote = redoubt.Ensemble(rng.normal(size=(k, n)) / np.sqrt(n), b)
    return Case(f"n = {n}", vote, rng.normal(size=(n_points, n)), None)


def spread_sample(difficulty, size, seed=0):
    """Indices of `size` points, evenly spaced from the easiest to the hardest.

    Every point is equally likely, so that means over the sample estimate means over all points.
    """
    rng = np.random.default_rng(seed)
    order = np.lexsort((rng.permutation(len(difficulty)), difficulty))
    places = (np.arange(size) + rng.uniform()) * len(difficulty) / size
    return order[places.astype(int)]


def _bag(rng, m):
    return np.bincount(rng.integers(0, m, size=m), minlength=m).astype(np.float64)


def _clouds(rng, m, n):
    y = np.where(np.arange(m) % 2 == 0, 1.0, -1.0)
    return rng.normal(size=(m, n)) + SEPARATION / np.sqrt(n) * y[:, None], y
