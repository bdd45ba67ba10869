"""The CSV files of a run, read into plain rows, with errors that name file and line."""

import csv
import json
import math
from collections import namedtuple
from dataclasses import dataclass, field
from pathlib import Path

from redoubt._core import ParseError
from redoubt.report import _names

__all__ = ["Results", "read_results"]


class _Bad(Exception):
    """What is wrong with one cell."""


def _text(cell):
    if not cell:
        raise _Bad("expected a text, got nothing")
    return cell


def _any_text(cell):
    return cell


def _number(cell):
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise _Bad(f"expected a number, got {cell!r}")
    return value


def _maybe_number(cell):
    return _number(cell) if cell else None


def _count(cell):
    try:
        return int(cell)
    except ValueError:
        raise _Bad(f"expected an integer, got {cell!r}") from None


def _maybe_count(cell):
    return _count(cell) if cell else None


def _flag(cell):
    if cell not in ("", "0", "1"):
        raise _Bad(f"expected 0 or 1, got {cell!r}")
    return cell == "1"


def _one_of(*known):
    def read(cell):
        if cell not in known:
            raise _Bad(f"expected one of {', '.join(known)}, got {cell!r}")
        return cell

    return read


_MODE = _one_of(*_names.MODES)
_NORM = _one_of(*_names.NORMS)
_TABLE = _one_of("accuracy", "k_development")
_OWN = _one_of("as_published", "corrected")
_CELL = {"dataset": _text, "norm": _NORM, "method": _text}

# For each file: how to read each column, and the columns that tell one row from another.
_FILES = {
    "datasets": (
        {
            "dataset": _text,
            "n_samples": _count,
            "n_features": _count,
            "n_train": _count,
            "n_test": _count,
            "n_positive_train": _count,
            "n_positive_test": _count,
            "constant_accuracy": _number,
        },
        ("dataset",),
    ),
    "accuracy": (
        {
            "mode": _MODE,
            **_CELL,
            "defense_radius": _number,
            "attack_radius": _number,
            "accuracy": _number,
            "balanced_accuracy": _maybe_number,
            "is_best": _flag,
        },
        ("mode", "dataset", "norm", "method", "defense_radius", "attack_radius"),
    ),
    "comparison": (
        {
            "mode": _OWN,
            "table": _TABLE,
            **_CELL,
            "defense_radius": _maybe_number,
            "attack_radius": _maybe_number,
            "k": _maybe_count,
            "published": _number,
            "own": _number,
            "n_points": _count,
            "verdict": _one_of(*_names.VERDICTS),
            "explanation": _any_text,
            "evidence": _one_of("", "shown", "between", "open"),
        },
        ("mode", "table", "dataset", "norm", "method", "defense_radius", "attack_radius", "k"),
    ),
    "comparison_summary": (
        {
            "mode": _OWN,
            "table": _one_of("accuracy", "k_development", "all"),
            "dataset": _text,
            "norm": _one_of(*_names.NORMS, "all"),
            "method": _text,
            "n_cells": _count,
            "n_equal": _count,
            "n_within_one": _count,
            "n_different": _count,
        },
        ("mode", "table", "dataset", "norm", "method"),
    ),
    "k_development": (
        {
            "mode": _MODE,
            **_CELL,
            "defense_radius": _maybe_number,
            "k": _count,
            "accuracy": _number,
            "balanced_accuracy": _maybe_number,
        },
        ("mode", "dataset", "norm", "method", "defense_radius", "k"),
    ),
    "training_time": (
        {"mode": _MODE, **_CELL, "defense_radius": _number, "seconds": _number},
        ("mode", "dataset", "norm", "method", "defense_radius"),
    ),
    "speedup": (
        {
            "mode": _OWN,
            **_CELL,
            "defense_radius": _number,
            "published_seconds": _number,
            "own_seconds": _number,
            "ratio": _maybe_number,
        },
        ("mode", "dataset", "norm", "method", "defense_radius"),
    ),
    "stability": (
        {
            "mode": _MODE,
            **_CELL,
            "measure": _one_of("accuracy", "balanced_accuracy"),
            "least": _number,
            "greatest": _number,
            "spread": _number,
            "best_radius": _maybe_number,
        },
        ("mode", "dataset", "norm", "method", "measure"),
    ),
    "ceiling": (
        {
            "dataset": _text,
            "norm": _NORM,
            "attack_radius": _number,
            "accuracy": _number,
            "balanced_accuracy": _maybe_number,
        },
        ("dataset", "norm", "attack_radius"),
    ),
    "errata": ({"erratum": _text, "title": _any_text, "evidence": _any_text}, ("erratum",)),
    "splits": (
        {
            **_CELL,
            "split": _count,
            "chosen_radius": _maybe_number,
            "attack_radius": _number,
            "accuracy": _number,
            "balanced_accuracy": _maybe_number,
        },
        ("dataset", "norm", "method", "split", "attack_radius"),
    ),
    "splits_summary": (
        {
            **_CELL,
            "attack_radius": _number,
            "accuracy_mean": _number,
            "accuracy_deviation": _maybe_number,
            "balanced_mean": _maybe_number,
            "balanced_deviation": _maybe_number,
            "constant_mean": _maybe_number,
            "ceiling_mean": _maybe_number,
            "balanced_ceiling_mean": _maybe_number,
        },
        ("dataset", "norm", "method", "attack_radius"),
    ),
}
# Ours, and not of `redoubt reproduce`: python -m redoubt.report.ten_digits.
_FILES["ten_digits"] = _FILES["splits_summary"]
# These may be left out, and are then empty in every row.
_OPTIONAL = {
    "k_development": ("defense_radius",),
    "splits_summary": ("balanced_ceiling_mean",),
    "ten_digits": ("ceiling_mean", "balanced_ceiling_mean"),
}
_REQUIRED = ("datasets", "accuracy")


