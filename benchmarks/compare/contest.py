"""One contest: our certificates of a case, and the peers' problems at each radius, in turns.

We answer all radii of a point with one certificate; a peer solves one integer program per radius.
Every peer answer is compared with ours.
"""

import statistics
from collections import Counter
from typing import NamedTuple

import numpy as np

import redoubt

from . import vote_check, vote_models
from .measure import Cost, mean_cost, median_cost, timed
from .vote_check import Answer
from .vote_models import Planes, planes_needed
from .votes import spread_sample

#: A peer's problem is stopped after this; what is measured is then a lower bound.
TIME_LIMIT = 60.0
#: Our call over all points is repeated this often, spread over the contest.
REPETITIONS = 9


class PeerScore:
    """What one peer needed, and how its answers compare with ours."""

    def __init__(self):
        self.problems = []  # Cost of each problem with a radius above 0
        self.curves = []  # Cost of all radii of a point
        self.built_curves = []  # the same with the models built, from the planes and the point
        self.single = []  # Cost of the one problem that stands for all radii
        self.n_checked = self.n_stopped = 0
        self.differences = Counter()  # explanation -> number
        self.single_difference = 0.0

    @property
    def median_problem(self):
        return statistics.median(cost.clock for cost in self.problems)

    @property
    def mean_problem(self):
        return statistics.fmean(cost.clock for cost in self.problems)

    @property
    def curve(self):
        """All radii of one point, on average."""
        return mean_cost(self.curves)

    @property
    def built_curve(self):
        return mean_cost(self.built_curves)

    @property
    def mean_single(self):
        return mean_cost(self.single)


class Score(NamedTuple):
    """Our own figures, and those of the peers by name."""

    ours: Cost  # of a point, from calls over all points
    alone: Cost  # of a point certified by a call of its own
    certificates: object
    peers: dict


def hold(case, norm, radii, peers):
    """Race `peers` {class: number of points}; the largest number also sets how we are sampled."""
    certificates = certify(case, norm)  # a warm-up, and what is hard
    n_sampled = max(peers.values())
    sample = spread_sample(certificates.n_nodes, n_sampled)
    scores = {peer.title: PeerScore() for peer in peers}
    for peer in peers:  # its first problem is a warm-up, too
        _Point(case, sample[0], norm, 0.0, PeerScore()).run_curve(
            peer, radii[1:2], _attacks(case, sample[0], norm, radii[1:2])
        )
    ours, alone = [], []
    n_rounds = max(n_sampled, 3)
    for i in range(n_rounds):
        if i % -(-n_rounds // REPETITIONS) == 0:
            cost, certificates = timed(lambda: certify(case, norm))
            ours.append(cost.shared(len(case.y)))
        if i >= n_sampled:
            continue
        j = sample[i]
        alone.append(timed(lambda: redoubt.certify(case.vote, case.X[j : j + 1], case.y[j : j + 1],
                                                   norm=norm))[0])  # fmt: skip
        attacks = _attacks(case, j, norm, radii)
        for peer, size in peers.items():
            if (i * size) % n_sampled >= size:
                continue  # this peer has fewer points, spread alike
            point = _Point(case, j, norm, certificates.radius[j], scores[peer.title])
            point.run_curve(peer, radii, attacks)
            point.run_single(peer, max(radii))
    return Score(median_cost(ours), mean_cost(alone), certificates, scores)


def certify(case, norm):
    """Every point of a case, one thread."""
    return redoubt.certify(case.vote, case.X, case.y, norm=norm)


def _attacks(case, j, norm, radii):
    """Our exact attacks on one point, one per radius."""
    X = np.repeat(case.X[j : j + 1], len(radii), axis=0)
    return redoubt.attack(case.vote, X, np.full(len(radii), case.y[j]), radii, norm=norm)


class _Point:
    """One point in front of one peer."""

    def __init__(self, case, j, norm, radius, score):
        self.vote, self.x, self.y = case.vote, case.X[j], case.y[j]
        self.norm, self.radius, self.score = norm, radius, score
        self.planes = Planes.seen_from(self.vote, self.x, self.y)
        self.need = planes_needed(self.vote.n_planes, self.y)

    def run_curve(self, peer, radii, attacks):
        total = building = Cost(0.0, 0.0)
        for i, radius in enumerate(radii):
            built, solver = timed(lambda radius=radius: self._build(peer, radius))
            cost, _ = timed(solver.solve)
            total += cost
            building += built
            if radius > 0:
                self.score.problems.append(cost)
            ours = Answer(len(attacks.fooled[i]), attacks.bound[i], attacks.perturbation[i])
            self._check(solver, radius, ours)
            solver.close()
        self.score.curves.append(total)
        self.score.built_curves.append(total + building)

    def _build(self, peer, radius):
        program = vote_models.exact_adversary(self.planes, radius, self.norm)
        return peer(program, time_limit=TIME_LIMIT)

    def _check(self, solver, radius, ours):
        if not solver.is_optimal:
            self.score.n_stopped += 1
            return
        self.score.n_checked += 1
        step = vote_models.step_of(solver.solution(), len(self.x), self.norm)
        count = self.vote.n_planes - round(solver.objective())
        theirs = Answer(count, count, step)
        if theirs.count != ours.count:
            why = vote_check.explain(self.vote, self.x, self.y, radius, self.norm, ours, theirs)
            self.score.differences[why] += 1
        elif (self.radius <= radius) != (theirs.count >= self.need):
            self.score.differences[self._why_not_the_radius(radius)] += 1

    def _why_not_the_radius(self, radius):
        """The counts agree and the certificate does not: only right where R and r all but meet."""
        if abs(self.radius - radius) <= 1e-9 * radius:
            return "R and r differ by less than 1e-9"
        return vote_check.UNEXPLAINED

    def run_single(self, peer, farthest):
        """The least radius up to `farthest` as one problem, where the peer can take it."""
        program = vote_models.least_radius(self.planes, self.need, farthest, self.norm)
        if program.square and not peer.takes_square:
            return
        solver = peer(program, time_limit=TIME_LIMIT)
        cost, _ = timed(solver.solve)
        self.score.single.append(cost)
        if solver.is_optimal:
            found = solver.objective()
            self._check_radius(np.sqrt(max(0.0, found)) if program.square else found, farthest)
        else:  # none within the ball
            self._check_radius(np.inf, farthest)
        solver.close()

    def _check_radius(self, found, farthest):
        """The program's constants hold up to `farthest`; beyond it, all it says is "beyond"."""
        wanted = max(0.0, self.radius)
        if min(wanted, found) < farthest:
            difference = abs(min(found, farthest) - min(wanted, farthest))
            self.score.single_difference = max(self.score.single_difference, difference)
