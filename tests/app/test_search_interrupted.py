"""Searches that are stopped in the middle: what is known so far is written and marked."""

import csv
import io
import json
import signal
import time

import numpy as np
import pytest


@pytest.fixture
def hard_vote(redoubt, tmp_path):
    """A vote of so many different planes that no point is certified in a reasonable time."""
    assert redoubt("train", "digits3:train", "--radii", "0", "--model", "vote.json").code == 0
    path = tmp_path / "vote.json"
    fields = json.loads(path.read_text())
    del fields["checksum"]
    rng = np.random.default_rng(0)
    fields["planes"] = [{"w": rng.normal(size=64).tolist(), "b": 3.0} for _ in range(201)]
    path.write_text(json.dumps(fields))
    return "vote.json"


def interrupt(process):
    """What the process leaves behind after one Ctrl-C in its search."""
    line = process.stderr.readline()
    while not line.startswith("read "):
        line = process.stderr.readline()
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1, err
    assert "points were not settled; their brackets are wide but correct" in err
    return out


def test_certify(start, hard_vote):
    out = interrupt(start("certify", hard_vote, "digits3:test", "--verbose"))
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == 360
    assert "interrupted" in {row["status"] for row in rows}
    for row in rows:
        assert float(row["lower"]) <= float(row["upper"])


def test_attack(start, hard_vote):
    out = interrupt(start("attack", hard_vote, "digits3:test", "--radius", "3", "--verbose"))
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == 360
    assert "interrupted" in {row["status"] for row in rows}
    for row in rows:
        assert float(row["objective"]) <= float(row["bound"])


def test_evaluate(start, hard_vote):
    radii = "0,0.1,0.2,0.5,1,2"
    out = interrupt(
        start("evaluate", hard_vote, "digits3:test", "--radii", radii, "--format", "json", "-v")
    )
    curve = json.loads(out)["curve"]
    assert max(row["undecided"] for row in curve) > 0


def test_the_time_limit_is_for_all_points_together(redoubt, hard_vote):
    run = redoubt("certify", hard_vote, "digits3:test", "--time-limit", "0.5")
    assert run.code == 1
    assert "time limit" in {row["status"] for row in run.rows()}


def test_tune(start, tmp_path):
    process = start("tune", "digits3", "--epochs", "300", "--model", "model.json", "--verbose")
    assert process.stderr.readline().startswith("read ")
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "stopped (interrupted) before every candidate had been tried, so there is no model" in err
    assert "Mean balanced accuracy under attack" in out
    assert not (tmp_path / "model.json").exists()
