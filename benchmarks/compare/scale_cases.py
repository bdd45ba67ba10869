"""How many passes trainings take on awkward data, and how often bands are not enough."""

import statistics
import warnings
from collections import Counter

from .measure import table
from .scale_data import RADII, UNSEEN, classifier, parts

KINDS = (
    *("ordinary", "heavy", "separable", "heavy separable"),
    *("unbalanced", "heavy unbalanced", "separable unbalanced"),
)


def report(quick):
    from redoubt import scale

    n_rows, seeds = (50_000, 1) if quick else (100_000, 5)
    rows = []
    total = Counter()
    for kind in (*KINDS, *UNSEEN):
        passes, counts, worst = [], Counter(), 0.0
        for seed in range(min(seeds, 2) if kind in UNSEEN else seeds):
            data = list(parts(n_rows, kind, seed))
            for name in RADII:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    model = scale.fit(
                        classifier(name, 1e-6), data, memory=n_rows * 0.02 * 8 * 6 * 25,
                        random_state=seed, max_passes=60,
                    )  # fmt: skip
                newton = sum(each["kind"] == "newton" for each in model.history_)
                passes.append(model.passes_)
                worst = max(worst, model.dual_gap_)
                counts["runs"] += 1
                counts["6 passes"] += model.passes_ <= 6
                counts["newton"] += newton > 0
                counts["constant"] += not model.coef_.any()
                counts["open"] += model.status_ != "optimal"
        total += counts
        rows.append([
            kind, counts["runs"], f"{statistics.median(passes):g}", max(passes),
            counts["6 passes"], counts["newton"], counts["constant"], counts["open"], f"{worst:.0e}",
        ])  # fmt: skip
    rows.append(["all", total["runs"], "", "", total["6 passes"], total["newton"],
                 total["constant"], total["open"], ""])  # fmt: skip
    return "\n\n".join(
        [
            f"## Awkward data: {n_rows:,} x 20, 2 % of the rows kept",
            f"Plain, l2, linf and l1, {seeds} seeds each (the last {len(UNSEEN)} kinds: "
            f"{min(seeds, 2)}), to a proven gap of 1e-6. Heavy: Student's t with 2.5 degrees of freedom. "
            "Separable: means 6 standard deviations apart, so that few rows count. Unbalanced: a tenth "
            "of the rows in one class; then w = 0 is often optimal, and every row of the larger class "
            "lies on the margin. Newton counts the runs in which Newton's method by passes took over "
            "from the bands, open those that did not reach the gap in 60 passes. The last kinds were "
            "made when everything was tuned: counts; exp of normal numbers; outliers (1 % of the rows, "
            "fifty times as long, with the wrong label); 500 different rows 200 times each, with labels "
            "that contradict each other; a class of 0.5 %; a mixture of eight clouds; switches (ones "
            "and zeros, of which some rows are there hundreds of times).",
            table(
                [
                    "data",
                    "runs",
                    "median passes",
                    "most",
                    "up to 6",
                    "Newton",
                    "w = 0",
                    "open",
                    "worst gap",
                ],
                rows,
            ),  # fmt: skip
        ]
    )
