"""Ens-E, Ens-R and Ens-H by passes: plane after plane, each against those before."""

import numpy as np

from redoubt._scale.bands.problem import Problem
from redoubt._scale.rows.passes import MappedPasses
from redoubt._scale.training.moved_rows import Mover
from redoubt._scale.training.opening import choose_radii, open_training
from redoubt._scale.training.planes import Svm, robust_problem, train_planes, vote_of


def fit_robust_ensemble(estimator, passes, options):
    opening = open_training(estimator, passes, options)
    if len(opening.classes) > 2:
        raise NotImplementedError(
            f"RobustEnsembleClassifier: {len(opening.classes)} classes; training by passes knows two"
        )
    radii, settings = choose_radii(opening, opening.settings)
    tol, label = settings["tolerance"], opening.labels[0]
    first = Svm(robust_problem(opening), tol, opening.factors(), radii)
    answers = train_planes(passes, opening, opening.survey, first)
    against = {name: settings[name] for name in ("adversary", "rule", "C", "tolerance")}
    against |= {"norm": estimator._training_norm(), "n_threads": opening.n_threads}
    plain = Svm(Problem(1.0, n_threads=opening.n_threads), tol, opening.factors(settings["C"]))
    for _ in range(1, settings["n_planes"]):
        coef = np.array([answer.coef for answer in answers])
        intercept = np.array([answer.intercept for answer in answers])
        mover = Mover(coef, intercept, label, radii[label], opening.rules, against)
        moved = MappedPasses(passes, mover)
        answers += train_planes(moved, opening, options.survey(moved), plain)
    opening.store([vote_of(answers)])
    estimator.dual_gap_ = max(answer.relative_gap for answer in answers)
    # Those of each further plane begin with a survey of the moved rows.
    estimator.passes_ = sum(answer.n_passes for answer in answers)
    estimator._warn_of_limits()
    return estimator
