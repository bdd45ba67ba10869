"""Sparse matrices: trainings beside LIBLINEAR, certificates on wide votes, memory."""

import json
import resource
import subprocess
import sys
import time

import numpy as np
from scipy.sparse import csr_array

from redoubt import _core

from .measure import judged, table, timed
from .problems import Problem
from .wide import (
    PLAIN_HEADER,
    ROBUST_HEADER,
    SMS_RADII,
    SMS_TARGET,
    _plain_row,
    _robust_rows,
    _train,
    _words,
)

#: Rows, columns and entries a row of made-up words.
LARGE, SMALL = (20_000, 100_000, 50), (1_000, 5_000, 20)
RADII = {"l2": 0.02, "linf": 0.002, "l1": 0.1}
MEMORY_NORMS = ("none", "l2")
#: Certificates: columns, planes, rows, entries a row.
COLUMNS, N_PLANES, N_ROWS, N_ENTRIES = (45_000, 200_000, 1_000_000), 15, 400, 50
L2_TARGET = 50.0  # microseconds a row beyond the products
MEMORY_TARGET = 3.0  # times the matrix, beyond matrix and model


def report(quick):
    repetitions = 2 if quick else 3
    cases = [(words(*(SMALL if quick else LARGE)), RADII)]
    if not quick:
        cases.append((_sms(), SMS_RADII))
    plain = [_plain_row(problem, repetitions) for problem, _ in cases]
    robust = [row for problem, radii in cases for row in _robust_rows(problem, radii, repetitions)]
    parts = [
        "## Sparse matrices",
        "The same for CSR matrices, which both take as they are: made-up words (columns drawn with "
        f"frequencies as of words, {LARGE[2]} a row, labels by a plane and noise) and the SMS words.",
        table(PLAIN_HEADER, plain),
        table(ROBUST_HEADER, robust),
    ]
    if not quick:
        parts += ["Single planes of the SMS words at 1e-8, once each; the target is for the "
                  "clock:", table(["norm", "clock s", "processor s", "target"], _sms_planes())]  # fmt: skip
    columns = COLUMNS[:1] if quick else COLUMNS
    parts += [
        "## Certificates on wide votes",
        f"{N_PLANES} bagged SVMs (gap 1e-4), rows of about {N_ENTRIES} entries, one thread, without "
        "witnesses. \"products\" are the margins of all planes alone; medians over the rows, in "
        "microseconds; the set-up is made once per ensemble and norm. Width: the widest bracket, relatively.",
        table(["columns", "norm", "rows", "products", "a row", "beyond", "target", "set-up ms",
               "nodes", "width"], [row for n in columns for row in _certificate_rows(n)]),
        "## Memory of a sparse training",
        "One process each: what a training of the made-up words at 1e-4 adds to the peak, over the "
        f"CSR matrix; target: at most {MEMORY_TARGET:g} times, the model apart.",
        table(["norm", "CSR MB", "model MB", "added MB", "over CSR", "target"],
              _memory_rows(SMALL if quick else LARGE)),
    ]  # fmt: skip
    return "\n\n".join(parts)


def words(m, n, per_row, seed=0):
    """Rows of words, the frequent ones first; a plane and noise give the labels."""
    rng = np.random.default_rng(seed)
    columns = np.minimum(n * rng.random(m * per_row) ** 3, n - 1).astype(np.int32)
    rows = np.repeat(np.arange(m, dtype=np.int32), per_row)
    X = csr_array((np.ones(m * per_row), (rows, columns)), shape=(m, n))
    X.sum_duplicates()
    score = X @ rng.normal(size=n)
    y = np.where(score + 0.3 * score.std() * rng.normal(size=m) >= np.median(score), 1.0, -1.0)
    return Problem("made-up words", X, y, np.ones(m))


def _sms():
    dense = _words()
    return Problem("SMS words", csr_array(dense.X), dense.y, dense.weights)


def _sms_planes():
    problem = _sms()
    for norm, radius in ((None, None), *SMS_RADII.items()):
        cost, _ = timed(lambda norm=norm, radius=radius: _train(problem, 1e-8, norm, radius))
        yield [norm or "none", f"{cost.clock:.3f}", f"{cost.cpu:.3f}",
               judged(cost.clock < SMS_TARGET, f"{SMS_TARGET:g} s")]  # fmt: skip


def _certificate_rows(n):
    problem = words(4_000, n, N_ENTRIES + 5, seed=1)
    trained = _core.train_bagged_svms(problem.X, problem.y, n_planes=N_PLANES, tolerance=1e-4)
    vote, X = trained.ensemble, problem.X[:N_ROWS]
    products = _microseconds(lambda: vote.margins(X), N_ROWS)
    for norm in ("l2", "l1", "linf"):
        few = X if norm != "linf" else X[:20]
        began = time.perf_counter()
        found = _core.certify(vote, few, None, norm=norm, witness=False)
        seconds = time.perf_counter() - began
        row = 1e6 * float(np.median(found.solve_seconds))
        beyond = row - products
        width = np.max((found.upper - found.lower) / found.upper)
        target = judged(beyond <= L2_TARGET, f"{L2_TARGET:g}") if norm == "l2" else ""
        yield [f"{n:,}", norm, few.shape[0], f"{products:.1f}", f"{row:.1f}", f"{beyond:.1f}", target,
               f"{1e3 * (seconds - np.sum(found.solve_seconds)):.0f}",
               f"{np.mean(found.n_nodes):.1f}", f"{width:.0e}"]  # fmt: skip


def _microseconds(call, count):
    call()
    began = time.perf_counter()
    call()
    return 1e6 * (time.perf_counter() - began) / count


def _memory_rows(shape):
    for norm in MEMORY_NORMS:
        command = [sys.executable, "-m", "compare.wide_sparse", norm, *map(str, shape)]
        found = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
        share = found["added"] / found["csr"]
        yield [norm, *(f"{found[name] / 2**20:.1f}" for name in ("csr", "model", "added")),
               f"{share:.1f}", judged(share <= MEMORY_TARGET, f"{MEMORY_TARGET:g}x")]  # fmt: skip


def _peak():
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _measure(norm, *shape):
    """What a training adds to the peak; that of the making of the data is reached again first."""
    problem = words(*shape)
    csr = sum(each.nbytes for each in (problem.X.data, problem.X.indices, problem.X.indptr))
    before = _peak()
    resident = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
    filler = np.ones(max(1, (before - resident) // 8))
    before = _peak()
    options = {} if norm == "none" else {"norm": norm, "radius": RADII[norm]}
    plane = _train(problem, 1e-4, **options)
    model = plane.w.nbytes
    return {"csr": csr, "model": model, "added": max(0, _peak() - before - model), "n": len(filler)}


if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1], *map(int, sys.argv[2:]))))
