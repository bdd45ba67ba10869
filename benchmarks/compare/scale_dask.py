"""Certificates on a cluster of processes beside threads, on the same cores."""

import os
import time

import numpy as np

from .measure import judged, table
from .scale_data import N_FEATURES, parts

N_PLANES = 15
SLOWER = 1.15


def report(quick):
    import dask.array
    import distributed

    import redoubt
    import redoubt.dask

    n_rows, repetitions = (40_000, 1) if quick else (1_000_000, 3)
    first = next(parts(20_000))
    vote = redoubt.BaggedSVMClassifier(n_planes=N_PLANES, random_state=0).fit(*first)
    X = np.vstack([rows for rows, _ in parts(n_rows, seed=1)])
    n_cores = os.cpu_count()
    threads, workers = [], []
    with (
        distributed.LocalCluster(
            n_workers=4, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        lazy = dask.array.from_array(X, chunks=(n_rows // 32, N_FEATURES)).persist()
        distributed.wait(lazy)
        redoubt.dask.certify(vote, lazy[: n_rows // 8])["radius"].compute()  # imports

        def spent():
            """Processor seconds of all processes: this one has the scheduler."""
            return time.process_time() + sum(client.run(time.process_time).values())

        for _ in range(repetitions):
            began, cpu = time.perf_counter(), time.process_time()
            local = redoubt.certify(vote, X, norm="l2", n_jobs=n_cores)
            threads.append((time.perf_counter() - began, time.process_time() - cpu))
            began, cpu = time.perf_counter(), spent()
            radius = redoubt.dask.certify(vote, lazy, norm="l2")["radius"].compute()
            workers.append((time.perf_counter() - began, spent() - cpu))
    by_threads, by_workers = np.median(threads, axis=0), np.median(workers, axis=0)
    ratio = by_workers / by_threads
    rows = [[
        f"{by_threads[0]:.2f} ({by_threads[1]:.2f})", f"{by_workers[0]:.2f} ({by_workers[1]:.2f})",
        f"{ratio[0]:.2f} ({ratio[1]:.2f})", judged(ratio.max() <= SLOWER, f"{SLOWER}"),
        "yes" if np.array_equal(radius, local.radius) else "**no**",
    ]]  # fmt: skip
    return "\n\n".join(
        [
            f"## Dask: {n_rows:,} x 20, {N_PLANES} planes, l2",
            f"Seconds on {n_cores} cores, in brackets of processor time in all processes (on a busy "
            "machine 4 processes get a larger share of the clock than 2 threads; the target counts the "
            "larger ratio): `redoubt.certify` with as many threads, and "
            "`redoubt.dask.certify` on a LocalCluster of 4 processes of one thread that hold the rows. "
            "What workers need to start is not counted, sending the radii back is. Dask's own work is "
            "about a second of processor time a run: an earlier run with 400,000 rows took 1.18 (1.21) "
            "times as long as threads. That a worker killed by SIGKILL changes no bit is a test (tests/python/test_dask.py).",
            table(["threads", "4 workers", "workers / threads", "target", "same bits"], rows),
        ]
    )
