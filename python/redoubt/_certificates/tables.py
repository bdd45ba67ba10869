"""Model files on tables with texts and gaps: searched as in the program, with the same bits."""

import time

import numpy as np

from redoubt import _core
from redoubt._attack_models import AttackModel, ResolvedAttackModel
from redoubt._certificates.attacked_points import class_codes
from redoubt._certificates.curves import safe_points
from redoubt._certificates.moved_tables import MovedRows, MovedTable
from redoubt._certificates.proofs import Proofs
from redoubt._certificates.results import Attacks, Certificates
from redoubt._certificates.search import Search, share_of_seconds
from redoubt._checks import number_list
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
        self.coded = self._features = None
        if is_table(X):
            self.coded = model.columns.code(X)
        else:
            self._features = model._checked(X)
        self.classes = np.asarray(model.classes)

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

    def __len__(self):
        return len(self._features if self.coded is None else self.coded)

    def labels(self, y):
        """Signs of the labels; None for None."""
        if y is None:
            return None
        return 2.0 * class_codes(y, self.classes, len(self), as_text=True) - 1.0

    def parts(self):
        """Yield slices of rows, with their features and those of them that do not move."""
        if self.coded is None:
            yield slice(0, len(self)), self._features, []
            return
        for rows in self.coded.chunks():
            part = self.coded.take(rows)
            stays = part.filled.any() and not self.rules.missing_moves
            yield rows, part.expanded(), part.frozen() if stays else []

    def scaled_settings(self, search, features, signs, frozen, left):
        """The keyword arguments of a search for some rows."""
        self.core.check_points(self.rules, features, signs, frozen)
        return search.settings() | {
            "attack_model": self.core.scaled_rules(self.rules),
            "frozen": frozen,
            "max_seconds": left,
        }

    def expected_accuracies(self, labels, radii, search):
        """As for `worst_expected_accuracy`: (rows, accuracies, lower bounds), part by part."""
        signs = np.where(labels, 1.0, -1.0)
        for rows, features, frozen in self.parts():
            left = share_of_seconds(search, len(features), len(self))
            settings = self.scaled_settings(search, features, signs[rows], frozen, left)
            found = _core.worst_expected_accuracy(
                self.model.ensemble,
                self.core.transform(features),
                signs[rows],
                radii,
                **settings,
            )
            yield rows, found.accuracy, found.lower

    def safe_points(self, n_planes, labels, radii, search):
        """Which points the first planes answer rightly, and still do after every move."""
        whole, signs = self.model.ensemble, np.where(labels, 1.0, -1.0)
        ensemble = read_model(whole).decision.first(n_planes).ensemble(1, True)
        safe = np.zeros((len(radii), len(self)), dtype=bool)
        for rows, features, frozen in self.parts():
            points, own = self.core.transform(features), signs[rows]
            answers = ensemble.predict(points, search.n_threads)
            settings = self.scaled_settings(search, features, own, frozen, np.inf)
            found = _core.certify(ensemble, points, own, **settings)
            closed = _certificate_columns(found, answers, own, self.rules, search.solver)["closed"]
            safe[:, rows] = safe_points(found.lower, closed, radii)
            safe[np.ix_(radii == 0, np.arange(len(self))[rows])] = answers == own
        return safe

    def moved(self, rows, features, steps, answers):
        """After steps of scaled features: moves of an array, or rows of a table, coded."""
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


