"""Everything the package takes from scikit-learn beyond its public interface.

Tried with scikit-learn 1.6.1, 1.7.2, 1.8.0 and 1.9. If a new version breaks something, look here first;
tests/python/test_layers.py checks that no other module uses a private name.
"""

from functools import cache
from typing import Any

import numpy as np
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.linear_model._base import LinearClassifierMixin  # what all linear classifiers share
from sklearn.metrics._scorer import _MultimetricScorer  # several scores from one certificate
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.model_selection._search import BaseSearchCV  # grid, random and halving searches
from sklearn.multiclass import OneVsRestClassifier
from sklearn.utils import _safe_indexing  # rows of arrays, sparse matrices and frames
from sklearn.utils._param_validation import StrOptions  # constraints on parameters
from sklearn.utils.metadata_routing import UNUSED, _MetadataRequester  # scorers that route weights
from sklearn.utils.validation import _check_sample_weight, _get_feature_names

__all__ = [
    "UNUSED",
    "BaseSearchCV",
    "LinearClassifierMixin",
    "StrOptions",
    "_MetadataRequester",
    "_MultimetricScorer",
    "_check_sample_weight",
    "_get_feature_names",
    "_safe_indexing",
    "label_of_threshold",
    "last_of_equal_scores_wins",
    "search_constraints",
    "weights_of_votes",
]


def search_constraints() -> dict[str, Any]:
    """The constraints on the parameters that all searches share."""
    return dict(BaseSearchCV._parameter_constraints)


def label_of_threshold(model: TunedThresholdClassifierCV) -> Any:
    """The label that a tuned threshold gives to scores above it."""
    return model._curve_scorer._get_pos_label()


@cache
def last_of_equal_scores_wins() -> bool:
    """Does OneVsRestClassifier give equal scores to the last class? It depends on the version."""
    model = OneVsRestClassifier(LogisticRegression())
    model.fit([[0.0], [1.0], [2.0]], [0, 1, 2])
    for member in model.estimators_:
        member.coef_, member.intercept_ = np.zeros((1, 1)), np.zeros(1)
    return bool(model.predict([[0.0]])[0] == 2)


def weights_of_votes(model: VotingClassifier) -> Any:
    """The weights of the members that were not dropped, or None."""
    return model._weights_not_none
