"""The results of `certify`, `attack` and related functions: arrays with one entry per point or radius."""

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np

from redoubt._typing import FilePath, Frame


def _units(result):
    """What sizes are measured in; where changes are counted, the units of features do not matter."""
    if result.norm != "l0":
        return f"{result.units} units"
    return "changed features" if result.attack_model.cost is None else "costs"


def _rules(attack_model):
    """What a repr says of an attack model."""
    return "" if attack_model is None else f", attack model ({attack_model.brief()})"


def _nothing():
    return None


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
    # No values of the class, which would hide what is worked out later.
    attack_model: object = field(default_factory=_nothing)
    table: object = field(default_factory=_nothing)
    scale: dict | None = field(default_factory=_nothing)
    proofs: object = None

    @classmethod
    def _of_row(cls, later):
        """The certificate of one row: the ends and the radius from ``later.found``.

        The rest is that of ``later.whole()``, once it is asked for.
        """
        self = object.__new__(cls)
        self.__dict__["_later"] = later
        return self

    def __getattr__(self, name):
        later = self.__dict__.get("_later")
        if later is None or name.startswith("__"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if name in ("radius", "lower", "upper"):
            self.__dict__[name] = np.array([getattr(later.found, name)])
        else:
            self._complete()
        return object.__getattribute__(self, name)

    def __getstate__(self):
        self._complete()
        return self.__dict__

    def _complete(self):
        """Work out what has waited; what was handed out stays what it is."""
        later = self.__dict__.get("_later")
        if later is not None:
            self.__dict__.update(vars(later.whole()) | self.__dict__)
            del self.__dict__["_later"]

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
            The row's line of a proof file (see "File formats"), or None: `why_no_proof` says why.
        """
        return self._proofs().of(row)

    def why_no_proof(self, row: int) -> str:
        """Return why a row has no proof, in one line; empty if it has one.

        Parameters
        ----------
        row : int

        Returns
        -------
        reason : str
        """
        return self._proofs().missing[row]

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
        text = f"{len(self)} points, norm {self.norm}, {_units(self)}"
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
            f"{_units(self)}{_rules(self.attack_model)}: {self._statuses()}>"
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
