"""Tables of the page: each scrolls in a box of its own."""

from redoubt.report import _names
from redoubt.report._html import join, tag

__all__ = [
    "EVIDENCE_TEXTS",
    "MARKS",
    "VERDICT_TEXTS",
    "accuracy_table",
    "cells",
    "corrected_table",
    "data_table",
    "head",
    "side",
    "stability_table",
    "table",
    "time_tables",
    "verdict_title",
]

# Not by colour alone.
MARKS = {"equal": "=", "one_point": "±1", "different": "≠"}
EVIDENCE_TEXTS = {
    "": "none",
    "shown": "another choice gives it",
    "between": "other choices enclose it",
    "open": "the row is left open",
}
VERDICT_TEXTS = {
    "equal": "equal",
    "one_point": "within one test point",
    "different": "different",
}


def table(caption, heads, rows, class_=None):
    """Rows of cells under rows of heads, with a caption, in a box that scrolls."""
    body = [tag("tr", row) for row in rows]
    inner = tag(
        "table",
        tag("caption", caption),
        tag("thead", [tag("tr", row) for row in heads]),
        tag("tbody", body),
        class_=class_,
    )
    return tag("div", inner, class_="scroll", role="region", aria_label=caption, tabindex="0")


def head(*texts):
    """Heads of columns."""
    return [tag("th", text, scope="col") for text in texts]


def side(text, **attributes):
    """The head of a row."""
    return tag("th", text, scope="row", **attributes)


def cells(*texts):
    return [tag("td", text) for text in texts]


def data_table(results):
    """The data sets."""
    rows = [
        [
            side(_names.dataset_text(row.dataset)),
            cells(
                row.n_samples,
                row.n_features,
                f"{row.n_train} ({row.n_positive_train})",
                f"{row.n_test} ({row.n_positive_test})",
                f"{_names.percent(row.constant_accuracy)} %",
            ),
        ]
        for row in results.datasets
    ]
    heads = head("data set", "points", "features", "training (+1)", "test (+1)", "constant answer")
    return table("Data sets; in brackets the points of class +1", [heads], rows)


def _columns(rows):
    """The pairs (method, defence radius), and the heads above them."""
    columns = []
    first, second = [tag("th", "attack radius", scope="col", rowspan="2")], []
    for method in _names.methods_of(rows):
        radii = sorted({row.defense_radius for row in rows if row.method == method})
        columns += [(method, radius) for radius in radii]
        first.append(tag("th", method, scope="colgroup", colspan=str(len(radii)), class_="group"))
        second += [
            tag(
                "th",
                _names.radius(radius) if radius else "—",
                scope="col",
                class_="group" if radius == radii[0] else None,
                title=f"{method}, defence radius {radius:g}" if radius else method,
            )
            for radius in radii
        ]
    return columns, [first, second]


def _starts(columns):
    """Which columns begin a method: they get a line on their left."""
    return {key for i, key in enumerate(columns) if i == 0 or columns[i - 1][0] != key[0]}


def accuracy_table(results, pair):
    """Published above, our rerun below, marked and coloured by the verdict."""
    rows = [
        row
        for row in results.accuracy
        if (row.dataset, row.norm) == pair and row.mode in ("published", "as_published")
    ]
    if not rows:
        return None
    found = {(r.mode, r.method, r.defense_radius, r.attack_radius): r for r in rows}
    verdicts = {
        (row.method, row.defense_radius, row.attack_radius): row
        for row in results.comparison
        if (row.mode, row.table) == ("as_published", "accuracy") and (row.dataset, row.norm) == pair
    }
    columns, heads = _columns(rows)
    starts = _starts(columns)
    body = []
    for attack in sorted({row.attack_radius for row in rows}):
        line = [side(_names.radius(attack))]
        for method, defence in columns:
            key = (method, defence, attack)
            line.append(
                _accuracy_cell(
                    found.get(("published", *key)),
                    found.get(("as_published", *key)),
                    verdicts.get(key),
                    (method, defence) in starts,
                )
            )
        body.append(line)
    caption = (
        f"{_names.pair_text(*pair)}: accuracy in percent, published above, our rerun as published "
        "below; bold: best of the row"
    )
    return table(caption, heads, body, "cells")


def _accuracy_cell(published, own, verdict, is_start):
    classes = ["group"] if is_start else []
    title = mark = None
    if verdict is not None:
        classes.append(verdict.verdict.replace("_", "-"))
        mark = tag("span", MARKS[verdict.verdict], class_="mark")
        title = verdict_title(verdict)
    parts = [_value(published, "top"), tag("br"), _value(own, "low"), mark]
    return tag("td", parts, class_=" ".join(classes) or None, title=title)


