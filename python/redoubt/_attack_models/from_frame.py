"""Rules that the types of a table's columns suggest."""

import numpy as np

from redoubt._attack_models.arguments import read_features


def propose(frame, bounds, rules):
    """Arguments of an AttackModel; what `rules` says counts before what is proposed."""
    if not hasattr(frame, "columns"):
        raise TypeError(f"frame: expected a data frame, got {type(frame).__name__}")
    kinds = {str(name): _kind(frame[name]) for name in frame.columns}
    if len(kinds) < len(frame.columns):
        raise ValueError("frame: expected columns with different names")
    rules = dict(rules)
    costs = rules.get("switch_cost", 1.0)
    given = costs if isinstance(costs, dict) else {}
    names = list(kinds)
    priced = {each if isinstance(each, str) else names[each] for each in given}
    for name in priced & kinds.keys():  # numbers that switch are codes of categories
        kinds[name] = "categories"
    frozen = set(read_features("frozen", rules.get("frozen")))
    moving = [name for place, name in enumerate(kinds) if not {name, place} & frozen]
    if "integer" not in rules:
        rules["integer"] = [name for name in moving if kinds[name] == "integer"]
    usual = 1.0 if isinstance(costs, dict) else costs
    switches = {
        name: usual for name in moving if kinds[name] == "categories" and name not in priced
    }
    if switches or given:
        rules["switch_cost"] = {**switches, **given}
    if isinstance(bounds, str) and bounds == "data":
        names = [name for name in moving if kinds[name] in ("integer", "number")]
        ranges = {name: _range(frame[name]) for name in names}
        bounds = {name: pair for name, pair in ranges.items() if pair is not None}
    elif isinstance(bounds, str):
        raise ValueError(f"bounds: expected 'data', pairs or None, got {bounds!r}")
    return {**rules, "bounds": bounds}


def _kind(column):
    """One of "integer", "number", "categories" or "date", about which nothing is proposed."""
    dtype = column.dtype
    if hasattr(dtype, "is_integer"):  # polars
        if dtype.is_integer():
            return "integer"
        if dtype.is_temporal():
            return "date"
        return "number" if dtype.is_numeric() else "categories"
    kind = getattr(dtype, "kind", "O")
    if kind in "mM":
        return "date"
    if kind in "iu":
        return "integer"
    return "number" if kind == "f" else "categories"


def _range(column):
    """The least and the greatest value; None of a column without any."""
    values = np.asarray(column.drop_nulls() if hasattr(column, "drop_nulls") else column.dropna())
    return (float(values.min()), float(values.max())) if len(values) else None
