"""A pipeline that was read as columns of a table, as the library's model of that table."""

import numpy as np

from redoubt._models.decision_rules import stacked, with_planes
from redoubt._models.frames import RawColumn, RawColumns
from redoubt._models.table_models import make_table_model
from redoubt._pipelines.forms import Fill, missing_key


def table_model(linear, sign, goal_has_ties, **record):
    """The library's model that answers as `linear`, the reading of a pipeline, does.

    `sign` and `goal_has_ties` as for `Vote.ensemble`. Numbers are scaled to the units in which
    `certify` measures them.

    Raises
    ------
    ValueError
        A file cannot hold what the pipeline does; names the column.
    """
    coding = linear.coding
    if not coding.has_names:
        raise ValueError(
            "model: a file finds columns of texts by name, and this pipeline was fitted without "
            "names; fit it to a data frame"
        )
    columns = RawColumns([_raw_column(each) for each in coding.columns if each.size])
    scale = np.ones(coding.n_features)
    scale[coding.number_at] = coding.units()[coding.numbers]
    coef, intercept = stacked(linear.decision)
    vote = with_planes(linear.decision, coef * scale, intercept)
    return make_table_model(
        columns,
        vote.ensemble(sign, goal_has_ties),
        classes=linear.classes[::sign],
        scale=scale,
        scaling="none" if (scale == 1.0).all() else "custom",
        **record,
    )


def _raw_column(column):
    """What the file is told about one column."""
    if column.kind == "unused":
        raise ValueError(
            f"model: column {column.name!r} matters only where it is missing, which a file cannot "
            "hold"
        )
    if column.kind == "steps":
        raise ValueError(
            f"model: column {column.name!r} is a number that is cut into steps, which a file cannot "
            "hold; cut it before the pipeline"
        )
    fill = column.fill.value if isinstance(column.fill, Fill) else None
    if fill is not None and column.fill.marker not in ("NaN", "None"):
        raise ValueError(
            f"model: column {column.name!r}: entries that are {column.fill.marker!r} count as "
            "missing, which a file cannot hold; replace them by NaN before the pipeline"
        )
    if column.kind == "number":
        return RawColumn(column.name, fill=fill, indicator=column.has_indicator)
    known = [value for member, value in enumerate(column.values) if member != column.other]
    gaps = [value for value in known if missing_key(value)]
    categories = tuple(value for value in known if not missing_key(value))
    if len(gaps) > 1:
        raise ValueError(
            f"model: column {column.name!r} tells None from NaN, which a file cannot do"
        )
    if fill is not None and fill not in categories:
        raise ValueError(
            f"model: column {column.name!r}: the imputer fills in {fill!r}, which no encoder knows"
        )
    return RawColumn(
        column.name,
        categories,
        other=column.other is not None,
        fill=fill,
        indicator=column.has_indicator,
        missing_category=bool(gaps),
    )
