"""Trees of depth 1 as planes: a threshold on one feature."""

import numpy as np

from redoubt._models.decision_rules import Planes


def stump_plane(tree):
    """The plane, positive for class 1, of a fitted tree of scikit-learn with at most one split.

    It gives the answer of the tree at every double. The plane itself lies between two doubles: no
    point is on it, and trees that split alike but answer the other way round have the same one.
    """
    is_one = tree.value[:, 0, :].argmax(axis=1) == 1
    if tree.node_count == 1:
        return _constant(tree.n_features, is_one[0])
    left, right = is_one[tree.children_left[0]], is_one[tree.children_right[0]]
    if left == right:
        return _constant(tree.n_features, left)
    slope, intercept = _between_doubles(_last_on_the_left(tree.threshold[0]))
    sign = 1.0 if right else -1.0
    coef = np.zeros((1, tree.n_features))
    coef[0, tree.feature[0]] = sign * slope
    return Planes.make(coef, sign * intercept, False)


def _constant(n_features, is_one):
    return Planes.make(np.zeros((1, n_features)), 1.0 if is_one else -1.0, False)


def _last_on_the_left(threshold):
    """The greatest double x with float32(x) <= threshold: trees round X to single precision."""
    below = np.float32(threshold)
    if np.float64(below) > threshold:
        below = np.nextafter(below, np.float32(-np.inf))
    above = np.nextafter(below, np.float32(np.inf))
    middle = (np.float64(below) + np.float64(above)) / 2
    return middle if np.float32(middle) == below else np.nextafter(middle, -np.inf)


def _between_doubles(last):
    """w and b with -b / w strictly between a double and the next greater one.

    Dividing by 1 - 2^-53 adds from a half to less than one unit in the last place (of any number
    but the last below a power of two, which no threshold is): to `last`, if it is positive, or to
    the size of the next one.
    """
    return 1.0 - 2.0**-53, -(last if last > 0 else np.nextafter(last, np.inf))
