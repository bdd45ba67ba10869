"""Files of rows through `redoubt.stream`: the results of arrays in memory, and nothing lost."""

import gzip
import os
import re
import resource
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import redoubt

pa = pytest.importorskip("pyarrow")
import pyarrow.csv as pc  # noqa: E402
from pyarrow.compute import equal as pc_equal  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

from redoubt import stream  # noqa: E402
from redoubt._streams import command, sources  # noqa: E402

NAMES = list("abcde")
N_ROWS, N_GROUP = 1000, 150


@pytest.fixture(autouse=True)
def short_parts(monkeypatch):
    monkeypatch.setattr(sources, "ROWS_PER_PART", 100)


@pytest.fixture
def table():
    rng = np.random.default_rng(3)
    sign = np.where(rng.random(N_ROWS) < 0.5, 1.0, -1.0)
    X = rng.normal(size=(N_ROWS, 5)) + 0.6 * sign[:, None]
    columns = {name: X[:, k] for k, name in enumerate(NAMES)}
    label = np.where(sign > 0, "up", "down")
    return pa.table({"id": np.arange(N_ROWS)} | columns | {"label": label})


@pytest.fixture
def model(table, tmp_path):
    """A model file with five planes."""
    X = table.select(NAMES).to_pandas()
    fitted = redoubt.BaggedSVMClassifier(n_planes=5, random_state=0)
    fitted.fit(X, table["label"].to_pylist())
    redoubt.save_model(fitted, tmp_path / "model.json")
    return redoubt.load_model(tmp_path / "model.json")


@pytest.fixture
def rows(table, tmp_path):
    path = tmp_path / "rows.parquet"
    pq.write_table(table, path, row_group_size=N_GROUP)
    return path


def certificates(model, table):
    return redoubt.certify(model, table.select(NAMES), table["label"].to_pylist())


def read(path):
    path = str(path)
    if path.endswith(".parquet"):
        return pq.read_table(path)
    return pc.read_csv(path) if path.endswith(".csv") else pa.ipc.open_file(path).read_all()


def write(table, path):
    path = str(path)
    if path.endswith(".parquet"):
        pq.write_table(table, path, row_group_size=N_GROUP)
    elif path.endswith(".csv"):
        pc.write_csv(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=N_GROUP)


@pytest.mark.parametrize("out", ["out.parquet", "out.arrow", "out.csv"])
@pytest.mark.parametrize("source", ["rows.parquet", "rows.arrow", "rows.csv"])
def test_certify_as_in_memory(model, table, tmp_path, source, out):
    write(table, tmp_path / source)
    result = stream.certify(
        tmp_path / source, model, tmp_path / out, label="label", witness=True, keep=["id"]
    )
    found, expected = read(tmp_path / out), certificates(model, table)
    assert result.n_rows == len(found) == N_ROWS
    assert found["id"].to_pylist() == list(range(N_ROWS))
    for name in ("prediction", "radius", "lower", "upper", "status"):
        assert found[name].to_pylist() == getattr(expected, name).tolist()
    nearest = table["a"].to_numpy() + expected.witness[:, 0]
    assert found["witness_a"].to_pylist() == nearest.tolist()
    assert sorted(os.listdir(tmp_path)) == sorted(["model.json", source, out])


def test_predict_attack_and_evaluate(model, table, rows, tmp_path):
    path, out = tmp_path / "model.json", tmp_path / "out.parquet"
    stream.predict(rows, path, out)
    assert read(out)["prediction"].to_pylist() == model.predict(table).tolist()
    stream.attack(rows, path, out, radius=0.4, label="label", moved=True)
    X, y = table.select(NAMES), table["label"].to_pylist()
    attacks = redoubt.attack(model, X, y, 0.4)
    assert read(out)["success"].to_pylist() == attacks.success.tolist()
    moved = table["b"].to_numpy() + attacks.perturbation[:, 1]
    assert read(out)["moved_b"].to_pylist() == moved.tolist()
    radii = [0.0, 0.3, 1.0]
    curve = stream.evaluate(rows, path, radii, label="label", out=tmp_path / "curve.csv")
    expected = redoubt.attack_curve(certificates(model, table), y, radii)
    assert curve.accuracy.tolist() == expected.accuracy.tolist()
    assert curve.balanced_accuracy.tolist() == expected.balanced_accuracy.tolist()
    assert read(tmp_path / "curve.csv")["accuracy"].to_pylist() == expected.accuracy.tolist()


