"""Pipelines read as raw columns answer as their own predict does."""

import numpy as np
import pytest
import redoubt
from random_pipelines import (
    disagreements,
    fit_quietly,
    random_labels,
    random_model,
    random_table,
)

SEEDS = range(24)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_reading_agrees_with_predict(seed):
    rng = np.random.default_rng(seed)
    table = random_table(rng)
    model = fit_quietly(random_model(rng), table, random_labels(rng, table))
    wide = random_table(rng, 300, unseen=True)
    wide["age"] *= 3.0  # beyond the ranges of the training data
    differs, rounded = disagreements(model, wide)
    assert differs == rounded <= 1


@pytest.mark.parametrize("seed", SEEDS[::3])
def test_the_model_answers_otherwise_at_the_rows_after_the_moves(seed):
    rng = np.random.default_rng(seed)
    table = random_table(rng)
    y = random_labels(rng, table)
    model = fit_quietly(random_model(rng), table, y)
    norm = ["l1", "l2", "linf"][seed % 3]
    rules = None
    if seed % 2:
        rules = redoubt.AttackModel.from_frame(table, norm, bounds="data", frozen=["member"])
    few = table[:25]
    result = redoubt.certify(model, few, norm=norm, attack_model=rules)
    assert set(result.status) <= {"optimal", "rounding"}
    known = np.isfinite(result.radius) & (result.status == "optimal")
    changed = model.predict(result.moved[known]) != model.predict(few[known])
    assert changed.mean() > 0.97 or not known.any()
    gaps = few[["age", "income"]].isna()[known]
    assert (result.moved[["age", "income"]].isna()[known] == gaps).all(axis=None)  # they stay
    if rules is not None:
        assert (result.moved["member"] == few["member"])[known].all()
        assert (result.moved["rooms"] == result.moved["rooms"].round())[known].all()
