"""The tables of docs/reproduction.md are those of the run in docs/reproduction/."""

import csv
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "reproduction.md").read_text()
DATASETS = {"Gaussian": "gaussian", "BCW": "bcw", "Digits(3)": "digits3", "Digits(7)": "digits7"}


def rows_of(name):
    with (DOCS / "reproduction" / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def table_after(words):
    """(heads, {first cell: other cells}) of the first table after these words."""
    lines = PAGE[PAGE.index(words) :].splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("|"))
    cells = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        cells.append([cell.strip().replace("*", "") for cell in line.split("|")[1:-1]])
    heads, _, *rows = cells
    return heads[1:], {row[0]: row[1:] for row in rows}


def place_of(head):
    """('gaussian', 'l2') of "Gaussian l2", with l2 as the default."""
    name, _, norm = head.partition(" ")
    return DATASETS[name], norm or "l2"


def test_equal_cells():
    heads, rows = table_after("Over the number of planes")
    counts = {
        (row["table"], row["dataset"], row["norm"], row["method"]): row
        for row in rows_of("comparison_summary")
        if row["mode"] == "as_published"
    }
    checked = 0
    for method, cells in rows.items():
        for head, cell in zip(heads, cells, strict=True):
            if head == "of" or not cell:
                continue
            row = counts[("accuracy", *place_of(head), method)]
            assert cell == f"{row['n_equal']} / {row['n_within_one']}", f"{method}, {head}"
            checked += 1
    assert checked == 20
    for table, words in (
        ("accuracy", "**As published: {n_equal} of {n_cells} cells equal, {n_within_one} within one test point.**"),
        ("k_development", "{n_equal} of {n_cells} equal, {n_within_one} within one"),
    ):
        assert words.format(**counts[table, "all", "all", "all"]) in " ".join(PAGE.split())


def test_stability():
    heads, rows = table_after("Smallest and greatest mean")
    modes = {"published": "published", "as published": "as_published", "corrected": "corrected"}
    found = {
        (row["mode"], row["dataset"], row["norm"], row["method"]): row
        for row in rows_of("stability")
        if row["measure"] == "accuracy"
    }
    checked = 0
    for method, cells in rows.items():
        dataset = ""
        for head, cell in zip(heads, cells, strict=True):
            word = re.match(r"(Digits\(\d\))? ?(.*)", head)
            dataset = word[1] or dataset
            if not cell:
                continue
            row = found[modes[word[2]], DATASETS[dataset], "l2", method]
            assert cell == f"{float(row['least']):.1f} - {float(row['greatest']):.1f}", f"{method}, {head}"
            checked += 1
    assert checked == 22


def test_random_splits():
    heads, rows = table_after("Ten random splits, the defence radius")
    splits = {}
    for row in rows_of("splits_summary"):
        splits.setdefault((row["dataset"], row["norm"], row["method"]), []).append(row)

    def mean(head, method, name):
        values = [float(row[name]) for row in splits[(*place_of(head), method)]]
        return sum(values) / len(values)

    for method, cells in rows.items():
        for head, cell in zip(heads, cells, strict=True):
            if method == "constant answer":
                assert cell == f"{mean(head, 'RO-SVM', 'constant_mean'):.1f} / 50"
            elif method == "ceiling":
                assert cell == f"{mean(head, 'RO-SVM', 'ceiling_mean'):.1f}"
            else:
                accuracy, balanced = (mean(head, method, f"{name}_mean") for name in ("accuracy", "balanced"))
                shown = [float(number) for number in cell.split(" / ")]
                assert shown == pytest.approx([accuracy, balanced], abs=0.0501), f"{method}, {head}"
    under_linf = [mean("Gaussian linf", method, "accuracy_mean") for _, norm, method in splits if norm == "linf"]
    assert f"between {min(under_linf):.1f} and {max(under_linf):.1f} %" in PAGE


def test_training_times():
    heads, rows = table_after("Times are complete trainings")
    ratios = {}
    for row in rows_of("speedup"):
        if row["ratio"] and row["mode"] == "corrected":
            ratios.setdefault((row["dataset"], row["method"]), []).append(float(row["ratio"]))
    for name, cells in rows.items():
        for method, cell in zip(heads, cells, strict=True):
            least, greatest = min(ratios[DATASETS[name], method]), max(ratios[DATASETS[name], method])
            assert cell == f"{least:.0f} - {greatest:.0f}", f"{name}, {method}"
    gaussian = ratios["gaussian", "Ens-E"]
    assert f"Ens-E is {min(gaussian):.0f} to {max(gaussian):.0f} times faster" in PAGE


def test_constant_answers():
    constant = {row["dataset"]: float(row["constant_accuracy"]) for row in rows_of("datasets")}
    assert f"the constant answer ({constant['digits3']:.1f} %)" in PAGE
