"""One row of a table after another: the way from the row to its bracket that touches least.

A model's own `predict` leaves little else in the processor's caches. What takes time here is code
and memory that have to be fetched again, not arithmetic. So what does not depend on the row is
prepared once, and what may never be asked for waits.
"""

import numpy as np

from redoubt import _core
from redoubt._certificates.attacked_tables import AttackedTable
from redoubt._certificates.moved_tables import LaterRows
from redoubt._certificates.reporting import report_table
from redoubt._certificates.results import Certificates
from redoubt._certificates.search import Search, vote_flips
from redoubt._models.decision_rules import Vote
from redoubt._models.reading_cache import known_reading
from redoubt._tables.coding import CodedRows
from redoubt._tables.frames import TableReader

# Adversaries of a model, and sets of missing columns, that have a search waiting.
_MOST_KEPT = 16


def certify_row(model, X, y, norm, attack_model, units):
    """The certificate of a data frame of one row, and the model's own answer.

    The certificate is None where nothing is prepared yet (see `prepare_rows`) and where the row or
    its answer is out of the ordinary: that is for the general way, which also says what is wrong.
    """
    known = known_reading(model)
    if known is None:
        return None, None
    snapshot, linear = known
    try:
        row_search = linear.memo.get("rows", {}).get((norm, id(attack_model), units))
        if row_search is None or not hasattr(X, "columns") or len(X) != 1:
            return None, None
        own = model.predict(X)
    except Exception:  # which will be raised again, in better words
        return None, None
    return (row_search.certify(model, X, y, own) if snapshot.is_current() else None), own


def prepare_rows(attacked, key):
    """Let `certify_row` find this table's adversary, if it knows how to search under it."""
    linear = attacked.linear
    known = known_reading(attacked.model)
    if known is None or known[1] is not linear or not _RowSearch.can_take(attacked):
        return
    rows = linear.memo.setdefault("rows", {})
    if len(rows) >= _MOST_KEPT:
        rows.clear()
    rows[key] = _RowSearch(attacked)


class _RowSearch:
    """A model under an adversary, without a table."""

    def __init__(self, attacked):
        self.linear, self.units = attacked.linear, attacked.units
        self.rules, self.resolved = attacked.rules, attacked.resolved
        self.decision, self.unit = self.linear.in_scaled_features()
        self.class_of = {label: k for k, label in enumerate(self.linear.classes.tolist())}
        self.sign = 1 if self.decision.tie_of_planes else -1
        self.prepared = {}

    @staticmethod
    def can_take(attacked):
        """A vote whose planes answer zero alike, in features that are written out, for all classes."""
        decision = attacked.decision
        is_vote = isinstance(decision, Vote) and decision.tie_of_planes is not None
        is_plain = not attacked.linear.coding.steps and not attacked.is_wide
        return is_vote and is_plain and attacked.resolved.attacking is None

    def certify(self, model, X, y, own):
        try:
            row = numbers, codes, filled = self.linear.coding.code_row(X)
            search = self.prepared.get(filled) or self._prepare(filled)
            found = search.certify(numbers, codes)
            answer = self.class_of[own.item()]
            if y is not None and self.class_of[_only_label(y)] != answer:
                return None
        except (TypeError, ValueError, LookupError, AttributeError):
            return None
        if answer != (found.answer == self.sign):
            return None  # for rounding, or read wrongly
        later = _Later(self, model, X, None if y is None else [answer], answer, row, found)
        return Certificates._of_row(later)

    def _prepare(self, filled):
        """The search for rows in which these columns were missing."""
        coding, rules = self.linear.coding, self.resolved
        still = () if rules.model.missing == "free" else coding.features_of(filled)
        rules = (rules.part([0], None, still) if still else rules).scaled(self.unit)
        vote = self.decision.ensemble(self.sign, self.decision.tie == (self.sign > 0))
        marks = [coding.mark_at[k] for k, j in enumerate(coding.marks) if j in filled]
        if len(self.prepared) >= _MOST_KEPT:
            self.prepared.clear()
        self.prepared[filled] = _core.RowSearch(
            rules.certifier(vote),
            self.unit,
            coding.number_at.tolist(),
            coding.group_at.tolist(),
            list(map(int, marks)),
        )
        return self.prepared[filled]


def _only_label(y):
    if not isinstance(y, (list, np.ndarray)):
        raise TypeError("an unusual kind of labels")
    (label,) = y
    return label


class _Later:
    """What a certificate of one row holds besides its bracket: worked out when it is asked for."""

    def __init__(self, search, model, X, labels, answer, row, found):
        self.search, self.model, self.X, self.row, self.found = search, model, X, row, found
        self.labels, self.answer = labels, answer

    def whole(self):
        """All of it, by the general way."""
        search, (numbers, codes, filled) = self.search, self.row
        coding = search.linear.coding
        gaps = np.zeros((1, len(coding.columns)), dtype=bool)
        gaps[0, list(filled)] = True
        rows = CodedRows(
            coding,
            np.array([numbers], dtype=np.float64),
            np.array([codes], dtype=np.int32),
            gaps,
        )
        labels = None if self.labels is None else np.array(self.labels)
        attacked = AttackedTable(
            self.model,
            self.X,
            search.linear,
            TableReader(self.X, coding),
            rows,
            np.array([self.answer]),
            search.units,
            search.rules,
            search.resolved,
        )
        ((_, part, decode),) = attacked.parts()
        general = Search(attacked.resolved.norm)
        flips = vote_flips(self.found.columns(), part.points.shape, general, search.decision)
        after = LaterRows(decode, flips.witness)
        return report_table(attacked, flips, after, general, labels)
