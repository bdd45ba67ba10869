"""Data that come in blocks: the same results as row by row, in memory that does not grow."""

import csv
import gzip
import io
import json
import os
import random
import re
import subprocess
import time
from pathlib import Path

import pytest

N_FEATURES = 8


@pytest.fixture(scope="module")
def pool():
    """Different rows, as lines of CSV."""
    rng = random.Random(0)
    lines = []
    for _ in range(300):
        label = rng.choice(["up", "down"])
        shift = 0.4 if label == "up" else -0.4
        values = [repr(round(rng.gauss(shift, 1), 9)) for _ in range(N_FEATURES)]
        lines.append(",".join([*values, label]) + "\n")
    return lines


HEAD = ",".join([f"f{k}" for k in range(N_FEATURES)] + ["label"]) + "\n"


@pytest.fixture(scope="module")
def folder(pool, program, tmp_path_factory):
    """A vote and a table of several blocks whose rows are those of the pool."""
    folder = tmp_path_factory.mktemp("streaming")
    (folder / "pool.csv").write_text(HEAD + "".join(pool))
    chosen = random.Random(1).choices(range(len(pool)), k=60_000)
    text = HEAD + "".join(pool[k] for k in chosen)
    assert len(text) > 5_000_000
    (folder / "rows.csv").write_text(text)
    (folder / "rows.csv.gz").write_bytes(gzip.compress(text.encode(), 1))
    (folder / "chosen.json").write_text(json.dumps(chosen))
    train = ["train", "pool.csv", "--method", "svm-ens", "--planes", "5", "--model", "vote.json"]
    subprocess.run([program, *train], cwd=folder, check=True, capture_output=True)
    return folder


def run(program, folder, *arguments, **options):
    return subprocess.run(
        [program, *arguments], cwd=folder, capture_output=True, check=False, **options
    )


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text.decode())))


COMMANDS = {
    "predict": ["predict", "vote.json"],
    "certify": ["certify", "vote.json", "--witness"],
    "attack": ["attack", "vote.json", "--radius", "0.5"],
}


@pytest.mark.release_only
@pytest.mark.parametrize("name", COMMANDS)
def test_every_row_gets_what_it_gets_alone(program, folder, name):
    first, model, *options = COMMANDS[name]
    alone = rows_of(run(program, folder, first, model, "pool.csv", *options).stdout)
    chosen = json.loads((folder / "chosen.json").read_text())
    expected = [alone[k] | {"row": str(i + 1)} for i, k in enumerate(chosen)]
    whole = run(program, folder, first, model, "rows.csv", *options)
    assert whole.returncode == 0
    assert rows_of(whole.stdout) == expected
    if name == "certify":  # files, pipes and packed data are all the same
        packed = run(program, folder, first, model, "rows.csv.gz", *options)
        assert packed.stdout == whole.stdout
        piped = run(
            program, folder, first, model, "-", *options, input=(folder / "rows.csv").read_bytes()
        )
        assert piped.stdout == whole.stdout
        out = run(program, folder, first, model, "rows.csv", *options, "--out", "out.json")
        assert out.returncode == 0
        document = json.loads((folder / "out.json").read_text())
        assert [row["row"] for row in document["points"]] == list(range(1, len(chosen) + 1))
        assert [repr(row["radius"]) for row in document["points"][:500]] == [
            repr(float(row["radius"])) for row in expected[:500]
        ]


def test_evaluate_counts(program, folder):
    options = ["--radii", "0,0.2,0.5", "--format", "json"]
    report = json.loads(run(program, folder, "evaluate", "vote.json", "rows.csv", *options).stdout)
    radii = rows_of(run(program, folder, "certify", "vote.json", "pool.csv").stdout)
    chosen = json.loads((folder / "chosen.json").read_text())
    assert report["points"] == len(chosen)
    assert report["ceiling"] == "not computed for more than 5000 points"
    for row in report["curve"]:
        safe = sum(float(radii[k]["radius"]) > row["radius"] for k in chosen)
        assert row["accuracy"] == safe / len(chosen)


