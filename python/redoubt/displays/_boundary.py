"""Two features: planes, votes, points, and one certificate."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from redoubt._attack_models import AttackModel, ResolvedAttackModel, choose_norm
from redoubt._certificates.attacked_points import feature_names
from redoubt._certificates.certify import certify
from redoubt._models.linear_model import read_model
from redoubt._models.own_adversary import choose_attack
from redoubt._typing import Axes, Classifier, Labels, Norm, Rows
from redoubt.displays import _plane_geometry, _style


@dataclass(eq=False, repr=False)
class BoundaryDisplay(_style.Drawing):
    """The planes of a model of two features, who votes what where, and how far a point can move.

    Made by `from_estimator` or `from_certificates`.

    Parameters
    ----------
    xx0, xx1 : ndarray of shape (n_rows, n_columns)
        The grid, as `numpy.meshgrid` makes it.
    response : ndarray of shape (n_rows, n_columns)
        Two classes: the share of the votes that ``classes[1]`` gets. More: the index of the class
        that wins.
    coef : ndarray of shape (n_planes, 2)
    intercept : ndarray of shape (n_planes,)
        The planes to draw.
    X : ndarray of shape (n_samples, 2)
        Points.
    y : ndarray of shape (n_samples,) or None
        Their labels.
    classes : ndarray of shape (n_classes,)
        Labels of the model.
    levels : list of ndarray of shape (n_rows, n_columns)
        Continuous functions whose zeros are the boundary: for two classes one that is positive
        where the answer is ``classes[1]``; for more one per class.
    point : ndarray of shape (2,) or None, default=None
        The point whose certificate is drawn.
    radius : float, default=nan
        Its signed radius.
    witness : ndarray of shape (2,) or None, default=None
        The nearest place with another answer.
    norm : {"l1", "l2", "linf"} or None, default=None
        None is the attack model's, or "l2".
    feature_names : list of str or None, default=None
    attack_model : ResolvedAttackModel or None, default=None
        What the adversary may do: it shapes the ball.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    surface_ : matplotlib QuadMesh
    boundary_ : list of matplotlib ContourSet
        Where the answer changes.
    planes_ : matplotlib LineCollection
    points_ : dict of label to matplotlib PathCollection
    ball_ : matplotlib Patch or None
        All places as near as the witness that the attack model allows, integers aside.
    line_ : matplotlib Line2D or None
        From the point to its witness.

    Examples
    --------
    >>> import redoubt
    >>> from redoubt.displays import BoundaryDisplay
    >>> vote = redoubt.Ensemble([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0.0, 0.0, -1.0])
    >>> X, y = [[3.0, 4.0], [-1.0, 5.0], [-2.0, -1.0]], [1, 1, -1]
    >>> display = BoundaryDisplay.from_estimator(vote, X, y, point=0, norm="linf")
    >>> float(round(display.radius, 3))
    3.0
    >>> display.line_.get_xydata().round(3).tolist()[0]
    [3.0, 4.0]
    """

    xx0: np.ndarray
    xx1: np.ndarray
    response: np.ndarray
    _: KW_ONLY
    coef: np.ndarray
    intercept: np.ndarray
    X: np.ndarray
    y: np.ndarray | None
    classes: np.ndarray
    levels: list
    point: np.ndarray | None = None
    radius: float = np.nan
    witness: np.ndarray | None = None
    norm: str | None = None
    feature_names: list | None = None
    attack_model: ResolvedAttackModel | None = None

    def __post_init__(self):
        self.norm = choose_norm(self.attack_model, self.norm)

    @classmethod
    def from_estimator(
        cls,
        estimator: Classifier,
        X: Rows,
        y: Labels = None,
        *,
        point: Any = None,
        norm: Norm | None = None,
        attack_model: AttackModel | None = None,
        grid_resolution: int = 300,
        ax: Axes = None,
        **kwargs: Any,
    ) -> "BoundaryDisplay":
        """Certify one point and draw the model around the points.

        Parameters
        ----------
        estimator : fitted model of two features
            Whatever `redoubt.certify` takes.
        X : array-like of shape (n_samples, 2)
        y : array-like of shape (n_samples,) or None, default=None
        point : int, array-like of shape (2,) or None, default=None
            The point to certify: a row of X, or a place, where the model's own answer counts as
            right. None draws no certificate.
        norm : {"l1", "l2", "linf"} or None, default=None
            None uses the model's own, or "l2".
        attack_model : AttackModel or None, default=None
            In the units of X. None uses the model's own, if it has one.
        grid_resolution : int, default=300
            Grid points along each axis.
        ax : matplotlib Axes or None, default=None
        **kwargs
            Passed to `plot`.

        Returns
        -------
        display : BoundaryDisplay
        """
        _style.need_matplotlib(f"{cls.__name__}.from_estimator")
        norm, attack_model = choose_attack(estimator, norm, attack_model)
        certificates = row = None
        if point is not None:
            is_row = np.ndim(point) == 0
            place = _rows(X, [int(point)]) if is_row else _like(X, point)
            label = None if y is None or not is_row else np.asarray(y)[[int(point)]]
            options: dict[str, Any] = {"norm": norm, "attack_model": attack_model, "units": "raw"}
            certificates = certify(estimator, place, label, **options)
            _check_raw(certificates)
            row = 0
            point = point if is_row else np.asarray(point, dtype=np.float64)
        return cls._make(
            estimator, X, y, point, certificates, row, norm, grid_resolution, ax, kwargs
        )

    @classmethod
    def from_certificates(
        cls,
        certificates: Any,
        estimator: Classifier,
        X: Rows,
        *,
        point: Any,
        grid_resolution: int = 300,
        ax: Axes = None,
        **kwargs: Any,
    ) -> "BoundaryDisplay":
        """Draw the model around the points, and the certificate of one of them.

        Parameters
        ----------
        certificates : Certificates
            What `redoubt.certify` returned for X, in raw units.
        estimator : fitted model of two features
            The one that was certified.
        X : array-like of shape (n_samples, 2)
        point : int
            The row of X whose certificate is drawn.
        grid_resolution, ax, **kwargs
            As for `from_estimator`.

        Returns
        -------
        display : BoundaryDisplay
        """
        _check_raw(certificates)
        row, norm = int(point), certificates.norm
        return cls._make(
            estimator,
            X,
            certificates.label,
            row,
            certificates,
            row,
            norm,
            grid_resolution,
            ax,
            kwargs,
        )

    @classmethod
    def _make(
        cls, estimator, X, y, point, certificates, row, norm, grid_resolution, ax, plot_kwargs
    ):
        names = list(X.columns) if hasattr(X, "columns") else None
        X = check_array(X, dtype=np.float64)
        linear = read_model(estimator)
        linear.need_numbers("BoundaryDisplay")
        decision = linear.folded()
        if X.shape[1] != 2 or decision.n_features != 2:
            raise ValueError(
                f"X: expected 2 features, got {X.shape[1]}, and a model of {decision.n_features}"
            )
        place = witness = None
        radius = np.nan
        if point is not None:
            place = X[point] if np.ndim(point) == 0 else point
            radius = float(certificates.radius[row])
            witness = place + certificates.witness[row]
            witness = None if np.isnan(witness).any() else witness
        rules = None
        if certificates is not None and certificates.attack_model is not None:
            known = names or feature_names(estimator, X) or 2
            rules = certificates.attack_model.resolve(known, linear.classes)
        reach = abs(radius) * (1.0 if rules is None else rules.scale)
        xx0, xx1 = _plane_geometry.grid(X, place, witness, reach, grid_resolution)
        response, levels = _plane_geometry.votes(
            decision, np.column_stack([xx0.ravel(), xx1.ravel()])
        )
        coef, intercept = _plane_geometry.drawn_planes(decision)
        display = cls(
            xx0,
            xx1,
            response.reshape(xx0.shape),
            coef=coef,
            intercept=intercept,
            X=X,
            y=None if y is None else np.asarray(y),
            classes=np.asarray(linear.classes),
            levels=[level.reshape(xx0.shape) for level in levels],
            point=place,
            radius=radius,
            witness=witness,
            norm=norm,
            feature_names=names,
            attack_model=rules,
        )
        return display.plot(ax=ax, **plot_kwargs)

    def plot(
        self, ax: Axes = None, *, legend: bool = True, point_kwargs: dict[str, Any] | None = None
    ) -> "BoundaryDisplay":
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            None makes a new figure.
        legend : bool, default=True
        point_kwargs : dict or None, default=None
            Passed to matplotlib's `scatter`, for all points.

        Returns
        -------
        display : BoundaryDisplay
        """
        ax, is_new = self._axes(ax, figsize=(6.6, 4.6), layout="compressed")
        self._plot_surface(ax)
        self._plot_planes(ax)
        self._plot_points(ax, point_kwargs or {})
        self.ball_ = self.line_ = None
        if self.point is not None:
            self._plot_certificate(ax)
        ax.set_xlim(self.xx0.min(), self.xx0.max())
        ax.set_ylim(self.xx1.min(), self.xx1.max())
        ax.set_aspect("equal")  # or a ball would not look like one
        first, second = self.feature_names or ("feature 0", "feature 1")
        ax.set_xlabel(first)
        ax.set_ylabel(second)
        _style.tidy(ax)
        title = _style.rules_text(getattr(self.attack_model, "model", None))
        return self._finish(ax, legend=legend, is_new=is_new, title=title)

    def _plot_surface(self, ax):
        from matplotlib.colors import LinearSegmentedColormap, ListedColormap

        pale = [_mix(color, 0.28) for color in _class_colors(len(self.classes))]
        if len(self.classes) == 2:
            cmap = LinearSegmentedColormap.from_list("votes", [pale[0], "#f7f7f7", pale[1]])
        else:
            cmap = ListedColormap(pale)
        look = {"cmap": cmap, "shading": "nearest", "rasterized": True, "zorder": 0}
        self.surface_ = ax.pcolormesh(
            self.xx0, self.xx1, self.response, vmin=0, vmax=len(pale) - 1, **look
        )
        self.boundary_ = [
            ax.contour(self.xx0, self.xx1, level, levels=[0.0], colors="black", linewidths=1.6)
            for level in self.levels
            if level.min() < 0 < level.max()
        ]
        if self.boundary_:
            ax.plot([], [], color="black", lw=1.6, label="answer changes")

    def _plot_planes(self, ax):
        from matplotlib.collections import LineCollection

        corners = self.xx0.min(), self.xx0.max(), self.xx1.min(), self.xx1.max()
        segments = [
            _plane_geometry.segment(w, b, corners)
            for w, b in zip(self.coef, self.intercept, strict=True)
        ]
        segments = [segment for segment in segments if segment is not None]
        self.planes_ = LineCollection(segments, colors="0.45", linewidths=0.8, zorder=1)
        if len(self.coef) > 1:
            self.planes_.set_label("planes")
        ax.add_collection(self.planes_, autolim=False)

    def _plot_points(self, ax, settings):
        self.points_ = {}
        style = {"s": 18, "edgecolors": "white", "linewidths": 0.5, "zorder": 3}
        if self.y is None:
            self.points_[None] = ax.scatter(*self.X.T, **(style | {"c": "0.3"} | settings))
            return
        for position, label in enumerate(self.classes.tolist()):
            chosen = self.X[self.y == label]
            look = {
                "color": _class_colors(len(self.classes))[position],
                "marker": _style.MARKERS[position % len(_style.MARKERS)],
                "label": f"class {label}",
            }
            self.points_[label] = ax.scatter(*chosen.T, **(style | look | settings))

    def _plot_certificate(self, ax):
        if self.witness is not None:
            line = np.array([self.point, self.witness])
            (self.line_,) = ax.plot(*line.T, color="black", lw=1.2, zorder=5)
            ax.plot(*self.witness, "x", color="black", ms=7, mew=2, zorder=6, label="witness")
        ax.plot(*self.point, "o", mfc="none", mec="black", ms=9, mew=1.5, zorder=6, label="point")
        rules = self.attack_model
        if np.isfinite(self.radius) and self.radius != 0 and (rules is None or not rules.groups):
            self.ball_ = _ball(self.point, abs(self.radius), self.norm, rules)
            what = "safe" if self.radius > 0 else "still wrong"
            unit = "units of X" if rules is None or rules.model.scale is None else "scaled"
            self.ball_.set_label(
                f"{what} within {abs(self.radius):.3g}\n({_style.norm_text(self.norm)}, {unit})"
            )
            ax.add_patch(self.ball_)


