"""Classifiers of scikit-learn that make several classes of two: one against the rest, or each other.

Every reader takes a fitted model and `read`, which reads the members.
"""

from dataclasses import replace

from redoubt._models.decision_rules import ArgMax
from redoubt._models.reading import LinearModel, refuse
from redoubt._models.responses import VALUE, chosen_method, read_response
from redoubt._models.vote_readers import planes_of_members, read_member
from redoubt._models.wrapper_readers import shifted
from redoubt._sklearn_private import last_of_equal_scores_wins


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
    for member in model.estimators_:
        if not hasattr(member, "decision_function") or read_response(
            member, "decision_function"
        ) is not VALUE:
            raise refuse(
                model,
                f"compares scores of {type(member).__name__}, which are not values of a plane",
            )
    members, classes = [read_member(model, each, read) for each in model.estimators_], model.classes_
    if last_of_equal_scores_wins():
        members, classes = members[::-1], classes[::-1]
    planes, scaled, form, coding = planes_of_members(model, members)
    return LinearModel(
        ArgMax(planes, by_votes=False), classes, inner_scalers=scaled, form=form, coding=coding
    )


def read_one_vs_one(model, read):
    """Of two classes: the answer of the one member."""
    if len(model.classes_) != 2:
        raise refuse(
            model,
            f"has {len(model.classes_)} classes: its votes are settled by sums of confidences, which "
            "are not linear; take OneVsRestClassifier",
        )
    (member,) = model.estimators_
    return replace(read_member(model, member, read), classes=model.classes_, exact=False)