@dataclass(frozen=True)
class Results:
    """All rows of a run: for each file a list of named tuples, empty where there is no file."""

    run: dict
    datasets: list
    accuracy: list
    comparison: list = field(default_factory=list)
    comparison_summary: list = field(default_factory=list)
    k_development: list = field(default_factory=list)
    training_time: list = field(default_factory=list)
    speedup: list = field(default_factory=list)
    stability: list = field(default_factory=list)
    ceiling: list = field(default_factory=list)
    errata: list = field(default_factory=list)
    splits: list = field(default_factory=list)
    splits_summary: list = field(default_factory=list)
    ten_digits: list = field(default_factory=list)


def read_results(folder):
    """Return the Results in a folder."""
    folder = Path(folder)
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder}: no such folder")
    tables = {}
    for name, (columns, key) in _FILES.items():
        path = folder / f"{name}.csv"
        if path.is_file():
            tables[name] = _read_rows(path, name, columns, key)
        elif name in _REQUIRED:
            raise FileNotFoundError(f"{path}: missing; is {folder} what `redoubt reproduce` wrote?")
    return Results(run=_read_run(folder / "run.json"), **tables)


def _read_rows(path, name, columns, key):
    row_type = namedtuple(name, columns)
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            lines = csv.reader(stream, strict=True)
            header = next(lines, None)
            if header is None:
                raise ParseError(f"{path}, line 1: expected a header, got an empty file")
            needed = [each for each in columns if each not in _OPTIONAL.get(name, ())]
            missing = [each for each in needed if each not in header]
            if missing:
                raise ParseError(f"{path}, line 1: column {missing[0]} is missing")
            place = [header.index(each) if each in header else None for each in columns]
            rows, seen = [], {}
            for cells in lines:
                where = f"{path}, line {lines.line_num}"
                if len(cells) != len(header):
                    raise ParseError(f"{where}: expected {len(header)} cells, got {len(cells)}")
                chosen = ["" if i is None else cells[i] for i in place]
                row = row_type(*_read_cells(where, columns, chosen))
                _check_new(seen, tuple(getattr(row, each) for each in key), lines.line_num, where)
                rows.append(row)
    except csv.Error as error:
        raise ParseError(f"{path}, line {lines.line_num}: {error}") from None
    except UnicodeDecodeError as error:
        raise ParseError(f"{path}: expected UTF-8, got {error.reason}") from None
    return rows


def _read_cells(where, columns, cells):
    for (column, read), cell in zip(columns.items(), cells, strict=True):
        try:
            yield read(cell)
        except _Bad as bad:
            raise ParseError(f"{where}, column {column}: {bad}") from None


def _check_new(seen, key, line, where):
    if key in seen:
        raise ParseError(f"{where}: the same cell as line {seen[key]}")
    seen[key] = line


def _read_run(path):
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{path}: missing; is {path.parent} what `redoubt reproduce` wrote?"
        ) from None
    except json.JSONDecodeError as error:
        raise ParseError(f"{path}, line {error.lineno}: {error.msg}") from None
    except UnicodeDecodeError as error:
        raise ParseError(f"{path}: expected UTF-8, got {error.reason}") from None
    if not isinstance(run, dict):
        raise ParseError(f"{path}, line 1: expected an object, got {type(run).__name__}")
    return run
