"""Runs the program as a user would."""

import os
import subprocess
import sys
from pathlib import Path

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


@pytest.fixture(scope="session")
def program():
    """The program to test: REDOUBT_PROGRAM, or the one of the installed Python package."""
    return Path(os.environ.get("REDOUBT_PROGRAM", Path(sys.prefix, "bin", "redoubt")))


@pytest.fixture
def redoubt(program, tmp_path):
    """Runs the program in an empty folder: redoubt("train", "data.csv", stdin="...")."""

    def run(*arguments, stdin=""):
        return Finished(
            subprocess.run(
                [program, *map(str, arguments)],
                input=stdin,
                capture_output=True,
                text=True,
                cwd=tmp_path,
                check=False,
            )
        )

    return run
