"""The raw columns of a table and the features z that planes see: numbers and one-hot groups.

A numeric column is one feature. A categorical one is a group, one 0/1 feature per category, of
which exactly one is on: its categories, then "(missing)" if the model has a use for it, then
"(other)" for anything unseen, if it takes that. A number that is cut into steps is a feature that
no plane looks at, for its rules, and a group of intervals. A column with an indicator of missing
entries has one feature more. Rows are kept as one number or one code per column; only `expanded`
writes out z.
"""

from dataclasses import dataclass, replace

import numpy as np

from redoubt._tables.entries import refuse_missing
from redoubt._tables.frames import TableReader, only_row
from redoubt._tables.values import CONFLICT, missing_key

# Features that are made at a time.
CHUNK_BYTES = 64 << 20


class Coding:
    """All columns of a table, in the order of the model.

    Parameters
    ----------
    columns : list of Column
    has_names : bool, default=True
        Columns of a frame are found by name, and not by position.

    Attributes
    ----------
    names : list of str
        Of the columns.
    n_features : int
    """

    last_places = None  # the columns of the last frame, and where those of the model are in it
    _last_row = None  # these places, and those of numbers and groups among them

    def __init__(self, columns, has_names=True):
        self.has_names = has_names
        self.columns, self.n_features = [], 0
        for column in columns:
            self.columns.append(replace(column, start=self.n_features))
            self.n_features += column.size
        columns = self.columns
        self.names = [each.name for each in columns]
        self.reads_texts = any(each.reads_texts for each in columns)
        self.numbers = [j for j, each in enumerate(columns) if each.is_number]
        self.groups = [j for j, each in enumerate(columns) if each.kind == "categories"]
        self.steps = [
            (k, columns[j]) for k, j in enumerate(self.numbers) if columns[j].steps is not None
        ]  # each with its place among the numbers
        self.marks = [j for j, each in enumerate(columns) if each.has_indicator]
        self.number_at = np.array([columns[j].start for j in self.numbers], dtype=int)
        self.group_at = np.array([columns[j].start for j in self.groups], dtype=int)
        self.mark_at = np.array(
            [columns[j].start + columns[j].size - 1 for j in self.marks], dtype=int
        )
        members = [np.arange(columns[j].n_members) for j in self.groups]
        self.member_code = np.concatenate([*members, []]).astype(np.int32)
        self.member_at = self.member_code + np.repeat(
            self.group_at, [len(each) for each in members]
        )
        self._lookups = [columns[j].lookup.get for j in self.groups]

    @property
    def is_numeric(self):
        """Nothing but numbers that are always there. (What is not used may be anything.)"""
        return all(each.kind == "number" and each.fill is None for each in self.columns) and not (
            self.marks
        )

    def units(self):
        """By column: what the one scaler of a numeric column makes 1 of; 1 for others."""
        return np.array([each.unit for each in self.columns])

    def feature_units(self):
        """The same by feature: 1 for members of groups."""
        units = np.ones(self.n_features)
        units[self.number_at] = self.units()[self.numbers]
        return units

    def feature_names(self):
        return [name for each in self.columns for name in each.feature_names()]

    def features_by_column(self):
        """As the library describes them: name, first feature (-1: not used), members, indicator.

        Rules about a number that is cut into steps are rules about the number.
        """
        return [
            (
                each.name,
                -1 if each.kind == "unused" else each.start,
                [] if each.is_number else [each.member_name(k) for k in range(each.n_members)],
                each.start + each.size - 1 if each.has_indicator else -1,
            )
            for each in self.columns
        ]

    def features_of(self, columns):
        """The features of some columns that could move."""
        return [
            feature
            for j in columns
            for feature in range(
                self.columns[j].start,
                self.columns[j].start + self.columns[j].size - self.columns[j].has_indicator,
            )
        ]

    # --- rows -------------------------------------------------------------------------------------

    def code(self, X):
        """Return the rows of X (a frame of pandas or polars, a dict of columns or an array), coded.

        Raises ValueError, in one line, for missing or repeated columns, values of another type,
        categories that are not known, and missing entries without a fill.
        """
        return self.code_rows(TableReader(X, self))

    def code_rows(self, table):
        """The same for a TableReader."""
        numbers = table.numbers(self.numbers)
        codes = table.codes_of_one_row(self.groups, self._lookups)
        is_coded = codes is not None
        if not is_coded:
            codes = np.empty((table.n_rows, len(self.groups)), dtype=np.int32)
        filled = np.zeros((table.n_rows, len(self.columns)), dtype=bool)
        gaps = np.isnan(numbers)
        for k in np.flatnonzero(gaps.any(axis=0)).tolist() if gaps.any() else ():
            j = self.numbers[k]
            numbers[gaps[:, k], k] = self._fill_number(self.columns[j], gaps[:, k])
            filled[:, j] = gaps[:, k]
        for k, j in enumerate(() if is_coded else self.groups):
            codes[:, k], gone = self.columns[j].codes(table.values(j))
            filled[gone, j] = True
        for j in self.marks:
            if self.columns[j].kind == "unused":
                filled[:, j] = [missing_key(value) is not None for value in table.values(j)]
        return CodedRows(self, numbers, codes, filled)

    def code_row(self, X):
        """The numbers, the codes and the missing columns of a frame of one row, as plain lists.

        `filled` is a tuple, ascending. Raises where `code` does, in other words, and TypeError or
        ValueError where it looks more closely.
        """
        numbers_at, groups_at = self._places_in(X.columns)
        values = only_row(X)
        numbers = [values[place] for place in numbers_at]
        filled = []
        for k, number in enumerate(numbers):
            if number != number:
                column = self.columns[self.numbers[k]]
                numbers[k] = float(self._fill_number(column, np.array([True])))
                filled.append(self.numbers[k])
        codes = [find(values[place]) for find, place in zip(self._lookups, groups_at, strict=True)]
        for k, code in enumerate(codes):
            if code is None:
                column = self.columns[self.groups[k]]
                (codes[k],), is_filled = column.codes([values[groups_at[k]]])
                filled += [self.groups[k]] * len(is_filled)
        for j in self.marks:
            if self.columns[j].kind == "unused":
                raise ValueError("a column that matters only where it is missing")
        return numbers, codes, tuple(sorted(filled))

    def _places_in(self, columns):
        """Where the numbers and the groups are in a frame with these columns."""
        places = TableReader.known_places(columns, self)
        if self._last_row is None or self._last_row[0] is not places:
            numbers = [places[j] for j in self.numbers]
            self._last_row = places, (numbers, [places[j] for j in self.groups])
        return self._last_row[1]

    @staticmethod
    def _fill_number(column, gaps):
        """What a missing entry is taken for."""
        if column.fill is CONFLICT:
            raise ValueError(
                f"X: missing entries of {column.name!r} are filled differently by two steps, which "
                "is not supported"
            )
        if column.fill is None:
            refuse_missing(column.name, gaps)
        return np.float64(column.fill.value)


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows of a table: numbers, codes of categories, and which entries were missing and filled."""

    coding: Coding
    numbers: np.ndarray
    codes: np.ndarray
    filled: np.ndarray

    def __len__(self):
        return len(self.codes)

    def take(self, rows):
        return CodedRows(self.coding, self.numbers[rows], self.codes[rows], self.filled[rows])

    def chunks(self, max_bytes=CHUNK_BYTES):
        """Yield slices of rows whose features take at most `max_bytes` each."""
        step = max(1, max_bytes // (8 * max(1, self.coding.n_features)))
        for start in range(0, len(self), step):
            yield slice(start, min(start + step, len(self)))

    def frozen(self):
        """The features behind entries that were filled, row by row: a list of lists of int."""
        return [self.coding.features_of(np.flatnonzero(row)) if row.any() else [] for row in self.filled]

    def needed(self, useful):
        """Features that these rows need, if of each group only some members are of use."""
        coding = self.coding
        keep = np.zeros(coding.n_features, dtype=bool)
        keep[coding.number_at] = keep[coding.mark_at] = True
        for k, start in enumerate(coding.group_at.tolist()):
            keep[start + useful[k]] = True
            keep[start + self.codes[:, k]] = True
        for _, column in coding.steps:
            keep[column.members_at : column.members_at + column.n_members] = True
        return np.flatnonzero(keep)

    def expanded(self, kept=None):
        """z, written out; only the features `kept`, if they are given (ascending)."""
        coding = self.coding

        if kept is None and len(self) == 1 and not coding.steps:  # in a third of the time
            Z = np.zeros((1, coding.n_features))
            Z[0, coding.number_at] = self.numbers[0]
            Z[0, coding.group_at + self.codes[0]] = 1.0
            if coding.marks:
                Z[0, coding.mark_at] = self.filled[0, coding.marks]
            return Z

        def place(features):
            return features if kept is None else np.searchsorted(kept, features)

        Z = np.zeros((len(self), coding.n_features if kept is None else len(kept)))
        Z[:, place(coding.number_at)] = self.numbers
        if len(coding.groups):
            Z[np.arange(len(self))[:, None], place(coding.group_at + self.codes)] = 1.0
        for k, column in coding.steps:
            member = column.steps.member_of(self.numbers[:, k])
            Z[np.arange(len(self)), place(column.members_at + member)] = 1.0
        if coding.marks:
            Z[:, place(coding.mark_at)] = self.filled[:, coding.marks]
        return Z

    def moved_to(self, Z, kept=None, places=()):
        """Rows like these at other z; entries that are missing stay so.

        `places` are where a number is in each of its steps, for each column of steps of one row.
        """
        coding = self.coding
        if kept is None and not coding.steps:
            on = np.nonzero(Z[:, coding.member_at] > 0.5)[1]
            if len(on) == self.codes.size:  # one of each group
                codes = coding.member_code[on].reshape(self.codes.shape)
                return CodedRows(coding, Z[:, coding.number_at], codes, self.filled)
        codes = np.empty_like(self.codes)
        for k, j in enumerate(coding.groups):
            first = start = coding.columns[j].start
            last = start + coding.columns[j].n_members
            if kept is None:
                codes[:, k] = Z[:, first:last].argmax(axis=1)
            else:
                first, last = np.searchsorted(kept, [first, last])
                codes[:, k] = kept[first + Z[:, first:last].argmax(axis=1)] - start
        at = coding.number_at if kept is None else np.searchsorted(kept, coding.number_at)
        numbers = Z[:, at]
        for (k, column), there in zip(coding.steps, places, strict=True):
            first = column.members_at if kept is None else np.searchsorted(kept, column.members_at)
            numbers[:, k] = there[Z[:, first : first + column.n_members].argmax(axis=1)]
        return CodedRows(coding, numbers, codes, self.filled)
