"""python -m redoubt.report DIR"""

import argparse
import sys

from redoubt.report import write_report


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="python -m redoubt.report",
        description="Make one HTML page of what `redoubt reproduce --out DIR` has written.",
    )
    parser.add_argument("folder", metavar="DIR", help="what `redoubt reproduce` has written")
    parser.add_argument("--out", metavar="FILE", help="the page; default: DIR/report.html")
    parser.add_argument("--figures", metavar="DIR", help="write every figure as .svg and .png too")
    options = parser.parse_args(arguments)
    try:
        path = write_report(options.folder, options.out, options.figures)
    except (ImportError, OSError, ValueError) as error:
        print(f"redoubt.report: {error}", file=sys.stderr)
        return 2
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
