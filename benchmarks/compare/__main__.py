"""Run the comparisons and write the report: python -m compare [--quick] [--output FILE]."""

import argparse
import os
import pathlib

# One thread unless a solver is asked for more. Before NumPy is loaded.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

from . import memory, robust_svm, svm  # noqa: E402
from .measure import machine, table  # noqa: E402

INTRODUCTION = """\
# SVM solvers: Redoubt beside LIBSVM, LIBLINEAR, Clarabel and HiGHS

Written by `./dev bench`. All ratios come from this one run; solvers take turns, so that noise
on the machine hits all of them. Times are the median over the repetitions with the least in
brackets. Ratios are of median clock times, in brackets of median processor times; above 1 means
that Redoubt is faster. A target counts as reached if the smaller of the two reaches it: on a busy
machine the clock flatters short calls, processor time does not. Data: the training part of the
published split, standardised."""

LIMITATIONS = """\
## Limitations

- Few data sets, all dense with many more points than features: the case these solvers are for.
  LIBSVM has kernels, LIBLINEAR sparse data; Clarabel and HiGHS solve far more than this.
- LIBSVM keeps its kernel values in single precision, so its gap stays above ours even at
  tol=1e-8. Its default tolerance (1e-3) is faster and less accurate.
- LIBLINEAR penalises the bias: compare the objectives, not the planes.
- HiGHS and Clarabel get the textbook models. Another model (the dual, for one) may suit them
  better.
- On separable points (objective 0) our answer is the plane of least ||w||_2 among the optima;
  HiGHS and Clarabel return any optimum. The two do different amounts of work there.
- Along the chain, compare "warm" with "cold function" to see what the warm start itself gains;
  the rest of the ratio is there without it.
- Sub-millisecond times include Python's call overhead, for all solvers."""


def main():
    parser = argparse.ArgumentParser(prog="compare", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small subset, few repetitions")
    parser.add_argument(
        "--output", type=pathlib.Path, default=None,
        help="default: results/svm.md beside this package; with --quick, print only",
    )  # fmt: skip
    options = parser.parse_args()
    parts = [INTRODUCTION, "## Machine", table(["what", "value"], machine())]
    for section in (svm, robust_svm, memory):
        text = section.report(options.quick)
        print(text, end="\n\n", flush=True)
        parts.append(text)
    parts += [f"Load average at the end: {os.getloadavg()[0]:.1f}.", LIMITATIONS]
    output = options.output
    if output is None and not options.quick:
        output = pathlib.Path(__file__).parents[1] / "results" / "svm.md"
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


main()
