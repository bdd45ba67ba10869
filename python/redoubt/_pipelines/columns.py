"""What a model asks of the raw columns of a table: numbers, categories, steps, or nothing.

A pipeline is read as functions of the columns (`Form`); each column gets the members that its
functions tell apart.
"""

import numpy as np

from redoubt._pipelines.steps import Steps
from redoubt._tables.coding import Coding
from redoubt._tables.columns import OTHER, Column
from redoubt._tables.values import CONFLICT, GAPS, Fill, is_marked, key_of, missing_key


def coding_of(forms, names):
    """The columns that these functions look at, `names` being theirs or None."""
    n_columns = forms[0].n_columns
    called = [f"column {j}" for j in range(n_columns)] if names is None else names
    columns = [_read_column(forms, j, called[j]) for j in range(n_columns)]
    return Coding(columns, names is not None)


def coefficients(coding, form):
    """The functions as planes on z: coefficients and intercepts, not yet rounded."""
    coef = np.zeros((len(form.coef), coding.n_features), dtype=np.longdouble)
    for j, column in enumerate(coding.columns):
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


def _without_fill(form, j, values):
    """What a categorical column adds at values that are there."""
    total = np.zeros((len(values), len(form.coef)), dtype=np.longdouble)
    for table in form.tables.get(j, ()):
        total += table.evaluate(values)
    return total


def _read_column(forms, j, name):
    tables = [table for form in forms for table in form.tables.get(j, ())]
    is_number = any(form.is_linear[j] for form in forms)
    has_indicator = any(j in form.indicators for form in forms)
    if tables and is_number:
        raise ValueError(
            f"model: column {name!r} goes into the model both as a number and by way of "
            f"{tables[0].step}, which is not supported; drop one of the two"
        )
    if not tables:
        return _number_column(forms, j, name, is_number, has_indicator)
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
        return _steps_column(forms, tables, j, name, fill, has_indicator)
    if has_indicator and fill is None:
        raise ValueError(
            f"model: missing entries of column {name!r} are marked by one step and a category to "
            "another, which is not supported; fill them in front of the encoder"
        )
    values, other = _members(forms, j, tables, fill)
    if not values:
        raise ValueError(f"model: no category of column {name!r} has an answer")
    return Column(name, "categories", values, other, fill, has_indicator)


def _unit(forms, j):
    units = frozenset().union(*(form.units.get(j, ()) for form in forms))
    return next(iter(units)) if len(units) == 1 else 1.0


def _steps_column(forms, tables, j, name, fill, has_indicator):
    if isinstance(fill, Fill) and fill.marker not in GAPS:
        raise ValueError(
            f"model: column {name!r}: the number {fill.marker!r} is taken for a missing entry, "
            "which is not supported; mark missing numbers by NaN"
        )
    steps = Steps.joined([table.edges for table in tables])
    return Column(
        name,
        "steps",
        steps.samples().tolist(),
        fill=fill,
        has_indicator=has_indicator,
        unit=_unit(forms, j),
        steps=steps,
    )


def _number_column(forms, j, name, is_number, has_indicator):
    unit = _unit(forms, j)
    if not is_number:
        return Column(name, "unused", has_indicator=has_indicator, unit=unit)
    fills = [form.fills.get(j) for form in forms if form.is_linear[j]]
    fill = fills[0] if all(each == fills[0] for each in fills) else CONFLICT
    return Column(name, "number", fill=fill, has_indicator=has_indicator, unit=unit)


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
