"""Model files on tables with texts and gaps: searched as in the program, with the same bits."""

import numpy as np

from redoubt import _core
from redoubt._attack_models import AttackModel, ResolvedAttackModel
from redoubt._certificates.attacked_points import class_codes
from redoubt._certificates.attacks import (
    check_adversary,
    check_radius_count,
    class_columns,
    joined_columns,
    vote_columns,
)
from redoubt._certificates.curves import check_attack_radii, safe_points
from redoubt._certificates.moved_tables import MovedRows, MovedTable
from redoubt._certificates.proofs import Proofs
from redoubt._certificates.reporting import report
from redoubt._certificates.results import Attacks
from redoubt._certificates.search import Flips, Search, certify_moving, share_of_seconds
from redoubt._checks import number_list, per_row
from redoubt._models.decision_rules import ArgMax
from redoubt._models.linear_model import read_model
from redoubt._models.model_file import Model
from redoubt._models.own_adversary import choose_units
from redoubt._tables.frames import TableReader, columns_of, is_table, rows_of, table_like


def by_columns(model, X):
    """Is this a model file that sees columns of categories, or gaps of a table that it fills in?"""
    if not isinstance(model, Model) or model.columns is None:
        return False
    columns = model.columns.columns
    if model.columns.groups or model.columns.marks:
        return True
    is_row = hasattr(X, "iloc") and np.ndim(X) == 1  # of a data frame
    return (is_table(X) or is_row) and any(column.fill is not None for column in columns)


def features_of(model, X):
    """X, or for a table and a model file of numbers its features, found by name."""
    is_known = isinstance(model, Model) and model.columns is not None and is_table(X)
    return model._checked(X) if is_known else X


class ModelTable:
    """The rows of X for a model file, and what an adversary may do to them."""

    def __init__(self, model, X, norm, attack_model, units):
        self.model, self.core, self.X = model, model._model, X
        self.units = choose_units(model, units)
        given = model.attack_model if attack_model is None else attack_model
        self.rules = self._resolve(given, norm, units)
        self.norm = self.rules.norm
        self.attack_model = given
        self.classes = np.asarray(model.classes)
        self.decision = read_model(model).decision
        self.attacking = self._attacking_class()
        self.coded = self._features = None
        if is_table(X):
            self.coded = model.columns.code(X)
        else:
            self._features = model._checked(X)

    def _resolve(self, given, norm, units):
        if given is None:
            if self.units == "scaled":
                return self.core.threat(norm)
            given = AttackModel(self.core.norm if norm is None else norm)
        if isinstance(given, ResolvedAttackModel):
            given = given.model
        if not isinstance(given, AttackModel):
            raise TypeError(
                f"attack_model: expected a redoubt.AttackModel or None, got {type(given).__name__}"
            )
        if norm is not None and norm != given.norm:
            raise ValueError(
                f"norm: {norm!r} contradicts the attack model's {given.norm!r}; leave it out"
            )
        default = given.default_scale
        if default == "scaled":
            self.units = "scaled"
        elif units is None and (default is not None or isinstance(given.scale, tuple)):
            self.units = "raw"  # every scale is given, in the units of X
        rules = given._rules_about(self.model.columns.features_by_column())
        return self.core.resolve(rules, self.units == "scaled")

    def _attacking_class(self):
        """The index of the class that attacks; None for all. The library knows it of two classes."""
        if isinstance(self.decision, ArgMax) and self.attack_model is not None:
            return self.attack_model._attacking_index(self.classes)
        side = self.rules.attacking_class
        return None if side is None else int(side > 0)

    def __len__(self):
        return len(self._features if self.coded is None else self.coded)

    def labels(self, y, name="y"):
        """Class indices of labels; None for None."""
        if y is None:
            return None
        return class_codes(y, self.classes, len(self), as_text=True, name=name)

    def parts(self):
        """Yield slices of rows, with their features and those of them that do not move."""
        if self.coded is None:
            yield slice(0, len(self)), self._features, []
            return
        for rows in self.coded.chunks():
            part = self.coded.take(rows)
            stays = part.filled.any() and not self.rules.missing_moves
            yield rows, part.expanded(), part.frozen() if stays else []

    def flips(self, rows, features, frozen, labels, search, target=None, decision=None):
        """Signed certificates of some rows, which are arrays of class indices; or of their targets."""
        answers = self.core.answers(features, search.n_threads)
        moves = np.ones(len(answers), dtype=bool)
        if self.attacking is not None:
            moves = (answers if labels is None else labels) == self.attacking
        flips = Flips.standing(answers, labels, target, features)
        rules, sides = self.rules.with_attacking_class(1), np.where(moves, 1.0, -1.0)
        self.core.check_points(rules, features, sides, frozen)
        if not moves.any():
            return flips
        labels, target = (each if each is None else each[moves] for each in (labels, target))
        if frozen:
            frozen = [each for each, is_moved in zip(frozen, moves, strict=True) if is_moved]
        scaled = self.core.scaled_rules(self.rules.with_attacking_class(None))
        here = search.on_rows(np.arange(len(self))[rows][moves]).under(scaled, frozen)
        points = self.core.transform(features[moves])
        flips.put(moves, certify_moving(decision or self.decision, points, labels, here, target))
        return flips

    def expected_accuracies(self, labels, radii, search):
        """As for `worst_expected_accuracy`: (rows, accuracies, lower bounds), part by part."""
        self.vote("worst_expected_accuracy")
        signs = 2.0 * labels - 1.0
        for rows, features, frozen in self.parts():
            settings = self.attack_settings(search, features, signs[rows], frozen)
            settings["max_seconds"] = share_of_seconds(search, len(features), len(self))
            found = _core.worst_expected_accuracy(
                self.model.ensemble,
                self.core.transform(features),
                signs[rows],
                radii,
                **settings,
            )
            yield rows, found.accuracy, found.lower

    def vote(self, who):
        """The decision; raises if it is one of more than two classes."""
        if isinstance(self.decision, ArgMax):
            raise NotImplementedError(
                f"{who}: expected a model of two classes, got {len(self.classes)}; redoubt.certify "
                "takes more"
            )
        return self.decision

    def attack_settings(self, search, features, signs, frozen):
        """The keyword arguments of the library's attack on some rows of two classes."""
        self.core.check_points(self.rules, features, signs, frozen)
        rules = self.core.scaled_rules(self.rules)
        return search.settings() | {"attack_model": rules, "frozen": frozen}

    def safe_points(self, n_planes, labels, radii, search):
        """Which points the first planes answer rightly, and still do after every move."""
        decision = self.decision.first(n_planes)
        safe = np.zeros((len(radii), len(self)), dtype=bool)
        for rows, features, frozen in self.parts():
            found = self.flips(rows, features, frozen, labels[rows], search, decision=decision)
            safe[:, rows] = safe_points(found.lower, found.closed, radii)
            safe[np.ix_(radii == 0, np.arange(len(self))[rows])] = found.answer == labels[rows]
        return safe

    def moved(self, rows, features, steps, answers):
        """After steps of scaled features: moves of an array, or rows of a table, coded.

        `answers` are those after the steps, -1 where they do not matter.
        """
        moved = self.core.move_rows(self.rules, features, steps, answers)
        if self.coded is None:
            return moved - features
        after = self.coded.take(rows).moved_to(moved)
        return np.arange(len(self))[rows], after, ~np.isnan(moved).any(axis=1)

    def join(self, parts, moves):
        """All that `moved` gave, as fields of a result: an array called `moves`, or a table."""
        if self.coded is None:
            return {moves: np.concatenate(parts) if parts else np.empty(self._features.shape)}
        after = MovedRows.blank(self.coded)
        for rows, moved, known in parts:
            after.put(rows, moved, known)
        return {moves: None, "table": MovedTable(self, after, None)}

    def table(self, rows, after, known):
        """A table of the model's columns of X: the rows `after`, where they are known."""
        X = columns_of(self.X, self.model.columns.names)
        before = self.coded
        if len(rows) < len(self):
            X, before = rows_of(X, rows), before.take(rows)
        reader = TableReader(X, self.model.columns)
        return table_like(X, reader, before, after, known)


