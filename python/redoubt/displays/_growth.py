"""Accuracy of a vote while planes are added to it."""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from redoubt._attack_models import AttackModel
from redoubt._certificates.attacked_tables import read_attacked
from redoubt._certificates.curves import check_attack_radii, safe_points, share_of_points
from redoubt._certificates.search import Search, certify_decision
from redoubt._certificates.tables import ModelTable, by_columns, features_of
from redoubt._models.decision_rules import ArgMax
from redoubt._models.own_adversary import choose_attack
from redoubt._typing import Axes, Classifier, Labels, Norm, Rows, Units
from redoubt.displays import _style


@dataclass(eq=False, repr=False)
class GrowthDisplay(_style.MeasuredAccuracy):
    """Certified accuracy of the vote of the first k planes, over k.

    Made by `from_estimator` or `from_certificates`.

    Parameters
    ----------
    n_planes : array-like of int, shape (n_counts,)
        The values of k.
    accuracy : array-like of shape (n_radii, n_counts)
        One row for each attack radius.
    attack_radii : array-like of shape (n_radii,), default=(0.0,)
    name : str or None, default=None
        Of the model, for the legend.
    norm : {"l1", "l2", "linf", "l0"} or None, default=None
    units : {"raw", "scaled"}, default="raw"
    balanced : bool, default=False
        What the labels say.
    attack_model : AttackModel or None, default=None
        For the legend.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    lines_ : list of matplotlib Line2D
        One for each attack radius.
    line_ : matplotlib Line2D
        The first of them.

    Examples
    --------
    >>> import redoubt
    >>> from redoubt.displays import GrowthDisplay
    >>> vote = redoubt.Ensemble([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0.0, 0.0, -1.0])
    >>> X, y = [[3.0, 4.0], [-1.0, 5.0], [-2.0, -1.0]], [1, 1, -1]
    >>> display = GrowthDisplay.from_estimator(vote, X, y, attack_radii=[0.0, 1.5])
    >>> display.n_planes.tolist()
    [1, 3]
    >>> display.accuracy.round(3).tolist()
    [[0.667, 1.0], [0.667, 1.0]]
    """

    n_planes: np.ndarray
    accuracy: np.ndarray
    attack_radii: np.ndarray = (0.0,)
    _: KW_ONLY
    name: str | None = None

    def __post_init__(self):
        super().__post_init__()
        self.n_planes = np.asarray(self.n_planes, dtype=int)
        self.accuracy = np.atleast_2d(np.asarray(self.accuracy, dtype=np.float64))
        self.attack_radii = np.asarray(self.attack_radii, dtype=np.float64)
        _style.check_shape(self, "accuracy", "attack_radii", "n_planes")

    @classmethod
    def from_estimator(
        cls,
        estimator: Classifier,
        X: Rows,
        y: Labels,
        *,
        n_planes: Iterable[int] | None = None,
        attack_radii: ArrayLike = (0.0,),
        norm: Norm | None = None,
        attack_model: AttackModel | None = None,
        units: Units | None = None,
        balanced: bool = False,
        name: str | None = None,
        n_jobs: int | None = None,
        ax: Axes = None,
        **kwargs: Any,
    ) -> "GrowthDisplay":
        """Let the first k planes vote, for many k, and draw their accuracy.

        Parameters
        ----------
        estimator : fitted model
            A vote of planes: whatever `redoubt.certify` takes. With more than two classes every
            class has planes of its own, and the first k of each vote.
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        n_planes : array-like of int or None, default=None
            The values of k. None takes every odd k (an even number of planes can tie, which makes
            the curve a saw) and the whole vote.
        attack_radii : array-like of shape (n_radii,), default=(0.0,)
            One line each. At radius 0 votes are counted; others need a certificate per k and point.
        norm : {"l1", "l2", "linf", "l0"} or None, default=None
            None uses the model's own, or "l2".
        attack_model : AttackModel or None, default=None
            None uses the model's own, if it has one.
        units : {"raw", "scaled"} or None, default=None
            As for `redoubt.certify`.
        balanced : bool, default=False
            Give every class the same weight.
        name : str or None, default=None
            For the legend.
        n_jobs : int or None, default=None
            Threads.
        ax : matplotlib Axes or None, default=None
        **kwargs
            Passed to `plot`.

        Returns
        -------
        display : GrowthDisplay
        """
        _style.need_matplotlib(f"{cls.__name__}.from_estimator")
        radii = np.asarray(attack_radii, dtype=np.float64).reshape(-1)
        check_attack_radii(radii)
        if by_columns(estimator, X):
            attacked = ModelTable(estimator, X, norm, attack_model, units)
            labels, norm, rules = attacked.labels(y), attacked.norm, attacked.attack_model
            counts = _counts(_most_planes(attacked.decision), n_planes)
            search = Search(norm, n_jobs=n_jobs)
            safe = [attacked.safe_points(count, labels, radii, search) for count in counts]
        else:
            norm, attack_model = choose_attack(estimator, norm, attack_model)
            X = features_of(estimator, X)
            attacked = read_attacked(estimator, X, units, attack_model, norm=norm)
            labels, rules = attacked.encode(y, required=True), attacked.rules
            counts = _counts(_most_planes(attacked.decision), n_planes)
            search = Search(norm, n_jobs=n_jobs, attack_model=attacked.attack_model)
            safe = [_safe_points(attacked, count, labels, radii, search) for count in counts]
        columns = [share_of_points(each, labels, balanced=balanced) for each in safe]
        display = cls(
            counts,
            np.transpose(columns),
            radii,
            name=name,
            norm=norm,
            units=attacked.units,
            balanced=balanced,
            attack_model=rules,
        )
        return display.plot(ax=ax, **kwargs)

    @classmethod
    def from_certificates(
        cls,
        certificates: Any,
        y: Labels = None,
        *,
        attack_radii: ArrayLike = (0.0,),
        balanced: bool = False,
        name: str | None = None,
        ax: Axes = None,
        **kwargs: Any,
    ) -> "GrowthDisplay":
        """Draw the accuracy of certificates of votes of several sizes.

        Parameters
        ----------
        certificates : dict of int to Certificates
            What `redoubt.certify` returned, for each number of planes.
        y : array-like of shape (n_samples,) or None, default=None
            Labels, if the certificates were made without.
        attack_radii, balanced, name, ax, **kwargs
            As for `from_estimator`.

        Returns
        -------
        display : GrowthDisplay
        """
        counts = sorted(certificates)
        everything = [certificates[count] for count in counts]
        display = cls(
            counts,
            _style.accuracies(everything, y, attack_radii, balanced).T,
            attack_radii,
            name=name,
            balanced=balanced,
            attack_model=_style.one_attack_model(everything),
            **_style.measures(everything),
        )
        return display.plot(ax=ax, **kwargs)

    def plot(self, ax: Axes = None, *, legend: bool = True, **kwargs: Any) -> "GrowthDisplay":
        """Draw the lines.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            None makes a new figure.
        legend : bool, default=True
            Draw one if there are names or several radii to tell.
        **kwargs
            Passed to matplotlib's `plot`, for all lines.

        Returns
        -------
        display : GrowthDisplay
        """
        ax, is_new = self._axes(ax, figsize=(6.8, 4.0))
        first = len(ax.lines)  # a second display on the same axes goes on with the styles
        self.lines_ = []
        for position, (radius, row) in enumerate(
            zip(self.attack_radii, self.accuracy, strict=True)
        ):
            style = _style.style_of(first + position) | {"markersize": 4}
            if len(self.n_planes) > _style.MAX_MARKERS:
                style["marker"] = "none"
            style |= {"label": self._label(radius)} | kwargs
            self.lines_ += ax.plot(self.n_planes, row, **style)
        self.line_ = self.lines_[0]
        ax.set_xlabel("Planes that vote, k")
        ax.set_ylabel(_style.accuracy_text(self.balanced) if self._is_attacked() else self._plain())
        ax.xaxis.get_major_locator().set_params(integer=True)
        _style.tidy(ax)
        self.legend_ = None
        title = None
        if self._is_attacked():
            rules = self.attack_model
            title = _style.distance_text("attack radius r", self.norm, self.units, rules)
            title = title if rules is None else f"{title}\n{_style.rules_text(rules)}"
        legend = legend and (self.name is not None or len(self.lines_) > 1)
        return self._finish(ax, legend=legend, is_new=is_new, title=title)

    def _is_attacked(self):
        return bool(np.any(self.attack_radii))

    def _plain(self):
        return "Balanced accuracy" if self.balanced else "Accuracy"

    def _label(self, radius):
        if not self._is_attacked():
            return self.name
        return f"r = {radius:g}" if self.name is None else f"{self.name}, r = {radius:g}"


