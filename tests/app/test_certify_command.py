"""redoubt certify from the outside."""

import json

import numpy as np
import pytest
import redoubt as package

DUAL = {"l1": np.inf, "l2": 2, "linf": 1}
EXPONENT = {"l1": 1, "l2": 2, "linf": np.inf}


@pytest.fixture
def plane_file(redoubt, tmp_path):
    """The robust plane of the BCW training part."""
    path = tmp_path / "model.json"
    assert redoubt("train", "bcw:train", "--radius", "0.5", "--model", path).code == 0
    return path


def bcw_test():
    X, y, names, classes = package.datasets.load("bcw")
    rows = package.datasets.published_split("bcw")[1]
    return X[rows], y[rows], names, [classes[int(sign > 0)] for sign in y[rows]]


def write_csv(path, columns, labels=None, label="label"):
    """Columns by name, in the order of the dictionary."""
    names = [*columns, *([label] if labels else [])]
    lines = [",".join(names)]
    for j in range(len(next(iter(columns.values())))):
        fields = [repr(float(values[j])) for values in columns.values()]
        lines.append(",".join([*fields, *([labels[j]] if labels else [])]))
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_one_plane_has_a_closed_form(redoubt, plane_file, norm):
    model = package.load_model(plane_file)
    X, y, _, labels = bcw_test()
    run = redoubt("certify", plane_file, "bcw:test", "--norm", norm)
    assert run.code == 0
    w, b = model.ensemble.coef[0], model.ensemble.intercept[0]
    margins = ((X - model.center) / model.scale) @ w + b
    radii = y * margins / np.linalg.norm(w, DUAL[norm])
    np.testing.assert_allclose(run.column("radius"), radii, rtol=1e-9, atol=1e-9)
    assert (run.column("lower") <= run.column("upper")).all()
    rows = run.rows()
    assert list(rows[0]) == [
        "row",
        "label",
        "prediction",
        "radius",
        "lower",
        "upper",
        "status",
        "nodes",
    ]
    assert [row["row"] for row in rows] == [str(j + 1) for j in range(len(y))]
    assert [row["label"] for row in rows] == labels
    assert [row["prediction"] for row in rows] == model.predict(X).tolist()
    assert {row["status"] for row in rows} == {"optimal"}
    assert "certified 140 points in" in run.err
    assert f"{norm} radii in standard deviations of the training data\n" in run.err


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_votes_and_python_agree_to_the_last_bit(redoubt, vote_file, norm):
    path = vote_file("bcw:train", norm=norm)
    model = package.load_model(path)
    X, y, _, _ = bcw_test()
    run = redoubt("certify", path, "bcw:test")  # the norm is the model's
    result = package.certify(model.ensemble, model.transform(X), y, norm=norm)
    for name in ("radius", "lower", "upper"):
        np.testing.assert_array_equal(run.column(name), getattr(result, name))
    assert len({row["nodes"] for row in run.rows()}) > 1


def test_without_labels_the_answer_counts_as_right(redoubt, vote_file, tmp_path):
    path = vote_file("bcw:train")
    X, _, names, _ = bcw_test()
    write_csv(tmp_path / "points.csv", dict(zip(names, X.T, strict=True)))
    run = redoubt("certify", path, "points.csv")
    assert "label" not in run.rows()[0]
    labelled = redoubt("certify", path, "bcw:test")
    np.testing.assert_allclose(run.column("radius"), np.abs(labelled.column("radius")), rtol=1e-9)


def test_columns_are_found_by_name(redoubt, vote_file, tmp_path):
    path = vote_file("bcw:train")
    X, _, names, labels = bcw_test()
    columns = dict(zip(names, X.T, strict=True))
    shuffled = {"other": X[:, 0], **{name: columns[name] for name in reversed(names)}}
    write_csv(tmp_path / "points.csv", shuffled, labels)
    expected = redoubt("certify", path, "bcw:test").out
    assert redoubt("certify", path, "points.csv").out == expected
    assert (
        redoubt("certify", path, "-", stdin=(tmp_path / "points.csv").read_text()).out == expected
    )
    # Another name for the labels.
    write_csv(tmp_path / "points.csv", shuffled, labels, label="diagnosis")
    assert "label" not in redoubt("certify", path, "points.csv").rows()[0]
    assert redoubt("certify", path, "points.csv", "--label", "diagnosis").out == expected
    # By position where there are no names.
    write_csv(tmp_path / "points.csv", columns, labels)
    nameless = (tmp_path / "points.csv").read_text().partition("\n")[2]
    assert redoubt("certify", path, "-", stdin=nameless).out == expected
    del shuffled[names[3]]
    write_csv(tmp_path / "points.csv", shuffled, labels)
    run = redoubt("certify", path, "points.csv")
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith(
        f"redoubt: points.csv:1: column '{names[3]}' of the training file not found"
    )


