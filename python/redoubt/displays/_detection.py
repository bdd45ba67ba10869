"""Detection over the number of changed features, at a rate of false positives."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from redoubt._certificates.certify import certify
from redoubt._models.operating_point import operating_point
from redoubt.displays import _style
from redoubt.displays._attack_curve import spread


@dataclass(eq=False, repr=False)
class DetectionDisplay(_style.Drawing):
    """Detection certified against the number of changed features, for one or several models.

    Made by `from_estimator` or `from_certificates`.

    Parameters
    ----------
    budgets : array-like of shape (n_budgets,)
        Numbers of changed features.
    detection : dict of str to array-like of shape (n_budgets,) or (n_splits, n_budgets)
        Per model: the share of the positive class that is detected whatever so many changes do, or
        one such row per split.
    max_fpr : float or None, default=None
        For the label of the axis: the rate of false positives that the models are run at.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    lines_ : dict of str to matplotlib Line2D
        The mean curve of each model.
    bands_ : dict of str to artist
        One standard deviation over splits, if there are any.

    Examples
    --------
    >>> import numpy as np
    >>> import redoubt
    >>> from redoubt.displays import DetectionDisplay
    >>> X = np.random.default_rng(0).integers(0, 2, size=(200, 6)).astype(float)
    >>> y = X[:, :3].sum(axis=1) > X[:, 3:].sum(axis=1)
    >>> rules = redoubt.AttackModel(
    ...     "l1", bounds=(0, 1), increase_only=list(range(6)), attacking_class=True
    ... )
    >>> model = redoubt.LinearSVMClassifier().fit(X[:100], y[:100])
    >>> display = DetectionDisplay.from_estimator(
    ...     model, X[100:], y[100:], X_point=X[:100], y_point=y[:100], max_fpr=0.05,
    ...     attack_model=rules, budgets=[0, 1, 2],
    ... )
    >>> bool((np.diff(display.line_.get_ydata()) <= 0).all())
    True
    """

    budgets: np.ndarray
    detection: dict
    _: KW_ONLY
    max_fpr: float | None = None

    def __post_init__(self):
        self.budgets = np.asarray(self.budgets, dtype=np.float64)
        self.detection = {
            name: np.atleast_2d(np.asarray(rows, dtype=np.float64))
            for name, rows in self.detection.items()
        }
        for name, rows in self.detection.items():
            if rows.shape[1] != len(self.budgets):
                raise ValueError(
                    f"detection: expected {len(self.budgets)} values per row for {name!r}, "
                    f"got {rows.shape[1]}"
                )

    @classmethod
    def from_estimator(
        cls,
        estimator,
        X,
        y,
        *,
        attack_model,
        X_point=None,
        y_point=None,
        max_fpr=0.01,
        budgets=(0, 1, 5, 10, 25, 50, 100),
        name=None,
        n_jobs=None,
        ax=None,
        **kwargs,
    ):
        """Set the operating point, certify the positive class and draw the curves.

        Parameters
        ----------
        estimator : fitted model, or list or dict of them
            Of two classes; the keys of a dict are the names in the legend. Name the baselines here.
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        attack_model : AttackModel
            Which features change, and how: of moves whose size is a number of features.
        X_point, y_point : array-like or None, default=None
            Where `redoubt.operating_point` chooses each model's point; None leaves the models as
            they are.
        max_fpr : float, default=0.01
            The rate of false positives on `X_point`.
        budgets : array-like of shape (n_budgets,), default=(0, 1, 5, 10, 25, 50, 100)
        name : str or None, default=None
            For the legend, if there is one model.
        n_jobs : int or None, default=None
            Threads of `certify`.
        ax : matplotlib Axes or None, default=None
        **kwargs
            Passed to `plot`.

        Returns
        -------
        display : DetectionDisplay
        """
        _style.need_matplotlib(f"{cls.__name__}.from_estimator")
        models = _style.as_named(estimator, name)
        if X_point is not None:
            models = {
                each: operating_point(model, X_point, y_point, max_fpr).model
                for each, model in models.items()
            }
        certificates = {}
        for each, model in models.items():
            positive = np.flatnonzero(np.asarray(y) == _positive(model))
            rows = X[positive] if not hasattr(X, "iloc") else X.iloc[positive]
            certificates[each] = certify(
                model, rows, np.asarray(y)[positive], attack_model=attack_model, n_jobs=n_jobs
            )
        return cls.from_certificates(
            certificates,
            budgets=budgets,
            max_fpr=None if X_point is None else max_fpr,
            ax=ax,
            **kwargs,
        )

    @classmethod
    def from_certificates(cls, certificates, *, budgets, max_fpr=None, name=None, ax=None, **kwargs):
        """Draw the curves of certificates.

        Parameters
        ----------
        certificates : Certificates, list of them, or dict of str to either
            What `redoubt.certify` returned, with labels, for one model, for its splits, or for
            several models. Points of the positive class (``classes[1]``) count.
        budgets : array-like of shape (n_budgets,)
        max_fpr : float or None, default=None
            For the label of the axis.
        name, ax, **kwargs
            As for `from_estimator`.

        Returns
        -------
        display : DetectionDisplay
        """
        if not isinstance(certificates, dict):
            certificates = {"model" if name is None else name: certificates}
        detection = {}
        for each, found in certificates.items():
            splits = list(found) if isinstance(found, (list, tuple)) else [found]
            detection[each] = [detection_within(split, budgets) for split in splits]
        return cls(budgets, detection, max_fpr=max_fpr).plot(ax=ax, **kwargs)

    def plot(self, ax=None, *, legend=True, **kwargs):
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            None makes a new figure.
        legend : bool, default=True
        **kwargs
            Passed to matplotlib's `plot`, for all curves.

        Returns
        -------
        display : DetectionDisplay
        """
        ax, is_new = self._axes(ax, figsize=(7.2, 4.2))
        self.lines_, self.bands_ = {}, {}
        for position, (name, rows) in enumerate(self.detection.items()):
            style = _style.style_of(position) | {"markersize": 4, "label": name} | kwargs
            (line,) = ax.plot(self.budgets, rows.mean(axis=0), **style)
            self.lines_[name] = line
            if len(rows) > 1:
                low, high = spread(rows, "std")
                self.bands_[name] = ax.fill_between(
                    self.budgets, low, high, color=line.get_color(), alpha=0.15, lw=0
                )
        self.line_ = next(iter(self.lines_.values()))
        # 0 belongs on the axis, and 100 must not crowd out 1.
        ax.set_xscale("symlog", linthresh=1)
        ax.set_xticks(self.budgets, [f"{each:g}" for each in self.budgets])
        ax.set_xticks([], minor=True)
        ax.set_xlabel("Changed features")
        rate = "" if self.max_fpr is None else f" at {100 * self.max_fpr:g} % false positives"
        ax.set_ylabel(f"Detection{rate}")
        ax.set_ylim(0.0, 1.02)
        _style.tidy(ax)
        title = "band: one std. deviation" if self.bands_ else None
        return self._finish(
            ax, legend=legend, is_new=is_new, handles=list(self.lines_.values()), title=title
        )


def detection_within(certificates, budgets):
    """The share of the positive class that is found whatever so many changes do.

    A point counts as long as the proven end of its bracket says so. Moves in l1 between ends of
    ranges are bounded by those that change features as a whole, so that the share is a lower bound
    then; for single planes the two agree at integers.
    """
    found = certificates
    labels = found.prediction if found.label is None else found.label
    positive = np.asarray(labels) == found.classes[1]
    is_caught = np.asarray(found.prediction)[positive] == found.classes[1]
    lower, closed = found.lower[positive], found.closed[positive]
    return np.array(
        [np.mean(is_caught & ((lower > each) | (closed & (lower >= each)))) for each in budgets]
    )


def _positive(model):
    classes = getattr(model, "classes_", getattr(model, "classes", None))
    return 1 if classes is None else classes[1]
