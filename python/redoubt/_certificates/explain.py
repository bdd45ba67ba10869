"""One answer explained: what it takes to change it, feature by feature."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from redoubt import _core
from redoubt._attack_models import AttackModel, ResolvedAttackModel
from redoubt._certificates.attacked_points import alike, class_codes, feature_names, read_points
from redoubt._certificates.attacked_tables import read_attacked
from redoubt._certificates.explain_models import explain_model_table
from redoubt._certificates.explain_tables import explain_table
from redoubt._certificates.explained import (
    Explanation,
    FeatureMove,
    SingleChange,
    nearest_answer,
)
from redoubt._certificates.tables import by_columns, features_of
from redoubt._certificates.witnesses import PUSHES, pushed
from redoubt._checks import check_count, check_seconds
from redoubt._models.arrow_rows import rows_for
from redoubt._models.linear_model import read_model
from redoubt._models.model_file import Model
from redoubt._models.own_adversary import choose_attack
from redoubt._models.saving import training_ranges
from redoubt._models.sparse_points import as_points, is_sparse, row_blocks
from redoubt._pipelines.text import without_text
from redoubt._tables.values import missing_key
from redoubt._typing import FittedModel, Norm, Rows, Units


def explain(
    model: FittedModel,
    X: Rows,
    *,
    norm: Norm | None = None,
    attack_model: AttackModel | None = None,
    ranges: Any = "training",
    feature_names: Iterable[str] | None = None,
    units: Units | None = None,
    n_named: int = 3,
    max_nodes: int | None = None,
    max_seconds_per_point: float | None = None,
) -> Any:
    """Return what it takes to change the model's answer, feature by feature.

    Parameters
    ----------
    model : Ensemble, Model or fitted classifier
        As for `certify`.
    X : array-like of shape (n_features,), or array-like or data frame of shape (n_samples, n_features)
        One or several rows, in the model's own units.
    norm : {"l1", "l2", "linf", "l0"} or None, default=None
        How a move is measured. None is the attack model's norm, or the model's own, as for
        `certify`.
    attack_model : AttackModel or None, default=None
        What may change, in the units of X, as for `certify`. None is the model's own; if it has
        none, everything may change. The answer counts as the label: if only one class attacks, rows
        with another answer do not change at all.
    ranges : {"training", None}, default="training"
        "training": without an attack model, no feature leaves its range in the training data, if
        the model knows it (a model file or a classifier of this package, alone or behind scalers);
        a row outside a range widens it. None removes this limit.
    feature_names : list of str or None, default=None
        None uses those of X, or else those of the model.
    units : {"raw", "scaled"} or None, default=None
        The units of sizes where the attack model gives no scale, as for `certify`. Everything else
        is in the units of X.
    n_named : int, default=3
        The sentence names at most this many single features, the cheapest.
    max_nodes, max_seconds_per_point : number or None
        Limits of the search for the cheapest attack of one row, as for `certify`.

    Returns
    -------
    explanation : Explanation, or list of Explanation
        A list if X has two dimensions. It has the `answer`, a `sentence`, the certificate
        (`radius`, `lower`, `upper`, `status`), the cheapest `attack` feature by feature, the row
        after it (`moved`), and for each feature the smallest change of that feature alone
        (`singles`).

    Notes
    -----
    Changes of single features are exact: every allowed value in between keeps the answer. For a
    model of this package, alone or from a file, this holds for its `predict`, to the last bit.
    Other models round; statements about them hold for their planes in exact arithmetic, with
    scalers multiplied in (see `certify`). Where such a model disagrees with exact arithmetic at the
    row itself, the status is "rounding" and nothing is said about single features; where it does at
    the row after the cheapest attack, that row is moved further, by at most one part in a million.

    Examples
    --------
    >>> import redoubt
    >>> X, y, names, _ = redoubt.datasets.load("diabetes")
    >>> model = redoubt.LinearSVMClassifier().fit(X, ["sick" if sign < 0 else "well" for sign in y])
    >>> rules = redoubt.AttackModel("l1", X.std(axis=0), frozen="Age", integer="Pregnancies")
    >>> result = redoubt.explain(model, X[0], attack_model=rules, feature_names=names)
    >>> result.sentence  # doctest: +ELLIPSIS
    "stays 'sick' unless Glucose falls by 18.3 or more, ... or the change as a whole has l1 size ..."
    >>> [move.feature for move in result.attack]
    ['Glucose']

    This is the least change of that feature; and it takes six pregnancies:

    >>> row = X[0].copy()
    >>> row[1] = result.singles[1].down_to
    >>> model.predict([X[0], row]).tolist()
    ['sick', 'well']
    >>> result.singles[0].down_to
    0.0
    """
    n_named = check_count("n_named", n_named, 0)
    if not (ranges is None or (isinstance(ranges, str) and ranges == "training")):
        raise ValueError(f"ranges: expected 'training' or None, got {ranges!r}")
    model, X, words = without_text(model, X)
    feature_names = words if feature_names is None else feature_names
    X = rows_for(model, X)
    if by_columns(model, X):
        limits = max_nodes, max_seconds_per_point
        return explain_model_table(model, X, norm, attack_model, ranges, units, n_named, limits)
    if is_sparse(X):
        options: dict[str, Any] = {"norm": norm, "attack_model": attack_model, "units": units}
        options |= {"ranges": ranges}
        options |= {"feature_names": feature_names, "n_named": n_named, "max_nodes": max_nodes}
        options |= {"max_seconds_per_point": max_seconds_per_point}
        if X.ndim == 1:
            return explain(model, X.toarray(), **options)
        X = as_points(X)
        parts = [explain(model, X[rows].toarray(), **options) for rows in row_blocks(X)]
        return [each for part in parts for each in part]
    X = features_of(model, X)
    norm, attack_model = choose_attack(model, norm, attack_model)
    seconds = check_seconds("max_seconds_per_point", max_seconds_per_point)
    search: dict[str, Any] = {"max_nodes": max_nodes, "max_seconds_per_point": seconds}
    if read_model(model).coding is not None:
        X, is_row = _as_table(X, object)
        attacked = read_attacked(model, X, units, attack_model, norm=norm)
        results = explain_table(attacked, n_named, search)
        return results[0] if is_row else results
    known: Any = _known_ranges(model) if ranges is not None and attack_model is None else None
    X, is_row = _as_table(X)
    attacked, names = _read(model, X, norm, attack_model, feature_names, units)
    decision, sign = attacked.decision, attacked.sign("explain")
    planes, answers = decision.for_library(sign), decision.answers(attacked.points)
    center, scale = np.zeros(decision.n_features), np.ones(decision.n_features)
    if isinstance(model, Model):
        planes, answers = model._model.class_vote or model.ensemble, attacked.own
        center, scale = model.center, model.scale
    found = _core.explain(
        planes,
        attacked.points,
        center=center,
        scale=scale,
        classes=[str(label) for label in attacked.classes[::sign]],
        feature_names=names,
        attack_model=attacked.attack_model.for_labels(
            attacked.points, answers, sign, len(attacked.classes)
        ),
        least=None if known is None else known[:, 0],
        greatest=None if known is None else known[:, 1],
        n_named=n_named,
        **search,
    )
    about: dict[str, Any] = {"norm": norm, "units": attacked.units}
    about["attack_model"] = None if attack_model is None else attacked.rules
    results = []
    for j, one in enumerate(found):
        own = answers[j] if attacked.own is None else attacked.own[j]
        about["answer"], about["row"] = attacked.classes[own], attacked.points[j]
        about["nearest"] = nearest_answer(one, attacked.classes[::sign])
        about["ranges"] = _widened(known, attacked.points[j])
        if own != answers[j]:
            results.append(_on_the_boundary(one, **about))
        else:
            results.append(_report(one, names, _Asker(model, X, attacked, own, j), **about))
    return results[0] if is_row else results


def _known_ranges(model):
    """The ranges of the training data, one row per feature; None if the model does not know them."""
    return model.ranges if isinstance(model, Model) else training_ranges(model, read_model(model))


def _widened(ranges, row):
    """The ranges, stretched over a row."""
    if ranges is None:
        return None
    return np.column_stack([np.minimum(ranges[:, 0], row), np.maximum(ranges[:, 1], row)])


def _as_table(X, dtype=np.float64):
    """X with two dimensions, and whether it had one."""
    if hasattr(X, "columns") or np.ndim(X) != 1:
        return X, False
    if hasattr(X, "iloc"):  # a row of a data frame keeps its names
        X = X.to_frame().T
        return _typed(X) if dtype is object else X.astype(dtype), True
    return np.asarray(X, dtype=dtype)[None, :], True


def _typed(X):
    """A row whose entries have types of their own; a missing one says nothing about its type."""
    typed = X.infer_objects()
    for place, value in enumerate(X.iloc[0].tolist()):
        if missing_key(value):
            typed.isetitem(place, X.iloc[:, place].where([value is None], np.nan).astype(object))
    return typed


def _read(model, X, norm, attack_model, names, units):
    """The points in raw units, with an attack model, and the names of the features."""
    if names is not None:
        names = [str(name) for name in names]
    rules = AttackModel(norm) if attack_model is None else attack_model
    if isinstance(rules, ResolvedAttackModel):
        linear = read_model(model)
        linear.need_own_features()
        if linear.factor is not None:
            rules, units = rules.unscaled(*linear.scaler()), "scaled"
    attacked = read_points(model, X, units, rules, names)
    n_features = attacked.decision.n_features
    names = feature_names(model, X) if names is None else names
    if names is None:
        names = [f"feature {l}" for l in range(n_features)]
    if len(names) != n_features:
        raise ValueError(f"feature_names: expected {n_features} names, got {len(names)}")
    return attacked, names


class _Asker:
    """The model's own answers near a row."""

    def __init__(self, model, X, attacked, answer, row):
        self._model, self._X, self._attacked, self._answer = model, X, attacked, answer
        self.point = attacked.points[row]
        self.rules = attacked.attack_model

    def is_exact(self):
        """Does the model answer as the library does?"""
        return self._attacked.own is None or isinstance(self._model, Model)

    def changes(self, moved):
        labels = self._model.predict(alike(self._X, moved[None, :]))
        return class_codes(labels, self._attacked.classes, None)[0] != self._answer


