"""Everything the package takes from scikit-learn beyond its public interface.

Tried with scikit-learn 1.6.1, 1.7.2, 1.8.0 and 1.9. If a new version breaks something, look here first;
tests/python/test_layers.py checks that no other module uses a private name.
"""

from typing import Any

from sklearn.ensemble import VotingClassifier
from sklearn.linear_model._base import LinearClassifierMixin  # what all linear classifiers share
from sklearn.metrics._scorer import _MultimetricScorer  # several scores from one certificate
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.model_selection._search import BaseSearchCV  # grid, random and halving searches
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
    "search_constraints",
    "weights_of_votes",
]


def search_constraints() -> dict[str, Any]:
    """The constraints on the parameters that all searches share."""
    return dict(BaseSearchCV._parameter_constraints)


def label_of_threshold(model: TunedThresholdClassifierCV) -> Any:
    """The label that a tuned threshold gives to scores above it."""
    return model._curve_scorer._get_pos_label()


def weights_of_votes(model: VotingClassifier) -> Any:
    """The weights of the members that were not dropped, or None."""
    return model._weights_not_none
