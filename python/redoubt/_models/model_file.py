"""Models as files: what the `redoubt` program trains can be used here, and the other way round."""

import json
import os
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, validate_data

from redoubt import _core
from redoubt._attack_models import AttackModel
from redoubt._models.arrow import ArrowColumns, is_arrow
from redoubt._models.ensemble import Ensemble
from redoubt._models.sparse_points import as_points, is_sparse, row_blocks
from redoubt._tables.coding import Coding
from redoubt._tables.columns import FileColumn
from redoubt._tables.frames import is_table
from redoubt._typing import Array, FilePath, Rows


class Model:
    """A trained classifier: raw features in, labels of the data out. Made by `load_model`.

    Attributes
    ----------
    ensemble : Ensemble
        The planes, in scaled features, with their weights in a weighted vote. With more than two
        classes those of all of them, one class after the other.
    planes_per_class : list of int or None
        How many of these planes each class has; None for two classes.
    score : {"value", "votes"} or None
        How more than two classes are compared: by the value of their planes, or by votes.
    center, scale : ndarray of shape (n_features,)
        A raw value x is scaled to (x - center) / scale.
    classes : list of str
        The labels; of two classes, those for -1 and +1.
    feature_names : list of str or None
        None if the features have no names and are matched by position.
    method : str
        How it was trained, for example "ro-svm".
    norm : {"l1", "l2", "linf"}
        The norm of the adversary in training.
    is_partial : bool
        Training was stopped before its end.
    training : dict
        The training record, as in the file.
    attack_model : AttackModel or None
        What an adversary may do to the raw features.
    columns : Coding or None
        The columns of the table that the features come from; None if they have no names.
    ranges : ndarray of shape (n_features, 2) or None
        The range of each raw feature in the training data, if the file has it. `explain` stays
        within these ranges.
    """

    def __init__(self, model: Any) -> None:
        fields = json.loads(model.to_json())
        self._model = model
        self.ensemble = Ensemble._of(model.ensemble)
        vote = model.class_vote
        self.planes_per_class = None if vote is None else vote.counts
        self.score = None if vote is None else vote.score
        self.center = model.center
        self.scale = model.scale
        self.classes = list(model.classes)
        self.feature_names = list(model.feature_names) if model.has_names else None
        self.method = model.method
        self.norm = model.norm
        self.is_partial = model.is_partial
        self.training = fields["training"]
        rules = fields.get("attack_model")
        self.attack_model = None if rules is None else AttackModel.from_dict(rules)
        self.columns = _columns(fields["coding"]) if model.has_names else None
        ranges = self.training.get("ranges")
        self.ranges = None
        if ranges is not None:
            self.ranges = np.column_stack([ranges["least"], ranges["greatest"]])

    def __repr__(self):
        n_planes, n_features = self.ensemble.coef.shape
        planes = f"{n_planes} plane{'s' if n_planes > 1 else ''}"
        if self.planes_per_class is not None:
            low, high = min(self.planes_per_class), max(self.planes_per_class)
            count = f"{low}" if low == high else f"{low} to {high}"
            planes = f"{count} plane{'s' if high > 1 else ''} per class"
        names = [repr(label) for label in self.classes]
        if len(names) > 4:
            names[3:] = [f"{len(names) - 3} more"]
        text = (
            f"<Model: {self.method or 'unknown method'}, {self.norm}, {planes}, "
            f"{n_features} feature{'s' if n_features > 1 else ''}, "
            f"classes {', '.join(names[:-1])} and {names[-1]}"
        )
        if self.is_partial:
            text += ", partial"
        if self.attack_model is not None:
            text += ", with an attack model"
        return text + ">"

    def transform(self, X: Rows) -> Any:
        """Return raw features, scaled as the planes need them.

        Parameters
        ----------
        X : data frame, dict of columns, Arrow table, or array-like of shape (n_samples, n_features)
            The original table, whose columns are matched by name, with text and missing values as
            in training; or features as numbers, in the order of the model's features. An Arrow
            table is anything with `__arrow_c_stream__` or `__arrow_c_array__`.

        Returns
        -------
        scaled : ndarray of shape (n_samples, n_features)
        """
        return self._model.transform(self._checked(X))

    def predict(self, X: Rows) -> Array:
        """Return the label of each row of raw features.

        Parameters
        ----------
        X : data frame, dict of columns, or array-like of shape (n_samples, n_features)
            As for `transform`.

        Returns
        -------
        labels : ndarray of str, shape (n_samples,)
        """
        X = self._read_arrow(X)
        if self.columns is not None and is_table(X):
            coded = self.columns.code(X)
            parts = [self._model.answers(coded.take(rows).expanded()) for rows in coded.chunks()]
            answers = np.concatenate(parts) if parts else np.empty(0, dtype=int)
        elif is_sparse(X):
            X = as_points(X)
            parts = [
                self._model.answers(self._checked(X[rows].toarray())) for rows in row_blocks(X)
            ]
            answers = np.concatenate(parts)
        else:
            answers = self._model.answers(self._checked(X))
        return np.asarray(self.classes)[answers]

    def _checked(self, X):
        """The features of X as an array; those of a table are found by name."""
        X = self._read_arrow(X)
        if self.columns is not None and is_table(X):
            return self.columns.code(X).expanded()

        class Model(BaseEstimator):  # the name that scikit-learn's messages show
            n_features_in_ = len(self.center)

        X = check_array(X, dtype=np.float64, order="C")
        return validate_data(Model(), X, reset=False, dtype=np.float64, order="C")

    def _read_arrow(self, X):
        return self._read_columns(ArrowColumns(X)) if is_arrow(X) else X

    def _read_columns(self, table, apart=()):
        """The model's columns of ArrowColumns: an array of plain numbers, or a dict.

        Without names all but those at the places `apart` are taken.
        """
        if self.columns is None:
            return table.numbers([k for k in range(len(table.names)) if k not in apart])
        places = table.places(self.columns.names)
        if self.columns.is_numeric and table.all_numeric(places):
            return table.numbers(places)
        return table.by_name(self.columns.names)

    def __reduce__(self):
        return _from_json, (type(self), self._model.to_json())

    def _with_ensemble(self, ensemble):
        """The same model with other planes."""
        return type(self)(self._model.with_ensemble(ensemble))

    def save(self, path: FilePath) -> None:
        """Write the model file, atomically.

        Parameters
        ----------
        path : str or path-like

        Raises
        ------
        WriteError
            An OSError that says why the file cannot be written.
        """
        self._model.save(os.fspath(path))


def _from_json(kind, text):
    return kind(_core.model_from_json(text))


def _columns(coding):
    """The columns of features that the field `coding` of a model file describes."""
    columns = []
    for column in coding["columns"]:
        if column["role"] != "feature":
            continue
        categories = tuple(column["categories"]) or None
        if "other" in column:
            fill, rules = column["fill"], ("other", "indicator", "missing_category")
            more = {name: column[name] for name in rules}
        else:
            more, fill = {}, None
            if coding["missing"] == "median":
                fill = column["fill"] if categories is None else categories[int(column["fill"])]
        columns.append(FileColumn.of(column["name"], categories, fill=fill, **more))
    return Coding(columns)
