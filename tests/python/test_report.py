"""The report: what the page says, of whole runs and of parts, and what the pictures show."""

import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from itertools import pairwise

import matplotlib as mpl

mpl.use("Agg")

import numpy as np
import pytest
from redoubt.report import write_report
from redoubt.report._canvas import Gallery
from redoubt.report._html import Html, join, tag
from redoubt.report._names import percent
from report_run import RUN, write_csv, write_run

pytestmark = pytest.mark.slow

PAIRS = (("gaussian", "l2"), ("bcw", "l2"))


class Page(HTMLParser):
    """What a test asks a page for."""

    EMPTY = frozenset({"br", "meta"})

    def __init__(self, text):
        super().__init__()
        self.stack, self.tables, self.ids, self.links, self.headings = [], [], [], [], []
        self.cells = []  # (text, title) of the data cells
        self.feed(text)
        self.close()
        assert self.stack == []

    def handle_starttag(self, name, attributes):
        attributes = dict(attributes)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        self.links += [attributes[key] for key in ("href", "src") if key in attributes]
        if name in ("h1", "h2", "h3"):
            self.headings.append([int(name[1]), ""])
        if name == "caption":
            self.tables.append("")
        if name == "td":
            self.cells.append(["", attributes.get("title")])
        if name not in self.EMPTY:
            self.stack.append(name)

    def handle_startendtag(self, name, attributes):
        self.handle_starttag(name, attributes)
        if name not in self.EMPTY:
            self.stack.pop()

    def handle_endtag(self, name):
        assert self.stack.pop() == name

    def handle_data(self, text):
        if "td" in self.stack:
            self.cells[-1][0] += text
        if "caption" in self.stack:
            self.tables[-1] += text
        if self.stack and self.stack[-1] in ("h1", "h2", "h3"):
            self.headings[-1][1] += text


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    tables = write_run(folder / "run", PAIRS)
    path = write_report(folder / "run", figures=folder / "figures")
    return folder, tables, path.read_text(encoding="utf-8")


# --- the page -----------------------------------------------------------------------------------


def test_the_page_has_all_sections_and_headings_in_order(made):
    page = Page(made[2])
    sections = [text for level, text in page.headings if level == 2]
    assert sections == [
        "Contents",
        "The verdict",
        "Data sets",
        "Two ideas",
        "Accuracy tables",
        "Difference to SVM-Ens",
        "Trade-off curves",
        "Training times",
        "Stability",
        "Growth with k",
        "Random splits",
        "Errata of the paper",
        "Machine and versions",
    ]
    levels = [level for level, _ in page.headings]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))


def test_every_link_stays_in_the_page_and_has_a_place(made):
    page = Page(made[2])
    assert len(page.ids) == len(set(page.ids))
    inner = [link for link in page.links if not link.startswith("data:")]
    assert inner
    assert all(link.startswith("#") and link[1:] in page.ids for link in inner)
    assert set(re.findall(r"url\(([^)]+)\)", made[2])) <= {f"#{name}" for name in page.ids}
    assert "http" not in made[2]


def test_every_compared_cell_is_in_the_page_with_its_verdict(made):
    _, tables, text = made
    found = [tuple(cell) for cell in Page(text).cells if cell[1] is not None]
    marks = {"equal": "=", "one_point": "±1", "different": "≠"}
    words = {"equal": "equal", "one_point": "within one test point", "different": "different"}
    assert len(found) == len(tables["comparison"])
    wanted = []
    for row in tables["comparison"]:
        shown = percent(row["published"]) + percent(row["own"]) + marks[row["verdict"]]
        title = f"published {row['published']:.2f}, own {row['own']:.2f}: {words[row['verdict']]}"
        off = row["n_points"]
        if off:
            sign = "\N{MINUS SIGN}" if off < 0 else "+"
            title += f" ({sign}{abs(off)} test point{'s' if abs(off) > 1 else ''})"
            title += f"; {row['explanation']}"
        if row["evidence"]:
            words_of = {"shown": "another choice gives it", "between": "other choices enclose it"}
            title += f": {words_of[row['evidence']]}"
        wanted.append((shown, title))
    assert sorted(found) == sorted(wanted)


