"""An attack model that knows its features: one entry per feature, checked."""

import difflib
from dataclasses import dataclass

import numpy as np

from redoubt import _core

__all__ = ["ResolvedAttackModel", "resolve"]

# Values that differ by less than this share of their size are taken as equal, as in the library.
_SAME = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class ResolvedAttackModel:
    """An attack model for certain features and classes. Made by `AttackModel.resolve`.

    Attributes
    ----------
    model : AttackModel
        Where it comes from.
    names : list of str or None
        Of the features.
    scale : ndarray of shape (n_features,)
        How far each feature may move at radius 1; 0 is frozen.
    direction : list of {"both", "up", "down"}
    lower, upper : ndarray of shape (n_features,)
        Ranges; may be infinite.
    whole : list of int
        Features that stay whole numbers.
    groups : list of (list of int, float)
        One-hot groups, and what a switch costs.
    attacking : int or None
        The index of the class that attacks.
    """

    model: object
    names: list | None
    scale: np.ndarray
    direction: list
    lower: np.ndarray
    upper: np.ndarray
    whole: list
    groups: list
    attacking: int | None

    @property
    def norm(self):
        return self.model.norm

    @property
    def n_features(self):
        return len(self.scale)

    @property
    def free(self):
        """Features that may take any value: no whole numbers, no groups, not frozen."""
        free = self.scale > 0
        free[self.whole] = False
        for features, _ in self.groups:
            free[features] = False
        return free

    def core(self, attacking_class=None):
        """The library's model; `attacking_class` is -1, +1 or None."""
        return _core.AttackModel(
            norm=self.norm,
            scale=self.scale,
            direction=self.direction,
            lower=self.lower,
            upper=self.upper,
            whole=self.whole,
            one_hot=self.groups,
            attacking_class=attacking_class,
        )

    def for_labels(self, X, labels, sign=1):
        """The library's model for points that keep the rules, if they move.

        `labels` holds class indices; the library's labels are -1 and +1 times `sign`.
        """
        if self.attacking is None:
            self.check_points(X)
            return self.core()
        self.check_points(X, labels == self.attacking)
        return self.core(sign * (2 * self.attacking - 1))

    def summary(self):
        """Return the rules, one per line."""
        return self.model.summary(self.names)

    def __repr__(self):
        return f"<ResolvedAttackModel: {self.n_features} features, {self.model.brief()}>"

    def number(self, feature):
        """The column of a feature that is given by name or number."""
        return _Features(self.names, self.n_features).number("feature", feature)

    def check_points(self, X, rows=None):
        """Raise, naming row and feature, unless all rules hold at these rows (None: at all)."""
        rows = np.arange(len(X)) if rows is None else np.asarray(rows)
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows
        features = _Features(self.names, self.n_features)
        values = X[rows]
        low, high = self.lower - _slack(values, self.lower), self.upper + _slack(values, self.upper)
        self._refuse(
            (values < low) | (values > high), rows, values, features,
            lambda l: f"values in the attack model's range [{self.lower[l]:g}, {self.upper[l]:g}]",
        )  # fmt: skip
        bad = np.zeros(values.shape, dtype=bool)
        nearest = np.round(values[:, self.whole])
        bad[:, self.whole] = np.abs(values[:, self.whole] - nearest) > _slack(nearest, nearest)
        self._refuse(
            bad, rows, values, features, lambda _: "whole numbers, as the attack model says"
        )
        for members, _ in self.groups:
            self._check_group(members, rows, values, features)

    def _check_group(self, members, rows, values, features):
        part = values[:, members]
        is_on = np.abs(part - 1.0) <= _slack(part, 1.0)
        bad = np.zeros(values.shape, dtype=bool)
        bad[:, members] = ~is_on & (np.abs(part) > _slack(part, 0.0))
        self._refuse(bad, rows, values, features, lambda _: "0 or 1 in a one-hot group")
        wrong = np.flatnonzero(is_on.sum(axis=1) != 1)
        if len(wrong):
            raise ValueError(
                "X: expected exactly one feature of a one-hot group to be 1, got "
                f"{is_on[wrong[0]].sum()} in the group of {features.text(members[0])} in row "
                f"{rows[wrong[0]]}"
            )

    def _refuse(self, bad, rows, values, features, wanted):
        if bad.any():
            row, column = np.argwhere(bad)[0]
            raise ValueError(
                f"X: expected {wanted(column)}, got {values[row, column]:g} for "
                f"{features.text(column)} in row {rows[row]}"
            )


def _slack(a, b):
    """What rounding may make of equal numbers; 0 for infinite ones."""
    with np.errstate(invalid="ignore"):
        slack = _SAME * (1.0 + np.abs(a) + np.abs(b))
    return np.where(np.isfinite(slack), slack, 0.0)


