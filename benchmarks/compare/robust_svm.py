"""The robust SVM against Clarabel (l2) and HiGHS (l1, linf)."""

import time
import warnings

import numpy as np

from redoubt import RobustSVMClassifier, _core

from . import check, peers, problems
from .check import Plane
from .measure import Entrant, milliseconds, race, ratio, table, verdict

#: Objectives must agree to this, relative.
AGREEMENT = 1e-7

L2_TARGET = {("digits3", 0.1): 20, ("digits3", 0.5): 20, ("bcw", 0.1): 6, ("bcw", 0.5): 6}
LP_TARGET = 10


def report(quick):
    repetitions = 3 if quick else 9
    names = ["bcw"] if quick else ["digits3", "digits7", "bcw"]
    cones = [_row(n, r, "l2", repetitions) for n in names for r in (0.1, 0.5)]
    names, radii = (["digits3"], [0.1]) if quick else (["digits3", "digits7"], [0.05, 0.1, 0.5])
    programs = [
        _row(n, r, norm, max(3, repetitions // 2))
        for norm in ("l1", "linf") for n in names for r in radii
    ]  # fmt: skip
    columns = ["data", "norm", "radius", "objective", "peer - ours", "gap ours", "gap peer",
               "function ms", "estimator ms", "Newton steps", "peer ms", "peer's setting",
               "peer / function", "target", "peer / estimator"]  # fmt: skip
    return "\n\n".join(
        [
            "## Robust SVM against Clarabel and HiGHS",
            "One radius for all points, no regulariser, one thread, our tolerance 1e-8. Peers: "
            "only the solve call is timed, not the modelling. Times are median (least). \"Peer - "
            "ours\" is the difference of the recomputed objectives, on the scale max(objective, "
            f"{check.SCALE_FLOOR:g} m). Gaps are recomputed from each solver's dual variables, "
            "for w up to twice the answer's norm.",
            "### l2 against Clarabel",
            "One second-order cone. The peer gets the loosest tolerance at which its objective "
            f"agrees with the best known one to {AGREEMENT:g}.",
            table(columns, cones),
            "### l1 and linf against HiGHS",
            "The linear program. The peer is the fastest of dual simplex, primal simplex and "
            "interior point without crossover, chosen per row by a trial run.",
            table(columns, programs),
        ]
    )


def _row(name, radius, norm, repetitions):
    problem = problems.published(name)
    radii = np.array([radius])
    best = _core.train_robust_svm(problem.X, problem.y, radii, norm=norm, tolerance=1e-12)
    best = check.robust_objective(problem, radius, norm, Plane(best.coef, best.intercept))
    choose = _choose_clarabel if norm == "l2" else _choose_highs
    setting, peer = choose(problem, radius, norm, best)
    estimator = RobustSVMClassifier(radius=radius, norm=norm)
    times, answers = race(
        {
            "ours": Entrant(
                lambda: _core.train_robust_svm(problem.X, problem.y, radii, norm=norm)
            ),
            "estimator": Entrant(lambda: _fit(estimator, problem)),
            "peer": Entrant(peer.solve, peer.prepare),
        },
        repetitions,
    )
    result = answers["ours"]
    ours = _judge(problem, radius, norm, _plane(result, problem))
    theirs = _judge(problem, radius, norm, peer.plane())
    target = L2_TARGET.get((name, radius)) if norm == "l2" else LP_TARGET
    difference = (theirs[0] - ours[0]) / check.objective_scale(problem, ours[0])
    return [
        problem.title, norm, f"{radius:g}", f"{ours[0]:.8g}", f"{difference:.0e}",
        f"{ours[1]:.0e}", f"{theirs[1]:.0e}",
        milliseconds(times["ours"]), milliseconds(times["estimator"]), result.n_newton_steps,
        milliseconds(times["peer"]), setting,
        ratio(times["peer"], times["ours"]), verdict(times["peer"], times["ours"], target),
        ratio(times["peer"], times["estimator"]),
    ]  # fmt: skip


def _fit(estimator, problem):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # w = 0 is the answer at some radii
        return estimator.fit(problem.X, problem.y)


def _plane(result, problem):
    return Plane(result.coef, result.intercept, result.dual_ratio * problem.weights)


def _judge(problem, radius, norm, plane):
    """The objective and the relative gap, recomputed."""
    objective = check.robust_objective(problem, radius, norm, plane)
    largest = 2.0 * np.linalg.norm(plane.w, check.DUAL_ORDER[norm])
    bound = check.robust_lower_bound(problem, radius, norm, plane.alpha, largest)
    return objective, check.relative_gap(problem, objective, bound)


def _agrees(problem, radius, norm, peer, best):
    objective = check.robust_objective(problem, radius, norm, peer.plane())
    return abs(objective - best) <= AGREEMENT * check.objective_scale(problem, best)


def _choose_clarabel(problem, radius, norm, best):
    for tolerance in (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9):
        peer = peers.ClarabelRobustSvm(problem, radius, tolerance)
        peer.prepare()
        peer.solve()
        if _agrees(problem, radius, norm, peer, best):
            break
    return f"tolerance {tolerance:g}", peer


def _choose_highs(problem, radius, norm, best):
    trials = []
    for method in peers.HighsRobustSvm.METHODS:
        peer = peers.HighsRobustSvm(problem, radius, norm, method)
        began = time.perf_counter()
        peer.solve()
        elapsed = time.perf_counter() - began
        if _agrees(problem, radius, norm, peer, best):
            trials.append((elapsed, method, peer))
    if not trials:
        raise RuntimeError(f"HiGHS disagrees on {problem.title}, {norm}, radius {radius}")
    _, method, peer = min(trials, key=lambda trial: trial[0])
    return method, peer
