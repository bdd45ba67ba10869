"""Accuracy over the number of planes."""

from redoubt.report import _curves, _names

__all__ = ["USUAL_RADIUS", "add_k_development"]

USUAL_RADIUS = 0.1  # the paper's


def add_k_development(results, pair, gallery):
    dataset, norm = pair
    rows = [row for row in results.k_development if (row.dataset, row.norm) == pair]
    panels = [
        (mode, measure, _lines(rows, mode, measure)) for mode, measure in _curves.panels_of(rows)
    ]
    values = [value for _, _, lines in panels for line in lines for value in line[3]]
    made = []
    for mode, measure, lines in panels:
        what = _names.measure_text(measure)
        figure, _ = _curves.draw_lines(
            _names.sentence(_names.mode_text(mode)),
            _names.pair_text(*pair),
            lines,
            [],
            "number of planes, k",
            f"{what} (%)",
            _curves.limits(values),
        )
        made.append(
            gallery.add(
                figure,
                _names.slug("k-development", dataset, norm, mode, measure),
                f"Growth with k: {_names.pair_text(*pair)}, {_names.mode_text(mode)}, {what}",
                _names.sentence(
                    f"{what} over the number of planes. {_curves.describe_lines(lines)}."
                ),
            )
        )
    return made


def _lines(rows, mode, measure):
    """A line for each method and defence radius; the legend names the radii that are not usual."""
    lines = []
    chosen = [r for r in rows if r.mode == mode and getattr(r, measure) is not None]
    for method in _names.methods_of(chosen):
        curves = {}
        for row in chosen:
            if row.method == method:
                points = curves.setdefault(row.defense_radius or 0.0, [])
                points.append((row.k, getattr(row, measure)))
        for radius, points in sorted(curves.items()):
            label = method if radius in (0.0, USUAL_RADIUS) else f"{method}, r = {radius:g}"
            lines.append((method, label, *zip(*sorted(points), strict=True)))
    return lines