@pytest.mark.release_only
def test_ranges_that_follow_the_data_follow_all_of_it(program, folder):
    first, model, *options = COMMANDS["certify"]
    # The row that widens the ranges is the last one.
    far = ",".join(["9.5"] * N_FEATURES + ["up"]) + "\n"
    text = (folder / "rows.csv").read_text() + far
    (folder / "far.csv").write_text(text)
    options = ["--bounds", "data"]
    found = run(program, folder, first, model, "far.csv", *options).stdout
    short = HEAD + "".join(text.splitlines(keepends=True)[1:200]) + far
    few = run(program, folder, first, model, "-", *options, input=short.encode())
    assert rows_of(found)[:199] == rows_of(few.stdout)[:199]
    piped = run(program, folder, first, model, "-", *options, input=text.encode())
    assert piped.stdout == found


def test_rows_are_answered_before_a_pipe_ends(program, folder, pool):
    command = [program, "predict", "vote.json", "-", "--quiet"]
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        process.stdin.write(HEAD + "".join(pool[:40]))
        process.stdin.flush()
        lines = [process.stdout.readline() for _ in range(41)]  # would wait for ever
        assert lines[0].startswith("row,label") and lines[40].startswith("40,")
        process.stdin.write(pool[40])
        process.stdin.close()
        assert process.stdout.read().startswith("41,")
        assert process.wait() == 0


def test_a_bad_row_far_down(program, folder):
    text = (folder / "rows.csv").read_text() + "1,2\n"
    (folder / "bad.csv").write_text(text)
    n_lines = text.count("\n")
    found = run(program, folder, "predict", "vote.json", "bad.csv", "--quiet")
    assert found.returncode == 2
    message = f"redoubt: bad.csv:{n_lines}: expected {N_FEATURES + 1} fields, found 2\n"
    assert found.stderr.decode() == message
    assert 1000 < len(rows_of(found.stdout)) < 60_000  # the blocks before it
    run(program, folder, "predict", "vote.json", "bad.csv", "--out", "answers.csv")
    assert not (folder / "answers.csv").exists()
    assert not list(folder.glob(".redoubt-*"))


def test_damaged_gzip(program, folder):
    packed = (folder / "rows.csv.gz").read_bytes()
    for name, content, problem in [
        ("cut.csv.gz", packed[: len(packed) // 2], "the gzip data end too early"),
        ("bad.csv.gz", packed[:5000] + b"\xff" * 50 + packed[5050:], "the gzip data are damaged"),
        ("nothing.csv.gz", gzip.compress(b""), "the file is empty"),
    ]:
        (folder / name).write_bytes(content)
        found = run(program, folder, "predict", "vote.json", name, "--quiet")
        assert found.returncode == 2
        assert found.stderr.decode() == f"redoubt: {name}: {problem}\n"
    # Members one after the other are one file.
    text = (folder / "pool.csv").read_bytes()
    (folder / "two.csv.gz").write_bytes(gzip.compress(text[:999]) + gzip.compress(text[999:]))
    two = run(program, folder, "predict", "vote.json", "two.csv.gz")
    assert two.stdout == run(program, folder, "predict", "vote.json", "pool.csv").stdout


def peak_memory(program, folder, *arguments):
    """The greatest resident memory of a run, in MB.

    As the kernel says while it runs: what it says afterwards includes the memory of this process,
    from before the program was loaded.
    """
    peak = 0
    with open(os.devnull, "wb") as nowhere:
        process = subprocess.Popen([program, *arguments], cwd=folder, stdout=nowhere)
        status = Path(f"/proc/{process.pid}/status")
        while process.poll() is None:
            found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
            peak = max(peak, int(found[1]) / 1024 if found else 0)
            time.sleep(0.002)
    assert process.returncode == 0
    return peak


@pytest.mark.slow  # and so not under sanitizers, which keep memory that was given back
def test_memory_does_not_grow_with_the_rows(program, folder, pool):
    body = (folder / "rows.csv").read_text()[len(HEAD) :]
    sizes = {"two.csv": 2, "six.csv": 6}
    for name, times in sizes.items():
        (folder / name).write_text(HEAD + times * body)
    one = ["train", "pool.csv", "--method", "svm", "--model", "one.json"]
    assert run(program, folder, *one).returncode == 0
    for arguments in (
        ["predict", "one.json"],
        ["certify", "one.json", "--format", "json", "--witness"],
        ["evaluate", "one.json"],
    ):
        command, *rest = arguments
        options = [command, rest[0]], [*rest[1:], "--quiet"]
        small, large = (
            peak_memory(program, folder, *options[0], name, *options[1]) for name in sizes
        )
        assert 5 < large < 1.1 * small + 4, arguments
        assert large < 150
