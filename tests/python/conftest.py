"""Small problems that several files use."""

import numpy as np
import pytest


def make_noisy(seed, n_samples=120, n_features=5):
    """Two overlapping clouds and their labels -1 and +1."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n_samples) % 2 == 0, 1.0, -1.0)
    X = rng.normal(size=(n_samples, n_features)) + 0.7 * y[:, None]
    return X, y


@pytest.fixture
def noisy():
    return make_noisy(seed=0)


def pytest_configure(config):
    # Tiny and hopeless data are what many tests are about; those of the warning look for it.
    config.addinivalue_line("filterwarnings", "ignore::redoubt.ConstantAnswerWarning")