def certify_table(model, X, y, target, norm, attack_model, units, options, proofs):
    """`redoubt.certify` for a model file and a table or array of it; `options` of the search."""
    table = ModelTable(model, X, norm, attack_model, units)
    labels = table.labels(y)
    targets = table.labels(per_row("target", target, len(table)), "target")
    search = Search(table.norm, **options)
    if proofs:
        search.proofs = Proofs(len(table))
    found, witnesses = [], []
    for rows, features, frozen in table.parts():
        mine, aims = (each if each is None else each[rows] for each in (labels, targets))
        flips = table.flips(rows, features, frozen, mine, search, aims)
        witnesses.append(table.moved(rows, features, flips.witness, flips.moved_answer.tolist()))
        found.append(flips)
    more = {"target": None if targets is None else table.classes[targets]}
    more |= {"attack_model": table.attack_model, "proofs": search.proofs}
    more |= table.join(witnesses, "witness")
    flips = Flips.joined(found)
    return report(flips, labels, search, table.units, table.classes, **more)


def attack_table(model, X, y, radius, norm, attack_model, units, options, adversary, rule):
    """`redoubt.attack` for a model file and a table or array of it; `options` of the search."""
    table = ModelTable(model, X, norm, attack_model, units)
    labels = table.labels(y)
    radii = number_list("radius", radius)
    check_radius_count(radii, len(table))
    check_adversary(table.decision, adversary, len(table.classes))
    search, radii = Search(table.norm, **options), np.broadcast_to(radii, len(table))
    found, moves = [], []
    for rows, features, frozen in table.parts():
        if isinstance(table.decision, ArgMax):
            part = _attack_classes(table, rows, features, frozen, labels[rows], radii[rows], search)
        else:
            signs = 2.0 * labels[rows] - 1.0
            settings = table.attack_settings(search, features, signs, frozen)
            settings |= {"adversary": adversary, "rule": rule}
            points, ensemble = table.core.transform(features), model.ensemble
            attacked = _core.attack(ensemble, points, signs, radii[rows], **settings)
            part = vote_columns(attacked, attacked.success)
            part["aim"] = np.where(attacked.success, 1 - labels[rows], -1)
        aims = part.pop("aim").tolist()
        moves.append(table.moved(rows, features, part.pop("perturbation"), aims))
        found.append(part)
    return Attacks(
        **joined_columns(found),
        **table.join(moves, "perturbation"),
        norm=table.norm,
        units=table.units,
        attack_model=table.attack_model,
    )


def _attack_classes(table, rows, features, frozen, labels, radii, search):
    """The columns of some rows, and which answer each move aims at."""
    check_attack_radii(radii)
    flips = table.flips(rows, features, frozen, labels, search)
    right, sizes = flips.answer == labels, np.full(len(labels), np.inf)
    known = right & flips.has_witness()
    rules, points = table.core.scaled_rules(table.rules), table.core.transform(features)
    sizes[known] = rules.move_sizes(points[known], flips.witness[known])
    columns = class_columns(flips, right, radii, sizes)
    aims = np.where(columns["success"] & right, flips.moved_answer, -1)
    return columns | {"aim": aims}
