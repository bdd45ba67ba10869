"""Accuracy under attack as counts, which can be added up batch by batch."""

from dataclasses import dataclass, replace

import numpy as np

from redoubt._certificates.attacked_points import class_codes
from redoubt._certificates.curves import safe_points
from redoubt._certificates.results import AttackCurve, Certificates


@dataclass(frozen=True, eq=False)
class CurveCounts:
    """How many points of each class are safe at each radius. Counts of two batches can be added.

    Attributes
    ----------
    radii : ndarray of shape (n_radii,)
    classes : ndarray of shape (n_classes,)
    n_points : ndarray of int, shape (n_classes,)
        By label.
    safe, undecided : ndarray of int, shape (n_radii, n_classes)
        Points that are answered rightly and proven to stay so; points whose bracket contains the
        radius.
    confusion : ndarray of int, shape (n_classes, n_classes)
        Labels by answers without attack.
    """

    radii: np.ndarray
    classes: np.ndarray
    n_points: np.ndarray
    safe: np.ndarray
    undecided: np.ndarray
    confusion: np.ndarray

    @classmethod
    def none(cls, radii: np.ndarray, classes: np.ndarray) -> "CurveCounts":
        """Counts of no points."""
        k = len(classes)
        zeros = [np.zeros(shape, dtype=np.int64) for shape in (k, (len(radii), k), (k, k))]
        return cls(radii, classes, zeros[0], zeros[1], zeros[1].copy(), zeros[2])

    def adding(self, certificates: Certificates) -> "CurveCounts":
        """These counts and those of certificates with labels."""
        k = len(self.classes)
        label = class_codes(certificates.label, self.classes, None)
        answer = class_codes(certificates.prediction, self.classes, None)
        safe = safe_points(certificates.lower, certificates.closed, self.radii)
        undecided = ~safe & (certificates.upper > self.radii[:, None])
        is_in = (label[:, None] == np.arange(k)).astype(np.float64)  # counts stay exact
        confusion = np.bincount(k * label + answer, minlength=k * k).reshape(k, k)
        return replace(
            self,
            n_points=self.n_points + np.bincount(label, minlength=k),
            safe=self.safe + np.rint(safe @ is_in).astype(np.int64),
            undecided=self.undecided + np.rint(undecided @ is_in).astype(np.int64),
            confusion=self.confusion + confusion,
        )

    def __add__(self, other):
        if not isinstance(other, CurveCounts):
            return NotImplemented
        if not (
            np.array_equal(self.radii, other.radii) and np.array_equal(self.classes, other.classes)
        ):
            raise ValueError("counts: expected those of the same radii and classes")
        names = ("n_points", "safe", "undecided", "confusion")
        return replace(self, **{name: getattr(self, name) + getattr(other, name) for name in names})

    def curve(self) -> AttackCurve:
        """Return the AttackCurve, the same as `redoubt.attack_curve` of all points at once."""
        n = self.n_points.sum()
        there = self.n_points > 0
        if there.sum() < 2:
            raise ValueError(f"y: expected at least two classes, got {there.sum()}")

        def balanced(counts):
            return np.mean(counts[:, there] / self.n_points[there], axis=1)

        return AttackCurve(
            radii=self.radii,
            accuracy=self.safe.sum(axis=1) / n,
            balanced_accuracy=balanced(self.safe),
            undecided=self.undecided.sum(axis=1) / n,
            balanced_undecided=balanced(self.undecided),
            constant_accuracy=float(self.n_points.max() / n),
        )
