"""The later passes: rows near the margin are kept, all others are added up in cells."""

from dataclasses import dataclass, replace

import numpy as np

from redoubt import _core
from redoubt._scale.rows.bags import bag_counts
from redoubt._scale.rows.kept import RowParts, Rows

N_DISTANCES = len(_core.BAND_CELL_ENDS) + 1
HALVING = 0.5
SLACK = 1.25


@dataclass(frozen=True, eq=False)
class Query:
    """What a pass asks about the rows, for the class `label` against all others.

    `band` holds the keywords of `_core.summarise_bands`, or, if there is a "width" among them, of
    `_core.summarise_smooth`. The weight of a row is multiplied by its
    class's `factors` (by label), its radius is `radius` unless it has one of its own, and 0 for
    classes that do not attack (`attacking`; None: all do). In a bootstrap sample (`bag`, its seed) a
    row counts as often as it was drawn. With a `lift` the band is one of lifted rows.
    """

    label: object
    band: dict
    factors: dict
    radius: float
    attacking: object
    most_rows: int
    bag: int | None = None
    lift: object = None


@dataclass(frozen=True, eq=False)
class Summary:
    """Exact sums, so that the order of merging does not matter, and the rows that are kept."""

    high: np.ndarray
    low: np.ndarray
    hinge: int
    counts: np.ndarray
    kept: RowParts
    share: float

    @property
    def rows(self):
        return self.kept.rows()

    def without_copies(self):
        return replace(self, kept=RowParts([self.rows.merged()]))

    def merged(self, other):
        return Summary(
            self.high + other.high,
            self.low + other.low,
            self.hinge + other.hinge,
            self.counts + other.counts,
            self.kept.plus(other.kept),
            self.share,
        )

    def sums(self, band):
        """(weights, weights times radii, weights times features) of the cells."""
        values = self.high.astype(np.float64) * 2.0**32 + self.low
        units = np.concatenate([[band["weight_unit"], band["radius_unit"]], band["feature_units"]])
        values *= units
        return values[:, 0], values[:, 1], values[:, 2:]


@dataclass(frozen=True, eq=False)
class SmoothSummary:
    """The sums of a Newton step."""

    high: np.ndarray
    low: np.ndarray

    def merged(self, other):
        return SmoothSummary(self.high + other.high, self.low + other.low)


_ONE_EACH = np.empty(0, dtype=np.int64)


def _summarise(rows, band, n_threads=1):
    copies = _ONE_EACH if rows.copies is None else rows.copies
    found = _core.summarise_bands(
        rows.X, rows.y, rows.weights, rows.radii, copies, n_threads, **band
    )
    copies = None if np.all(found.copies == 1) else found.copies
    kept = replace(rows[found.kept], chance=found.probability, copies=copies)
    hinge = (found.hinge_high << 32) + found.hinge_low
    return Summary(found.high, found.low, hinge, found.counts, RowParts([kept]), band["share"])


def _thinned(summary, query, share):
    """The summary of the same rows with a smaller share of the band kept."""
    if share == summary.share:
        return summary
    rows = summary.rows
    chance = rows.chance * (share / summary.share)
    stays = _core.row_uniforms(query.band["seed"], rows.keys()) < chance
    # The hinges of the dropped rows have been counted.
    dropped = _summarise(rows[~stays], query.band | {"share": 0.0})
    left = replace(summary, kept=RowParts([rows[stays].with_chance(chance[stays])]), share=share)
    return left.merged(replace(dropped, hinge=0))


@dataclass(frozen=True, eq=False)
class BandTask:
    """A pure function of a block, for several queries at once, and how its answers are merged."""

    queries: tuple
    n_threads: int = 1

    def __call__(self, block):
        if len(block) == 0:
            return None
        return [self._within(self._answer(block, query), query) for query in self.queries]

    def _answer(self, block, query):
        labels, codes = np.unique(block.labels, return_inverse=True)
        labels = labels.tolist()
        factors = np.array([query.factors.get(label, np.nan) for label in labels])[codes]
        weights = factors if block.weights is None else factors * block.weights
        unknown = np.isnan(factors)
        if unknown.any() and (block.weights is None or block.weights[unknown].any()):
            label = labels[codes[np.argmax(unknown)]]
            raise ValueError(f"{block.place}: the label {label!r} was not there in the first pass")
        weights = np.nan_to_num(weights)
        numbers = np.arange(block.first_row, block.first_row + len(block))
        if query.bag is not None:
            weights = weights * bag_counts(query.bag, numbers)
        signs = np.where([label == query.label for label in labels], 1.0, -1.0)[codes]
        radii = np.full(len(block), query.radius) if block.radii is None else block.radii
        if query.attacking is not None:
            attacks = np.array([label == query.attacking for label in labels])[codes]
            radii = np.where(attacks, radii, 0.0)
        rows = Rows(block.X, signs, weights, radii, numbers, np.ones(len(block)))
        if query.lift is not None:
            rows = self._lifted(rows, query.lift, block.place)
        if "width" in query.band:
            found = _core.summarise_smooth(
                rows.X, rows.y, rows.weights, rows.radii, self.n_threads, **query.band
            )
            return SmoothSummary(*found)
        return _summarise(rows, query.band, self.n_threads)

    def _lifted(self, rows, lift, place):
        """Radii are in the moves now."""
        try:
            lifted = lift.of(rows, self.n_threads)
        except ValueError as error:
            raise ValueError(f"{place}: {error}") from error
        return lifted

    def merged(self, one, other):
        if one is None or other is None:
            return one if other is None else other
        return [self._merged(*pair) for pair in zip(one, other, self.queries, strict=True)]

    def finished(self, answers):
        """Of all rows: they are within the limit, and no row is there twice."""
        pairs = zip(answers, self.queries, strict=True)
        return [self._within(summary, query, slack=0.0) for summary, query in pairs]

    def _merged(self, one, other, query):
        if isinstance(one, SmoothSummary):
            return one.merged(other)
        share = min(one.share, other.share)
        both = _thinned(one, query, share).merged(_thinned(other, query, share))
        return self._within(both, query)

    @staticmethod
    def _within(summary, query, slack=SLACK):
        """The summary with a share so small that different rows of the band are not too many.

        To look for copies takes time, so that some more rows are let through until the end.
        """
        if isinstance(summary, SmoothSummary) or len(summary.kept) <= slack * query.most_rows:
            return summary
        summary = summary.without_copies()
        while len(summary.kept) > query.most_rows and summary.share > 1e-12:
            summary = _thinned(summary, query, summary.share * HALVING)
        return summary
