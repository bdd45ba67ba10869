"""scikit-learn's own checks, without exceptions."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from redoubt import LinearSVMClassifier, RobustSVMClassifier

# Several checks train on random labels, where the best robust plane is none: the warning is right.
pytestmark = pytest.mark.filterwarnings("ignore:RobustSVMClassifier. w = 0 is optimal:UserWarning")


@parametrize_with_checks([LinearSVMClassifier(), RobustSVMClassifier()])
def test_scikit_learn_check(estimator, check):
    check(estimator)
