"""Classifiers of scikit-learn that make several classes of two: one against the rest, or each other.

Every reader takes a fitted model and `read`, which reads the members.
"""

from dataclasses import replace

import numpy as np

from redoubt._models.decision_rules import ArgMax, Planes
from redoubt._models.reading import LinearModel, refuse
from redoubt._models.responses import VALUE, chosen_method, read_response
from redoubt._models.vote_readers import planes_of_members, read_member
from redoubt._models.wrapper_readers import shifted
from redoubt._sklearn_private import last_of_equal_scores_wins


def _need_values(model):
    """Members whose scores are compared must have the values of planes as scores."""
    for member in model.estimators_:
        if not hasattr(member, "decision_function") or read_response(
            member, "decision_function"
        ) is not VALUE:
            raise refuse(
                model,
                f"compares scores of {type(member).__name__}, which are not values of a plane",
            )


def read_one_vs_rest(model, read):
    """The class with the greatest score; of two classes there is one member."""
    if model.multilabel_:
        raise refuse(model, "was fitted to several labels per row, and certify takes one class")
    if len(model.classes_) == 2:
        (member,) = model.estimators_
        method = chosen_method(member, ("decision_function", "predict_proba"))
        response = read_response(member, method)
        if response is None:
            raise refuse(model, f"is around {type(member).__name__}, which is not supported")
        start = response.most(0.5 if method == "predict_proba" else 0.0)
        return shifted(model, read(member), response.sign, start, False)
    _need_values(model)
    members, classes = [read_member(model, each, read) for each in model.estimators_], model.classes_
    if last_of_equal_scores_wins():
        members, classes = members[::-1], classes[::-1]
    planes, scaled, form, coding = planes_of_members(model, members)
    return LinearModel(
        ArgMax(planes, by_votes=False), classes, inner_scalers=scaled, form=form, coding=coding
    )


def read_one_vs_one(model, read):
    """Of two classes the answer of the one member; of more, votes, whose ties values settle.

    The value of a class is the sum of the decisions of its members, each towards the class.
    """
    n_classes = len(model.classes_)
    if n_classes == 2:
        (member,) = model.estimators_
        return replace(read_member(model, member, read), classes=model.classes_, exact=False)
    if model.pairwise_indices_ is not None:
        raise refuse(model, "was fitted to a matrix of kernels or distances")
    _need_values(model)
    members = [read_member(model, each, read) for each in model.estimators_]
    planes, scaled, form, coding = planes_of_members(model, members)
    pairs = [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]
    whole, matrix, classes = planes[0].joined(planes[1:]), [], []
    for c in range(n_classes):
        mine = [p for p, pair in enumerate(pairs) if c in pair]
        sign = np.array([1.0 if pairs[p][1] == c else -1.0 for p in mine])
        ties = np.where(sign > 0, whole.tie[mine], ~whole.tie[mine])
        classes.append(
            Planes.make(sign[:, None] * whole.coef[mine], sign * whole.intercept[mine], ties)
        )
        matrix.append(np.zeros((len(mine), len(pairs)), dtype=np.longdouble))
        matrix[-1][np.arange(len(mine)), mine] = sign
    matrix.append(np.array([rows.sum(axis=0) for rows in matrix]))
    values = Planes.make(
        matrix[-1] @ whole.coef.astype(np.longdouble), matrix[-1] @ whole.intercept, True
    )
    if form is not None:
        form = form.weighed(np.vstack(matrix))
    return LinearModel(
        ArgMax(classes, True, values),
        model.classes_,
        inner_scalers=scaled,
        form=form,
        coding=coding,
    )
