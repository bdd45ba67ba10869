"""Frames of texts and numbers: what a certificate costs beyond the pipeline's own predict."""

import pathlib
import time
import unittest.mock

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import redoubt

from .measure import judged, table

#: Microseconds beyond predict for one row, and milliseconds a row of the whole table.
ONE_ROW_TARGET, TABLE_TARGET = 300, 1.0
RULES = {
    "l2, no rules": None,
    "l1, mixed rules": redoubt.AttackModel(
        "l1",
        scale={"age": 10.0, "balance": 3000.0, "duration": 250.0},
        frozen=["age", "marital"],
        increase_only=["campaign"],
        integer=["campaign", "previous", "day"],
        switch_cost={"poutcome": 2.0},
    ),
    "l1, prices of pairs": redoubt.AttackModel(
        "l1",
        scale={"balance": 3000.0, "duration": 250.0},
        integer=["campaign"],
        switch_cost={"job": [(None, "retired", 3.0), ("retired", None, None)]},
    ),
}


def report(quick):
    X, model = _bank()
    repetitions = 100 if quick else 1000
    one, whole = [], []
    for name, rules in RULES.items():
        own, beyond, half, alone = _one_row(model, X, rules, repetitions)
        reached = judged(beyond <= ONE_ROW_TARGET, f"{ONE_ROW_TARGET}")
        low, high = half
        one.append([name, f"{own:.0f}", f"{beyond:.0f}", f"{low:.0f} to {high:.0f}", reached,
                    f"{alone:.0f}"])  # fmt: skip
        rows = X[: 200 if quick else len(X)]
        start = time.process_time()
        result = redoubt.certify(model, rows, attack_model=rules)
        spent = 1e3 * (time.process_time() - start) / len(rows)
        search = 1e3 * np.median(result.solve_seconds)
        share = np.mean(result.status == "optimal")
        whole.append([name, len(rows), f"{spent:.3f}", f"{search:.3f}", f"{share:.0%}",
                      judged(spent <= TABLE_TARGET, f"{TABLE_TARGET:g}")])  # fmt: skip
    return "\n\n".join(
        [
            "## One row",
            "Ten rows of bank.csv in turn, one at a time: `model.predict(row)`, then "
            "`redoubt.certify(model, row).radius`, which asks `predict` once more. Processor time in "
            "microseconds: the median of the first, and by how much the second is above it, pair by "
            "pair (the median, and the middle half of the pairs). The last column is `certify` where "
            "`predict` gives stored answers, so that the processor's caches keep what `certify` needs.",
            table(
                [
                    *("adversary", "predict", "certify beyond that", "middle half", "target"),
                    "answers stored",
                ],
                one,
            ),
            "## The whole table",
            "Milliseconds of processor time a row, and the median of the search alone.",
            table(["adversary", "rows", "ms a row", "search, ms", "proven", "target"], whole),
        ]
    )


def _bank():
    file = pathlib.Path(__file__).parents[1] / "data" / "bank.csv"
    X = pd.read_csv(file, sep=";")
    y = X.pop("y")
    texts = X.select_dtypes(exclude="number").columns.tolist()
    numbers = [name for name in X.columns if name not in texts]
    columns = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), numbers),
            ("texts", OneHotEncoder(handle_unknown="ignore"), texts),
        ]
    )
    return X, make_pipeline(columns, LogisticRegression(max_iter=1000)).fit(X, y)


def _one_row(model, X, rules, repetitions):
    rows = [X.iloc[[k]] for k in range(10)]

    def certify(row):
        return redoubt.certify(model, row, attack_model=rules).radius

    own, whole = _in_turn((model.predict, certify), rows, repetitions)
    stored = {id(row): model.predict(row) for row in rows}
    with unittest.mock.patch.object(type(model), "predict", lambda _, row: stored[id(row)]):
        (alone,) = _in_turn((certify,), rows, repetitions)
    beyond = np.quantile(whole - own, [0.25, 0.5, 0.75])
    return np.median(own), beyond[1], beyond[[0, 2]], np.median(alone)


def _in_turn(calls, rows, repetitions):
    """The processor times of each call, one after the other, on row after row; in microseconds."""
    times = np.empty((len(calls), repetitions))
    for repetition in range(repetitions):
        row = rows[repetition % len(rows)]
        for call, spent in zip(calls, times, strict=True):
            start = time.process_time_ns()
            call(row)
            spent[repetition] = 1e-3 * (time.process_time_ns() - start)
    return times
