"""The methods that meet: each a list of candidates, and a way to train one."""

from itertools import product
from typing import NamedTuple
from collections.abc import Callable

import numpy as np

import redoubt
from redoubt import _core

SMALL_RADII = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5)


class Contestant(NamedTuple):
    name: str
    candidates: list  # of keyword arguments
    train: Callable  # (part, weights, norm, seed, **candidate) -> Ensemble


def _radius(value):
    return np.array([value], dtype=float)


def _robust_svm(part, weights, norm, seed, radius):
    plane = _core.train_robust_svm(part.X, part.y, _radius(radius), norm=norm, weights=weights)
    return redoubt.Ensemble([plane.coef], [plane.intercept])


def _robust_ensemble(adversary):
    def train(part, weights, norm, seed, radius):
        return _core.train_robust_ensemble(
            part.X, part.y, _radius(radius), weights=weights, norm=norm, adversary=adversary
        ).ensemble

    return train


def _bagged(part, weights, norm, seed):
    return _core.train_bagged_svms(part.X, part.y, weights=weights, seed=seed).ensemble


def _collaborative(part, weights, norm, seed, radius, **settings):
    return _core.train_collaborative(
        part.X, part.y, _radius(radius), weights=weights, norm=norm, seed=seed, n_threads=0,
        **settings,
    ).ensemble  # fmt: skip


def contestants(norm, largest):
    """All methods, with candidates for attacks up to the radius `largest`."""
    scale = largest / 2 if norm == "linf" else 1.0
    robust = [{"radius": scale * r} for r in (*SMALL_RADII, 0.75, 1.0, 1.5, 2.0)]
    ensemble = [{"radius": scale * r} for r in (*SMALL_RADII, 1.0)]
    together = [
        {"radius": share * largest, "n_planes": n_planes, "n_epochs": n_epochs}
        for share, n_planes, n_epochs in product((0.5, 0.75, 1.0, 1.5, 3.0), (1, 15), (15, 60))
    ]
    return [
        Contestant("SVM-Ens", [{}], _bagged),
        Contestant("RO-SVM", robust, _robust_svm),
        Contestant("Ens-E", ensemble, _robust_ensemble("exact")),
        Contestant("Ens-R", ensemble, _robust_ensemble("relaxed")),
        Contestant("Ens-H", ensemble, _robust_ensemble("heuristic")),
        Contestant("Ens-C", together, _collaborative),
    ]
