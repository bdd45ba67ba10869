"""Ens-C by passes: the steps of the training in memory, on batches that passes collect.

An epoch is an order of the rows: that of their numbers in [0, 1), which belong to (seed, epoch, row).
A pass collects the rows of a window of these numbers, as many as memory holds; they are sorted and
stepped through, batch by batch, in this process. So neither the windows nor the parts of the data
change a bit. Beyond 1.6 million rows an epoch is shorter than the data, as in memory; what is read
grows with rows / rows in memory, not with the number of steps.
"""

import time
from dataclasses import dataclass, replace

import numpy as np

from redoubt import _core
from redoubt._estimators.vote_classifier import Trained
from redoubt._scale.bands.problem import Problem
from redoubt._scale.rows.kept import RowParts, Rows, rows_for
from redoubt._scale.rows.passes import MappedPasses
from redoubt._scale.training.opening import choose_radii, open_training
from redoubt._scale.training.planes import (
    Svm,
    is_ball,
    robust_problem,
    sample_rows,
    train_planes,
)

# Seeds: of the rows held out, then of the epochs. Apart from those of bags and samples.
FIRST_SEED, SEEDS = 2**50, 2**20
# The start is a plane with a jitter of 0.3; it needs no digits.
START_TOLERANCE = 1e-4
# Copies of a row of a window: in its block's answer, joined, and in the order of the epoch.
COPIES = 3


@dataclass(frozen=True, eq=False)
class WindowTask:
    """The rows whose numbers lie in [low, high), with their classes and weights."""

    seed: int
    low: float
    high: float
    classes: tuple
    factors: dict
    rules: object = None

    def __call__(self, block):
        numbers = np.arange(block.first_row, block.first_row + len(block))
        uniforms = _core.row_uniforms(self.seed, numbers)
        chosen = np.flatnonzero((uniforms >= self.low) & (uniforms < self.high))
        if block.weights is not None:
            chosen = chosen[block.weights[chosen] > 0]
        labels, codes = np.unique(block.labels[chosen], return_inverse=True)
        known = {label: code for code, label in enumerate(self.classes)}
        for label in labels.tolist():
            if label not in known:
                raise ValueError(
                    f"{block.place}: the label {label!r} was not there in the first pass"
                )
        codes = np.array([known[label] for label in labels.tolist()], dtype=float)[codes]
        if self.rules is not None:
            self._check_rules(block, chosen, codes)
        weights = np.array([self.factors[label] for label in self.classes])[codes.astype(int)]
        if block.weights is not None:
            weights = weights * block.weights[chosen]
        radii = np.zeros(len(chosen)) if block.radii is None else block.radii[chosen]
        rows = Rows(block.X[chosen], codes, weights, radii, numbers[chosen], uniforms[chosen])
        return RowParts([rows])

    def _check_rules(self, block, chosen, codes):
        """Raise, naming row and feature, unless the rules allow the rows that move."""
        attacking = self.rules.attacking
        moves = None if attacking is None else codes == attacking
        try:
            self.rules.part(chosen).check_points(block.X[chosen], moves)
        except _core.InvalidInput as error:
            raise ValueError(f"{block.place}: {error}") from None

    def merged(self, one, other):
        if one is None or other is None:
            return one if other is None else other
        return one.plus(other)


@dataclass(frozen=True)
class HoldOut:
    """Rows of a block that are held out have weight 0."""

    seed: int
    share: float

    def __call__(self, block):
        numbers = np.arange(block.first_row, block.first_row + len(block))
        weights = np.ones(len(block)) if block.weights is None else block.weights
        stays = _core.row_uniforms(self.seed, numbers) >= self.share
        return replace(block, weights=weights * stays)


@dataclass(frozen=True)
class StartRadii:
    """Radii for the start: never more than half the target."""

    most: float

    def __call__(self, block):
        if block.radii is None:
            return block
        return replace(block, radii=np.minimum(self.most, 0.5 * block.radii))


