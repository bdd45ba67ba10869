"""The results of `certify`, `attack` and related functions: arrays with one entry per point or radius."""

from collections import Counter
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np

from redoubt._typing import FilePath, Frame


def _rules(attack_model):
    """What a repr says of an attack model."""
    return "" if attack_model is None else f", attack model ({attack_model.brief()})"


class _Frame:
    """A table of everything that is a column."""

    _not_columns: ClassVar[tuple[str, ...]]

    def to_frame(self) -> Frame:
        """Return the columns as a pandas DataFrame; what is no column (moves) is left out.

        Returns
        -------
        frame : pandas.DataFrame
            One row per point, or per radius.
        """
        import pandas as pd  # an extra: only this method needs it

        names = [field.name for field in fields(cast(Any, self))]
        names = [name for name in names if name not in self._not_columns]
        columns = {name: getattr(self, name) for name in names}
        return pd.DataFrame(
            {name: values for name, values in columns.items() if values is not None}
        )


class _Rows(_Frame):
    """One entry per point."""

    table: Any
    status: np.ndarray

    _not_columns = (
        *("norm", "units", "classes", "witness", "perturbation", "attack_model", "table", "scale"),
        "proofs",
    )

    def __len__(self):
        return len(self.status)

    @property
    def moved(self) -> Any:
        """The rows of a table after their moves, as a table such as X; None if X holds only numbers.

        A row whose move is not known has no values in the columns that the model uses. If the model
        rounds, a row is moved further, by at most one part in a million, until the model's own
        `predict` changes.
        """
        return None if self.table is None else self.table.build()

    def _statuses(self):
        counts = Counter(self.status.tolist())
        return ", ".join(f"{count} {status}" for status, count in counts.most_common())


class Changes(NamedTuple):
    """Features that a move raises (of 0/1 features: adds) and lowers (removes), in their order."""

    added: list
    removed: list

    def __str__(self):
        parts = (("added", self.added), ("removed", self.removed))
        texts = [f"{word}: {', '.join(map(str, names))}" for word, names in parts if names]
        return "; ".join(texts) or "no change"


