"""The arguments of an AttackModel as plain values: numbers, texts, tuples, dicts.

Only types are looked at here. What the values mean is the library's to check.
"""

import numbers
from collections.abc import Mapping

import numpy as np


def read_number(field, value):
    """Return a finite number as a float."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise TypeError(f"{field}: expected a finite number, got {value!r}")
    if not np.isfinite(value):
        raise ValueError(f"{field}: expected a finite number, got {value!r}")
    return float(value)


def _read_feature(field, feature):
    if isinstance(feature, str):
        return str(feature)
    if isinstance(feature, numbers.Integral) and not isinstance(feature, (bool, np.bool_)):
        return int(feature)
    raise TypeError(f"{field}: expected names or numbers of features, got {feature!r}")


def read_features(field, features):
    if features is None:
        return ()
    if isinstance(features, (str, numbers.Integral)):
        features = [features]
    if not np.iterable(features):
        raise TypeError(f"{field}: expected names or numbers of features, got {features!r}")
    return tuple(_read_feature(field, each) for each in features)


def read_scale(scale):
    if isinstance(scale, Mapping):
        return {
            None if key is None else _read_feature("scale", key): (
                "scaled"
                if key is None and _is_scaled(value)
                else read_number(f"scale of {key!r}", value)
            )
            for key, value in scale.items()
        } or None
    if scale is None or _is_scaled(scale):
        return scale
    if np.ndim(scale) == 0:
        return read_number("scale", scale)
    if np.ndim(scale) != 1:
        raise ValueError(f"scale: expected one number per feature, got shape {np.shape(scale)}")
    return tuple(
        read_number(f"scale of feature {l}", value)
        for l, value in enumerate(np.asarray(scale).tolist())
    )


def read_cost_of_change(cost):
    if isinstance(cost, Mapping):
        return {
            None if key is None else _read_feature("cost", key): read_number(f"cost of {key!r}", value)
            for key, value in cost.items()
        } or None
    if cost is None:
        return None
    if np.ndim(cost) == 0:
        return read_number("cost", cost)
    if np.ndim(cost) != 1:
        raise ValueError(f"cost: expected one number per feature, got shape {np.shape(cost)}")
    return tuple(
        read_number(f"cost of feature {l}", value)
        for l, value in enumerate(np.asarray(cost).tolist())
    )


def _is_scaled(value):
    return isinstance(value, str) and value == "scaled"


def read_bounds(bounds):
    if bounds is None:
        return None
    if isinstance(bounds, Mapping):
        return {
            _read_feature("bounds", key): _read_range(pair, f" of {key!r}")
            for key, pair in bounds.items()
        } or None
    if not _is_sequence(bounds):
        raise TypeError(f"bounds: expected pairs (low, high), got {bounds!r}")
    pairs = list(bounds)
    if len(pairs) == 2 and all(np.ndim(each) == 0 for each in pairs):
        return _read_range(pairs)
    return tuple(_read_range(pair, f" of feature {l}") for l, pair in enumerate(pairs)) or None


def _read_range(pair, where=""):
    if isinstance(pair, str) or np.ndim(pair) != 1 or len(pair) != 2:
        raise ValueError(f"bounds{where}: expected a pair (low, high), got {pair!r}")
    return tuple(
        None if end is None or end == endless else read_number(f"bounds{where}", end)
        for end, endless in zip(pair, (-np.inf, np.inf), strict=True)
    )


def read_integers(entries):
    """Features, or (feature, offset, scale)."""
    if isinstance(entries, (str, numbers.Integral)) or entries is None:
        return read_features("integer", entries)
    found = []
    for entry in entries:
        if isinstance(entry, Mapping):
            entry = entry["feature"], entry.get("offset", 0.0), entry.get("scale", 1.0)
        if isinstance(entry, tuple):
            feature, *numbers_ = entry
            found.append(
                (_read_feature("integer", feature), *(read_number("integer", v) for v in numbers_))
            )
        else:
            found.append(_read_feature("integer", entry))
    return tuple(found)


def read_groups(groups):
    """(features, cost or None), followed by values for on and off, or None, if there are any."""

    def feature(name):
        return _read_feature("one_hot: the cost of a switch", name)

    found = []
    for group in groups or ():
        features, cost, values = group, None, ()
        if isinstance(group, Mapping):
            features, cost = group["features"], group.get("cost")
            if "on" in group or "off" in group:
                values = group.get("on"), group.get("off")
        elif isinstance(group, (tuple, list)) and group and _is_sequence(group[0]):
            features, cost, *values = group
        if not _is_sequence(features):
            raise TypeError(f"one_hot: expected lists of features, got {features!r}")
        found.append(
            (
                read_features("one_hot", features),
                None if cost is None else read_cost("one_hot: the cost of a switch", cost, feature),
                *(
                    None if side is None else tuple(read_number("one_hot", each) for each in side)
                    for side in values
                ),
            )
        )
    return tuple(found)


def read_switch_cost(cost):
    """One number, or a dict of column to number or prices of pairs."""
    if not isinstance(cost, Mapping):
        return read_number("switch_cost", cost)
    return {
        _read_feature("switch_cost", key): read_cost(f"switch_cost of {key!r}", value, str)
        for key, value in cost.items()
    } or 1.0


def read_cost(field, cost, read_name):
    """One number, or a tuple of (from, to, cost): None is any member, or no such switch."""
    if not _is_sequence(cost) or isinstance(cost, Mapping):
        return read_number(field, cost)
    rules = []
    for rule in cost:
        if isinstance(rule, Mapping):
            if not {"cost"} <= rule.keys() <= {"from", "to", "cost"}:
                raise ValueError(f"{field}: expected from, to and cost, got {rule!r}")
            rule = rule.get("from"), rule.get("to"), rule["cost"]
        if not isinstance(rule, (tuple, list)) or len(rule) != 3:
            raise TypeError(f"{field}: expected a number or (from, to, cost), got {cost!r}")
        *ends, price = rule
        rules.append(
            (
                *(None if end is None else read_name(end) for end in ends),
                None if price is None or price == np.inf else read_number(field, price),
            )
        )
    return tuple(rules)


def _is_sequence(value):
    return not isinstance(value, (str, numbers.Number)) and np.iterable(value)
