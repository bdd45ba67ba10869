"""Pipelines read as raw columns answer as their own predict does."""

import numpy as np
import pytest
import redoubt
from random_pipelines import (
    ALL,
    disagreements,
    fit_quietly,
    random_labels,
    random_model,
    random_table,
)

SEEDS = range(24)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_reading_agrees_with_predict(seed):
    """7,200 rows in all; those that rounding explains are counted."""
    rng = np.random.default_rng(seed)
    table = random_table(rng)
    model = fit_quietly(random_model(rng, ALL), table, random_labels(rng, table))
    wide = random_table(rng, 300, unseen=True)
    wide["age"] *= 3.0  # beyond the ranges of the training data
    differs, rounded = disagreements(model, wide)
    assert differs == rounded <= 1


@pytest.mark.parametrize("seed", SEEDS)
def test_the_model_answers_otherwise_at_the_rows_after_the_moves(seed):
    """About 2,000 witnesses in all, which the reading must answer as the model does, too."""
    rng = np.random.default_rng(seed)
    table = random_table(rng)
    y = random_labels(rng, table)
    model = fit_quietly(random_model(rng, ALL), table, y)
    norm = ["l1", "l2", "linf"][seed % 3]
    rules = None
    if seed % 2:
        rules = redoubt.AttackModel.from_frame(table, norm, bounds="data", frozen=["member"])
    few = random_table(rng, 100)
    if rules is not None:
        for name, (low, high) in rules.bounds.items():
            few[name] = few[name].clip(low, high)
    result = redoubt.certify(model, few, norm=norm, attack_model=rules)
    assert set(result.status) <= {"optimal", "rounding"}
    known = np.isfinite(result.radius) & (result.status == "optimal")
    moved, before = result.moved[known], few[known]
    if not known.any():
        return
    changed = model.predict(moved) != model.predict(before)
    differs, rounded = disagreements(model, moved)
    assert differs == rounded
    assert (~changed).sum() <= 1
    gaps = before[["age", "income"]].isna()
    assert (moved[["age", "income"]].isna() == gaps).all(axis=None)  # they stay
    if rules is not None:
        assert (moved["member"] == before["member"]).all()
        assert (moved["rooms"] == moved["rooms"].round()).all()
