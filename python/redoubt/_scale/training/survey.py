"""The first pass: what there is, and a sample of each class."""

from dataclasses import dataclass, replace

import numpy as np

from redoubt import _core
from redoubt._scale.rows.kept import RowParts, Rows, rows_for

MOST_CLASSES = 1000
# Shares of a class that a sample may have: 1, then smaller by this factor each.
THINNING = 2**-0.25


def thinned_share(share, uniforms, cap):
    """The first share in the series of shares that leaves at most `cap` of these numbers."""
    while np.count_nonzero(uniforms < share) > cap:
        share *= THINNING
    return share


@dataclass(frozen=True, eq=False)
class ClassSample:
    """Of the rows of one class those whose number in [0, 1) is below `share`."""

    count: int
    share: float
    kept: RowParts
    seed: int

    @property
    def rows(self):
        return self.kept.rows()

    def below(self, share):
        if share == self.share:
            return self
        rows = self.rows
        stays = _core.row_uniforms(self.seed, rows.number) < share
        return replace(self, share=share, kept=RowParts([rows[stays]]))

    def within(self, cap):
        if len(self.kept) <= cap:
            return self
        uniforms = _core.row_uniforms(self.seed, self.rows.number)
        return self.below(thinned_share(self.share, uniforms, cap))

    def merged(self, other):
        share = min(self.share, other.share)
        one, two = self.below(share), other.below(share)
        return replace(one, count=one.count + two.count, kept=one.kept.plus(two.kept))


@dataclass(frozen=True, eq=False)
class Survey:
    """Of some blocks. Samples of equal rows are equal however these were parted.

    `most_radius` is -1 if rows have no radii of their own.
    """

    samples: dict
    least: np.ndarray
    greatest: np.ndarray
    most_weight: float
    most_radius: float
    n_rows: int

    @property
    def n_features(self):
        return len(self.least)

    @property
    def has_radii(self):
        """Rows have radii of their own."""
        return self.most_radius >= 0

    def stratified(self, n_rows, least_of_class, classes):
        """(X, class indices, weights) of about `n_rows` rows with the shares of the classes.

        Every class has at least `least_of_class`, if there are as many. In the order of the data.
        """
        total = sum(sample.count for sample in self.samples.values())
        parts = []
        for code, label in enumerate(classes):
            sample = self.samples[label]
            wanted = max(least_of_class, round(n_rows * sample.count / total))
            rows = sample.rows
            order = np.argsort(_core.row_uniforms(sample.seed, rows.number), kind="stable")
            chosen = rows[order[: min(wanted, sample.count)]]
            parts.append(replace(chosen, y=np.full(len(chosen), float(code))))
        rows = Rows.joined(parts).in_order()
        return np.ascontiguousarray(rows.X), rows.y.astype(int), rows.weights


@dataclass(frozen=True)
class SurveyTask:
    """A pure function of a block, and how its answers are put together.

    As many rows are kept in all as `memory` bytes can hold.
    """

    memory: float
    seed: int

    def __call__(self, block):
        if len(block) == 0:
            return None
        weights = np.ones(len(block)) if block.weights is None else block.weights
        has_radii = block.radii is not None
        radii = block.radii if has_radii else np.zeros(len(block))
        numbers = np.arange(block.first_row, block.first_row + len(block))
        uniforms = _core.row_uniforms(self.seed, numbers)
        samples = {}
        labels, codes = np.unique(block.labels, return_inverse=True)
        if len(labels) > MOST_CLASSES:
            raise ValueError(
                f"{block.place}: {len(labels)} different labels in one block; is the label column "
                "a number to predict, or an identifier?"
            )
        for code, label in enumerate(labels.tolist()):
            own = np.flatnonzero((codes == code) & (weights > 0))
            if len(own) == 0:
                continue
            share = thinned_share(1.0, uniforms[own], rows_for(self.memory, block.X.shape[1]))
            own_kept = own[uniforms[own] < share]
            rows = Rows(
                block.X[own_kept],
                np.zeros(len(own_kept)),
                weights[own_kept],
                radii[own_kept],
                numbers[own_kept],
                np.ones(len(own_kept)),
            )
            samples[label] = ClassSample(len(own), share, RowParts([rows]), self.seed)
        ends = block.X.min(axis=0), block.X.max(axis=0)
        most_radius = float(radii.max()) if has_radii else -1.0
        return self._within(Survey(samples, *ends, float(weights.max()), most_radius, len(block)))

    def merged(self, one, other):
        if one is None or other is None:
            return one if other is None else other
        if one.n_features != other.n_features:
            raise ValueError(
                f"blocks differ: {one.n_features} features in some, {other.n_features} in others"
            )
        samples = dict(one.samples)
        for label, sample in other.samples.items():
            samples[label] = samples[label].merged(sample) if label in samples else sample
        return self._within(
            Survey(
                samples,
                np.minimum(one.least, other.least),
                np.maximum(one.greatest, other.greatest),
                max(one.most_weight, other.most_weight),
                max(one.most_radius, other.most_radius),
                one.n_rows + other.n_rows,
            )
        )

    def _within(self, survey):
        if len(survey.samples) > MOST_CLASSES:
            raise ValueError(
                f"more than {MOST_CLASSES} different labels; is the label column a number to "
                "predict, or an identifier?"
            )
        most_rows = rows_for(self.memory, survey.n_features)
        cap = max(1, most_rows // max(2, len(survey.samples)))
        samples = {label: sample.within(cap) for label, sample in survey.samples.items()}
        return replace(survey, samples=samples)
