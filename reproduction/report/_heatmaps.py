"""The difference to SVM-Ens over defence radius and attack radius."""

import math

import numpy as np
from matplotlib.figure import Figure

from redoubt.displays import DefenceHeatmapDisplay
from redoubt.report import _names
from redoubt.report._canvas import MUTED, RULE, WIDTH, put_heading

__all__ = ["BASELINE", "add_heatmaps", "differences"]

BASELINE = "SVM-Ens"
_LEFT, _RIGHT, _TOP, _GAP, _HEIGHT, _BAR = 0.50, 0.04, 0.14, 0.30, 1.15, 0.85


def differences(rows):
    """Return a dict (mode, method) -> (defence radii, attack radii, percentage points)."""
    values = {}
    for row in rows:
        cells = values.setdefault((row.mode, row.method), {})
        cells[row.defense_radius, row.attack_radius] = row.accuracy
    found = {}
    for (mode, method), cells in values.items():
        baseline = values.get((mode, BASELINE))
        if method == BASELINE or baseline is None:
            continue
        below = {attack: accuracy for (_, attack), accuracy in baseline.items()}
        defence, attack = (sorted({key[i] for key in cells}) for i in (0, 1))
        points = [
            [cells.get((d, a), math.nan) - below.get(a, math.nan) for a in attack] for d in defence
        ]
        found[mode, method] = (defence, attack, np.array(points))
    return found


def add_heatmaps(results, pair, gallery):
    """One figure per mode, with a map for each method; all of them share one scale of colours."""
    dataset, norm = pair
    rows = [row for row in results.accuracy if (row.dataset, row.norm) == pair]
    maps = differences(rows)
    if not maps:
        return []
    finite = [np.abs(points[np.isfinite(points)]).max(initial=0) for *_, points in maps.values()]
    vmax = max(10.0, 10.0 * math.ceil(max(finite) / 10.0))
    methods = [method for method in _names.methods_of(rows) if any(m == method for _, m in maps)]
    made = []
    for mode in _names.MODES:
        chosen = {method: maps[mode, method] for method in methods if (mode, method) in maps}
        if not chosen:
            continue
        shown = methods[: methods.index(list(chosen)[-1]) + 1]
        title = f"Difference to {BASELINE}: {_names.pair_text(*pair)}, {_names.mode_text(mode)}"
        made.append(
            gallery.add(
                _draw(pair, mode, shown, chosen, vmax),
                _names.slug("heatmap", dataset, norm, mode),
                title,
                "Percentage points over the defence radius (rows) and the attack radius (columns). "
                + _describe(chosen),
            )
        )
    return made


def _describe(chosen):
    parts = []
    for method, (_, _, points) in chosen.items():
        low, high = np.nanmin(points), np.nanmax(points)
        parts.append(f"{method}: from {_names.percent(low)} to {_names.percent(high)}")
    return "; ".join(parts) + "."


def _draw(pair, mode, methods, chosen, vmax):
    n_maps = len(methods)
    total = _TOP + n_maps * (_HEIGHT + _GAP) + _BAR
    figure = Figure(figsize=(WIDTH, total))
    put_heading(figure, _names.sentence(_names.mode_text(mode)), _names.pair_text(*pair))
    width = 1 - (_LEFT + _RIGHT) / WIDTH
    image = None
    for position, method in enumerate(methods):
        bottom = total - _TOP - (position + 1) * (_HEIGHT + _GAP)
        ax = figure.add_axes((_LEFT / WIDTH, bottom / total, width, _HEIGHT / total))
        ax.set_title(method, loc="left", pad=3, fontsize=8.5)
        if method in chosen:
            image = _draw_map(ax, chosen[method], vmax)
        else:
            _draw_nothing(ax, next(iter(chosen.values())))
        if position + 1 < n_maps:
            ax.set_xticks([])
    figure.text(_LEFT / WIDTH + width / 2, (_BAR - 0.32) / total, "attack radius", ha="center")
    bar = figure.add_axes((_LEFT / WIDTH, 0.32 / total, width, 0.10 / total))
    colors = figure.colorbar(image, cax=bar, orientation="horizontal")
    colors.outline.set_visible(False)
    ticks = np.linspace(-vmax, vmax, 5)
    colors.set_ticks(ticks, labels=[_cell(tick) for tick in ticks])
    colors.ax.tick_params(length=2, pad=1)
    first, *_, last = colors.ax.get_xticklabels()  # within the figure, which ends here
    first.set_horizontalalignment("left")
    last.set_horizontalalignment("right")
    return figure


def _draw_nothing(ax, values):
    """Room of the same size: maps of one method stand side by side in the page."""
    _, attack, _ = values
    ax.set_xlim(-0.5, len(attack) - 0.5)
    ax.set_xticks(range(len(attack)), [_names.radius(radius) for radius in attack])
    ax.set_yticks([])
    ax.tick_params(length=0, pad=2, labelsize=7)
    ax.spines[:].set_color(RULE)
    ax.text(0.5, 0.5, "no values", ha="center", va="center", color=MUTED, transform=ax.transAxes)


def _draw_map(ax, values, vmax):
    defence, attack, points = values
    display = DefenceHeatmapDisplay(points / 100, defence, attack, baseline_name=BASELINE)
    display.plot(ax=ax, annotate=False, colorbar=False, vmax=vmax, interpolation="none")
    ax.set_xlabel("")
    ax.set_ylabel("defence radius", fontsize=8)
    ax.tick_params(pad=2, labelsize=7)
    image = display.im_
    n_rows, n_columns = points.shape
    for edge in range(1, n_columns):  # a gap between the cells keeps their numbers apart
        ax.axvline(edge - 0.5, color="white", linewidth=0.8)
    for edge in range(1, n_rows):
        ax.axhline(edge - 0.5, color="white", linewidth=0.8)
    for (row, column), value in np.ndenumerate(points):
        if math.isnan(value):
            continue
        red, green, blue, _ = image.cmap(image.norm(value))
        is_dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
        ax.text(
            column,
            row,
            _cell(value),
            ha="center",
            va="center_baseline",
            color="white" if is_dark else "black",
            fontsize=6.2,
        )
    return image


def _cell(value):
    """Short enough for a narrow cell: a digit behind the point only below ten."""
    value = round(value, 6)
    whole = math.copysign(math.floor(abs(value) + 0.5), value)  # 12.5 is 13, -12.5 is -13
    shown = f"{value:.1f}".removesuffix(".0") if abs(value) < 9.95 else f"{whole:.0f}"
    return "0" if shown in ("-0", "0") else shown.replace("-", _names.MINUS)
