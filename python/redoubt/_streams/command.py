"""``python -m redoubt.stream``: streams from the shell."""

import argparse
import os
import sys
import warnings


def main(functions, arguments=None):
    """Run one of the functions, by its name; returns 0, 1 if stopped, 2 for bad input."""
    options = vars(_parser().parse_args(arguments))
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: _say(options["quiet"], _named(message))
        return _run(functions, dict(options))


def _run(functions, options):
    command, source = options.pop("command"), options.pop("DATA")
    quiet = options.pop("quiet")
    if quiet:
        options["progress"] = False
    model = options.pop("MODEL")
    if "threads" in options:
        options["n_jobs"] = options.pop("threads") or -1
    try:
        if command == "evaluate":
            curve = functions["evaluate"](source, model, options.pop("radii"), **options)
            columns = (curve.radii, curve.accuracy, curve.balanced_accuracy, curve.undecided)
            lines = [",".join(repr(float(value)) for value in row) for row in zip(*columns)]
            if not _print(["radius,accuracy,balanced_accuracy,undecided", *lines]):
                return 1
            _say(quiet, "the ceiling is left out: it compares all points with each other")
            return 0
        found = functions[command](source, model, **options)
    except KeyboardInterrupt:
        out = options.get("out")
        kept = ""
        if out is not None and os.path.isdir(f"{out}.parts"):
            kept = f"; finished parts are in {out}.parts, run again with --resume to continue"
        print(f"redoubt.stream: stopped{kept}", file=sys.stderr)
        return 1
    except (ValueError, TypeError, OSError, ImportError, NotImplementedError) as error:
        print(_named(error), file=sys.stderr)
        return 2
    rate = found.n_rows / max(found.seconds, 1e-9)
    before = f" after {found.n_rows_resumed:,} finished before" if found.n_resumed else ""
    _say(
        quiet,
        f"{found.n_rows:,} rows{before} in {found.seconds:.3g} s ({rate:,.0f}/s): {found.out}",
    )
    return 0


def _named(message):
    return f"redoubt.stream: {' '.join(str(message).split())}"


def _print(lines):
    """False if nobody reads them any more, as behind `| head`: no reason for a message."""
    try:
        print(*lines, sep="\n", flush=True)
    except BrokenPipeError:
        # Python writes what is left at its end, and would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return False
    return True


def _say(quiet, text):
    if not quiet:
        print(text, file=sys.stderr)


def _parser():
    parser = argparse.ArgumentParser(prog="python -m redoubt.stream", description=(
        "Certify, predict, attack or evaluate files of rows that do not fit in memory."
    ))  # fmt: skip
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    told = {
        "predict": "the model's answer to every row",
        "certify": "how far each row can move",
        "attack": "the worst within a radius of each row",
        "evaluate": "accuracy under attack",
    }
    for name, text in told.items():
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("MODEL", help="a model file")
        command.add_argument("DATA", nargs="+", help="*.parquet, *.arrow, *.csv, or folders")
        _add_options(command, name)
    return parser


def _add_options(command, name):
    is_curve = name == "evaluate"
    command.add_argument("--out", required=not is_curve, metavar="FILE",
                         help="output: Parquet, Arrow or CSV, by its extension")  # fmt: skip
    command.add_argument("--resume", action="store_true", help="continue an interrupted run")
    command.add_argument("--progress", action="store_true", default=None,
                         help="show progress even if standard error is not a terminal")  # fmt: skip
    command.add_argument("--quiet", action="store_true", help="print errors only")
    if not is_curve:
        command.add_argument("--keep", default=[], type=lambda text: text.split(","),
                             metavar="COLUMN,..", help="columns of the input to copy to the output")  # fmt: skip
    if name == "predict":
        return
    command.add_argument("--label", required=is_curve, metavar="COLUMN", help="the column of labels")
    command.add_argument("--norm", choices=("l1", "l2", "linf"), help="the adversary's norm (default: the model's)")
    command.add_argument("--threads", type=int, default=0, help="number of threads; 0 uses every core (default)")
    if name == "certify":
        command.add_argument("--witness", action="store_true",
                             help="add the nearest row with another answer")  # fmt: skip
    elif name == "attack":
        command.add_argument("--radius", type=_number_or_name, required=True,
                             help="the adversary's radius: a number, or a column")  # fmt: skip
        command.add_argument("--moved", action="store_true", help="add the attacked row")
    else:
        command.add_argument("--radii", required=True, metavar="R,..", type=_numbers)


def _numbers(text):
    return [float(each) for each in text.split(",")]


def _number_or_name(text):
    try:
        return float(text)
    except ValueError:
        return text
