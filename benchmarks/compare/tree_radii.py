"""Robust decision trees of groot-trees, with exact linf radii from their leaves.

groot-trees does not load beside NumPy 2, so it runs in an environment of its own: this file is also
the program that answers there, on pickles from one pipe to another. REDOUBT_GROOT_PYTHON names the
Python of that environment; `./dev bench tabular` makes it.
"""

import os
import pickle
import subprocess
import sys

import numpy as np


class Tree:
    """Fits and answers in the other environment."""

    def __init__(self, radius, depth):
        self.radius, self.depth = radius, depth

    def fit(self, X, y):
        self._task = {"X": X, "y": (y > 0).astype(int), "radius": self.radius, "depth": self.depth}
        return self

    def predict(self, X):
        return self._ask(X)[0]

    def radii(self, X):
        return self._ask(X)[1]

    def _ask(self, points):
        worker = _worker()
        pickle.dump(self._task | {"points": points}, worker.stdin)
        worker.stdin.flush()
        return pickle.load(worker.stdout)


def is_available():
    return "REDOUBT_GROOT_PYTHON" in os.environ


_running = []


def _worker():
    if not _running:
        _running.append(
            subprocess.Popen(
                [os.environ["REDOUBT_GROOT_PYTHON"], __file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        )
    return _running[0]


def leaves(root, n_features):
    """(lower corner, upper corner, answer) of every leaf."""
    found = []

    def walk(node, lower, upper):
        if node.is_leaf():
            found.append((lower, upper, 1.0 if node.value[1] > node.value[0] else -1.0))
            return
        left, right = upper.copy(), lower.copy()
        left[node.feature] = min(left[node.feature], node.threshold)
        right[node.feature] = max(right[node.feature], node.threshold)
        walk(node.left_child, lower, left)
        walk(node.right_child, right, upper)

    walk(root, np.full(n_features, -np.inf), np.full(n_features, np.inf))
    return found


def answer(task):
    """The tree's answers at the points, and how far each is from a leaf that answers otherwise."""
    from groot.model import GrootTreeClassifier

    points = task["points"]
    tree = GrootTreeClassifier(
        max_depth=task["depth"], attack_model=[task["radius"]] * points.shape[1],
        min_samples_leaf=5, random_state=0,
    ).fit(task["X"], task["y"])  # fmt: skip
    answers = np.where(tree.predict(points) > 0, 1.0, -1.0)
    radii = np.full(len(points), np.inf)
    for lower, upper, other in leaves(tree.root_, points.shape[1]):
        distance = np.maximum(np.maximum(lower - points, points - upper), 0).max(axis=1)
        radii = np.where(answers != other, np.minimum(radii, distance), radii)
    return answers, radii


def serve():
    while True:
        try:
            task = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pickle.dump(answer(task), sys.stdout.buffer, protocol=4)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    serve()