def test_many_files_are_one(model, table, tmp_path):
    folder = tmp_path / "days"
    folder.mkdir()
    for k in range(4):
        pq.write_table(table.slice(250 * k, 250), folder / f"day-{k}.parquet")
    expected = certificates(model, table).radius.tolist()
    out = tmp_path / "out.parquet"
    for source in (folder, str(folder / "day-*.parquet"), sorted(folder.iterdir())):
        stream.certify(source, model, out, label="label")
        assert read(out)["radius"].to_pylist() == expected


def test_no_rows(model, table, tmp_path):
    pq.write_table(table.slice(0, 0), tmp_path / "none.parquet")
    stream.certify(tmp_path / "none.parquet", model, tmp_path / "out.parquet", label="label")
    found = read(tmp_path / "out.parquet")
    assert len(found) == 0 and found.schema.names == redoubt.batch_certify(model).columns


def test_an_empty_row_group_between_others(model, table, tmp_path):
    path = tmp_path / "rows.parquet"
    with pq.ParquetWriter(path, table.schema) as writer:
        for part in (table.slice(0, 10), table.slice(0, 0), table.slice(10, 10)):
            writer.write_table(part)
    stream.certify(path, model, tmp_path / "out.parquet", label="label")
    expected = certificates(model, table.slice(0, 20)).radius.tolist()
    assert read(tmp_path / "out.parquet")["radius"].to_pylist() == expected


def with_gap(table, row):
    values = table["c"].to_pylist()
    values[row] = None
    return table.set_column(table.schema.get_field_index("c"), "c", pa.array(values, pa.float64()))


def truncated(path):
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def damaged(path):
    """The pages of the fourth row group are not what they should be."""
    group = pq.ParquetFile(path).metadata.row_group(3)
    start = group.column(1).data_page_offset
    content = bytearray(path.read_bytes())
    content[start : start + 400] = b"\xff" * 400
    path.write_bytes(bytes(content))


def test_bad_input_is_one_line_with_file_and_row_group(model, table, tmp_path):
    good, bad = tmp_path / "good.parquet", tmp_path / "bad.parquet"
    write(table, good)
    texts = table.set_column(1, "a", pa.array(["x"] * N_ROWS))
    cases = [
        # Row group 3 has the rows from 450 on, in parts of 100 and 50.
        (with_gap(table, 470), None, r"row group 3: X: column 'c': row 20 has no value"),
        (with_gap(table, 570), None, r"row group 3 from row 100: X: column 'c': row 20 has no"),
        (table.drop_columns(["d"]), None, r": column 'd' not found; the file has 'id', 'a'"),
        (texts, None, r": column 'a' is string, but double in .*good.parquet"),
        (table, truncated, r": cannot read the file: "),
        (table, damaged, r", row group 3: "),
    ]
    for case, (content, harm, message) in enumerate(cases):
        out = tmp_path / f"out{case}.parquet"
        write(content, bad)
        if harm is not None:
            harm(bad)
        with pytest.raises(stream.StreamError, match=message) as error:
            stream.certify([good, bad], model, out, label="label")
        assert str(error.value).startswith(str(bad)) and "\n" not in str(error.value)
        assert not out.exists()
        parts = [name for name in os.listdir(f"{out}.parts") if name.endswith(".arrow")]
        assert len(parts) >= 13  # those of the good file, two for each row group but the last


def test_what_fails_at_once_leaves_no_folder(model, table, tmp_path):
    bad, out = tmp_path / "bad.parquet", tmp_path / "out.parquet"
    write(table.drop_columns(["d"]), bad)
    with pytest.raises(stream.StreamError, match="column 'd' not found"):
        stream.certify(bad, model, out, label="label")
    with pytest.raises(stream.StreamError, match="column 'd' not found"):
        stream.evaluate(bad, model, [0.0], label="label", out=out)
    assert not [name for name in os.listdir(tmp_path) if name.startswith("out")]


