"""Certificates of ten classes against integer programs of HiGHS."""

import json

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp
from sklearn.datasets import load_digits

N_PLANES = 3
SAFE = 1e-6  # by how much a plane must be passed


@pytest.fixture(scope="module")
def digits(redoubt_in, tmp_path_factory):
    """The program in a folder with a vote of three planes per digit and some rows; their numbers."""
    folder = tmp_path_factory.mktemp("digits")
    X, y = load_digits(return_X_y=True)
    for name, rows in (("train", slice(0, 500)), ("test", slice(500, 700))):
        lines = [",".join([*(f"p{l}" for l in range(64)), "digit"])]
        lines += [",".join([*map(str, row), f"d{label}"]) for row, label in zip(X[rows], y[rows])]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    run = redoubt_in(folder)
    options = "--method", "ens-e", "--planes", str(N_PLANES), "--radius", "0.2", "--scale", "maxabs"
    trained = run("train", "train.csv", *options, "--model", "model.json")
    assert trained.code == 0, trained.err
    fields = json.loads((folder / "model.json").read_text())
    coef = np.array([plane["w"] for plane in fields["planes"]])
    intercept = np.array([plane["b"] for plane in fields["planes"]])
    return run, coef, intercept, X[500:700] / fields["scaler"]["scale"], y[500:700]


def least_by_program(coef, intercept, x, wanted, is_leaving, norm, far):
    """The least move to a class, or away from it, of size up to `far`."""
    k, n = coef.shape
    n_classes = k // N_PLANES
    # Columns: d+ and d-, the size t, one z per plane that answers +1, one q per class that wins.
    n_columns = 2 * n + 1 + k + n_classes
    z, q = 2 * n + 1, 2 * n + 1 + k
    rows, low = [], []

    def add(terms, at_least):
        row = np.zeros(n_columns)
        for column, value in terms:
            row[column] += value
        rows.append(row)
        low.append(at_least)

    moves = np.abs(coef).sum(axis=1) if norm == "linf" else np.abs(coef).max(axis=1)
    for i in range(k):
        m = coef[i] @ x + intercept[i]
        big = abs(m) + far * moves[i] + 1.0
        up = [(l, coef[i, l]) for l in range(n)] + [(n + l, -coef[i, l]) for l in range(n)]
        down = [(column, -value) for column, value in up]
        add([*up, (z + i, -big)], -m - big)
        add([*down, (z + i, big)], m + SAFE)
    if norm == "linf":
        for l in range(n):
            add([(2 * n, 1.0), (l, -1.0), (n + l, -1.0)], 0.0)
    else:
        add([(2 * n, 1.0), *((l, -1.0) for l in range(2 * n))], 0.0)
    slack = 4 * N_PLANES

    def beats(c, other, switch):
        mine = [(z + c * N_PLANES + i, 2.0) for i in range(N_PLANES)]
        theirs = [(z + other * N_PLANES + i, -2.0) for i in range(N_PLANES)]
        need = 0.0 if c < other else 1.0
        add([*mine, *theirs, (switch, -slack)], need - slack)

    for c in range(n_classes):
        if is_leaving and c != wanted:
            beats(c, wanted, q + c)
        if not is_leaving and c != wanted:
            beats(wanted, c, q + wanted)
    winners = [q + c for c in range(n_classes) if (c != wanted) == is_leaving]
    add([(column, 1.0) for column in winners], 1.0)
    cost = np.zeros(n_columns)
    cost[2 * n] = 1.0
    upper = np.full(n_columns, far)
    upper[z:] = 1.0
    integral = np.zeros(n_columns)
    integral[z:] = 1
    found = milp(
        cost,
        constraints=LinearConstraint(np.array(rows), np.array(low)),
        bounds=Bounds(0.0, upper),
        integrality=integral,
        options={"mip_rel_gap": 1e-9, "time_limit": 60},
    )
    assert found.status == 0, found.message
    return found.fun


@pytest.mark.parametrize("norm", ["l1", "linf"])
def test_votes_of_ten_classes_agree_with_integer_programs(digits, norm):
    run, coef, intercept, X, y = digits
    rows = run("certify", "model.json", "test.csv", "--norm", norm).rows()
    assert {row["status"] for row in rows} <= {"optimal", "node limit"}
    right = [j for j, row in enumerate(rows) if row["label"] == row["prediction"]]
    wrong = [
        j for j, row in enumerate(rows) if j not in set(right) and row["status"] == "optimal"
    ]
    assert len(wrong) >= 3
    for j in [*right[:4], *wrong[:3]]:
        is_right = rows[j]["label"] == rows[j]["prediction"]
        radius = abs(float(rows[j]["radius"]))
        least = least_by_program(coef, intercept, X[j], y[j], is_right, norm, 1.2 * radius)
        assert least == pytest.approx(radius, rel=1e-4)
