"""Explanations of models of raw columns: in names of columns and categories."""

import re

import numpy as np

from redoubt import _core
from redoubt._certificates.explained import (
    Explanation,
    FeatureMove,
    SingleChange,
    nearest_answer,
)
from redoubt._certificates.moved_tables import MovedRows, MovedTable
from redoubt._tables.columns import MISSING


def explain_table(attacked, n_named, limits):
    """One Explanation per row; `attacked` is an AttackedTable."""
    sign = attacked.sign("explain")
    classes = [str(label) for label in attacked.classes[::sign]]
    results = [None] * attacked.n_rows
    for rows, part, _ in attacked.parts(in_units_of_table=True):
        names = _FeatureNames(attacked, part)
        answers = part.decision.answers(part.points / part.scale)
        found = _core.explain(
            part.decision.for_library(sign),
            part.points,
            center=np.zeros(part.points.shape[1]),
            scale=part.scale,
            classes=classes,
            feature_names=names.marks,
            text_columns=names.text_columns,
            attack_model=part.attack_model.for_labels(
                part.points, answers, sign, len(classes)
            ),
            least=None,
            greatest=None,
            n_named=n_named,
            **limits,
        )
        moved = [each.moved if len(each.moved) else x for each, x in zip(found, part.points)]
        coded = attacked.rows.take(rows)
        after = coded.moved_to(np.array(moved), part.kept, part.places)
        for k, (row, one) in enumerate(zip(rows.tolist(), found, strict=True)):
            known = bool(len(one.moved)) and answers[k] == part.own[k]
            table = _RowTable(attacked, row, after.take([k]), known)
            table.places = part.places
            results[row] = _report(attacked, names, row, one, table, answers[k] == part.own[k])
    return results


class _RowTable:
    """One row of the table, before and after."""

    places = ()  # where its numbers are in each of their steps, by column of steps

    def __init__(self, attacked, row, after, known):
        self.before = attacked.row(row)
        moved = MovedRows.blank(self.before.rows)
        moved.put(np.array([0]), after, np.array([known]))
        table = MovedTable(self.before, moved, np.full(1, -1))
        self.moved = table.build()
        self.is_changed = known and bool(
            self.before.answers(self.moved)[0] != self.before.own[0]
        )


class _FeatureNames:
    """Marks that the library puts into its sentence, and what they stand for."""

    def __init__(self, attacked, part):
        self.steps = [column for _, column in attacked.linear.coding.steps]
        self.columns = {}  # of each feature of the part: its column and member
        kept = part.kept if part.kept is not None else range(attacked.linear.coding.n_features)
        place = {feature: k for k, feature in enumerate(kept)}
        for column in attacked.linear.coding.columns:
            if column.kind == "steps":  # itself it is for the rules alone
                self.columns[place[column.start]] = column, None
            n_members = column.n_members or (column.kind == "number")
            for member in range(n_members):
                if column.members_at + member in place:
                    self.columns[place[column.members_at + member]] = column, member
            if column.has_indicator and column.start + column.size - 1 in place:
                self.columns[place[column.start + column.size - 1]] = column, None
        self.marks = [f"\x02{k}\x03" for k in range(len(place))]
        members = {}  # of each column of categories: its features here
        for k in sorted(self.columns):
            if self.is_member(k):
                members.setdefault(self.columns[k][0].name, []).append(k)
        self.text_columns = [
            (self.marks[ks[0]], ks[0], [self.marks[k] for k in ks]) for ks in members.values()
        ]

    def is_member(self, feature):
        """Is it one of a group?"""
        column, member = self.columns[feature]
        return column.n_members > 0 and member is not None

    def value(self, feature, places):
        """What the column has when this member is on: a category, or a number in its steps."""
        column, member = self.columns[feature]
        if column.steps is None:
            return column.member_name(member)
        return float(places[self.steps.index(column)][member])

    def sentence(self, text, before, places):
        """The sentence with names for marks; `before(column)` is what the row has there."""

        def said(value):
            return f"{value:.6g}" if isinstance(value, float) else repr(value)

        def start(match):
            column, _ = self.columns[int(match[1])]
            value = before(column)
            return f"{column.name} changes from {said(value if column.steps else str(value))}"

        def end(match):
            return said(self.value(int(match[1]), places))

        text = re.sub("\x02(\\d+)\x03 changes from '\x02\\d+\x03'", start, text)
        text = re.sub("'\x02(\\d+)\x03'", end, text)
        return re.sub("\x02(\\d+)\x03", lambda match: self.columns[int(match[1])][0].name, text)


