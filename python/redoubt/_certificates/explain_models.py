"""Explanations of model files on tables with texts and gaps: in the words of the table."""

import numpy as np

from redoubt import _core
from redoubt._certificates.explained import (
    CategoryChange,
    Explanation,
    FeatureMove,
    SingleChange,
    nearest_answer,
)
from redoubt._certificates.tables import ModelTable
from redoubt._checks import check_seconds


def explain_model_table(model, X, norm, attack_model, ranges, units, n_named, limits):
    """`redoubt.explain` for a model file and a table or array of it."""
    X, is_row = _as_table(X)
    table = ModelTable(model, X, norm, attack_model, units)
    known = ranges is not None and table.attack_model is None
    bounds = model.ranges if known else None
    max_nodes, max_seconds_per_point = limits
    results = []
    for rows, features, frozen in table.parts():
        answers = table.core.answers(features)
        rules, labels = table.rules, 2.0 * answers - 1.0
        if len(table.classes) > 2:
            rules, labels = rules.with_attacking_class(table.attacking), answers.astype(float)
        table.core.check_points(rules, features, labels, frozen)
        found = _core.explain_model(
            table.core,
            features,
            attack_model=rules,
            frozen=frozen,
            least=None if bounds is None else bounds[:, 0],
            greatest=None if bounds is None else bounds[:, 1],
            n_named=n_named,
            max_nodes=max_nodes,
            max_seconds_per_point=check_seconds("max_seconds_per_point", max_seconds_per_point),
        )
        for j, one in enumerate(found):
            told = _Told(table, features[j], one)
            row = rows.start + j
            results.append(told.explanation(row, table.classes[answers[j]], bounds))
    return results[0] if is_row else results


def _as_table(X):
    """X with several rows, and whether it was one row."""
    if isinstance(X, dict) and all(np.ndim(value) == 0 for value in X.values()):
        return {name: np.array([value], dtype=object) for name, value in X.items()}, True
    if np.ndim(X) != 1 or isinstance(X, dict):
        return X, False
    if hasattr(X, "iloc"):  # a row of a data frame keeps its names
        return X.to_frame().T, True
    return np.asarray(X, dtype=np.float64)[None, :], True


class _Told:
    """What the library says of the features of one row, told of the columns of the table."""

    def __init__(self, table, features, found):
        self._table, self._features, self._found = table, features, found
        self._columns = table.model.columns.columns
        self._starts = [column.start for column in self._columns]
        self._moved = found.moved if len(found.moved) else np.full(len(features), np.nan)

    def explanation(self, row, answer, bounds):
        found, table = self._found, self._table
        return Explanation(
            answer=answer,
            nearest=nearest_answer(found, table.classes),
            sentence=found.sentence,
            radius=found.radius,
            lower=found.lower,
            upper=found.upper,
            status=found.status,
            row=self._entries(row, self._features),
            moved=self._entries(row, self._moved),
            is_changed=bool(found.is_changed),
            attack=self._attack(),
            singles=self._singles(),
            n_nodes=int(found.n_nodes),
            solve_seconds=found.solve_seconds,
            norm=table.norm,
            units=table.units,
            attack_model=table.attack_model,
            ranges=bounds,
        )

    def _entries(self, row, features):
        """The row as a table such as X, or the features themselves for an array."""
        if self._table.coded is None:
            return features
        after = self._table.coded.take([row]).moved_to(features[None, :])
        known = ~np.isnan(features).any(keepdims=True)
        return self._table.table(np.array([row]), after, known)

    @staticmethod
    def _category(column, features):
        on = np.argmax(features[column.start : column.start + column.n_members])
        return column.member_name(int(on))

    def _attack(self):
        found, linf = self._found, self._table.norm == "linf"
        by_column = {}
        rows = zip(found.attack_feature, found.attack_size, found.attack_share, strict=True)
        for feature, size, share in rows:
            c = int(np.searchsorted(self._starts, feature, side="right")) - 1
            old = by_column.get(c, (0.0, 0.0))[1]
            by_column[c] = size, float(share if linf else old + share)
        moves = []
        for c, (size, share) in by_column.items():
            before, after, column = self._features, self._moved, self._columns[c]
            if column.is_number:
                pair = float(before[column.start]), float(after[column.start])
            else:
                pair = self._category(column, before), self._category(column, after)
            moves.append(FeatureMove(column.name, *pair, float(size), share))
        return sorted(moves, key=lambda move: -move.share)

    def _singles(self):
        found, singles = self._found, []
        for column in self._columns:
            members = range(column.start, column.start + column.n_members)
            if column.is_number:
                values = [
                    float(getattr(found, f"single_{name}")[column.start])
                    for name in ("before", "up_to", "down_to", "up_size", "down_size")
                ]
                singles.append(SingleChange(column.name, *values))
                continue
            on = [l for l in members if found.single_goes_on[l]]
            sizes = [min(found.single_up_size[l], found.single_down_size[l]) for l in on]
            size = float(min(sizes, default=np.inf))
            names = [
                column.member_name(l - column.start)
                for l, each in zip(on, sizes, strict=True)
                if each == size
            ]
            before = self._category(column, self._features)
            singles.append(CategoryChange(column.name, before, names, size))
        return singles
