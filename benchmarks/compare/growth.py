"""How the cost of a certificate grows with the planes and the features."""

import csv
import io
from typing import NamedTuple

import numpy as np

import redoubt

from . import growth_plot, votes
from .measure import table

PLANES = (5, 15, 31, 51, 75, 101, 151, 201)
FEATURES = (2, 5, 10, 20, 64, 200, 1000)
NORMS = ("l2", "linf", "l1")
REAL = ("gaussian", "bcw", "digits3")

#: Seconds for a point.
LIMIT = 1.0
#: The points of a cell, in calls of so many; no further call after so many seconds.
CALLS, CELL_SECONDS = (3, 3, 4, 10), 1.5
N_POINTS = sum(CALLS)
#: A call shorter than this is made three times, for the median: one interruption would show.
SHORT_CALL = 0.02
#: "Practical": every point of the sample below this.
PRACTICAL = 0.1


class Cell(NamedTuple):
    """The points certified for one vote in one norm."""

    kind: str
    title: str  # the row of a table
    n: int
    k: int
    norm: str
    seconds: np.ndarray
    nodes: np.ndarray
    status: np.ndarray

    @property
    def proven(self):
        return self.status == "optimal"

    @property
    def n_limited(self):
        return np.count_nonzero(self.status == "time limit")

    @property
    def n_failed(self):
        return np.count_nonzero(~self.proven) - self.n_limited


def _bagged(n):
    return votes.synthetic_bagging(n, max(PLANES), N_POINTS)


def _split(n):
    return votes.random_planes(n, max(PLANES), N_POINTS)


def _agreeing(n):
    return votes.random_planes(n, max(PLANES), N_POINTS, bias=1.0)


KINDS = {
    "bagged": (_bagged, f"Bagged SVMs of {votes.N_SYNTHETIC} points of two normal clouds"),
    "random, split": (_split, "Random planes, about as many for as against the answer"),
    "random, agreeing": (_agreeing, "Random planes, three of four for the same answer"),
}


def report(quick):
    features, planes = (FEATURES, PLANES) if not quick else ((2, 20), (5, 31, 75))
    cells = []
    for kind, (make, _) in KINDS.items():
        for n in features:
            cells += _grow(kind, make(n), planes)
    for name in REAL[: 1 if quick else None]:
        case = votes.published_bagging(name, max(planes))
        rows = votes.spread_sample(np.zeros(len(case.y)), N_POINTS)
        cells += _grow("real data", case._replace(X=case.X[rows], y=case.y[rows]), planes)
    text = "\n\n".join([_introduction(), _practical(cells), *_tables(cells)])
    return text, {"growth.csv": _as_csv(cells), "growth.svg": growth_plot.draw(cells, LIMIT)}


def _grow(kind, case, planes):
    """One case, all norms and numbers of planes; none beyond the first that is out of reach."""
    cells = []
    for norm in NORMS:
        for k in planes:
            cells.append(_measure(kind, case.first_planes(k), norm))
            if not cells[-1].proven.any():
                break
    return cells


def _measure(kind, case, norm):
    seconds, nodes, status = [], [], []
    begin = 0
    for size in CALLS:
        rows = slice(begin, begin + size)
        times, found = _certify(case, rows, norm)
        seconds += list(times)
        nodes += list(found.n_nodes)
        status += list(found.status)
        begin += size
        if sum(seconds) > CELL_SECONDS:
            break
    columns = (np.array(values) for values in (seconds, nodes, status))
    return Cell(kind, case.title, case.X.shape[1], case.vote.n_planes, norm, *columns)


def _certify(case, rows, norm):
    y = None if case.y is None else case.y[rows]
    times = []
    while not times or (len(times) < 3 and times[0].sum() < SHORT_CALL):
        found = redoubt.certify(case.vote, case.X[rows], y, norm=norm, max_seconds_per_point=LIMIT)
        times.append(np.asarray(found.solve_seconds))
    return np.median(times, axis=0), found


# --- text ---------------------------------------------------------------------------------------


