"""The verdict: how many cells are equal, and what explains the others."""

from collections import Counter
from itertools import product

from redoubt.report import _names
from redoubt.report._html import tag
from redoubt.report._tables import (
    EVIDENCE_TEXTS,
    MARKS,
    VERDICT_TEXTS,
    cells,
    head,
    side,
    table,
    verdict_title,
)

__all__ = ["explanation_table", "growth_table", "legend", "summary_tables", "unexplained_table"]

_OTHER = {
    "tolerance": "the tolerance of the SVM solver",
    "rounding": "the last digits of the first plane",
    "unexplained": "nothing that was tried explains them",
}
_TABLE_TEXTS = {"accuracy": "Accuracy", "k_development": "Growth with k", "all": "All tables"}


def summary_tables(results):
    """One table for each mode and kind of cell, with a bar in every row."""
    made = []
    for mode, kind in product(_names.MODES, ("accuracy", "k_development", "all")):
        rows = [
            row
            for row in results.comparison_summary
            if (row.mode, row.table) == (mode, kind) and row.n_cells
        ]
        if rows:
            heads = head(
                "data set", "norm", "method", "cells", "equal", "within 1", "different", "shares"
            )
            caption = (
                f"{_TABLE_TEXTS[kind]}, {_names.mode_text(mode)}: cells against published ones"
            )
            made.append(table(caption, [heads], [_summary_row(row) for row in rows], "verdict"))
    return made


def _summary_row(row):
    return [
        side(_names.dataset_text(row.dataset)),
        cells(
            _names.norm_text(row.norm),
            row.method,
            row.n_cells,
            row.n_equal,
            row.n_within_one,
            row.n_different,
        ),
        tag("td", _bar(row)),
    ]


def _bar(row):
    """Equal, within one point and different, side by side; the numbers stand beside it."""
    parts = (
        ("equal", row.n_equal),
        ("one-point", row.n_within_one - row.n_equal),
        ("different", row.n_different),
    )
    total = max(sum(count for _, count in parts), 1)
    return tag(
        "div",
        [
            tag("span", class_=name, style=f"width:{100 * count / total:.2f}%")
            for name, count in parts
            if count > 0
        ],
        class_="bar",
        aria_hidden="true",
    )


def legend():
    """What the colours and marks of the cells mean."""
    return tag(
        "p",
        [
            tag("span", f"{MARKS[key]} {text}", class_=f"chip {key.replace('_', '-')}")
            for key, text in VERDICT_TEXTS.items()
        ],
        class_="chips",
    )


def explanation_table(results):
    """How many cells that are not equal each erratum explains."""
    counts = {}
    for row in results.comparison:
        if row.mode == "as_published" and row.verdict != "equal":
            key = (row.explanation or "unexplained", row.evidence)
            counts.setdefault(key, Counter())[row.verdict] += 1
    if not counts:
        return None
    titles = {row.erratum: row.title for row in results.errata} | _OTHER
    body = []
    for key, found in sorted(counts.items(), key=lambda item: -item[1].total()):
        errata, evidence = key
        meaning = "; ".join(titles[name] for name in errata.split() if name in titles)
        numbers = (found["one_point"], found["different"])
        body.append([side(errata), cells(EVIDENCE_TEXTS[evidence], *numbers, meaning)])
    heads = head("explanation", "evidence", "within one point", "different", "meaning")
    return table(
        "What explains the cells of the rerun as published that are not equal",
        [heads],
        body,
        "words",
    )


def unexplained_table(results):
    """The cells that nothing explains, one by one."""
    rows = [
        row
        for row in results.comparison
        if row.mode == "as_published" and row.explanation == "unexplained"
    ]
    if not rows:
        return None
    body = []
    for row in rows:
        where = f"k = {row.k}" if row.table == "k_development" else _radii(row)
        body.append(
            [
                side(_names.pair_text(row.dataset, row.norm)),
                cells(
                    row.method,
                    where,
                    _names.percent(row.published),
                    _names.percent(row.own),
                    _names.signed(row.n_points),
                ),
            ]
        )
    heads = head("data set", "method", "cell", "published", "own", "test points")
    caption = f"Cells that nothing explains ({len(rows)})"
    return tag("div", table(caption, [heads], body), class_="tall")


def _radii(row):
    attack = f"attack {row.attack_radius:g}"
    return f"defence {row.defense_radius:g}, {attack}" if row.defense_radius else attack


def growth_table(results, pair):
    """Published and own over k, marked like the accuracy tables."""
    rows = [
        row
        for row in results.comparison
        if (row.mode, row.table) == ("as_published", "k_development")
        and (row.dataset, row.norm) == pair
    ]
    if not rows:
        return None
    found = {(row.method, row.k): row for row in rows}
    counts = sorted({row.k for row in rows})
    body = []
    for method in _names.methods_of(rows):
        line = [side(method)]
        for k in counts:
            row = found.get((method, k))
            line.append(
                tag("td")
                if row is None
                else tag(
                    "td",
                    tag("span", _names.percent(row.published), class_="top"),
                    tag("br"),
                    tag("span", _names.percent(row.own), class_="low"),
                    tag("span", MARKS[row.verdict], class_="mark"),
                    class_=row.verdict.replace("_", "-"),
                    title=verdict_title(row),
                )
            )
        body.append(line)
    caption = (
        f"{_names.pair_text(*pair)}: accuracy in percent over k, published above, our rerun as "
        "published below"
    )
    return table(caption, [head("method", *counts)], body, "cells")
