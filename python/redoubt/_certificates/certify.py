"""Exact certificates and attacks for votes of planes and for fitted linear models."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from redoubt import _core
from redoubt._attack_models import AttackModel
from redoubt._certificates.attacked_points import units_of_rules
from redoubt._certificates.attacked_tables import read_attacked
from redoubt._certificates.attacks import (
    check_adversary,
    check_radius_count,
    class_columns,
    joined_columns,
    vote_columns,
)
from redoubt._certificates.curves import check_attack_radii
from redoubt._certificates.moved_tables import LaterRows, MovedRows, MovedTable
from redoubt._certificates.proofs import Proofs
from redoubt._certificates.reporting import report, report_table
from redoubt._certificates.results import Attacks, Certificates
from redoubt._certificates.search import Flips, Search, certify_decision, forget_moves
from redoubt._certificates.single_rows import certify_row, prepare_rows
from redoubt._certificates.sparse import in_blocks, joined, wants_witness
from redoubt._certificates.tables import attack_table, by_columns, certify_table, features_of
from redoubt._certificates.witnesses import push_witnesses, wanted_answers
from redoubt._checks import number_list, per_row, thread_count
from redoubt._models.arrow_rows import rows_for
from redoubt._models.decision_rules import ArgMax, is_near
from redoubt._models.linear_model import read_model
from redoubt._models.own_adversary import choose_attack
from redoubt._models.sparse_points import as_points, is_sparse, n_rows
from redoubt._pipelines.text import without_text
from redoubt._typing import Adversary, FittedModel, Labels, Norm, Rows, Rule, Solver, Units

_NO_LIMITS = None, None, None


def certify(
    model: FittedModel,
    X: Rows,
    y: Labels = None,
    *,
    target: Any = None,
    norm: Norm | None = None,
    attack_model: AttackModel | None = None,
    solver: Solver = "native",
    units: Units | None = None,
    max_nodes: int | None = None,
    max_seconds_per_point: float | None = None,
    max_seconds: float | None = None,
    n_jobs: int | None = None,
    witness: bool | None = None,
    proofs: bool = False,
) -> Certificates:
    """Return how far each point can move before the model changes its answer.

    Parameters
    ----------
    model : Ensemble, Model or fitted classifier
        An Ensemble (a vote of planes, with labels -1 and +1), a model file, a classifier of this
        package, or one of scikit-learn: LinearSVC, SVC and NuSVC with ``kernel="linear"``,
        LogisticRegression, SGDClassifier, Perceptron, PassiveAggressiveClassifier, RidgeClassifier,
        LinearDiscriminantAnalysis, MultinomialNB, ComplementNB, BernoulliNB, NearestCentroid,
        OneVsRestClassifier around those; for
        two classes, trees of depth 1; VotingClassifier with ``voting="hard"``, AdaBoostClassifier
        and BaggingClassifier with members of these kinds (in a BaggingClassifier without
        `predict_proba`: scikit-learn would average probabilities, which is not a vote);
        FixedThresholdClassifier, TunedThresholdClassifierCV and
        ``CalibratedClassifierCV(ensemble=False)`` around one plane; a search such as GridSearchCV
        over these; or a Pipeline of one of these with steps such as scalers, encoders, imputers,
        PCA, selectors and ColumnTransformer. The page "Pipelines and tables" has the complete list.
    X : array-like, sparse matrix, data frame or Arrow table of shape (n_samples, n_features)
        What the model's `predict` takes, including text and missing values if the model has
        encoders and imputers; everything below then refers to the columns of this table. Sparse
        matrices stay sparse for votes against a ball, and are expanded in blocks of rows otherwise.
        An Arrow table is anything with `__arrow_c_stream__` or `__arrow_c_array__`, for example
        from pyarrow or duckdb; its columns are matched by name.
    y : array-like of shape (n_samples,) or None
        Labels of the model. A point with a wrong answer has a negative radius: minus the size of
        the smallest move that makes it right. Without labels every answer counts as right.
    target : label, array-like of shape (n_samples,) or None, default=None
        Certify the smallest moves to this class, or to one class for each row: the radius is >= 0,
        and 0 if this is the answer already. `y` then only says who attacks.
    norm : {"l1", "l2", "linf", "l0"} or None, default=None
        The norm that measures moves. None is the attack model's norm, or else the model's own: that
        of the estimator (the last step of a Pipeline, or what a search chose) or of the model file;
        "l2" for a model without one.
    attack_model : AttackModel or None, default=None
        What the adversary may do, in the units of X: scales, frozen and one-directional features,
        ranges, integers, one-hot groups, the class that attacks. None is the model's own, if it has
        one, in the units that it was made for; the plain ball is ``AttackModel(norm)``.
    solver : {"native", "mip", "enumerate"}, default="native"
        The exact search, or one of two slow second opinions: the integer program of the source
        paper on HiGHS (needs the package highspy), or the enumeration of all subsets of at most 16
        planes.
    units : {"raw", "scaled"} or None, default=None
        For a model with scalers (a Pipeline, a model file): measure moves in the units of X, or
        after the scalers. None is "scaled" for a model file, as in the `redoubt` program, and "raw"
        otherwise (a RadiusSearchCV has `units` of its own). For a model of a table with categories
        or missing values, None is "scaled" if there is no attack model: numbers are measured by
        their scalers, and a switch of category costs 1. An attack model is always in the units of
        X; for features without a scale, `units` says whether radius 1 is one unit of X or one
        scaled unit.
    max_nodes, max_seconds_per_point, max_seconds : number or None
        Limits per point, per point, and for the whole call. If a limit is reached, the status says
        so, and the bracket is wide but valid.
    n_jobs : int or None
        Threads; -1 uses every core. The result does not depend on it.
    witness : bool or None, default=None
        Keep the moves that change the answers. None keeps them for dense X, and for sparse X in
        "l1" and "l0", where few features move; they are then sparse, too. With many features,
        brackets alone are far cheaper; they hold for moves of real numbers, whether or not these
        are rounded to doubles.
    proofs : bool, default=False
        Record why the proven end of each bracket holds, for `Certificates.proof` and
        `Certificates.save_proofs`. Votes of two classes or more, under any attack model.

    Returns
    -------
    certificates : Certificates
        Arrays with one entry per point: `radius` (signed), the proven bracket `lower` and `upper`,
        `witness` (the move of X that changes the answer; NaN if none is known), `status`, `fooled`
        (planes that the witness fools), `prediction`, `n_nodes` and `solve_seconds`. Tables have
        `moved` (the rows after the moves) and `scale` (the meaning of radius 1) in place of
        `witness`.

    Notes
    -----
    A certificate is a statement about the model's planes in exact arithmetic, with the model's own
    answer on the planes themselves (scikit-learn: ``classes_[0]``, LIBSVM: ``classes_[1]``). The
    model's `predict` may round, and within its rounding error of the boundary it may answer
    differently. Where it does so at a point of X, the radius is 0 with the sign that fits the
    model's own answer, and the status is "rounding".

    With ``units="raw"`` scalers are multiplied into the planes. Each number of the result is
    rounded once to a double, with a relative error of about 1e-16, so the boundary moves by no more
    than the pipeline's own rounding. With ``units="scaled"`` the planes are used as they are.

    The plane of a tree of depth 1 lies between two doubles, so that its answers equal those of the
    tree at every double. If a vote contains the same split in both directions, both trees give the
    same answer on that plane, where there is no double: the bracket may then extend from there to
    the true radius, with the status "numerical failure".

    With an attack model, the radius is the size of the smallest move that obeys its rules, and the
    witness obeys them: frozen features are identical to the last bit. Scalers are always multiplied
    into the planes, so integers are integers of X. A model that rounds may not see the witness on
    the other side of the boundary; the witness is then extended, by at most one part in a million
    and as far as the rules allow, until the model's own `predict` changes.

    With more than two classes the answer is the class of the greatest score, and `nearest` is the
    class on the other side. A right answer changes where the first rival draws level; a wrong one
    becomes right where its label beats every rival at once. Both are exact, for single planes and
    for votes (differences of two planes are rounded once, as above). Where votes of several rivals
    count at once, the search for one point ends after 20,000 nodes, with the status "node limit"
    and a valid bracket.

    Examples
    --------
    >>> import redoubt
    >>> vote = redoubt.Ensemble([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0.0, 0.0, -1.0])
    >>> result = redoubt.certify(vote, [[3.0, 4.0]], norm="l2")
    >>> float(result.radius[0].round(6))
    4.242641
    >>> result.fooled[0]
    [0, 2]

    A pipeline of scikit-learn, in the units of X and after scaling:

    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = [[0.0, 10.0], [1.0, 40.0], [3.0, 20.0], [4.0, 50.0]], ["no", "no", "yes", "yes"]
    >>> model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    >>> raw = redoubt.certify(model, X, y)
    >>> model.predict(X + 1.000001 * raw.witness).tolist()
    ['yes', 'yes', 'no', 'no']
    >>> scaled = redoubt.certify(model, X, y, units="scaled")
    >>> bool((scaled.radius < raw.radius).all())
    True

    A table with text and missing values; a switch of job costs 1, and so does one standard
    deviation of income:

    >>> import pandas as pd
    >>> from sklearn.compose import make_column_transformer
    >>> from sklearn.impute import SimpleImputer
    >>> from sklearn.preprocessing import OneHotEncoder
    >>> table = pd.DataFrame(
    ...     {"income": [1.0, 2.0, None, 4.0], "job": ["cook", "cook", "nurse", "nurse"]}
    ... )
    >>> columns = make_column_transformer(
    ...     (make_pipeline(SimpleImputer(), StandardScaler()), ["income"]),
    ...     (OneHotEncoder(), ["job"]),
    ... )
    >>> bank = make_pipeline(columns, LogisticRegression()).fit(table, y)
    >>> result = redoubt.certify(bank, table, y, norm="l1")
    >>> result.moved["job"].tolist()
    ['nurse', 'nurse', 'cook', 'cook']
    >>> bank.predict(result.moved).tolist()
    ['yes', 'yes', 'no', 'no']

    The first feature is a count, and the second cannot change, so the witness takes whole steps:

    >>> rules = redoubt.AttackModel(integer=[0], frozen=[1])
    >>> result = redoubt.certify(model, X, y, attack_model=rules)
    >>> result.witness.tolist()
    [[3.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [-3.0, 0.0]]
    >>> model.predict(X + result.witness).tolist()
    ['yes', 'yes', 'no', 'no']
    """
    limits = max_nodes, max_seconds_per_point, max_seconds
    given = norm, id(attack_model), units
    own = None
    thread_count(n_jobs)  # raises
    if target is None and limits == _NO_LIMITS and solver == "native" and not proofs:
        found, own = certify_row(model, X, y, norm, attack_model, units)
        if found is not None:
            return found
    if proofs and solver != "native":
        raise ValueError(f"proofs: expected solver='native', got solver={solver!r}")
    model, X, _ = without_text(model, X)
    if proofs and target is not None:
        raise ValueError("proofs: expected certificates of labels, got those of a target")
    X = rows_for(model, X)
    if by_columns(model, X):
        options = _search_options(solver, limits, n_jobs)
        return certify_table(model, X, y, target, norm, attack_model, units, options, proofs)
    X = features_of(model, X)
    norm, attack_model = choose_attack(model, norm, attack_model)
    wanted = wants_witness(witness, norm, is_sparse(X))
    if is_sparse(X):
        X = as_points(X)
        if proofs:
            X = X.toarray()
        elif not _is_vote_in_ball(model, X, units, attack_model, solver):
            targets = per_row("target", target, n_rows(X))

            def solve(X, y, targets, max_seconds):
                options = {"norm": norm, "attack_model": attack_model, "solver": solver}
                options |= {"target": targets}
                options |= {"units": units, "max_nodes": max_nodes, "n_jobs": n_jobs}
                options |= {"max_seconds_per_point": max_seconds_per_point, "witness": wanted}
                return certify(model, X, y, max_seconds=max_seconds, **options)

            parts = in_blocks(
                solve, X, y, lambda rows: None if targets is None else targets[rows], max_seconds
            )
            return joined(parts, "witness")
    attacked = read_attacked(model, X, units, attack_model, norm=norm, own=own)
    labels, targets = attacked.encode(y), attacked.encode_target(target)
    search = Search(norm, solver, *limits, n_jobs, attacked.attack_model)
    search.witness = wanted or not _is_vote_in_ball(model, X, units, attack_model, solver)
    if proofs:
        search.proofs = Proofs(attacked.n_rows)
    flips, after = certify_parts(attacked, labels, search, targets)
    if not wanted:
        flips.witness = None
    if attacked.unscale is not None and wanted:
        flips.witness = flips.witness * attacked.unscale
    more = {"proofs": search.proofs.finished(flips.status)} if proofs else {}
    if after is not None:
        if attacked.n_rows == 1:
            prepare_rows(attacked, given)
        return report_table(attacked, flips, after, search, labels, targets, **more)
    if targets is not None:
        more["target"] = attacked.classes[targets]
    more["attack_model"] = attacked.rules
    return report(
        flips, labels, search, attacked.units, attacked.classes, attacked.own, **more
    )


def _search_options(solver, limits, n_jobs):
    names = ("max_nodes", "max_seconds_per_point", "max_seconds")
    return {"solver": solver, "n_jobs": n_jobs} | dict(zip(names, limits, strict=True))


def _is_vote_in_ball(model, X, units, attack_model, solver):
    """Can the library's search take the points as they are, with or without witnesses?

    In a ball, and where changes are counted.
    """
    counts = isinstance(attack_model, AttackModel) and attack_model.norm == "l0"
    if (attack_model is not None and not counts) or solver != "native":
        return False
    linear = read_model(model)
    if linear.coding is not None or linear.form is not None:
        return False
    if linear.factor is not None and not counts and units_of_rules(model, units, None) == "scaled":
        return False
    return isinstance(linear.decision, ArgMax) or linear.decision.tie_of_planes is not None


def certify_parts(attacked, labels, search, target=None):
    """Signed flips of all points and, of a table, the rows after the witnesses, coded."""
    flips = after = None
    for rows, part, decode in attacked.parts():
        mine = None if labels is None else labels[rows]
        aims = None if target is None else target[rows]
        here = search if part.attack_model is None else search.against(part.attack_model)
        if here.proofs is not None:
            here = here.on_rows(np.arange(attacked.n_rows)[rows])
        found = certify_decision(part.decision, part.points, mine, here, part.own, aims)
        can_push = part.attack_model is not None and here.norm != "l0"  # a longer move of one feature
        if can_push and part.own is not None and decode is None:
            push_witnesses(found, part, wanted_answers(part.own, mine, aims), here)
        if part.own is not None and (part.own != found.answer).any():
            _check_reading(found, part)
            _admit_rounding(found, mine, part.own, aims)
        if decode is None:
            return found, None
        if len(rows) == 1 == attacked.n_rows:
            return found, LaterRows(decode, found.witness)
        known, moved = found.has_witness(), decode(found.witness)
        found.witness = found.witness[:, :0]
        if flips is None:
            flips, after = Flips.blank(attacked.own, 0), MovedRows.blank(attacked.rows)
        after.put(rows, moved, known)
        flips.put(rows, found)
    if flips is None:  # no rows
        flips, after = Flips.blank(attacked.own, 0), MovedRows.blank(attacked.rows)
    return flips, after


def _check_reading(flips, part):
    """Raise where the model's own answer is another one, and not for rounding alone."""
    rows = np.flatnonzero(part.own != flips.answer)
    if len(rows) and not is_near(part.decision, part.points[rows]).all():
        raise ValueError(
            "model: its predict gives another answer than its parts as they were read, by more than "
            "rounding; does a step override a method?"
        )


def _admit_rounding(flips, labels, own, target):
    """Where the model's own arithmetic sees the point across the boundary, R is 0 up to rounding."""
    wanted = labels if target is None else target
    right = np.ones(len(own), dtype=bool) if wanted is None else wanted == own
    differs = own != flips.answer
    if wanted is not None:
        differs &= right | (wanted == flips.answer)  # wrong either way: the distance stands
    rows = np.flatnonzero(differs)
    width = np.maximum(np.abs(flips.lower[rows]), np.abs(flips.upper[rows]))
    flips.lower[rows], flips.upper[rows] = -width if target is None else 0.0, width
    flips.radius[rows] = np.where(right[rows] | (target is not None), 0.0, -0.0)
    if flips.witness is not None:
        forget_moves(flips.witness, rows)
    flips.moved_answer[rows] = -1
    flips.closed[rows] = False
    flips.status[rows] = "rounding"
    for row in rows:
        flips.fooled[row] = []


def attack(
    model: FittedModel,
    X: Rows,
    y: Labels,
    radius: ArrayLike,
    *,
    norm: Norm | None = None,
    attack_model: AttackModel | None = None,
    adversary: Adversary = "exact",
    rule: Rule = "corrected",
    solver: Solver = "native",
    units: Units | None = None,
    max_nodes: int | None = None,
    max_seconds_per_point: float | None = None,
    max_seconds: float | None = None,
    n_jobs: int | None = None,
) -> Attacks:
    """Return the worst move of each point within a ball.

    Parameters
    ----------
    model : Ensemble, Model or fitted classifier
        As for `certify`.
    X : array-like, sparse matrix, data frame or Arrow table of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of the model.
    radius : float or array-like of shape (n_samples,)
        The radius of the ball, >= 0.
    norm : {"l1", "l2", "linf", "l0"} or None, default=None
        None is the attack model's norm, or the model's own, as for `certify`.
    attack_model : AttackModel or None, default=None
        What the adversary may do, in the units of X, as for `certify`. `radius` is the size of its
        moves. Points of a class that does not attack stay where they are.
    adversary : {"exact", "relaxed", "heuristic"}, default="exact"
        "exact" fools planes of the greatest weight; "relaxed" maximises the weighted sum of hinges;
        "heuristic" takes one step against a weighted mean of the planes. With more than two classes
        only "exact" is available: the smallest move that changes the answer, if it lies in the
        ball, and no move otherwise.
    rule : {"corrected", "published"}, default="corrected"
        The heuristic adversary's step: corrected, or as in the source paper's code.
    units : {"raw", "scaled"} or None, default=None
        The units of `radius`, as for `certify`. The moves are always moves of X itself.
    solver, max_nodes, max_seconds_per_point, max_seconds, n_jobs
        As for `certify`.

    Returns
    -------
    attacks : Attacks
        Arrays with one entry per point: `perturbation`, `fooled`, `success` (the answer after the
        move is not y, in exact arithmetic), `objective` with a proven `bound`, `status`, `n_nodes`,
        `solve_seconds`.

    Examples
    --------
    >>> import redoubt
    >>> vote = redoubt.Ensemble([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0.0, 0.0, -1.0])
    >>> redoubt.attack(vote, [[3.0, 4.0]], [1], radius=4.3).success.tolist()
    [True]
    >>> redoubt.attack(vote, [[3.0, 4.0]], [1], radius=4.2).success.tolist()
    [False]
    """
    limits = max_nodes, max_seconds_per_point, max_seconds
    model, X, _ = without_text(model, X)
    X = rows_for(model, X)
    if by_columns(model, X):
        options = _search_options(solver, limits, n_jobs)
        return attack_table(
            model, X, y, radius, norm, attack_model, units, options, adversary, rule
        )
    X = features_of(model, X)
    norm, attack_model = choose_attack(model, norm, attack_model)
    radii = number_list("radius", radius)
    if is_sparse(X):

        def solve(X, y, radii, max_seconds):
            options = {"norm": norm, "attack_model": attack_model, "solver": solver}
            options |= {"units": units, "max_nodes": max_nodes, "n_jobs": n_jobs}
            options |= {"max_seconds_per_point": max_seconds_per_point}
            options |= {"adversary": adversary, "rule": rule, "max_seconds": max_seconds}
            return attack(model, X, y, radii, **options)

        check_radius_count(radii, X.shape[0])
        parts = in_blocks(
            solve, X, y, lambda rows: radii if len(radii) == 1 else radii[rows], max_seconds
        )
        return joined(parts, "perturbation")
    attacked = read_attacked(model, X, units, attack_model, norm=norm)
    labels = attacked.encode(y, required=True)
    search = Search(norm, solver, *limits, n_jobs, attacked.attack_model)
    check_adversary(attacked.decision, adversary, len(attacked.classes))
    check_radius_count(radii, attacked.n_rows)
    found, after = [], None
    for rows, part, decode in attacked.parts():
        radii_here = radii if len(radii) == 1 else radii[rows]
        here = search if part.attack_model is None else search.against(part.attack_model)
        if isinstance(part.decision, ArgMax):
            columns = _attack_argmax(part, labels[rows], radii_here, here)
        else:
            columns = _attack_vote(part, labels[rows], radii_here, here, adversary, rule)
        if decode is not None:
            after = MovedRows.blank(attacked.rows) if after is None else after
            after.put(rows, decode(columns.pop("perturbation")), np.ones(len(rows), dtype=bool))
            columns["row"] = rows
        found.append(columns)
    columns = found[0] if after is None else joined_columns(found)
    if after is not None:
        columns |= {"perturbation": None, "table": MovedTable(attacked, after)}
        columns["scale"] = attacked.scales()
    elif attacked.unscale is not None:
        columns["perturbation"] = columns["perturbation"] * attacked.unscale
    return Attacks(**columns, norm=norm, units=attacked.units, attack_model=attacked.rules)


def _attack_vote(attacked, labels, radii, search, adversary, rule):
    vote, X = attacked.decision, attacked.points
    sign = 1 if vote.planes.tie[0] else -1  # the search answers zero with +1
    settings = search.settings(X, labels, sign) | {"adversary": adversary, "rule": rule}
    signs = sign * (2.0 * labels - 1.0)
    found = _core.attack(vote.planes.ensemble(sign), X, signs, radii, **settings)
    # Not the search's own verdict: this model may answer ties in another way.
    success = vote.answers(X + found.perturbation) != labels
    return vote_columns(found, success, vote.unit)


def _attack_argmax(attacked, labels, radii, search):
    decision, X = attacked.decision, attacked.points
    check_attack_radii(radii)
    answer = decision.answers(X)
    right = answer == labels
    flips, sizes = Flips.blank(answer, X.shape[1]), np.full(len(X), np.inf)
    if right.any():
        flips.put(right, certify_decision(decision, X[right], labels[right], search))
    known = right & flips.has_witness()
    sizes[known] = search.move_sizes(X[known], flips.witness[known])
    return class_columns(flips, right, radii, sizes)