def test_bundled_data_must_have_the_features_of_the_model(redoubt, tmp_path):
    rng = np.random.default_rng(0)
    columns = {name: rng.normal(size=20) for name in ("x5", "x4", "x3", "x2", "x1")}
    write_csv(tmp_path / "points.csv", columns, ["-1", "1"] * 10)
    redoubt("train", "points.csv", "--model", "model.json")
    model = package.load_model(tmp_path / "model.json")
    X = package.datasets.load("gaussian").X
    predictions = [row["prediction"] for row in redoubt("certify", "model.json", "gaussian").rows()]
    assert predictions == model.predict(X[:, ::-1]).tolist()
    columns["width"] = columns.pop("x1")
    write_csv(tmp_path / "points.csv", columns, ["-1", "1"] * 10)
    redoubt("train", "points.csv", "--model", "model.json")
    run = redoubt("certify", "model.json", "gaussian")
    message = "redoubt: DATA: the feature 'width' is missing\n"
    assert (run.code, run.out, run.err) == (2, "", message)


def test_classes_may_be_the_other_way_round(redoubt, tmp_path):
    X, y, names, classes = package.datasets.load("bcw")
    labels = [classes[int(sign > 0)] for sign in y]
    write_csv(tmp_path / "points.csv", dict(zip(names, X.T, strict=True)), labels)
    redoubt("train", "points.csv", "--positive", "benign", "--model", "model.json")
    assert package.load_model(tmp_path / "model.json").classes == ["malignant", "benign"]
    bundled = redoubt("certify", "model.json", "bcw")
    assert bundled.code == 0
    assert bundled.out == redoubt("certify", "model.json", "points.csv").out


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_witnesses_change_the_answer(redoubt, vote_file, norm):
    path = vote_file("bcw:train", norm=norm)
    model = package.load_model(path)
    X, _, names, _ = bcw_test()
    run = redoubt("certify", path, "bcw:test", "--witness")
    assert "warning" not in run.err
    witnesses = np.array([[float(row["witness:" + name]) for name in names] for row in run.rows()])
    assert (model.predict(witnesses) != model.predict(X)).all()
    moved = np.linalg.norm((witnesses - X) / model.scale, EXPONENT[norm], axis=1)
    np.testing.assert_allclose(moved, np.abs(run.column("radius")), rtol=1e-7)


def test_moves_that_rounding_would_undo_go_to_the_next_number(redoubt, tmp_path):
    """The plane runs through a number, and its neighbours are far away."""
    rows = [f"{1e16 + 64 * j},{'high' if j >= 4 else 'low'}" for j in range(8)]
    (tmp_path / "points.csv").write_text("\n".join(["a,kind", *rows]) + "\n")
    redoubt("train", "points.csv", "--method", "svm", "--model", "model.json")
    run = redoubt("certify", "model.json", "points.csv", "--witness")
    assert run.code == 0
    model = package.load_model(tmp_path / "model.json")
    moved = model.predict(run.column("witness:a").reshape(-1, 1))
    assert moved.tolist() == ["high"] * 4 + ["low"] * 4
    assert "keep their answer" not in run.err


def test_a_point_that_cannot_be_moved_has_no_witness(redoubt, tmp_path):
    redoubt("train", "gaussian", "--radius", "1000", "--model", "model.json")
    run = redoubt("certify", "model.json", "gaussian", "--witness")
    assert run.code == 0
    assert set(np.abs(run.column("radius"))) == {np.inf}
    assert {row["witness:x1"] for row in run.rows()} == {""}


