"""Linear classifiers that hold up against an adversary, with proofs."""

from redoubt import datasets
from redoubt._core import InvalidInput, ParseError, __version__
from redoubt._svm import LinearSVMClassifier, RobustSVMClassifier

__all__ = [
    "InvalidInput",
    "LinearSVMClassifier",
    "ParseError",
    "RobustSVMClassifier",
    "__version__",
    "datasets",
]