def _introduction():
    kinds = "\n".join(f"- *{kind}*: {text}." for kind, (_, text) in KINDS.items())
    return f"""\
## Votes

{kinds}
- *real data*: bagged SVMs of published training sets (the first 75 on the published bags) and a
  seeded sample of the test points. Gaussian has n = 5, BCW 9, Digits(3) 64.

Each cell certifies {N_POINTS} seeded points, or fewer (at least {CALLS[0]}) if these take long.
A point is stopped after {LIMIT:g} s; its bracket is then true, but wide. All figures are in
[growth.csv](growth.csv).

![Time a point against the number of planes](growth.svg)"""


def _practical(cells):
    """The largest k, in the order they were tried, up to which every point is fast."""
    rows = []
    for kind in _kinds(cells):
        for norm in NORMS:
            chosen = [c for c in cells if c.kind == kind and c.norm == norm]
            row = [kind, norm]
            for title in dict.fromkeys(c.title for c in chosen):
                row.append(_reach([c for c in chosen if c.title == title]))
            rows.append(row)
    columns = [f"n = {n}" for n in dict.fromkeys(c.n for c in cells if c.kind != "real data")]
    synthetic = table(["vote", "norm", *columns], [r for r in rows if r[0] != "real data"])
    titles = dict.fromkeys(f"{c.title}, n = {c.n}" for c in cells if c.kind == "real data")
    real = table(["vote", "norm", *titles], [r for r in rows if r[0] == "real data"])
    return f"""\
## Where it stops being practical

The largest number of planes up to which every sampled point took less than {PRACTICAL:g} s:

{synthetic}

{real}"""


def _reach(cells):
    reach = "none"
    for cell in cells:
        if not cell.proven.all() or cell.seconds.max() >= PRACTICAL:
            return reach
        reach = cell.k
    return f"{reach} (all)"


def _tables(cells):
    parts = ["## Microseconds and nodes a point",
             "µs mean (largest) / nodes mean (largest); k is a thousand, M a million. Bold: points "
             "that hit the limit, or that the search gave up for numerical reasons, and of how "
             "many. Empty: not tried, because with fewer planes no point was proven."]  # fmt: skip
    for kind in _kinds(cells):
        for norm in NORMS:
            chosen = [c for c in cells if c.kind == kind and c.norm == norm]
            planes = list(dict.fromkeys(c.k for c in chosen))
            rows = []
            for title in dict.fromkeys(c.title for c in chosen):
                by_planes = {c.k: c for c in chosen if c.title == title}
                rows.append([title, *(_cell_text(by_planes.get(k)) for k in planes)])
            parts += [f"### {kind}, {norm}",
                      table(["", *(f"{k} planes" for k in planes)], rows)]  # fmt: skip
    return parts


def _cell_text(cell):
    if cell is None:
        return ""
    micro = 1e6 * cell.seconds
    text = (f"{_short(micro.mean())} ({_short(micro.max())}) / "
            f"{_short(cell.nodes.mean())} ({_short(cell.nodes.max())})")  # fmt: skip
    if cell.proven.all():
        return text
    counts = {"limit": cell.n_limited, "failed": cell.n_failed}
    why = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    return f"**{text}; {why} of {len(micro)}**"


def _short(value):
    for scale, letter in ((1e6, "M"), (1e3, "k")):
        if value >= 0.9995 * scale:
            return f"{value / scale:.3g}{letter}"
    return f"{value:.3g}"


def _kinds(cells):
    return dict.fromkeys(cell.kind for cell in cells)


def _as_csv(cells):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["vote", "data", "norm", "features", "planes", "points", "limited",
                     "failed", "mean_us", "max_us", "mean_nodes", "max_nodes"])  # fmt: skip
    for c in cells:
        writer.writerow([c.kind, c.title, c.norm, c.n, c.k, len(c.seconds), c.n_limited,
                         c.n_failed, f"{1e6 * c.seconds.mean():.1f}",
                         f"{1e6 * c.seconds.max():.1f}", f"{c.nodes.mean():.1f}",
                         f"{c.nodes.max():.0f}"])  # fmt: skip
    return text.getvalue()
