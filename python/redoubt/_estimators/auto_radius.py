"""radius="auto": the rule, and the choice for several classes, which the library does not make."""

import time

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from redoubt import _core

FACTORS = _core.RADIUS_FACTORS  # in natural scales
USUAL_FACTOR = 0.5
CAPPED_SCALES = 3
N_FOLDS = 5
MAX_POINTS = 2000
LEAST_OF_CLASS = 100

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


def choose_jointly(classifier, X, codes, weights, against, train, settings):
    """Return a choice per class: one part of the natural scale of each class against the rest.

    Which part it is, cross-validation over all classes decides. `train(twin, rows, radii, settings)`
    trains a copy of the classifier on some rows, with a radius per class.
    """
    began = time.monotonic()
    counts = np.bincount(codes)
    scales = np.array(
        [
            _core.natural_scale(X, np.where(codes == code, 1.0, -1.0), weights=weights, **against)
            for code in range(len(counts))
        ]
    )
    seed = settings.get("seed", 0) % 2**32
    sample = _sample(codes, seed)
    n_folds = min(N_FOLDS, np.bincount(codes[sample]).min())
    factors = np.array(FACTORS)
    scores = {name: np.empty(0) for name in _SCORES}
    best = FACTORS.index(USUAL_FACTOR)
    if n_folds > 1:
        cap = CAPPED_SCALES * scales.mean()
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        accuracy, certified = np.empty((2, len(factors), n_folds))
        for fold, (rest, held_out) in enumerate(folds.split(sample, codes[sample])):
            rest, held_out = sample[rest], sample[held_out]
            for at, factor in enumerate(factors):
                twin = clone(classifier)
                left = settings.get("max_seconds", np.inf) - (time.monotonic() - began)
                train(twin, rest, factor * scales, max(0.0, left))
                answers = twin._answers(X[held_out])
                accuracy[at, fold] = np.mean(
                    [np.mean(answers[codes[held_out] == code] == code) for code in range(len(counts))]
                )
                lower = twin.certify(X[held_out], twin.classes_[codes[held_out]]).lower
                certified[at, fold] = mean_radius(lower, codes[held_out], cap)
        error = accuracy.std(axis=1, ddof=1) / np.sqrt(n_folds)
        accuracy, certified = accuracy.mean(axis=1), certified.mean(axis=1)
        best = _core.most_robust(accuracy, error, certified)
        scores = dict(zip(_SCORES, (accuracy, error, certified), strict=True))
    n_planes = settings.get("n_planes", 1)
    return [
        {
            "radius": float(factors[best] * scale),
            "n_planes": n_planes,
            "scale": float(scale),
            "n_points": len(sample),
            "n_folds": int(n_folds) if n_folds > 1 else 0,
            "candidate_radius": factors * scale,
            "candidate_planes": np.full(len(factors), n_planes),
            "candidate_folds": np.full(len(scores["balanced_accuracy"]), float(n_folds)),
            **scores,
        }
        for scale in scales
    ]


def _sample(codes, seed):
    """At most about MAX_POINTS rows, class by class, ascending."""
    if len(codes) <= MAX_POINTS:
        return np.arange(len(codes))
    rng = np.random.default_rng(seed)
    rows = []
    for code in np.unique(codes):
        own = np.flatnonzero(codes == code)
        wanted = max(LEAST_OF_CLASS, round(MAX_POINTS * len(own) / len(codes)))
        rows.append(rng.permutation(own)[:wanted])
    return np.sort(np.concatenate(rows))
