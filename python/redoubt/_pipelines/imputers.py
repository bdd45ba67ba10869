"""Missing entries: filled by one value per column, and marked."""

from dataclasses import replace

import numpy as np
from sklearn.impute import MissingIndicator, SimpleImputer

from redoubt._pipelines.forms import Form
from redoubt._pipelines.registry import reads, refuse
from redoubt._tables.values import GAPS, Fill, missing_key


def _marker(step):
    """What the step calls missing."""
    return missing_key(step.missing_values) or step.missing_values


@reads(SimpleImputer, note="every strategy, with or without add_indicator, numbers and texts")
def _imputer(step, form):
    statistics = np.asarray(step.statistics_)
    # A column without a single value is left out, unless it is filled by a constant.
    kept = [
        j
        for j, value in enumerate(statistics.tolist())
        if step.strategy == "constant" or step.keep_empty_features or missing_key(value) is None
    ]
    marker = _marker(step)
    values = form.part(0, len(kept))
    numbers = np.flatnonzero(values.is_linear).tolist()
    if numbers and marker not in GAPS:
        raise refuse(
            step,
            f"takes the number {step.missing_values!r} for a missing entry, which is not "
            "supported; mark missing numbers by NaN",
        )
    filled = replace(
        values,
        fills={k: Fill(np.longdouble(statistics[kept[k]])) for k in numbers},
        tables={
            k: tuple(replace(table, fill=Fill(statistics[kept[k]], marker)) for table in each)
            for k, each in values.tables.items()
        },
        indicators={},  # behind this step nothing is missing
    ).placed(kept, step.n_features_in_)
    whole = filled.plus(form.intercept)
    if step.indicator_ is not None:
        rest = form.part(len(kept), form.n_columns)
        whole = whole + _marks(step.indicator_, rest)
    return whole


@reads(MissingIndicator, note="beside a SimpleImputer of the same columns")
def _indicator(step, form):
    return _marks(step, form).plus(form.intercept)


def _marks(step, form):
    """The functions of columns that are only asked whether they are missing."""
    if _marker(step) not in GAPS:
        raise refuse(step, f"marks {step.missing_values!r}, which is not supported; mark NaN")
    whole = Form.nothing(len(form.coef), step.n_features_in_)
    for k, j in enumerate(step.features_.tolist()):
        there, missing = form.at(k, np.array([False, True], dtype=object))
        mark = Form.nothing(len(form.coef), step.n_features_in_)
        whole = whole + replace(mark, intercept=there, indicators={j: missing - there})
    return whole
