"""Planes that know nothing of each other, trained by passes; the classifiers that are made of them."""

import warnings
from dataclasses import dataclass, field, replace

import numpy as np

from redoubt._estimators.ensembles import BaggedSVMClassifier
from redoubt._estimators.planes import RobustSVMClassifier
from redoubt._estimators.vote_classifier import ConstantAnswerWarning, Trained
from redoubt._scale.bands.band import Ranges
from redoubt._scale.bands.problem import Problem
from redoubt._scale.bands.ruled import RuledProblem, banded_rules
from redoubt._scale.bands.scheme import Limits, banded
from redoubt._scale.bands.summary import BandTask, Query
from redoubt._scale.rows.bags import MOST_DRAWN, bag_counts
from redoubt._scale.rows.kept import Rows
from redoubt._scale.rows.passes import run_together
from redoubt._scale.training.opening import choose_radii, open_training

# Seeds of bags: apart from those of the passes' samples, and those of other random states.
FIRST_BAG_SEED, BAG_SEEDS = 2**40, 2**20


@dataclass(frozen=True, eq=False)
class Svm:
    """What is trained: `radii` of rows without one of their own, by label ({}: no adversary), and a
    plane per seed in `bags` (None: all rows)."""

    problem: Problem
    tol: float
    factors: dict
    radii: dict = field(default_factory=dict)
    bags: tuple = (None,)


def is_ball(rules):
    """The same moves for all rows that move, but for their radius: what means of rows can carry."""
    return (
        rules.norm in ("l1", "l2", "linf")
        and all(each == "both" for each in rules.direction)
        and not np.isfinite(rules.lower).any()
        and not np.isfinite(rules.upper).any()
        and not len(rules.integer)
        and not len(rules.groups)
    )


def robust_problem(opening, regularization=0.0):
    """The problem against the estimator's adversary."""
    norm, rules = opening.estimator._training_norm(), opening.rules
    shared = {"n_threads": opening.n_threads}
    if rules is None:
        return Problem(regularization, norm, **shared)
    if rules.norm == "l0":
        raise NotImplementedError(
            "attack_model: planes trained by passes know moves in l1, l2 and linf; those that are "
            "counted need all rows in memory, or Ens-C"
        )
    if not is_ball(rules):
        sign = None
        if rules.attacking is not None:
            sign = 1 if opening.attacking == opening.labels[0] else -1
        return RuledProblem(regularization, rules, sign, **shared)
    scale = np.asarray(rules.scale)
    scale = None if np.all(scale == 1.0) else scale
    return Problem(regularization, norm, scale, rules.core(), **shared)


def train_planes(passes, opening, survey, svm):
    """An Answer for each class and, within it, for each bag; all share the passes.

    `survey` is that of these passes: of the opening, or of rows that were changed since.
    """
    planes = [(label, bag) for label in opening.labels for bag in svm.bags]
    options = opening.options
    is_ruled = isinstance(svm.problem, RuledProblem)
    most_rows = opening.most_rows(len(svm.bags), svm.problem.width if is_ruled else 1)
    train = banded_rules if is_ruled else banded
    limits = Limits(
        svm.tol, options.max_passes, most_rows, options.random_state, opening.deadline
    )
    most_drawn = 1 if svm.bags == (None,) else MOST_DRAWN
    most_weight = survey.most_weight * max(svm.factors.values()) * most_drawn
    most_radius = max(survey.most_radius, max(svm.radii.values(), default=0.0))
    ranges = Ranges(survey.least, survey.greatest, most_weight, most_radius)
    trainings = [
        train(svm.problem, sample_rows(opening, survey, svm, *plane), ranges, limits)
        for plane in planes
    ]

    def ask(numbers, bands):
        queries = tuple(
            Query(
                label=planes[number][0],
                band={name: value for name, value in band.items() if name != "lift"},
                lift=band.get("lift"),
                factors=svm.factors,
                radius=svm.radii.get(planes[number][0], 0.0),
                attacking=opening.attacking,
                most_rows=most_rows,
                bag=planes[number][1],
            )
            for number, band in zip(numbers, bands, strict=True)
        )
        task = BandTask(queries, opening.n_threads)
        return task.finished(passes.fold(task))

    return run_together(trainings, ask)


