"""Runs the program as a user would."""

import csv
import importlib.util
import io
import json
import os
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

    def plane(self):
        """The weights by feature name, as exact numbers."""
        lines = iter(self.out.splitlines())
        for line in lines:
            if line.startswith("plane"):
                break
        weights = {}
        for line in lines:
            if not line.startswith("  "):
                break
            name, value = line.rsplit(maxsplit=1)
            weights[name.strip()] = float(value)
        return weights

    def table(self):
        """Rows of the attack table: (radius, accuracy, balanced accuracy)."""
        lines = self.out.partition("Accuracy under attack")[2].splitlines()
        assert lines[1].split() == ["radius", "accuracy", "balanced"]
        assert lines[-1].split()[0] == "constant"
        return [tuple(float(field) for field in line.split()) for line in lines[2:-1]]

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


@pytest.fixture
def redoubt(program, tmp_path):
    """Runs the program in an empty folder: redoubt("train", "data.csv", stdin="...")."""

    def run(*arguments, stdin="", env=()):
        return Finished(
            subprocess.run(
                [program, *map(str, arguments)],
                input=stdin,
                capture_output=True,
                text=True,
                cwd=tmp_path,
                env={**os.environ, **dict(env)},
                check=False,
            )
        )

    return run


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
