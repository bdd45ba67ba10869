"""Accuracy over the attack radius, each method at the defence radius that is best on average."""

from statistics import fmean

from redoubt.report import _curves, _names

__all__ = ["add_trade_off", "best_curves"]


def best_curves(rows, measure):
    """Return a dict method -> (defence radius, attack radii, values) of rows of one mode.

    The best mean over the attack radii wins, and of equal ones the smallest radius.
    """
    curves = {}
    for row in rows:
        value = getattr(row, measure)
        if value is not None:
            curves.setdefault((row.method, row.defense_radius), {})[row.attack_radius] = value
    best = {}
    for (method, defence), curve in sorted(curves.items()):
        mean = fmean(curve.values())
        if method not in best or mean > best[method][0] + 1e-9:
            best[method] = (mean, defence, sorted(curve), [curve[x] for x in sorted(curve)])
    return {method: found[1:] for method, found in best.items()}


def references(results, pair, measure):
    """The constant classifier and the ceiling, as lines for `draw_lines`."""
    dataset, _ = pair
    ceiling = sorted(
        (row.attack_radius, getattr(row, measure))
        for row in results.ceiling
        if (row.dataset, row.norm) == pair and getattr(row, measure) is not None
    )
    attacks = sorted({r.attack_radius for r in results.accuracy if (r.dataset, r.norm) == pair})
    constants = [row.constant_accuracy for row in results.datasets if row.dataset == dataset]
    lines = []
    if constants and attacks:
        level = constants[0] if measure == "accuracy" else 50.0
        lines.append(
            ("constant answer", _curves.CONSTANT, [attacks[0], attacks[-1]], [level, level])
        )
    if ceiling:
        x, y = zip(*ceiling, strict=True)
        lines.append(("ceiling for any classifier", _curves.CEILING, x, y))
    return lines


def add_trade_off(results, pair, gallery):
    dataset, norm = pair
    rows = [row for row in results.accuracy if (row.dataset, row.norm) == pair]
    panels = []
    for mode, measure in _curves.panels_of(rows):
        best = best_curves([row for row in rows if row.mode == mode], measure)
        lines = [
            (method, f"{method}, r = {radius:g}" if radius else method, x, y)
            for method in _names.methods_of(rows)
            if method in best
            for radius, x, y in [best[method]]
        ]
        panels.append((mode, measure, lines, references(results, pair, measure)))
    values = [v for _, _, lines, extra in panels for line in (*lines, *extra) for v in line[3]]
    made = []
    for mode, measure, lines, extra in panels:
        what = _names.measure_text(measure)
        figure, ax = _curves.draw_lines(
            _names.sentence(_names.mode_text(mode)),
            _names.pair_text(*pair),
            lines,
            extra,
            "attack radius",
            f"{what} (%)",
            _curves.limits(values),
        )
        ax.xaxis.set_major_formatter("{x:g}")
        made.append(
            gallery.add(
                figure,
                _names.slug("trade-off", dataset, norm, mode, measure),
                f"Trade-off: {_names.pair_text(*pair)}, {_names.mode_text(mode)}, {what}",
                _names.sentence(f"{what} over the attack radius. {_curves.describe_lines(lines)}."),
            )
        )
    return made
