"""How many points have which radius."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from redoubt._attack_models import AttackModel
from redoubt._certificates.certify import certify
from redoubt._typing import Axes, Classifier, Labels, Norm, Rows, Units
from redoubt.displays import _style


@dataclass(eq=False, repr=False)
class RadiusHistogramDisplay(_style.Measured):
    """Histogram of signed radii: right answers right of zero, wrong ones left of it.

    Made by `from_estimator` or `from_certificates`.

    Parameters
    ----------
    radius : array-like of shape (n_samples,)
        Signed radii.
    is_right : array-like of bool, shape (n_samples,), or None, default=None
        Which answers are right; None: those with a radius of at least 0.
    norm : {"l1", "l2", "linf", "l0"} or None, default=None
    units : {"raw", "scaled"}, default="raw"
    attack_model : AttackModel or None, default=None
        For the legend.

    Attributes
    ----------
    median : float
        Of all signed radii.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    bars_right_, bars_wrong_ : matplotlib BarContainer or None
        None where there is no such point.
    line_ : matplotlib Line2D or None
        The median; None if it is infinite.
    text_ : matplotlib Text or None
        Its label.

    Examples
    --------
    >>> from redoubt import LinearSVMClassifier, datasets
    >>> from redoubt.displays import RadiusHistogramDisplay
    >>> X, y, _, _ = datasets.load("breastcancer")
    >>> model = LinearSVMClassifier().fit(X, y)
    >>> display = RadiusHistogramDisplay.from_estimator(model, X, y)
    >>> round(display.median, 3)
    5.015
    """

    radius: np.ndarray
    is_right: np.ndarray | None = None

    def __post_init__(self):
        super().__post_init__()
        self.radius = np.asarray(self.radius, dtype=np.float64)
        if not len(self.radius):
            raise ValueError("radius: expected at least one point, got none")
        is_right = self.radius >= 0 if self.is_right is None else self.is_right
        self.is_right = np.asarray(is_right, dtype=bool)

    @property
    def median(self) -> float:
        return float(np.quantile(self.radius, 0.5, method="nearest"))

    @classmethod
    def from_estimator(
        cls,
        estimator: Classifier,
        X: Rows,
        y: Labels,
        *,
        norm: Norm | None = None,
        attack_model: AttackModel | None = None,
        units: Units | None = None,
        n_jobs: int | None = None,
        ax: Axes = None,
        **kwargs: Any,
    ) -> "RadiusHistogramDisplay":
        """Certify the points and draw the histogram.

        Parameters
        ----------
        estimator : fitted model
            Whatever `redoubt.certify` takes.
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or None
            None counts every answer as right.
        norm : {"l1", "l2", "linf", "l0"} or None, default=None
            None uses the model's own, or "l2".
        attack_model : AttackModel or None, default=None
            None uses the model's own, if it has one.
        units : {"raw", "scaled"} or None, default=None
        n_jobs : int or None, default=None
            As for `redoubt.certify`.
        ax : matplotlib Axes or None, default=None
        **kwargs
            Passed to `plot`.

        Returns
        -------
        display : RadiusHistogramDisplay
        """
        _style.need_matplotlib(f"{cls.__name__}.from_estimator")
        options: dict[str, Any] = {"norm": norm, "attack_model": attack_model, "units": units, "n_jobs": n_jobs}
        certificates = certify(estimator, X, y, **options)
        return cls.from_certificates(certificates, ax=ax, **kwargs)

    @classmethod
    def from_certificates(
        cls, certificates: Any, *, ax: Axes = None, **kwargs: Any
    ) -> "RadiusHistogramDisplay":
        """Draw the histogram of certificates.

        Parameters
        ----------
        certificates : Certificates
            What `redoubt.certify` returned. Made without labels, every answer counts as right.
        ax : matplotlib Axes or None, default=None
        **kwargs
            Passed to `plot`.

        Returns
        -------
        display : RadiusHistogramDisplay
        """
        is_right = None
        if certificates.label is not None:
            is_right = certificates.label == certificates.prediction
        display = cls(
            certificates.radius,
            is_right,
            norm=certificates.norm,
            units=certificates.units,
            attack_model=certificates.attack_model,
        )
        return display.plot(ax=ax, **kwargs)

    def plot(
        self, ax: Axes = None, *, bins: Any = "auto", legend: bool = True, **kwargs: Any
    ) -> "RadiusHistogramDisplay":
        """Draw the histogram.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            None makes a new figure.
        bins : int, str or array-like, default="auto"
            Number of bins, a rule of `numpy.histogram_bin_edges`, or edges. With a number or a rule
            zero is an edge, so that no bin mixes right and wrong answers.
        legend : bool, default=True
        **kwargs
            Passed to matplotlib's `hist`.

        Returns
        -------
        display : RadiusHistogramDisplay
        """
        ax, is_new = self._axes(ax, figsize=(7.2, 3.8))
        finite = np.isfinite(self.radius)
        edges = _edges(self.radius[finite], bins)
        self.bars_right_ = self.bars_wrong_ = self.line_ = self.text_ = None
        parts = (
            ("right", self.is_right, {"color": _style.BLUE}),
            ("wrong", ~self.is_right, {"color": _style.ORANGE, "hatch": "////"}),
        )
        for answer, chosen, style in parts:
            if not chosen.any():
                continue
            endless = np.count_nonzero(chosen & ~finite)
            label = f"{answer} answer: {np.count_nonzero(chosen)}"
            label += f"\n({endless} without end, not drawn)" if endless else ""
            style = style | {"edgecolor": "white", "linewidth": 0.5, "label": label} | kwargs
            _, _, bars = ax.hist(self.radius[chosen & finite], bins=edges, **style)
            setattr(self, f"bars_{answer}_", bars)
        ax.axvline(0.0, color="black", lw=0.8)
        if np.isfinite(self.median):
            self._plot_median(ax)
        what = "Signed certified radius"
        ax.set_xlabel(_style.distance_text(what, self.norm, self.units, self.attack_model))
        ax.set_ylabel("Points")
        ax.yaxis.get_major_locator().set_params(integer=True)
        _style.tidy(ax)
        title = _style.rules_text(self.attack_model)
        return self._finish(ax, legend=legend, is_new=is_new, title=title)

    def _plot_median(self, ax):
        self.line_ = ax.axvline(self.median, color="black", lw=1.2, ls="--")
        self.text_ = ax.annotate(
            f"median {self.median:.3g}",
            (self.median, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(0, 2),
            textcoords="offset points",
            ha="center",
            va="bottom",
        )


def _edges(values, bins):
    """Bin edges of one width, with zero among them."""
    if not isinstance(bins, (int, np.integer, str)):
        return np.asarray(bins, dtype=np.float64)
    if not len(values) or not np.any(values):
        return np.array([-0.5, 0.0, 0.5])
    low, high = min(values.min(), 0.0), max(values.max(), 0.0)
    found = np.histogram_bin_edges(values, bins, range=(low, high))
    width = (high - low) / (len(found) - 1)
    edges = width * np.arange(np.floor(low / width), np.ceil(high / width) + 1)
    edges[0], edges[-1] = min(edges[0], low), max(edges[-1], high)  # rounding must lose no point
    return edges
