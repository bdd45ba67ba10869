"""An attack model that knows its features: one entry per feature, checked."""

import re

import numpy as np

from redoubt import _core

_FIELDS = (
    *("norm", "scale", "cost", "direction", "lower", "upper", "integer"),
    *("groups", "priced_members"),
)


class ResolvedAttackModel:
    """An attack model for certain features and classes. Made by `AttackModel.resolve`.

    Attributes
    ----------
    model : AttackModel
        Where it comes from.
    names : list of str or None
        Of the features.
    norm : {"l1", "l2", "linf", "l0"}
    scale : ndarray of shape (n_features,)
        How far each feature may move at radius 1; 0 is frozen.
    cost : ndarray of shape (n_features,)
        What changing each feature costs in "l0".
    direction : list of {"both", "up", "down"}
    lower, upper : ndarray of shape (n_features,)
        Ranges; may be infinite.
    integer : list of int
        Features that stay integers.
    groups : list of (list of int, float)
        One-hot groups, and what a switch costs that has no price of its own.
    priced_members : list of list of int
        Of each group: members (by their place) to which some switch has a price of its own.
    attacking : int or None
        The index of the class that attacks.
    """

    def __init__(self, model, names, n_features, unit, attacking, columns=(), scaler=None):
        self.model, self.names, self.attacking = model, names, attacking
        self._arguments = model, names, n_features, unit, attacking, columns, scaler
        known = [""] * n_features if names is None else names
        rules = model._rules_about(columns) if columns else model._rules
        core = rules.resolve(known, unit, list(columns))
        self._load(core if scaler is None else core.unscaled(*scaler))

    _rows = None  # of the table that the points are from; None: 0, 1, ..
    _raw = None  # the library's rules for the units of the table, and these units

    def _load(self, core):
        self._core, self._of_class, self._certifiers = core, {}, {}
        for name in _FIELDS:
            setattr(self, name, getattr(core, name))

    def __reduce__(self):
        return ResolvedAttackModel, self._arguments

    @property
    def n_features(self):
        return len(self.scale)

    def unscaled(self, center, scale):
        """The same rules for x, where these are about ``(x - center) / scale``."""
        return ResolvedAttackModel(*self._arguments[:6], (center, scale))

    def part(self, rows, kept=None, filled=(), groups=()):
        """The rules for a few points, which are these rows of a table. Not to be pickled.

        Features that are `filled`, because an entry is missing, do not move, whatever their value;
        only those `kept` are there (numbers, ascending; None: all). `groups` are further ones of
        these points alone: (features among all, the member that is on, prices of the others).
        """
        part, core = object.__new__(ResolvedAttackModel), self._core  # resolved once is enough
        part.__dict__.update(self.__dict__, _rows=rows)
        if len(filled):
            core = core.with_frozen(list(filled))
        if kept is not None:
            core = core.only(kept.tolist())
            part.names = None if self.names is None else [self.names[l] for l in kept]
        for features, member, prices in groups:
            places = features if kept is None else np.searchsorted(kept, features)
            core = core.with_group(list(map(int, places)), int(member), prices)
        if core is not self._core:
            part._load(core)
        return part

    def scaled(self, unit):
        """The same rules for ``x / unit``. Not to be pickled."""
        other = object.__new__(ResolvedAttackModel)
        other.__dict__.update(self.__dict__, _raw=(self._core, unit))
        other._load(self._core.scaled(np.zeros(len(unit)), unit))
        return other

    @property
    def is_unscaled(self):
        """In the units of X, whatever scalers are in front of the estimator."""
        return self._arguments[6] is not None

    @property
    def free(self):
        """Features that may take any value: no integers, no groups, not frozen."""
        free = self.scale > 0
        free[self.integer] = False
        for features, _ in self.groups:
            free[features] = False
        return free

    def core(self, attacking_class=None):
        """The library's model; `attacking_class` is -1, +1, the number of one of many, or None."""
        if attacking_class not in self._of_class:
            self._of_class[attacking_class] = self._core.with_attacking_class(attacking_class)
        return self._of_class[attacking_class]

    def certifier(self, ensemble):
        """The library's search under these rules, of whichever class, for this vote; made once."""
        if id(ensemble) not in self._certifiers:  # which keeps the vote
            self._certifiers[id(ensemble)] = _core.Certifier(ensemble, self.core())
        return self._certifiers[id(ensemble)]

    def of_signs(self, sign=1):
        """The library's model for two classes, which are -1 and +1 times `sign`."""
        return self.core(None if self.attacking is None else sign * (2 * self.attacking - 1))

    def for_labels(self, X, labels, sign=1, n_classes=2):
        """The same, for points (`labels` holds class indices) that keep the rules, if they move."""
        self.check_points(X, None if self.attacking is None else labels == self.attacking)
        return self.of_signs(sign) if n_classes == 2 else self.core(self.attacking)

    def check_points(self, X, moves=None):
        """Raise, naming row and feature, unless all rules hold where `moves` is True (None: at all)."""
        moves = np.ones(X.shape[0], dtype=bool) if moves is None else moves
        try:
            self._core.check_points(X, moves.tolist(), self.names or [])
        except _core.InvalidInput as error:
            if self._raw is not None:  # in the numbers of the table
                error = self._error_of_raw(X, moves) or error
            if self._rows is None:
                raise error from None
            text = re.sub(r"(?<=in row )\d+", lambda row: str(self._rows[int(row[0])]), str(error))
            raise _core.InvalidInput(text) from None

    def _error_of_raw(self, X, moves):
        """What is said of the points in the units of the table."""
        core, unit = self._raw
        raw = X * unit
        short = np.vectorize(lambda number: float(f"{number:.15g}"), otypes=[float])(raw)
        raw = np.where(short / unit == X, short, raw)  # what the table says, but for roundings
        try:
            core.check_points(raw, moves.tolist(), self.names or [])
        except _core.InvalidInput as error:
            return error
        return None

    def summary(self):
        """Return the rules, one per line."""
        return self.model.summary(self.names)

    def __repr__(self):
        return f"<ResolvedAttackModel: {self.n_features} features, {self.model.brief()}>"
