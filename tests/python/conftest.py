"""Small problems that several files use."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler


def make_noisy(seed, n_samples=120, n_features=5):
    """Two overlapping clouds and their labels -1 and +1."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n_samples) % 2 == 0, 1.0, -1.0)
    X = rng.normal(size=(n_samples, n_features)) + 0.7 * y[:, None]
    return X, y


@pytest.fixture
def noisy():
    return make_noisy(seed=0)


@pytest.fixture
def bank():
    """A model of a table with texts and gaps, the table and its labels."""
    rng = np.random.default_rng(0)
    n = 60
    income = np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n))
    job = rng.choice(["cook", "nurse", "a longer title than twelve"], n)
    table = pd.DataFrame({"income": income, "job": job, "kids": rng.integers(0, 4, n)})
    table["home"] = rng.random(n) < 0.5
    y = np.where(np.nan_to_num(income) + table["kids"] > 1.5, "yes", "no")
    columns = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["income"]),
        (OneHotEncoder(), ["job", "kids", "home"]),
    )
    return make_pipeline(columns, LogisticRegression()).fit(table, y), table, y


def pytest_configure(config):
    # Tiny and hopeless data are what many tests are about; those of the warning look for it.
    config.addinivalue_line("filterwarnings", "ignore::redoubt.ConstantAnswerWarning")
