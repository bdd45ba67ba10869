"""Several functions of the columns of a table, each a sum of what single columns add.

This is what a linear model computes, seen from any point of a pipeline: from behind the last step
it is linear; every step in front of it is pulled back through (`registry.pull_back`), until the
functions are those of the raw columns. A column adds

    coefficient * number                       if it is linear,
    what a table says of its value             if an encoder looked at it,
    a constant, where its entry is missing     if there is an indicator of that.

Works in extended precision, which is rounded once at the end.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from redoubt._tables.values import CONFLICT, Fill, is_marked, missing_key


@dataclass(frozen=True, eq=False)
class Table:
    """A function of the values of one column.

    `categories` are the values that the encoder knows; `takes_unknown`: it has an answer to any
    other value. Of a number that is cut into steps `edges` are where they begin (ascending), and
    `categories` is None. `evaluate` gives one row of numbers per value, NaN where there is none.
    `step` is what to call it.
    """

    step: str
    categories: list | None
    takes_unknown: bool
    evaluate: object
    fill: Fill | None = None
    edges: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Form:
    """`intercept` plus what each of the n columns adds; arrays have one row per function.

    `is_linear` says which columns count as numbers, `fills` what their missing entries are taken
    for. `units`: by column, what scalers make 1 of.
    """

    intercept: np.ndarray
    coef: np.ndarray
    is_linear: np.ndarray
    fills: dict = field(default_factory=dict)
    indicators: dict = field(default_factory=dict)
    tables: dict = field(default_factory=dict)
    units: dict = field(default_factory=dict)

    @classmethod
    def linear(cls, coef, intercept):
        coef = np.asarray(coef, dtype=np.longdouble)
        return cls(
            np.asarray(intercept, dtype=np.longdouble), coef, np.ones(coef.shape[1], dtype=bool)
        )

    @classmethod
    def nothing(cls, n_functions, n_columns):
        shape = (n_functions, n_columns)
        none = np.zeros(n_columns, dtype=bool)
        return cls(np.zeros(n_functions, np.longdouble), np.zeros(shape, np.longdouble), none)

    @property
    def n_columns(self):
        return self.coef.shape[1]

    def __add__(self, other):
        """The sums of functions of the same columns."""
        fills = dict(self.fills)
        for j in np.flatnonzero(self.is_linear & other.is_linear).tolist():
            if self.fills.get(j) != other.fills.get(j):
                fills[j] = CONFLICT
        fills |= {j: fill for j, fill in other.fills.items() if not self.is_linear[j]}
        indicators = dict(self.indicators)
        for j, values in other.indicators.items():
            indicators[j] = indicators[j] + values if j in indicators else values
        tables = dict(self.tables)
        for j, each in other.tables.items():
            tables[j] = tables.get(j, ()) + each
        units = dict(self.units)
        for j, each in other.units.items():
            units[j] = units.get(j, frozenset()) | each
        return Form(
            self.intercept + other.intercept,
            self.coef + other.coef,
            self.is_linear | other.is_linear,
            fills,
            indicators,
            tables,
            units,
        )

    def plus(self, constant):
        return replace(self, intercept=self.intercept + constant)

    def times(self, factor):
        """The functions times a number."""
        return self.weighed(factor * np.eye(len(self.coef), dtype=np.longdouble))

    def weighed(self, matrix):
        """The sums of these functions that the rows of a matrix give."""

        def summed(table):
            return replace(table, evaluate=lambda values: table.evaluate(values) @ matrix.T)

        return replace(
            self,
            intercept=matrix @ self.intercept,
            coef=matrix @ self.coef,
            indicators={j: matrix @ each for j, each in self.indicators.items()},
            tables={j: tuple(map(summed, each)) for j, each in self.tables.items()},
        )

    # --- pulled back through steps that only place or mix columns --------------------------------

    def part(self, start, stop):
        """What the columns from `start` to `stop` add, as functions of these alone."""

        def within(by_column):
            return {j - start: each for j, each in by_column.items() if start <= j < stop}

        return Form(
            np.zeros_like(self.intercept),
            self.coef[:, start:stop],
            self.is_linear[start:stop],
            within(self.fills),
            within(self.indicators),
            within(self.tables),
            within(self.units),
        )

    def placed(self, columns, n_columns):
        """The same functions of a table in which these columns have the given places."""
        columns = [int(j) for j in columns]
        if len(set(columns)) < len(columns):  # a column that was chosen twice
            whole = Form.nothing(len(self.coef), n_columns).plus(self.intercept)
            for k, j in enumerate(columns):
                whole = whole + self.part(k, k + 1).placed([j], n_columns)
            return whole

        def there(by_column):
            return {columns[k]: each for k, each in by_column.items()}

        coef = np.zeros((len(self.coef), n_columns), dtype=np.longdouble)
        coef[:, columns] = self.coef
        is_linear = np.zeros(n_columns, dtype=bool)
        is_linear[columns] = self.is_linear
        return Form(
            self.intercept,
            coef,
            is_linear,
            there(self.fills),
            there(self.indicators),
            there(self.tables),
            there(self.units),
        )

    def mixed(self, matrix, shift):
        """The functions of x where they now see ``matrix @ x + shift``; all must be linear."""
        matrix = np.asarray(matrix, dtype=np.longdouble)
        return Form.linear(self.coef @ matrix, self.intercept + self.coef @ shift)

    def scaled(self, factor, shift, is_unit=False):
        """The functions of x where they now see ``factor * x + shift``; tables stay as they are."""
        units = {}
        if is_unit:
            size = np.abs(1 / factor).astype(np.float64).tolist()
            units = {
                j: self.units.get(j, frozenset()) | {size[j]}
                for j in {*np.flatnonzero(self.is_linear).tolist(), *self.tables}
            }
        fills = {
            j: replace(fill, value=(fill.value - shift[j]) / factor[j])
            for j, fill in self.fills.items()
            if fill is not CONFLICT
        }
        return replace(
            self,
            intercept=self.intercept + self.coef @ shift,
            coef=self.coef * factor,
            fills=fills,
            units=units,
        )

    # --- values -----------------------------------------------------------------------------------

    def at(self, column, values):
        """What a column adds at these values, one row per value; NaN where there is no answer."""
        total = np.zeros((len(values), len(self.coef)), dtype=np.longdouble)
        indicator = self.indicators.get(column)
        if self.is_linear[column]:
            numbers = np.array(values, dtype=np.float64).astype(np.longdouble)
            fill = self.fills.get(column)
            if isinstance(fill, Fill):
                numbers[np.isnan(numbers)] = fill.value
            total += numbers[:, None] * self.coef[:, column]
        if indicator is not None:
            is_missing = np.array([missing_key(value) is not None for value in values])
            total[is_missing] += indicator
        for table in self.tables.get(column, ()):
            total += table.evaluate(filled(values, table.fill))
        return total


def filled(values, fill):
    """The values, those that are missing replaced."""
    if not isinstance(fill, Fill):
        return values
    values = np.array(values, dtype=object)
    for row, value in enumerate(values.tolist()):
        if is_marked(value, fill.marker):
            values[row] = fill.value
    return values
