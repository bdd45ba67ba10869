"""Tables as people have them, with texts and gaps, as the features that planes see.

A column of numbers is one feature. A column of categories is a one-hot group: one 0/1 feature per
category, exactly one of them on. Codes, one integer per entry of such a column, take little room;
features are made from them for as many rows at a time as are wanted.
"""

from dataclasses import dataclass

import numpy as np

from redoubt._models.entries import CategoryCoder, numbers_of, refuse_missing

MISSING_MEMBER, OTHER_MEMBER = "(missing)", "(other)"
# Features that are made at a time.
CHUNK_BYTES = 64 << 20


@dataclass(frozen=True)
class RawColumn:
    """One column of the table.

    Parameters
    ----------
    name : str
    categories : tuple or None, default=None
        The members of its group, in their order; None for a column of numbers.
    other : bool, default=False
        One more member, the last, is on for categories that are not known. Otherwise they are an
        error.
    fill : number, category or None, default=None
        What a missing entry counts as. None is an error, unless `missing_category`.
    indicator : bool, default=False
        One more feature is 1 where the entry is missing.
    missing_category : bool, default=False
        One more member, after the categories, is on where the entry is missing.
    """

    name: str
    categories: tuple | None = None
    other: bool = False
    fill: object = None
    indicator: bool = False
    missing_category: bool = False

    def __post_init__(self):
        if self.categories is None:
            if self.other or self.missing_category:
                raise ValueError(f"column {self.name!r}: a column of numbers has no categories")
            return
        object.__setattr__(self, "categories", tuple(self.categories))
        if self.fill is not None and self.fill not in self.categories:
            raise ValueError(f"column {self.name!r}: fill {self.fill!r} is no category")

    @property
    def members(self):
        """Names of the members, those for missing and unknown entries included; None for numbers."""
        if self.categories is None:
            return None
        more = [MISSING_MEMBER] * self.missing_category + [OTHER_MEMBER] * self.other
        return [*self.categories, *more]

    @property
    def feature_names(self):
        members = self.members
        names = [self.name] if members is None else [f"{self.name}={each}" for each in members]
        return names + [f"{self.name} is missing"] * self.indicator


def is_table(X):
    """Is it a data frame or a dict of columns?"""
    return isinstance(X, dict) or hasattr(X, "columns")


class RawColumns:
    """The columns of a table in their order, and the features that they become.

    Parameters
    ----------
    columns : list of RawColumn
    reads_texts : bool, default=False
        Read texts as a CSV file's: blanks around them do not count, `NA`, `?` and their like are
        missing, texts of numbers are numbers, and numbers and booleans match categories that are
        texts of them.

    Attributes
    ----------
    names : list of str
        Of the columns.
    feature_names : list of str
    first : ndarray of int, shape (n_columns + 1,)
        The features of column c are first[c] to first[c + 1] - 1; an indicator is the last.
    """

    def __init__(self, columns, *, reads_texts=False):
        self.columns = list(columns)
        self.reads_texts = reads_texts
        self.names = [column.name for column in self.columns]
        if len(set(self.names)) < len(self.names):
            twice = next(name for name in self.names if self.names.count(name) > 1)
            raise ValueError(f"column {twice!r}: expected different names, got this one twice")
        self.feature_names = [name for column in self.columns for name in column.feature_names]
        self.first = np.cumsum([0] + [len(column.feature_names) for column in self.columns])
        self._coders = [
            None if column.categories is None else CategoryCoder(column, reads_texts)
            for column in self.columns
        ]

    @property
    def n_features(self):
        return len(self.feature_names)

    @property
    def has_groups(self):
        return any(coder is not None for coder in self._coders)

    @property
    def is_plain(self):
        """Are all columns numbers that must be there?"""
        return all(
            each.categories is None and each.fill is None and not each.indicator
            for each in self.columns
        )

    @property
    def indicators(self):
        """The features that say that an entry is missing."""
        return [int(self.first[c + 1]) - 1 for c, each in enumerate(self.columns) if each.indicator]

    def members_of(self, c):
        """The features of column c without its indicator."""
        return range(int(self.first[c]), int(self.first[c + 1]) - self.columns[c].indicator)

    def features_by_column(self):
        """The columns as the library describes them: name, first feature, members, indicator."""
        return [
            (
                column.name,
                int(self.first[c]),
                [] if column.categories is None else [str(each) for each in column.members],
                int(self.first[c + 1]) - 1 if column.indicator else -1,
            )
            for c, column in enumerate(self.columns)
        ]

    def groups(self):
        """The features of each column of categories."""
        return [
            list(self.members_of(c))
            for c, column in enumerate(self.columns)
            if column.categories is not None
        ]

    def code(self, X):
        """Return the table X as a CodedTable.

        X is a data frame (pandas, polars or any other with `columns`) or a dict of columns, which
        are matched by name; further columns are ignored. Raises ValueError, in one line, for
        missing or repeated columns, values of another type, categories that are not known, and
        missing entries without a fill.
        """
        values = _columns_of(X, self.names)
        n_rows = len(values[0]) if values else 0
        entries = np.zeros((n_rows, len(self.columns)))
        missing = np.zeros(entries.shape, dtype=bool)
        for c, (column, coder) in enumerate(zip(self.columns, self._coders)):
            if len(values[c]) != n_rows:
                raise ValueError(
                    f"X: column {column.name!r} has {len(values[c])} rows, and "
                    f"{self.names[0]!r} has {n_rows}"
                )
            if coder is None:
                entries[:, c] = numbers_of(column.name, values[c], self.reads_texts)
                missing[:, c] = np.isnan(entries[:, c])
                fill = np.nan if column.fill is None else float(column.fill)
            else:
                entries[:, c], missing[:, c] = coder.code(values[c])
                fill = coder.fill
            if missing[:, c].any():
                if column.fill is None:
                    refuse_missing(column.name, missing[:, c])
                entries[missing[:, c], c] = fill
        return CodedTable(self, entries, missing)

    def decode(self, features, coded):
        """Return features, moved from those of the CodedTable, as a CodedTable of their own.

        Of a group the largest member counts. What has not moved keeps its very value, and an entry
        that was missing and has not moved stays missing. Rows of NaN become missing throughout.
        """
        entries = np.empty(coded.entries.shape)
        for c, column in enumerate(self.columns):
            members = self.members_of(c)
            if column.categories is None:
                entries[:, c] = features[:, members[0]]
            else:
                block = features[:, members[0] : members[-1] + 1]
                entries[:, c] = np.where(np.isnan(block[:, 0]), np.nan, block.argmax(axis=1))
        gone = np.isnan(entries)
        return CodedTable(self, entries, (coded.missing & (entries == coded.entries)) | gone)

    def frame(self, coded, like):
        """Return a CodedTable as a frame or dict such as `like`, with the names of categories."""
        columns = {
            column.name: _decoded(column, coded.entries[:, c], coded.missing[:, c])
            for c, column in enumerate(self.columns)
        }
        if not hasattr(like, "columns"):
            return columns
        frame = type(like)(columns)
        if hasattr(like, "index") and len(like.index) == len(frame):
            frame.index = like.index
        return frame


