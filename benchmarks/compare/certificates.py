"""Certificates of bagged votes beside Gurobi, SCIP and HiGHS on the source paper's model."""

from typing import NamedTuple

import numpy as np

from . import contest, votes
from .measure import judged, table
from .vote_peers import GurobiProgram, HighsProgram, ScipProgram

G, S, H = GurobiProgram, ScipProgram, HighsProgram


class Entry(NamedTuple):
    """A contest: data, planes, norm, the peers' numbers of points, and the targets."""

    data: str
    k: int
    norm: str
    peers: dict
    speed_up: float | None = None  # over Gurobi, or the better of Gurobi and HiGHS
    milliseconds: float | None = None  # a point
    spread: bool = False  # radii over the range of this norm instead of the published ones

    @property
    def norm_title(self):
        return self.norm + (", spread" if self.spread else "")


ENTRIES = [
    Entry("digits3", 15, "l2", {G: 24, S: 3}, speed_up=50_000),
    Entry("bcw", 75, "l2", {G: 16, S: 2}, speed_up=5_000),
    Entry("digits3", 75, "l2", {G: 12}, speed_up=5_000),
    Entry("digits3", 15, "linf", {G: 36, H: 36, S: 6}, speed_up=1_000),
    Entry("digits3", 15, "l1", {G: 36, H: 36, S: 6}, speed_up=1_000),
    Entry("digits3", 15, "linf", {G: 12, H: 12}, spread=True),
    Entry("digits3", 15, "l1", {G: 12, H: 12}, spread=True),
    Entry("bcw", 75, "linf", {G: 12, H: 12}, milliseconds=2),
    Entry("bcw", 75, "l1", {G: 12, H: 12}, milliseconds=2),
    Entry("digits3", 75, "linf", {G: 6}, milliseconds=10),
    Entry("digits3", 75, "l1", {G: 12, H: 12}, milliseconds=10),
]

QUICK = [
    Entry("digits3", 15, "l2", {G: 3}, speed_up=50_000),
    Entry("digits3", 15, "linf", {G: 4, H: 4, S: 1}, speed_up=1_000),
    Entry("digits3", 15, "l1", {G: 4, H: 4, S: 1}, speed_up=1_000),
    Entry("bcw", 75, "linf", {G: 2}, milliseconds=2),
]

EXPLANATION = """\
One call of `redoubt.certify` gives the radius of every test point, and with it the answer at every
attack radius; the peers solve one integer program per point and radius: the most planes fooled
within the ball, with the smallest valid big-M. The radii are the 12 published ones, 0 to 2, or,
where the table says *spread*, 12 from 0 to the 95 % quantile of |R| in that norm: under linf a
published radius of 0.75 or more fools nearly every plane, under l1 all are small, and both make
easy programs. Planes: SVMs (C = 1) on the published bags. One thread each.

A peer's time is that of its solve call alone, without building the model and at its default
tolerances. It gets a seeded sample of the test points, evenly spread from those our search finds
easy to those it finds hard, so that means over the sample are comparable with ours over all
points. *12 problems* is the mean over these points of the sum over all radii; a single problem's
median and mean leave radius 0 out. Ours: the median over repeated calls over all test points,
divided by their number, and in brackets the mean when each point of the sample is certified by a
call of its own from Python, most of which is the check of the input. Ratios are of clock times, in
brackets of processor times; the smaller must reach the target. The target is on Gurobi, or on
HiGHS where that was faster. *With building* adds what it takes to make the peer's models from the
planes and the point, through its Python interface; our call includes all of its own set-up."""

SINGLE_EXPLANATION = """\
The paper asks one question per radius. A peer may also be asked for the least radius itself, up to
the largest of the radii, in one program (l2: least ||d||^2 under linear rows, which Gurobi takes as
a quadratic objective; linf, l1: least t). That is the better way to use a peer, and not the
paper's. Mean over the same points. Where R lies beyond the largest radius the program merely says
so, while ours gives R: under l1 that is so for most points at the published radii."""