def certify_table(model, X, y, norm, attack_model, units, solver, limits, n_jobs, proofs=False):
    """`redoubt.certify` for a model file and a table or array of it."""
    table = ModelTable(model, X, norm, attack_model, units)
    signs = table.labels(y)
    search = Search(table.norm, solver, *limits, n_jobs)
    columns = {name: [] for name in _CERTIFICATE}
    witnesses, began = [], time.perf_counter()
    kept = Proofs(len(table)) if proofs else None
    for rows, features, frozen in table.parts():
        answers = table.core.predict_signs(features, search.n_threads)
        own = answers.astype(float) if signs is None else signs[rows]
        left = max(0.0, search.max_seconds - (time.perf_counter() - began))
        settings = table.scaled_settings(search, features, own, frozen, left)
        settings["proofs"] = proofs
        found = _core.certify(model.ensemble, table.core.transform(features), own, **settings)
        if proofs:
            kept.of_rows(range(*rows.indices(len(table)))).keep(found)
        witnesses.append(table.moved(rows, features, found.witness, (-answers).tolist()))
        for name, values in _certificate_columns(found, answers, own, table.rules, solver).items():
            columns[name].extend(values)
    arrays = {name: np.asarray(values) for name, values in columns.items() if name != "fooled"}
    answers = arrays.pop("answer")
    return Certificates(
        **arrays,
        fooled=columns["fooled"],
        **table.join(witnesses, "witness"),
        prediction=table.classes[(answers > 0).astype(int)],
        label=None if signs is None else table.classes[(signs > 0).astype(int)],
        classes=table.classes,
        norm=table.norm,
        units=table.units,
        attack_model=table.attack_model,
        proofs=kept,
    )


_CERTIFICATE = (
    *("radius", "lower", "upper", "status", "fooled", "closed", "answer", "n_nodes"),
    "solve_seconds",
)


def _certificate_columns(found, answers, own, rules, solver):
    attained = (solver == "native") & (found.lower == found.upper) & np.isfinite(found.upper)
    attacker = rules.attacking_class
    moves = np.ones(len(own), dtype=bool) if attacker is None else own == attacker
    closed = (answers > 0) & (own > 0) & moves & ~attained
    return {
        "radius": found.radius,
        "lower": found.lower,
        "upper": found.upper,
        "status": found.status,
        "fooled": [[int(i) for i in planes] for planes in found.fooled],
        "closed": closed | (~np.signbit(found.lower) & (found.lower == 0.0)),
        "answer": answers,
        "n_nodes": np.asarray(found.n_nodes, dtype=np.int64),
        "solve_seconds": found.solve_seconds,
    }


def attack_table(
    model, X, y, radius, norm, attack_model, units, solver, limits, n_jobs, adversary, rule
):
    """`redoubt.attack` for a model file and a table or array of it."""
    table = ModelTable(model, X, norm, attack_model, units)
    signs = table.labels(y)
    radii = number_list("radius", radius)
    if len(radii) not in (1, len(table)):
        raise _core.InvalidInput(f"radii: expected length {len(table)}, got length {len(radii)}")
    search = Search(table.norm, solver, *limits, n_jobs)
    names = ("success", "fooled", "objective", "bound", "status", "n_nodes", "solve_seconds")
    columns = {name: [] for name in names}
    moves, began = [], time.perf_counter()
    for rows, features, frozen in table.parts():
        own = signs[rows]
        left = max(0.0, search.max_seconds - (time.perf_counter() - began))
        settings = table.scaled_settings(search, features, own, frozen, left)
        settings |= {"adversary": adversary, "rule": rule}
        part = radii if len(radii) == 1 else radii[rows]
        scaled = table.core.transform(features)
        found = _core.attack(model.ensemble, scaled, own, part, **settings)
        aims = np.where(found.success, -own, 0).astype(int).tolist()
        moves.append(table.moved(rows, features, found.perturbation, aims))
        for name in names:
            columns[name].extend(getattr(found, name))
    columns["fooled"] = [[int(i) for i in planes] for planes in columns["fooled"]]
    columns["n_nodes"] = np.asarray(columns["n_nodes"], dtype=np.int64)
    columns["success"] = np.asarray(columns["success"], dtype=bool)
    for name in ("objective", "bound", "status", "solve_seconds"):
        columns[name] = np.asarray(columns[name])
    return Attacks(
        **columns,
        **table.join(moves, "perturbation"),
        norm=table.norm,
        units=table.units,
        attack_model=table.attack_model,
    )