@dataclass(frozen=True, eq=False, repr=False)
class Certificates(_Rows):
    """How far each point can move before the model changes its answer.

    Attributes
    ----------
    radius : ndarray of shape (n_samples,)
        The signed radius R: the best estimate in ``[lower, upper]``. Positive for a right answer;
        for a wrong one, minus the size of the smallest move that makes it right. Infinite if no
        move changes the answer. With a `target`, the size of the smallest move to it, >= 0.
    lower, upper : ndarray of shape (n_samples,)
        Proven: lower <= R <= upper.
    witness : ndarray or sparse array of shape (n_samples, n_features), or None
        The move that changes the answer (for a wrong one: makes it right), to be added to X. NaN if
        none is known; in a sparse array, a row without entries. None if witnesses were not kept,
        and for models of tables with categories or missing values: see `moved`.
    moved : DataFrame or ndarray such as X, or None
        For such a model: the rows after these moves, categories by their names.
    status : ndarray of str, shape (n_samples,)
        "optimal"; a limit that was reached ("node limit", "time limit"); "rounding" where the model's
        own `predict`, which rounds, disagrees with exact arithmetic: the point is on the boundary
        up to rounding.
    nearest : ndarray of object, shape (n_samples,)
        The answer after the move: of a right answer its closest rival, of a wrong one the label.
        None where no move is known.
    fooled : list of list of int
        Planes whose answer at the witness is the one that the adversary wants. With more than two
        classes: the index of the class that wins there.
    closed : ndarray of bool, shape (n_samples,)
        Whether a right answer is still right after every move of size exactly `lower`, because the
        model breaks ties in its favour. False if this is not known, as with more than two classes.
    prediction : ndarray of shape (n_samples,)
        The model's answer.
    label : ndarray of shape (n_samples,) or None
        The given labels.
    target : ndarray of shape (n_samples,) or None
        The classes to which the smallest moves were certified, if any.
    n_nodes : ndarray of shape (n_samples,)
        Nodes of the search.
    solve_seconds : ndarray of shape (n_samples,)
    classes : ndarray of shape (n_classes,)
        The model's labels.
    norm : {"l1", "l2", "linf", "l0"}
    units : {"raw", "scaled"}
        The units of the radii. Witnesses are always moves of X itself.
    attack_model : AttackModel or None
        What the adversary may do; None is the ball of `norm`.
    scale : dict of column to float, or None
        For a model of a table: the meaning of radius 1. For a number, how far it may move, in the
        units of the table; for a column of categories, the cost of a switch, if it has no cost of
        its own; 0 means frozen.
    """

    radius: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    witness: np.ndarray
    status: np.ndarray
    nearest: np.ndarray
    fooled: list
    closed: np.ndarray
    prediction: np.ndarray
    label: np.ndarray | None
    n_nodes: np.ndarray
    solve_seconds: np.ndarray
    classes: np.ndarray
    norm: str
    units: str
    target: np.ndarray | None = None
    attack_model: object = None
    table: object = None
    scale: dict | None = None
    proofs: object = None

    def changes(self, row: int, feature_names: Any = None) -> "Changes":
        """Return the features that the move of a row raises and lowers: words to add and to remove.

        Parameters
        ----------
        row : int
        feature_names : sequence of str or None, default=None
            None refers to features by number, counted from 0.

        Returns
        -------
        changes : Changes
            A named tuple of the lists `added` and `removed`, empty where no move is known.
        """
        if self.witness is None:
            raise ValueError("no moves were kept; certify with witness=True (of a table see moved)")
        if isinstance(self.witness, np.ndarray):
            steps = np.nan_to_num(self.witness[row])
            features = np.flatnonzero(steps)
            steps = steps[features]
        else:
            row = range(len(self))[row]
            part = slice(self.witness.indptr[row], self.witness.indptr[row + 1])
            features, steps = self.witness.indices[part], self.witness.data[part]

        def called(chosen):
            return [
                int(l) if feature_names is None else str(feature_names[l]) for l in features[chosen]
            ]

        return Changes(called(steps > 0), called(steps < 0))

    def proof(self, row: int) -> Any:
        """Return why the proven end of a row's bracket holds.

        Parameters
        ----------
        row : int

        Returns
        -------
        proof : dict or None
            The row's line of a proof file (see "File formats"). None if the status is "rounding",
            if the row does not attack, or if the proof would be too long to be useful.
        """
        return self._proofs().of(row)

    def save_proofs(self, path: FilePath) -> None:
        """Write a proof file, for ``python -m redoubt_check`` or ``redoubt check``.

        Parameters
        ----------
        path : path-like
            JSON lines.
        """
        self._proofs().save(path)

    def _proofs(self):
        if self.proofs is None:
            raise ValueError("no proofs were recorded; certify with proofs=True")
        return self.proofs

    def __repr__(self):
        text = f"{len(self)} points, norm {self.norm}, {self.units} units"
        text += _rules(self.attack_model)
        if len(self):
            least, middle, most = np.quantile(self.radius, [0, 0.5, 1], method="nearest")
            text += f", radius {least:.4g} to {most:.4g}, median {middle:.4g}: {self._statuses()}"
        return f"<Certificates: {text}>"


