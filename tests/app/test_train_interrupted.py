"""redoubt train that is stopped in the middle: partial models, checkpoints, resuming."""

import json
import os
import re
import signal
import time

import pytest
import redoubt as package

LONG_TRAININGS = {
    "svm-ens": ["--planes", "200", "--threads", "2"],
    "ens-e": ["--planes", "60", "--radius", "0.5"],
    "ens-c": ["--radius", "2", "--epochs", "300", "--planes", "9", "--threads", "1"],
}


@pytest.fixture
def few_points(tmp_path):
    """Four of the digits as a test file, so that the attack table takes no time."""
    X, y, names, classes = package.datasets.load("digits3")
    rows = [*(y < 0).nonzero()[0][:2], *(y > 0).nonzero()[0][:2]]
    lines = [",".join([*names, "label"])] if names else []
    lines += [",".join([*map(repr, X[j].tolist()), classes[int(y[j] > 0)]]) for j in rows]
    (tmp_path / "few.csv").write_text("\n".join(lines) + "\n")
    return "few.csv"


def wait_for(process, path):
    while not path.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.001)


def planes(path):
    return json.loads(path.read_text())["planes"]


@pytest.mark.release_only
@pytest.mark.parametrize("method", LONG_TRAININGS)
def test_a_resumed_training_ends_with_the_same_bits(redoubt, start, few_points, tmp_path, method):
    train = ["train", "digits3:train", "--test", few_points, "--method", method]
    train += LONG_TRAININGS[method]
    assert redoubt(*train, "--model", "whole.json").code == 0

    checkpointed = [*train, "--checkpoint", "state.json", "--model", "model.json"]
    process = start(*checkpointed)
    wait_for(process, tmp_path / "state.json")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 1
    assert re.search(r"^status +interrupted, so partial$", out, re.MULTILINE)
    assert "Accuracy under attack" not in out
    assert "partial model written to model.json\n" in err
    assert "checkpoint kept in state.json; add --resume to continue from it\n" in err
    partial = package.load_model(tmp_path / "model.json")
    assert partial.is_partial
    assert partial.training["status"] == "interrupted"
    assert redoubt("certify", "model.json", few_points).code == 0
    assert planes(tmp_path / "model.json") != planes(tmp_path / "whole.json")

    run = redoubt(*checkpointed, "--resume")
    assert run.code == 0
    assert planes(tmp_path / "model.json") == planes(tmp_path / "whole.json")
    whole, resumed = (
        package.load_model(tmp_path / name).training for name in ("whole.json", "model.json")
    )
    assert not resumed["is_partial"]
    assert len(resumed["rounds"]["rows"]) == len(whole["rounds"]["rows"])
    assert not (tmp_path / "state.json").exists()


def test_a_second_interrupt_kills(start, tmp_path):
    # Opening a pipe that nobody reads waits: after the training, and before the end.
    os.mkfifo(tmp_path / "pipe")
    process = start("train", "gaussian", "--model", "pipe")
    assert process.stderr.readline().startswith("trained in ")
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert process.poll() is None
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
    assert process.returncode == -signal.SIGINT


@pytest.fixture
def checkpoint(redoubt, tmp_path):
    """What a training with Ens-C that had no time for its last epochs leaves behind."""
    train = ["train", "gaussian", "--method", "ens-c", "--planes", "3", "--epochs", "2000"]
    train += ["--radius", "2", "--checkpoint", "state.json"]
    path = tmp_path / "state.json"
    seconds = 0.05
    while not path.exists():
        assert redoubt(*train, "--time-limit", seconds).code == 1
        seconds *= 2
    return train


def error_of(redoubt, *arguments):
    run = redoubt(*arguments, "--resume")
    assert (run.code, run.out) == (2, "")
    return run.err


def test_a_checkpoint_of_another_training_is_refused(redoubt, checkpoint, tmp_path):
    before = (tmp_path / "state.json").read_bytes()
    belongs = "redoubt: state.json: the checkpoint belongs to "
    for option in (["--seed", "1"], ["--norm", "linf"]):
        assert error_of(redoubt, *checkpoint, *option) == f"{belongs}other settings\n"
    for option in (["--class-weight", "balanced"], ["--scale", "none"]):
        assert error_of(redoubt, *checkpoint, *option) == f"{belongs}other data\n"
    other = ["train", "gaussian:train", *checkpoint[2:]]
    assert error_of(redoubt, *other) == f"{belongs}other data\n"
    other = ["train", "gaussian", "--method", "ens-e", "--checkpoint", "state.json"]
    assert error_of(redoubt, *other) == f"{belongs}another method: 'ens-c'\n"
    assert (tmp_path / "state.json").read_bytes() == before


def test_a_damaged_checkpoint_is_refused(redoubt, checkpoint, tmp_path):
    path = tmp_path / "state.json"
    text = path.read_text()
    path.write_text(text[: len(text) // 2])
    assert "cut short or damaged" in error_of(redoubt, *checkpoint).splitlines()[0]
    path.write_text(text.replace('"n_steps": ', '"n_steps": 1', 1))
    assert error_of(redoubt, *checkpoint).startswith("redoubt: state.json: checksum: expected ")
    path.write_text("height,width\n1,2\n")
    assert error_of(redoubt, *checkpoint).startswith("redoubt: state.json:1: not valid JSON")


def test_a_checkpoint_is_not_overwritten_by_accident(redoubt, checkpoint, tmp_path):
    before = (tmp_path / "state.json").read_bytes()
    run = redoubt(*checkpoint)
    assert (run.code, run.out) == (2, "")
    assert run.err == (
        "redoubt: --checkpoint: 'state.json' already exists; add --resume to continue from it, or "
        "specify another file\n"
    )
    assert (tmp_path / "state.json").read_bytes() == before


def test_resuming_without_a_checkpoint_starts_anew(redoubt, tmp_path):
    train = ["train", "gaussian", "--method", "ens-r", "--planes", "3"]
    assert redoubt(*train, "--model", "whole.json").code == 0
    run = redoubt(*train, "--model", "model.json", "--checkpoint", "state.json", "--resume")
    assert run.code == 0
    assert run.err.startswith("no checkpoint at state.json: training from the start\n")
    assert planes(tmp_path / "model.json") == planes(tmp_path / "whole.json")
