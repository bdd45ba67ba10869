"""Accuracy over the strength of the attack."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from redoubt._attack_models import AttackModel
from redoubt._certificates.certify import certify
from redoubt._certificates.curves import accuracy_ceiling
from redoubt._sklearn_private import _safe_indexing
from redoubt._typing import Axes, Classifier, Labels, Norm, Rows, Units
from redoubt.displays import _style
from redoubt.metrics import own_attack_model, own_norm


@dataclass(eq=False, repr=False)
class AttackCurveDisplay(_style.MeasuredAccuracy):
    """Certified accuracy over the attack radius, for one or several models.

    Made by `from_estimator`, `from_certificates` or `from_cv_results`.

    Parameters
    ----------
    radii : array-like of shape (n_radii,)
        Attack radii.
    accuracies : dict of str to array-like of shape (n_radii,) or (n_splits, n_radii)
        Per model: its accuracy at each radius, or one such row per split.
    constant_accuracy : float or None, default=None
        Accuracy of the best classifier that always gives one answer.
    ceiling : array-like of shape (n_radii,) or None, default=None
        Accuracy that no classifier can beat.
    norm : {"l1", "l2", "linf", "l0"} or None, default=None
    units : {"raw", "scaled"}, default="raw"
    balanced : bool, default=False
        What the labels of the axes say.
    attack_model : AttackModel, dict of str to AttackModel or None, or None, default=None
        For the legend: of all curves, or of each.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    lines_ : dict of str to matplotlib Line2D
        The mean curve of each model.
    line_ : matplotlib Line2D
        That of the first model.
    bands_ : dict of str to artist
        The bands over splits, if there are any.
    constant_line_, ceiling_line_ : matplotlib Line2D or None

    Examples
    --------
    >>> from redoubt import LinearSVMClassifier, RobustSVMClassifier, datasets
    >>> from redoubt.displays import AttackCurveDisplay
    >>> X, y, _, _ = datasets.load("breastcancer")
    >>> models = {
    ...     "SVM": LinearSVMClassifier().fit(X, y),
    ...     "robust": RobustSVMClassifier(radius=1.0).fit(X, y),
    ... }
    >>> display = AttackCurveDisplay.from_estimator(models, X, y, attack_radii=[0, 2, 4, 6])
    >>> display.lines_["robust"].get_ydata().round(3).tolist()
    [0.972, 0.943, 0.846, 0.43]
    """

    radii: np.ndarray
    accuracies: dict
    _: KW_ONLY
    constant_accuracy: float | None = None
    ceiling: np.ndarray | None = None

    def __post_init__(self):
        super().__post_init__()
        self.radii = np.asarray(self.radii, dtype=np.float64)
        self.accuracies = {
            name: np.atleast_2d(np.asarray(values, dtype=np.float64))
            for name, values in self.accuracies.items()
        }
        for name, values in self.accuracies.items():
            if values.shape[1] != len(self.radii):
                raise ValueError(
                    f"accuracies: expected {len(self.radii)} values per row for {name!r}, "
                    f"got {values.shape[1]}"
                )
        if self.ceiling is not None:
            self.ceiling = np.asarray(self.ceiling, dtype=np.float64)

    @classmethod
    def from_estimator(
        cls,
        estimator: Classifier,
        X: Rows,
        y: Labels,
        *,
        attack_radii: ArrayLike | None = None,
        norm: Norm | None = None,
        attack_model: AttackModel | None = None,
        units: Units | None = None,
        balanced: bool = False,
        constant: bool = True,
        ceiling: bool = False,
        name: str | None = None,
        n_jobs: int | None = None,
        ax: Axes = None,
        **kwargs: Any,
    ) -> "AttackCurveDisplay":
        """Certify the points and draw the curves.

        Parameters
        ----------
        estimator : fitted model, or list or dict of them
            Whatever `redoubt.certify` takes; the keys of a dict are the names in the legend.
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        attack_radii : array-like of shape (n_radii,) or None, default=None
            None takes 101 radii, up to where nearly no point is safe.
        norm : {"l1", "l2", "linf", "l0"} or None, default=None
            None takes the first model's own, or "l2".
        attack_model : AttackModel or None, default=None
            What the adversary may do, in the units of X. None takes the models' own, which must be
            the same.
        units : {"raw", "scaled"} or None, default=None
            As for `redoubt.certify`.
        balanced : bool, default=False
            Give every class the same weight.
        constant : bool, default=True
            Draw the accuracy of the best constant answer.
        ceiling : bool, default=False
            Draw the accuracy that no classifier can beat (two classes and raw units only; takes
            time and memory for all pairs of points).
        name : str or None, default=None
            For the legend, if there is one model.
        n_jobs : int or None, default=None
            Threads of `certify`.
        ax : matplotlib Axes or None, default=None
        **kwargs
            Passed to `plot`.

        Returns
        -------
        display : AttackCurveDisplay
        """
        _style.need_matplotlib(f"{cls.__name__}.from_estimator")
        models = _style.as_named(estimator, name)
        norm = _shared_norm(models.values(), norm, attack_model)
        options: dict[str, Any] = {"norm": norm, "attack_model": attack_model, "units": units, "n_jobs": n_jobs}
        certificates = {each: certify(model, X, y, **options) for each, model in models.items()}
        if ceiling and any(each.attack_model is not None for each in certificates.values()):
            raise ValueError("ceiling: only for the plain ball, not for an attack model")
        if ceiling and any(each.units != "raw" for each in certificates.values()):
            raise ValueError("ceiling: expected units='raw', because it is computed from X")
        return cls.from_certificates(
            certificates,
            attack_radii=attack_radii,
            balanced=balanced,
            constant=constant,
            ceiling_points=X if ceiling else None,
            ax=ax,
            **kwargs,
        )

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Any,
        X: Rows,
        y: Labels,
        *,
        attack_radii: ArrayLike | None = None,
        norm: Norm | None = None,
        attack_model: AttackModel | None = None,
        units: Units | None = None,
        balanced: bool = False,
        constant: bool = True,
        name: str | None = None,
        n_jobs: int | None = None,
        ax: Axes = None,
        **kwargs: Any,
    ) -> "AttackCurveDisplay":
        """Certify the test points of each split, and draw mean curves with bands.

        Parameters
        ----------
        cv_results : dict, or dict of str to dict
            What ``cross_validate(..., return_estimator=True, return_indices=True)`` of scikit-learn
            returned, or several of these with names.
        X, y
            What `cross_validate` was given.
        attack_radii, norm, attack_model, units, balanced, constant, name, n_jobs, ax, **kwargs
            As for `from_estimator`.

        Returns
        -------
        display : AttackCurveDisplay
        """
        _style.need_matplotlib(f"{cls.__name__}.from_cv_results")
        if "estimator" in cv_results:
            name = _style.name_of(cv_results["estimator"][0]) if name is None else name
            cv_results = {name: cv_results}
        certificates = {}
        for each, results in cv_results.items():
            if "estimator" not in results or "indices" not in results:
                raise ValueError(
                    "cv_results: expected cross_validate with return_estimator=True and "
                    "return_indices=True"
                )
            models, parts = results["estimator"], results["indices"]["test"]
            norm = _shared_norm(models, norm, attack_model)
            options: dict[str, Any] = {"norm": norm, "attack_model": attack_model, "units": units, "n_jobs": n_jobs}
            certificates[each] = [
                certify(model, *(_safe_indexing(Z, part) for Z in (X, y)), **options)
                for model, part in zip(models, parts, strict=True)
            ]
        return cls.from_certificates(
            certificates,
            attack_radii=attack_radii,
            balanced=balanced,
            constant=constant,
            ax=ax,
            **kwargs,
        )

    @classmethod
    def from_certificates(
        cls,
        certificates: Any,
        y: Labels = None,
        *,
        attack_radii: ArrayLike | None = None,
        balanced: bool = False,
        constant: bool = True,
        ceiling_points: Any = None,
        name: str | None = None,
        ax: Axes = None,
        **kwargs: Any,
    ) -> "AttackCurveDisplay":
        """Draw the curves of certificates.

        Parameters
        ----------
        certificates : Certificates, list of them, or dict of str to either
            What `redoubt.certify` returned for one model, for its splits, or for several models.
            Where attack models differ, the legend says which curve has which.
        y : array-like of shape (n_samples,) or None, default=None
            Labels, if the certificates were made without.
        attack_radii, balanced, constant, name, ax, **kwargs
            As for `from_estimator`.
        ceiling_points : array-like of shape (n_samples, n_features) or None, default=None
            Draw the ceiling of these points, which have the labels of the first certificates.

        Returns
        -------
        display : AttackCurveDisplay
        """
        if not isinstance(certificates, dict):
            certificates = {"model" if name is None else name: certificates}
        splits = {
            each: list(found) if isinstance(found, (list, tuple)) else [found]
            for each, found in certificates.items()
        }
        everything = [each for found in splits.values() for each in found]
        labels = [_style.labels_of(each, y) for each in everything]
        measures = _style.measures(everything)
        if attack_radii is None:
            attack_radii = _style.default_radii(everything)
        n_curves = np.cumsum([len(found) for found in splits.values()])[:-1]
        rows = np.split(_style.accuracies(everything, y, attack_radii, balanced), n_curves)
        ceiling = None
        if ceiling_points is not None:
            signs = _signs(labels[0], everything[0].classes)
            found = accuracy_ceiling(ceiling_points, signs, attack_radii, norm=measures["norm"])
            ceiling = found.balanced_accuracy if balanced else found.accuracy
        display = cls(
            radii=attack_radii,
            accuracies=dict(zip(splits, rows, strict=True)),
            constant_accuracy=_constant(labels, balanced) if constant else None,
            ceiling=ceiling,
            balanced=balanced,
            attack_model=_rules(splits),
            **measures,
        )
        return display.plot(ax=ax, **kwargs)

    def plot(
        self, ax: Axes = None, *, band: str = "ci", legend: bool = True, **kwargs: Any
    ) -> "AttackCurveDisplay":
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            None makes a new figure.
        band : {"ci", "std", "range"} or None, default="ci"
            What to draw around the mean over splits: its 95 % confidence interval (Student's t; it
            takes splits for independent, which those of cross-validation are only nearly), one
            standard deviation, or all between the least and the greatest value.
        legend : bool, default=True
        **kwargs
            Passed to matplotlib's `plot`, for all curves.

        Returns
        -------
        display : AttackCurveDisplay
        """
        if band not in ("ci", "std", "range", None):
            raise ValueError(f"band: expected 'ci', 'std', 'range' or None, got {band!r}")
        ax, is_new = self._axes(ax, figsize=(7.2, 4.2))
        self.lines_: dict[str, Any] = {}
        self.bands_: dict[str, Any] = {}
        self.constant_line_ = self.ceiling_line_ = None
        if self.ceiling is not None:
            look = {"color": "black", "lw": 1, "ls": ":", "label": "ceiling, any classifier"}
            (self.ceiling_line_,) = ax.plot(self.radii, self.ceiling, **look)
        if self.constant_accuracy is not None:
            look = {"color": _style.GREY, "lw": 1, "ls": "--", "label": "constant classifier"}
            self.constant_line_ = ax.axhline(self.constant_accuracy, **look)
        for position, (name, rows) in enumerate(self.accuracies.items()):
            self._plot_curve(ax, position, name, rows, band, kwargs)
        self.line_ = next(iter(self.lines_.values()))
        rules = self.attack_model
        if isinstance(rules, dict):
            rules = next((each for each in rules.values() if each is not None), None)
        ax.set_xlabel(_style.distance_text("Attack radius", self.norm, self.units, rules))
        ax.set_ylabel(_style.accuracy_text(self.balanced))
        ax.set_xlim(self.radii.min(), self.radii.max() if np.ptp(self.radii) else None)
        ax.set_ylim(0.0, 1.02)
        ax.margins(x=0)
        _style.tidy(ax)
        handles = [*self.lines_.values(), self.constant_line_, self.ceiling_line_]
        handles = [line for line in handles if line is not None]
        title = self._legend_title(band)
        return self._finish(ax, legend=legend, is_new=is_new, handles=handles, title=title)

    def _plot_curve(self, ax, position, name, rows, band, kwargs):
        style = _style.style_of(position) | {"markersize": 4, "clip_on": False, "zorder": 3}
        if len(self.radii) > _style.MAX_MARKERS:
            style["marker"] = "none"
        label = name
        if isinstance(self.attack_model, dict) and self.attack_model.get(name) is not None:
            label = f"{name}\n{_style.rules_text(self.attack_model[name])}"
        style |= {"label": label} | kwargs
        (line,) = ax.plot(self.radii, rows.mean(axis=0), **style)
        self.lines_[name] = line
        if band is not None and len(rows) > 1:
            low, high = spread(rows, band)
            self.bands_[name] = ax.fill_between(
                self.radii, low, high, color=line.get_color(), alpha=0.15, lw=0
            )

    def _legend_title(self, band):
        one_model = not isinstance(self.attack_model, dict)
        lines = [_style.rules_text(self.attack_model) if one_model else None]
        if self.bands_:
            what = {"ci": "95 % confidence", "std": "one std. deviation", "range": "range"}[band]
            counts = sorted({len(rows) for rows in self.accuracies.values()})
            lines += [f"mean of {'/'.join(map(str, counts))} splits", f"band: {what}"]
        return "\n".join(line for line in lines if line) or None


