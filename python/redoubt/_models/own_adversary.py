"""The adversary that a model was made for: the norm, rules and units that count by default."""

from typing import Any

from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from redoubt._attack_models import NORMS, AttackModel, choose_norm
from redoubt._models.model_file import Model
from redoubt._sklearn_private import BaseSearchCV
from redoubt._typing import Norm


def own_norm(model: Any) -> Norm:
    """Return the norm that a model was made for.

    Parameters
    ----------
    model : estimator or Model
        Fitted or not.

    Returns
    -------
    norm : {"l1", "l2", "linf"}
        That of the model's attack model, or its `norm`; that of the last step of a Pipeline, or of
        the estimator inside a search or a bag. "l2" if there is none.

    Examples
    --------
    >>> from redoubt import RobustSVMClassifier
    >>> from redoubt.metrics import own_norm
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> own_norm(make_pipeline(StandardScaler(), RobustSVMClassifier(norm="linf")))
    'linf'
    >>> own_norm(LogisticRegression())
    'l2'
    """
    attack_model = find_attack_model(model)
    return attack_model.norm if attack_model is not None else _find(model, _norm_parameter) or "l2"


def find_attack_model(model):
    """Return the parameter `attack_model` of a model, fitted or not, or of a part of it; or None."""
    return _find(model, _attack_model_parameter)


def _find(model, read):
    """What `read` finds in a model, in the last step of a Pipeline, or inside a search or a bag."""
    if isinstance(model, Pipeline):
        return _find(model.steps[-1][1], read)
    found = read(model)
    if found is not None:
        return found
    inner = getattr(model, "best_estimator_", getattr(model, "estimator", None))
    return _find(inner, read) if isinstance(inner, BaseEstimator) else None


def _attack_model_parameter(model):
    attack_model = getattr(model, "attack_model", None)
    return attack_model if isinstance(attack_model, AttackModel) else None


def _norm_parameter(model):
    norm = getattr(model, "norm", None)
    return norm if isinstance(norm, str) and norm in NORMS else None


def own_attack_model(model: Any) -> AttackModel | None:
    """Return the attack model that a fitted model was made for.

    Parameters
    ----------
    model : fitted estimator or Model

    Returns
    -------
    attack_model : ResolvedAttackModel, AttackModel or None
        The model's `attack_model_`; that of the last step of a Pipeline, or of what a search chose.
        It is in the units of the features that this estimator sees: in a Pipeline, those after the
        scalers. `redoubt.certify` knows that and takes it as `attack_model`.

    Examples
    --------
    >>> from redoubt import AttackModel, RobustSVMClassifier
    >>> from redoubt.metrics import own_attack_model
    >>> model = RobustSVMClassifier(attack_model=AttackModel(frozen=[1]))
    >>> own_attack_model(model.fit([[0.0, 1.0], [3.0, 2.0]], [0, 1])).scale.tolist()
    [1.0, 0.0]
    """
    if isinstance(model, Pipeline):
        return own_attack_model(model.steps[-1][1])
    if isinstance(model, BaseSearchCV):
        given = getattr(model, "attack_model", None)
        chosen = getattr(model, "best_estimator_", None)
        return own_attack_model(chosen) if given is None else given
    if isinstance(model, Model):
        return model.attack_model
    return getattr(model, "attack_model_", None)


def choose_attack(model, norm, attack_model):
    """Return the norm and the attack model: what is given, or else the model's own."""
    if attack_model is None:
        attack_model = own_attack_model(model)
    if attack_model is None and norm is None:
        norm = own_norm(model)
    return choose_norm(attack_model, norm), attack_model


def choose_units(model, units):
    """Return what radii are measured in: what is given, or else the model's own.

    A model file is one of scaled features, as in the program; a search says what its scores are
    measured in.
    """
    if units is None:
        own = getattr(model, "units", None) if isinstance(model, BaseSearchCV) else None
        units = "scaled" if isinstance(model, Model) else own or "raw"
    if units not in ("raw", "scaled"):
        raise ValueError(f"units: expected 'raw' or 'scaled', got {units!r}")
    return units