def sample_rows(opening, survey, svm, label, bag):
    """The survey's rows, as rows of one training."""
    parts = []
    for each, sample in survey.samples.items():
        rows = sample.rows
        radii = np.full(len(rows), svm.radii.get(label, 0.0))
        if survey.has_radii:
            radii = rows.radii
        if opening.attacking is not None and each != opening.attacking:
            radii = np.zeros(len(rows))
        own = replace(
            rows,
            y=np.full(len(rows), 1.0 if each == label else -1.0),
            weights=rows.weights * svm.factors[each],
            radii=radii,
            chance=np.full(len(rows), sample.share),
        )
        if bag is not None:
            counts = bag_counts(bag, rows.number)
            own = replace(own, weights=own.weights * counts)[counts > 0]
        parts.append(own)
    return Rows.joined(parts).in_order()


def fit_planes(estimator, passes, options):
    """Fit a linear, robust or bagged SVM classifier."""
    opening = open_training(estimator, passes, options)
    settings = opening.settings
    tol = settings["tolerance"]
    if isinstance(estimator, RobustSVMClassifier):
        for name, usual in (("weight_bounds", None), ("shared_threshold", False)):
            if getattr(estimator, name) != usual:
                raise NotImplementedError(f"{name}: training by passes knows none; fit it in memory")
        radii, settings = choose_radii(opening, settings)
        problem = robust_problem(opening, settings["regularization"])
        svm = Svm(problem, tol, opening.factors(), radii)
    else:
        problem = Problem(1.0, n_threads=opening.n_threads)
        svm = Svm(problem, tol, opening.factors(settings["C"]), bags=_bags(estimator, settings))
    answers = train_planes(passes, opening, opening.survey, svm)
    opening.store(_parts(estimator, answers, len(svm.bags)))
    note_passes(estimator, answers)
    estimator._warn_of_limits()
    _warn_of_null_planes(estimator, answers)
    return estimator


def _warn_of_null_planes(estimator, answers):
    """Where no plane is worth its risk: the answer of one plane is then constant."""
    for answer in answers:
        if answer.warning:
            warnings.warn(
                f"{type(estimator).__name__}: {answer.warning}; try a smaller radius"
                + (" or class_weight='balanced'" if estimator.class_weight is None else ""),
                ConstantAnswerWarning,
                stacklevel=4,
            )
            return


def note_passes(estimator, answers):
    estimator.passes_ = max(answer.n_passes for answer in answers)
    estimator.dual_gap_ = max(answer.relative_gap for answer in answers)
    histories = [answer.history for answer in answers]
    estimator.history_ = histories[0] if len(histories) == 1 else histories


def _bags(estimator, settings):
    if not isinstance(estimator, BaggedSVMClassifier):
        return (None,)
    first = FIRST_BAG_SEED + BAG_SEEDS * settings["seed"]
    return tuple(range(first, first + settings["n_planes"]))


def _parts(estimator, answers, n_bags):
    """What an estimator stores: one part per class, of one plane or a bag's planes."""
    if not isinstance(estimator, BaggedSVMClassifier):
        return [estimator._as_trained(each) for each in answers]
    return [vote_of(answers[start : start + n_bags]) for start in range(0, len(answers), n_bags)]


def vote_of(answers):
    """The planes of several answers as one part."""
    stopped = [each.status for each in answers if each.status != "optimal"]
    coef = np.array([each.coef for each in answers])
    intercept = np.array([each.intercept for each in answers])
    status = stopped[0] if stopped else "optimal"
    return Trained(coef, intercept, status, False, {}, np.empty(0))
