"""One SVM, as the passes and the solver in memory see it."""

from dataclasses import dataclass

import numpy as np

from redoubt import _core

_DUAL_ORDER = {"l1": np.inf, "l2": 2, "linf": 1}


@dataclass(frozen=True, eq=False)
class Problem:
    """min mu/2 ||w||^2 + sum_j c_j [1 - y_j (w'x_j + b) + r_j ||S w||_q]_+ .

    `norm` is the adversary's, or None without one; `scale` holds the diagonal of S, None for ones;
    `rules` is the library's attack model of that ball, or None.
    """

    mu: float
    norm: str | None = None
    scale: np.ndarray | None = None
    rules: object = None
    n_threads: int = 1

    def size(self, w):
        if self.norm is None:
            return 0.0
        scaled = w if self.scale is None else self.scale * w
        return float(np.linalg.norm(scaled, _DUAL_ORDER[self.norm]))

    def size_slope(self, w):
        """A subgradient of the size."""
        if self.norm is None:
            return np.zeros_like(w)
        scale = np.ones_like(w) if self.scale is None else self.scale
        scaled = scale * w
        if self.norm == "l2":
            size = np.linalg.norm(scaled)
            return scale * scaled / size if size > 0 else np.zeros_like(w)
        if self.norm == "linf":
            return scale * np.sign(scaled)
        slope = np.zeros_like(w)
        most = np.argmax(np.abs(scaled))
        slope[most] = scale[most] * np.sign(scaled[most])
        return slope

    def hinges(self, rows, plane):
        """t of each row."""
        w, b = plane
        return 1.0 - rows.y * (rows.X @ w + b) + rows.radii * self.size(w)

    def slopes(self, rows, plane):
        """Derivatives of t by (w, b), one row each."""
        slopes = np.empty((len(rows), rows.X.shape[1] + 1))
        np.multiply(rows.X, -rows.y[:, None], out=slopes[:, :-1])
        slope = self.size_slope(plane[0])
        if slope.any() and rows.radii.any():
            slopes[:, :-1] += np.outer(rows.radii, slope)
        slopes[:, -1] = -rows.y
        return slopes

    def curvature(self, plane, pressure):
        """The Hessian of mu/2 ||w||^2 + pressure size(w) in w, where it is smooth."""
        w = plane[0]
        matrix = self.mu * np.eye(len(w))
        if self.norm == "l2":
            size = self.size(w)
            scale = np.ones_like(w) if self.scale is None else self.scale
            if size > 0:
                slope = self.size_slope(w)
                matrix += pressure * (np.diag(scale**2) - np.outer(slope, slope)) / size
        return matrix

    def solve(self, rows, weights, tol):
        settings = {"weights": weights, "tolerance": tol, "n_threads": self.n_threads}
        if self.norm is None:
            return _core.train_svm(rows.X, rows.y, C=1.0 / self.mu, **settings)
        return _core.train_robust_svm(rows.X, rows.y, rows.radii, **settings, **self._adversary())

    def _adversary(self):
        rules = {"norm": self.norm} if self.rules is None else {"attack_model": self.rules}
        return {"regularization": self.mu, **rules}

    def proof(self, rows, weights, dual_ratio):
        """What the multipliers of a solution prove: (sum, distance)."""
        if self.norm is None:
            radii, adversary = np.zeros(len(rows)), {"regularization": self.mu}
        else:
            radii, adversary = rows.radii, self._adversary()
        return _core.robust_svm_bound(
            rows.X, rows.y, radii, np.clip(dual_ratio, 0.0, 1.0), weights=weights, **adversary
        )

    def reference_size(self, w):
        """What the bound of a proof is stated for: see SvmBound of the C++ library."""
        return float(np.linalg.norm(w)) if self.scale is not None else self.size(w)

    def bound(self, proof, reference):
        """A lower bound on the objective of all planes of up to twice the reference size."""
        multipliers, distance = proof
        loss = distance**2 / (2 * self.mu) if self.mu > 0 else 2 * reference * distance
        return max(0.0, multipliers - loss)
