"""redoubt attack from the outside."""

import numpy as np
import pytest
import redoubt as package

EXPONENT = {"l1": 1, "l2": 2, "linf": np.inf}
RADIUS = {"l1": 1.5, "l2": 0.8, "linf": 0.3}
COLUMNS = [
    "row",
    "label",
    "prediction",
    "attacked",
    "success",
    "fooled",
    "planes",
    "objective",
    "bound",
    "status",
    "nodes",
]


def bcw_test():
    X, y, names, _ = package.datasets.load("bcw")
    rows = package.datasets.published_split("bcw")[1]
    return X[rows], y[rows], names


def attacked_points(run, names):
    return np.array([[float(row[name]) for name in names] for row in run.rows()])


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_the_exact_adversary_succeeds_where_the_certificate_says(redoubt, vote_file, norm):
    path = vote_file("bcw:train", norm=norm)
    model = package.load_model(path)
    X, y, names = bcw_test()
    run = redoubt("attack", path, "bcw:test", "--radius", RADIUS[norm])
    assert run.code == 0
    rows = run.rows()
    assert list(rows[0]) == [*COLUMNS, *names]
    radii = redoubt("certify", path, "bcw:test").column("radius")
    success = run.column("success")
    np.testing.assert_array_equal(success == 1, radii <= RADIUS[norm])
    assert 0 < success.sum() < len(success)
    assert "attacked 140 points in" in run.err
    reach = f"{norm} radius {RADIUS[norm]}, in standard deviations of the training data"
    assert f"{int(success.sum())} wrong at {reach}\n" in run.err

    # The rows, as printed, are within reach and get the answers that the table tells.
    attacked = attacked_points(run, names)
    steps = np.linalg.norm((attacked - X) / model.scale, EXPONENT[norm], axis=1)
    assert (steps <= RADIUS[norm] * (1 + 1e-8)).all()
    assert model.predict(attacked).tolist() == [row["attacked"] for row in rows]
    wrong = model.predict(attacked) != np.asarray([row["label"] for row in rows])
    np.testing.assert_array_equal(wrong, success == 1)
    for row in rows:
        assert len(row["planes"].split()) == int(row["fooled"])
        assert float(row["objective"]) == int(row["fooled"]) <= float(row["bound"])


@pytest.mark.parametrize("adversary", ["exact", "relaxed", "heuristic"])
def test_python_agrees(redoubt, vote_file, adversary):
    path = vote_file("bcw:train")
    model = package.load_model(path)
    X, y, _ = bcw_test()
    run = redoubt("attack", path, "bcw:test", "--radius", "0.8", "--adversary", adversary)
    result = package.attack(model.ensemble, model.transform(X), y, 0.8, adversary=adversary)
    np.testing.assert_array_equal(run.column("success"), result.success)
    np.testing.assert_array_equal(run.column("objective"), result.objective)
    np.testing.assert_array_equal(run.column("bound"), result.bound)
    planes = [[int(plane) - 1 for plane in row["planes"].split()] for row in run.rows()]
    assert planes == [list(fooled) for fooled in result.fooled]


def test_attacked_rows_can_be_read_back(redoubt, vote_file, tmp_path):
    path = vote_file("bcw:train")
    attack = redoubt("attack", path, "bcw:test", "--radius", "0.8", "--out", "attacked.csv")
    assert (attack.code, attack.out) == (0, "")
    run = redoubt("certify", path, "attacked.csv", "--label", "label")
    assert run.code == 0
    table = redoubt("attack", path, "bcw:test", "--radius", "0.8").rows()
    assert [row["prediction"] for row in run.rows()] == [row["attacked"] for row in table]


def test_published_rule(redoubt, vote_file):
    path = vote_file("bcw:train")
    arguments = ["attack", path, "bcw:test", "--radius", "0.8", "--adversary", "heuristic"]
    corrected = redoubt(*arguments)
    published = redoubt(*arguments, "--rule", "published")
    assert published.code == 0
    assert redoubt(*arguments, "--rule", "corrected").out == corrected.out
    assert published.out != corrected.out


def test_without_labels_the_answer_is_attacked(redoubt, vote_file, tmp_path):
    path = vote_file("bcw:train")
    X, _, names = bcw_test()
    lines = [",".join(names), *(",".join(map(repr, row.tolist())) for row in X)]
    (tmp_path / "points.csv").write_text("\n".join(lines) + "\n")
    run = redoubt("attack", path, "points.csv", "--radius", "0.8")
    assert run.code == 0
    for row in run.rows():
        assert "label" not in row
        assert (row["attacked"] != row["prediction"]) == (row["success"] == "1")


def test_limits_give_exit_code_1(redoubt, vote_file):
    path = vote_file("digits3:train")
    run = redoubt("attack", path, "digits3:test", "--radius", "1", "--node-limit", "0")
    assert run.code == 1
    assert "points were not settled" in run.err
    assert (run.column("objective") <= run.column("bound")).all()


def test_second_opinions_agree(redoubt, vote_file, highs):
    path = vote_file("gaussian:train")
    arguments = ["attack", path, "gaussian:test", "--radius", "0.5"]
    native = redoubt(*arguments).column("fooled")
    for solver in ("enumerate", "mip"):
        run = redoubt(*arguments, "--solver", solver, env=highs)
        np.testing.assert_array_equal(run.column("fooled"), native)