class CodedTable:
    """The rows of a table: numbers as they are, categories as the places of their members.

    Attributes
    ----------
    columns : RawColumns
    entries : ndarray of shape (n_rows, n_columns)
        Missing entries are filled in.
    missing : ndarray of bool, shape (n_rows, n_columns)
        Which of them were. An entry whose being missing is a category is not.
    """

    def __init__(self, columns, entries, missing):
        self.columns, self.entries, self.missing = columns, entries, missing

    def __len__(self):
        return len(self.entries)

    def features(self, rows=slice(None)):
        """Return the features of some rows (a slice or places): ndarray (n, n_features)."""
        entries, missing = self.entries[rows], self.missing[rows]
        features = np.zeros((len(entries), self.columns.n_features))
        every = np.arange(len(entries))
        for c, column in enumerate(self.columns.columns):
            first = self.columns.first[c]
            if column.categories is None:
                features[:, first] = entries[:, c]
            else:
                features[every, first + entries[:, c].astype(np.intp)] = 1.0
            if column.indicator:
                features[:, self.columns.first[c + 1] - 1] = missing[:, c]
        return features

    def chunks(self, max_bytes=CHUNK_BYTES):
        """Yield slices of rows whose features take at most `max_bytes` each."""
        step = max(1, max_bytes // (8 * max(1, self.columns.n_features)))
        for start in range(0, len(self), step):
            yield slice(start, min(start + step, len(self)))

    def joined(self, parts):
        """Return tables of the same columns, below each other, as one."""
        if not parts:
            return CodedTable(self.columns, self.entries[:0], self.missing[:0])
        entries = np.concatenate([part.entries for part in parts])
        return CodedTable(self.columns, entries, np.concatenate([part.missing for part in parts]))

    def frozen(self, rows=slice(None)):
        """Return the features behind missing entries, row by row: a list of lists of int."""
        first = self.columns.first
        return [
            [l for c in np.flatnonzero(row) for l in range(first[c], first[c + 1])]
            if row.any()
            else []
            for row in self.missing[rows]
        ]


# --- columns of a frame -----------------------------------------------------------------------


def _columns_of(X, names):
    """The values of these columns of a frame or dict, as arrays."""
    find_columns(list(X.keys() if isinstance(X, dict) else X.columns), names)
    return [_array_of(X[name]) for name in names]


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


def _array_of(values):
    kind = str(getattr(values, "dtype", ""))
    if kind.startswith(("category", "Categorical", "Enum")):  # of pandas and polars
        return np.array(values.to_list(), dtype=object)
    array = values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"X: expected columns of one dimension, got {array.ndim}")
    return array


def _decoded(column, entries, missing):
    """The values of one column; None, or NaN in numbers, where missing."""
    if column.categories is None:
        return np.where(missing, np.nan, entries)
    members = np.array([*column.members, None], dtype=object)
    values = members[np.where(missing, len(members) - 1, np.nan_to_num(entries)).astype(np.intp)]
    if column.missing_category:
        values[values == MISSING_MEMBER] = None
    return values
