"""Tables that speak Arrow: pyarrow, duckdb, nanoarrow and whatever else has a C data interface."""

import numpy as np

from redoubt import _core
from redoubt._tables.entries import refuse_missing
from redoubt._tables.frames import find_columns


def is_arrow(X):
    """Does X speak Arrow? What pandas and polars have does, but models take it as it is."""
    if isinstance(X, (np.ndarray, dict, list, tuple)):
        return False
    if not (hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__")):
        return False
    return type(X).__module__.partition(".")[0] not in ("pandas", "polars")


class ArrowColumns:
    """The columns of a table that speaks Arrow, as arrays.

    Parameters
    ----------
    X : object with `__arrow_c_stream__` or `__arrow_c_array__`
        A stream is read to its end.
    """

    def __init__(self, X):
        if hasattr(X, "__arrow_c_stream__"):
            self._table = _core.ArrowTable.of_stream(X.__arrow_c_stream__())
        else:
            self._table = _core.ArrowTable.of_array(*X.__arrow_c_array__())
        self.names = self._table.names

    def __len__(self):
        return self._table.n_rows

    def places(self, names):
        """The places of these columns; raises, in one line, if one is missing or there twice."""
        return find_columns(self.names, names)

    def numbers(self, places):
        """These columns as an array of shape (n_rows, n_columns); refuses gaps."""
        values = self._table.numbers(places)
        if np.isnan(values).any():
            column = int(np.flatnonzero(np.isnan(values).any(axis=0))[0])
            refuse_missing(self.names[places[column]], np.isnan(values[:, column]))
        return values

    def column(self, place):
        """One column: numbers with NaN, texts and booleans with None where null."""
        values = self._table.column(place)
        return np.array(values, dtype=object) if isinstance(values, list) else values

    def by_name(self, names):
        """These columns as a dict of arrays."""
        return dict(zip(names, map(self.column, self.places(names)), strict=True))

    def all_numeric(self, places):
        """Are these columns numbers or booleans?"""
        return all(self._table.kind(place) == "number" for place in places)
