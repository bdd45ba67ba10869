"""What the first pass tells a training: classes, weights, rules, radii."""

import time
from dataclasses import dataclass

import numpy as np

from redoubt._checks import check_count, check_real, thread_count
from redoubt._estimators.robust_vote_classifier import RobustVoteClassifier
from redoubt._estimators.settings import library_settings
from redoubt._estimators.vote_classifier import TrainingData
from redoubt._scale.rows.kept import rows_for
from redoubt._scale.training.survey import Survey, SurveyTask

DEFAULT_MEMORY = 256 * 2**20
MOST_FEATURES = 10_000
# Rows that choose the radius, and how many of each class there are at least: as in memory.
CHOOSING_ROWS, LEAST_OF_CLASS = 2000, 100


@dataclass(frozen=True)
class PassOptions:
    """What a training by passes is told besides the estimator's parameters."""

    memory: float = DEFAULT_MEMORY
    max_passes: int = 60
    random_state: int = 0
    names: tuple | None = None

    @classmethod
    def of(cls, *, memory=None, max_passes=60, random_state=0, names=None):
        memory = DEFAULT_MEMORY if memory is None else check_real("memory", memory, 1, strict=True)
        return cls(
            memory,
            check_count("max_passes", max_passes, 2),
            check_count("random_state", random_state, 0),
            None if names is None else tuple(names),
        )

    def survey(self, passes):
        """The first pass."""
        survey = passes.fold(SurveyTask(self.memory, self.random_state))
        if survey is None:
            raise ValueError("data: no rows")
        if survey.n_features > MOST_FEATURES:
            raise NotImplementedError(
                f"data: {survey.n_features} features; training by passes takes up to "
                f"{MOST_FEATURES}, sparse tables of more columns train in memory"
            )
        return survey


@dataclass(frozen=True, eq=False)
class Opening:
    """An estimator, what the first pass found, and what follows from both."""

    estimator: object
    survey: Survey
    settings: dict
    options: PassOptions
    classes: list
    rules: object
    deadline: float

    @property
    def labels(self):
        """Of the classes that get planes."""
        return self.classes[1:] if len(self.classes) == 2 else self.classes

    @property
    def attacking(self):
        """The label of the class that attacks, if only one does."""
        is_one = self.rules is not None and self.rules.attacking is not None
        return self.classes[self.rules.attacking] if is_one else None

    @property
    def n_threads(self):
        return thread_count(self.estimator.n_jobs)

    def most_rows(self, n_trainings=1, width=1):
        """That may be kept for each of several trainings at the same time; `width` is how many times
        as many columns as features they have."""
        return rows_for(self.options.memory / n_trainings, self.survey.n_features * width)

    def factors(self, C=1.0):
        """What the weights of each class are multiplied by."""
        weights = dict.fromkeys(self.classes, C)
        given = self.estimator.class_weight
        if given is None:
            return weights
        if isinstance(given, str):
            if given != "balanced":
                raise ValueError(
                    f"class_weight: expected a dict, 'balanced' or None, got {given!r}"
                )
            samples, n_classes = self.survey.samples, len(self.classes)
            n = sum(sample.count for sample in samples.values())
            given = {label: n / (n_classes * samples[label].count) for label in self.classes}
        return {label: weights[label] * given.get(label, 1.0) for label in self.classes}

    def store(self, parts):
        """The estimator is fitted: one part per class that has planes."""
        estimator = self.estimator
        estimator._n_points, estimator._data_look = self.survey.n_rows, None
        radius = getattr(estimator, "radius_", None)
        estimator._radii_of_training = None if radius is None else np.atleast_1d(radius)
        estimator._store(np.array(self.classes), parts)


def open_training(estimator, passes, options):
    """The first pass, and what `fit` sets before a training."""
    if getattr(estimator, "warm_start", False):
        raise NotImplementedError("warm_start: training by passes always starts afresh; leave it out")
    settings = library_settings(estimator)
    deadline = time.monotonic() + settings.get("max_seconds", np.inf)
    survey = options.survey(passes)
    classes = sorted(survey.samples)
    if len(classes) < 2:
        raise ValueError(
            f"{type(estimator).__name__} needs samples of 2 classes with positive weight, "
            f"got {len(classes)} class{'' if len(classes) == 1 else 'es'}"
        )
    estimator.n_features_in_ = survey.n_features
    estimator.__dict__.pop("feature_names_in_", None)
    if options.names is not None:
        estimator.feature_names_in_ = np.array(options.names, dtype=object)
    estimator.attack_model_ = estimator._resolve_attack_model(np.array(classes))
    estimator.ranges_ = np.column_stack([survey.least, survey.greatest])
    is_auto = getattr(estimator, "radius", None) == "auto" and not survey.has_radii
    settings |= estimator._defaults_for(1 if len(classes) == 2 else len(classes), is_auto)
    is_robust = isinstance(estimator, RobustVoteClassifier)
    rules = estimator.attack_model_ if is_robust else None
    if rules is not None and rules.attacking is not None and len(classes) > 2:
        raise NotImplementedError(
            f"{type(estimator).__name__}: training by passes against an attacking_class is supported "
            f"for two classes only, got {len(classes)}; fit it in memory"
        )
    return Opening(estimator, survey, settings, options, classes, rules, deadline)


def choose_radii(opening, settings):
    """The radius of rows without one of their own, by the label of the class that gets planes.

    With radius="auto" a sample decides, as it does in memory where there are many rows. Returns the
    settings too: the choice may have been one of the number of planes.
    """
    estimator, labels = opening.estimator, opening.labels
    for name in ("radius_", "radius_choice_", "_joint_choice"):
        estimator.__dict__.pop(name, None)
    radius = estimator.radius
    if not isinstance(radius, str):
        estimator.radius_ = estimator._check_radius(radius)
        return dict.fromkeys(labels, estimator.radius_), settings
    if radius != "auto":
        raise ValueError(f"radius: expected a number or 'auto', got {radius!r}")
    if opening.survey.has_radii:
        return dict.fromkeys(labels, 0.0), settings
    X, codes, weights = opening.survey.stratified(CHOOSING_ROWS, LEAST_OF_CLASS, opening.classes)
    weights = None if np.all(weights == 1.0) and estimator.class_weight is None else weights
    if weights is not None:
        factors = opening.factors()
        weights = weights * np.array([factors[label] for label in opening.classes])[codes]
    rules = estimator._rules(X, codes, np.array(opening.classes))
    settings = settings | {"norm": estimator._training_norm()}
    with estimator._noting_choices():
        if len(labels) == 1:
            name = type(estimator).__name__
            signs = np.where(codes == 1, 1.0, -1.0)
            data = TrainingData(X, signs, weights, None, name, rules)
            data, settings = estimator._choose_radius(data, settings)
            return {labels[0]: float(data.radii[0])}, settings
        radii, settings = estimator._choose_radii(X, codes, weights, rules, settings)
    return dict(zip(labels, map(float, radii), strict=True)), settings
