"""Tables of pandas, polars and numpy, and dicts of columns: read, and written with other values."""

import numpy as np

from redoubt._tables.entries import as_floats, as_list
from redoubt._tables.values import missing_key, shown

# Frames up to this length are read as a whole, which takes less time than column by column.
_SHORT = 64


def is_table(X):
    """Is it a data frame or a dict of columns?"""
    return isinstance(X, dict) or hasattr(X, "columns")


class TableReader:
    """The columns of a table by their place in the model."""

    def __init__(self, X, coding):
        self.X, self._coding = X, coding
        self._whole = self._dict = None
        if isinstance(X, dict):
            self.places = self._places(list(X), coding)
            self._dict = [_array_of(values, name) for name, values in X.items()]
            self.n_rows = self._length_of_dict()
        elif hasattr(X, "columns"):
            self.n_rows = len(X)
            self.places = self.known_places(X.columns, coding)
            if self.n_rows <= _SHORT:
                self._whole = self._as_lists()
        else:
            self.X = _array_of_rows(X, len(coding.columns))
            self.n_rows = len(self.X)
            self.places = list(range(len(coding.columns)))

    def _as_lists(self):
        """The values, column by column."""
        if self.n_rows == 1:
            return [[value] for value in only_row(self.X)]
        if not hasattr(self.X, "iloc"):
            return [as_list(self.X[name]) for name in self.X.columns]
        if hasattr(self.X, "_iter_column_arrays"):  # ten times as fast as to ask for columns
            return list(map(as_list, self.X._iter_column_arrays()))
        return self.X.to_numpy(dtype=object).T.tolist()

    def _length_of_dict(self):
        used = [(name, self._dict[k]) for name, k in zip(self._coding.names, self.places) if k is not None]
        for name, values in used:
            if len(values) != len(used[0][1]):
                raise ValueError(
                    f"X: column {name!r} has {len(values)} rows, and {used[0][0]!r} has "
                    f"{len(used[0][1])}"
                )
        return len(used[0][1]) if used else 0

    @classmethod
    def known_places(cls, columns, coding):
        """Rows of one frame share its index of columns, which does not change."""
        known = coding.last_places
        if known is None or not _is_same(known[0], columns):
            coding.last_places = known = columns, cls._places(list(columns), coding)
        return known[1]

    @staticmethod
    def _places(have, coding):
        names = coding.names
        if not coding.has_names or have == names:
            return list(range(len(names)))
        wanted = [column.name for column in coding.columns if column.size]
        place = dict(zip(wanted, find_columns(have, wanted), strict=True))
        return [place.get(name) for name in names]

    def numbers(self, columns):
        """These columns as an array of floats, NaN where an entry is missing."""
        if self._whole is not None and not self._coding.reads_texts:
            try:
                values = [self._whole[self.places[j]] for j in columns]
                numbers = np.array(values, dtype=np.float64).reshape(-1, self.n_rows).T.copy()
                if not np.isinf(numbers).any():
                    return numbers
            except (TypeError, ValueError):
                pass  # an entry that is not a float as it stands
        numbers = np.empty((self.n_rows, len(columns)))
        for k, j in enumerate(columns):
            numbers[:, k] = self._coding.columns[j].numbers(self._column(j))
        return numbers

    def codes_of_one_row(self, columns, lookups):
        """The members of these columns, found in dicts: shape (1, n); None if that is not all."""
        if self._whole is None or self.n_rows != 1:
            return None
        try:
            codes = [
                find(self._whole[self.places[j]][0], -1)
                for j, find in zip(columns, lookups, strict=True)
            ]
        except TypeError:  # a value that is a list
            return None
        return None if -1 in codes else np.array([codes], dtype=np.int32)

    def values(self, column):
        """A column as a list of any values."""
        return as_list(self._column(column))

    def dict_like(self, changes, known):
        """The dict of columns with changes; see `table_like`."""
        moved = {}
        for place, (name, old) in enumerate(zip(self.X, self._dict, strict=True)):
            if place in changes:
                values, stays, column = changes[place]
                cells = _cells(old.tolist(), values, stays, known)
                old = as_floats(cells) if column.is_number else np.array(cells, dtype=object)
            moved[name] = old
        return moved

    def _column(self, j):
        place = self.places[j]
        if self._dict is not None:
            return self._dict[place]
        if not hasattr(self.X, "columns"):
            return self.X[:, place]
        if self._whole is not None:
            return self._whole[place]
        return self.X.iloc[:, place] if hasattr(self.X, "iloc") else self.X[self.X.columns[place]]