def report(quick):
    curves, singles, ours = [], [], []
    for entry in QUICK if quick else ENTRIES:
        case = votes.published_bagging(entry.data, entry.k)
        radii = _radii(case, entry)
        score = contest.hold(case, entry.norm, radii, entry.peers)
        curves += _curve_rows(entry, case, score)
        singles += _single_rows(entry, case, score)
        if not entry.spread:
            ours.append(_own_row(entry, case, score))
    return "\n\n".join(
        [
            "## Certificates against integer programs",
            EXPLANATION,
            table(["data", "norm", "planes", "peer", "points", "problem ms, median (mean)",
                   "12 problems, ms a point", "ours, µs a point (one call each)",
                   "12 problems / ours", "with building", "target", "answers compared", "different"],
                  curves),  # fmt: skip
            _differences(curves),
            "### The certificates alone",
            "All test points, one thread. Milliseconds a point on the clock (processor time in "
            "brackets) over a whole call; median and largest of the times of single points.",
            table(["data", "norm", "planes", "points", "ms a point", "median point ms",
                   "slowest point ms", "nodes, mean", "nodes, most", "proven", "target"],
                  ours),  # fmt: skip
            "### One program for all radii",
            SINGLE_EXPLANATION,
            table(["data", "norm", "planes", "peer", "points", "ms a point",
                   "one problem / ours", "largest difference from our radius"],
                  singles),  # fmt: skip
        ]
    )


def _radii(case, entry):
    if not entry.spread:
        return np.array(votes.PUBLISHED_RADII)
    radius = np.abs(contest.certify(case, entry.norm).radius)
    return np.linspace(0.0, np.quantile(radius, 0.95), len(votes.PUBLISHED_RADII))


def _curve_rows(entry, case, score):
    best = min(
        (peer for peer in (G, H) if peer in entry.peers),
        key=lambda peer: score.peers[peer.title].curve.clock,
    )
    rows = []
    for peer in entry.peers:
        theirs = score.peers[peer.title]
        is_judged = entry.speed_up is not None and peer is best
        rows.append([
            case.title, entry.norm_title, entry.k, peer.title,
            len(theirs.curves),
            f"{1e3 * theirs.median_problem:.3g} ({1e3 * theirs.mean_problem:.3g})",
            f"{1e3 * theirs.curve.clock:,.3g}" if theirs.curve.clock < 1 else
            f"{1e3 * theirs.curve.clock:,.0f}",
            f"{1e6 * score.ours.clock:.3g} ({1e6 * score.alone.clock:.3g})",
            _ratio(theirs.curve, score.ours), _ratio(theirs.built_curve, score.ours),
            judged(_speed_up(theirs.curve, score.ours) >= entry.speed_up,
                   f"{entry.speed_up:,}x") if is_judged else "",
            theirs.n_checked, _difference_text(theirs),
        ])  # fmt: skip
    return rows


def _difference_text(theirs):
    parts = [f"{count}: {why}" for why, count in theirs.differences.items()]
    if theirs.n_stopped:
        parts.append(f"{theirs.n_stopped} stopped after {contest.TIME_LIMIT:g} s, not compared")
    return "; ".join(parts) or "0"


def _differences(rows):
    n_compared = sum(row[-2] for row in rows)
    what = (
        "the number of planes fooled with our exact attack, and whether the vote changes with our "
        "radius"
    )
    if all(row[-1] == "0" for row in rows):
        return f"All {n_compared:,} answers agree: {what}."
    return (
        f"{n_compared:,} answers were compared: {what}. Where they differ, the last column says "
        "why, judged over the rationals from the steps themselves."
    )


def _own_row(entry, case, score):
    found = score.certificates
    seconds, nodes = np.asarray(found.solve_seconds), np.asarray(found.n_nodes)
    proven = np.mean([status == "optimal" for status in found.status])
    target = ""
    if entry.milliseconds is not None:
        reached = proven == 1.0 and 1e3 * score.ours.clock <= entry.milliseconds
        target = judged(reached, f"{entry.milliseconds:g} ms")
    return [
        case.title, entry.norm, entry.k, len(case.y),
        f"{1e3 * score.ours.clock:.3g} ({1e3 * score.ours.cpu:.3g})",
        f"{1e3 * np.median(seconds):.3g}", f"{1e3 * seconds.max():.3g}",
        f"{nodes.mean():.1f}", f"{nodes.max():.0f}", f"{100 * proven:.4g} %", target,
    ]  # fmt: skip


def _single_rows(entry, case, score):
    rows = []
    for peer in entry.peers:
        theirs = score.peers[peer.title]
        if theirs.single:
            rows.append([
                case.title, entry.norm_title, entry.k, peer.title, len(theirs.single),
                f"{1e3 * theirs.mean_single.clock:.3g}",
                _ratio(theirs.mean_single, score.ours), f"{theirs.single_difference:.0e}",
            ])  # fmt: skip
    return rows


def _speed_up(theirs, ours):
    return min(theirs.clock / ours.clock, theirs.cpu / ours.cpu)


def _ratio(theirs, ours):
    return f"{theirs.clock / ours.clock:,.0f}x ({theirs.cpu / ours.cpu:,.0f}x)"
