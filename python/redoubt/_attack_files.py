"""Attack models as files hold them: features by name, or by number from 1 on."""

import numbers
from collections.abc import Mapping

from redoubt._attack_rules import resolve

__all__ = ["from_dict", "to_dict"]

_LISTS = ("frozen", "increase_only", "decrease_only", "integer")
_KEYS = ("norm", "scale", "default_scale", *_LISTS, "bounds", "one_hot", "attacking_class")


def from_dict(content):
    """The arguments of the AttackModel that a file describes."""
    if not isinstance(content, Mapping):
        raise TypeError(f"attack model: expected a dict, got {type(content).__name__}")
    unknown = [key for key in content if key not in _KEYS]
    if unknown:
        raise ValueError(f"attack model: unknown key {unknown[0]!r}; known are {', '.join(_KEYS)}")
    if "norm" not in content:
        raise ValueError("attack model: expected the key 'norm', got none")
    values = {"norm": content["norm"], "attacking_class": content.get("attacking_class")}
    scale = content.get("scale")
    if scale is None or isinstance(scale, Mapping):
        scale = dict(scale or {})
        if content.get("default_scale") is not None:
            scale[None] = content["default_scale"]
        scale = scale.get(None) if set(scale) <= {None} else scale
    values["scale"] = scale
    for name in _LISTS:
        values[name] = [_from_file(each) for each in content.get(name) or ()]
    bounds = content.get("bounds")
    if bounds and isinstance(bounds, Mapping):
        values["bounds"] = dict(bounds)
    elif bounds:
        values["bounds"] = [(None, None) if pair is None else pair for pair in bounds]
    values["one_hot"] = [_group_from_file(group) for group in content.get("one_hot") or ()]
    return values


def _from_file(feature):
    """Numbers count from 1 in files."""
    if isinstance(feature, numbers.Integral) and not isinstance(feature, bool):
        if feature < 1:
            raise ValueError(f"expected a feature's name or its number from 1 on, got {feature}")
        return int(feature) - 1
    return feature


def _group_from_file(group):
    if isinstance(group, Mapping):
        unknown = [key for key in group if key not in ("features", "cost")]
        if unknown or "features" not in group:
            raise ValueError(f"one_hot: expected the keys 'features' and 'cost', got {list(group)}")
        return [_from_file(each) for each in group["features"]], group.get("cost", 1.0)
    return [_from_file(each) for each in group]


def to_dict(model, feature_names=None):
    """As `AttackModel.to_dict`.

    Files list a frozen feature nowhere else, because nothing else matters. So a group with a frozen
    member, which cannot switch, becomes a list of frozen features.
    """
    names = _Names(model, feature_names)
    content = {"norm": model.norm}
    if isinstance(model.scale, float):
        content["default_scale"] = model.scale
    elif model.scale is not None:
        if isinstance(model.scale, dict) and None in model.scale:
            content["default_scale"] = model.scale[None]
        content["scale"] = names.by_feature("scale", model.scale)
    groups = {True: [], False: []}
    for group in model.one_hot:
        groups[any(names.is_frozen(l) for l in group[0])].append(group)
    stuck = [l for features, _ in groups[True] for l in features if not names.is_frozen(l)]
    content["frozen"] = [names.of(l) for l in (*model.frozen, *stuck)]
    for name in _LISTS[1:]:
        content[name] = [names.of(l) for l in getattr(model, name) if not names.is_frozen(l)]
    if model.bounds is not None:
        pairs = names.by_feature("bounds", names.ranges(model.bounds))
        content["bounds"] = {name: list(pair) for name, pair in pairs.items()}
    content["one_hot"] = [_group_for_file(model, *group, names) for group in groups[False]]
    if model.attacking_class is not None:
        content["attacking_class"] = model.attacking_class
    return {key: value for key, value in content.items() if value not in ([], {})}


class _Names:
    """What a file calls the features of a model."""

    def __init__(self, model, feature_names):
        self._frozen = set(model.frozen)
        self._names = None
        if feature_names is None:
            return
        self._names = [str(name) for name in feature_names]
        classes = None if model.attacking_class is None else [model.attacking_class]
        self._resolved = resolve(model, self._names, classes, None)
        self._frozen = {self._resolved.number(each) for each in model.frozen}
        self._grouped = {l for features, _ in self._resolved.groups for l in features}

    def of(self, feature):
        if self._names is not None:
            return self._names[self._resolved.number(feature)]
        return feature if isinstance(feature, str) else feature + 1

    def is_frozen(self, feature):
        return (feature if self._names is None else self._resolved.number(feature)) in self._frozen

    def ranges(self, bounds):
        """One pair for all becomes one for each feature that is in no group."""
        if isinstance(bounds, dict) or isinstance(bounds[0], tuple) or self._names is None:
            return bounds
        return {l: bounds for l in range(len(self._names)) if l not in self._grouped}

    def by_feature(self, what, values):
        """Values by name. A number as a key could be taken for a name, so it needs names."""
        if not isinstance(values, dict):
            values = dict(enumerate(values))
        if self._names is None and any(isinstance(key, int) for key in values):
            raise ValueError(f"feature_names: needed to write {what}, given by number, to a file")
        return {
            self.of(key): value
            for key, value in values.items()
            if key is not None and not self.is_frozen(key)
        }


def _group_for_file(model, features, cost, names):
    cost = model.switch_cost if cost is None else cost
    features = [names.of(each) for each in features]
    return features if cost == 1.0 else {"features": features, "cost": cost}
