"""Robust SVMs as general solvers return them: data/published/first_planes.csv.

Where the training points are separable the robust SVM has many optima, and the published rows hold
whichever one the solver came to. Gurobi, which the source paper used, is free for small problems:
it takes the Gaussian set. The digits go to Clarabel, an interior-point solver, as Gurobi's way with
cones is. Both with their default settings.

    python -m compare.first_planes ../data/published/first_planes.csv      # in benchmarks/
"""

import csv
import sys

import numpy as np
from redoubt import datasets
from scipy import sparse

# The rows whose optimum is 0, and so not unique.
ROWS = (
    [("gaussian", norm, r) for norm in ("l2", "linf") for r in (0.001, 0.01, 0.05, 0.1)]
    + [("digits3", "l2", r) for r in (0.001, 0.01, 0.05)]
    + [("digits7", "l2", r) for r in (0.001, 0.01, 0.05, 0.1, 0.25)]
)


def training_part(name):
    """The published training part, standardised, with labels -1 and +1."""
    data = datasets.load(name)
    rows, _ = datasets.published_split(name)
    X = data.X[rows]
    deviation = X.std(axis=0)
    deviation[deviation == 0] = 1
    return (X - X.mean(axis=0)) / deviation, data.y[rows].astype(float)


def solve_gurobi(X, y, norm, radius):
    """min sum xi,  xi_j >= 1 - y_j (w'x_j + b) + r s,  s >= ||w|| in the dual norm."""
    import gurobipy
    from gurobipy import GRB

    with gurobipy.Env(params={"OutputFlag": 0}) as env, gurobipy.Model(env=env) as model:
        w = model.addMVar(X.shape[1], lb=-GRB.INFINITY)
        b = model.addVar(lb=-GRB.INFINITY)
        xi = model.addMVar(len(y))
        if norm == "l2":
            size = model.addVar()
            model.addConstr(w @ w <= size * size)
        else:
            sizes = model.addMVar(X.shape[1])
            model.addConstr(sizes >= w)
            model.addConstr(sizes >= -w)
            size = sizes.sum()
        for j in range(len(y)):
            model.addConstr(xi[j] >= 1 - y[j] * (X[j] @ w + b) + radius * size)
        model.setObjective(xi.sum())
        model.optimize()
        return w.X, b.X


def solve_clarabel(X, y, radius):
    """The same for l2, as a conic program in (w, b, xi, s)."""
    import clarabel

    m, n = X.shape
    size = n + 1 + m
    cost = np.zeros(size + 1)
    cost[n + 1 : size] = 1
    hinges = sparse.hstack(
        [-y[:, None] * np.column_stack([X, np.ones(m)]), -sparse.eye(m), np.full((m, 1), radius)]
    )
    identity = sparse.eye(size + 1, format="csc")
    rows = sparse.vstack([hinges, -identity[n + 1 : size], -identity[size], -identity[:n]])
    right = np.concatenate([-np.ones(m), np.zeros(m + 1 + n)])
    cones = [clarabel.NonnegativeConeT(2 * m), clarabel.SecondOrderConeT(n + 1)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    quadratic = sparse.csc_matrix((size + 1, size + 1))
    solver = clarabel.DefaultSolver(quadratic, cost, rows.tocsc(), right, cones, settings)
    x = np.array(solver.solve().x)
    return x[:n], x[n]


def main():
    with open(sys.argv[1], "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["dataset", "norm", "defense_radius", "b", "w"])
        for name, norm, radius in ROWS:
            X, y = training_part(name)
            if name == "gaussian":
                w, b = solve_gurobi(X, y, norm, radius)
            else:
                w, b = solve_clarabel(X, y, radius)
            writer.writerow([name, norm, radius, repr(float(b)), *map(repr, w.tolist())])


if __name__ == "__main__":
    main()
