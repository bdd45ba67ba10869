"""Votes of stumps, and their page."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from redoubt import CollaborativeEnsembleClassifier, datasets
from sklearn.preprocessing import MinMaxScaler

PAGE = Path(__file__).parents[2] / "docs" / "stumps.md"


@pytest.mark.parametrize("n_bags", [1, 4])
def test_history_is_the_objective_of_each_sweep(n_bags):
    X, y, *_ = datasets.load("heart")
    X = MinMaxScaler().fit_transform(X)
    model = CollaborativeEnsembleClassifier(
        0.2, norm="linf", n_planes=5, features_per_plane=1, n_bags=n_bags, power=1.0, random_state=0
    ).fit(X, y)
    objective = model.history_["objective"]
    assert len(objective) >= 2
    assert (np.diff(objective) <= 0).all()
    assert np.isnan(model.history_["validation_objective"]).all()
    assert (model.history_["seconds"] >= 0).all()
    if n_bags == 1:
        radius = model.certify(X, y).radius
        assert objective[-1] == pytest.approx(np.clip(0.2 - radius, 0, 0.4).mean())


def test_the_page_shows_what_its_example_prints():
    code, shown = re.search(
        r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE.read_text(), re.DOTALL
    ).groups()
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    assert run.stdout == shown
