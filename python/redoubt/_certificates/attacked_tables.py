"""A model of raw columns and the rows of a table, brought to the features z in small parts.

Searches see z in the units of the scalers, as those of the model's file do, so that both find the
same bits. Rows are kept as numbers and codes. z is written out for a few rows at a time, and of wide groups
only for the categories that can matter to these rows: those that they have, and those that no other
one beats for every plane at once, in either direction.
"""

from dataclasses import dataclass, replace

import numpy as np

from redoubt._attack_models import AttackModel, ResolvedAttackModel
from redoubt._certificates.attacked_points import (
    AttackedPoints,
    class_codes,
    read_points,
    units_of_rules,
)
from redoubt._models.decision_rules import Vote, stacked, with_planes
from redoubt._models.linear_model import read_model
from redoubt._tables.coding import CodedRows
from redoubt._tables.columns import MISSING
from redoubt._tables.frames import TableReader, find_columns, rows_of, table_like
from redoubt._tables.values import missing_key, shown

# Numbers of z that are written out at a time.
_MOST_NUMBERS = 2**21
# Groups are cut down where there are more features than this...
_WIDE = 256
# ... for so many rows at a time, so that they have few categories between them.
_FEW_ROWS = 16
# A table of rules is kept for this many attack models of a model.
_MOST_RULES = 8


