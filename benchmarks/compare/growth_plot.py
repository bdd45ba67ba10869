"""The pictures of growth: of certificates, one panel per kind of vote and norm, and of trainings."""

import io

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D

COLOURS = plt.get_cmap("viridis")
#: Names, and no lines of time, in the file: the same figures give the same picture.
STYLE = {"svg.hashsalt": "growth", "svg.fonttype": "none", "font.size": 9}


def draw(cells, limit):
    """The picture as SVG text."""
    kinds, norms = _in_order(cells, "kind"), _in_order(cells, "norm")
    with plt.rc_context(STYLE):
        figure, panels = plt.subplots(
            len(kinds), len(norms), sharex=True, sharey=True, squeeze=False,
            figsize=(3.3 * len(norms), 2.6 * len(kinds)), layout="constrained",
        )  # fmt: skip
        features = sorted({cell.n for cell in cells})
        colours = {n: COLOURS(0.95 * i / max(1, len(features) - 1)) for i, n in enumerate(features)}
        for row, kind in zip(panels, kinds):
            for panel, norm in zip(row, norms):
                chosen = [c for c in cells if c.kind == kind and c.norm == norm]
                _draw_panel(panel, chosen, colours, limit)
                panel.set_title(f"{kind}, {norm}", fontsize=9)
            row[0].set_ylabel("µs a point, mean")
        for panel in panels[-1]:
            panel.set_xlabel("planes")
        _add_legend(figure, colours)
        return _as_svg(figure)


def draw_trainings(by_points, by_planes):
    """Seconds of trainings: {method: [(points, seconds)]} and {method: [(planes, seconds)]}."""
    with plt.rc_context(STYLE):
        figure, panels = plt.subplots(1, 2, sharey=True, figsize=(7.0, 2.8), layout="constrained")
        for panel, lines, label in zip(panels, (by_points, by_planes), ("points", "planes")):
            for i, (method, values) in enumerate(lines.items()):
                panel.plot(*zip(*sorted(values)), "o-", color=COLOURS(0.15 + 0.55 * i),
                           linewidth=1.3, markersize=4, label=method)  # fmt: skip
            panel.set_xscale("log")
            panel.set_yscale("log")
            panel.set_xlabel(label)
            panel.grid(color="0.9", linewidth=0.6)
        planes = sorted({k for values in by_planes.values() for k, _ in values})
        panels[1].set_xticks(planes, [str(k) for k in planes])
        panels[1].minorticks_off()
        panels[0].set_ylabel("seconds")
        panels[0].legend(frameon=False)
        return _as_svg(figure)


def _as_svg(figure):
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"


def _draw_panel(panel, cells, colours, limit):
    for n in sorted({cell.n for cell in cells}):
        line = [cell for cell in cells if cell.n == n]
        planes, micro = [c.k for c in line], [1e6 * c.seconds.mean() for c in line]
        panel.plot(planes, micro, color=colours[n], linewidth=1.3)
        for full in (True, False):
            marked = [i for i, c in enumerate(line) if c.proven.all() == full]
            panel.plot(
                [planes[i] for i in marked], [micro[i] for i in marked], "o", markersize=4,
                color=colours[n], markerfacecolor=colours[n] if full else "white",
            )  # fmt: skip
    panel.axhline(1e6 * limit, color="grey", linewidth=0.8, linestyle="--")
    panel.set_xscale("log")
    panel.set_yscale("log")
    ticks = [5, 15, 31, 75, 201]
    panel.set_xticks(ticks, [str(tick) for tick in ticks])
    panel.minorticks_off()
    panel.grid(color="0.9", linewidth=0.6)


def _add_legend(figure, colours):
    entries = [
        Line2D([], [], color=colour, marker="o", markersize=4, label=f"n = {n}")
        for n, colour in colours.items()
    ]
    entries += [
        Line2D([], [], color="0.3", marker="o", markersize=4, markerfacecolor="white",
               linestyle="none", label="some not proven"),
        Line2D([], [], color="grey", linestyle="--", linewidth=0.8, label="limit of a point"),
    ]  # fmt: skip
    figure.legend(handles=entries, loc="outside right upper", frameon=False)


def _in_order(cells, field):
    return list(dict.fromkeys(getattr(cell, field) for cell in cells))
