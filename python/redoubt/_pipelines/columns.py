"""The raw columns of a table and the features z that planes see: numbers and one-hot groups.

A numeric column is one feature. A categorical one is a group, one 0/1 feature per category, of
which exactly one is on: its categories, then "(missing)" if the encoders have a use for it, then
"(other)" for anything unseen, if they take that. A number that is cut into steps is a feature that
no plane looks at, for its rules, and a group of intervals. A column with an indicator of missing
entries has one feature more. Rows are kept as one number or one code per column; only `expanded`
writes out z.
"""

from dataclasses import dataclass, field

import numpy as np

from redoubt._pipelines.forms import CONFLICT, Fill, is_marked, key_of, missing_key
from redoubt._pipelines.steps import Steps

MISSING, OTHER = "(missing)", "(other)"


@dataclass(frozen=True, eq=False)
class Column:
    """One raw column; `start` is its first feature and `size` how many it has."""

    name: str
    start: int
    size: int
    kind: str  # "number", "categories", "steps" or "unused"
    values: list = field(default_factory=list)  # of the members
    other: int | None = None  # the member for anything unseen
    fill: Fill | None = None
    has_indicator: bool = False
    unit: float = 1.0  # of a number: what its one scaler makes 1 of
    lookup: dict = field(default_factory=dict)
    steps: Steps | None = None

    @property
    def is_number(self):
        """Are its entries numbers that move as such?"""
        return self.kind in ("number", "steps")

    @property
    def n_members(self):
        return len(self.values)

    @property
    def members_at(self):
        """The feature of the first member."""
        return self.start + (self.kind == "steps")

    def member_name(self, member):
        if self.steps is not None:
            return self.steps.names()[member]
        if member == self.other:
            return OTHER
        value = self.values[member]
        return MISSING if missing_key(value) else str(value)

    def feature_names(self):
        names = [self.name] if self.is_number else []
        names += [f"{self.name}={self.member_name(k)}" for k in range(self.n_members)]
        return names + ([f"{self.name} is missing"] if self.has_indicator else [])

    def code(self, value):
        """The member of a value, and whether its entry is a missing one that was filled."""
        if isinstance(self.fill, Fill) and is_marked(value, self.fill.marker):
            return self.code(self.fill.value)[0], True
        found = self.lookup.get(key_of(value), self.other)
        if found is None:
            raise ValueError(
                f"X: column {self.name!r} has the category {value!r}, which the model does not know"
            )
        return found, False


class Coding:
    """All columns of a table, in the order of the model."""

    last_places = None  # the columns of the last frame, and where those of the model are in it

    def __init__(self, columns, has_names):
        self.columns, self.has_names = columns, has_names
        self.numbers = [j for j, each in enumerate(columns) if each.is_number]
        self.groups = [j for j, each in enumerate(columns) if each.kind == "categories"]
        self.steps = [
            (k, columns[j]) for k, j in enumerate(self.numbers) if columns[j].steps is not None
        ]  # each with its place among the numbers
        self.marks = [j for j, each in enumerate(columns) if each.has_indicator]
        self.n_features = sum(each.size for each in columns)
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

    @classmethod
    def of(cls, forms, names):
        """The columns that these functions look at, `names` being theirs or None."""
        n_columns = forms[0].n_columns
        columns, start = [], 0
        for j in range(n_columns):
            name = f"column {j}" if names is None else names[j]
            column = _read_column(forms, j, name, start)
            columns.append(column)
            start += column.size
        return cls(columns, names is not None)

    @property
    def is_numeric(self):
        """Nothing but numbers that are always there. (What is not used may be anything.)"""
        return all(each.kind == "number" and each.fill is None for each in self.columns) and not (
            self.marks
        )

    @property
    def names(self):
        return [each.name for each in self.columns]

    def units(self):
        """By column: what the one scaler of a numeric column makes 1 of; 1 for others."""
        return np.array([each.unit for each in self.columns])

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

    def coefficients(self, form):
        """The functions as planes on z: coefficients and intercepts, not yet rounded."""
        coef = np.zeros((len(form.coef), self.n_features), dtype=np.longdouble)
        for j, column in enumerate(self.columns):
            if column.kind == "number":
                coef[:, column.start] = form.coef[:, j]
            elif column.n_members:
                values = np.empty(column.n_members, dtype=object)
                values[:] = column.values
                first = column.members_at
                coef[:, first : first + column.n_members] = _without_fill(form, j, values).T
            if column.has_indicator and j in form.indicators:
                coef[:, column.start + column.size - 1] = form.indicators[j]
        return coef, form.intercept

    # --- rows -------------------------------------------------------------------------------------

    def code_rows(self, table):
        """`table` has `n_rows`, `numbers(places)` as floats and the `values(place)` of a column."""
        numbers = table.numbers(self.numbers)
        codes = table.codes_of_one_row(self.groups, self._lookups)
        is_coded = codes is not None
        if not is_coded:
            codes = np.empty((table.n_rows, len(self.groups)), dtype=np.int32)
        filled = np.zeros((table.n_rows, len(self.columns)), dtype=bool)
        gaps = np.isnan(numbers)
        for k in np.flatnonzero(gaps.any(axis=0)).tolist() if gaps.any() else ():
            j = self.numbers[k]
            numbers[gaps[:, k], k] = self._fill_number(self.columns[j])
            filled[:, j] = gaps[:, k]
        for k, j in enumerate(() if is_coded else self.groups):
            codes[:, k] = self._code_values(j, table.values(j), filled)
        for j in self.marks:
            if self.columns[j].kind == "unused":
                filled[:, j] = [missing_key(value) is not None for value in table.values(j)]
        return CodedRows(self, numbers, codes, filled)

    @staticmethod
    def _fill_number(column):
        """What a missing entry is taken for."""
        if column.fill is CONFLICT:
            raise ValueError(
                f"X: missing entries of {column.name!r} are filled differently by two steps, which "
                "is not supported"
            )
        if column.fill is None:
            raise ValueError(f"X: column {column.name!r} has missing entries")
        return np.float64(column.fill.value)

    def _code_values(self, j, values, filled):
        column = self.columns[j]
        find = column.lookup.get
        codes = [find(value, -1) for value in values]
        if -1 in codes:
            for row, code in enumerate(codes):
                if code < 0:
                    codes[row], filled[row, j] = column.code(values[row])
        return codes


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


