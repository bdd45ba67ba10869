"""The results of `explain`: one answer, feature by feature."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from redoubt._typing import Frame


class FeatureMove(NamedTuple):
    """What the cheapest attack does to one feature.

    Attributes
    ----------
    feature : str
    before, after : float or str
        Its value, in the units of X; the category, in a column of categories.
    size : float
        The size of this move alone: ``|after - before| / scale``, or the cost of the switch.
    share : float
        Its share of the size of the whole attack. For l1 and l2 (there, of the square) the shares
        add up to 1; for linf the features with share 1 determine the size.
    """

    feature: str
    before: float
    after: float
    size: float
    share: float


class SingleChange(NamedTuple):
    """The smallest change of a single feature that changes the answer.

    Every allowed value between `before` and `up_to` (or `down_to`) keeps the answer.

    Attributes
    ----------
    feature : str
    before : float or str
    up_to, down_to : float
        The nearest values above and below that change the answer; inf and -inf if there are none.
        In a column of categories `up_to` is a category that changes it, or None.
    up_size, down_size : float
        The sizes of these changes; inf if there are none.
    partner : str or None
        The member of the one-hot group that changes together with this one.
    goes_on : bool
        For a switch: whether this member is turned on.
    """

    feature: str
    before: float
    up_to: float = np.inf
    down_to: float = -np.inf
    up_size: float = np.inf
    down_size: float = np.inf
    partner: str | None = None
    goes_on: bool = False

    @property
    def size(self):
        """That of the smaller change; inf if there is none."""
        return min(self.up_size, self.down_size)


class CategoryChange(NamedTuple):
    """The categories of one column of a table that change the answer by themselves.

    Attributes
    ----------
    feature : str
        The column.
    before : category
    switch_to : list
        The categories that change the answer when only this column changes.
    size : float
        The size of such a change; inf if there is none.
    """

    feature: str
    before: object
    switch_to: list
    size: float


def nearest_answer(found, classes):
    """The label that the library's cheapest attack leads to; `classes` are in its order."""
    if not len(found.moved):
        return None
    number = int(found.moved_answer)
    return classes[int(number > 0)] if len(classes) == 2 else classes[number]


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """What it takes to change the answer, feature by feature, in the units of X.

    Attributes
    ----------
    answer : label
        The model's answer.
    sentence : str
        A summary in words. Changes and sizes are rounded down, so that it is true as printed.
    radius : float
        The size of the cheapest attack.
    lower, upper : float
        Proven bounds on it. They differ if a limit was reached.
    status : str
        As in `Certificates`.
    row : ndarray of shape (n_features,), or a table of one row
        The row that was explained; for a model of a table with categories or missing values, a
        table like X.
    moved : ndarray of shape (n_features,), or a table of one row
        The row after the cheapest attack; NaN if none is known. It obeys the rules of the attack
        model: what does not move is identical to the last bit.
    is_changed : bool
        Whether the model's answer at `moved` is another one. False if no attack is known, or if
        doubles are too coarse for the move.
    attack : list of FeatureMove
        The features that the cheapest attack moves, largest share first; each has the fields
        `feature`, `before`, `after`, `size` and `share`.
    singles : list of SingleChange
        The smallest change of each single feature that changes the answer, in the order of the
        features; each has the fields `feature`, `before`, `up_to`, `down_to`, `up_size`,
        `down_size`, `partner` and `goes_on` (for a one-hot group). Empty if the status is
        "rounding". For a column of categories of a model file it is a CategoryChange, with
        `feature`, `before`, `switch_to` and `size`.
    n_nodes : int
    solve_seconds : float
    norm : {"l1", "l2", "linf", "l0"}
    units : {"raw", "scaled"}
        The units of sizes; everything else is in the units of X.
    attack_model : AttackModel or None
    ranges : ndarray of shape (n_features, 2) or None
        The range that each feature stays within: that of the training data, widened to contain the
        row.
    nearest : label or None
        The answer that the cheapest attack leads to; None if no attack is known.
    """

    answer: object
    sentence: str
    radius: float
    lower: float
    upper: float
    status: str
    row: np.ndarray
    moved: np.ndarray
    is_changed: bool
    attack: list
    singles: list
    n_nodes: int
    solve_seconds: float
    norm: str
    units: str
    attack_model: object = None
    ranges: np.ndarray | None = None
    nearest: object = None

    def __repr__(self):
        return f"<Explanation: {self.sentence}>"

    def __str__(self):
        text = self.sentence
        if self.attack:
            rows = [
                (
                    move.feature,
                    _start(move.before),
                    _end(move.before, move.after),
                    f"{move.size:.4g}",
                    f"{move.share:.1%}",
                )
                for move in self.attack
            ]
            text += f"\n\nThe cheapest attack, {self.norm} size {self.radius:.4g}:\n"
            text += _table(("feature", "from", "to", "size", "share"), rows)
        singles = [each for each in self.singles if np.isfinite(each.size)]
        # A switch is reported for the member that goes on.
        singles = [
            each
            for each in singles
            if isinstance(each, CategoryChange) or each.partner is None or each.goes_on
        ]
        singles.sort(key=lambda each: each.size)
        if singles:
            rows = [
                (each.feature, _start(each.before), *_ends(each), f"{each.size:.4g}")
                for each in singles
            ]
            text += "\n\nOne feature alone, the cheapest first:\n"
            text += _table(("feature", "from", "up to", "down to", "size"), rows)
        return text

    def to_frame(self) -> Frame:
        """Return what is known of each feature as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            One row per feature, with the columns `value`, `attack_to`, `attack_size`,
            `attack_share` (NaN if the cheapest attack does not move it), `up_to`, `up_size`,
            `down_to`, `down_size` and `partner`. Empty if the status is "rounding". For a table:
            one row per column, with `switch_to` and `switch_size` for categories.
        """
        import pandas as pd  # an extra: only this method needs it

        moves = {move.feature: move for move in self.attack}
        rows = []
        for single in self.singles:
            move = moves.get(single.feature)
            known = {
                "value": single.before,
                "attack_to": np.nan if move is None else move.after,
                "attack_size": np.nan if move is None else move.size,
                "attack_share": np.nan if move is None else move.share,
            }
            if isinstance(single, CategoryChange):
                rows.append(known | {"switch_to": single.switch_to, "switch_size": single.size})
                continue
            rows.append(
                known
                | {
                    "up_to": single.up_to,
                    "up_size": single.up_size,
                    "down_to": single.down_to,
                    "down_size": single.down_size,
                    "partner": single.partner,
                }
            )
        index = pd.Index([single.feature for single in self.singles], name="feature")
        return pd.DataFrame(rows, index=index)


def _start(value):
    return value if isinstance(value, str) else f"{value:.6g}"


def _ends(change):
    """Where a single change ends, above and below; a category has no above."""
    if isinstance(change, CategoryChange):
        return ", ".join(map(str, change.switch_to)), "-"
    return _end(change.before, change.up_to), _end(change.before, change.down_to)


def _end(before, after):
    """Where a change ends; a value that only rounding keeps from 0 is 0."""
    if after is None or isinstance(after, str):
        return "-" if after is None else after
    if not np.isfinite(after):
        return "-"
    return f"{after:.6g}" if abs(after) > 1e-12 * abs(after - before) else "0"


def _table(head, rows):
    """Columns of text, the first one flush left."""
    widths = [max(len(cell) for cell in column) for column in zip(head, *rows, strict=True)]
    lines = []
    for cells in (head, *rows):
        first, *others = zip(cells, widths, strict=True)
        line = first[0].ljust(first[1]) + "".join(f"  {cell:>{width}}" for cell, width in others)
        lines.append(f"  {line}".rstrip())
    return "\n".join(lines)
