"""RadiusSearchCV by passes: a sample of the rows chooses, all rows train the winner."""

import time

import numpy as np
from sklearn.base import clone

SEARCH_ROWS, LEAST_OF_CLASS = 20_000, 100


def fit_search(search, passes, options, fit_estimator, local=None):
    """Fit a RadiusSearchCV.

    Rows are drawn class by class, by numbers that belong to them: whatever their parts are, the
    sample is the same. `local(estimator)` gives the estimator that can be fitted on it, and
    `fit_estimator(estimator)` fits one on all rows.
    """
    estimator = search.estimator
    _check(estimator)
    survey = options.survey(passes)
    classes = np.array(sorted(survey.samples))
    if len(classes) < 2:
        raise ValueError(f"RadiusSearchCV needs samples of 2 classes, got {len(classes)}")
    if survey.has_radii:
        raise ValueError("radius: a search chooses it; leave out the radii of the rows")
    X, codes, weights = survey.stratified(SEARCH_ROWS, LEAST_OF_CLASS, classes.tolist())
    rows = X
    if options.names is not None:
        import pandas as pd

        rows = pd.DataFrame(X, columns=list(options.names))
    params = {} if np.all(weights == 1.0) else {"sample_weight": weights}
    if local is not None:
        search.estimator = local(estimator)
    try:
        search._search(rows, classes[codes], **params)
    finally:
        search.estimator = estimator
    search.n_searched_ = len(X)
    if search.refit:
        began = time.monotonic()
        winner = clone(estimator).set_params(**search.best_params_)
        search.best_estimator_ = fit_estimator(winner)
        search.refit_time_ = time.monotonic() - began
        search.passes_ = 1 + winner.passes_
    return search


def _check(estimator):
    if not hasattr(estimator, "_resolve_attack_model"):
        raise TypeError(
            "estimator: a search by passes takes a classifier of redoubt itself, got "
            f"{type(estimator).__name__}; scale and encode the columns before"
        )