def _report(found, names, asker, **about):
    moves = _records(found, "attack", FeatureMove)
    moved, is_changed = found.moved, found.is_changed
    if not len(moved):
        moved = np.full(len(names), np.nan)
    elif not asker.is_exact():
        moved, is_changed = _push(moved, asker)
        moves = [_pushed(move, float(moved[move.feature])) for move in moves]
    singles = _records(found, "single", SingleChange)
    return Explanation(
        sentence=found.sentence,
        radius=found.radius,
        lower=found.lower,
        upper=found.upper,
        status=found.status,
        moved=moved,
        is_changed=bool(is_changed),
        attack=[move._replace(feature=names[move.feature]) for move in moves],
        singles=[
            one._replace(
                feature=names[one.feature],
                partner=None if one.partner < 0 else names[one.partner],
                goes_on=bool(one.goes_on),
            )
            for one in singles
        ],
        n_nodes=int(found.n_nodes),
        solve_seconds=found.solve_seconds,
        **about,
    )


def _records(found, name, kind):
    """The library's columns of this name as records, whose features are numbers."""
    columns = [getattr(found, f"{name}_{field}") for field in kind._fields]
    lists = [each if isinstance(each, list) else each.tolist() for each in columns]
    return [kind(*values) for values in zip(*lists, strict=True)]


def _push(moved, asker):
    """The row a little further on, where the model itself sees the change; or as it is."""
    if asker.changes(moved):
        return moved, True
    for push in PUSHES:
        step = pushed(asker.rules, asker.point, moved - asker.point, push)
        further = np.where(step == 0, asker.point, asker.point + step)
        further = np.where(asker.rules.free, further, moved)
        if asker.changes(further):
            return further, True
    return moved, False


def _pushed(move, after):
    if after == move.after:
        return move
    size = move.size * (after - move.before) / (move.after - move.before)
    return move._replace(after=after, size=size)


def _on_the_boundary(found, **about):
    """The model's own arithmetic sees the row on the other side of exact arithmetic."""
    return Explanation(
        sentence=f"is '{about['answer']}' within rounding of another answer",
        radius=0.0,
        lower=0.0,
        upper=found.upper,
        status="rounding",
        moved=np.full(len(about["row"]), np.nan),
        is_changed=False,
        attack=[],
        singles=[],
        n_nodes=int(found.n_nodes),
        solve_seconds=found.solve_seconds,
        **about,
    )
