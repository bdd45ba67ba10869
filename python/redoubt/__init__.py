"""Robust linear classifiers and votes, trained and exactly certified."""

from redoubt import datasets, displays, metrics, model_selection, scale
from redoubt._attack_models import AttackModel
from redoubt._batches.counts import CurveCounts
from redoubt._batches.making import batch_attack, batch_certify, batch_evaluate, batch_predict
from redoubt._batches.tasks import BatchTask
from redoubt._certificates.certify import attack, certify
from redoubt._certificates.curves import accuracy_ceiling, attack_curve
from redoubt._certificates.explain import explain
from redoubt._certificates.explained import Explanation
from redoubt._certificates.loaded_model import Model, load_model
from redoubt._certificates.randomised import worst_expected_accuracy
from redoubt._certificates.results import (
    AttackCurve,
    Attacks,
    Certificates,
    ExpectedAccuracy,
)
from redoubt._core import InvalidInput, ParseError, WriteError, __version__
from redoubt._estimators.ensembles import (
    BaggedSVMClassifier,
    CollaborativeEnsembleClassifier,
    RobustEnsembleClassifier,
)
from redoubt._estimators.planes import LinearSVMClassifier, RobustSVMClassifier
from redoubt._estimators.vote_classifier import ConstantAnswerWarning
from redoubt._models.ensemble import Ensemble
from redoubt._models.onnx_graph import to_onnx
from redoubt._models.operating_point import OperatingPoint, operating_point
from redoubt._models.saving import MissingScalerWarning, save_model

__all__ = [
    "AttackCurve",
    "AttackModel",
    "Attacks",
    "BaggedSVMClassifier",
    "BatchTask",
    "Certificates",
    "CollaborativeEnsembleClassifier",
    "ConstantAnswerWarning",
    "CurveCounts",
    "Ensemble",
    "ExpectedAccuracy",
    "Explanation",
    "InvalidInput",
    "LinearSVMClassifier",
    "MissingScalerWarning",
    "Model",
    "OperatingPoint",
    "ParseError",
    "RobustEnsembleClassifier",
    "RobustSVMClassifier",
    "WriteError",
    "__version__",
    "accuracy_ceiling",
    "attack",
    "attack_curve",
    "batch_attack",
    "batch_certify",
    "batch_evaluate",
    "batch_predict",
    "certify",
    "datasets",
    "displays",
    "explain",
    "load_model",
    "metrics",
    "model_selection",
    "operating_point",
    "save_model",
    "scale",
    "to_onnx",
    "worst_expected_accuracy",
]
