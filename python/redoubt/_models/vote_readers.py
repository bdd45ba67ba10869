"""Votes of scikit-learn: hard votes, bags and AdaBoost over members of one plane each.

Every reader takes a fitted model and `read`, which reads the members.
"""

from dataclasses import replace

import numpy as np

from redoubt import _core
from redoubt._models.decision_rules import Planes, Vote
from redoubt._models.reading import LinearModel, own_feature_names, planes_of, refuse
from redoubt._pipelines import coding_of
from redoubt._sklearn_private import weights_of_votes


def read_member(model, member, read, classes=(0, 1)):
    """One plane with its scalers folded in; its classes must be these: codes, as a rule."""
    found = read(member)
    if not isinstance(found.decision, Vote) or len(found.decision.planes) != 1:
        raise refuse(model, f"has the member {type(member).__name__}, which is not a single plane")
    if found.classes.tolist() != list(classes):
        raise refuse(
            model, f"has a member that was trained on the classes {found.classes.tolist()}"
        )
    return found


def _folded(member):
    """The planes of a member in the columns of X; has it a scaler?"""
    return member.folded().planes, member.factor is not None


def _on_one_table(model, members):
    """Members that look at raw columns, as planes on features that they share."""
    forms = [member.raw_form() for member in members]
    coding = coding_of(forms, own_feature_names(model))
    has_scaler = coding.is_numeric and any(form.units for form in forms)
    planes = [
        (Planes.make(*planes_of(coding, form), member.decision.planes.tie), has_scaler)
        for member, form in zip(members, forms, strict=True)
    ]
    return planes, _stack(forms), None if coding.is_numeric else coding


def _stack(forms):
    """The functions of all forms: each adds nothing to those of the others."""
    n = sum(len(form.coef) for form in forms)
    whole, start = None, 0
    for form in forms:
        matrix = np.zeros((n, len(form.coef)), dtype=np.longdouble)
        matrix[start : start + len(form.coef)] = np.eye(len(form.coef))
        start += len(form.coef)
        part = form.weighed(matrix)
        whole = part if whole is None else whole + part
    return whole


def planes_of_members(model, members):
    """The planes of each member on features that all share; have members scalers; form, coding."""
    form, coding = None, None
    if any(member.form is not None for member in members):
        pairs, form, coding = _on_one_table(model, members)
    else:
        pairs = [_folded(member) for member in members]
    return [planes for planes, _ in pairs], any(scaled for _, scaled in pairs), form, coding


def _join(model, members, weights=None):
    """The vote of several planes; scikit-learn answers a tie with the first class."""
    members, scaled, form, coding = planes_of_members(model, members)
    planes = members[0]
    for member in members[1:]:
        planes = planes + member
    unit = 1.0
    if weights is not None:
        weighed = _core.Ensemble(planes.coef, planes.intercept, weights)
        unit = weighed.weight_unit
        planes = Planes.make(planes.coef, planes.intercept, planes.tie, weighed.weight_units)
    return LinearModel(
        Vote(planes, False, unit), model.classes_, inner_scalers=scaled, form=form, coding=coding
    )


def _with_weight(model, members, weights):
    """The members that count, and their weights."""
    weights = np.asarray(weights, dtype=np.float64)
    bad = weights[~(np.isfinite(weights) & (weights >= 0))]
    if len(bad) or not np.any(weights > 0):
        got = "none that is not 0" if not len(bad) else f"{bad[0]:g}"
        raise refuse(model, f"needs finite weights >= 0 to be a weighted vote, got {got}")
    chosen = [member for member, weight in zip(members, weights, strict=True) if weight > 0]
    return chosen, weights[weights > 0]


def _check_two_classes(model):
    if len(model.classes_) != 2:
        raise refuse(
            model,
            f"votes on {len(model.classes_)} classes, where each member is the greatest of several "
            "scores and no plane; such votes are supported for two classes only",
        )


def read_voting(model, read):
    if model.voting != "hard":
        raise refuse(
            model,
            f"has voting={model.voting!r}, which averages probabilities and is no vote of planes; "
            "only voting='hard' is supported",
        )
    _check_two_classes(model)
    members, weights = model.estimators_, weights_of_votes(model)
    if weights is not None:
        members, weights = _with_weight(model, members, weights)
    return _join(model, [read_member(model, member, read) for member in members], weights)


def read_boosting(model, read):
    """SAMME on two classes: the sum of the members' answers, -1 and +1, times their weights."""
    _check_two_classes(model)
    if getattr(model, "algorithm", "SAMME") == "SAMME.R":
        raise refuse(model, "has algorithm='SAMME.R', which adds up probabilities")
    weights = model.estimator_weights_[: len(model.estimators_)]
    members, weights = _with_weight(model, model.estimators_, weights)
    classes = model.classes_.tolist()
    return _join(model, [read_member(model, member, read, classes) for member in members], weights)


def read_bagging(model, read):
    _check_two_classes(model)
    members = []
    for member, features in zip(model.estimators_, model.estimators_features_, strict=True):
        if hasattr(member, "predict_proba"):
            raise refuse(
                model,
                f"has members with predict_proba ({type(member).__name__}): scikit-learn averages "
                "their probabilities, which is no vote of planes",
            )
        one = read_member(model, member, read)
        if one.coding is not None:
            raise refuse(model, "has members that encode columns of their own")
        planes, has_scaler = _folded(one)
        coef = np.zeros((1, model.n_features_in_), dtype=np.longdouble)
        np.add.at(coef, (0, features), planes.coef[0])  # a feature may have been drawn twice
        planes = Planes.make(coef, planes.intercept, planes.tie)
        ones = np.ones(model.n_features_in_, dtype=np.longdouble) if has_scaler else None
        members.append(
            replace(
                one,
                decision=Vote(planes, False),
                factor=ones,
                shift=None if ones is None else 0 * ones,
                form=None,
            )
        )
    return _join(model, members)