class _Features:
    """Names and numbers."""

    def __init__(self, names, n_features):
        self.names, self.n_features = names, n_features
        self._index = {} if names is None else {name: l for l, name in enumerate(names)}

    def text(self, l):
        return f"feature {l}" if self.names is None else repr(self.names[l])

    def number(self, where, feature):
        if isinstance(feature, str):
            return self._number_of_name(where, feature)
        if not -self.n_features <= feature < self.n_features:
            raise ValueError(
                f"attack_model.{where}: expected numbers of features from 0 to "
                f"{self.n_features - 1}, got {feature}"
            )
        return feature % self.n_features

    def _number_of_name(self, where, name):
        if name in self._index:
            return self._index[name]
        if name.isdecimal() and 1 <= int(name) <= self.n_features:
            return int(name) - 1  # as in files, where keys are texts
        if self.names is None:
            raise ValueError(
                f"attack_model.{where}: unknown feature {name!r}, because X has no feature names; "
                f"use numbers from 0 to {self.n_features - 1}, or a data frame"
            )
        near = difflib.get_close_matches(name, self.names, n=3, cutoff=0.5)
        if not near:
            folded = {each.lower(): each for each in self.names}
            near = difflib.get_close_matches(name.lower(), folded, n=3, cutoff=0.5)
            near = [folded[each] for each in near]
        known = ", ".join(repr(each) for each in near or self.names[:20])
        hint = f"did you mean {known}?" if near else f"known are {known}"
        raise ValueError(f"attack_model.{where}: unknown feature {name!r}; {hint}")

    def numbers(self, where, features):
        found = [self.number(where, each) for each in features]
        for l in found:
            if found.count(l) > 1:
                raise ValueError(
                    f"attack_model.{where}: expected each feature once, got {self.text(l)} twice"
                )
        return found


def resolve(model, feature_names, classes, unit):
    """As `AttackModel.resolve`."""
    if isinstance(feature_names, (int, np.integer)):
        names, n_features = None, int(feature_names)
    else:
        names = [str(name) for name in feature_names]
        n_features = len(names)
    features = _Features(names, n_features)
    direction = _directions(model, features)
    groups = _groups(model, features, direction)
    grouped = [l for members, _ in groups for l in members]
    lower, upper = _ranges(model, features, grouped)
    whole = [l for l in features.numbers("integer", model.integer) if l not in grouped]
    resolved = ResolvedAttackModel(
        model,
        names,
        _scales(model, features, unit),
        direction,
        lower,
        upper,
        whole,  # 0 and 1 of groups are whole anyway
        groups,
        _attacking(model, classes),
    )
    resolved.core().check(n_features)  # the library has the last word
    return resolved


def _scales(model, features, unit):
    n = features.n_features
    scale = np.ones(n) if unit is None else np.array(unit, dtype=np.float64)
    if isinstance(model.scale, dict):
        if None in model.scale:
            scale[:] = model.scale[None]
        keys = [key for key in model.scale if key is not None]
        for l, key in zip(features.numbers("scale", keys), keys, strict=True):
            scale[l] = model.scale[key]
    elif isinstance(model.scale, tuple):
        if len(model.scale) != n:
            raise ValueError(
                f"attack_model.scale: expected one number per feature ({n}), got {len(model.scale)}"
            )
        scale[:] = model.scale
    elif model.scale is not None:
        scale[:] = model.scale
    scale[features.numbers("frozen", model.frozen)] = 0.0
    return scale


def _directions(model, features):
    direction = ["both"] * features.n_features
    for name, word in (("increase_only", "up"), ("decrease_only", "down")):
        for l in features.numbers(name, getattr(model, name)):
            if direction[l] != "both":
                raise ValueError(
                    "attack_model.increase_only, decrease_only: expected a feature in one of them, "
                    f"got {features.text(l)} in both; freeze it instead"
                )
            direction[l] = word
    return direction


def _groups(model, features, direction):
    groups, seen = [], set()
    for members, cost in model.one_hot:
        members = features.numbers("one_hot", members)
        for l in members:
            if l in seen:
                raise ValueError(
                    "attack_model.one_hot: expected each feature in one group only, got "
                    f"{features.text(l)} in two"
                )
            if direction[l] != "both":
                raise ValueError(
                    "attack_model.one_hot: expected features that may go both ways, got "
                    f"{features.text(l)}, which may only go {direction[l]}"
                )
            seen.add(l)
        groups.append((members, model.switch_cost if cost is None else cost))
    return groups


def _ranges(model, features, grouped):
    n = features.n_features
    lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
    pairs = {}
    if isinstance(model.bounds, dict):
        keys = list(model.bounds)
        found = features.numbers("bounds", keys)
        pairs = {l: model.bounds[key] for l, key in zip(found, keys, strict=True)}
    elif model.bounds is not None and isinstance(model.bounds[0], tuple):
        if len(model.bounds) != n:
            raise ValueError(
                f"attack_model.bounds: expected one pair per feature ({n}), got {len(model.bounds)}"
            )
        pairs = dict(enumerate(model.bounds))
    elif model.bounds is not None:
        pairs = {l: model.bounds for l in range(n) if l not in grouped}
    for l, (low, high) in pairs.items():
        low, high = -np.inf if low is None else low, np.inf if high is None else high
        if l not in grouped:
            lower[l], upper[l] = low, high
        elif low > 0 or high < 1:
            raise ValueError(
                "attack_model.bounds: expected 0 and 1 within the range of a feature in a one-hot "
                f"group, got [{low:g}, {high:g}] for {features.text(l)}"
            )
    return lower, upper


def _attacking(model, classes):
    if model.attacking_class is None:
        return None
    if classes is None:
        raise ValueError("classes: needed, because the attack model has an attacking class")
    known = np.asarray(classes).tolist()
    if model.attacking_class not in known:
        raise ValueError(
            f"attack_model.attacking_class: unknown class {model.attacking_class!r}; the model's "
            f"are {known}"
        )
    return known.index(model.attacking_class)