def test_truncated_files_of_other_kinds(model, table, tmp_path):
    out = tmp_path / "out.parquet"
    for name, message in [
        ("rows.arrow", "cannot read the file: it begins as an Arrow file, but its end is missing"),
        ("rows.csv.gz", "cannot read the file: Truncated compressed stream"),
    ]:
        path = tmp_path / name
        if name.endswith(".gz"):
            write(table, tmp_path / "rows.csv")
            path.write_bytes(gzip.compress((tmp_path / "rows.csv").read_bytes()))
        else:
            write(table, path)
        truncated(path)
        with pytest.raises(stream.StreamError, match=message) as error:
            stream.certify(path, model, out, label="label")
        assert str(error.value).startswith(str(path)) and "\n" not in str(error.value)


def test_files_without_rows_or_of_one_class(model, table, rows, tmp_path):
    none, one = tmp_path / "none.parquet", tmp_path / "one.parquet"
    write(table.slice(0, 0), none)
    write(table.filter(pc_equal(table["label"], "up")), one)
    expected = stream.evaluate(rows, model, [0, 0.5], label="label")
    found = stream.evaluate([none, rows, none], model, [0, 0.5], label="label")
    assert found.accuracy.tolist() == expected.accuracy.tolist()
    curve = stream.evaluate([one, rows], model, [0], label="label")
    ups = np.array(table["label"].to_pylist()) == "up"
    right = model.predict(table) == np.array(table["label"].to_pylist())
    assert curve.accuracy[0] == (right.sum() + right[ups].sum()) / (len(table) + ups.sum())
    for alone, n_classes in ((one, 1), (none, 0)):
        with pytest.raises(ValueError, match=f"expected at least two classes, got {n_classes}"):
            stream.evaluate(alone, model, [0], label="label")


def test_other_mistakes(model, rows, tmp_path):
    out = tmp_path / "out.parquet"
    for call, error, message in [
        (lambda: stream.predict(tmp_path / "gone.parquet", model, out), ValueError, "no such file"),
        (lambda: stream.predict(rows, model, tmp_path / "out.txt"), ValueError, "that ends in"),
        (lambda: stream.predict(rows, model, tmp_path / "no" / "o.csv"), OSError, "no such folder"),
        (lambda: stream.certify(rows, model, out, nrom="l2"), TypeError, "unexpected option"),
        (lambda: stream.certify(rows, model, out, label="y"), ValueError, "column 'y' not found"),
        (lambda: stream.predict(rows, model, out, keep=["z"]), ValueError, "'z' not found"),
        (lambda: stream.evaluate(rows, model, [0], label="label", resume=True), ValueError, "out"),
    ]:
        with pytest.raises(error, match=message):
            call()


class Stopped:
    """Raises what Ctrl-C raises once so many parts are done."""

    def __init__(self, monkeypatch, n_parts):
        compute, self.left = stream.Stream._compute, n_parts

        def counted(this, part):
            if self.left == 0:
                raise KeyboardInterrupt
            self.left -= 1
            return compute(this, part)

        monkeypatch.setattr(stream.Stream, "_compute", counted)


@pytest.mark.parametrize("n_parts", [0, 1, 6, 12])
def test_resume(model, table, rows, tmp_path, monkeypatch, n_parts):
    out, radii = tmp_path / "out.parquet", [0.0, 0.5]
    with monkeypatch.context() as patch:
        Stopped(patch, n_parts)
        with pytest.raises(KeyboardInterrupt):
            stream.certify(rows, model, out, label="label", keep=["id"])
        Stopped(patch, n_parts)
        with pytest.raises(KeyboardInterrupt):
            stream.evaluate(rows, model, radii, label="label", out=tmp_path / "curve.csv")
    assert not out.exists()
    expected = certificates(model, table)
    result = stream.certify(rows, model, out, label="label", keep=["id"], n_jobs=1, resume=True)
    assert result.n_resumed == n_parts
    assert result.n_parts == 13 - n_parts
    assert read(out)["radius"].to_pylist() == expected.radius.tolist()
    assert read(out)["id"].to_pylist() == list(range(N_ROWS))
    curve = stream.evaluate(
        rows, model, radii, label="label", out=tmp_path / "curve.csv", resume=True
    )
    assert (
        curve.accuracy.tolist()
        == redoubt.attack_curve(expected, table["label"].to_pylist(), radii).accuracy.tolist()
    )


