"""The page: sections, contents, and the frame around them."""

import platform
from datetime import datetime, timezone

import matplotlib as mpl
import numpy as np
import sklearn

import redoubt
from redoubt.report import _names, _tables, _verdict
from redoubt.report._concept_figures import add_heuristic_example, add_one_against_three
from redoubt.report._heatmaps import BASELINE, add_heatmaps
from redoubt.report._html import Html, join, tag
from redoubt.report._k_development import USUAL_RADIUS, add_k_development
from redoubt.report._look import CSS
from redoubt.report._splits import add_splits
from redoubt.report._stability import add_stability
from redoubt.report._times import add_times
from redoubt.report._trade_off import add_trade_off

__all__ = ["frame_page", "make_page"]

_TITLE = "Robust votes of planes: the paper and the rerun"
_SUBTITLE = (
    "The experiments of J. Kurtz, Ensemble Methods for Robust Support Vector Machines using "
    "Integer Programming, beside what redoubt reproduce computes from the same data, split and "
    "bags."
)


def make_page(results, gallery):
    """Return the whole page as text."""
    made = [
        section for section in (make(results, gallery) for make in _SECTIONS) if section is not None
    ]
    return frame_page(_TITLE, _SUBTITLE, made)


def frame_page(title, subtitle, made):
    """A page of sections: (anchor, title, body) each."""
    contents = tag(
        "nav",
        tag("h2", "Contents", id="contents-title"),
        tag("ol", [tag("li", tag("a", name, href=f"#{anchor}")) for anchor, name, _ in made]),
        aria_labelledby="contents-title",
    )
    sections = [tag("section", tag("h2", name), body, id=anchor) for anchor, name, body in made]
    head = join(
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Html(CSS)),
    )
    top = tag("header", tag("h1", title), tag("p", subtitle))
    body = join(top, tag("div", contents, tag("main", sections), class_="frame"))
    return "<!DOCTYPE html>\n" + tag("html", tag("head", head), tag("body", body), lang="en") + "\n"


def _anchor(section, pair):
    return _names.slug(section, *pair)


def _by_pair(section, title, intro, blocks):
    """A section with a part for each data set and norm; None if there is none."""
    blocks = [(pair, parts) for pair, parts in blocks if any(part is not None for part in parts)]
    if not blocks:
        return None
    links = [
        tag("a", _names.pair_text(*pair), href=f"#{_anchor(section, pair)}") for pair, _ in blocks
    ]
    jumps = tag("p", [join(link, " ") for link in links], class_="jumps") if links[1:] else None
    parts = [
        join(tag("h3", _names.pair_text(*pair), id=_anchor(section, pair)), content)
        for pair, content in blocks
    ]
    return section, title, join(intro, jumps, parts)


def _figures(figures):
    return tag("div", figures, class_="figures") if figures else None


def _verdict_section(results, _gallery):
    tables = _verdict.summary_tables(results)
    summary = results.run.get("summary")
    if not tables and not summary:
        return None
    intro = tag(
        "p",
        "Every cell that the paper prints is compared with our rerun of the published choices, on "
        "the published split. One test point is the smallest difference there can be.",
    )
    details = (_verdict.explanation_table(results), _verdict.unexplained_table(results))
    lead = None if not summary else tag("p", _names.sentence(str(summary)), ".", class_="lead")
    return "verdict", "The verdict", join(lead, intro, _verdict.legend(), tables, *details)


def _data_section(results, _gallery):
    note = tag(
        "p",
        "The constant answer is the accuracy of the classifier that gives every point the more "
        "frequent class: no attack can harm it. Balanced accuracy gives it 50 %.",
    )
    return "data", "Data sets", join(_tables.data_table(results), note)


def _concepts_section(_results, gallery):
    balls, vote_text = add_one_against_three(gallery)
    step, step_text = add_heuristic_example(gallery)
    body = join(
        tag("h3", "One plane against three"),
        tag("p", vote_text),
        _figures(balls),
        tag("h3", "The heuristic adversary"),
        tag("p", step_text),
        _figures([step]),
    )
    return "ideas", "Two ideas", body


def _accuracy_section(results, _gallery):
    intro = tag(
        "p",
        "Columns: methods and the defence radii they were trained with. Rows: attack radii. Point "
        "at a cell for the verdict in words.",
    )
    blocks = [
        (pair, (_tables.accuracy_table(results, pair), _tables.corrected_table(results, pair)))
        for pair in _names.pairs_of(results.accuracy)
    ]
    return _by_pair("accuracy", "Accuracy tables", join(intro, _verdict.legend()), blocks)


def _heatmap_section(results, gallery):
    intro = tag(
        "p",
        f"Accuracy minus that of {BASELINE} in percentage points. Orange is worse, purple is "
        "better. All maps of one data set and norm share their colours.",
    )
    blocks = [
        (pair, (_figures(add_heatmaps(results, pair, gallery)),))
        for pair in _names.pairs_of(results.accuracy)
    ]
    return _by_pair("heatmaps", f"Difference to {BASELINE}", intro, blocks)


