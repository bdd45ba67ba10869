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
    frozen = set(read_features("frozen", rules.get("frozen")))
    moving = [name for place, name in enumerate(kinds) if not {name, place} & frozen]
    if "integer" not in rules:
        rules["integer"] = [name for name in moving if kinds[name] == "integer"]
    costs = rules.get("switch_cost", 1.0)
    given = costs if isinstance(costs, dict) else {}
    usual = 1.0 if isinstance(costs, dict) else costs
    switches = {name: usual for name in moving if kinds[name] == "categories"}
    if switches or given:
        rules["switch_cost"] = {**switches, **given}
    if isinstance(bounds, str) and bounds == "data":
        names = [name for name in moving if kinds[name] in ("integer", "number")]
        bounds = {name: _range(frame[name]) for name in names}
    elif isinstance(bounds, str):
        raise ValueError(f"bounds: expected 'data', pairs or None, got {bounds!r}")
    return {**rules, "bounds": bounds}


def _kind(column):
    """One of "integer", "number" or "categories"."""
    dtype = column.dtype
    if hasattr(dtype, "is_integer"):  # polars
        if dtype.is_integer():
            return "integer"
        return "number" if dtype.is_numeric() else "categories"
    kind = getattr(dtype, "kind", "O")
    if kind in "iu":
        return "integer"
    return "number" if kind == "f" else "categories"


def _range(column):
    values = np.asarray(column.drop_nulls() if hasattr(column, "drop_nulls") else column.dropna())
    return float(values.min()), float(values.max())
