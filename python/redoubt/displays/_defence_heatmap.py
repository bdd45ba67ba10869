"""What training against an attack gains, over the strengths of defence and attack."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv

from redoubt._attack_models import AttackModel, choose_norm
from redoubt._sklearn_private import _safe_indexing
from redoubt._typing import Axes, Classifier, Labels, Norm, Rows, Units
from redoubt.displays import _style
from redoubt.metrics import CertifiedAccuracyScorer, own_norm
from redoubt.model_selection import find_parameter


@dataclass(eq=False, repr=False)
class DefenceHeatmapDisplay(_style.MeasuredAccuracy):
    """Certified accuracy minus that of a baseline, over defence radius and attack radius.

    Made by `from_estimator`, `from_search` or `from_certificates`.

    Parameters
    ----------
    difference : array-like of shape (n_defence_radii, n_attack_radii)
        Accuracy minus the baseline's, as a share: 0.01 is one percentage point.
    defence_radii : array-like of shape (n_defence_radii,)
        Trained against.
    attack_radii : array-like of shape (n_attack_radii,)
    baseline_name : str, default="the baseline"
    norm : {"l1", "l2", "linf"} or None, default=None
    units : {"raw", "scaled"}, default="raw"
        Of the attack radii.
    balanced : bool, default=False
        What the label of the colour bar says.
    attack_model : AttackModel or None, default=None
        For the title.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    im_ : matplotlib AxesImage
        In percentage points.
    text_ : ndarray of matplotlib Text, shape (n_defence_radii, n_attack_radii), or None
        The numbers in the cells.
    colorbar_ : matplotlib Colorbar or None

    Examples
    --------
    >>> from redoubt import LinearSVMClassifier, RobustSVMClassifier, datasets
    >>> from redoubt.displays import DefenceHeatmapDisplay
    >>> X, y, _, _ = datasets.load("breastcancer")
    >>> display = DefenceHeatmapDisplay.from_estimator(
    ...     RobustSVMClassifier(),
    ...     X,
    ...     y,
    ...     baseline=LinearSVMClassifier(),
    ...     defence_radii=[0.1, 1.0],
    ...     attack_radii=[0.0, 2.0, 4.0],
    ... )
    >>> display.difference.round(3).tolist()
    [[-0.001, 0.006, 0.06], [-0.001, 0.023, 0.171]]
    """

    difference: np.ndarray
    defence_radii: np.ndarray
    attack_radii: np.ndarray
    _: KW_ONLY
    baseline_name: str = "the baseline"

    def __post_init__(self):
        super().__post_init__()
        for name in ("difference", "defence_radii", "attack_radii"):
            setattr(self, name, np.asarray(getattr(self, name), dtype=np.float64))
        _style.check_shape(self, "difference", "defence_radii", "attack_radii")

    @classmethod
    def from_estimator(
        cls,
        estimator: Classifier,
        X: Rows,
        y: Labels,
        *,
        defence_radii: ArrayLike,
        attack_radii: ArrayLike,
        baseline: Classifier | None = None,
        baseline_name: str | None = None,
        cv: Any = None,
        norm: Norm | None = None,
        attack_model: AttackModel | None = None,
        units: Units = "raw",
        balanced: bool = False,
        n_jobs: int | None = None,
        ax: Axes = None,
        **kwargs: Any,
    ) -> "DefenceHeatmapDisplay":
        """Train with each defence radius on the parts of a cross-validation, certify the rest.

        Parameters
        ----------
        estimator : estimator
            With the parameter `radius`, itself or in a part of it ("step__radius").
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        defence_radii : array-like of shape (n_defence_radii,)
            To train against.
        attack_radii : array-like of shape (n_attack_radii,)
            To certify at.
        baseline : estimator or None, default=None
            What to compare with, trained on the same parts. None: `estimator` with radius 0.
        baseline_name : str or None, default=None
        cv : int, splitter, iterable or None, default=None
            As in scikit-learn; one split is ``[(train, test)]``. The difference is the mean over
            the splits.
        norm : {"l1", "l2", "linf"} or None, default=None
            None uses the estimator's own, or "l2".
        attack_model : AttackModel or None, default=None
            What the adversary of the certificates may do, in the units of X. None takes the
            estimator's own, for the baseline as well.
        units : {"raw", "scaled"}, default="raw"
            Of the attack radii, as for `redoubt.certify`. Defence radii are always in the units
            that the estimator sees, which are the scaled ones behind scalers.
        balanced : bool, default=False
            Give every class the same weight.
        n_jobs : int or None, default=None
            Threads of `redoubt.certify`.
        ax : matplotlib Axes or None, default=None
        **kwargs
            Passed to `plot`.

        Returns
        -------
        display : DefenceHeatmapDisplay
        """
        _style.need_matplotlib(f"{cls.__name__}.from_estimator")
        name = find_parameter(estimator, "radius")
        if attack_model is None:
            attack_model = getattr(estimator, "attack_model", None)
        if attack_model is None and norm is None:
            norm = own_norm(estimator)
        if baseline is None:
            baseline = clone(estimator).set_params(**{name: 0.0})
            baseline_name = "radius 0" if baseline_name is None else baseline_name
        elif baseline_name is None:
            baseline_name = _style.name_of(baseline)
        radii = [float(radius) for radius in np.ravel(defence_radii)]
        models = [baseline] + [clone(estimator).set_params(**{name: radius}) for radius in radii]
        scorer = CertifiedAccuracyScorer(
            attack_radii,
            norm,
            attack_model=attack_model,
            balanced=balanced,
            separate=True,
            units=units,
            n_jobs=n_jobs,
        )
        total, n_splits = 0.0, 0
        for train, test in check_cv(cv, y, classifier=is_classifier(estimator)).split(X, y):
            fitted = (
                clone(model).fit(_safe_indexing(X, train), _safe_indexing(y, train))
                for model in models
            )
            X_test, y_test = _safe_indexing(X, test), _safe_indexing(y, test)
            total = total + np.array([scorer.curve(model, X_test, y_test) for model in fitted])
            n_splits += 1
        mean = total / n_splits
        display = cls(
            mean[1:] - mean[0],
            radii,
            scorer.radii,
            baseline_name=baseline_name,
            norm=choose_norm(attack_model, norm),
            units=units,
            balanced=balanced,
            attack_model=attack_model,
        )
        return display.plot(ax=ax, **kwargs)

    @classmethod
    def from_certificates(
        cls,
        certificates: Any,
        baseline: Classifier,
        y: Labels = None,
        *,
        defence_radii: ArrayLike,
        attack_radii: ArrayLike,
        baseline_name: str = "the baseline",
        balanced: bool = False,
        ax: Axes = None,
        **kwargs: Any,
    ) -> "DefenceHeatmapDisplay":
        """Draw the differences of certificates.

        Parameters
        ----------
        certificates : list of Certificates
            One for each defence radius.
        baseline : Certificates
            Of the baseline.
        y : array-like of shape (n_samples,) or None, default=None
            Labels, if the certificates were made without.
        defence_radii, attack_radii, baseline_name, balanced, ax, **kwargs
            As for `from_estimator`.

        Returns
        -------
        display : DefenceHeatmapDisplay
        """
        everything = [baseline, *certificates]
        rows = _style.accuracies(everything, y, attack_radii, balanced)
        display = cls(
            rows[1:] - rows[0],
            defence_radii,
            attack_radii,
            baseline_name=baseline_name,
            balanced=balanced,
            attack_model=_style.one_attack_model(everything),
            **_style.measures(everything),
        )
        return display.plot(ax=ax, **kwargs)

    @classmethod
    def from_search(
        cls, search: Any, *, baseline_radius: float | None = None, ax: Axes = None, **kwargs: Any
    ) -> "DefenceHeatmapDisplay":
        """Draw what a search over the radius has found, with no further training.

        Parameters
        ----------
        search : fitted RadiusSearchCV or GridSearchCV
            With ``scoring=redoubt.metrics.certified_accuracies(attack_radii)``. Where it tried
            other parameters too, the candidates that share those of the best one are drawn.
        baseline_radius : float or None, default=None
            The training radius to compare with, one that was tried; None takes the smallest.
        ax : matplotlib Axes or None, default=None
        **kwargs
            Passed to `plot`.

        Returns
        -------
        display : DefenceHeatmapDisplay
        """
        scorer = getattr(search, "scorer_", None)
        if not (isinstance(scorer, CertifiedAccuracyScorer) and scorer.separate):
            raise ValueError(
                "search: expected a fitted one with scoring=redoubt.metrics.certified_accuracies"
            )
        name = find_parameter(search.estimator, "radius")
        results, best = search.cv_results_, search.best_params_
        rows = [
            (params[name], index)
            for index, params in enumerate(results["params"])
            if all(params[key] == best[key] for key in best if key != name)
        ]
        radii, order = map(list, zip(*sorted(rows), strict=True))
        first = radii[0] if baseline_radius is None else baseline_radius
        if first not in radii:
            raise ValueError(f"baseline_radius: expected one of {radii}, got {first!r}")
        rules = scorer.attack_model
        if rules is None:
            rules = getattr(search.estimator, "attack_model", None)
        norm = scorer.norm if rules is None else rules.norm
        norm = own_norm(search.estimator) if norm is None else norm
        scores = np.column_stack([results[f"mean_test_{key}"] for key in scorer.keys])[order]
        display = cls(
            scores - scores[radii.index(first)],
            radii,
            scorer.radii,
            baseline_name=f"radius {first:g}",
            norm=norm,
            units=scorer.options.get("units", "raw"),
            balanced=scorer.balanced,
            attack_model=rules,
        )
        return display.plot(ax=ax, **kwargs)

    def plot(
        self,
        ax: Axes = None,
        *,
        cmap: str = "PuOr",
        annotate: bool = True,
        colorbar: bool = True,
        vmax: float | None = None,
        **kwargs: Any,
    ) -> "DefenceHeatmapDisplay":
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            None makes a new figure.
        cmap : str or matplotlib Colormap, default="PuOr"
            A diverging one; its middle is no difference.
        annotate : bool, default=True
            Write the numbers into the cells.
        colorbar : bool, default=True
        vmax : float or None, default=None
            Percentage points at both ends of the colours; None takes the greatest difference.
        **kwargs
            Passed to matplotlib's `imshow`.

        Returns
        -------
        display : DefenceHeatmapDisplay
        """
        n_rows, n_columns = self.difference.shape
        size = (max(4.8, 0.62 * n_columns + 2.6), max(3.0, 0.45 * n_rows + 1.3))
        ax, _ = self._axes(ax, figsize=size)
        points = 100.0 * self.difference
        if vmax is None:
            vmax = max(np.nanmax(np.abs(points)), 1e-9)
        settings = {"cmap": cmap, "vmin": -vmax, "vmax": vmax, "origin": "lower", "aspect": "auto"}
        self.im_ = ax.imshow(points, **(settings | kwargs))
        self.text_ = self._write_numbers(ax, points) if annotate else None
        ax.set_xticks(range(n_columns), [f"{radius:g}" for radius in self.attack_radii])
        ax.set_yticks(range(n_rows), [f"{radius:g}" for radius in self.defence_radii])
        rules: Any = self.attack_model
        ax.set_xlabel(_style.distance_text("Attack radius", self.norm, self.units, rules))
        if rules is not None:
            ax.set_title(f"attack model: {rules.brief()}", fontsize="small", wrap=True)
        ax.set_ylabel("Defence radius (trained against)")
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        self.colorbar_ = None
        if colorbar:
            self.colorbar_ = ax.figure.colorbar(self.im_, ax=ax)
            what = "Balanced accuracy" if self.balanced else "Accuracy"
            self.colorbar_.set_label(f"{what} minus {self.baseline_name}\n(percentage points)")
            self.colorbar_.outline.set_visible(False)
        return self._finish(ax, legend=False, is_new=False)

    def _write_numbers(self, ax, points):
        text = np.empty(points.shape, dtype=object)
        for (row, column), value in np.ndenumerate(points):
            red, green, blue, _ = self.im_.cmap(self.im_.norm(value))
            is_dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
            look = {"color": "white" if is_dark else "black", "fontsize": "small"}
            text[row, column] = ax.text(
                column, row, _signed(value), ha="center", va="center", **look
            )
        return text


def _signed(value):
    """One digit behind the point, a true minus sign, and no sign for zero."""
    if np.isnan(value):
        return ""
    rounded = round(value, 1)
    return "0" if rounded == 0 else f"{rounded:+.1f}".replace("-", "\N{MINUS SIGN}")
