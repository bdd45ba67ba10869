"""Rows that stand for the cells of a summary."""

from dataclasses import dataclass

import numpy as np

from redoubt._scale.bands.summary import N_DISTANCES
from redoubt._scale.rows.kept import Rows


@dataclass(frozen=True, eq=False)
class MeanRows:
    """One row per cell that is not empty: the mean of its rows, with their weight.

    `beyond` is True for cells with t > 0.
    """

    rows: Rows
    beyond: np.ndarray


def mean_rows(summary, band):
    weights, radii, features = summary.sums(band)
    used = weights > 0
    n_divisions = len(weights) // (4 * N_DISTANCES)
    groups = np.arange(len(weights)) // (N_DISTANCES * n_divisions)
    signs = np.where(groups >= 2, 1.0, -1.0)[used]
    weights = weights[used]
    rows = Rows(
        features[used] / weights[:, None],
        signs,
        weights,
        radii[used] / weights,
        -np.ones(len(weights), dtype=np.int64),
        np.ones(len(weights)),
    )
    return MeanRows(rows, (groups % 2 == 1)[used])
