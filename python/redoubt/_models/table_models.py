"""Models of the columns of a table, made from their parts, that can be saved whole."""

import numbers

import numpy as np

from redoubt import _core
from redoubt._models.entries import is_missing_text
from redoubt._models.frames import RawColumn, RawColumns


def make_table_model(
    columns,
    ensemble,
    *,
    classes,
    center=None,
    scale=None,
    scaling="custom",
    norm="l2",
    attack_model=None,
    label_name="",
    method="",
    radii=None,
    n_points=0,
    status="",
    is_partial=False,
    ranges=None,
):
    """Return the library's model of a table: `save(path)` writes it, `load_model` reads it.

    Parameters
    ----------
    columns : RawColumns
        The columns of features, in their order.
    ensemble : Ensemble
        Planes in scaled features, one weight per feature of `columns`.
    classes : pair of labels
        Those that -1 and +1 stand for.
    center, scale : array-like of shape (n_features,) or None
        A raw feature x is scaled to (x - center) / scale; None is 0 and 1.
    scaling : {"none", "standard", "minmax", "maxabs", "custom"}
        What the file calls that.
    norm : {"l1", "l2", "linf"}
    attack_model : AttackModel or None
        In the units of the table.
    label_name : str
        The column of the label, which may be in later files; "" if it is not known.
    method, radii, n_points, status, is_partial, ranges
        Of the training record.

    Raises
    ------
    ValueError
        In one line: for a category that a file cannot hold, or numbers that do not fit.
    """
    texts = text_columns(columns)
    n_features = columns.n_features
    center = np.zeros(n_features) if center is None else np.asarray(center, dtype=np.float64)
    scale = np.ones(n_features) if scale is None else np.asarray(scale, dtype=np.float64)
    parts = {
        "classes": [str(label) for label in classes],
        "feature_names": [],
        "scaling": scaling,
        "center": center,
        "scale": scale,
        "method": method,
        "norm": norm if attack_model is None else attack_model.norm,
        "radii": radii,
        "n_points": n_points,
        "status": status,
        "is_partial": is_partial,
        "ranges": ranges,
        "label_name": label_name,
        "columns": [
            (
                column.name,
                None if column.categories is None else list(column.categories),
                column.other,
                column.fill,
                column.indicator,
                column.missing_category,
            )
            for column in texts.columns
        ],
    }
    model = _core.make_model(ensemble, attack_model=None, **parts)
    if attack_model is None:
        return model
    about = attack_model._rules_about(columns.features_by_column())
    rules = model.resolve(about, attack_model.default_scale == "scaled")
    return _core.make_model(ensemble, attack_model=rules, **parts)


def text_columns(columns):
    """The same columns with categories as a CSV file would have them.

    Raises
    ------
    ValueError
        Two categories are the same text, or one reads as a missing value.
    """
    result = []
    for column in columns.columns:
        if column.categories is None:
            fill = None if column.fill is None else float(column.fill)
            result.append(RawColumn(column.name, None, False, fill, column.indicator))
            continue
        texts = [category_text(each) for each in column.categories]
        for i, text in enumerate(texts):
            if is_missing_text(text):
                raise ValueError(
                    f"column {column.name!r}: the category {column.categories[i]!r} cannot be "
                    "saved, because a file reads it as a missing value"
                )
            if text in texts[:i]:
                other = column.categories[texts.index(text)]
                raise ValueError(
                    f"column {column.name!r}: the categories {other!r} and "
                    f"{column.categories[i]!r} cannot be saved, because both are {text!r} in a file"
                )
        fill = None if column.fill is None else texts[column.categories.index(column.fill)]
        more = column.other, fill, column.indicator, column.missing_category
        result.append(RawColumn(column.name, tuple(texts), *more))
    return RawColumns(result, reads_texts=True)


def category_text(category):
    """A category as a CSV file would have it: without blanks around it, and 1.0 as 1."""
    is_number = isinstance(category, numbers.Real) and not isinstance(category, (bool, np.bool_))
    if is_number and float(category).is_integer():
        return str(int(category))
    return str(category).strip(" \t\r\n")
