"""Memory and speed of streams, beside arrays in memory."""

import io
import json
import pathlib
import re
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time

import numpy as np

from .measure import table

N_FEATURES, N_PLANES = 20, 15
NAMES = [f"f{k}" for k in range(N_FEATURES)]
MEMORY_LIMIT, WITNESS_LIMIT, SPEED = 1000, 300, 0.9
# Rows of CSV are drawn from so many different ones.
N_DIFFERENT = 20_000


def report(quick):
    sizes = (10_000, 30_000, 100_000) if quick else (100_000, 1_000_000, 10_000_000)
    repetitions = 2 if quick else 3
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        _train(folder / "model.json")
        arrays, parquet = _parquet(folder, sizes, repetitions)
        program = _program(folder, sizes)
        parts = [_parquet_text(arrays, parquet, sizes), _program_text(arrays, program, sizes)]
    picture = _draw(parquet, program["certify"])
    parts.append("![Memory by rows](stream.svg)")
    return "\n\n".join(parts), {"stream.svg": picture}


# --- data ---------------------------------------------------------------------------------------


def _points(rng, n_rows):
    y = np.where(rng.random(n_rows) < 0.5, 1.0, -1.0)
    return rng.normal(size=(n_rows, N_FEATURES)) + 0.35 * y[:, None], y


def _train(path):
    import pandas as pd

    import redoubt

    X, y = _points(np.random.default_rng(0), 4000)
    model = redoubt.BaggedSVMClassifier(n_planes=N_PLANES, random_state=0)
    redoubt.save_model(model.fit(pd.DataFrame(X, columns=NAMES), y), path)


def _write_parquet(path, n_rows):
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(1)
    schema = pa.schema([(name, pa.float64()) for name in NAMES])
    with pq.ParquetWriter(path, schema, use_dictionary=False) as writer:
        for start in range(0, n_rows, 200_000):
            X, _ = _points(rng, min(200_000, n_rows - start))
            columns = {name: X[:, k] for k, name in enumerate(NAMES)}
            writer.write_table(pa.table(columns))


def _write_csv(path, n_rows):
    rng = np.random.default_rng(2)
    X, _ = _points(rng, N_DIFFERENT)
    lines = [",".join(map(repr, row)) + "\n" for row in np.round(X, 9).tolist()]
    with open(path, "w", encoding="utf-8") as file:
        file.write(",".join(NAMES) + "\n")
        for start in range(0, n_rows, 100_000):
            chosen = rng.integers(0, N_DIFFERENT, min(100_000, n_rows - start))
            file.write("".join([lines[k] for k in chosen]))


# --- runs ---------------------------------------------------------------------------------------


def _parquet(folder, sizes, repetitions):
    """Runs with arrays in memory (not of the largest size) and of streams, by size, in turns."""
    streams, arrays = {}, {}
    for n_rows in sizes:
        path = folder / "rows.parquet"
        _write_parquet(path, n_rows)
        is_largest = n_rows == sizes[-1]
        streams[n_rows] = []
        for _ in range(1 if is_largest else repetitions):
            if not is_largest:
                arrays.setdefault(n_rows, []).append(_python("arrays", folder))
            streams[n_rows].append(_python("stream", folder))
        path.unlink()
    return arrays, streams


def _python(kind, folder):
    command = [sys.executable, "-m", __spec__.name, kind, str(folder)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _program(folder, sizes):
    """Runs of the program: {command: {rows: run}}."""
    redoubt = pathlib.Path(sysconfig.get_path("scripts"), "redoubt")
    found = {"certify": {}, "witness": {}}
    for n_rows in sizes:
        path = folder / "rows.csv"
        _write_csv(path, n_rows)
        base = [redoubt, "certify", folder / "model.json", path, "--quiet"]
        found["certify"][n_rows] = _watched(base)
        if n_rows == sizes[1]:
            found["witness"][n_rows] = _watched([*base, "--witness", "--format", "json"])
        path.unlink()
    return found


def _watched(command):
    """Peak memory, clock and processor time of a process, as the kernel says while it runs."""
    began, peak, cpu = time.perf_counter(), 0.0, 0.0
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL)
    ticks = 100.0  # a second; the unit of /proc
    while process.poll() is None:
        try:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
            fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii")
        except OSError:
            break
        peak = max(peak, _peak(status))
        user, system = fields.rpartition(")")[2].split()[11:13]
        cpu = max(cpu, (int(user) + int(system)) / ticks)
        time.sleep(0.005)
    assert process.wait() == 0
    return {"peak": peak, "seconds": time.perf_counter() - began, "cpu": cpu}


def _peak(status):
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) / 1000 if found else 0.0


