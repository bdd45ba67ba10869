"""Votes that are drawn: what is left of their expected accuracy under the worst attack."""

import numpy as np
from numpy.typing import ArrayLike

from redoubt import _core
from redoubt._attack_models import AttackModel
from redoubt._certificates.attacked_tables import read_attacked
from redoubt._certificates.curves import check_attack_radii
from redoubt._certificates.results import ExpectedAccuracy
from redoubt._certificates.search import Search, share_of_seconds
from redoubt._certificates.tables import ModelTable, by_columns, features_of
from redoubt._checks import number_list
from redoubt._models.arrow_rows import rows_for
from redoubt._models.own_adversary import choose_attack
from redoubt._typing import FittedModel, Labels, Norm, Rows, Solver, Units


def worst_expected_accuracy(
    model: FittedModel,
    X: Rows,
    y: Labels,
    attack_radii: ArrayLike,
    *,
    norm: Norm | None = None,
    attack_model: AttackModel | None = None,
    solver: Solver = "native",
    units: Units | None = None,
    max_nodes: int | None = None,
    max_seconds_per_point: float | None = None,
    max_seconds: float | None = None,
    n_jobs: int | None = None,
) -> ExpectedAccuracy:
    """Return the expected accuracy of a randomised vote under the worst attack.

    In a randomised vote one plane is drawn, with a probability proportional to its weight, and
    answers alone. The adversary knows the planes and the weights, but not the draw, and moves the
    point to where the planes with wrong answers weigh most.

    Parameters
    ----------
    model : Ensemble, Model or fitted classifier
        As for `certify`, for two classes. Planes without weights are equally likely.
    X : array-like or data frame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of the model.
    attack_radii : float or array-like of shape (n_radii,)
        How far the adversary may move a point, >= 0.
    norm, attack_model, solver, units
        As for `attack`.
    max_nodes, max_seconds_per_point, max_seconds : number or None
        Limits for one point at one radius, and for all points at one radius.
    n_jobs : int or None
        Threads; -1 uses every core. The result does not depend on it.

    Returns
    -------
    scores : ExpectedAccuracy
        One entry per radius: `mean`, `balanced`, and the `accuracy` of every point, each with a
        proven lower bound, which is equal to it unless a limit was reached.

    Examples
    --------
    >>> import redoubt
    >>> vote = redoubt.Ensemble([[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0], weights=[1.0, 3.0])
    >>> scores = redoubt.worst_expected_accuracy(vote, [[3.0, 4.0]], [1], [0.0, 3.5, 4.5])
    >>> scores.mean.tolist()
    [1.0, 0.75, 0.25]

    At radius 5.5 one move fools both:

    >>> redoubt.worst_expected_accuracy(vote, [[3.0, 4.0]], [1], 5.5).mean.tolist()
    [0.0]
    """
    radii = number_list("attack_radii", attack_radii).reshape(-1)
    check_attack_radii(radii)
    X = rows_for(model, X)
    limits = max_nodes, max_seconds_per_point, max_seconds
    if by_columns(model, X):
        table = ModelTable(model, X, norm, attack_model, units)
        labels, norm = table.labels(y), table.norm
        search = Search(norm, solver, *limits, n_jobs)
        found = table.expected_accuracies(labels, radii, search)
        about = {"units": table.units, "attack_model": table.attack_model}
    else:
        norm, attack_model = choose_attack(model, norm, attack_model)
        attacked = read_attacked(model, features_of(model, X), units, attack_model, norm=norm)
        labels = attacked.encode(y, required=True)
        search = Search(norm, solver, *limits, n_jobs, attacked.attack_model)
        found = _expected_accuracies(attacked, labels, radii, search)
        about = {"units": attacked.units, "attack_model": attacked.rules}
    scores = [np.empty((len(radii), len(labels))) for _ in ("accuracy", "lower")]
    for rows, *values in found:
        for score, part in zip(scores, values, strict=True):
            score[:, rows] = part
    classes = [labels == c for c in (0, 1) if np.any(labels == c)]
    accuracy, lower = scores
    mean, mean_lower = (score.mean(axis=1) for score in scores)
    balanced, balanced_lower = (
        np.mean([score[:, chosen].mean(axis=1) for chosen in classes], axis=0) for score in scores
    )
    return ExpectedAccuracy(
        radii=radii,
        mean=mean,
        mean_lower=mean_lower,
        balanced=balanced,
        balanced_lower=balanced_lower,
        accuracy=accuracy,
        lower=lower,
        norm=norm,
        **about,
    )


def _expected_accuracies(attacked, labels, radii, search):
    """(rows, accuracies, their lower bounds), a few rows at a time."""
    _, sign = attacked.vote("model")
    for rows, part, _ in attacked.parts():
        mine = labels[rows]
        here = search if part.attack_model is None else search.against(part.attack_model)
        settings = here.settings(part.points, mine, sign)
        settings["max_seconds"] = share_of_seconds(search, len(mine), len(labels))
        found = _core.worst_expected_accuracy(
            part.decision.planes.ensemble(sign),
            part.points,
            sign * (2.0 * mine - 1.0),
            radii,
            **settings,
        )
        yield rows, found.accuracy, found.lower