# --- one column ---------------------------------------------------------------------------------


def _without_fill(form, j, values):
    """What a categorical column adds at values that are there."""
    total = np.zeros((len(values), len(form.coef)), dtype=np.longdouble)
    for table in form.tables.get(j, ()):
        total += table.evaluate(values)
    return total


def _read_column(forms, j, name, start):
    tables = [table for form in forms for table in form.tables.get(j, ())]
    is_number = any(form.is_linear[j] for form in forms)
    has_indicator = any(j in form.indicators for form in forms)
    if tables and is_number:
        raise ValueError(
            f"model: column {name!r} goes into the model both as a number and by way of "
            f"{tables[0].step}, which is not supported; drop one of the two"
        )
    if not tables:
        return _number_column(forms, j, name, start, is_number, has_indicator)
    cut = [table.edges is not None for table in tables]
    if any(cut) and not all(cut):
        cuts, encodes = tables[cut.index(True)].step, tables[cut.index(False)].step
        raise ValueError(
            f"model: column {name!r} goes into the model both as a number, by way of {cuts}, and by "
            f"way of {encodes}, which is not supported; drop one of the two"
        )
    fills = [table.fill for table in tables]
    fill = fills[0] if all(each == fills[0] for each in fills) else CONFLICT
    if fill is CONFLICT:
        raise ValueError(
            f"model: missing entries of column {name!r} are filled differently by two steps, which "
            "is not supported"
        )
    if all(cut):
        return _steps_column(forms, tables, j, name, start, fill, has_indicator)
    if has_indicator and fill is None:
        raise ValueError(
            f"model: missing entries of column {name!r} are marked by one step and a category to "
            "another, which is not supported; fill them in front of the encoder"
        )
    values, other = _members(forms, j, tables, fill)
    if not values:
        raise ValueError(f"model: no category of column {name!r} has an answer")
    return Column(
        name,
        start,
        len(values) + has_indicator,
        "categories",
        values,
        other,
        fill,
        has_indicator,
        lookup={
            key_of(value): member for member, value in enumerate(values) if member != other
        },
    )


def _unit(forms, j):
    units = frozenset().union(*(form.units.get(j, ()) for form in forms))
    return next(iter(units)) if len(units) == 1 else 1.0


def _steps_column(forms, tables, j, name, start, fill, has_indicator):
    if isinstance(fill, Fill) and fill.marker not in ("NaN", "None"):
        raise ValueError(
            f"model: column {name!r}: the number {fill.marker!r} is taken for a missing entry, "
            "which is not supported; mark missing numbers by NaN"
        )
    steps = Steps.joined([table.edges for table in tables])
    values = steps.samples().tolist()
    return Column(
        name,
        start,
        1 + len(values) + has_indicator,
        "steps",
        values,
        fill=fill,
        has_indicator=has_indicator,
        unit=_unit(forms, j),
        steps=steps,
    )


def _number_column(forms, j, name, start, is_number, has_indicator):
    unit = _unit(forms, j)
    fill = None
    if is_number:
        fills = [form.fills.get(j) for form in forms if form.is_linear[j]]
        fill = fills[0] if all(each == fills[0] for each in fills) else CONFLICT
    kind = "number" if is_number else "unused"
    size = int(is_number) + has_indicator
    return Column(name, start, size, kind, fill=fill, has_indicator=has_indicator, unit=unit)


def _members(forms, j, tables, fill):
    """The values of a group, missing ones and "anything else" last, and the place of the latter."""
    known = {key_of(value): value for table in tables for value in table.categories}
    if isinstance(fill, Fill):  # the entry itself never reaches an encoder
        known = {key: value for key, value in known.items() if not is_marked(value, fill.marker)}
    values = [value for value in known.values() if missing_key(value) is None]
    values += [value for value in known.values() if missing_key(value) is not None]
    takes_other = all(table.takes_unknown for table in tables)
    if takes_other:
        values.append(_unseen(values))
    answers = np.empty(len(values), dtype=object)
    answers[:] = values
    has_answer = ~np.isnan(sum(_without_fill(form, j, answers).sum(axis=1) for form in forms))
    takes_other = takes_other and bool(has_answer[-1])
    values = [value for value, keep in zip(values, has_answer, strict=True) if keep]
    return values, len(values) - 1 if takes_other else None


def _unseen(values):
    """A value that is none of these, of their kind."""
    numbers = [
        value for value in values if missing_key(value) is None and not isinstance(value, str)
    ]
    if numbers and len(numbers) == len([v for v in values if missing_key(v) is None]):
        try:
            return 2 * abs(max(numbers)) + 1
        except TypeError:
            pass
    text = OTHER
    while text in values:
        text = f"({text})"
    return text
