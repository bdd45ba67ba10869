"""How much the mean accuracy moves with the defence radius."""

from redoubt.report import _names
from redoubt.report._canvas import MUTED, WIDTH, method_style, new_panel

__all__ = ["add_stability"]

_MARKERS = {"published": "o", "as_published": "s", "corrected": "D"}
_SHORT = {"published": "published", "as_published": "as publ.", "corrected": "corrected"}
_ROW, _LEFT, _RIGHT = 0.155, 1.22, 0.40  # inches


def add_stability(results, pair, gallery):
    """A figure for accuracy and one for balanced accuracy, on the same scale."""
    dataset, norm = pair
    rows = [row for row in results.stability if (row.dataset, row.norm) == pair]
    if not rows:
        return []
    low, high = min(row.least for row in rows), max(row.greatest for row in rows)
    margin = 0.04 * max(high - low, 1.0)
    made = []
    for measure in ("accuracy", "balanced_accuracy"):
        chosen = [row for row in rows if row.measure == measure]
        if not chosen:
            continue
        what = _names.measure_text(measure)
        made.append(
            gallery.add(
                _draw(pair, what, chosen, (low - margin, high + margin)),
                _names.slug("stability", dataset, norm, measure),
                f"Stability: {_names.pair_text(*pair)}, {what}",
                f"Least and greatest mean {what} over the defence radii. {_describe(chosen)}.",
            )
        )
    return made


def _describe(rows):
    return "; ".join(
        f"{row.method}, {_names.mode_text(row.mode)}: "
        f"{_names.percent(row.least)} to {_names.percent(row.greatest)} %"
        for row in rows
    )


def _draw(pair, what, rows, limits):
    places, ticks, labels, names = _places(rows)
    height = _ROW * (max(places.values()) + 2.4)
    figure, ax = new_panel(
        f"Mean {what}",
        _names.pair_text(*pair),
        height=height,
        below=0.42,
        left=_LEFT,
        right=_RIGHT,
    )
    for row in rows:
        _draw_range(ax, row, places[row.method, row.mode])
    ax.set_yticks(ticks, labels, fontsize=7.5)
    for method, top in names.items():
        ax.text(
            (0.05 - _LEFT) / (WIDTH - _LEFT - _RIGHT),
            top,
            method,
            transform=ax.get_yaxis_transform(),
            fontweight="bold",
            fontsize=8,
            va="center",
            clip_on=False,
        )
    _write_right(ax, -1.0, "spread")
    ax.set_ylim(max(places.values()) + 0.7, -1.7)
    ax.set_xlim(*limits)
    ax.grid(axis="x")
    ax.set_axisbelow(True)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.set_xlabel(f"mean {what} over the attack radii (%)", labelpad=2)
    ax.xaxis.label.set_horizontalalignment("right")
    ax.xaxis.set_label_coords(1.0, -0.26 / height)
    return figure


def _places(rows):
    """A line for each method and mode, with room between the methods."""
    places, ticks, labels, names = {}, [], [], {}
    at = 0.0
    for method in _names.methods_of(rows):
        names[method] = at
        for mode in _names.MODES:
            if any(row.method == method and row.mode == mode for row in rows):
                places[method, mode] = at
                ticks.append(at)
                labels.append(_SHORT[mode])
                at += 1.0
        at += 0.5
    return places, ticks, labels, names


def _draw_range(ax, row, at):
    color = method_style(row.method)["color"]
    marker = _MARKERS[row.mode]
    ax.plot([row.least, row.greatest], [at, at], color=color, linewidth=2.2, alpha=0.55, zorder=2)
    ax.plot([row.least, row.greatest], [at, at], marker, color=color, markersize=4, zorder=3)
    _write_right(ax, at, _names.percent(row.spread))


def _write_right(ax, at, text):
    """A text in the column on the right."""
    ax.annotate(
        text,
        (1.0, at),
        xycoords=ax.get_yaxis_transform(),
        xytext=(27, 0),
        textcoords="offset points",
        ha="right",
        va="center",
        fontsize=7.5,
        color=MUTED,
    )
