"""Tables of pandas, polars and numpy: their columns, and tables like them with other values."""

import numpy as np

from redoubt._pipelines.forms import missing_key

# Frames up to this length are read as a whole, which takes less time than column by column.
_SHORT = 64


class TableReader:
    """The columns of a table by their place in the model."""

    def __init__(self, X, coding):
        self.X, self._coding = X, coding
        self.n_rows = len(X) if hasattr(X, "columns") else np.shape(X)[0]
        if hasattr(X, "columns"):
            self.places = self._known_places(X.columns, coding)
        else:
            self.X = np.asarray(X)
            if self.X.dtype.kind in "US" or self.X.ndim != 2:
                self.X = np.array(X, dtype=object)
            if self.X.ndim != 2 or self.X.shape[1] != len(coding.columns):
                raise ValueError(
                    f"X: expected an array of {len(coding.columns)} columns, got shape {self.X.shape}"
                )
            self.places = list(range(len(coding.columns)))
        self._whole = None
        if self.n_rows <= _SHORT and hasattr(X, "columns"):
            self._whole = self._as_lists()

    def _as_lists(self):
        """The values, column by column."""
        if not hasattr(self.X, "iloc"):
            return [self.X[name].to_list() for name in self.X.columns]
        if hasattr(self.X, "_iter_column_arrays"):  # ten times as fast as to ask for columns
            arrays = self.X._iter_column_arrays()
            return [[_only(each)] if self.n_rows == 1 else list(each) for each in arrays]
        return self.X.to_numpy(dtype=object).T.tolist()

    @classmethod
    def _known_places(cls, columns, coding):
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
        place = {name: k for k, name in enumerate(have)}
        wanted = [name for j, name in enumerate(names) if coding.columns[j].size]
        twice = sorted({name for name in wanted if have.count(name) > 1})
        if twice:
            raise ValueError(f"X: the column {twice[0]!r} occurs twice")
        missing = [name for name in wanted if name not in place]
        if missing:
            raise ValueError(f"X: columns are missing: {', '.join(map(repr, missing))}")
        return [place.get(name) for name in names]

    def numbers(self, columns):
        """These columns as an array of floats, NaN where an entry is missing."""
        if self._whole is not None:
            try:
                values = [self._whole[self.places[j]] for j in columns]
                if self.n_rows == 1:
                    return np.array([[value for (value,) in values]], dtype=np.float64)
                return np.array(values, dtype=np.float64).reshape(-1, self.n_rows).T.copy()
            except (TypeError, ValueError):
                pass  # an entry that is not a float as it stands
        numbers = np.empty((self.n_rows, len(columns)))
        for k, j in enumerate(columns):
            try:
                numbers[:, k] = as_floats(self._column(j))
            except (TypeError, ValueError):
                name, bad = self._coding.columns[j].name, _first_text(self.values(j))
                raise ValueError(f"X: column {name!r}: expected numbers, got {bad!r}") from None
        return numbers

    def codes_of_one_row(self, columns, lookups):
        """The members of these columns, found in dicts: shape (1, n); None if that is not all."""
        if self._whole is None or self.n_rows != 1:
            return None
        codes = [
            find(self._whole[self.places[j]][0], -1)
            for j, find in zip(columns, lookups, strict=True)
        ]
        return None if -1 in codes else np.array([codes], dtype=np.int32)

    def values(self, column):
        """A column as a list of any values."""
        return _as_list(self._column(column))

    def _column(self, j):
        place = self.places[j]
        if self._whole is not None:
            return self._whole[place]
        if not hasattr(self.X, "columns"):
            return self.X[:, place]
        return self.X.iloc[:, place] if hasattr(self.X, "iloc") else self.X[self.X.columns[place]]


def _is_same(known, columns):
    """Are they one index? Those of pandas are views of each other; a list may have changed."""
    is_view = getattr(columns, "is_", None)
    return known is columns and not isinstance(columns, list) if is_view is None else is_view(known)


def _only(values):
    """The one entry of an array of pandas."""
    if type(values).__name__.startswith("Arrow"):  # a quarter of the time of values[0]
        value = values.__arrow_array__()[0].as_py()
        return values.dtype.na_value if value is None else value
    return values[0]


def _as_list(values):
    if isinstance(values, list):
        return values
    return values.to_list() if hasattr(values, "to_list") else values.tolist()


def _first_text(values):
    """The first that is no number."""
    for value in values:
        try:
            as_floats([value])
        except (TypeError, ValueError):
            return value
    return values


def as_floats(values):
    """Numbers, NaN where one is missing."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        values = [np.nan if missing_key(value) else float(value) for value in _as_list(values)]
        return np.array(values, dtype=np.float64)


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
        cells = _cells(old.tolist(), values, stays, known)
        if column.is_number:
            new = pd.Series(as_floats(np.array(cells, dtype=object)), index=X.index)
            if old.dtype.kind in "iu" and known.all() and (new == new.round()).all():
                new = new.astype(old.dtype)
        elif isinstance(old.dtype, pd.CategoricalDtype):
            more = [each for each in dict.fromkeys(cells) if missing_key(each) is None]
            more = [each for each in more if each not in old.cat.categories]
            kind = pd.CategoricalDtype([*old.cat.categories, *more], ordered=old.cat.ordered)
            new = pd.Series(cells, index=X.index, dtype=kind)
        else:
            new = pd.Series(cells, index=X.index, dtype=object)
            try:
                new = new.astype(old.dtype)
            except (TypeError, ValueError):
                pass  # a category that this type cannot hold, such as "(other)" among numbers
        moved.isetitem(place, new)
    return moved


def _polars_like(X, changes, known):
    import polars as pl  # X is one of its frames

    new = []
    for place, (values, stays, column) in changes.items():
        name = X.columns[place]
        cells = _cells(X[name].to_list(), values, stays, known)
        if column.is_number:
            new.append(pl.Series(name, cells, dtype=pl.Float64, strict=False))
        elif X[name].dtype in (pl.Categorical, pl.Enum):
            new.append(pl.Series(name, cells, dtype=pl.String))
        else:
            new.append(pl.Series(name, cells, strict=False))
    return X.with_columns(new)
