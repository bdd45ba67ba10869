"""The arguments of an attack model, checked and brought to one form each."""

import numbers
from collections.abc import Mapping

import numpy as np

from redoubt._checks import check_real

__all__ = ["check_apart", "read_bounds", "read_features", "read_groups", "read_scale"]


def _read_feature(name, feature):
    if isinstance(feature, str):
        return str(feature)
    if isinstance(feature, numbers.Integral) and not isinstance(feature, (bool, np.bool_)):
        return int(feature)
    raise TypeError(f"{name}: expected names or numbers of features, got {feature!r}")


def read_features(name, features):
    if features is None:
        return ()
    if isinstance(features, (str, numbers.Integral)):
        features = [features]
    found = tuple(_read_feature(name, each) for each in features)
    twice = [each for each in found if found.count(each) > 1]
    if twice:
        raise ValueError(f"{name}: expected each feature once, got {twice[0]!r} twice")
    return found


def read_scale(scale):
    if scale is None:
        return None
    if isinstance(scale, Mapping):
        return {
            None if key is None else _read_feature("scale", key): _units(value, key)
            for key, value in scale.items()
        } or None
    if np.ndim(scale) == 0:
        return _units(scale, None)
    if np.ndim(scale) != 1:
        raise ValueError(f"scale: expected one number per feature, got shape {np.shape(scale)}")
    return tuple(_units(value, number) for number, value in enumerate(np.asarray(scale).tolist()))


def _units(value, key):
    try:
        return check_real("scale", value, 0)
    except (TypeError, ValueError) as error:
        where = "" if key is None else f" for feature {key!r}"
        raise type(error)(f"{error}{where}") from None


def read_bounds(bounds):
    if bounds is None:
        return None
    if isinstance(bounds, Mapping):
        return {
            _read_feature("bounds", key): _read_range(pair, f" for feature {key!r}")
            for key, pair in bounds.items()
        } or None
    pairs = list(bounds)
    if len(pairs) == 2 and all(np.ndim(each) == 0 for each in pairs):
        return _read_range(pairs, "")
    return (
        tuple(_read_range(pair, f" for feature {number}") for number, pair in enumerate(pairs))
        or None
    )


def _read_range(pair, where):
    wanted = "bounds: expected a pair (least, greatest) of numbers or None"
    if isinstance(pair, str) or np.ndim(pair) != 1 or len(pair) != 2:
        raise ValueError(f"{wanted}, got {pair!r}{where}")
    ends = []
    for end, endless in zip(pair, (-np.inf, np.inf), strict=True):
        if isinstance(end, (str, bool)) or not (end is None or isinstance(end, numbers.Real)):
            raise ValueError(f"{wanted}, got {pair!r}{where}")
        ends.append(endless if end is None else float(end))
    low, high = ends
    if not (low <= high and low < np.inf and high > -np.inf):
        raise ValueError(f"bounds: expected least <= greatest, got ({low:g}, {high:g}){where}")
    return tuple(None if np.isinf(end) else end for end in ends)


def read_groups(groups):
    found = []
    for group in groups or ():
        features, cost = group, None
        is_pair = isinstance(group, (tuple, list)) and len(group) == 2
        if is_pair and not isinstance(group[0], (str, numbers.Integral)):
            features, cost = group
            cost = check_real("one_hot: the cost of a switch", cost, 0)
        if isinstance(features, (str, numbers.Integral)):
            raise TypeError(f"one_hot: expected lists of features, got {features!r}")
        features = read_features("one_hot", features)
        if len(features) < 2:
            raise ValueError(f"one_hot: expected groups of at least 2 features, got {features}")
        found.append((features, cost))
    return tuple(found)


def check_apart(groups):
    seen = set()
    for group in groups:
        for feature in group:
            if feature in seen:
                raise ValueError(
                    f"one_hot: expected each feature in one group only, got {feature!r} in two"
                )
            seen.add(feature)