def test_winners_of_a_row_are_bold(made):
    _, tables, text = made
    part = text[text.index('id="accuracy-gaussian-l2"') : text.index('id="accuracy-bcw-l2"')]
    rows = [
        row
        for row in tables["accuracy"]
        if (row["dataset"], row["norm"]) == ("gaussian", "l2") and row["is_best"]
    ]
    assert len(re.findall(r'<b class="(?:top|low)">', part)) == len(rows)


def test_corrected_values_times_and_stability_are_in_the_page(made):
    _, tables, text = made
    cells = [cell[0] for cell in Page(text).cells]
    for row in tables["accuracy"]:
        if row["mode"] == "corrected":
            assert percent(row["accuracy"]) + percent(row["balanced_accuracy"]) in cells
    for row in tables["speedup"]:
        ratio = f"{row['ratio']:,.0f}×" if row["ratio"] else "no ratio"
        start = f"{ratio}{row['published_seconds']:,.1f} s → "
        assert any(cell.startswith(start) for cell in cells)
    for row in tables["stability"]:
        start = f"{row['spread']:.1f}{row['least']:.1f} to {row['greatest']:.1f}"
        assert any(cell.startswith(start) for cell in cells)


def test_summary_machine_and_versions(made):
    text = made[2]
    assert RUN["summary"][1:] in text
    cells = [cell[0] for cell in Page(text).cells]
    for value in (RUN["machine"]["processor"], "GCC 12.2", np.__version__, "12.3 s"):
        assert value in cells


def test_what_comes_from_files_is_escaped(tmp_path):
    write_run(tmp_path, PAIRS[:1], splits=False)
    evil = '<script>alert("x")</script>'
    write_csv(tmp_path, "errata", [{"erratum": "E1", "title": evil, "evidence": "a & b"}])
    (tmp_path / "run.json").write_text(json.dumps(RUN | {"summary": evil, "options": evil}))
    for name in ("comparison", "comparison_summary", "accuracy", "stability", "training_time"):
        path = tmp_path / f"{name}.csv"
        path.write_text(
            path.read_text().replace("RO-SVM", '"<i>RO</i>"').replace("E6 E7", "'\"<u>")
        )
    text = write_report(tmp_path).read_text(encoding="utf-8")
    assert "<script" not in text
    assert "<i>" not in text
    assert "<u>" not in text
    assert "&lt;i&gt;RO&lt;/i&gt;" in text
    assert "a &amp; b" in text
    Page(text)


def test_tags():
    assert tag("p", "a<b", Html("<i>c</i>"), None, ["d", 1], class_="x", title='"') == (
        '<p class="x" title="&quot;">a&lt;b<i>c</i>d1</p>'
    )
    assert tag("th", aria_label="y", id=None) == '<th aria-label="y"></th>'
    assert join("&", tag("br")) == "&amp;<br>"


def test_the_verdict_on_the_corrected_run_stays_apart(tmp_path):
    tables = write_run(tmp_path, PAIRS[:1], splits=False)
    (tmp_path / "k_development.csv").unlink()
    for name in ("comparison", "comparison_summary"):
        rows = tables[name]
        others = [row | {"mode": "corrected"} for row in rows]
        if name == "comparison":
            for row in others:
                row.update(own=1.25, n_points=-30, verdict="different")
                row.update(explanation="", evidence="")
        write_csv(tmp_path, name, rows + others)
    page = Page(write_report(tmp_path).read_text(encoding="utf-8"))
    assert "Accuracy, own, as published: cells against published ones" in page.tables
    assert "Accuracy, own, corrected: cells against published ones" in page.tables
    titles = [title for _, title in page.cells if title]
    assert len(titles) == len(tables["comparison"])
    assert not any("own 1.25" in title for title in titles)


def test_the_page_tells_what_the_ideas_computed(made):
    text = made[2]
    assert "β = (11/30, 19/30)" in text
    assert "δ = (0.2577, 0.9662)" in text
    assert "Certified accuracy at radius 1: 0 of 3 points" in text
    assert "Certified accuracy at radius 1: 3 of 3 points" in text


# --- parts of a run -----------------------------------------------------------------------------


