"""Blocks of rows of whatever kind: read for a model, and answered in the same kind."""

import numpy as np

from redoubt._models.arrow import ArrowColumns, is_arrow
from redoubt._models.arrow_rows import columns_for
from redoubt._models.linear_model import own_feature_names
from redoubt._models.model_file import Model
from redoubt._models.sparse_points import is_sparse, n_rows
from redoubt._tables.frames import find_columns


def open_block(model, rows, apart):
    """The rows as a block; `apart` are the columns that are no features (labels, radii)."""
    if is_arrow(rows):
        return _ArrowBlock(model, rows, apart)
    if hasattr(rows, "columns"):
        return _FrameBlock(model, rows, apart)
    return _ArrayBlock(model, rows, apart)


class _ArrowBlock:
    """A record batch or table."""

    def __init__(self, model, rows, apart):
        self._rows, self._table = rows, ArrowColumns(rows)
        self._places = dict(zip(apart, self._table.places(apart), strict=True))
        self._model = model

    def __len__(self):
        return len(self._table)

    def features(self):
        return columns_for(self._model, self._table, set(self._places.values()))

    def column(self, name):
        return self._table.column(self._places[name])

    def dress(self, columns, schema):
        return arrow_like(self._rows, columns, schema())


class _FrameBlock:
    """A frame of pandas or polars."""

    def __init__(self, model, rows, apart):
        find_columns(list(rows.columns), apart)
        self._model, self._rows, self._apart = model, rows, list(apart)

    def __len__(self):
        return len(self._rows)

    def features(self):
        if isinstance(self._model, Model) and self._model.columns is not None:
            return self._rows
        names = own_feature_names(self._model)
        if names is None:
            names = [name for name in self._rows.columns if name not in self._apart]
        find_columns(list(self._rows.columns), names)
        return self._rows[names]

    def column(self, name):
        return self._rows[name].to_numpy()

    def dress(self, columns, schema):
        return frame_like(self._rows, columns)


class _ArrayBlock:
    """An array of numbers, or of anything else, or sparse rows of SciPy: columns by position."""

    def __init__(self, model, rows, apart):
        self._rows = rows.tocsr() if is_sparse(rows) else np.asarray(rows)
        if self._rows.ndim != 2:
            raise ValueError(f"rows: expected a block of two dimensions, got {self._rows.ndim}")
        for place in apart:
            if not isinstance(place, (int, np.integer)) or not 0 <= place < self._rows.shape[1]:
                raise ValueError(
                    f"rows: expected the number of a column below {self._rows.shape[1]} for an "
                    f"array, got {place!r}"
                )
        self._apart = list(apart)

    def __len__(self):
        return n_rows(self._rows)

    def features(self):
        if not self._apart:
            return self._rows
        if is_sparse(self._rows):
            return self._rows[:, np.delete(np.arange(self._rows.shape[1]), self._apart)]
        return np.delete(self._rows, self._apart, axis=1)

    def column(self, place):
        column = self._rows[:, [place]]
        return (column.toarray() if is_sparse(column) else column)[:, 0]

    def dress(self, columns, schema):
        found = np.empty(len(self), dtype=[(name, each.dtype) for name, each in columns.items()])
        for name, values in columns.items():
            found[name] = values
        return found


def frame_like(rows, columns):
    """Arrays as a frame such as `rows`, whose types do not depend on how many values there are."""
    kind = type(rows)
    text = kind({"text": ["text"]})["text"].dtype
    is_text = {name: each.dtype.kind in "OU" for name, each in columns.items()}
    frame = kind({name: list(v) if is_text[name] else v for name, v in columns.items()})
    types = {name: text for name in columns if is_text[name]}
    if not hasattr(frame, "iloc"):
        return frame.cast(types)
    return frame.astype(types).set_index(rows.index)


# --- Arrow ----------------------------------------------------------------------------------------


def need_pyarrow(what):
    """The package pyarrow; an ImportError that says how to get it, if it is missing."""
    try:
        import pyarrow
    except ImportError:
        raise ImportError(f"{what} needs pyarrow: pip install pyarrow") from None
    return pyarrow


def arrow_schema(columns):
    """The schema of pyarrow for columns of a result."""
    pa = need_pyarrow("schema")
    return pa.schema([(each.name, _arrow_type(pa, each.dtype)) for each in columns])


def _arrow_type(pa, dtype):
    return pa.string() if dtype.kind in "OU" else pa.from_numpy_dtype(dtype)


def arrow_like(rows, columns, schema):
    """Arrays as a record batch if `rows` is one, else as a table, of pyarrow."""
    pa = need_pyarrow("a result as Arrow data")
    pairs = zip(columns.values(), schema, strict=True)
    arrays = [_arrow_array(pa, values, field.type) for values, field in pairs]
    kind = pa.RecordBatch if isinstance(rows, pa.RecordBatch) else pa.Table
    return kind.from_arrays(arrays, schema=schema)


def _arrow_array(pa, values, kind):
    if values.dtype.kind != "U":
        return pa.array(values, type=kind)
    # A few different texts, as a rule one: ten times as fast as text by text.
    codes, words = np.full(len(values), -1, dtype=np.int32), []
    while (codes < 0).any() and len(words) < 16:
        words.append(str(values[int(np.argmin(codes >= 0))]))
        codes[values == words[-1]] = len(words) - 1
    if (codes < 0).any() or not words:
        return pa.array(values.tolist(), type=kind)
    return pa.DictionaryArray.from_arrays(codes, pa.array(words, type=kind)).dictionary_decode()
