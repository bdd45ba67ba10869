"""What `explain` returns."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

__all__ = ["Explanation", "FeatureMove", "SingleChange"]


class FeatureMove(NamedTuple):
    """What the cheapest attack does to one feature.

    Attributes
    ----------
    feature : str
    before, after : float
        Its value, in the units of X.
    size : float
        Of this move alone: ``|after - before| / scale``, or what the switch of its group costs.
    share : float
        Its part in the size of the whole attack. For l1 and l2 (there of the square) the shares add
        up to 1; for linf features with 1 are those that count.
    """

    feature: str
    before: float
    after: float
    size: float
    share: float


class SingleChange(NamedTuple):
    """The least change of one feature, all others left alone, that changes the answer.

    Every allowed value between `before` and `up_to` (or `down_to`) keeps the answer.

    Attributes
    ----------
    feature : str
    before : float
    up_to, down_to : float
        The nearest values above and below that change the answer; inf and -inf if there are none.
    up_size, down_size : float
        The sizes of these changes; inf if there are none.
    partner : str or None
        A member of a one-hot group changes together with this one.
    goes_on : bool
        Of a switch: is it this member that goes on?
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


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """What would have to change for another answer, feature by feature, in the units of X.

    Attributes
    ----------
    answer : label
        The model's answer.
    sentence : str
        It all in a few words. Changes and sizes are rounded down, so it is true as it stands.
    radius : float
        The size of the cheapest attack.
    lower, upper : float
        What is proven of it. They differ where a limit struck.
    status : str
        As in `Certificates`.
    row : ndarray of shape (n_features,)
        What was explained.
    moved : ndarray of shape (n_features,)
        The row after the cheapest attack; NaN where none is known. It keeps the rules of the attack
        model: what does not move is the same to the last bit.
    is_changed : bool
        Does the model answer otherwise at `moved`? False where none is known, and where doubles are
        too coarse for the move.
    attack : list of FeatureMove
        The features that the cheapest attack moves, the largest share first; with the fields
        `feature`, `before`, `after`, `size` and `share`.
    singles : list of SingleChange
        The least change of each feature alone, in the order of the features; with the fields
        `feature`, `before`, `up_to`, `down_to`, `up_size`, `down_size`, `partner` and `goes_on` (of
        a one-hot group). Empty if the status is "rounding".
    n_nodes : int
    solve_seconds : float
    norm : {"l1", "l2", "linf"}
    units : {"raw", "scaled"}
        What sizes are measured in; everything else is in the units of X.
    attack_model : AttackModel or None
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

    def __repr__(self):
        return f"<Explanation: {self.sentence}>"

    def __str__(self):
        text = self.sentence
        if self.attack:
            rows = [
                (
                    move.feature,
                    f"{move.before:.6g}",
                    _end(move.before, move.after),
                    f"{move.size:.4g}",
                    f"{move.share:.1%}",
                )
                for move in self.attack
            ]
            text += f"\n\nThe cheapest attack, {self.norm} size {self.radius:.4g}:\n"
            text += _table(("feature", "from", "to", "size", "share"), rows)
        singles = [each for each in self.singles if np.isfinite(each.size)]
        # A switch is told of the member that goes on.
        singles = [each for each in singles if each.partner is None or each.goes_on]
        singles.sort(key=lambda each: each.size)
        if singles:
            rows = [
                (
                    each.feature,
                    f"{each.before:.6g}",
                    _end(each.before, each.up_to),
                    _end(each.before, each.down_to),
                    f"{each.size:.4g}",
                )
                for each in singles
            ]
            text += "\n\nOne feature alone, the cheapest first:\n"
            text += _table(("feature", "from", "up to", "down to", "size"), rows)
        return text

    def to_frame(self):
        """Return what is known of each feature as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            One row per feature, with the columns `value`, `attack_to`, `attack_size`,
            `attack_share` (NaN if the cheapest attack leaves it alone), `up_to`, `up_size`,
            `down_to`, `down_size` and `partner`. Empty if the status is "rounding".
        """
        import pandas as pd  # an extra: only this method needs it

        moves = {move.feature: move for move in self.attack}
        rows = []
        for single in self.singles:
            move = moves.get(single.feature)
            rows.append(
                {
                    "value": single.before,
                    "attack_to": np.nan if move is None else move.after,
                    "attack_size": np.nan if move is None else move.size,
                    "attack_share": np.nan if move is None else move.share,
                    "up_to": single.up_to,
                    "up_size": single.up_size,
                    "down_to": single.down_to,
                    "down_size": single.down_size,
                    "partner": single.partner,
                }
            )
        index = pd.Index([single.feature for single in self.singles], name="feature")
        return pd.DataFrame(rows, index=index)


def _end(before, after):
    """Where a change ends; a hair beside 0 is 0 here."""
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