def verdict_title(row):
    """What the cell says, in words."""
    text = (
        f"published {_names.percent(row.published, 2)}, own {_names.percent(row.own, 2)}: "
        f"{VERDICT_TEXTS[row.verdict]}"
    )
    if row.n_points:
        points = "test point" if abs(row.n_points) == 1 else "test points"
        text += f" ({_names.signed(row.n_points)} {points})"
    if row.explanation:
        text += f"; {row.explanation}"
    return f"{text}: {EVIDENCE_TEXTS[row.evidence]}" if row.evidence else text


def _value(row, class_):
    if row is None:
        return tag("span", "·", class_=f"{class_} none")
    shown = _names.percent(row.accuracy)
    return tag("b" if row.is_best else "span", shown, class_=class_)


def corrected_table(results, pair):
    """Our corrected run: accuracy above, balanced accuracy below."""
    rows = [
        row
        for row in results.accuracy
        if (row.dataset, row.norm) == pair and row.mode == "corrected"
    ]
    if not rows:
        return None
    found = {(row.method, row.defense_radius, row.attack_radius): row for row in rows}
    columns, heads = _columns(rows)
    starts = _starts(columns)
    body = []
    for attack in sorted({row.attack_radius for row in rows}):
        line = [side(_names.radius(attack))]
        for key in columns:
            row = found.get((*key, attack))
            balanced = "" if row is None else _names.percent(row.balanced_accuracy)
            parts = [_value(row, "top"), tag("br"), tag("span", balanced, class_="low")]
            line.append(tag("td", parts, class_="group" if key in starts else None))
        body.append(line)
    caption = (
        f"{_names.pair_text(*pair)}: our corrected run in percent, accuracy above, balanced "
        "accuracy below; bold: best accuracy of the row"
    )
    return table(caption, heads, body, "cells")


def time_tables(results, pair):
    """For each mode: how many times faster, with both times; where nothing is published, ours."""
    rows = [row for row in results.training_time if (row.dataset, row.norm) == pair]
    published = {(r.method, r.defense_radius): r.seconds for r in rows if r.mode == "published"}
    made = []
    for mode in ("as_published", "corrected"):
        own = {(r.method, r.defense_radius): r.seconds for r in rows if r.mode == mode}
        ratios = {
            (row.method, row.defense_radius): row.ratio
            for row in results.speedup
            if (row.dataset, row.norm) == pair and row.mode == mode
        }
        if own:
            made.append(_time_table(pair, mode, published, own, ratios))
    return made or None


def _time_table(pair, mode, published, own, ratios):
    keys = set(published) | set(own)
    radii = sorted({radius for _, radius in keys})
    body = []
    for method in sorted({name for name, _ in keys}, key=_names.method_index):
        line = [side(method)]
        for radius in radii:
            key = (method, radius)
            line.append(_time_cell(published.get(key), own.get(key), ratios.get(key)))
        body.append(line)
    heads = head("method", *(_names.radius(each) if each else "no radius" for each in radii))
    caption = (
        f"{_names.pair_text(*pair)}, {_names.mode_text(mode)}: how many times faster, and the "
        "training times, published → own, over the defence radius"
    )
    return table(caption, [heads], body, "cells")


def _time_cell(published, own, ratio):
    if published is None and own is None:
        return tag("td")
    known = [
        None if published is None else f"{published:,.1f} s",
        None if own is None else _names.seconds(own),
    ]
    low = " → ".join("·" if text is None else text for text in known)
    if ratio is not None:
        top = tag("b", _names.times(ratio), class_="top")
    else:  # published as 0.0, or not at all
        top = tag("span", "" if published is None else "no ratio", class_="top none")
    return tag("td", top, tag("br"), tag("span", low, class_="low"))


def stability_table(results, pair):
    """Least and greatest mean, spread and best radius."""
    rows = [row for row in results.stability if (row.dataset, row.norm) == pair]
    if not rows:
        return None
    found = {(row.method, row.measure, row.mode): row for row in rows}
    panels = [
        (measure, mode)
        for measure in ("accuracy", "balanced_accuracy")
        for mode in _names.MODES
        if any((row.measure, row.mode) == (measure, mode) for row in rows)
    ]
    body = []
    for method in _names.methods_of(rows):
        line = [side(method)]
        line += [_stability_cell(found.get((method, *panel))) for panel in panels]
        body.append(line)
    texts = [
        join(_names.sentence(_names.measure_text(measure)), tag("br"), _names.mode_text(mode))
        for measure, mode in panels
    ]
    caption = (
        f"{_names.pair_text(*pair)}: spread of the mean over the defence radii, in percentage "
        "points; below, least to greatest mean, and the radius with the greatest"
    )
    return table(caption, [head("method", *texts)], body, "cells")


def _stability_cell(row):
    if row is None:
        return tag("td", tag("span", "·", class_="none"))
    low = f"{_names.percent(row.least)} to {_names.percent(row.greatest)}"
    if row.best_radius:
        low += f", r = {row.best_radius:g}"
    return tag(
        "td",
        tag("b", _names.percent(row.spread), class_="top"),
        tag("br"),
        tag("span", low, class_="low"),
    )
