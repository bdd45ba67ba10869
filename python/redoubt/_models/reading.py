"""What is known of a model once it has been read: its decision, and what that looks at."""

from dataclasses import dataclass, field

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from redoubt._models.decision_rules import ArgMax, Vote, stacked, with_planes
from redoubt._pipelines import Form, coefficients
from redoubt._sklearn_private import BaseSearchCV
from redoubt._tables.coding import Coding

SUPPORTED = (
    "redoubt.Ensemble, redoubt.Model and the fitted classifiers of redoubt; of scikit-learn "
    "LinearSVC, SVC and NuSVC with kernel='linear', LogisticRegression, SGDClassifier, Perceptron, "
    "PassiveAggressiveClassifier, RidgeClassifier, LinearDiscriminantAnalysis, MultinomialNB, "
    "ComplementNB, BernoulliNB, NearestCentroid, two-class trees of depth 1, "
    "VotingClassifier(voting='hard'), AdaBoostClassifier and BaggingClassifier over two-class "
    "members of these, OneVsRestClassifier, FixedThresholdClassifier, TunedThresholdClassifierCV and "
    "CalibratedClassifierCV(ensemble=False) around these, a Pipeline of steps such as scalers, "
    "encoders, imputers and ColumnTransformer and one of these, and a search such as GridSearchCV "
    "over these"
)


@dataclass(frozen=True, eq=False)
class LinearModel:
    """What a model computes: the decision applied to ``factor * x + shift`` (None: to x itself).

    `transform` scales in the model's own arithmetic. `exact` models answer without rounding, and
    exactly as the decision does. `inner_scalers`: members of a vote have scalers of their own.

    A model of a table with categories or gaps has a `coding`, and the decision is about the
    features z that it makes of the raw columns. `form` holds the planes as functions of the raw
    columns, wherever a pipeline has steps other than scalers. `memo` is for what follows from it.
    """

    decision: Vote | ArgMax
    classes: np.ndarray
    factor: np.ndarray | None = None
    shift: np.ndarray | None = None
    transform: object = None
    exact: bool = False
    inner_scalers: bool = False
    form: Form | None = None
    coding: Coding | None = None
    memo: dict = field(default_factory=dict)

    def need_numbers(self, who):
        """Raise if the model is one of a table with categories or gaps."""
        if self.coding is not None:
            raise NotImplementedError(
                f"{who}: this model takes a table with categories or missing entries, which is not "
                "supported here; redoubt.certify, attack and explain take it"
            )

    def need_own_features(self):
        """Raise if rules about what the classifier itself sees are not about scaled columns."""
        if self.form is not None:
            raise ValueError(
                "attack_model: that of the estimator is about the features that it sees behind the "
                "other steps of the pipeline; give one about the columns of X"
            )

    def raw_form(self):
        """The planes as functions of the columns of X."""
        if self.form is not None:
            return self.form
        form = Form.linear(*stacked(self.decision))
        if self.factor is None:
            return form
        return form.scaled(self.factor, self.shift, is_unit=True)

    def in_scaled_features(self):
        """Of a model of raw columns: the decision about ``z / unit``, as a model file has it, and unit.

        So its certificates are those of the file, to the last bit.
        """
        if "scaled" not in self.memo:
            unit = self.coding.feature_units()
            decision = self.decision
            if (unit != 1.0).any():
                coef, intercept = stacked(decision)
                decision = with_planes(decision, coef * unit, intercept)
            self.memo["scaled"] = decision, unit
        return self.memo["scaled"]

    def scaler(self):
        """center and scale of ``(x - center) / scale``, the form of a model file.

        Rounded once from extended precision: those of a StandardScaler come out as they are.
        """
        if self.factor is None:
            return np.zeros(self.decision.n_features), np.ones(self.decision.n_features)
        center = -self.shift / self.factor
        return (center + 0.0).astype(np.float64), (1 / self.factor).astype(np.float64)

    def folded(self):
        """The decision in raw features."""
        return (
            self.decision if self.factor is None else self.decision.after(self.factor, self.shift)
        )


def own_feature_names(model):
    """The names of the features that a fitted model knows, as a list; or None."""
    if isinstance(model, Pipeline):
        steps = [step for _, step in model.steps if step is not None and step != "passthrough"]
        return own_feature_names(steps[0])
    if isinstance(model, BaseSearchCV):
        return own_feature_names(model.best_estimator_)
    if isinstance(model, FrozenEstimator):
        return own_feature_names(model.estimator)
    names = getattr(model, "feature_names_in_", getattr(model, "feature_names", None))
    return None if names is None or not len(names) else [str(name) for name in names]


def planes_of(coding, form):
    """Coefficients and intercepts of z; where there are only numbers, of all columns."""
    if coding.is_numeric:
        return np.where(form.is_linear, form.coef, 0), form.intercept
    return coefficients(coding, form)


def refuse(model, reason):
    return ValueError(f"model: {type(model).__name__} {reason}")
