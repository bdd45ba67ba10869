"""Tables that speak Arrow as the rows that a model's `predict` takes."""

from redoubt._models.arrow import ArrowColumns, is_arrow
from redoubt._models.linear_model import own_feature_names, read_model
from redoubt._models.model_file import Model


def rows_for(model, X):
    """X itself or, if it speaks Arrow, its columns as the model takes them.

    Columns are found by the names that the model knows, further ones are ignored; without names
    they are taken by position. Gaps go where the model has a rule for them, and are refused, with
    column and row, where it has none.
    """
    return columns_for(model, ArrowColumns(X)) if is_arrow(X) else X


def columns_for(model, table, apart=()):
    """The same for ArrowColumns; `apart` are the places of columns that are no features."""
    if isinstance(model, Model):
        return model._read_columns(table, apart)
    names, linear = own_feature_names(model), read_model(model)
    places = [k for k in range(len(table.names)) if k not in apart]
    if names is None and linear.coding is None:
        return table.numbers(places)
    names = [table.names[k] for k in places] if names is None else names
    if linear.coding is not None:
        return data_frame(table.by_name(names))
    return data_frame(table.numbers(table.places(names)), names)


def data_frame(columns, names=None):
    """A frame of pandas or else of polars: a dict of columns, or an array and its names."""
    try:
        import pandas as pd

        return pd.DataFrame(columns, columns=names, copy=False)
    except ImportError:
        pass
    try:
        import polars as pl
    except ImportError:
        raise ImportError(
            "X: this model was fitted on a data frame; for Arrow data install pandas or polars"
        ) from None
    return pl.DataFrame(columns, schema=names)
