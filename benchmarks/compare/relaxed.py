"""The relaxed adversary beside Gurobi, SCIP and HiGHS on the paper's integer program (linf)."""

import numpy as np

import redoubt

from . import vote_models, votes
from .measure import judged, mean_cost, median_cost, table, timed
from .vote_models import Planes
from .vote_peers import GurobiProgram, HighsProgram, ScipProgram

#: Planes known when the last of 15 is trained: what the adversary faces then.
N_PLANES = 14
TARGET = 100
TIME_LIMIT = 30.0
#: Objectives must agree to this, relative to max(1, objective): a hinge at the point is 1.
AGREEMENT = 1e-5
REPETITIONS = 9
#: Points for each radius. The slower peers get fewer of them.
PEERS = {GurobiProgram: 24, HighsProgram: 4, ScipProgram: 4}


def report(quick):
    radii = (0.1,) if quick else (0.05, 0.1, 0.25, 0.5)
    peers = {GurobiProgram: 4} if quick else PEERS
    rows = []
    for name in ("gaussian", "digits3"):
        case = votes.published_bagging(name, N_PLANES, part="train")
        for radius in radii:
            rows += _rows(case, radius, peers)
    return "\n\n".join(
        [
            "## Relaxed adversary, linf",
            f"The largest sum of hinges over the ball, for {N_PLANES} bagged planes and the "
            "training points, at published training radii: what the relaxed ensemble method asks "
            "before it trains its 15th plane. The peers get the paper's program (nu and tau, the "
            "products linearised). Ours: a call over all training points, median of "
            f"{REPETITIONS}, divided by their number. Peers: the solve call alone, on a seeded "
            "sample. The target is on Gurobi, and on the smaller of the ratios of clock and "
            "(in brackets) processor times. *Above* and *below*: how far a peer's objective lies "
            "from ours at most, relative to max(1, objective). Ours comes with a proven bound; "
            "*gap* is its largest distance from the objective, relative alike.",
            table(["data", "points x features", "radius", "ours µs", "nodes, mean (most)", "gap",
                   "peer", "problems", "peer ms, median (mean)", "peer / ours", "target",
                   "above", "below", f"agree to {AGREEMENT:g}"], rows),  # fmt: skip
        ]
    )


def _rows(case, radius, peers):
    n_sampled = max(peers.values())
    attacks = _attack(case, radius)  # a warm-up, and what is hard
    sample = votes.spread_sample(np.asarray(attacks.n_nodes), n_sampled)
    ours, theirs, objectives = [], {peer: [] for peer in peers}, {peer: [] for peer in peers}
    for i, j in enumerate(sample):
        if i % -(-n_sampled // REPETITIONS) == 0:
            cost, attacks = timed(lambda: _attack(case, radius))
            ours.append(cost.shared(len(case.y)))
        program = vote_models.relaxed_adversary_linf(
            Planes.seen_from(case.vote, case.X[j], case.y[j]), radius
        )
        for peer, size in peers.items():
            if (i * size) % n_sampled < size:
                solver = peer(program, time_limit=TIME_LIMIT)
                theirs[peer].append(timed(solver.solve)[0])
                if solver.is_optimal:
                    objectives[peer].append((-solver.objective(), attacks.objective[j]))
                solver.close()
    return [
        _row(case, radius, attacks, median_cost(ours), peer, theirs[peer], objectives[peer])
        for peer in peers
    ]


def _attack(case, radius):
    return redoubt.attack(case.vote, case.X, case.y, radius, norm="linf", adversary="relaxed")


def _row(case, radius, attacks, ours, peer, costs, objectives):
    mean, nodes = mean_cost(costs), np.asarray(attacks.n_nodes)
    speed_up = min(mean.clock / ours.clock, mean.cpu / ours.cpu)
    gap = np.max((attacks.bound - attacks.objective) / np.maximum(1.0, attacks.objective))
    differences = [(a - b) / max(1.0, b) for a, b in objectives]
    agree = sum(abs(difference) <= AGREEMENT for difference in differences)
    return [
        case.title, f"{len(case.y):,} x {case.X.shape[1]}", f"{radius:g}",
        f"{1e6 * ours.clock:.3g}", f"{nodes.mean():.1f} ({nodes.max():.0f})", f"{gap:.0e}",
        peer.title, len(costs),
        f"{1e3 * np.median([cost.clock for cost in costs]):.3g} ({1e3 * mean.clock:.3g})",
        f"{mean.clock / ours.clock:,.0f}x ({mean.cpu / ours.cpu:,.0f}x)",
        judged(speed_up >= TARGET, f"{TARGET}x") if peer is GurobiProgram else "",
        f"{max(0.0, *differences):.0e}", f"{max(0.0, *(-d for d in differences)):.0e}",
        f"{agree} of {len(costs)}" if agree == len(costs) else f"**{agree} of {len(costs)}**",
    ]  # fmt: skip
