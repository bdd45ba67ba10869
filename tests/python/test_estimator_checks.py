"""scikit-learn's own checks, and the few that its stochastic counterparts are excused from, too."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from redoubt import (
    BaggedSVMClassifier,
    CollaborativeEnsembleClassifier,
    LinearSVMClassifier,
    RobustEnsembleClassifier,
    RobustSVMClassifier,
)

# Several checks train on random labels, where the best robust plane is none: the warning is right.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:RobustSVMClassifier. no plane is worth:UserWarning")]

ESTIMATORS = [
    LinearSVMClassifier(),
    RobustSVMClassifier(),
    BaggedSVMClassifier(n_planes=5, random_state=0),
    RobustEnsembleClassifier(n_planes=5),
    RobustEnsembleClassifier(n_planes=5, adversary="heuristic"),
    CollaborativeEnsembleClassifier(n_epochs=2, random_state=0),
    CollaborativeEnsembleClassifier(
        radius=0.5, n_planes=5, n_epochs=60, step=0.02, random_state=0
    ),
]


def excused(estimator):
    """Checks that cannot hold for training at random, as scikit-learn says of its own."""
    reason = "a sample of weight 2 and a sample that is there twice are drawn differently"
    names = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]
    # With a chosen radius the answers to these few points do not depend on what is drawn.
    is_drawn = hasattr(estimator, "random_state") and getattr(estimator, "radius", None) != "auto"
    return dict.fromkeys(names, reason) if is_drawn else {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=excused)
def test_scikit_learn_check(estimator, check):
    check(estimator)
