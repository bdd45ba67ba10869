"""How results leave the program: formats, files, terminals, full disks, closed pipes."""

import csv
import json
import os
import pty
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest

import redoubt as package


@pytest.fixture
def model(redoubt, tmp_path):
    run = redoubt("train", "bcw:train", "--method", "svm-ens", "--planes", "5", "--model", "model.json")
    assert run.code == 0
    return tmp_path / "model.json"


COMMANDS = {
    "train": (["train", "bcw:train", "--test", "bcw:test"], "curve"),
    "tune": (
        ["tune", "gaussian", "--method", "ro-svm", "--radius", "0.1,0.5", "--folds", "2"],
        "candidates",
    ),
    "predict": (["predict", "model.json", "bcw:test"], "points"),
    "certify": (["certify", "model.json", "bcw:test"], "points"),
    "attack": (["attack", "model.json", "bcw:test", "--radius", "0.5"], "points"),
    "evaluate": (["evaluate", "model.json", "bcw:test"], "curve"),
    "info": (["info", "model.json"], "features"),
    "datasets": (["datasets"], "datasets"),
}


def as_text(value):
    """A cell of JSON in the words of CSV."""
    if value is None:
        return ""
    return value if isinstance(value, str) else repr(value)


@pytest.mark.parametrize("command", COMMANDS)
def test_formats_hold_the_same(redoubt, model, tmp_path, command):
    arguments, main_table = COMMANDS[command]
    table, comma, fields = (redoubt(*arguments, "--format", f) for f in ("table", "csv", "json"))
    assert table.code == comma.code == fields.code == 0
    rows = comma.rows()
    records = fields.json()[main_table]
    assert len(rows) == len(records) > 0
    for row, record in zip(rows, records, strict=True):
        assert list(row) == list(record)
        for text, value in zip(row.values(), record.values(), strict=True):
            if isinstance(value, (int, float)):
                assert float(text) == value
            else:
                assert text == as_text(value)
    # The aligned table has a line per row, and no line ends in a blank.
    assert table.out.count("\n") > len(rows)
    assert not any(line.endswith(" ") for line in table.out.splitlines())
    for name, run in (("out.csv", comma), ("out.json", fields)):
        written = redoubt(*arguments, "--out", name)
        assert (written.code, written.out) == (0, "")
        if command not in ("tune", "train"):  # whose status includes times
            assert (tmp_path / name).read_text() == run.out


