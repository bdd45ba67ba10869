"""Estimators of planes that know nothing of each other, fitted by passes."""

from dataclasses import replace

import numpy as np

from redoubt._checks import check_count, check_real, thread_count
from redoubt._estimators.ensembles import BaggedSVMClassifier
from redoubt._estimators.planes import LinearSVMClassifier, RobustSVMClassifier
from redoubt._estimators.settings import library_settings
from redoubt._estimators.vote_classifier import Trained
from redoubt._scale.bags import MOST_DRAWN, bag_counts
from redoubt._scale.band import Ranges
from redoubt._scale.passes import run_together
from redoubt._scale.problem import Problem
from redoubt._scale.rows import Rows, rows_for
from redoubt._scale.scheme import Limits, banded
from redoubt._scale.summary import BandTask, Query
from redoubt._scale.survey import SurveyTask

DEFAULT_MEMORY = 256 * 2**20
# Seeds of bags: apart from those of the passes' samples, and those of other random states.
FIRST_BAG_SEED, BAG_SEEDS = 2**40, 2**20


def fit_planes(estimator, passes, *, names=None, memory=None, max_passes=60, random_state=0):
    """Fit a linear, robust or bagged SVM classifier; `passes` gives the rows, pass by pass."""
    training = _Training(estimator, passes, names, memory, max_passes, random_state)
    training.run()
    return estimator


