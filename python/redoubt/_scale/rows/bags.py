"""Bootstrap samples of rows that are never together: each row knows how often it was drawn."""

import numpy as np

from redoubt import _core

MOST_DRAWN = 12
# P(count <= k) for a Poisson number of mean 1, which is how often a row of many is drawn.
_BELOW = np.cumsum([np.exp(-1.0) / float(np.prod(range(1, k + 1))) for k in range(MOST_DRAWN)])


def bag_counts(seed, numbers):
    """How often the rows with these numbers are in the bag: 0 to MOST_DRAWN."""
    return np.searchsorted(_BELOW, _core.row_uniforms(seed, numbers), side="right").astype(
        np.float64
    )
