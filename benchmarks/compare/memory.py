"""Peak memory on a million points, each run in a process of its own."""

import json
import resource
import subprocess
import sys
import time

import numpy as np

from .measure import table
from .problems import noisy_points

LIMIT_GIB = 4.0


def report(quick):
    n_samples = 100_000 if quick else 1_000_000
    rows = []
    for kind in ("svm", "robust"):
        for n_threads in (1, 0):
            run = subprocess.run(
                [sys.executable, "-m", __spec__.name, kind, str(n_samples), str(n_threads)],
                check=True, capture_output=True, text=True,
            )  # fmt: skip
            found = json.loads(run.stdout)
            within = found["peak_gib"] <= LIMIT_GIB
            rows.append([
                {"svm": "weighted SVM", "robust": "robust SVM, l2, radius 0.1"}[kind],
                n_threads or "all", f"{found['seconds']:.2f}", found["status"],
                f"{found['gap']:.0e}", found["steps"],
                f"{found['data_gib']:.2f}", f"{found['before_gib']:.2f}",
                f"{found['peak_gib']:.2f}",
                f"{LIMIT_GIB:g} GiB: {'kept' if within else '**missed**'}",
            ])  # fmt: skip
    return "\n\n".join(
        [
            f"## Memory: {n_samples:,} x 50",
            "Noisy points as above; each run in a fresh process. Peak is the largest resident set "
            "of the whole process (Python, the data and their making included). GiB.",
            table(["problem", "threads", "seconds", "status", "gap", "Newton steps", "X itself",
                   "peak before training", "peak", "limit"], rows),  # fmt: skip
        ]
    )


def _peak_gib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # Linux counts in KiB


def _measure(kind, n_samples, n_threads):
    from redoubt import _core

    problem = noisy_points(n_samples)
    before = _peak_gib()
    began = time.perf_counter()
    if kind == "svm":
        result = _core.train_svm(problem.X, problem.y, n_threads=n_threads)
    else:
        result = _core.train_robust_svm(
            problem.X, problem.y, np.array([0.1]), norm="l2", n_threads=n_threads
        )
    seconds = time.perf_counter() - began
    return {
        "seconds": seconds,
        "status": result.status,
        "gap": result.relative_gap,
        "steps": result.n_newton_steps,
        "data_gib": problem.X.nbytes / 2**30,
        "before_gib": before,
        "peak_gib": _peak_gib(),
    }


if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