def test_out_takes_the_table(redoubt, plane_file, tmp_path):
    expected = redoubt("certify", plane_file, "bcw:test").out
    (tmp_path / "table.csv").write_text("old")
    run = redoubt("certify", plane_file, "bcw:test", "--out", "table.csv")
    assert (run.code, run.out) == (0, "")
    assert (tmp_path / "table.csv").read_text() == expected
    assert redoubt("certify", plane_file, "bcw:test", "--out", "-").out == expected
    run = redoubt("certify", plane_file, "bcw:test", "--out", "none/table.csv")
    assert (run.code, run.out) == (2, "")
    assert run.err == "redoubt: none/table.csv: cannot write the file: No such file or directory\n"


def test_labels_with_commas_are_quoted(redoubt, tmp_path):
    text = 'a,kind\n1,"low, very"\n2,"low, very"\n5,high\n6,high\n'
    (tmp_path / "points.csv").write_text(text)
    redoubt("train", "points.csv", "--model", "model.json")
    assert redoubt("certify", "model.json", "points.csv").rows()[0]["label"] == "low, very"


@pytest.mark.parametrize("limit", [["--node-limit", "0"], ["--time-limit", "0"]])
def test_limits_leave_a_true_bracket_and_exit_code_1(redoubt, vote_file, limit):
    path = vote_file("bcw:train")
    exact = redoubt("certify", path, "bcw:test")
    run = redoubt("certify", path, "bcw:test", *limit)
    assert run.code == 1
    statuses = [row["status"] for row in run.rows()]
    assert statuses.count("node limit") + statuses.count("time limit") > 0
    n_unsettled = sum(status != "optimal" for status in statuses)
    assert f"redoubt: warning: {n_unsettled} of 140 points were not settled" in run.err
    assert (run.column("lower") <= exact.column("upper")).all()
    assert (run.column("upper") >= exact.column("lower")).all()


def test_second_opinions_agree(redoubt, vote_file, highs):
    path = vote_file("gaussian:train")
    native = redoubt("certify", path, "gaussian:test").column("radius")
    for solver in ("enumerate", "mip"):
        run = redoubt("certify", path, "gaussian:test", "--solver", solver, env=highs)
        assert run.code == 0
        np.testing.assert_allclose(run.column("radius"), native, rtol=1e-5, atol=1e-5)


def test_without_highs_the_message_says_how_to_get_it(redoubt, plane_file):
    run = redoubt(
        "certify",
        plane_file,
        "bcw:test",
        "--solver",
        "mip",
        env={"REDOUBT_HIGHS": "/none/libhighs.so"},
    )
    assert (run.code, run.out) == (2, "")
    assert "pip install highspy" in run.err
    assert "REDOUBT_HIGHS" in run.err
    assert "/none/libhighs.so" in run.err


def test_threads_do_not_change_the_output(redoubt, vote_file):
    path = vote_file("digits3:train")
    one = redoubt("certify", path, "digits3:test", "--threads", 1)
    assert one.code == 0
    assert redoubt("certify", path, "digits3:test", "--threads", 2).out == one.out


def test_a_damaged_model_is_named(redoubt, plane_file, tmp_path):
    text = plane_file.read_text()
    (tmp_path / "cut.json").write_text(text[: len(text) // 2])
    run = redoubt("certify", "cut.json", "bcw")
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith("redoubt: cut.json:")
    assert "not valid JSON, so cut short or damaged" in run.err
    (tmp_path / "changed.json").write_text(text.replace('"benign"', '"begnin"', 1))
    run = redoubt("certify", "changed.json", "bcw")
    assert run.err.startswith("redoubt: changed.json: checksum: expected 'crc32:")
    fields = json.loads(text)
    fields["format_version"] = 9
    (tmp_path / "newer.json").write_text(json.dumps(fields))
    run = redoubt("certify", "newer.json", "bcw")
    assert run.code == 2
    assert (
        "format_version: expected at most 7, found 9: the model was written by a newer redoubt"
        in run.err
    )


def test_the_model_may_come_from_standard_input(redoubt, plane_file):
    run = redoubt("certify", "-", "bcw:test", stdin=plane_file.read_text())
    assert run.out == redoubt("certify", plane_file, "bcw:test").out
