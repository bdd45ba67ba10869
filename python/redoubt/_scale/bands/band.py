"""Which rows the next pass keeps."""

import numpy as np

from redoubt._scale.bands.summary import N_DISTANCES

# Rows within so many standard errors of t = 0 may lie on either side of it at the optimum.
REACH = 4.0
# Of the rows that may be kept, so many are planned for.
PLANNED = 0.8
MOST_DIVISIONS = 6
_SUM_BITS = 61


def _unit(bound):
    """The power of 2 of which numbers up to `bound` are less than 2^61."""
    if not bound > 0:
        return 1.0
    return float(2.0 ** max(np.ceil(np.log2(bound)) - _SUM_BITS, -1000))


def next_band(problem, plane, spread, seen, ranges, limits, number):
    """The band around `plane`: the keywords of a pass.

    As wide as the rows to be kept allow; where even REACH holds too many, they are thinned. `seen`
    has pairs of rows and the numbers of different rows that they stand for: they foretell the number of
    rows in a band.
    """
    w, b = plane
    n = len(w)
    band = {
        "w": w,
        "b": float(b),
        "size": problem.size(w),
        "moves": spread,
        "size_moves": spread[:, :n] @ problem.size_slope(w),
        "share": 1.0,
        "seed": limits.seed + number,
        **ranges.units(problem, plane),
    }
    views = [(_distances(problem, rows, plane, band), standing) for rows, standing in seen]
    wanted = planned_rows(limits)
    counts = [counts[distances <= REACH].sum() for distances, counts in views]
    if max(counts) <= wanted:
        reach = min(reach_of(*view, wanted) for view in views)
        return band | {"reach": max(REACH, reach), "density": np.inf}
    distances, weights = views[int(np.argmax(counts))]
    return band | {"reach": REACH, "density": _density(distances, weights, wanted)}


def planned_rows(limits):
    return PLANNED * limits.most_rows


def narrowed(problem, band, plane, scouts, standing, limits, crowding):
    """The same band with all of its rows kept, and so narrow that they can be.

    Each of the `scouts` stands for so many different rows (`standing`).
    `crowding` is how many times as many rows such bands had as foretold.
    """
    distances = _distances(problem, scouts, plane, band)
    reach = reach_of(distances, standing, planned_rows(limits) / crowding)
    return {"reach": max(reach, 1e-12), "density": np.inf}


def divisions(problem, planes, limits):
    """The last of the planes seen, so that what was learnt at them is not forgotten.

    A cell has rows of one side of each, and so a proof can say all that it could say there.
    """
    most = int(np.log2(max(1.0, limits.most_rows / (8 * 4 * N_DISTANCES))))
    planes = planes[-max(0, min(MOST_DIVISIONS, most)) :] if most > 0 else []
    if not planes:
        return {}
    return {
        "divisions": np.array([np.append(w, b) for w, b in planes]),
        "division_sizes": np.array([problem.size(w) for w, _ in planes]),
    }


def _distances(problem, rows, plane, band):
    slopes = problem.slopes(rows, plane)
    scale = np.sqrt(np.mean((slopes @ band["moves"].T) ** 2, axis=1))
    return np.abs(problem.hinges(rows, plane)) / np.maximum(scale, 1e-300)


def reach_of(distances, weights, wanted):
    """How far a band of `wanted` rows reaches."""
    order = np.argsort(distances)
    place = np.searchsorted(np.cumsum(weights[order]), wanted)
    return float(distances[order][min(place, len(order) - 1)])


def _density(distances, weights, wanted):
    inside = distances <= REACH
    law = (1.0 - (distances[inside] / REACH) ** 2) ** 3 + 0.02
    low, high = 0.0, 100.0
    for _ in range(60):
        middle = (low + high) / 2
        if np.minimum(1.0, middle * law) @ weights[inside] < wanted:
            low = middle
        else:
            high = middle
    return low


class Ranges:
    """What bounds the numbers of the rows, as the first pass found it."""

    def __init__(self, least, greatest, most_weight, most_radius):
        self.features = np.maximum(np.abs(least), np.abs(greatest))
        self.weight, self.radius = most_weight, most_radius

    def units(self, problem, plane):
        w, b = plane
        height = 1 + abs(b) + np.abs(w) @ self.features + self.radius * problem.size(w)
        return {
            "feature_units": np.array([_unit(self.weight * most) for most in self.features]),
            "radius_unit": _unit(self.weight * self.radius),
            "hinge_unit": _unit(self.weight * height),
            "weight_unit": _unit(self.weight),
        }

    def lifted_units(self, bounds, w, b):
        """The same for rows of these columns without radii."""
        height = 1 + abs(b) + np.abs(w) @ bounds
        return {
            "feature_units": np.array([_unit(self.weight * most) for most in bounds]),
            "radius_unit": 1.0,
            "hinge_unit": _unit(self.weight * height),
            "weight_unit": _unit(self.weight),
        }

    def smooth_units(self, problem, plane):
        """Of the sums of SmoothSums, in their order."""
        hinge = self.units(problem, plane)["hinge_unit"]
        slopes = np.concatenate([self.features, [1.0, self.radius]])
        first = np.concatenate([[1.0, self.radius], self.features])
        squares = np.outer(slopes, slopes)[np.triu_indices(len(slopes))]
        bounds = self.weight * np.concatenate([first, first, squares])
        return np.concatenate([[hinge, hinge], [_unit(bound) for bound in bounds]])
