"""Reading CSV beside pandas, and the prediction of what was read beside its reading."""

import pathlib
import re
import shutil
import statistics
import subprocess
import sysconfig
import tempfile

import numpy as np
import pandas

from redoubt import _core

from .measure import Entrant, judged, race, ratio, table, verdict

N_FEATURES = 50
COLOURS = ("red", "green", "blue", "yellow", "magenta", "cyan", "black", "white")
SPELLINGS = {
    "6 digits": lambda value: f"{value:.6g}",
    "all digits": repr,
    "6 digits, and a column of text": lambda value: f"{value:.6g}",
}
TARGET = 1  # at least as fast as pandas
USUAL_PLANES = 15  # the default of `redoubt train`
STEPS = {
    "reading": r"read \d+ rows in (\S+) s",
    "predicting": r"predicted in (\S+) s",
    "writing": r"written in (\S+) s",
}


def report(quick):
    n_rows = 20_000 if quick else 200_000
    repetitions = 3 if quick else 9
    with tempfile.TemporaryDirectory() as folder:
        files = _write_files(pathlib.Path(folder), n_rows)
        return "\n\n".join([_reading(files, repetitions), _predicting(files, repetitions)])


def _write_files(folder, n_rows):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, N_FEATURES))
    labels = np.where(X[:, 0] + rng.normal(size=n_rows) > 0, "yes", "no")
    colours = rng.choice(COLOURS, n_rows)
    files = {}
    for number, (name, spell) in enumerate(SPELLINGS.items()):
        has_text = "text" in name
        header = [f"f{j}" for j in range(N_FEATURES)] + ["colour"] * has_text + ["label"]
        files[name] = folder / f"{number}.csv"
        with open(files[name], "w", encoding="ascii") as file:
            file.write(",".join(header) + "\n")
            for values, colour, label in zip(X.tolist(), colours, labels):
                fields = [spell(value) for value in values] + [colour] * has_text + [label]
                file.write(",".join(fields) + "\n")
    return files


# --- reading ------------------------------------------------------------------------------------


def _reading(files, repetitions):
    rows = [_reading_row(name, path, repetitions) for name, path in files.items()]
    return "\n\n".join(
        [
            "## Reading a CSV file",
            "Normal numbers, a header and labels `yes` and `no`; the text column holds one of "
            f"{len(COLOURS)} words. Ours is the reader of the program, called from Python, down to "
            "a matrix of features with the text one-hot and labels -1 and +1; one thread. pandas "
            "is `read_csv(path)` with its default engine (C, one thread), down to a data frame. "
            "Both read from the page cache. Seconds, median (least). Every number that we read is "
            "the nearest double, as checked with pandas' `float_precision=\"round_trip\"`.",
            table(
                ["file", "rows x numbers", "MiB", "ours", "pandas", "pandas / ours", "target"],
                rows,
            ),
        ]
    )


def _reading_row(name, path, repetitions):
    entrants = {
        "ours": Entrant(lambda: _core.read_dataset(str(path), one_hot="text" in name)),
        "pandas": Entrant(lambda: pandas.read_csv(path)),
    }
    times, answers = race(entrants, repetitions)
    ours, peer = times["ours"], times["pandas"]
    _check(path, answers["ours"])
    return [
        name, f"{len(answers['pandas']):,} x {N_FEATURES}", f"{path.stat().st_size / 2**20:.0f}",
        _seconds(ours), _seconds(peer), ratio(peer, ours), verdict(peer, ours, TARGET),
    ]  # fmt: skip


def _check(path, data):
    """Raise unless we read what the file says."""
    X, y = data.X, data.y
    exact = pandas.read_csv(path, float_precision="round_trip")
    numbers = exact.columns[:N_FEATURES]
    assert np.array_equal(X[:, :N_FEATURES], exact[numbers].to_numpy())
    assert np.array_equal(y, np.where(exact["label"] == "yes", 1.0, -1.0))
    names = data.feature_names[N_FEATURES:]
    for name, column in zip(names, X[:, N_FEATURES:].T, strict=True):
        assert np.array_equal(column, exact["colour"] == name.removeprefix("colour="))


def _seconds(timing):
    return f"{timing.median:.3f} ({timing.least:.3f})"


# --- predicting ---------------------------------------------------------------------------------


def _predicting(files, repetitions):
    program = shutil.which("redoubt", path=sysconfig.get_path("scripts"))
    path = files["6 digits"]
    with tempfile.TemporaryDirectory() as folder:
        first = pathlib.Path(folder) / "first.csv"
        with open(path, encoding="ascii") as lines:
            first.write_text("".join(next(lines) for _ in range(2001)), encoding="ascii")
        rows = []
        for n_planes in (USUAL_PLANES, 75):
            model = pathlib.Path(folder) / f"{n_planes}.json"
            _run(program, "train", first, "--method", "svm-ens", "--planes", n_planes, "--quiet",
                 "--model", model)  # fmt: skip
            for n_threads in (1, 0):
                seconds = _steps(program, model, path, n_threads, repetitions)
                reached = seconds["predicting"] < seconds["reading"]
                is_usual = n_planes == USUAL_PLANES
                rows.append([
                    n_planes, n_threads or "all", *(f"{seconds[step]:.3f}" for step in STEPS),
                    f"{seconds['reading'] / seconds['predicting']:.1f}x",
                    judged(reached, "predicting < reading") if is_usual else "",
                ])  # fmt: skip
    return "\n\n".join(
        [
            "## Predicting what was read",
            "`redoubt predict MODEL DATA --verbose` on the file with 6 digits above: the seconds "
            "that it tells, medians. The models are votes of bagged planes, trained on the first "
            f"2000 rows; {USUAL_PLANES} planes are the default. Reading takes one thread, writing "
            "(CSV) as well.",
            table(["planes", "threads", *STEPS, "reading / predicting", "target"], rows),
        ]
    )


def _steps(program, model, path, n_threads, repetitions):
    """The median seconds of each step."""
    found = {step: [] for step in STEPS}
    for _ in range(repetitions):
        out = model.with_suffix(".csv")
        run = _run(program, "predict", model, path, "--verbose", "--threads", n_threads,
                   "--out", out)  # fmt: skip
        for step, pattern in STEPS.items():
            found[step].append(sum(map(float, re.findall(pattern, run.stderr))))  # of all blocks
    return {step: statistics.median(seconds) for step, seconds in found.items()}


def _run(program, *arguments):
    return subprocess.run(
        [program, *map(str, arguments)], check=True, capture_output=True, text=True
    )