def find_columns(have, names):
    """The places of these names among those that a table has; each must be there, and once."""
    place, count = {}, {}
    for k, key in enumerate(have):
        place[key] = k
        count[key] = count.get(key, 0) + 1
    gone = [name for name in names if name not in place]
    if gone:
        some = ", ".join(map(repr, gone[:5])) + (" .." if len(gone) > 5 else "")
        has = ", ".join(map(repr, have[:8])) + (" .." if len(have) > 8 else "")
        what = "column" if len(gone) == 1 else f"{len(gone)} columns"
        raise ValueError(f"X: {what} of the model not found: {some}; X has {has or 'none'}")
    for name in names:
        if count[name] > 1:
            raise ValueError(f"X: expected each column once, got {count[name]} called {name!r}")
    return [place[name] for name in names]


def _array_of_rows(X, n_columns):
    if X is None or isinstance(X, (str, bytes)):
        raise ValueError(f"X: expected a table of {n_columns} columns, got {X!r}")
    X = np.asarray(X)
    if X.dtype.kind in "US" or X.ndim != 2:
        X = np.array(X, dtype=object)
    if X.ndim == 1:
        raise ValueError(
            f"X: expected a table of {n_columns} columns, got one dimension of {len(X)}; a single row "
            "of a frame is frame.iloc[[0]]"
        )
    if X.ndim != 2 or X.shape[1] != n_columns:
        raise ValueError(f"X: expected an array of {n_columns} columns, got shape {X.shape}")
    return X


def _array_of(values, name):
    """One column of a dict."""
    kind = str(getattr(values, "dtype", ""))
    if kind.startswith(("category", "Categorical", "Enum")):  # of pandas and polars
        return np.array(values.to_list(), dtype=object)
    array = values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values)
    if array.dtype.kind in "US":
        array = np.array(values, dtype=object)
    if array.ndim != 1:
        if array.ndim == 0:
            raise ValueError(f"X: column {name!r}: expected a list of values, got {shown(array.item())}")
        raise ValueError(f"X: column {name!r}: expected one dimension, got {array.ndim}")
    return array


def _is_same(known, columns):
    """Are they one index? Those of pandas are views of each other; a list may have changed."""
    is_view = getattr(columns, "is_", None)
    return known is columns and not isinstance(columns, list) if is_view is None else is_view(known)


def only_row(X):
    """The values of a frame with one row, as they are in lists of its columns."""
    if not hasattr(X, "iloc"):
        return [as_list(X[name])[0] for name in X.columns]
    if not hasattr(getattr(X, "_mgr", None), "blklocs"):
        return [as_list(X.iloc[:, k])[0] for k in range(X.shape[1])]
    # Its blocks hold columns of one type together: four times as fast as column by column.
    blocks = []
    for block in X._mgr.blocks:
        values = block.values
        if type(values) is np.ndarray and values.dtype.kind in "fiubO":
            blocks.append([value for (value,) in values.tolist()])
        else:
            blocks.append(list(map(_only, values if values.ndim > 1 else (values,))))
    places = zip(X._mgr.blknos.tolist(), X._mgr.blklocs.tolist(), strict=True)
    return [blocks[block][row] for block, row in places]


def _only(values):
    """The one entry of an array of pandas."""
    if type(values).__name__.startswith("Arrow"):  # a quarter of the time of values[0]
        value = values.__arrow_array__()[0].as_py()
        return as_list(values)[0] if value is None else value
    value = values[0]
    return as_list(values)[0] if missing_key(value) else value


def columns_of(X, names):
    """These columns of a frame or dict."""
    if isinstance(X, dict):
        return {name: X[name] for name in names}
    return X[list(names)]


def rows_of(X, rows):
    """Some rows of a table."""
    if isinstance(X, dict):
        return {name: _array_of(values, name)[rows] for name, values in X.items()}
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows] if hasattr(X, "columns") else np.asarray(X, dtype=object)[rows]


# --- written ----------------------------------------------------------------------------------