def on_terminal(program, folder, *arguments, env=()):
    """What the program writes to a terminal: standard output and standard error together."""
    main, side = pty.openpty()
    process = subprocess.Popen(
        [program, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=side,
        stderr=side,
        cwd=folder,
        env={**os.environ, **dict(env)},
    )
    os.close(side)
    parts = []
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        parts.append(part)
    os.close(main)
    return process.wait(), b"".join(parts).decode()


def test_a_terminal_gets_tables(program, redoubt, model, tmp_path):
    code, shown = on_terminal(program, tmp_path, "predict", "model.json", "bcw:test", "--quiet")
    assert code == 0
    table = redoubt("predict", "model.json", "bcw:test", "--quiet", "--format", "table")
    assert shown.replace("\r\n", "\n") == table.out
    assert redoubt("predict", "model.json", "bcw:test").out != table.out


@pytest.mark.slow
def test_a_bar_shows_after_two_seconds(program, redoubt, tmp_path):
    slow = ["tune", "digits3", "--epochs", "20", "--planes", "5", "--folds", "50", "--time-limit", "4"]
    code, shown = on_terminal(program, tmp_path, *slow)
    assert code == 1
    lines = [line for line in shown.split("\r") if "tuning [" in line]
    assert lines
    for line in lines:
        assert "of 450 trainings" in line
    assert "/s, " in lines[-1]
    assert re.search(r"\d+ (s|min) left", lines[-1])
    quiet_code, quiet = on_terminal(program, tmp_path, *slow, "--quiet")
    assert quiet_code == 1
    assert "tuning [" not in quiet
    assert "\x1b" not in redoubt(*slow).err


def test_quiet_and_verbose(redoubt, model):
    assert redoubt("certify", model, "bcw:test", "--quiet").err == ""
    usual = redoubt("certify", model, "bcw:test").err
    assert usual.count("\n") == 1
    assert "radii in standard deviations of the training data" in usual
    verbose = redoubt("predict", model, "bcw:test", "--verbose").err
    for beginning in ("read 140 rows in ", "predicted in ", "written in "):
        assert beginning in verbose


def test_labels_that_need_care(redoubt, tmp_path):
    text = 'a,kind\n1,"x, ""y"""\n2,"ü|1"\n3,"x, ""y"""\n4,"ü|1"\n'
    (tmp_path / "odd.csv").write_text(text)
    assert redoubt("train", "odd.csv", "--model", "model.json").code == 0
    rows = redoubt("predict", "model.json", "odd.csv").rows()
    assert {row["label"] for row in rows} == {'x, "y"', "ü|1"}
    points = redoubt("predict", "model.json", "odd.csv", "--format", "json").json()["points"]
    assert [point["label"] for point in points] == [row["label"] for row in rows]
    lines = redoubt("predict", "model.json", "odd.csv", "--format", "table").out.splitlines()
    assert len(lines) == 5
    # Aligned as a reader sees it: every prediction starts below its heading.
    start = lines[0].index("prediction")
    for line, row in zip(lines[1:], rows, strict=True):
        assert line[start:].startswith(row["prediction"])


def test_infinite_radii_in_json_are_texts(redoubt, tmp_path):
    (tmp_path / "points.csv").write_text("a,kind\n1,0\n2,1\n3,0\n4,1\n")
    assert redoubt("train", "points.csv", "--radius", "1000", "--model", "model.json").code == 0
    points = redoubt("certify", "model.json", "points.csv", "--format", "json").json()["points"]
    assert {point["radius"] for point in points} == {"inf", "-inf"}


def test_a_closed_pipe_ends_the_program_quietly(program, model, tmp_path):
    process = subprocess.Popen(
        # More than a pipe holds.
        [program, "attack", "model.json", "bcw", "--radius", "1", "--format", "json", "-q"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    process.stdout.read(1)
    process.stdout.close()
    with process.stderr as messages:
        assert messages.read() == b""
    assert process.wait() == -signal.SIGPIPE
    script = f"'{program}' certify model.json bcw -q | head -n 3"
    run = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0
    assert run.stdout.count("\n") == 3
    assert run.stderr == ""


# --- disks ------------------------------------------------------------------------------------


def test_a_full_device(redoubt, model):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    run = redoubt("predict", model, "bcw", "--out", "/dev/full")
    assert (run.code, run.out) == (2, "")
    assert run.err == "redoubt: /dev/full: cannot write the file: No space left on device\n"


def test_a_write_that_fails_half_way_leaves_the_old_file(program, model, tmp_path):
    (tmp_path / "out.csv").write_text("old")
    before = sorted(tmp_path.iterdir())

    def limit_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    run = subprocess.run(
        [program, "predict", "model.json", "bcw", "--out", "out.csv"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        preexec_fn=limit_files,
    )
    assert run.returncode == 2
    assert run.stderr == "redoubt: out.csv: cannot write the file: File too large\n"
    assert (tmp_path / "out.csv").read_text() == "old"
    assert sorted(tmp_path.iterdir()) == before


def test_a_full_disk(program, model, tmp_path):
    """A real file system of 32 KiB, where a user may mount one."""
    (tmp_path / "disk").mkdir()
    shutil.copy(program, tmp_path / "redoubt")
    script = """
        mount -t tmpfs -o size=32k none disk || exit 99
        echo old > disk/out.csv
        ./redoubt certify model.json bcw --out disk/out.csv
        echo "code $?"; cat disk/out.csv; ls disk
    """
    command = ["unshare", "--user", "--map-root-user", "--mount", "bash", "-c", script]
    if shutil.which("unshare") is None:
        pytest.skip("no unshare")
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    if "code" not in run.stdout:
        pytest.skip("no right to mount")
    assert run.stdout == "code 2\nold\nout.csv\n"
    assert run.stderr == "redoubt: disk/out.csv: cannot write the file: No space left on device\n"


@pytest.fixture
def closed_folder(program, model):
    """A folder that may be read only, and how to run the program as somebody without rights."""
    folder = Path(tempfile.mkdtemp())
    shutil.copy(model, folder / "model.json")
    os.chmod(folder / "model.json", 0o644)
    shutil.copy(program, folder / "redoubt")
    os.chmod(folder, 0o555)

    def give_up_rights():
        if os.geteuid() == 0:
            os.setgid(65534)
            os.setuid(65534)

    def run(*arguments):
        return subprocess.run(
            ["./redoubt", *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
            preexec_fn=give_up_rights,
        )

    yield run
    os.chmod(folder, 0o755)
    shutil.rmtree(folder)


def test_a_read_only_folder(closed_folder):
    reason = "cannot write the file: Permission denied\n"
    run = closed_folder("predict", "model.json", "bcw", "--out", "out.csv")
    assert (run.returncode, run.stdout, run.stderr) == (2, "", f"redoubt: out.csv: {reason}")
    run = closed_folder("train", "bcw", "--model", "new.json")
    assert (run.returncode, run.stdout, run.stderr) == (2, "", f"redoubt: new.json: {reason}")
    run = closed_folder("train", "bcw", "--method", "ens-e", "--checkpoint", "state")
    assert (run.returncode, run.stdout, run.stderr) == (2, "", f"redoubt: state: {reason}")
    assert closed_folder("predict", "model.json", "bcw").returncode == 0


# --- company ----------------------------------------------------------------------------------


def test_ten_runs_in_one_folder(program, redoubt, tmp_path):
    """Ten trainings write the same model while somebody reads it: it is always a whole one."""
    train = [program, "train", "gaussian:train", "--method", "svm-ens", "--planes", "9"]
    train += ["--threads", "1", "--radii", "0", "--model", "model.json", "--quiet"]
    seeds = range(10)
    subprocess.run([*train, "--seed", "0"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    done = threading.Event()
    seen = []

    def read_on():
        while not done.is_set():
            seen.append(tuple(package.load_model(tmp_path / "model.json").ensemble.intercept))

    reader = threading.Thread(target=read_on)
    reader.start()
    processes = [
        subprocess.Popen([*train, "--seed", str(seed)], cwd=tmp_path, stdout=subprocess.PIPE)
        for seed in seeds
    ]
    for process in processes:
        process.communicate()
    done.set()
    reader.join()
    assert [process.returncode for process in processes] == [0] * 10
    assert [path.name for path in tmp_path.iterdir()] == ["model.json"]
    possible = set()
    for seed in seeds:
        subprocess.run([*train, "--seed", str(seed)], cwd=tmp_path, check=True, capture_output=True)
        possible.add(tuple(package.load_model(tmp_path / "model.json").ensemble.intercept))
    assert len(possible) == 10
    assert seen
    assert set(seen) <= possible


def test_a_report_can_be_read_again(redoubt, model, tmp_path):
    """What attack writes is data, and the model answers it as the report says."""
    run = redoubt("attack", model, "bcw:test", "--radius", "0.5", "--out", "attacked.csv")
    assert run.code == 0
    with open(tmp_path / "attacked.csv", newline="") as file:
        expected = [row["attacked"] for row in csv.DictReader(file)]
    again = redoubt("predict", model, "attacked.csv", "--label", "label", "--format", "json")
    assert [point["prediction"] for point in json.loads(again.out)["points"]] == expected
