"""What the displays share: axes, colours, words."""

import textwrap
from dataclasses import KW_ONLY, dataclass

import numpy as np

from redoubt._attack_models import choose_norm
from redoubt._certificates.curves import attack_curve
from redoubt._certificates.results import Certificates

# Okabe and Ito's colours, which colour-blind readers can tell apart.
BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
COLORS = (BLUE, ORANGE, GREEN, PURPLE, "#E69F00", "#56B4E9", "#000000")
# A second difference, for print without colours.
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINESTYLES = ("-", "--", "-.", (0, (5, 1, 1, 1, 1, 1)))
GREY = "0.45"

MAX_MARKERS = 25  # more points than this make a line, not a row of marks


def need_matplotlib(who):
    """Return matplotlib.pyplot, imported here only, or say how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(f"{who} needs matplotlib: pip install matplotlib") from error
    return plt


class Drawing:
    """What displays share: axes and a legend."""

    def _axes(self, ax, figsize, layout="constrained"):
        """Return the axes to draw on, and whether they are new."""
        plt = need_matplotlib(f"{type(self).__name__}.plot")
        if ax is not None:
            return ax, False
        _, ax = plt.subplots(layout=layout, figsize=figsize)
        return ax, True

    def _finish(self, ax, *, legend, is_new, **settings):
        """A legend, beside the axes of a figure of our own and elsewhere where most room is."""
        if legend:
            place = {"loc": "best"}
            if is_new:
                place = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0}
            self.legend_ = ax.legend(frameon=False, **(place | settings))
            self.legend_.set_alignment("left")
        self.ax_, self.figure_ = ax, ax.figure
        return self


@dataclass(eq=False, repr=False)
class Measured(Drawing):
    """One that says what radii are measured in."""

    _: KW_ONLY
    norm: str | None = None
    units: str = "raw"
    attack_model: object = None

    def __post_init__(self):
        self.norm = norm_of(self.norm, self.attack_model)


@dataclass(eq=False, repr=False)
class MeasuredAccuracy(Measured):
    """One of accuracies, perhaps of those where every class weighs the same."""

    _: KW_ONLY
    balanced: bool = False


def check_shape(display, name, *axes):
    """Raise unless an array has one entry for each pair of entries of two others."""
    wanted = tuple(len(getattr(display, axis)) for axis in axes)
    found = getattr(display, name).shape
    if found != wanted:
        raise ValueError(f"{name}: expected shape {wanted}, got shape {found}")


def style_of(position):
    """Colour, line style and marker of one of several lines."""
    return {
        "color": COLORS[position % len(COLORS)],
        "linestyle": LINESTYLES[position % len(LINESTYLES)],
        "marker": MARKERS[position % len(MARKERS)],
    }


def tidy(ax):
    """Leave out the frame's upper and right side."""
    ax.spines[["top", "right"]].set_visible(False)


def norm_of(norm, attack_model):
    """The norm of a label, or None; raise if it contradicts an attack model, or one of a dict."""
    for rules in attack_model.values() if isinstance(attack_model, dict) else [attack_model]:
        if rules is not None:
            norm = choose_norm(rules, norm)
    return norm


def norm_text(norm):
    return {"l1": r"$\ell_1$", "l2": r"$\ell_2$", "linf": r"$\ell_\infty$", "l0": r"$\ell_0$"}[norm]


def distance_text(what, norm, units, attack_model=None):
    """An axis label: what is measured, in which norm and units."""
    unit = {"raw": "units of X", "scaled": "scaled features"}[units]
    if getattr(attack_model, "scale", None) not in (None, "scaled"):
        unit = "times each feature's scale"
    if norm == "l0":
        unit = "changed features" if getattr(attack_model, "cost", None) is None else "costs"
    return f"{what} ({unit})" if norm is None else f"{what} ({norm_text(norm)}, {unit})"


def rules_text(attack_model, width=30):
    """An attack model in a few short lines, or None where there is none."""
    if attack_model is None:
        return None
    lines = [
        line for part in attack_model.brief().split("; ") for line in textwrap.wrap(part, width)
    ]
    return "attack model:\n" + "\n".join(lines)


def accuracy_text(balanced):
    return "Balanced certified accuracy" if balanced else "Certified accuracy"


def name_of(model):
    """A short name for a legend."""
    steps = getattr(model, "steps", None)
    return name_of(steps[-1][1]) if steps else type(model).__name__


def as_named(models, name=None):
    """Return a dict name -> model for one model, a list or a dict of them."""
    if isinstance(models, dict):
        named = dict(models)
    elif isinstance(models, (list, tuple)):
        named = {}
        for model in models:
            base = unique = name_of(model)
            while unique in named:
                unique = f"{base} ({int(unique[len(base) + 2 : -1] or 1) + 1})"
            named[unique] = model
    else:
        named = {name_of(models) if name is None else name: models}
    if not named:
        raise ValueError("expected at least one model, got none")
    return named


def labels_of(certificates, y=None):
    """Return the labels that certificates were made with, or y where they were made without."""
    if not isinstance(certificates, Certificates):
        raise TypeError(
            f"certificates: expected redoubt.Certificates, got {type(certificates).__name__}"
        )
    if y is not None:
        return np.asarray(y)
    if certificates.label is None:
        raise ValueError("y: needed, because the certificates were made without labels")
    return certificates.label


def one_value(certificates, attribute):
    """Return what is the same for all certificates (norm, units), or raise."""
    values = {getattr(each, attribute) for each in certificates}
    if len(values) > 1:
        raise ValueError(
            f"certificates: expected one {attribute} for all, got {', '.join(sorted(values))}"
        )
    return values.pop()


def measures(certificates):
    """What is the same for all certificates, as arguments of a display."""
    return {name: one_value(certificates, name) for name in ("norm", "units")}


def accuracies(certificates, y, attack_radii, balanced):
    """The accuracy under attack of each of several certificates, one row each."""
    which = "balanced_accuracy" if balanced else "accuracy"
    curves = [attack_curve(each, labels_of(each, y), attack_radii) for each in certificates]
    return np.array([getattr(curve, which) for curve in curves])


def one_attack_model(certificates):
    """Return the attack model of all certificates, or raise if they have different ones."""
    models = {each.attack_model for each in certificates}
    if len(models) > 1:
        raise ValueError("certificates: expected one attack model for all, got several")
    return models.pop()


def default_radii(certificates, n_radii=101):
    """Evenly spaced attack radii, up to where nearly no point is left."""
    lower = np.concatenate([each.lower for each in certificates])
    lower = lower[np.isfinite(lower) & (lower > 0)]
    return np.linspace(0.0, np.quantile(lower, 0.98) if len(lower) else 1.0, n_radii)