def test_the_least_run(tmp_path):
    write_run(tmp_path, PAIRS[:1])
    for path in tmp_path.glob("*.csv"):
        if path.stem not in ("accuracy", "datasets"):
            path.unlink()
    (tmp_path / "run.json").write_text("{}")
    page = Page(write_report(tmp_path).read_text(encoding="utf-8"))
    sections = [text for level, text in page.headings if level == 2]
    assert "Trade-off curves" in sections
    assert not {"The verdict", "Stability", "Training times", "Growth with k"} & set(sections)
    assert not any(title for _, title in page.cells)


def test_published_values_alone_and_no_baseline(tmp_path):
    tables = write_run(tmp_path, PAIRS[:1])
    kept = [
        row
        for row in tables["accuracy"]
        if row["mode"] == "published" and row["method"] != "SVM-Ens"
    ]
    write_csv(tmp_path, "accuracy", kept)
    text = write_report(tmp_path).read_text(encoding="utf-8")
    assert "our corrected run" not in text
    assert "Difference to SVM-Ens" not in text  # nothing to compare with


def test_unknown_data_sets_and_methods_are_shown_as_they_are(tmp_path):
    write_run(tmp_path, PAIRS[:1])
    for path in tmp_path.glob("*.csv"):
        path.write_text(path.read_text().replace("gaussian", "moons").replace("Ens-E", "Ens-X"))
    text = write_report(tmp_path).read_text(encoding="utf-8")
    assert "moons, ℓ₂" in text
    assert "Ens-X" in text


def test_only_zeros_and_equal_values_can_be_drawn(tmp_path):
    tables = write_run(tmp_path, PAIRS[:1])
    for row in tables["accuracy"]:
        row["accuracy"] = 0.0
    for row in tables["training_time"]:
        row["seconds"] = 0.0
    write_csv(tmp_path, "accuracy", tables["accuracy"])
    write_csv(tmp_path, "training_time", tables["training_time"])
    write_report(tmp_path)


# --- files --------------------------------------------------------------------------------------


def test_figures_are_written_as_files(made):
    folder, _, text = made
    svg = {path.stem for path in (folder / "figures").glob("*.svg")}
    png = {path.stem for path in (folder / "figures").glob("*.png")}
    assert svg == png
    assert len(svg) == text.count("<svg ")
    assert {
        "concept-heuristic-adversary",
        "heatmap-bcw-l2-corrected",
        "trade-off-gaussian-l2-corrected-balanced-accuracy",
        "k-development-gaussian-l2-published-accuracy",
        "training-time-gaussian-l2-published",
        "stability-bcw-l2-accuracy",
        "splits-gaussian-l2-accuracy",
    } <= svg
    drawing = (folder / "figures" / "heatmap-bcw-l2-corrected.svg").read_text()
    assert "var(--" not in drawing


def test_every_figure_says_what_it_shows(made):
    text = made[2]
    figures = re.findall(r"<svg .*?</svg>", text, flags=re.DOTALL)
    for figure in figures:
        named = re.search(r'role="img" aria-labelledby="(\w+) (\w+)"', figure)
        title = re.search(rf'<title id="{named[1]}">([^<]+)</title>', figure)
        description = re.search(rf'<desc id="{named[2]}">([^<]+)</desc>', figure)
        assert len(title[1]) > 10
        assert len(description[1]) > 30
    titles = re.findall(r"<title id=[^>]*>([^<]+)<", text)
    assert len(set(titles)) == len(titles) == len(figures)


def test_names_of_figures_are_given_once():
    gallery = Gallery()
    with gallery.look():
        figure = mpl.figure.Figure()
        gallery.add(figure, "one", "title", "description")
        with pytest.raises(ValueError, match="one is taken"):
            gallery.add(figure, "one", "title", "description")


def test_the_command(tmp_path):
    write_run(tmp_path / "run", PAIRS[:1], splits=False)
    (tmp_path / "run" / "k_development.csv").unlink()
    command = [sys.executable, "-m", "redoubt.report", "run", "--out", "page.html"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "page.html\n"
    assert done.stderr == ""
    Page((tmp_path / "page.html").read_text(encoding="utf-8"))
    shutil.rmtree(tmp_path / "run")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "redoubt.report: run: no such folder\n"


def test_missing_matplotlib_is_told(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"redoubt.report needs matplotlib: pip install"):
        write_report(tmp_path)
