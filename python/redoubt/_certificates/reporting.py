"""Certificates as users see them, from what a search found."""

import numpy as np

from redoubt._certificates.moved_tables import MovedTable
from redoubt._certificates.results import Certificates
from redoubt._certificates.witnesses import wanted_answers


def report(flips, labels, search, units, classes, own=None, **more):
    """Certificates from signed flips; `own` holds the model's answers in its own arithmetic.

    `more` has further fields, and may replace the witness.
    """
    is_zero = flips.lower == 0.0
    if is_zero.any():
        flips.closed |= ~np.signbit(flips.lower) & is_zero  # no move: nothing changes
    columns = vars(flips) | {"status": flips.status.astype(str), "fooled": list(flips.fooled)}
    answer, moved_answer = columns.pop("answer"), columns.pop("moved_answer")
    return Certificates(
        **(columns | more),
        nearest=_labels_or_none(classes, moved_answer),
        prediction=classes[answer if own is None else own],
        label=None if labels is None else classes[labels],
        classes=classes,
        norm=search.norm,
        units=units,
    )


def report_table(attacked, flips, after, search, labels=None, targets=None, **more):
    """The same for an AttackedTable, whose rows after the moves are `after`."""
    flips.witness = None
    return report(
        flips,
        labels,
        search,
        attacked.units,
        attacked.classes,
        attacked.own,
        attack_model=attacked.rules,
        table=MovedTable(attacked, after, wanted_answers(attacked.own, labels, targets)),
        scale=attacked.scales(),
        target=None if targets is None else attacked.classes[targets],
        **more,
    )


def _labels_or_none(classes, codes):
    """The classes with these numbers, as objects; None for -1."""
    names = [*classes.tolist(), None]  # the last one is that of -1
    labels = np.empty(len(codes), dtype=object)
    labels[:] = [names[code] for code in codes.tolist()]
    return labels
