"""Model files that certify: what `load_model` returns."""

import os
from typing import Any

from numpy.typing import ArrayLike

from redoubt import _core
from redoubt._certificates.certify import attack, certify
from redoubt._certificates.explain import explain
from redoubt._certificates.results import Attacks, Certificates
from redoubt._models import model_file
from redoubt._typing import FilePath, Labels, Rows


class Model(model_file.Model):
    __doc__ = model_file.Model.__doc__

    def certify(self, X: Rows, y: Labels = None, **options: Any) -> Certificates:
        """Return how far each point can move before the answer changes.

        By default as in ``redoubt certify``: against the stored norm or attack model, in scaled
        features. A column of categories switches as a whole, at a cost of 1, and missing entries do
        not move.

        Parameters
        ----------
        X : data frame, dict of columns, or array-like of shape (n_samples, n_features)
            The original table, with text and missing values, or raw features.
        y : array-like of shape (n_samples,) or None, default=None
            Labels, as text or as numbers; without them every answer counts as right.
        **options
            Passed to `redoubt.certify`.

        Returns
        -------
        certificates : Certificates
        """
        return certify(self, X, y, **options)

    def attack(self, X: Rows, y: Labels, radius: ArrayLike, **options: Any) -> Attacks:
        """Return the worst move of each point within a radius.

        Parameters
        ----------
        X : data frame, dict of columns, or array-like of shape (n_samples, n_features)
            The original table, with text and missing values, or raw features.
        y : array-like of shape (n_samples,)
        radius : float or array-like of shape (n_samples,)
            In scaled features, or in the scales of the attack model.
        **options
            Passed to `redoubt.attack`.

        Returns
        -------
        attacks : Attacks
        """
        return attack(self, X, y, radius, **options)

    def explain(self, X: Rows, **options: Any) -> Any:
        """Return what it takes to change the answer.

        Parameters
        ----------
        X : data frame, dict of columns, or array-like of shape (n_samples, n_features)
            The original table, with text and missing values, or raw features; or one row of either.
        **options
            Passed to `redoubt.explain`.

        Returns
        -------
        explanation : Explanation, or list of Explanation
        """
        return explain(self, X, **options)


def load_model(path: FilePath) -> Model:
    """Read a model file.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    model : Model
        The same to the last bit as the model that was saved.

    Raises
    ------
    ParseError
        A ValueError that names the file and what is wrong with it.
    """
    return Model(_core.load_model(os.fspath(path)))