def _measure(kind, folder):
    import pyarrow.parquet as pq

    import redoubt
    from redoubt import stream

    model = redoubt.load_model(folder / "model.json")
    path, out = folder / "rows.parquet", folder / "out.parquet"
    own = pathlib.Path("/proc/self/status")
    if kind == "arrays":
        loaded = pq.read_table(path)
        X = np.column_stack([loaded[name].to_numpy() for name in NAMES])
        del loaded
    before = _peak(own.read_text(encoding="ascii"))
    began, cpu_began = time.perf_counter(), time.process_time()
    if kind == "arrays":
        redoubt.certify(model, X, n_jobs=-1)
        n_rows = len(X)
    else:
        n_rows = stream.certify(path, model, out).n_rows
    return {
        "rows": n_rows,
        "seconds": time.perf_counter() - began,
        "cpu": time.process_time() - cpu_began,
        "before": before,
        "peak": _peak(own.read_text(encoding="ascii")),
    }


# --- text ---------------------------------------------------------------------------------------


def _verdict(is_kept):
    return "reached" if is_kept else "**missed**"


def _cost_of_arrays(arrays, n_rows):
    """Processor seconds of a row, in a table of that size or the largest in memory."""
    runs = arrays.get(n_rows, arrays[max(arrays)])
    return statistics.median(run["cpu"] / run["rows"] for run in runs)


def _parquet_text(arrays, streams, sizes):
    rows = []
    for n_rows, runs in streams.items():
        unit = _cost_of_arrays(arrays, n_rows)
        for what, measured in (("arrays in memory", arrays.get(n_rows)), ("stream", runs)):
            if measured is None:
                continue
            cpu = statistics.median(run["cpu"] for run in measured) / n_rows
            peak = max(run["peak"] for run in measured)
            verdict = _verdict(peak < MEMORY_LIMIT and unit / cpu >= SPEED)
            rows.append([
                what, f"{n_rows:,}", f"{measured[0]['before']:.0f}", f"{peak:.0f}",
                f"{1e6 * cpu:.2f}", f"{unit / cpu:.2f}",
                f"{statistics.median(run['seconds'] for run in measured):.1f}",
                f"< {MEMORY_LIMIT} MB, >= {SPEED}: {verdict}" if what == "stream" else "",
            ])  # fmt: skip
    return "\n\n".join(
        [
            "## Parquet: `redoubt.stream.certify`",
            "From a Parquet file (row groups of 200,000) to a Parquet file of radii, all cores, "
            "next to one call of `redoubt.certify` for arrays that are already in memory. The speed "
            "is the processor time of a row in memory over that in the stream (for the longest "
            "file: of the longest array); imports are not counted. Medians of runs in turns, but for "
            "the longest file. Memory `before` is that of the imports, the model and, for arrays, the "
            "rows.",
            table(["what", "rows", "before, MB", "peak, MB", "µs of processor a row", "speed",
                   "seconds", "target"], rows),  # fmt: skip
        ]
    )


def _program_text(arrays, program, sizes):
    rows = []
    for n_rows, run in program["certify"].items():
        unit = _cost_of_arrays(arrays, n_rows)
        cpu = run["cpu"] / n_rows
        rows.append([
            "certify", f"{n_rows:,}", f"{run['peak']:.0f}", f"{1e6 * cpu:.2f}",
            f"{unit / cpu:.2f}", f"{run['seconds']:.1f}",
            f"< {MEMORY_LIMIT} MB, >= {SPEED}: "
            f"{_verdict(run['peak'] < MEMORY_LIMIT and unit / cpu >= SPEED)}",
        ])  # fmt: skip
    (n_rows, run), = program["witness"].items()
    unit, cpu = _cost_of_arrays(arrays, n_rows), run["cpu"] / n_rows
    rows.append([
        "certify --witness --format json", f"{n_rows:,}", f"{run['peak']:.0f}", f"{1e6 * cpu:.2f}",
        f"{unit / cpu:.2f}", f"{run['seconds']:.1f}",
        f"< {WITNESS_LIMIT} MB: {_verdict(run['peak'] < WITNESS_LIMIT)}",
    ])  # fmt: skip
    return "\n\n".join(
        [
            "## CSV: the program",
            "`redoubt certify MODEL rows.csv`, results as CSV or JSON thrown away, all cores. The "
            "speed is relative to the same arrays in Python as above: reading and printing are on "
            "the program's account only, and Python's own work on the other's.",
            table(["what", "rows", "peak, MB", "µs of processor a row", "speed", "seconds",
                   "target"], rows),  # fmt: skip
        ]
    )


def _draw(streams, program):
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    with plt.rc_context({"svg.hashsalt": "stream", "svg.fonttype": "none", "font.size": 9}):
        figure, panel = plt.subplots(figsize=(4.5, 3), layout="constrained")
        peaks = [max(run["peak"] for run in runs) for runs in streams.values()]
        panel.semilogx(list(streams), peaks, "o-", label="redoubt.stream, Parquet")
        peaks = [run["peak"] for run in program.values()]
        panel.semilogx(list(program), peaks, "s-", label="program, CSV")
        panel.axhline(MEMORY_LIMIT, color="grey", lw=0.8, ls="--")
        panel.set(xlabel="rows of 20 numbers", ylabel="peak memory, MB", ylim=(0, None))
        panel.legend(frameon=False)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
        plt.close(figure)
    return text.getvalue()


if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1], pathlib.Path(sys.argv[2]))))
