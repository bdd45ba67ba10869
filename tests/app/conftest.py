"""Runs the program as a user would."""

import csv
import importlib.util
import io
import itertools
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest


class Finished:
    """What a run left behind."""

    def __init__(self, completed):
        self.code = completed.returncode
        self.out = completed.stdout
        self.err = completed.stderr

    def text_table(self, title):
        """The table below a title: the names of its columns, and its rows as texts."""
        lines = iter(self.out.splitlines())
        assert any(line.startswith(title) for line in lines), self.out
        columns = next(lines).split()
        return columns, [line.split() for line in itertools.takewhile(str.strip, lines)]

    def plane(self):
        """The weights by feature name, as printed: with six digits."""
        columns, rows = self.text_table("Plane in scaled features")
        assert columns == ["feature", "weight"]
        return {name: float(weight) for name, weight in rows}

    def table(self):
        """Rows of the attack table: (radius, accuracy, balanced accuracy), in percent."""
        columns, rows = self.text_table("Accuracy under attack")
        assert columns[:3] == ["radius", "accuracy", "balanced_accuracy"]
        return [tuple(map(float, row[:3])) for row in rows]

    def fact(self, name):
        """The value behind a name above the tables."""
        (value,) = re.findall(rf"^{re.escape(name)} +(.*)$", self.out, re.MULTILINE)
        return value

    def json(self):
        """A report in JSON."""
        return json.loads(self.out)

    def rows(self):
        """The rows of a CSV table, each as a dictionary of texts."""
        return list(csv.DictReader(io.StringIO(self.out)))

    def column(self, name):
        """One column of a CSV table as numbers."""
        return np.array([float(row[name]) for row in self.rows()])


@pytest.fixture(scope="session")
def program():
    """The program to test: REDOUBT_PROGRAM, or the one of the installed Python package."""
    return Path(os.environ.get("REDOUBT_PROGRAM", Path(sys.prefix, "bin", "redoubt")))


@pytest.fixture(scope="session")
def redoubt_in(program):
    """Makes what runs the program in a folder."""

    def make(folder):
        def run(*arguments, stdin="", env=()):
            return Finished(
                subprocess.run(
                    [program, *map(str, arguments)],
                    input=stdin,
                    capture_output=True,
                    text=True,
                    cwd=folder,
                    env={**os.environ, **dict(env)},
                    check=False,
                )
            )

        return run

    return make


@pytest.fixture
def redoubt(redoubt_in, tmp_path):
    """Runs the program in an empty folder: redoubt("train", "data.csv", stdin="...")."""
    return redoubt_in(tmp_path)


@pytest.fixture
def vote_file(redoubt, tmp_path):
    """A model file of seven planes around the robust plane of a bundled data set.

    The file is put together by hand, so it has no checksum.
    """

    def make(data, seed=0, norm="l2"):
        path = tmp_path / "vote.json"
        assert redoubt("train", data, "--model", path, "--norm", norm).code == 0
        fields = json.loads(path.read_text())
        del fields["checksum"]
        (plane,) = fields["planes"]
        rng = np.random.default_rng(seed)
        spread = 0.5 * np.linalg.norm(plane["w"]) / np.sqrt(len(plane["w"]))
        fields["planes"] = [
            {"w": list(plane["w"] + spread * rng.normal(size=len(plane["w"]))), "b": plane["b"]}
            for _ in range(7)
        ]
        path.write_text(json.dumps(fields))
        return path

    return make


@pytest.fixture(scope="session")
def highs():
    """Where the package highspy keeps HiGHS, as an environment for the program."""
    spec = importlib.util.find_spec("highspy")
    libraries = (
        []
        if spec is None
        else sorted(Path(spec.origin).parent.parent.glob("highspy*/**/libhighs*.so*"))
    )
    if not libraries:
        assert "REDOUBT_REQUIRE_HIGHS" not in os.environ, "HiGHS is required but not installed"
        pytest.skip("HiGHS is not installed")
    return {"REDOUBT_HIGHS": str(libraries[0])}


@pytest.fixture
def start(program, tmp_path):
    """Starts the program and returns the process; what is left of it dies with the test."""
    processes = []

    def run(*arguments):
        process = subprocess.Popen(
            [program, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            # A job in the background may have been told to ignore it.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        processes.append(process)
        return process

    yield run
    for process in processes:
        process.kill()
        process.communicate()
