"""radius="auto": the rule, and what the library chose."""

import numpy as np

from redoubt import _core

FACTORS = _core.RADIUS_FACTORS  # in natural scales
CAPPED_SCALES = 3

_SCORES = ("balanced_accuracy", "standard_error", "certified_radius")
_COLUMNS = ("candidate_radius", "candidate_planes", *_SCORES)


def mean_radius(lower, labels, cap):
    """The mean of the classes' mean signed radii, where single points count up to `cap`."""
    lower, labels = np.clip(lower, -cap, cap), np.asarray(labels)
    return float(np.mean([lower[labels == label].mean() for label in np.unique(labels)]))


def as_choice(found):
    """What the library found, as a dict of plain values."""
    names = ("radius", "n_planes", "scale", "n_points", "n_folds", "candidate_folds", *_COLUMNS)
    choice = {name: getattr(found, name) for name in names}
    choice |= {name: int(choice[name]) for name in ("n_planes", "n_points", "n_folds")}
    return choice | {name: float(choice[name]) for name in ("radius", "scale")}


def choice_record(choice):
    """What a model file keeps of a choice: a table of the candidates, and the scale."""
    if choice is None:
        return {}
    rows = None
    if choice["n_folds"]:
        rows = np.column_stack([choice[name] for name in _COLUMNS])
        best = (rows[:, 0] == choice["radius"]) & (rows[:, 1] == choice["n_planes"])
        rows = np.column_stack([rows, best])
    return {"choice": rows, "scale_of_data": choice["scale"]}


def choices_by_class(found, radii, scales):
    """What the library chose for several classes together, class by class."""
    joint = as_choice(found)
    choices = []
    for radius, scale in zip(radii.tolist(), scales.tolist(), strict=True):
        own = {"radius": radius, "scale": scale}
        own["candidate_radius"] = joint["candidate_radius"] / joint["scale"] * scale
        choices.append(joint | own)
    return choices
