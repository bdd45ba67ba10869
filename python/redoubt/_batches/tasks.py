"""Callables without state: a batch of rows in, a batch of results out."""

import inspect
from typing import Any

import numpy as np

from redoubt import _core
from redoubt._batches.blocks import arrow_schema, frame_like, open_block
from redoubt._batches.columns import (
    COUNT,
    NUMBER,
    STATUS,
    TEXT,
    TRUTH,
    OutputColumn,
    classes_of,
    feature_columns,
    moved_columns,
)
from redoubt._batches.counts import CurveCounts
from redoubt._batches.fingerprints import fingerprint
from redoubt._certificates.certify import attack, certify
from redoubt._certificates.curves import check_attack_radii
from redoubt._checks import number_list
from redoubt._models.linear_model import read_model
from redoubt._models.model_file import Model
from redoubt._models.sparse_points import is_sparse
from redoubt._typing import FittedModel, Frame


class BatchTask:
    """A batch of rows in, a batch of results out. Made by `batch_predict` and similar functions.

    The call is a pure function of the rows, so any engine may run it, anywhere and twice. A task
    can be pickled, and carries the model once.

    Called with a NumPy block or sparse rows of SciPy it returns a structured array; with a frame of pandas or polars the
    same kind of frame, with the same index; with an Arrow record batch or table, or whatever else
    has `__arrow_c_stream__` or `__arrow_c_array__`, a record batch or table of pyarrow. One row in
    is one row out, in the same order.

    Attributes
    ----------
    model : Ensemble, Model or fitted classifier
    label : str, int or None
        The column of labels.
    options : dict
        Of `redoubt.certify` or `redoubt.attack`.
    columns : list of str
        Of the result.
    dtype : numpy.dtype
        Of the structured array.
    meta : pandas.DataFrame
        A result without rows, for engines that ask for one.
    schema : pyarrow.Schema
    """

    _function: Any = None

    def __init__(
        self, model: FittedModel, label: str | None = None, options: dict[str, Any] | None = None
    ) -> None:
        self.model, self.label = model, label
        self.options = dict(options or {})
        self._check_options()
        self._output = self._columns()

    def _check_options(self):
        known = inspect.signature(type(self)._function).parameters if self._function else {}
        for name in self.options:
            if name not in known:
                raise TypeError(f"{type(self).__name__}: unexpected option {name!r}")

    @property
    def columns(self) -> list[str]:
        return [each.name for each in self._output]

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype([(each.name, each.dtype) for each in self._output])

    @property
    def meta(self) -> Frame:
        import pandas as pd  # an extra: only this needs it

        return frame_like(pd.DataFrame(index=range(0)), self._empty())

    @property
    def schema(self) -> Any:
        return arrow_schema(self._output)

    def __call__(self, rows, y=None):
        """Return the result for a batch of rows; `y` holds their labels if no column does."""
        block = open_block(self.model, rows, self._apart())
        if len(block) == 0:
            return block.dress(self._empty(), lambda: self.schema)
        if y is None and self.label is not None:
            y = block.column(self.label)
        found = self._compute(block, block.features(), y)
        columns = {each.name: each.of(found[each.name]) for each in self._output}
        return block.dress(columns, lambda: self.schema)

    def fingerprint(self) -> str:
        """A text that is the same for tasks that give the same results."""
        return fingerprint(self.model, [type(self).__name__, self._parameters()])

    def _parameters(self):
        """What the results depend on, besides the model: not the number of threads."""
        options = {name: value for name, value in self.options.items() if name != "n_jobs"}
        return {"label": self.label, "options": options, "columns": self.columns}

    def _apart(self):
        return [] if self.label is None else [self.label]

    def _empty(self):
        return {each.name: np.empty(0, dtype=each.dtype) for each in self._output}

    def _columns(self):
        raise NotImplementedError

    def _compute(self, block, X, y):
        raise NotImplementedError

    def _answers(self, X):
        if isinstance(self.model, _core.Ensemble):
            return np.where(self.model.votes(X) >= 0, 1, -1)
        return self.model.predict(X)

    def _moved(self, prefix, X, moves, table):
        """The rows after their moves, by column."""
        names = [name for name, _ in feature_columns(self.model)]
        if table is None:
            before = self.model._checked(X) if isinstance(self.model, Model) else X
            after = np.asarray(before, dtype=np.float64) + moves
            return {f"{prefix}_{name}": after[:, k] for k, name in enumerate(names)}
        if isinstance(table, np.ndarray):
            place = {name: k for k, name in enumerate(self._all_names())}
            return {f"{prefix}_{name}": table[:, place[name]] for name in names}
        return {f"{prefix}_{name}": list(table[name]) for name in names}

    def _all_names(self):
        return read_model(self.model).coding.names