def fit_collaborative(estimator, passes, options):
    opening = open_training(estimator, passes, options)
    if opening.settings["features_per_plane"]:
        raise NotImplementedError(
            "features_per_plane: votes of stumps need all rows in memory; leave it out, or train "
            "them on a sample"
        )
    radii, settings = choose_radii(opening, opening.settings)
    training = _Training(opening, passes, radii, settings)
    parts = training.run()
    opening.store(parts)
    estimator.passes_ = training.n_passes
    estimator._warn_of_limits()
    return estimator


class _Training:
    def __init__(self, opening, passes, radii, settings):
        self.opening, self.radii, self.settings = opening, radii, settings
        self.seed = FIRST_SEED + SEEDS * settings["seed"]
        self.share = settings["validation_share"]
        self.all_passes, self.passes = passes, passes
        if self.share > 0:
            self.passes = MappedPasses(passes, HoldOut(self.seed, self.share))
        memory, n = opening.options.memory, opening.survey.n_features
        self.most_rows = rows_for(memory, n, COPIES)
        self.n_passes = 1
        self.cached = None

    def run(self):
        """One part per class that has planes."""
        survey = self.opening.survey
        if self.share > 0:
            survey = self._survey(self.passes)
        self.n_points = sum(sample.count for sample in survey.samples.values())
        descents = self._start(survey)
        self.held_out = self._held_out()
        objectives, seconds = [], []
        first = descents[0]
        status = "finished"
        best, best_epoch, lowest, validation = None, 0, np.inf, []
        for epoch in range(first.n_epochs):
            if self.share > 0 and best and epoch - best_epoch >= self.settings["patience"]:
                break
            began = time.monotonic()
            found = self._epoch(epoch, descents)
            if found is None:
                status = "time limit"
                break
            descents, terms = found
            objectives.append(terms)
            validation.append(self._validate(descents))
            seconds.append(time.monotonic() - began)
            if self.share > 0 and (best is None or validation[-1].sum() < lowest):
                best, best_epoch, lowest = descents, epoch + 1, validation[-1].sum()
        return [
            self._part(number, best or descents, status, objectives, validation, seconds)
            for number in range(len(descents))
        ]

    # --- the start ----------------------------------------------------------------------------

    def _survey(self, passes):
        self.n_passes += 1
        return self.opening.options.survey(passes)

    def _start(self, survey):
        """Descents around the robust SVM of a smaller radius, one per class."""
        opening, settings = self.opening, self.settings
        spread = _spread(survey)
        most = settings["start_radius"] * spread
        passes = self.passes
        if survey.has_radii:
            passes = MappedPasses(passes, StartRadii(most))
            survey = self._survey(passes)
        radii = {label: min(most, 0.5 * radius) for label, radius in self.radii.items()}
        answers = self._start_planes(passes, survey, radii)
        some = Rows.joined([sample.rows for sample in survey.samples.values()]).in_order().X
        own = {name: settings[name] for name in _DESCENT}
        own |= {"norm": opening.estimator._training_norm()}
        if opening.rules is not None:
            own["attack_model"] = opening.rules.of_signs()
        return [
            _core.CollaborativeDescent(
                answer.coef, answer.intercept, some, self.n_points, spread, **own
            )
            for answer in answers
        ]

    def _start_planes(self, passes, survey, radii):
        opening, rules = self.opening, self.opening.rules
        if rules is None or is_ball(rules):
            svm = Svm(robust_problem(opening), START_TOLERANCE, opening.factors(), radii)
            answers = train_planes(passes, opening, survey, svm)
            self.n_passes += max(answer.n_passes for answer in answers) - 1
            return answers
        # Bands know balls only. A sample will do, as descent begins some way off.
        svm = Svm(Problem(0.0), START_TOLERANCE, opening.factors(), radii)
        samples = [sample_rows(opening, survey, svm, label, None) for label in opening.labels]
        return [
            _core.train_robust_svm(
                rows.X,
                rows.y,
                rows.radii,
                weights=rows.weights / rows.chance,
                attack_model=rules.of_signs(),
                tolerance=START_TOLERANCE,
                n_threads=opening.n_threads,
            )
            for rows in samples
        ]

    # --- epochs -------------------------------------------------------------------------------

    def _epoch(self, epoch, descents):
        """The descents after an epoch, and the mean terms before their steps; None out of time."""
        batch = self.settings["batch_size"]
        wanted = min(self.n_points, descents[0].n_batches * batch)
        low, n_done, left = 0.0, 0, None
        terms = np.zeros(len(descents))
        while n_done < wanted:
            if time.monotonic() >= self.opening.deadline:
                return None
            high = min(1.0, low + self.most_rows / self.n_points)

            def go_on(low=low, high=high, left=left, n_done=n_done, terms=terms):
                rows = self._window(epoch, low, high)
                rows = rows if left is None else Rows.joined([left, rows])
                is_last = high == 1.0 or n_done + len(rows) >= wanted
                n = min(wanted - n_done, len(rows)) if is_last else len(rows) // batch * batch
                after = [
                    descent.go_on(*self._of_class(rows[:n], number))
                    for number, descent in enumerate(descents)  # noqa: B023
                ]
                arrays = [each.arrays for each, _ in after]
                return arrays, terms + [term for _, term in after], rows[n:], n_done + n

            arrays, terms, left, n_done = self.passes.remember(go_on)
            self.n_passes += self.cached is None or epoch == 0
            descents = [each.at(to) for each, to in zip(descents, arrays, strict=True)]
            low = high
            if high == 1.0:
                break
        return descents, terms / max(1, n_done)

    def _window(self, epoch, low, high):
        """Rows in the order of the epoch. If all of them fit into memory, they are read once."""
        seed = self.seed + 1 + epoch
        if self.cached is not None:
            rows = replace(self.cached, chance=_core.row_uniforms(seed, self.cached.number))
        else:
            rows = self._collect(self.passes, seed, low, high)
            if low == 0.0 and high == 1.0:
                self.cached = rows
        return rows[np.lexsort([rows.number, rows.chance])]

    def _collect(self, passes, seed, low, high):
        opening = self.opening
        task = WindowTask(
            seed, low, high, tuple(opening.classes), opening.factors(), opening.rules
        )
        found = passes.unrecorded.fold(task)
        return Rows.none(opening.survey.n_features) if found is None else found.rows()

    def _of_class(self, rows, number):
        """(X, y, radii, weights) of one class against the rest."""
        label = self.opening.labels[number]
        code = self.opening.classes.index(label)
        radii = np.array([self.radii[label]])
        if self.opening.survey.has_radii:
            radii = rows.radii
        return rows.X, np.where(rows.y == code, 1.0, -1.0), radii, rows.weights

    # --- rows held out ------------------------------------------------------------------------

    def _held_out(self):
        if self.share == 0:
            return None
        high = min(self.share, self.most_rows / self.opening.survey.n_rows)
        self.n_passes += 1
        # Their numbers, whatever the weights: a pass over the rows as they are.
        return self.all_passes.remember(
            lambda: self._collect(self.all_passes, self.seed, 0.0, high).in_order()
        )

    def _validate(self, descents):
        if self.held_out is None:
            return np.full(len(descents), np.nan)
        sums = [
            descent.objective(*self._of_class(self.held_out, number))
            for number, descent in enumerate(descents)
        ]
        return np.array(sums) / max(1, len(self.held_out))

    def _part(self, number, descents, status, objectives, validation, seconds):
        planes = descents[number].ensemble
        history = {
            "objective": np.array([each[number] for each in objectives]),
            "validation_objective": np.array([each[number] for each in validation]),
            "seconds": np.array(seconds),
        }
        return Trained(
            planes.coef, planes.intercept, status, status != "finished", history, np.empty(0)
        )


_DESCENT = (
    *("n_planes", "n_epochs", "batch_size", "step", "power", "cap", "seed"),
    *("start_radius", "jitter", "n_threads"),
)


def _spread(survey):
    """As the library's: the root mean square of the features' deviations, as a power of 2."""
    samples = list(survey.samples.values())
    X = np.vstack([sample.rows.X for sample in samples])
    weights = np.concatenate([np.full(len(each.rows), 1.0 / each.share) for each in samples])
    weights /= weights.sum()
    variance = float(np.mean(weights @ (X - weights @ X) ** 2))
    if not (0 < variance < np.inf):
        return 1.0
    return float(2.0 ** np.round(0.5 * np.log2(variance)))