class _Training:
    def __init__(self, estimator, passes, names, memory, max_passes, random_state):
        if not isinstance(
            estimator, (LinearSVMClassifier, RobustSVMClassifier, BaggedSVMClassifier)
        ):
            raise TypeError(
                "estimator: expected a LinearSVMClassifier, a RobustSVMClassifier or a "
                f"BaggedSVMClassifier, got {type(estimator).__name__}"
            )
        self.estimator, self.passes, self.names = estimator, passes, names
        self.settings = library_settings(estimator)
        self.memory = (
            DEFAULT_MEMORY if memory is None else check_real("memory", memory, 1, strict=True)
        )
        self.max_passes = check_count("max_passes", max_passes, 2)
        self.seed = check_count("random_state", random_state, 0)
        self.is_robust = isinstance(estimator, RobustSVMClassifier)
        self.radius = self._radius() if self.is_robust else 0.0
        self.bags = [None]
        if isinstance(estimator, BaggedSVMClassifier):
            first = FIRST_BAG_SEED + BAG_SEEDS * self.settings["seed"]
            self.bags = [first + number for number in range(self.settings["n_planes"])]

    def _radius(self):
        radius = self.estimator.radius
        if isinstance(radius, str):
            raise NotImplementedError(
                "radius: 'auto' needs all rows in memory; give a number, or let "
                "RadiusSearchCV choose one on a sample"
            )
        return self.estimator._check_radius(radius)

    def run(self):
        survey = self.passes.fold(SurveyTask(self.memory, self.seed))
        if survey is None:
            raise ValueError("data: no rows")
        classes = self._classes(survey)
        most_rows = rows_for(self.memory / len(self.bags), survey.n_features)
        limits = Limits(self.settings["tolerance"], self.max_passes, most_rows, self.seed)
        rules = self._prepare(survey, classes)
        labels = classes[1:] if len(classes) == 2 else classes
        factors = self._factors(survey, classes)
        problem = self._problem(rules)
        attacking = None
        if rules is not None and rules.attacking is not None:
            attacking = classes[rules.attacking]
        scale = max(factors.values()) * (1 if self.bags == [None] else MOST_DRAWN)
        most_radius = max(survey.most_radius, self.radius)
        ranges = Ranges(survey.least, survey.greatest, survey.most_weight * scale, most_radius)
        self.has_own_radii = survey.most_radius >= 0
        planes = [(label, bag) for label in labels for bag in self.bags]
        trainings = [
            banded(problem, self._sample(survey, *plane, factors, attacking), ranges, limits)
            for plane in planes
        ]

        def ask(numbers, bands):
            queries = tuple(
                Query(
                    planes[number][0],
                    band,
                    factors,
                    self.radius,
                    attacking,
                    most_rows,
                    planes[number][1],
                )
                for number, band in zip(numbers, bands, strict=True)
            )
            return self.passes.fold(BandTask(queries, thread_count(self.estimator.n_jobs)))

        answers = run_together(trainings, ask)
        self._store(survey, classes, answers)

    def _classes(self, survey):
        classes = sorted(survey.samples)
        if len(classes) < 2:
            raise ValueError(
                f"{type(self.estimator).__name__} needs samples of 2 classes with positive weight, "
                f"got {len(classes)} class{'' if len(classes) == 1 else 'es'}"
            )
        return classes

    def _prepare(self, survey, classes):
        """What `fit` sets before a training; the attack model, if there is one to train against."""
        estimator = self.estimator
        estimator.n_features_in_ = survey.n_features
        estimator.__dict__.pop("feature_names_in_", None)
        if self.names is not None:
            estimator.feature_names_in_ = np.array(self.names, dtype=object)
        estimator.attack_model_ = estimator._resolve_attack_model(np.array(classes))
        estimator.ranges_ = np.column_stack([survey.least, survey.greatest])
        if not self.is_robust:
            return None
        rules = estimator.attack_model_
        if rules is None:
            return None
        is_ball = (
            all(each == "both" for each in rules.direction)
            and not np.isfinite(rules.lower).any()
            and not np.isfinite(rules.upper).any()
            and not len(rules.integer)
            and not len(rules.groups)
        )
        if not is_ball:
            raise NotImplementedError(
                "attack_model: training by passes knows scales, frozen features and an attacking "
                "class; ranges, directions, integers and groups need all rows in memory"
            )
        if rules.attacking is not None and len(classes) > 2:
            estimator._rules(np.empty((0, survey.n_features)), np.empty(0, dtype=int), classes)
        return rules

    def _problem(self, rules):
        n_threads = thread_count(self.estimator.n_jobs)
        if not self.is_robust:
            return Problem(1.0, n_threads=n_threads)
        norm = self.estimator._training_norm()
        mu = self.settings["regularization"]
        if rules is None:
            return Problem(mu, norm, n_threads=n_threads)
        scale = np.asarray(rules.scale)
        scale = None if np.all(scale == 1.0) else scale
        return Problem(mu, norm, scale, rules.core(), n_threads)

    def _factors(self, survey, classes):
        """What the weights of each class are multiplied by."""
        weights = dict.fromkeys(classes, self.settings.get("C", 1.0))
        given = self.estimator.class_weight
        if given is None:
            return weights
        if isinstance(given, str):
            if given != "balanced":
                raise ValueError(
                    f"class_weight: expected a dict, 'balanced' or None, got {given!r}"
                )
            n = sum(sample.count for sample in survey.samples.values())
            given = {label: n / (len(classes) * survey.samples[label].count) for label in classes}
        return {label: weights[label] * given.get(label, 1.0) for label in classes}

    def _sample(self, survey, label, bag, factors, attacking):
        parts = []
        for each, sample in survey.samples.items():
            rows = sample.rows
            radii = rows.radii if self.has_own_radii else np.full(len(rows), self.radius)
            if attacking is not None and each != attacking:
                radii = np.zeros(len(rows))
            own = replace(
                rows,
                y=np.full(len(rows), 1.0 if each == label else -1.0),
                weights=rows.weights * factors[each],
                radii=radii,
                chance=np.full(len(rows), sample.share),
            )
            if bag is not None:
                counts = bag_counts(bag, rows.number)
                own = replace(own, weights=own.weights * counts)[counts > 0]
            parts.append(own)
        return Rows.joined(parts).in_order()

    def _store(self, survey, classes, answers):
        estimator = self.estimator
        estimator._n_points, estimator._data_look = survey.n_rows, None
        estimator._radii_of_training = np.array([self.radius]) if self.is_robust else None
        if self.is_robust:
            estimator.radius_ = self.radius
        estimator._store(np.array(classes), self._parts(answers))
        estimator.passes_ = max(answer.n_passes for answer in answers)
        estimator.dual_gap_ = max(answer.relative_gap for answer in answers)
        histories = [answer.history for answer in answers]
        estimator.history_ = histories[0] if len(histories) == 1 else histories
        estimator._warn_of_limits()

    def _parts(self, answers):
        """What `_store` takes: one part per class, of one plane or a bag's planes."""
        if self.bags == [None]:
            return [self.estimator._as_trained(each) for each in answers]
        parts = []
        for start in range(0, len(answers), len(self.bags)):
            own = answers[start : start + len(self.bags)]
            stopped = [each.status for each in own if each.status != "optimal"]
            coef = np.array([each.coef for each in own])
            intercept = np.array([each.intercept for each in own])
            status = stopped[0] if stopped else "optimal"
            parts.append(Trained(coef, intercept, status, False, {}, np.empty(0)))
        return parts