def _trade_off_section(results, gallery):
    intro = tag(
        "p",
        "Each method at the defence radius r with the best mean over the attack radii. That radius "
        "is chosen on the test points, as in the paper. No classifier can pass the ceiling: beyond "
        "it, balls of points of opposite classes meet.",
    )
    blocks = [
        (pair, (_figures(add_trade_off(results, pair, gallery)),))
        for pair in _names.pairs_of(results.accuracy)
    ]
    return _by_pair("trade-off", "Trade-off curves", intro, blocks)


def _growth_section(results, gallery):
    intro = tag(
        "p",
        f"Accuracy over the number of planes, at attack radius 0.75 and, where the legend says no "
        f"other, defence radius {USUAL_RADIUS:g}. The paper's captions say attack radius 1.0, "
        "which is a slip.",
    )
    rows = [*results.k_development, *(r for r in results.comparison if r.table == "k_development")]
    blocks = [
        (
            pair,
            (
                _figures(add_k_development(results, pair, gallery)),
                _verdict.growth_table(results, pair),
            ),
        )
        for pair in _names.pairs_of(rows)
    ]
    return _by_pair("growth", "Growth with k", intro, blocks)


def _time_section(results, gallery):
    intro = tag(
        "p",
        "The machine of the published times is unknown, so a ratio says something of the size, not "
        "of the digits. The paper prints one digit behind the point: hollow marks stand for a "
        "printed 0.0, drawn at 0.05 s, and have no ratio.",
    )
    blocks = [
        (
            pair,
            (_figures(add_times(results, pair, gallery)), _tables.time_tables(results, pair)),
        )
        for pair in _names.pairs_of(results.training_time)
    ]
    return _by_pair("times", "Training times", intro, blocks)


def _stability_section(results, gallery):
    intro = tag(
        "p",
        "The paper's main claim: the accuracy of robust votes moves little with the defence "
        "radius. Each line goes from the least to the greatest mean accuracy over the defence "
        "radii; the number on its right is its length. Short is stable.",
    )
    blocks = [
        (
            pair,
            (
                _figures(add_stability(results, pair, gallery)),
                _tables.stability_table(results, pair),
            ),
        )
        for pair in _names.pairs_of(results.stability)
    ]
    return _by_pair("stability", "Stability", intro, blocks)


def _splits_section(results, gallery):
    count = len({row.split for row in results.splits})
    number = f"{count} random splits" if count else "Random splits"
    intro = tag(
        "p",
        f"{number}, with the defence radius chosen by validation. Lines are means, bands one "
        "deviation to either side.",
    )
    blocks = [
        (pair, (_figures(add_splits(results.splits_summary, pair, gallery)),))
        for pair in _names.pairs_of(results.splits_summary)
    ]
    return _by_pair("splits", "Random splits", intro, blocks)


def _ten_digits_section(results, gallery):
    intro = tag(
        "p",
        "Not in the paper: all ten digits at once, one class against nine. Certified accuracy is the "
        "share of test points that no attack of this radius makes wrong, from one exact certificate "
        "each. RO-SVM and Ens-C choose their radius within the training part; lines are means, bands "
        "one deviation to either side.",
    )
    blocks = [
        (pair, (_figures(add_splits(results.ten_digits, pair, gallery)),))
        for pair in _names.pairs_of(results.ten_digits)
    ]
    return _by_pair("ten-digits", "Our own addition: all ten digits", intro, blocks)


def _errata_section(results, _gallery):
    if not results.errata:
        return None
    items = [
        join(
            tag(
                "dt", tag("b", row.erratum), " ", row.title, id=_names.slug("erratum", row.erratum)
            ),
            tag("dd", row.evidence),
        )
        for row in results.errata
    ]
    return "errata", "Errata of the paper", tag("dl", items)


def _machine_section(results, _gallery):
    run = results.run
    machine = run.get("machine")
    machine = machine if isinstance(machine, dict) else {}
    spent = run.get("seconds")
    spent = spent if isinstance(spent, dict) else {}
    facts = [
        ("Processor", machine.get("processor")),
        ("Threads", machine.get("threads")),
        ("System", machine.get("system")),
        ("Compiler", run.get("compiler")),
        ("redoubt, the numbers", run.get("redoubt")),
        ("Command", run.get("options")),
        *((f"Time, {name.replace('_', ' ')}", _duration(value)) for name, value in spent.items()),
        ("redoubt, this page", redoubt.__version__),
        ("Python", platform.python_version()),
        ("NumPy", np.__version__),
        ("scikit-learn", sklearn.__version__),
        ("matplotlib", mpl.__version__),
        ("Page made", datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")),
    ]
    rows = [
        [tag("th", name, scope="row"), tag("td", value)]
        for name, value in facts
        if value not in (None, "")
    ]
    heads = _tables.head("what", "value")
    return (
        "machine",
        "Machine and versions",
        _tables.table("How it was made", [heads], rows, "words"),
    )


def _duration(value):
    return _names.seconds(value) if isinstance(value, (int, float)) else value


_SECTIONS = (
    _verdict_section,
    _data_section,
    _concepts_section,
    _accuracy_section,
    _heatmap_section,
    _trade_off_section,
    _time_section,
    _stability_section,
    _growth_section,
    _splits_section,
    _ten_digits_section,
    _errata_section,
    _machine_section,
)
