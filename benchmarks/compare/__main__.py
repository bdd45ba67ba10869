"""Run the comparisons and write the reports: python -m compare [REPORT ...] [--quick]."""

import argparse
import os
import pathlib

# One thread unless a solver is asked for more. Before NumPy is loaded.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

from .reports import REPORTS  # noqa: E402


def main():
    parser = argparse.ArgumentParser(prog="compare", description=__doc__)
    parser.add_argument(
        "reports", nargs="*", metavar="REPORT", default=["all"],
        help=f"{', '.join(REPORTS)} or all, the default",
    )  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="small subset, few repetitions")
    parser.add_argument(
        "--output", type=pathlib.Path, default=None, metavar="FOLDER",
        help="default: results beside this package; with --quick, print only",
    )  # fmt: skip
    options = parser.parse_args()
    unknown = set(options.reports) - {*REPORTS, "all"}
    if unknown:
        parser.error(f"no report named {', '.join(sorted(unknown))}")
    folder = options.output
    if folder is None and not options.quick:
        folder = pathlib.Path(__file__).parents[1] / "results"
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    for name, report in REPORTS.items():
        if "all" in options.reports or name in options.reports:
            files = report.run(options.quick)
            if folder is not None:
                for file_name, content in files.items():
                    (folder / file_name).write_text(content, encoding="utf-8")


main()
