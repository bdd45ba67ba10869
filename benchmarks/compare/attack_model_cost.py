"""What an attack model costs: certificates with and without one, on the same votes."""

import statistics
import time

import numpy as np

import redoubt
from redoubt import AttackModel

from . import method_splits as splits
from .measure import table

TARGETS = {"l2": 30, "linf": 2, "l1": 2}
N_PLANES = 15


def models(norm, X):
    """Name and attack model; the first is the one that the targets are about."""
    bounds = np.column_stack([X.min(axis=0), X.max(axis=0)])
    n = X.shape[1]
    return {
        "ranges of the data": AttackModel(norm, bounds=bounds),
        "ranges that never bind": AttackModel(norm, bounds=(-1e3, 1e3)),
        "scales, frozen, one-sided, ranges": AttackModel(
            norm, scale=np.linspace(0.5, 2, n), frozen=list(range(0, n, 8)),
            increase_only=list(range(1, n, 8)), bounds=bounds,
        ),
    }  # fmt: skip


def seconds(ensemble, part, norm, model):
    began = time.process_time()
    result = redoubt.certify(ensemble, part.X, part.y, norm=norm, attack_model=model)
    elapsed = time.process_time() - began
    assert set(result.status) == {"optimal"}
    return elapsed / len(part.y)


def report(quick):
    training, test = splits.published("digits3")
    # Within the ranges: a point outside them is refused.
    limits = np.vstack([training.X, test.X])
    ensemble = redoubt.BaggedSVMClassifier(n_planes=N_PLANES, random_state=0).fit(
        training.X, training.y
    )
    rows = []
    repetitions = 3 if quick else 9
    for norm, target in TARGETS.items():
        others = models(norm, limits)
        times = {name: [] for name in ("plain", *others)}
        for _ in range(repetitions):  # taking turns
            times["plain"].append(seconds(ensemble, test, norm, None))
            for name, model in others.items():
                times[name].append(seconds(ensemble, test, norm, model))
        plain = statistics.median(times["plain"])
        for i, name in enumerate(others):
            median = statistics.median(times[name])
            verdict = ""
            if i == 0:
                verdict = f"{target}x: " + ("reached" if median <= target * plain else "**missed**")
            rows.append([norm, name, f"{1e6 * plain:.1f}", f"{1e6 * median:.1f}",
                         f"{median / plain:.1f}x", verdict])  # fmt: skip
    columns = ["norm", "attack model", "plain, microseconds a point", "with the model", "ratio", "target"]
    return (
        f"## The cost of an attack model\n\nDigits(3), published split, standardised, {N_PLANES} "
        f"bagged planes, processor time, median of {repetitions}.\n\n" + table(columns, rows)
    )
