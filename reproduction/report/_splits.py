"""Random splits: mean curves with a band of one deviation."""

from redoubt.report import _curves, _names
from redoubt.report._canvas import method_style

__all__ = ["add_splits"]

_COLUMNS = {
    "accuracy": ("accuracy_mean", "accuracy_deviation"),
    "balanced_accuracy": ("balanced_mean", "balanced_deviation"),
}


def add_splits(summary, pair, gallery):
    dataset, norm = pair
    rows = [row for row in summary if (row.dataset, row.norm) == pair]
    made = []
    for measure, (mean, deviation) in _COLUMNS.items():
        bands = _bands(rows, mean, deviation)
        if not bands:
            continue
        lines = [(method, method, x, y) for method, x, y, _ in bands]
        references = _references(rows, measure)
        values = [v for _, _, y, d in bands for v in (*_sum(y, d, -1), *_sum(y, d, 1))]
        values += [v for *_, y in references for v in y]
        what = _names.measure_text(measure)
        figure, ax = _curves.draw_lines(
            "Random splits",
            _names.pair_text(*pair),
            lines,
            references,
            "attack radius",
            f"{what} (%)",
            _curves.limits([min(max(value, 0.0), 100.0) for value in values]),
        )
        ax.xaxis.set_major_formatter("{x:g}")
        for method, x, y, d in bands:
            color = method_style(method)["color"]
            ax.fill_between(x, _sum(y, d, -1), _sum(y, d, 1), color=color, alpha=0.15, lw=0)
        made.append(
            gallery.add(
                figure,
                _names.slug("splits", dataset, norm, measure),
                f"Random splits: {_names.pair_text(*pair)}, {what}",
                f"Mean {what} over the attack radius. {_curves.describe_lines(lines)}.",
            )
        )
    return made


def _sum(values, deviations, sign):
    return [value + sign * each for value, each in zip(values, deviations, strict=True)]


def _bands(rows, mean, deviation):
    bands = []
    for method in _names.methods_of(rows):
        points = sorted(
            (row.attack_radius, getattr(row, mean), getattr(row, deviation) or 0.0)
            for row in rows
            if row.method == method and getattr(row, mean) is not None
        )
        if points:
            bands.append((method, *zip(*points, strict=True)))
    return bands


def _references(rows, measure):
    """The constant classifier and the ceiling: the same for every method."""
    attacks = sorted({row.attack_radius for row in rows})
    if measure == "accuracy":
        wanted = {"constant answer": "constant_mean", "ceiling for any classifier": "ceiling_mean"}
        lines = []
    else:
        wanted = {"ceiling for any classifier": "balanced_ceiling_mean"}
        share = 10.0 if rows[0].dataset == "digits10" else 50.0
        lines = [("constant answer", _curves.CONSTANT, attacks, [share] * len(attacks))]
    for label, name in wanted.items():
        found = {r.attack_radius: getattr(r, name) for r in rows if getattr(r, name) is not None}
        style = _curves.CONSTANT if name == "constant_mean" else _curves.CEILING
        if found:
            lines.append((label, style, sorted(found), [found[x] for x in sorted(found)]))
    return lines
