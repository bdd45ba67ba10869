"""A bank's table end to end, one row in a moment, and wide tables in little memory."""

import io
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import redoubt
from redoubt._models import reading_cache
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

BANK = Path(__file__).parents[2] / "benchmarks" / "data" / "bank.csv"
PROGRAM = Path(sys.prefix, "bin", "redoubt")


def read_exactly(source, **settings):
    """A file with its numbers to the last bit, for which older versions of pandas must be asked."""
    if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1):
        settings["float_precision"] = "round_trip"
    return pd.read_csv(source, **settings)


RULES = redoubt.AttackModel.from_frame(
    read_exactly(BANK, sep=";").drop(columns="y"),
    "l1",
    bounds="data",
    scale="scaled",
    frozen=["age", "marital", "education"],
    increase_only=["campaign", "previous"],
    switch_cost={"poutcome": 2.0},
)


@pytest.fixture(scope="module")
def bank():
    table = read_exactly(BANK, sep=";")
    answer = table.pop("y")
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    columns = ColumnTransformer(
        [
            ("numbers", numbers, make_column_selector(dtype_include="number")),
            (
                "texts",
                OneHotEncoder(handle_unknown="ignore"),
                make_column_selector(dtype_exclude="number"),
            ),
        ]
    )
    return table, answer, make_pipeline(columns, LogisticRegression(max_iter=1000)).fit(
        table, answer
    )


def test_a_bank_is_certified_under_mixed_rules(bank):
    table, answer, model = bank
    assert table.shape == (4521, 16) and (table.dtypes != np.int64).sum() == 9
    result = redoubt.certify(model, table, answer, attack_model=RULES)
    assert set(result.status) == {"optimal"}
    assert (result.upper - result.lower <= 1e-9 * np.abs(result.radius)).all()
    assert np.median(result.solve_seconds) <= 1e-3
    known = np.isfinite(result.radius)
    assert known.mean() > 0.99
    moved = result.moved
    before, after = model.predict(table), model.predict(moved)
    assert (before != after)[known].all()
    for name in ("age", "marital", "education"):
        assert (moved[name] == table[name])[known].all()
    assert (moved["campaign"] >= table["campaign"])[known].all()
    numbers = moved.select_dtypes("number")[known]
    assert (numbers == numbers.round()).all(axis=None)  # all are counts
    texts = table.select_dtypes(exclude="number")
    n_switches = (moved[texts.columns] != texts)[known].sum(axis=1)
    assert n_switches.max() >= 1


def test_a_bank_has_the_same_bits_in_the_program(bank, tmp_path):
    """The fitted pipeline, the model file in Python, and the program, which reads the file of the bank."""
    table, answer, model = bank
    redoubt.save_model(model, tmp_path / "model.json")
    RULES.to_json(tmp_path / "rules.json")
    here = redoubt.certify(model, table, answer, attack_model=RULES)
    there = redoubt.load_model(tmp_path / "model.json").certify(table, answer, attack_model=RULES)
    told = subprocess.run(
        [
            *(PROGRAM, "certify", tmp_path / "model.json", BANK, "--label", "y"),
            *("--attack-model", tmp_path / "rules.json", "--format", "csv"),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    program = read_exactly(io.StringIO(told.stdout))
    assert set(here.status) == set(there.status) == set(program["status"]) == {"optimal"}
    for end in ("radius", "lower", "upper"):
        np.testing.assert_array_equal(getattr(here, end), program[end])
        np.testing.assert_array_equal(getattr(there, end), program[end])


def test_one_row_takes_little_longer_than_its_prediction(bank, monkeypatch):
    table, _, model = bank
    row = table.iloc[[7]]
    answer = model.predict(row)
    redoubt.certify(model, row)
    monkeypatch.setattr(Pipeline, "predict", lambda self, X: answer)
    times = []
    for _ in range(60):
        start = time.process_time()
        redoubt.certify(model, row)
        times.append(time.process_time() - start)
    # 300 microseconds on a quiet machine; this one may be busy.
    assert min(times) < 6e-4


def test_a_model_is_read_once(bank, monkeypatch):
    table, _, model = bank
    redoubt.certify(model, table[:2])
    monkeypatch.setattr(reading_cache, "_READINGS", dict(reading_cache._READINGS.items()))
    known = reading_cache._READINGS[model]
    redoubt.certify(model, table[:2])
    assert reading_cache._READINGS[model] is known


WIDE = """
import numpy as np, pandas as pd, redoubt, resource
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

rng = np.random.default_rng(0)
words = np.array([f"word {k}" for k in range(1000)], dtype=object)
few = pd.DataFrame({f"c{j}": rng.permutation(words) for j in range(10)})
model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression(C=10.0))
model.fit(few, np.arange(1000) % 2)
table = pd.DataFrame({f"c{j}": rng.choice(words, 20_000) for j in range(10)})
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
result = redoubt.certify(model, table, norm="l1", max_seconds=1.0)
done = result.status == "optimal"
assert done.sum() > 100, done.sum()
assert len(result.moved) == 20_000
moved, rows = result.moved[done], table[done]
assert (model.predict(moved) != model.predict(rows)).mean() > 0.99
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
def test_many_categories_take_little_memory():
    """20,000 rows of 10 columns of 1,000 categories: 1.6 GB, if they were written out."""
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", WIDE],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
    )
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) < 1_000_000  # kilobytes