def _report(attacked, names, row, found, table, agrees):
    def before(column):
        value = table.before.value(column)
        return float(value) if column.steps is not None and value != MISSING else value

    answer = attacked.classes[attacked.own[row]]
    about = {
        "answer": answer,
        "nearest": nearest_answer(found, attacked.classes[:: attacked.sign("explain")]),
        "row": table.before.X,
        "norm": attacked.resolved.norm,
        "units": attacked.units,
        "attack_model": attacked.rules,
        "n_nodes": int(found.n_nodes),
        "solve_seconds": found.solve_seconds,
        "moved": table.moved,
        "is_changed": table.is_changed,
    }
    if not agrees:
        return Explanation(
            sentence=f"is '{answer}' within rounding of another answer",
            radius=0.0,
            lower=0.0,
            upper=found.upper,
            status="rounding",
            attack=[],
            singles=[],
            **about,
        )
    return Explanation(
        sentence=names.sentence(found.sentence, before, table.places),
        radius=found.radius,
        lower=found.lower,
        upper=found.upper,
        status=found.status,
        attack=_moves(names, found, before, table.places, attacked.resolved.norm),
        singles=_singles(names, found, before, table.places),
        **about,
    )


def _moves(names, found, before, places, norm):
    """The cheapest attack; both members of a switch are one move."""
    moves, at = [], {}
    columns = zip(
        found.attack_feature,
        found.attack_before,
        found.attack_after,
        found.attack_size,
        found.attack_share,
        strict=True,
    )
    for feature, old, new, size, share in columns:
        column, member = names.columns[feature]
        if not names.is_member(feature):
            numbers = map(float, (old, new, size, share))
            moves.append(FeatureMove(column.name, *numbers))
            continue
        goes_to = names.value(feature, places) if new > old else None
        if column.name not in at:
            at[column.name] = len(moves)
            moves.append(
                FeatureMove(column.name, before(column), goes_to, float(size), float(share))
            )
        else:
            first = moves[at[column.name]]
            total = max(first.share, share) if norm == "linf" else first.share + share
            moves[at[column.name]] = first._replace(
                after=goes_to if first.after is None else first.after, share=float(total)
            )
    return moves


def _singles(names, found, before, places):
    """The least change of each column alone; of a group the switch that does it."""
    singles, seen = [], {}
    for k, feature in enumerate(found.single_feature):
        column, member = names.columns[feature]
        if member is None:
            continue
        if not names.is_member(feature):
            singles.append(
                SingleChange(
                    column.name,
                    float(found.single_before[k]),
                    float(found.single_up_to[k]),
                    float(found.single_down_to[k]),
                    float(found.single_up_size[k]),
                    float(found.single_down_size[k]),
                )
            )
            continue
        size = min(float(found.single_up_size[k]), float(found.single_down_size[k]))
        if column.name not in seen:
            seen[column.name] = len(singles)
            ways = () if column.steps is not None else (None, None)
            singles.append(SingleChange(column.name, before(column), *ways))
        known = singles[seen[column.name]]
        if not found.single_goes_on[k]:
            continue
        to = names.value(feature, places)
        if column.steps is not None:
            singles[seen[column.name]] = _nearer(known, to, size)
        elif size < known.size:
            singles[seen[column.name]] = known._replace(
                up_to=to, up_size=size, partner=to, goes_on=True
            )
    return singles


def _nearer(known, to, size):
    """The change of a number, with this way into another step if it is a shorter one."""
    if to > known.before:
        return known._replace(up_to=to, up_size=size) if size < known.up_size else known
    return known._replace(down_to=to, down_size=size) if size < known.down_size else known
