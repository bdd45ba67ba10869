"""One answer in people's terms: what would have to change, feature by feature."""

import numpy as np

from redoubt import _core
from redoubt._attack_models import AttackModel, ResolvedAttackModel, choose_norm
from redoubt._checks import check_count, check_seconds
from redoubt._explanation import Explanation, FeatureMove, SingleChange
from redoubt._flips import oriented
from redoubt._forms import Vote
from redoubt._model import Model
from redoubt._problem import alike, class_codes, feature_names, read_problem
from redoubt._witness import PUSHES, pushed

__all__ = ["explain"]


def explain(
    model,
    X,
    *,
    norm=None,
    attack_model=None,
    feature_names=None,
    units="raw",
    n_named=3,
    max_nodes=None,
    max_seconds_per_point=None,
):
    """Return what would have to change for the model to answer otherwise.

    Parameters
    ----------
    model : Ensemble, Model or fitted classifier
        As for `certify`, for two classes.
    X : array-like of shape (n_features,), or array-like or data frame of shape (n_samples, n_features)
        One row or several, in the model's own units.
    norm : {"l1", "l2", "linf"} or None, default=None
        How a move is measured. None is the attack model's norm, or "l2".
    attack_model : AttackModel or None, default=None
        What may change, in the units of X, as for `certify`. None: everything. The answer counts as
        the label: if a class attacks, rows that are answered otherwise do not change at all.
    feature_names : list of str or None, default=None
        None: those of X, or else those that the model knows.
    units : {"raw", "scaled"}, default="raw"
        What sizes are measured in where the attack model gives no scale, as for `certify`.
        Everything else is in the units of X.
    n_named : int, default=3
        The sentence names at most this many single features, the cheapest.
    max_nodes, max_seconds_per_point : number or None
        Limits of the search for the cheapest attack of one row, as for `certify`.

    Returns
    -------
    explanation : Explanation, or list of Explanation
        A list if X has two dimensions. With `answer`, `sentence`, the certificate (`radius`,
        `lower`, `upper`, `status`), the cheapest `attack` feature by feature, the row after it
        (`moved`), and for every feature the least change of it alone (`singles`).

    Notes
    -----
    Single changes are exact: every allowed value in between keeps the answer. For a model of this
    package, alone or from a file, this is so for its `predict`, to the last bit. Other models
    round; what is said of them holds for their planes in exact arithmetic, with scalers multiplied
    in (see `certify`). Where such a model disagrees with exact arithmetic at the row itself, the
    status is "rounding" and nothing is said of single features; where it does at the row after the
    cheapest attack, that row is pushed on by a millionth of the move at most.

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
    norm = choose_norm(attack_model, norm)
    n_named = check_count("n_named", n_named, 0)
    X, is_row = _as_table(X)
    problem, names = _read(model, X, norm, attack_model, feature_names, units)
    sign = 1 if problem.form.planes.tie[0] else -1  # the library answers zero with +1
    is_file = isinstance(model, Model)
    answers = problem.own if is_file else problem.form.answers(problem.points)
    n_features = problem.form.n_features
    found = _core.explain(
        model.ensemble if is_file else oriented(problem.form, sign, problem.form.tie == (sign > 0)),
        problem.points,
        center=model.center if is_file else np.zeros(n_features),
        scale=model.scale if is_file else np.ones(n_features),
        classes=[str(label) for label in problem.classes[::sign]],
        feature_names=names,
        norm=norm,
        attack_model=problem.attack_model.for_labels(problem.points, answers, sign),
        n_named=n_named,
        max_nodes=max_nodes,
        max_seconds_per_point=check_seconds("max_seconds_per_point", max_seconds_per_point),
    )
    about = {"norm": norm, "units": problem.units, "attack_model": attack_model}
    if isinstance(attack_model, ResolvedAttackModel):
        about["attack_model"] = attack_model.model
    results = []
    for j, one in enumerate(found):
        own = answers[j] if problem.own is None else problem.own[j]
        about["answer"], about["row"] = problem.classes[own], problem.points[j]
        if own != answers[j]:
            results.append(_on_the_boundary(one, **about))
        else:
            results.append(_report(one, names, _Asker(model, X, problem, own, j), **about))
    return results[0] if is_row else results


def _as_table(X):
    """X with two dimensions, and whether it had one."""
    if np.ndim(X) != 1:
        return X, False
    if hasattr(X, "iloc"):  # a row of a data frame keeps its names
        return X.to_frame().T.astype(np.float64), True
    return np.asarray(X, dtype=np.float64)[None, :], True


def _read(model, X, norm, attack_model, names, units):
    """The problem in raw units, with an attack model, and the names of the features."""
    if names is not None:
        names = [str(name) for name in names]
    rules = AttackModel(norm) if attack_model is None else attack_model
    problem = read_problem(model, X, units, rules, names)
    if not isinstance(problem.form, Vote):
        raise NotImplementedError(
            f"explain: expected a model of two classes, got {len(problem.classes)}; redoubt.certify "
            "has the least moves of models of several classes"
        )
    if problem.unscale is not None:
        raise ValueError(
            "attack_model: one that an estimator has resolved is in the units after the scalers; "
            "explain needs an AttackModel in the units of X"
        )
    ties = problem.form.planes.tie
    if ties.any() and not ties.all():
        raise NotImplementedError(
            "explain: expected planes that answer zero alike, but some members of this vote are of "
            "LIBSVM (SVC, NuSVC) and some are not; redoubt.certify takes them"
        )
    n_features = problem.form.n_features
    names = feature_names(model, X) if names is None else names
    if names is None:
        names = [f"feature {l}" for l in range(n_features)]
    if len(names) != n_features:
        raise ValueError(f"feature_names: expected {n_features} names, got {len(names)}")
    return problem, names


class _Asker:
    """The model's own answers near a row."""

    def __init__(self, model, X, problem, answer, row):
        self._model, self._X, self._problem, self._answer = model, X, problem, answer
        self.point = problem.points[row]
        self.rules = problem.attack_model

    def is_exact(self):
        """Does the model answer as the library does?"""
        return self._problem.own is None or isinstance(self._model, Model)

    def changes(self, moved):
        labels = self._model.predict(alike(self._X, moved[None, :]))
        return class_codes(labels, self._problem.classes, None)[0] != self._answer