def _shared_norm(models, norm, attack_model):
    """The norm for all models; their own attack models must agree, if they are to count."""
    models = list(models)
    if attack_model is not None:
        return norm or attack_model.norm
    own = {getattr(rules, "model", rules) for rules in map(own_attack_model, models)}
    if len(own) > 1:
        raise ValueError("attack_model: needed, because the models have different ones")
    return own_norm(models[0]) if norm is None else norm


def _rules(splits):
    """The attack model of all certificates or, if they differ, that of each name."""
    each = {name: _style.one_attack_model(found) for name, found in splits.items()}
    return each if len(set(each.values())) > 1 else next(iter(each.values()))


def spread(rows, band):
    """Return the lower and upper edge of a band over splits, within [0, 1]."""
    if band == "range":
        return rows.min(axis=0), rows.max(axis=0)
    width = rows.std(axis=0, ddof=1)
    if band == "ci":
        width = width * stats.t.ppf(0.975, len(rows) - 1) / np.sqrt(len(rows))
    middle = rows.mean(axis=0)
    return np.clip(middle - width, 0.0, 1.0), np.clip(middle + width, 0.0, 1.0)


def _constant(labels, balanced):
    """Mean over the curves of the best constant answer; balanced: one class is right, or none."""
    sizes = [np.unique(y, return_counts=True)[1] for y in labels]
    return float(np.mean([1 / len(each) if balanced else max(each) / sum(each) for each in sizes]))


def _signs(labels, classes):
    if len(classes) != 2:
        raise ValueError(f"ceiling: expected two classes, got {len(classes)}")
    return np.where(np.asarray(labels) == classes[1], 1.0, -1.0)
