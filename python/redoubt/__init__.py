"""Linear classifiers that hold up against an adversary, with proofs."""

from redoubt import datasets, displays, metrics, model_selection
from redoubt._attack_models import AttackModel
from redoubt._certify import Ensemble, accuracy_ceiling, attack, attack_curve, certify
from redoubt._collaborative import CollaborativeEnsembleClassifier
from redoubt._core import InvalidInput, ParseError, WriteError, __version__
from redoubt._ensembles import BaggedSVMClassifier, RobustEnsembleClassifier
from redoubt._explain import explain
from redoubt._explanation import Explanation
from redoubt._model import Model, load_model
from redoubt._onnx import to_onnx
from redoubt._randomised import worst_expected_accuracy
from redoubt._results import AttackCurve, Attacks, Certificates, ExpectedAccuracy
from redoubt._svm import LinearSVMClassifier, RobustSVMClassifier

__all__ = [
    "AttackCurve",
    "AttackModel",
    "Attacks",
    "BaggedSVMClassifier",
    "Certificates",
    "CollaborativeEnsembleClassifier",
    "Ensemble",
    "ExpectedAccuracy",
    "Explanation",
    "InvalidInput",
    "LinearSVMClassifier",
    "Model",
    "ParseError",
    "RobustEnsembleClassifier",
    "RobustSVMClassifier",
    "WriteError",
    "__version__",
    "accuracy_ceiling",
    "attack",
    "attack_curve",
    "certify",
    "datasets",
    "displays",
    "explain",
    "load_model",
    "metrics",
    "model_selection",
    "to_onnx",
    "worst_expected_accuracy",
]