def test_resume_is_for_the_same_run_only(model, table, rows, tmp_path, monkeypatch):
    out = tmp_path / "out.parquet"
    with monkeypatch.context() as patch:
        Stopped(patch, 3)
        with pytest.raises(KeyboardInterrupt):
            stream.certify(rows, model, out, label="label")
    X, y = table.select(NAMES).to_pandas(), table["label"].to_pylist()
    other = redoubt.BaggedSVMClassifier(n_planes=5, random_state=1).fit(X, y)
    with pytest.raises(ValueError, match="another run .different model or options[)]"):
        stream.certify(rows, other, out, label="label", resume=True)
    with pytest.raises(ValueError, match="another run .different model or options[)]"):
        stream.certify(rows, model, out, label="label", norm="l1", resume=True)
    pq.write_table(table.slice(1), rows, row_group_size=N_GROUP)
    with pytest.raises(ValueError, match="another run .different files"):
        stream.certify(rows, model, out, label="label", resume=True)
    # Anew, what was there is thrown away.
    lost = "the 250 rows that another run finished are discarded$"
    with pytest.warns(UserWarning, match=lost):
        result = stream.certify(rows, model, out, label="label")
    assert result.n_resumed == 0 and len(read(out)) == N_ROWS - 1


@pytest.mark.filterwarnings("default")  # the command prints what the library warns of
def test_starting_afresh_says_what_is_lost(model, rows, tmp_path, monkeypatch, capsys):
    out, curve = tmp_path / "out.parquet", tmp_path / "curve.csv"
    with monkeypatch.context() as patch:
        Stopped(patch, 3)
        with pytest.raises(KeyboardInterrupt):
            stream.predict(rows, model, out)
    with monkeypatch.context() as patch:
        Stopped(patch, 3)
        with pytest.raises(KeyboardInterrupt):
            stream.evaluate(rows, model, [0.5], label="label", out=curve)
    lost = "250 rows that an earlier run finished are discarded; resume=True .--resume. continues"
    with pytest.warns(UserWarning, match=lost):
        stream.evaluate(rows, model, [0.5], label="label", out=curve)
    line = ["predict", str(tmp_path / "model.json"), str(rows), "--out", str(out)]
    functions = {"predict": stream.predict}
    with monkeypatch.context() as patch:
        Stopped(patch, 2)
        assert command.main(functions, line) == 1
    found = capsys.readouterr().err.splitlines()
    assert len(found) == 2 and re.search(lost, found[0])
    assert found[0].startswith(f"redoubt.stream: {out}.parts: starting afresh, so the 250 rows")
    # Nothing is said where nothing is lost.
    assert command.main(functions, [*line, "--resume"]) == 0
    (found,) = capsys.readouterr().err.splitlines()
    assert re.match(r"850 rows after 150 finished before in .* s .*out.parquet", found)
    assert command.main(functions, line) == 0
    (found,) = capsys.readouterr().err.splitlines()
    assert re.match(r"1,000 rows in .* s .*out.parquet", found)


@pytest.mark.parametrize("limit", [3_000, 30_000])
def test_full_disk(model, table, rows, tmp_path, limit):
    """The smaller limit stops the first part, the larger one the joined file."""
    out = tmp_path / "out.arrow"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        with pytest.raises(redoubt.WriteError, match="cannot write the") as error:
            stream.certify(rows, model, out, label="label")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "\n" not in str(error.value)
    assert not out.exists() and not os.path.exists(f"{out}.tmp")
    result = stream.certify(rows, model, out, label="label", resume=True)
    assert result.n_parts == (13 if limit == 3_000 else 0)
    assert read(out)["radius"].to_pylist() == certificates(model, table).radius.tolist()


def shell(*arguments, **options):
    line = [sys.executable, "-m", "redoubt.stream", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, check=False, **options)


def test_the_command(model, table, rows, tmp_path):
    path, out = tmp_path / "model.json", tmp_path / "out.parquet"
    run = shell("certify", path, rows, "--label", "label", "--out", out, "--keep", "id,a")
    assert run.returncode == 0 and re.match(r"1,000 rows in .* s .*out.parquet\n", run.stderr)
    assert read(out).schema.names[:3] == ["id", "a", "prediction"]
    assert read(out)["radius"].to_pylist() == certificates(model, table).radius.tolist()


