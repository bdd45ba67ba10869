"""Rules about the columns of a table as rules about the features that planes see.

A column is one number or a one-hot group of categories, which is made here: an attack model that
speaks of 'job' need not know its categories.
"""

import difflib
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class NumberColumn:
    """A column that is a number, at its own place."""

    name: str
    start: int
    kind: str = "number"
    n_members: int = 0


def expand_rules(rules, columns, frozen_features=()):
    """The arguments of an AttackModel about features, by number.

    `columns` have `name`, `kind` ("number", "categories" or "unused"), `start` and `n_members`.
    """
    find = _Finder(columns)
    frozen = list(frozen_features)
    for each in rules.frozen:
        frozen += find.features(find("frozen", each))
    switches = _switches(rules, find)
    arguments = {
        "norm": rules.norm,
        "scale": _scale(rules, find, frozen, switches),
        "increase_only": find.numbers("increase_only", rules.increase_only),
        "decrease_only": find.numbers("decrease_only", rules.decrease_only),
        "bounds": _bounds(rules, find, switches),
        "integer": _integers(rules, find, switches),
        "one_hot": _groups(rules, find, frozen),
        "switch_cost": 1.0 if _is_dict(rules.switch_cost) else rules.switch_cost,
        "attacking_class": rules.attacking_class,
    }
    return {**arguments, "frozen": sorted(set(frozen))}


class _Finder:
    """Columns by name or number."""

    def __init__(self, columns):
        self.columns = columns
        self._places = {}
        for place, column in enumerate(columns):
            self._places.setdefault(column.name, place)

    def __call__(self, field, feature):
        n = len(self.columns)
        place = feature if isinstance(feature, int) else self._places.get(feature)
        if place is None or not -n <= place < n:
            names = [column.name for column in self.columns]
            close = difflib.get_close_matches(str(feature), names, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(names)}"
            raise ValueError(f"AttackModel: {field}: there is no column {feature!r}{hint}")
        return self.columns[place]

    @staticmethod
    def features(column):
        """All features of a column that may move."""
        if column.kind == "categories":
            return list(range(column.start, column.start + column.n_members))
        return [column.start] if column.kind == "number" else []

    def number(self, field, feature, instead="a category has no order"):
        """The feature of a numeric column; None for one that the model does not look at."""
        column = self(field, feature)
        if column.kind == "categories":
            raise ValueError(f"AttackModel: {field}: {column.name!r} holds categories; {instead}")
        return column.start if column.kind == "number" else None

    def numbers(self, field, features):
        found = (self.number(field, each) for each in features)
        return [each for each in found if each is not None]


def _is_dict(value):
    return isinstance(value, dict)


def _scale(rules, find, frozen, switches):
    scale = rules.scale
    if isinstance(scale, tuple):
        if len(scale) != len(find.columns):
            raise ValueError(
                f"AttackModel: scale: expected one number per column ({len(find.columns)}), got "
                f"{len(scale)}"
            )
        scale = {
            place: value
            for place, value in enumerate(scale)
            if find.columns[place].kind != "categories" or value == 0.0
        }
    if not _is_dict(scale):
        if not switches:
            return scale
        scale = {} if scale is None else {None: scale}
    found = {start: 1.0 / cost for start, cost in switches.items()}
    for feature, value in scale.items():
        if feature is None:
            found[None] = value
            continue
        column = find("scale", feature)
        if column.kind == "categories" and value == 0.0:
            frozen += find.features(column)
            continue
        start = find.number("scale", feature, "say what a switch costs with switch_cost")
        if start is not None:
            found[start] = value
    return found or None


def _bounds(rules, find, switches):
    bounds = rules.bounds
    is_pair = isinstance(bounds, tuple) and np.ndim(bounds[0]) == 0
    if is_pair and switches:
        bounds = {column.name: bounds for column in find.columns if column.kind == "number"}
    elif is_pair or (bounds is None and not switches):
        return bounds
    if bounds is not None and not _is_dict(bounds):
        if len(bounds) != len(find.columns):
            raise ValueError(
                f"AttackModel: bounds: expected one pair per column ({len(find.columns)}), got "
                f"{len(bounds)}"
            )
        bounds = {
            place: pair for place, pair in enumerate(bounds) if any(end is not None for end in pair)
        }
    bounds = {} if bounds is None else bounds
    found = {find.number("bounds", feature): pair for feature, pair in bounds.items()}
    found.pop(None, None)
    found |= {start: (0.0, 1.0) for start in switches}
    return found or None


def _integers(rules, find, switches):
    found = list(switches)
    for each in rules.integer:
        feature, *numbers = each if isinstance(each, tuple) else (each,)
        start = find.number("integer", feature, "they switch as they are")
        if start is not None and start not in switches:
            found.append((start, *numbers) if numbers else start)
    return found


def _groups(rules, find, frozen):
    costs = {find("switch_cost", feature).start: cost for feature, cost in _costs(rules)}
    groups = [(find.numbers("one_hot", features), *rest) for features, *rest in rules.one_hot]
    for column in find.columns:
        if column.kind == "categories" and column.n_members > 1:
            groups.append((find.features(column), costs.get(column.start)))
        elif column.kind == "categories":
            frozen.append(column.start)  # there is nothing to switch to
    return groups


def _costs(rules):
    return rules.switch_cost.items() if _is_dict(rules.switch_cost) else ()


def _switches(rules, find):
    """Numeric columns of 0 and 1 that switch, with their costs: steps of an integer do the same."""
    found = {}
    for feature, cost in _costs(rules):
        column = find("switch_cost", feature)
        if column.kind == "number":
            if cost == 0.0:
                raise ValueError(
                    f"AttackModel: switch_cost: a switch of {column.name!r}, a column of numbers, "
                    "needs a cost > 0"
                )
            found[column.start] = cost
    return found