def _most_planes(decision):
    """How many planes the vote has."""
    if isinstance(decision, ArgMax) and not decision.by_votes:
        raise ValueError("estimator: expected a vote of planes, got one plane for each class")
    sizes = (
        [len(p) for p in decision.planes]
        if isinstance(decision, ArgMax)
        else [len(decision.planes)]
    )
    return min(sizes)


def _counts(most, n_planes):
    """The values of k, within what the vote has."""
    if n_planes is None:
        return sorted({*range(1, most + 1, 2), most})
    counts = np.ravel(n_planes)
    bad = counts[(counts < 1) | (counts > most) | (counts != np.floor(counts))]
    if len(bad) or not len(counts):
        got = f"{bad[0]:g}" if len(bad) else "none"
        raise ValueError(f"n_planes: expected integers from 1 to {most}, got {got}")
    return sorted({int(count) for count in counts})


def _safe_points(attacked, count, labels, radii, search):
    """Which points the first planes answer rightly, and still do after every move."""
    safe = np.zeros((len(radii), len(labels)), dtype=bool)
    for rows, part, _ in attacked.parts():
        here = search if part.attack_model is None else search.against(part.attack_model)
        safe[:, rows] = _safe(part.decision.first(count), part.points, labels[rows], radii, here)
    return safe


def _safe(decision, points, labels, radii, search):
    """Which points are right and stay so: shape (n_radii, n_samples)."""
    right = decision.answers(points) == labels
    safe = np.tile(right, (len(radii), 1))
    attacked = np.flatnonzero(radii > 0)
    if len(attacked) and right.any():
        flips = certify_decision(decision, points[right], labels[right], search)
        safe[np.ix_(attacked, right)] = safe_points(flips.lower, flips.closed, radii[attacked])
    return safe