def _check_raw(certificates):
    if certificates.units != "raw":
        raise ValueError(
            f"certificates: expected units 'raw', got {certificates.units!r}: in others a ball "
            "is no ball in the picture"
        )


def _ball(center, radius, norm, rules=None):
    from matplotlib.patches import Circle, Polygon, Rectangle

    look = {"facecolor": (1, 1, 1, 0.45), "edgecolor": "black", "lw": 1.2, "ls": "--", "zorder": 2}
    if rules is not None:
        return Polygon(_plane_geometry.reachable(center, radius, rules), closed=True, **look)
    if norm == "l2":
        return Circle(center, radius, **look)
    if norm == "l1":
        corners = radius * np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])
        return Polygon(center + corners, closed=True, **look)
    return Rectangle(center - radius, 2 * radius, 2 * radius, **look)


def _class_colors(n_classes):
    """The first class orange and the second blue, further ones as they come."""
    order = (_style.ORANGE, _style.BLUE, *_style.COLORS[2:])
    return [order[i % len(order)] for i in range(n_classes)]


def _mix(color, strength):
    """The colour, paler."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return tuple(1 - strength * (1 - part) for part in parts)


def _rows(X, rows):
    return X.iloc[rows] if hasattr(X, "iloc") else np.asarray(X)[rows]


def _like(X, place):
    """One place, as the frame or array that the model was given."""
    place = np.asarray(place, dtype=np.float64).reshape(1, -1)
    if not hasattr(X, "iloc"):
        return place
    frame = X.iloc[[0]].astype(float)
    frame.iloc[:, :] = place
    return frame