def test_the_command_in_this_process(model, rows, tmp_path, capsys):
    names = ("predict", "certify", "attack", "evaluate")
    functions = {name: getattr(stream, name) for name in names}
    path, out = str(tmp_path / "model.json"), str(tmp_path / "out.parquet")
    options = ["--label", "label", "--radii", "0,0.5"]
    assert command.main(functions, ["evaluate", path, str(rows), *options]) == 0
    found = capsys.readouterr()
    lines = found.out.splitlines()
    assert lines[0] == "radius,accuracy,balanced_accuracy,undecided" and len(lines) == 3
    assert "ceiling is left out" in found.err
    gone = str(tmp_path / "gone.parquet")
    assert command.main(functions, ["attack", path, gone, "--radius", "0.5", "--out", out]) == 2
    assert capsys.readouterr() == ("", f"redoubt.stream: {gone}: no such file\n")


def test_a_reader_that_disappears(model, rows, tmp_path):
    line = [sys.executable, "-m", "redoubt.stream", "evaluate", tmp_path / "model.json", rows]
    options = ["--label", "label", "--radii", "0,0.5"]
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        run = subprocess.run(
            [*map(str, line), *options], stdout=closed, stderr=subprocess.PIPE, check=False
        )
    assert (run.returncode, run.stderr) == (1, b"")


def test_ctrl_c_keeps_what_is_finished(table, tmp_path):
    # A vote of so many planes that some part takes long.
    rng = np.random.default_rng(0)
    planes = redoubt.Ensemble(rng.normal(size=(201, 5)), np.full(201, 0.2))
    redoubt.save_model(planes, tmp_path / "hard.json", feature_names=NAMES)
    path, out = tmp_path / "rows.parquet", tmp_path / "out.parquet"
    pq.write_table(table, path, row_group_size=5)
    line = [sys.executable, "-m", "redoubt.stream", "certify", tmp_path / "hard.json", path]
    process = subprocess.Popen(
        [*map(str, line), "--out", str(out)], stderr=subprocess.PIPE, text=True
    )
    parts = f"{out}.parts"
    deadline = time.monotonic() + 60
    while not os.path.exists(f"{parts}/1.arrow") and time.monotonic() < deadline:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 1
    advice = "run again with --resume to continue"
    assert err == f"redoubt.stream: stopped; finished parts are in {parts}, {advice}\n"
    assert not out.exists() and os.path.exists(f"{parts}/1.arrow")


def test_progress_with_time_left(model, rows, tmp_path, monkeypatch, capsys):
    from redoubt._streams import progress

    monkeypatch.setattr(progress, "_FIRST", 0.0)
    monkeypatch.setattr(progress, "_PAUSE_OF_LINES", 0.0)
    stream.predict(rows, model, tmp_path / "out.parquet", progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 13
    assert re.fullmatch(r"predicting: 100 %, 1,000 rows, [\d,]+/s, 0 s left", lines[-1])
    assert re.fullmatch(r"predicting: \d+ %, 450 rows, [\d,]+/s, \d+ s left", lines[5])
    stream.predict(rows, model, tmp_path / "out.parquet")
    assert capsys.readouterr().err == ""


def test_memory_does_not_grow_with_the_file(model, tmp_path):
    """The peak of one process after a file, and after one eight times as long.

    The allocators give back at once what is freed: what they would keep otherwise varies.
    """
    script = (
        "import re, sys; from redoubt import stream\n"
        "for rows in sys.argv[3:]:\n"
        "    stream.predict(rows, sys.argv[1], sys.argv[2])\n"
        "    print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])\n"
    )
    rng = np.random.default_rng(0)
    for name, n_rows in (("short", 200_000), ("long", 1_600_000)):
        values = {column: rng.random(n_rows) for column in NAMES}
        path = tmp_path / f"{name}.parquet"
        pq.write_table(pa.table(values), path, row_group_size=50_000, use_dictionary=False)
    files = ("model.json", "out.parquet", "short.parquet", "long.parquet")
    frugal = {
        "ARROW_DEFAULT_MEMORY_POOL": "system",
        "MALLOC_ARENA_MAX": "1",
        "MALLOC_MMAP_THRESHOLD_": "65536",
        "MALLOC_TRIM_THRESHOLD_": "65536",
    }
    line = [sys.executable, "-c", script, *(str(tmp_path / name) for name in files)]
    run = subprocess.run(line, capture_output=True, check=True, env=os.environ | frugal)
    short, long = (int(peak) / 1024 for peak in run.stdout.split())
    # The longer file has 61 MB of numbers.
    assert long < short + 15
