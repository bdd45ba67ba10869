"""python -m redoubt.report DIR, and python -m redoubt.report MODEL.json DATA.csv"""

import argparse
import csv
import sys
from pathlib import Path

import redoubt
from redoubt.report import write_model_report, write_report


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="python -m redoubt.report",
        description="Make one HTML page: about what `redoubt reproduce --out DIR` has written, or "
        "about how robust the answers of a model file are on a table.",
        epilog="Examples: python -m redoubt.report results; "
        "python -m redoubt.report model.json new.csv --label paid --out page.html",
    )
    parser.add_argument(
        "source", metavar="DIR|MODEL", help="what `redoubt reproduce` has written, or a model file"
    )
    parser.add_argument("data", metavar="DATA", nargs="?", help="with a model file: a CSV file")
    parser.add_argument(
        "--out", metavar="FILE", help="the page; default: report.html, in DIR if there is one"
    )
    parser.add_argument("--figures", metavar="DIR", help="write every figure as .svg and .png too")
    model = parser.add_argument_group("for a model file")
    model.add_argument("--label", metavar="NAME", help="the column of labels, if there is one")
    model.add_argument("--attack-model", metavar="FILE", help="default: that of the model file")
    model.add_argument(
        "--rows", metavar="N", type=int, help="explain this many rows, those easiest to change; default: 10"
    )
    options = parser.parse_args(arguments)
    try:
        path = _report(options)
    except (ImportError, OSError, ValueError) as error:
        print(f"redoubt.report: {error}", file=sys.stderr)
        return 2
    print(path)
    return 0


def _report(options):
    of_model = ("label", "attack_model", "rows")
    if options.data is None:
        for name in of_model:
            if getattr(options, name) is not None:
                raise ValueError(f"--{name.replace('_', '-')}: only for MODEL DATA")
        if Path(options.source).is_file():
            raise ValueError(f"{options.source}: specify a CSV file after the model file")
        return write_report(options.source, options.out, options.figures)
    if options.figures is not None:
        raise ValueError("--figures: only for DIR")
    table = _read_texts(options.data)
    y = None
    if options.label is not None:
        if options.label not in table:
            raise ValueError(f"--label: {options.data} has no column {options.label!r}")
        y = table.pop(options.label)
    rules = options.attack_model
    return write_model_report(
        redoubt.load_model(options.source),
        table,
        y,
        options.out or "report.html",
        n_rows=10 if options.rows is None else options.rows,
        title=f"How robust the answers of {Path(options.source).name} are",
        attack_model=None if rules is None else redoubt.AttackModel.from_json(rules),
    )


def _read_texts(path):
    """The fields of a CSV file as they stand: the model reads them as the program does."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("a table needs pandas: pip install pandas") from None
    try:
        return pd.read_csv(path, sep=None, engine="python", dtype=str, keep_default_na=False)
    except csv.Error as error:
        raise ValueError(f"{path}: not a table of CSV: {error}") from None


if __name__ == "__main__":
    sys.exit(main())