@dataclass(frozen=True, eq=False)
class AttackedTable:
    """As AttackedPoints, for the rows of a table; `parts` gives them as AttackedPoints of z."""

    model: object
    X: object
    linear: object
    reader: TableReader
    rows: CodedRows
    own: np.ndarray
    units: str
    rules: AttackModel | None
    resolved: ResolvedAttackModel

    has_text_labels = False
    is_ensemble = False
    unscale = None

    @property
    def classes(self):
        return self.linear.classes

    @property
    def decision(self):
        return self.linear.decision

    @property
    def attack_model(self):
        return self.resolved

    @property
    def n_rows(self):
        return len(self.rows)

    @property
    def is_wide(self):
        """Are there so many categories that groups are cut down?"""
        coding = self.linear.coding
        return coding.n_features > _WIDE and isinstance(self.decision, Vote) and bool(coding.groups)

    encode = AttackedPoints.encode
    encode_target = AttackedPoints.encode_target
    vote, sign = AttackedPoints.vote, AttackedPoints.sign

    def scales(self):
        """By column: how far it moves at radius 1, or what a switch costs; 0 is frozen."""
        known = self.linear.memo.setdefault("scales", {})
        if self.resolved not in known:
            if len(known) >= _MOST_RULES:
                known.clear()
            known[self.resolved] = self._find_scales()
        return dict(known[self.resolved])

    def _scaled_rules(self):
        """The rules in the units of the scalers, kept with the model."""
        known = self.linear.memo.setdefault("scaled rules", {})
        if self.resolved not in known:
            if len(known) >= _MOST_RULES:
                known.clear()
            unit = self.linear.in_scaled_features()[1]
            known[self.resolved] = self.resolved.scaled(unit)
        return known[self.resolved]

    def _find_scales(self):
        cost = {features[0]: cost for features, cost in self.resolved.groups}
        found = {}
        for column in self.linear.coding.columns:
            if column.kind == "unused":
                continue
            scale = float(self.resolved.scale[column.start])
            if column.kind == "categories" and scale != 0.0:
                scale = cost.get(column.start, 0.0)
            found[column.name] = scale
        return found

    def parts(self, in_units_of_table=False):
        """(rows, AttackedPoints, decode): a few rows each, that lack entries in the same columns.

        `decode(moves)` gives the rows after moves of the points, coded. The points are z in the units
        of the scalers; `in_units_of_table`: z itself, and so are the rules, while the decision stays
        one about ``z / scale`` (`scale` of the part).
        """
        width, is_wide = self.linear.coding.n_features, self.is_wide
        most = _FEW_ROWS if is_wide else max(1, _MOST_NUMBERS // width)
        if self.linear.coding.steps:  # every row has its own way to them
            most = 1
        for pattern, rows in _patterns(self._frozen_gaps()):
            filled = self.linear.coding.features_of(pattern)
            if is_wide:  # rows with the same categories together
                rows = rows[np.lexsort(self.rows.codes[rows].T)]
            for start in range(0, len(rows), most):
                yield self._part(rows[start : start + most], filled, is_wide, in_units_of_table)

    def _frozen_gaps(self):
        """Which entries are missing and do not move."""
        gaps = self.rows.filled
        is_free = self.rules is not None and self.rules.missing == "free"
        return np.zeros_like(gaps) if is_free else gaps

    def _part(self, rows, filled, is_wide, in_units_of_table):
        is_all = len(rows) == self.n_rows == 1  # rows of several may stand in another order
        coded = self.rows if is_all else self.rows.take(rows)
        decision, unit = self.linear.in_scaled_features()
        kept = None
        if is_wide:
            kept = coded.needed(self._useful_members())
            coef, intercept = stacked(decision)
            decision, unit = with_planes(decision, coef[:, kept], intercept), unit[kept]
        raw, rules = self.resolved, None
        places, still, groups = self._ways(coded, filled) if self.linear.coding.steps else ((), [], ())
        if is_wide or filled or still or groups or len(rows) < self.n_rows:
            raw = raw.part(rows, kept, filled + still, groups)
            rules = raw if in_units_of_table else raw.scaled(unit)
        else:
            rules = raw if in_units_of_table else self._scaled_rules()
        Z = coded.expanded(kept)
        points = Z if in_units_of_table else Z / unit

        def moved(moves, some=slice(None)):
            steps = moves if in_units_of_table else moves * unit
            after = _within(raw, Z[some], steps)
            return (coded if isinstance(some, slice) else coded.take(some)).moved_to(after, kept, places)

        def ask(some, moves):
            """The model's own answers for some rows, moved."""
            table = self.table(rows[some], moved(moves, some), np.ones(len(some), dtype=bool))
            return self.answers(table)

        part = AttackedPoints(
            decision,
            points,
            self.classes,
            self.own[rows],
            None,
            self.units,
            False,
            ask=ask,
            attack_model=rules,
            kept=kept,
            places=places,
            scale=unit,
        )
        return rows, part, moved

    def _ways(self, coded, filled):
        """One row's ways to the steps of its numbers, as far as the rules allow them.

        Where it ends in each step, by column; features of columns that stay; groups for the others.
        """
        rules, places, still, groups = self.resolved, [], [], []
        for k, column in self.linear.coding.steps:
            x, at = coded.numbers[0, k], column.start
            ends = column.steps.places(
                x, rules.lower[at], rules.upper[at], rules.direction[at], at in rules.integer
            )
            members = list(range(column.members_at, column.members_at + column.n_members))
            if at in filled or rules.scale[at] == 0.0 or len(members) < 2:
                still += members
            else:
                sizes = np.abs(ends - x) / rules.scale[at]
                sizes[np.isnan(sizes)] = np.inf
                groups.append((members, column.steps.member_of(x), sizes.tolist()))
            places.append(ends)
        return places, still, groups

    def _useful_members(self):
        """Of each group: members that no other one of the same price beats, up- or downwards."""
        priced = {
            features[0]: np.array(members, dtype=int)
            for (features, _), members in zip(
                self.resolved.groups, self.resolved.priced_members, strict=True
            )
            if members
        }
        if not priced:
            return _useful_members(self.linear)
        found = []
        for k, start in enumerate(self.linear.coding.group_at.tolist()):
            others = priced.get(start, np.array([], dtype=int))
            found.append(np.union1d(others, _useful_of_group(self.linear, k, others)))
        return found

    def row(self, row):
        """One row alone."""
        X = rows_of(self.X, [row])
        return replace(
            self,
            X=X,
            reader=TableReader(X, self.linear.coding),
            rows=self.rows.take([row]),
            own=self.own[[row]],
        )

    def answers(self, X):
        """The model's own answers to a table, as class indices."""
        return class_codes(self.model.predict(X), self.classes, None)

    def value(self, column):
        """What the first row has in a column."""
        place = self.linear.coding.columns.index(column)
        (value, *_) = self.reader.values(place)
        return MISSING if missing_key(value) else value

    def table(self, rows, after, known):
        """A table such as X: the rows `after`, where they are known."""
        X = self.X if len(rows) == len(self.rows) else rows_of(self.X, rows)
        reader = self.reader if X is self.X else TableReader(X, self.linear.coding)
        return table_like(X, reader, self.rows.take(rows), after, known)


def read_attacked(model, X, units, attack_model=None, *, norm, own=None):
    """The model and X, as AttackedPoints or, for a model of raw columns, as an AttackedTable.

    `own` are the model's own answers, if it was asked before.

    Without rules the numbers of a table are measured by their scalers: units of different columns
    and switches have nothing in common otherwise.
    """
    linear = read_model(model)
    if isinstance(X, dict):  # which no model of scikit-learn takes
        raise ValueError(
            "X: expected a data frame, got a dict; pass pandas.DataFrame(X), or pandas.DataFrame([X]) "
            "for one row"
        )
    if linear.coding is None:
        return read_points(model, X, units, attack_model)
    if isinstance(attack_model, ResolvedAttackModel):
        linear.need_own_features()
    if units is None and attack_model is None:
        units = "scaled"
    units = units_of_rules(model, units, attack_model)
    reader = TableReader(X, linear.coding)  # says what is wrong with X in one line
    rows = linear.coding.code_rows(reader)
    own = _own_answers(model, X, reader, linear.coding) if own is None else own
    own = class_codes(own, linear.classes, None)
    resolved = _resolve(linear, attack_model, norm, units)
    return AttackedTable(model, X, linear, reader, rows, own, units, attack_model, resolved)


def _own_answers(model, X, reader, coding):
    try:
        return model.predict(X)
    except (TypeError, ValueError) as error:  # a column of another type, most likely
        if not len(reader.X):
            raise
        if coding.has_names and not hasattr(X, "columns"):
            raise ValueError(
                "X: expected a data frame, because the model finds its columns by name, got "
                f"{type(X).__name__}"
            ) from error
        for j in coding.groups:
            _refuse_other_kinds(coding.columns[j], reader.values(j))
        if hasattr(X, "columns"):
            find_columns(list(X.columns), list(X.columns))  # each once
        line = str(error).partition("\n")[0]
        if line == str(error) and isinstance(error, ValueError):
            raise
        raise ValueError(f"X: the model's own predict does not take it: {line}") from error


def _refuse_other_kinds(column, values):
    """Raise for a number among texts, or a text among numbers."""
    known = [value for value in column.lookup if not isinstance(value, tuple)]
    kinds = {isinstance(value, str) for value in known}
    for row, value in enumerate(values):
        if known and missing_key(value) is None and isinstance(value, str) not in kinds:
            raise ValueError(
                f"X: column {column.name!r}: expected a {'text' if True in kinds else 'number'} such as "
                f"{known[0]!r}, got {shown(value)} in row {row}"
            )


def _resolve(linear, rules, norm, units):
    """The rules for z, kept with the model. No rules are the ball of the norm, with switches."""
    known = linear.memo.setdefault("rules", {})
    key = norm if rules is None else id(rules), units
    if key not in known:
        given, coding = AttackModel(norm) if rules is None else rules, linear.coding
        unit = None
        if units == "scaled":
            unit = coding.feature_units()
        if len(known) >= _MOST_RULES:
            known.clear()
        # The result keeps `rules`, and so their id.
        known[key] = given.resolve(
            coding.feature_names(), linear.classes, unit=unit, columns=coding
        )
    return known[key]


def _within(rules, Z, steps):
    """Z after steps that rounded: numbers in their range, and integers where they should be."""
    after = Z + steps
    if np.isfinite(rules.lower).any() or np.isfinite(rules.upper).any():
        after = np.clip(after, np.minimum(rules.lower, Z), np.maximum(rules.upper, Z))
    if rules.integer:
        after[:, rules.integer] = np.round(after[:, rules.integer])
    return after


def _patterns(filled):
    """Rows by the columns whose entries are missing: (columns, rows)."""
    if not filled.any():
        return [([], np.arange(len(filled)))]
    patterns, which = np.unique(filled, axis=0, return_inverse=True)
    which = which.reshape(-1)
    return [
        (np.flatnonzero(pattern).tolist(), np.flatnonzero(which == k))
        for k, pattern in enumerate(patterns)
    ]


# --- wide groups ----------------------------------------------------------------------------------


def _useful_members(linear):
    """Of each group: members that no other one beats for all planes, upwards or downwards."""
    if "useful" not in linear.memo:
        groups = range(len(linear.coding.groups))
        linear.memo["useful"] = [_useful_of_group(linear, k, []) for k in groups]
    return linear.memo["useful"]


def _useful_of_group(linear, k, without):
    """The same of one group, whose members `without` are not looked at."""
    coef, _ = stacked(linear.decision)
    column = linear.coding.columns[linear.coding.groups[k]]
    members = np.setdiff1d(np.arange(column.n_members), without)
    values = coef[:, column.start + members].T
    return members[np.union1d(_unbeaten(values), _unbeaten(-values))]


def _unbeaten(values):
    """Rows that are not below another row in every entry; one of several equals."""
    order = np.lexsort(values.T)[::-1]
    kept = []
    for row in order.tolist():
        rivals = values[kept]
        if not np.any(np.all(rivals >= values[row], axis=1)):
            kept.append(row)
    return np.array(sorted(kept), dtype=int)
