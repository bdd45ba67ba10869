"""Ens-E, Ens-R and Ens-H by passes: a further plane is an SVM on rows moved against the others."""

from dataclasses import dataclass, replace

import numpy as np

from redoubt import _core


@dataclass(frozen=True, eq=False)
class Mover:
    """A pure function of a block: its rows after the adversary has moved them.

    `coef` and `intercept` are the planes so far, `positive` the label of class +1, `radius` that of
    rows without one, `rules` the attack model or None, `settings` what else the library's adversary
    is told.
    """

    coef: np.ndarray
    intercept: np.ndarray
    positive: object
    radius: float
    rules: object
    settings: dict

    def __call__(self, block):
        signs = np.where(block.labels == self.positive, 1.0, -1.0)
        radii = np.array([self.radius]) if block.radii is None else block.radii
        planes = _core.Ensemble(self.coef, self.intercept)
        rules = None if self.rules is None else self.rules.of_signs()
        X, n_right = _core.move_training_rows(
            block.X, signs, radii, planes, attack_model=rules, **self.settings
        )
        weights = 1.0 / (1.0 + 2.0 * n_right)
        if block.weights is not None:
            weights = weights * block.weights
        return replace(block, X=X, weights=weights, radii=None)
