"""Accuracy under attack of all methods, each with its radius chosen by validation."""

import sys
import time
from typing import NamedTuple

import numpy as np

import redoubt

from . import method_splits as splits
from .contestants import Contestant, contestants
from .measure import table

VALIDATION_SHARE = 0.25


class Result(NamedTuple):
    """Percent: means over the attack radii, and without an attack."""

    accuracy: float
    balanced: float
    clean: float


def evaluate(ensemble, part, radii, norm):
    certificates = redoubt.certify(ensemble, part.X, part.y, norm=norm, n_jobs=-1)
    curve = redoubt.attack_curve(certificates, part.y, np.concatenate([[0.0], radii]))
    return Result(100 * curve.accuracy[1:].mean(), 100 * curve.balanced_accuracy[1:].mean(),
                  100 * curve.accuracy[0])  # fmt: skip


def choose(contestant: Contestant, part, radii, norm, seed, is_balanced):
    """The candidate with the best mean on a held-out quarter of the training part."""
    if len(contestant.candidates) == 1:
        return contestant.candidates[0]
    rng = np.random.default_rng(seed)
    rest, held_out = splits.stratified(part.y, VALIDATION_SHARE, rng)
    training, validation = (
        splits.Part(np.ascontiguousarray(part.X[rows]), part.y[rows]) for rows in (rest, held_out)
    )
    weights = splits.balanced_weights(training.y) if is_balanced else None

    def score(candidate):
        ensemble = contestant.train(training, weights, norm, seed, **candidate)
        result = evaluate(ensemble, validation, radii, norm)
        return result.balanced if is_balanced else result.accuracy

    return max(contestant.candidates, key=score)


def compete(name, norm, n_splits, is_balanced, skip=()):
    """{method: [Result per split]}, with the constant classifier beside them."""
    radii = splits.L2_RADII if norm == "l2" else splits.LINF_RADII[name]
    results = {}
    for seed in range(n_splits):
        training, test = splits.random_split(name, seed)
        weights = splits.balanced_weights(training.y) if is_balanced else None
        for contestant in contestants(norm, radii.max()):
            if contestant.name in skip:
                continue
            began = time.perf_counter()
            candidate = choose(contestant, training, radii, norm, seed, is_balanced)
            ensemble = contestant.train(training, weights, norm, seed, **candidate)
            result = evaluate(ensemble, test, radii, norm)
            results.setdefault(contestant.name, []).append(result)
            print(f"{name} {norm} split {seed} {contestant.name} {candidate} "
                  f"{time.perf_counter() - began:.1f} s: {result}", file=sys.stderr)  # fmt: skip
        share = 100 * max(np.mean(test.y > 0), np.mean(test.y < 0))
        results.setdefault("constant", []).append(Result(share, 50.0, share))
    return results


def summary(name, results):
    def text(values):
        return f"{np.mean(values):.1f} ± {np.std(values):.1f}"

    return [
        [splits.NAMES[name], method, text([r.accuracy for r in rows]),
         text([r.balanced for r in rows]), text([r.clean for r in rows])]
        for method, rows in results.items()
    ]  # fmt: skip


COLUMNS = ["data", "method", "mean accuracy", "mean balanced accuracy", "clean accuracy"]


def random_splits(norm, sets, quick, skip=()):
    """Both tables; `sets` is {name: number of splits}."""
    parts = []
    for is_balanced in (False, True):
        rows = []
        for name, n_splits in sets.items():
            rows += summary(name, compete(name, norm, 2 if quick else n_splits, is_balanced, skip))
        kind = "class-weighted, chosen by balanced accuracy" if is_balanced else "plain"
        parts += [f"## Random splits, {norm}, {kind}", table(COLUMNS, rows)]
    return parts


def report(quick):
    sets = ["gaussian", "heart"] if quick else list(splits.NAMES)
    return "\n\n".join(random_splits("l2", dict.fromkeys(sets, 10), quick))