class _Predict(BatchTask):
    def _columns(self):
        return [OutputColumn("prediction", classes_of(self.model).dtype)]

    def _compute(self, block, X, y):
        return {"prediction": self._answers(X)}


class _Certify(BatchTask):
    _function = staticmethod(certify)

    def __init__(self, model, label, witness, options):
        self.witness = bool(witness)
        super().__init__(model, label, options)

    def _columns(self):
        first = [OutputColumn("prediction", classes_of(self.model).dtype)]
        first += [OutputColumn(name, NUMBER) for name in ("radius", "lower", "upper")]
        first.append(OutputColumn("status", STATUS))
        if len(classes_of(self.model)) > 2:
            first.append(OutputColumn("nearest", TEXT))
        return first + (moved_columns(self.model, "witness") if self.witness else [])

    def _compute(self, block, X, y):
        if self.witness and is_sparse(X):  # its columns are dense
            X = X.toarray()
        found = certify(self.model, X, y, **self.options)
        columns = {name: getattr(found, name) for name in ("radius", "lower", "upper", "status")}
        columns |= {"prediction": found.prediction, "nearest": found.nearest}
        if self.witness:
            columns |= self._moved("witness", X, found.witness, found.moved)
        return columns


class _Attack(BatchTask):
    _function = staticmethod(attack)

    def __init__(self, model, radius, label, moved, options):
        self.radius, self.moved = radius, bool(moved)
        if not self._has_radius_column():
            check_attack_radii(number_list("radius", radius))
        super().__init__(model, label, options)

    def _has_radius_column(self):
        return isinstance(self.radius, str)

    def _parameters(self):
        return super()._parameters() | {"radius": self.radius}

    def _apart(self):
        return super()._apart() + ([self.radius] if self._has_radius_column() else [])

    def _columns(self):
        first = [OutputColumn("success", TRUTH), OutputColumn("n_fooled", COUNT)]
        first += [OutputColumn(name, NUMBER) for name in ("objective", "bound")]
        first.append(OutputColumn("status", STATUS))
        return first + (moved_columns(self.model, "moved") if self.moved else [])

    def _compute(self, block, X, y):
        radius = block.column(self.radius) if self._has_radius_column() else self.radius
        if self.moved and is_sparse(X):
            X = X.toarray()
        y = self._answers(X) if y is None else y
        found = attack(self.model, X, y, radius, **self.options)
        names = ("success", "objective", "bound", "status")
        columns = {name: getattr(found, name) for name in names}
        columns["n_fooled"] = [len(planes) for planes in found.fooled]
        if self.moved:
            columns |= self._moved("moved", X, found.perturbation, found.moved)
        return columns


class _Evaluate(BatchTask):
    _function = staticmethod(certify)

    def __init__(self, model, radii, label, options):
        self.radii = number_list("radii", radii).reshape(-1)
        check_attack_radii(self.radii)
        super().__init__(model, label, options)

    def _parameters(self):
        return super()._parameters() | {"radii": self.radii.tolist()}

    def _columns(self):
        return []

    def __call__(self, rows, y=None):
        """Return the counts of a batch of rows, which can be added up."""
        counts = CurveCounts.none(self.radii, classes_of(self.model))
        block = open_block(self.model, rows, self._apart())
        if len(block) == 0:
            return counts
        if y is None and self.label is None:
            raise ValueError("label: evaluating needs labels; name their column")
        y = block.column(self.label) if y is None else y
        return counts.adding(certify(self.model, block.features(), y, **self.options))
