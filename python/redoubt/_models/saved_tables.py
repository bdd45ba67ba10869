"""A pipeline that was read as columns of a table, as the library's model of that table."""

from redoubt._models.table_models import make_table_model
from redoubt._tables.coding import Coding


def table_model(linear, file_decision, **record):
    """The library's model that answers as `linear`, the reading of a pipeline, does.

    `file_decision` makes what a file holds of a decision. Numbers are scaled to the units in which
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
    columns = Coding([each for each in coding.columns if each.size])
    decision, scale = linear.in_scaled_features()
    decision, step = file_decision(decision)
    return make_table_model(
        columns,
        decision,
        classes=linear.classes[::step],
        scale=scale,
        scaling="none" if (scale == 1.0).all() else "custom",
        **record,
    )
