"""What `certify`, `attack` and their like return: arrays with one entry per point or radius."""

from collections import Counter
from dataclasses import dataclass, fields

import numpy as np

__all__ = ["AttackCurve", "Attacks", "Certificates", "ExpectedAccuracy"]


_NOT_COLUMNS = ("norm", "units", "classes", "witness", "perturbation", "attack_model")


def _rules(attack_model):
    """What a repr says of an attack model."""
    return "" if attack_model is None else f", attack model ({attack_model.brief()})"


class _Rows:
    """One entry per point: length, and a table of everything that is a column."""

    def __len__(self):
        return len(self.status)

    def to_frame(self):
        """Return the columns as a pandas DataFrame; the moves are left out.

        Returns
        -------
        frame : pandas.DataFrame
            One row per point.
        """
        import pandas as pd  # an extra: only this method needs it

        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        return pd.DataFrame(
            {
                name: values
                for name, values in columns.items()
                if name not in _NOT_COLUMNS and values is not None
            }
        )

    def _statuses(self):
        counts = Counter(self.status.tolist())
        return ", ".join(f"{count} {status}" for status, count in counts.most_common())


@dataclass(frozen=True, eq=False, repr=False)
class Certificates(_Rows):
    """How far each point can move before the model changes its answer.

    Attributes
    ----------
    radius : ndarray of shape (n_samples,)
        The signed radius R: the best estimate in ``[lower, upper]``. Positive for a right answer;
        for a wrong one minus the least move that puts it right. Infinite if no move does it.
    lower, upper : ndarray of shape (n_samples,)
        Proven: lower <= R <= upper.
    witness : ndarray of shape (n_samples, n_features)
        The move that changes the answer (for a wrong one: puts it right), to be added to X.
        NaN where none is known.
    status : ndarray of str, shape (n_samples,)
        "optimal"; a limit that struck ("node limit", "time limit"); "bound" where only a bracket
        is known (more than two classes); "rounding" where the model's own `predict`, which
        rounds, disagrees with exact arithmetic: the point is on the boundary up to rounding.
    fooled : list of list of int
        Planes whose answer at the witness is the one that was wanted. With more than two classes:
        the index of the class that wins there.
    closed : ndarray of bool, shape (n_samples,)
        A right answer that is still right after every move of length exactly `lower`, because the
        model answers ties with it. False where this is not known.
    prediction : ndarray of shape (n_samples,)
        The model's answer.
    label : ndarray of shape (n_samples,) or None
        The labels that were given.
    n_nodes : ndarray of shape (n_samples,)
        Nodes of the search.
    solve_seconds : ndarray of shape (n_samples,)
    classes : ndarray of shape (n_classes,)
        The model's labels.
    norm : {"l1", "l2", "linf"}
    units : {"raw", "scaled"}
        What the radii are measured in. Witnesses are always moves of X itself.
    attack_model : AttackModel or None
        What the adversary may do; None is the ball of `norm`.
    """

    radius: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    witness: np.ndarray
    status: np.ndarray
    fooled: list
    closed: np.ndarray
    prediction: np.ndarray
    label: np.ndarray | None
    n_nodes: np.ndarray
    solve_seconds: np.ndarray
    classes: np.ndarray
    norm: str
    units: str
    attack_model: object = None

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
    perturbation : ndarray of shape (n_samples, n_features)
        The move, to be added to X.
    success : ndarray of bool, shape (n_samples,)
        The answer after the move is not the label.
    fooled : list of list of int
        Planes whose answer after the move is not the label. With more than two classes: the index
        of the class that wins there.
    objective, bound : ndarray of shape (n_samples,)
        The adversary's objective, and a proven upper bound on what any move in the ball reaches:
        the weight of the planes fooled (exact, heuristic; their number, if all weigh 1) or the
        weighted sum of hinges (relaxed). The heuristic has no bound: infinity. With more than two classes: 1 for a success, and 1 where one is possible.
    status : ndarray of str, shape (n_samples,)
    n_nodes : ndarray of shape (n_samples,)
    solve_seconds : ndarray of shape (n_samples,)
    norm : {"l1", "l2", "linf"}
    units : {"raw", "scaled"}
    attack_model : AttackModel or None
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

    def __repr__(self):
        hits = np.count_nonzero(self.success)
        return (
            f"<Attacks: {hits} of {len(self)} points broken, norm {self.norm}, "
            f"{self.units} units{_rules(self.attack_model)}: {self._statuses()}>"
        )


@dataclass(frozen=True, eq=False, repr=False)
class AttackCurve:
    """Accuracy under attack, one entry per radius.

    Attributes
    ----------
    radii : ndarray of shape (n_radii,)
    accuracy : ndarray of shape (n_radii,)
        Share of the points that are answered rightly and proven to stay so.
    balanced_accuracy : ndarray of shape (n_radii,)
        The mean over the classes of that share.
    undecided, balanced_undecided : ndarray of shape (n_radii,)
        What the points whose bracket contains the radius would add if all of them were safe.
    constant_accuracy : float
        Accuracy of the best classifier that always gives one answer.
    attack_model : AttackModel or None
        That of the certificates.
    """

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

    def to_frame(self):
        """Return the curve as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            One row per radius.
        """
        import pandas as pd  # an extra: only this method needs it

        left_out = ("constant_accuracy", "attack_model")
        names = [field.name for field in fields(self) if field.name not in left_out]
        return pd.DataFrame({name: getattr(self, name) for name in names})


@dataclass(frozen=True, eq=False, repr=False)
class ExpectedAccuracy:
    """Expected accuracy of a randomised vote under the worst attack, one entry per radius.

    Attributes
    ----------
    radii : ndarray of shape (n_radii,)
    mean, mean_lower : ndarray of shape (n_radii,)
        Over all points: what the worst attacks that are known leave, and what no attack can go
        below. They are equal unless a limit struck.
    balanced, balanced_lower : ndarray of shape (n_radii,)
        The same as means over the classes.
    accuracy, lower : ndarray of shape (n_radii, n_samples)
        The same of every point: the share of the planes, by weight, that answer rightly.
    norm : {"l1", "l2", "linf"}
    units : {"raw", "scaled"}
        What the radii are measured in.
    attack_model : AttackModel or None
    """

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

    def to_frame(self):
        """Return the means as a pandas DataFrame; the points are left out.

        Returns
        -------
        frame : pandas.DataFrame
            One row per radius.
        """
        import pandas as pd  # an extra: only this method needs it

        names = ("radii", "mean", "mean_lower", "balanced", "balanced_lower")
        return pd.DataFrame({name: getattr(self, name) for name in names})
