"""Lines over one number: what several figures share."""

from redoubt.report import _names
from redoubt.report._canvas import MUTED, legend_room, method_style, new_panel, put_legend

__all__ = ["describe_lines", "draw_lines", "limits", "panels_of"]

CONSTANT = {"color": MUTED, "linestyle": (0, (1, 1.5)), "linewidth": 1.2, "marker": "none"}
CEILING = {"color": MUTED, "linestyle": (0, (6, 2)), "linewidth": 1.0, "marker": "none"}


def panels_of(rows):
    """The pairs (mode, measure) that rows can fill; the paper has no balanced accuracy."""
    found = []
    for mode in _names.MODES:
        for measure in ("accuracy", "balanced_accuracy"):
            if any(row.mode == mode and getattr(row, measure) is not None for row in rows):
                found.append((mode, measure))
    return sorted(found, key=lambda panel: panel[1] != "accuracy")


def draw_lines(title, note, lines, references, x_label, y_label, y_limits):
    """Draw named lines.

    `lines` is a list of (method, label, x, y); `references` a list of (label, style, x, y) that are
    drawn under them.
    """
    n_entries = len(lines) + len(references)
    figure, ax = new_panel(title, note, below=legend_room(n_entries))
    ax.grid(axis="y")
    ax.set_axisbelow(True)
    for method, label, x, y in lines:
        ax.plot(x, y, label=label, zorder=3, **method_style(method))
    for label, style, x, y in references:
        ax.plot(x, y, label=label, zorder=2, **style)
    ax.set_xlabel(x_label, labelpad=2)
    ax.set_ylabel(y_label, labelpad=2)
    ax.set_ylim(*y_limits)
    put_legend(ax, n_entries)
    return figure, ax


def describe_lines(lines):
    """The first and last value of each line, in words."""
    return "; ".join(
        f"{label}: {_names.percent(y[0])} % at {x[0]:g}, {_names.percent(y[-1])} % at {x[-1]:g}"
        for _, label, x, y in lines
    )


def limits(values):
    """Round percentages around values, so that all panels of a pair share them."""
    low = 10 * (min(values) // 10)
    high = -10 * (-max(values) // 10)
    return (max(low, 0) - 2, min(high, 100) + 2)
