"""Votes that are drawn: what is left of their expected accuracy under the worst attack."""

import numpy as np

from redoubt import _core
from redoubt._certificates.attacked_tables import read_attacked
from redoubt._certificates.curves import check_attack_radii
from redoubt._certificates.results import ExpectedAccuracy
from redoubt._certificates.search import Search
from redoubt._checks import number_list
from redoubt._models.arrow_rows import rows_for
from redoubt._models.own_adversary import choose_attack


def worst_expected_accuracy(
    model,
    X,
    y,
    attack_radii,
    *,
    norm=None,
    attack_model=None,
    solver="native",
    units=None,
    max_nodes=None,
    max_seconds_per_point=None,
    max_seconds=None,
    n_jobs=None,
):
    """Return the expected accuracy of a randomised vote under the worst attack.

    In a randomised vote one plane is drawn, with a probability in proportion to its weight, and
    answers alone. The adversary knows planes and weights, but not the draw: it moves the point to
    where the planes that answer wrongly weigh most.

    Parameters
    ----------
    model : Ensemble, Model or fitted classifier
        As for `certify`, for two classes. Planes without weights are drawn evenly.
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
        One entry per radius: `mean`, `balanced`, and `accuracy` of every point, each with a proven
        lower bound. They are equal unless a limit was reached.

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
    norm, attack_model = choose_attack(model, norm, attack_model)
    radii = number_list("attack_radii", attack_radii).reshape(-1)
    check_attack_radii(radii)
    X = rows_for(model, X)
    attacked = read_attacked(model, X, units, attack_model, norm=norm)
    rules = attacked.rules
    attacked = attacked.only_part("model")
    labels = attacked.encode(y, required=True)
    vote, sign = attacked.vote("model")
    limits = max_nodes, max_seconds_per_point, max_seconds
    search = Search(norm, solver, *limits, n_jobs, attacked.attack_model)
    settings = search.settings(attacked.points, labels, sign)
    signs = sign * (2.0 * labels - 1.0)
    found = _core.worst_expected_accuracy(
        vote.planes.ensemble(sign), attacked.points, signs, radii, **settings
    )
    present = [np.any(labels == c) for c in (0, 1)][::sign]
    return ExpectedAccuracy(
        radii=radii,
        mean=found.mean,
        mean_lower=found.mean_lower,
        balanced=found.class_mean[:, present].mean(axis=1),
        balanced_lower=found.class_lower[:, present].mean(axis=1),
        accuracy=found.accuracy,
        lower=found.lower,
        norm=norm,
        units=attacked.units,
        attack_model=rules,
    )
