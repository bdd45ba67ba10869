"""Training time over the defence radius."""

from redoubt.report import _names
from redoubt.report._canvas import legend_room, method_style, new_panel, put_legend

__all__ = ["LEAST_PRINTED", "add_times"]

LEAST_PRINTED = 0.05  # the paper prints one digit: less than this is 0.0


def add_times(results, pair, gallery):
    dataset, norm = pair
    rows = [row for row in results.training_time if (row.dataset, row.norm) == pair]
    if not rows:
        return []
    shown = [max(row.seconds, _least(row.mode)) for row in rows]
    limits = (min(shown) / 2, max(shown) * 2)
    radii = sorted({row.defense_radius for row in rows if row.defense_radius})
    made = []
    for mode in _names.MODES:
        chosen = [row for row in rows if row.mode == mode]
        if not chosen:
            continue
        made.append(
            gallery.add(
                _draw(pair, mode, chosen, radii, limits),
                _names.slug("training-time", dataset, norm, mode),
                f"Training time: {_names.pair_text(*pair)}, {_names.mode_text(mode)}",
                f"Seconds over the defence radius. {_describe(chosen)}.",
            )
        )
    return made


def _least(mode):
    return LEAST_PRINTED if mode == "published" else 1e-6


def _describe(rows):
    parts = []
    for method in _names.methods_of(rows):
        found = [row.seconds for row in rows if row.method == method]
        low, high = _names.seconds(min(found)), _names.seconds(max(found))
        parts.append(f"{method}: {low}" if low == high else f"{method}: {low} to {high}")
    return "; ".join(parts)


def _draw(pair, mode, rows, radii, limits):
    methods = _names.methods_of(rows)
    hidden = any(row.seconds < _least(mode) for row in rows)
    n_entries = len(methods) + hidden
    title = _names.sentence(_names.mode_text(mode))
    note = _names.pair_text(*pair)
    figure, ax = new_panel(title, note, below=legend_room(n_entries), left=0.72)
    ax.set_yscale("log")
    ax.grid(axis="y")
    ax.set_axisbelow(True)
    for method in methods:
        _draw_method(ax, method, [row for row in rows if row.method == method], radii, mode)
    if hidden:
        ax.plot([], [], "o", mfc="none", mec=method_style("SVM-Ens")["color"], label="printed 0.0")
    ax.set_xticks(range(len(radii)), [_names.radius(radius) for radius in radii])
    ax.set_xlim(-0.3, max(len(radii) - 0.7, 0.3))
    ax.set_ylim(*limits)
    ax.minorticks_off()
    ax.yaxis.set_major_formatter(lambda value, _: _names.seconds(value))
    ax.set_xlabel("defence radius", labelpad=2)
    ax.set_ylabel("training time", labelpad=2)
    put_legend(ax, n_entries)
    return figure


def _draw_method(ax, method, rows, radii, mode):
    """A line over the radii; a method without one is a level."""
    style = method_style(method)
    place = {radius: index for index, radius in enumerate(radii)}
    found = {row.defense_radius: row.seconds for row in rows}
    if set(found) == {0.0}:
        points = [(index, found[0.0]) for index in range(max(len(radii), 1))]
        style["marker"] = "none" if found[0.0] >= _least(mode) else style["marker"]
    else:
        points = [(place[radius], found[radius]) for radius in sorted(found) if radius in place]
    x = [point[0] for point in points]
    y = [max(point[1], _least(mode)) for point in points]
    hidden = [index for index, point in enumerate(points) if point[1] < _least(mode)]
    measured = [index for index in range(len(points)) if index not in hidden]
    ax.plot(x, y, label=method, zorder=3, markevery=measured, **style)
    if hidden:
        ax.plot(
            [x[i] for i in hidden],
            [y[i] for i in hidden],
            linestyle="none",
            marker=style["marker"],
            markersize=5.5,
            mfc="none",
            mec=style["color"],
            zorder=4,
        )