@dataclass(frozen=True, eq=False, repr=False)
class Attacks(_Rows):
    """The worst move of each point within a ball.

    Attributes
    ----------
    perturbation : ndarray or sparse array of shape (n_samples, n_features), or None
        The move, to be added to X; sparse if X is. None for models of tables with categories or missing values.
    moved : DataFrame or ndarray such as X, or None
        For such a model: the rows after these moves, categories by their names.
    success : ndarray of bool, shape (n_samples,)
        The answer after the move is not the label.
    fooled : list of list of int
        Planes whose answer after the move is not the label. With more than two classes: the index
        of the class that wins there.
    objective, bound : ndarray of shape (n_samples,)
        The adversary's objective, and a proven upper bound for all moves in the ball: the weight of
        the fooled planes (exact, heuristic; their number, if all weigh 1) or the weighted sum of
        hinges (relaxed). The heuristic has no bound: infinity. With more than two classes: 1 for a
        success, and 1 if one is possible.
    status : ndarray of str, shape (n_samples,)
    n_nodes : ndarray of shape (n_samples,)
    solve_seconds : ndarray of shape (n_samples,)
    norm : {"l1", "l2", "linf", "l0"}
    units : {"raw", "scaled"}
    attack_model : AttackModel or None
    scale : dict of column to float, or None
        As in `Certificates`.
    """

    perturbation: np.ndarray
    success: np.ndarray
    fooled: list
    objective: np.ndarray
    bound: np.ndarray
    status: np.ndarray
    n_nodes: np.ndarray
    solve_seconds: np.ndarray
    norm: str
    units: str
    attack_model: object = None
    table: object = None
    scale: dict | None = None

    def __repr__(self):
        hits = np.count_nonzero(self.success)
        return (
            f"<Attacks: {hits} of {len(self)} points broken, norm {self.norm}, "
            f"{self.units} units{_rules(self.attack_model)}: {self._statuses()}>"
        )


@dataclass(frozen=True, eq=False, repr=False)
class AttackCurve(_Frame):
    """Accuracy under attack, one entry per radius.

    Attributes
    ----------
    radii : ndarray of shape (n_radii,)
    accuracy : ndarray of shape (n_radii,)
        Share of the points whose answer is right and proven to stay right.
    balanced_accuracy : ndarray of shape (n_radii,)
        The mean over the classes of that share.
    undecided, balanced_undecided : ndarray of shape (n_radii,)
        What the points whose brackets contain the radius would add if all of them were safe.
    constant_accuracy : float
        Accuracy of the best classifier that always gives one answer.
    attack_model : AttackModel or None
        That of the certificates.
    """

    _not_columns: ClassVar = ("constant_accuracy", "attack_model")

    radii: np.ndarray
    accuracy: np.ndarray
    balanced_accuracy: np.ndarray
    undecided: np.ndarray
    balanced_undecided: np.ndarray
    constant_accuracy: float
    attack_model: object = None

    def __repr__(self):
        points = ", ".join(
            f"{radius:g}: {accuracy:.3f}"
            for radius, accuracy in zip(self.radii, self.accuracy, strict=True)
        )
        return f"<AttackCurve: accuracy at radius {points}{_rules(self.attack_model)}>"


class AccuracyCeiling(NamedTuple):
    """The accuracy under attack that no classifier can beat, one entry per radius.

    Attributes
    ----------
    radii, accuracy, balanced_accuracy : ndarray of shape (n_radii,)
    """

    radii: np.ndarray
    accuracy: np.ndarray
    balanced_accuracy: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class ExpectedAccuracy(_Frame):
    """Expected accuracy of a randomised vote under the worst attack, one entry per radius.

    Attributes
    ----------
    radii : ndarray of shape (n_radii,)
    mean, mean_lower : ndarray of shape (n_radii,)
        Mean over all points, under the worst attacks found, and a bound that no attack can go
        below. They are equal unless a limit was reached.
    balanced, balanced_lower : ndarray of shape (n_radii,)
        The same as means over the classes.
    accuracy, lower : ndarray of shape (n_radii, n_samples)
        The same for every point: the share of the planes, by weight, whose answer is right.
    norm : {"l1", "l2", "linf", "l0"}
    units : {"raw", "scaled"}
        What the radii are measured in.
    attack_model : AttackModel or None
    """

    _not_columns: ClassVar = ("accuracy", "lower", "norm", "units", "attack_model")

    radii: np.ndarray
    mean: np.ndarray
    mean_lower: np.ndarray
    balanced: np.ndarray
    balanced_lower: np.ndarray
    accuracy: np.ndarray
    lower: np.ndarray
    norm: str
    units: str
    attack_model: object = None

    def __repr__(self):
        points = ", ".join(
            f"{radius:g}: {mean:.3f}" for radius, mean in zip(self.radii, self.mean, strict=True)
        )
        return f"<ExpectedAccuracy: mean at radius {points}{_rules(self.attack_model)}>"


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
