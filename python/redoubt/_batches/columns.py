"""The columns of a result, described before there is any row."""

from dataclasses import dataclass

import numpy as np

from redoubt import _core
from redoubt._models.linear_model import own_feature_names, read_model
from redoubt._models.model_file import Model

# The longest is "numerical failure".
STATUS = np.dtype("U17")
NUMBER, COUNT, TRUTH = np.dtype(np.float64), np.dtype(np.int64), np.dtype(np.bool_)
TEXT = np.dtype(object)


@dataclass(frozen=True)
class OutputColumn:
    """Name and type of one column; `dtype` object is for texts with None where there is none."""

    name: str
    dtype: np.dtype

    def of(self, values):
        """The values as an array of the type."""
        if self.dtype == TEXT:
            texts = np.empty(len(values), dtype=object)
            texts[:] = [None if _is_missing(each) else str(each) for each in values]
            return texts
        return np.asarray(values).astype(self.dtype, copy=False)


def _is_missing(value):
    return value is None or value != value


def classes_of(model):
    """The labels of a model, in the order of its classes."""
    if isinstance(model, _core.Ensemble):
        return np.array([-1, 1])
    if isinstance(model, Model):
        return np.asarray(model.classes)
    return np.array(read_model(model).classes.tolist())  # texts of pandas as texts of NumPy


def moved_columns(model, prefix):
    """The columns of rows after a move: those of the table that the model looks at."""
    return [OutputColumn(f"{prefix}_{name}", dtype) for name, dtype in feature_columns(model)]


def feature_columns(model):
    """(name, type) of the columns that the model looks at; x1, x2, .. if they have no names."""
    if isinstance(model, Model) and model.columns is not None:
        return [
            (column.name, NUMBER if column.kind == "number" else TEXT)
            for column in model.columns.columns
        ]
    linear, names = read_model(model), own_feature_names(model)
    if linear.coding is None:
        n = linear.decision.n_features
        names = [f"x{k + 1}" for k in range(n)] if names is None else names
        return [(name, NUMBER) for name in names]
    used = [column for column in linear.coding.columns if column.kind != "unused"]
    return [(column.name, _type_of(column)) for column in used]


def _type_of(column):
    if column.kind == "number":
        return NUMBER
    known = [value for value in column.values if not _is_missing(value)]
    is_number = all(isinstance(value, (int, float, np.number)) for value in known)
    return NUMBER if is_number and column.other is None else TEXT