def table_like(X, reader, before, after, known):
    """A table such as X with the rows `after`; cells that did not move are those of X.

    `known` says which rows there are; the others have no values at all.
    """
    coding = before.coding
    changes = {}
    for k, j in enumerate(coding.numbers):
        values, stays = after.numbers[:, k], after.numbers[:, k] == before.numbers[:, k]
        if not (stays & known).all():
            changes[reader.places[j]] = (values.tolist(), stays, coding.columns[j])
    for k, j in enumerate(coding.groups):
        column, codes = coding.columns[j], after.codes[:, k]
        stays = codes == before.codes[:, k]
        if not (stays & known).all():
            changes[reader.places[j]] = ([column.values[c] for c in codes], stays, column)
    if isinstance(X, dict):
        return reader.dict_like(changes, known)
    if not hasattr(X, "columns"):
        return _array_like(reader.X, changes, known)
    return (_pandas_like if hasattr(X, "iloc") else _polars_like)(X, changes, known)


def _cells(old, values, stays, known):
    """The new values of a column as a list."""
    return [
        (was if same else value) if there else None
        for was, value, same, there in zip(old, values, stays, known, strict=True)
    ]


def _array_like(X, changes, known):
    has_categories = any(column.kind == "categories" for _, _, column in changes.values())
    is_float = X.dtype.kind == "f" or (X.dtype.kind in "iub" and not has_categories)
    moved = X.astype(np.float64 if is_float else object)
    moved[~known] = np.nan if is_float else None
    for place, (values, stays, _) in changes.items():
        moved[:, place] = _cells(X[:, place].tolist(), values, stays, known)
    return moved


def _pandas_like(X, changes, known):
    import pandas as pd  # X is one of its frames

    moved = X.copy()
    for place, (values, stays, column) in changes.items():
        old = X.iloc[:, place]
        cells = _cells(as_list(old), values, stays, known)
        if column.is_number:
            new = pd.Series(as_floats(cells), index=X.index)
            if old.dtype.kind in "iu" and known.all() and (new == new.round()).all():
                new = new.astype(old.dtype)
        elif isinstance(old.dtype, pd.CategoricalDtype):
            more = [each for each in dict.fromkeys(cells) if missing_key(each) is None]
            more = [each for each in more if each not in old.cat.categories]
            kind = pd.CategoricalDtype([*old.cat.categories, *more], ordered=old.cat.ordered)
            new = pd.Series(cells, index=X.index, dtype=kind)
        else:
            cells = _as_booleans(cells) if old.dtype.kind == "b" else cells
            new = pd.Series(cells, index=X.index, dtype=object)
            try:
                cast = new.astype(old.dtype)
            except (TypeError, ValueError):
                pass  # a category that this type cannot hold, such as "(other)" among numbers
            else:
                new = cast if _says_the_same(column, cells, as_list(cast), known) else new
        moved.isetitem(place, new)
    return moved


def _polars_like(X, changes, known):
    import polars as pl  # X is one of its frames

    new = []
    for place, (values, stays, column) in changes.items():
        name = X.columns[place]
        cells = _cells(as_list(X[name]), values, stays, known)
        if column.is_number:
            new.append(pl.Series(name, cells, dtype=pl.Float64, strict=False))
        elif X[name].dtype in (pl.Categorical, pl.Enum):
            new.append(pl.Series(name, cells, dtype=pl.String))
        else:
            cells = _as_booleans(cells) if X[name].dtype == pl.Boolean else cells
            nulls = [None if missing_key(each) else each for each in cells]
            series = pl.Series(name, nulls, strict=False)
            if not _says_the_same(column, cells, as_list(series), known):
                texts = [None if missing_key(each) else str(each) for each in cells]
                series = pl.Series(name, texts, dtype=pl.String)
            new.append(series)
    return X.with_columns(new)


def _as_booleans(cells):
    """The cells of a column of booleans; a model may know them as texts or as 0 and 1."""
    truth = {"true": True, "false": False, "1": True, "0": False, "1.0": True, "0.0": False}
    return [truth.get(str(value).lower(), value) for value in cells]


def _says_the_same(column, cells, cast, known):
    """Are these the same categories and gaps after all? A type may turn the text "False" to True."""
    gaps = [missing_key(value) is None for value in cells]
    if gaps != [missing_key(value) is None for value in cast]:
        return False
    there = np.flatnonzero(known).tolist()
    return column.codes([cells[k] for k in there])[0] == column.codes([cast[k] for k in there])[0]
