"""Models of the columns of a table, made from their parts, that can be saved whole."""

import numbers

import numpy as np

from redoubt import _core
from redoubt._tables.entries import is_missing_text, without_blanks
from redoubt._tables.values import GAPS, Fill, missing_key


def make_table_model(
    columns,
    decision,
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
    columns : Coding
        The columns of features, in their order.
    decision : Ensemble or ClassVote
        Planes in scaled features, one weight per feature of `columns`.
    classes : list of labels
        Those that -1 and +1 stand for; of a ClassVote those of its classes.
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
        "columns": list(map(_in_file, columns.columns)),
    }
    model = _core.make_model(decision, attack_model=None, **parts)
    if attack_model is None:
        return model
    about = attack_model._rules_about(columns.features_by_column())
    rules = model.resolve(about, attack_model.default_scale == "scaled")
    return _core.make_model(decision, attack_model=rules, **parts)


def _in_file(column):
    """A column as the library takes it, with categories as a CSV file would have them.

    Raises
    ------
    ValueError
        A file cannot hold it: two categories are the same text, or one reads as a missing value.
    """
    fill = column.fill.value if isinstance(column.fill, Fill) else None
    if fill is not None and not column.reads_texts and column.fill.marker not in GAPS:
        raise ValueError(
            f"model: column {column.name!r}: entries that are {column.fill.marker!r} count as missing, "
            "which a file cannot hold; replace them by NaN before the pipeline"
        )
    if column.kind == "unused":
        raise ValueError(
            f"model: column {column.name!r} matters only where it is missing, which a file cannot hold"
        )
    if column.kind == "steps":
        raise ValueError(
            f"model: column {column.name!r} is a number that is cut into steps, which a file cannot hold; "
            "cut it before the pipeline"
        )
    if column.kind == "number":
        fill = None if fill is None else float(fill)
        return column.name, None, False, fill, column.has_indicator, False
    known = [value for member, value in enumerate(column.values) if member != column.other]
    gaps = [value for value in known if missing_key(value)]
    known = [value for value in known if not missing_key(value)]
    if len(gaps) + (fill is not None) > 1:
        raise ValueError(f"model: column {column.name!r} tells None from NaN, which a file cannot do")
    if fill is not None and fill not in known:
        raise ValueError(
            f"model: column {column.name!r}: the imputer fills in {fill!r}, which no encoder knows"
        )
    texts = _texts_of(column.name, known)
    fill = None if fill is None else texts[known.index(fill)]
    has_other = column.other is not None
    return column.name, texts, has_other, fill, column.has_indicator, bool(gaps)


def _texts_of(name, categories):
    texts = [category_text(each) for each in categories]
    for i, text in enumerate(texts):
        if is_missing_text(text):
            raise ValueError(
                f"model: column {name!r}: the category {categories[i]!r} cannot be saved, because a file "
                "reads it as a missing value"
            )
        if text in texts[:i]:
            other = categories[texts.index(text)]
            raise ValueError(
                f"model: column {name!r}: the categories {other!r} and {categories[i]!r} cannot be saved, "
                f"because both are {text!r} in a file"
            )
    return texts


def category_text(category):
    """A category as a CSV file would have it: without blanks around it, and 1.0 as 1."""
    is_number = isinstance(category, numbers.Real) and not isinstance(category, (bool, np.bool_))
    if is_number and float(category).is_integer():
        return str(int(category))
    return without_blanks(str(category))