def _report(found, names, asker, **about):
    attack = [
        FeatureMove(names[move.feature], move.before, move.after, move.size, move.share)
        for move in found.attack
    ]
    moved, is_changed = found.moved, found.is_changed
    if not len(moved):
        moved = np.full(len(names), np.nan)
    elif not asker.is_exact():
        moved, is_changed = _push(moved, asker)
        attack = [
            move._replace(
                after=float(moved[each.feature]), size=_pushed_size(each, moved[each.feature])
            )
            for move, each in zip(attack, found.attack, strict=True)
        ]
    return Explanation(
        sentence=found.sentence,
        radius=found.radius,
        lower=found.lower,
        upper=found.upper,
        status=found.status,
        moved=moved,
        is_changed=bool(is_changed),
        attack=attack,
        singles=[
            SingleChange(
                names[one.feature],
                one.before,
                one.up_to,
                one.down_to,
                one.up_size,
                one.down_size,
                None if one.partner < 0 else names[one.partner],
                one.goes_on,
            )
            for one in found.singles
        ],
        n_nodes=found.n_nodes,
        solve_seconds=found.solve_seconds,
        **about,
    )


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


def _pushed_size(move, after):
    if after == move.after:
        return move.size
    return move.size * (after - move.before) / (move.after - move.before)


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
        n_nodes=found.n_nodes,
        solve_seconds=found.solve_seconds,
        **about,
    )
