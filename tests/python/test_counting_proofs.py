"""Proofs where changes are counted (norm="l0"): both checkers, an oracle of all sets of changes."""

import itertools
import json
import os
import random
from fractions import Fraction

import numpy as np
from proof_trees import bars_of, cases_of, multipliers_of, nodes_of
from proof_verdicts import verdicts
from scipy.optimize import linprog

import redoubt

SEEDS = int(os.environ.get("REDOUBT_TEST_SEEDS", "1"))
ROWS = 4


def counting_rules(rng, n):
    """Words that are added or flipped, counts, ranges, a group, frozen features, costs."""
    chosen = {"integer": [], "increase_only": [], "decrease_only": [], "frozen": []}
    bounds, cost, free, one_hot = {}, {}, list(range(n)), []
    if n >= 4 and rng.random() < 0.5:
        one_hot, free = [([0, 1, 2], float(rng.choice([0.5, 1.0, 2.0])))], free[3:]
    for l in free:
        kind = rng.choice(["word", "word", "count", "range", "frozen"])
        if kind == "frozen":
            chosen["frozen"].append(l)
            continue
        if kind != "range":
            chosen["integer"].append(l)
        bounds[l] = (0, 1) if kind == "word" else (-2, 3)
        side = rng.choice(["increase_only", "decrease_only", "both", "both"])
        if side != "both":
            chosen[side].append(l)
        cost[l] = float(rng.choice([0.5, 1.0, 2.0, 3.0]))
    costs = {"cost": cost} if rng.random() < 0.5 else {}
    return redoubt.AttackModel("l0", bounds=bounds, one_hot=one_hot, **chosen, **costs)


def problem(seed):
    rng = np.random.default_rng(seed)
    k, n = int(rng.integers(1, 7)), int(rng.integers(1, 8))
    rules = counting_rules(rng, n)
    W, b = rng.normal(size=(k, n)), rng.normal(size=k)
    if rng.random() < 0.5:  # sums that tie
        W, b = np.round(2 * W), np.round(2 * b)
    weights = rng.integers(1, 5, k).astype(float) if rng.random() < 0.4 else None
    X = np.round(rng.uniform(-2, 3, size=(ROWS, n)), 2)
    for l, (low, high) in (rules.bounds or {}).items():
        if l in rules.integer:
            X[:, l] = rng.integers(low, high + 1, ROWS)
    for members, _ in rules.one_hot:
        X[:, members] = np.eye(len(members))[rng.integers(len(members), size=ROWS)]
    limit = {"max_nodes": int(rng.integers(1, 5))} if rng.random() < 0.15 else {}
    return redoubt.Ensemble(W, b, weights), X, rng.choice([-1, 1], ROWS), rules, limit


def certified(seed):
    vote, X, y, rules, limit = problem(seed)
    found = redoubt.certify(vote, X, y, attack_model=rules, proofs=True, **limit)
    wrong = np.signbit(found.radius)
    return found, np.where(wrong, -found.upper, found.lower), np.where(wrong, -found.lower, found.upper)


def radius_of(line):
    return float(json.loads(line)["radius"]) if json.loads(line)["radius"] == "inf" else float.fromhex(
        json.loads(line)["radius"]
    )


def test_both_checkers_accept_every_proof():
    counts = {"proofs": 0, "without": 0, "range": 0, "group": 0, "integer": 0, "infinite": 0}
    for seed in range(300 * SEEDS):
        found, ends, _ = certified(seed)
        for row, line in enumerate(found.proofs.lines):
            if not line:
                assert found.why_no_proof(row) == "this end is proven by floating-point analysis only"
                counts["without"] += 1
                continue
            assert verdicts(found.proofs.headers[row], line) == ("proven", "proven"), (seed, row)
            assert radius_of(line) == ends[row]
            counts["proofs"] += 1
            counts["infinite"] += ends[row] == np.inf
            tree = line[line.index('"tree"') :]
            for kind in ("range", "group", "integer"):
                counts[kind] += f'"{kind}"' in tree
    assert counts["without"] <= 0.01 * counts["proofs"], counts
    assert min(value for name, value in counts.items() if name != "without") > 10, counts


# --- the oracle: every set of changes ---------------------------------------------------------


def levers(head, record):
    """By lever, the ways in which it may change: (cost, values by feature, free features)."""
    x = [float.fromhex(v) for v in record["point"]]
    n = len(x)
    ends = {"inf": np.inf, "-inf": -np.inf}
    number = lambda v: ends[v] if v in ends else float.fromhex(v) if isinstance(v, str) else float(v)  # noqa: E731
    low, high = ([number(v) for v in head[name]] for name in ("lower", "upper"))
    cost = [number(v) for v in head.get("cost", [1] * n)]
    side, scale = head["direction"], [number(v) for v in head.get("scale", [1] * n)]
    seen, found = set(), []
    for group in head.get("groups", []):
        seen.update(group["features"])
        on = max(group["features"], key=lambda l: x[l])
        found.append([
            (number(group["cost"]), {l: float(l == m) for l in group["features"]}, None)
            for m in group["features"] if m != on
        ])  # fmt: skip
    whole = {one["feature"]: number(one["step"][0]) for one in head.get("integers", [])}
    for l in range(n):
        if l in seen or scale[l] == 0:
            continue
        least = x[l] if side[l] == "up" else min(x[l], low[l])
        most = x[l] if side[l] == "down" else max(x[l], high[l])
        if l in whole:
            values = [v for v in np.arange(least, most + 1) if v != x[l]]
            found.append([(whole[l], {l: v}, None) for v in values])
        else:
            found.append([(cost[l], {}, (l, least, most))])
    return x, found


def is_contradicted(header, line):
    """Does a set of changes below the radius change the answer? Exactly, but for ranges."""
    head, record = json.loads(header), json.loads(line)
    x, found = levers(head, record)
    radius = radius_of(line)
    planes = [[float.fromhex(v) for v in row] for row in head["planes"]]
    biases, weights = [float.fromhex(v) for v in head["intercepts"]], head["weights"]
    answer, total = record["answer"], sum(head["weights"])
    need = (total + 1) // 2 if answer < 0 else total // 2 + 1

    def is_fooled(i, moved):
        value = sum((Fraction(w) * Fraction(v) for w, v in zip(planes[i], moved)), Fraction(biases[i]))
        return value < 0 if answer > 0 else value >= 0

    def changes(moved):
        return sum(w for i, w in enumerate(weights) if is_fooled(i, moved)) >= need

    for choice in itertools.product(*([None, *one] for one in found)):
        taken = [one for one in choice if one]
        if sum((Fraction(cost) for cost, _, _ in taken), Fraction(0)) >= radius:
            continue
        moved = list(x)
        for _, values, _ in taken:
            for l, value in values.items():
                moved[l] = value
        free = [one for _, _, one in taken if one]
        if not free:
            if changes(moved):
                return True
            continue
        for size in range(1, len(weights) + 1):
            for some in itertools.combinations(range(len(weights)), size):
                if sum(weights[i] for i in some) < need:
                    continue
                A = np.array([[answer * planes[i][l] for l, _, _ in free] for i in some])
                fixed = [(l, v) for l, v in enumerate(moved) if l not in [f[0] for f in free]]
                g = [-answer * (biases[i] + sum(planes[i][l] * v for l, v in fixed)) for i in some]
                # As far beyond the planes as possible.
                A = np.c_[A, np.ones(len(some))]
                best = linprog(
                    [*[0.0] * len(free), -1.0], A_ub=A, b_ub=g,
                    bounds=[*[(a, b) for _, a, b in free], (None, 1.0)],
                )  # fmt: skip
                if best.status == 0 and best.x[-1] >= -1e-12:
                    for (l, a, b), value in zip(free, best.x):
                        moved[l] = min(max(value, a), b)
                    if changes(moved):
                        return True
    return False


def damaged(line, header, chance):
    record, head = json.loads(line), json.loads(header)
    node = chance.choice(list(nodes_of(record["tree"])))
    bars, cases = bars_of(node), cases_of(node)
    lists = [(by, first) for by, first in multipliers_of(node) if len(by) > first]
    kind = chance.randrange(9)
    if kind == 0 and lists:
        by, first = chance.choice(lists)
        by[chance.randrange(first, len(by))] = chance.randrange(1, 100)
    elif kind == 1 and bars:
        bars.pop(chance.randrange(len(bars)))
    elif kind == 2 and cases:
        cases.pop(chance.randrange(len(cases)))
    elif kind == 3 and cases:
        cases[0], cases[-1] = cases[-1], cases[0]
    elif kind == 4 and record["radius"] != "inf":
        record["radius"] = (float.fromhex(record["radius"]) * chance.choice([1 + 2**-50, 1.5, 3.0])).hex()
    elif kind == 5:
        charged = [by[first - 1] for by, first in lists if first and isinstance(by[first - 1], list)]
        if charged:
            chance.choice(charged)[0] = chance.choice([0, 1, 2, 7, -1, "0x1p-30"])
    elif kind == 6 and "cost" in head:
        head["cost"][chance.randrange(len(head["cost"]))] = chance.choice([1, 2, "0x1p-1", 0])
    elif kind == 7 and "unit" in head:
        head["unit"][0] = chance.choice([1, 2, 3, "0x1p-1"])
    elif kind == 8:
        head["direction"][chance.randrange(len(head["direction"]))] = chance.choice(["both", "up", "down"])
    return json.dumps(record, separators=(",", ":")), json.dumps(head, separators=(",", ":"))


def test_damaged_proofs_are_refused_by_both_or_true():
    chance, seen, confirmed = random.Random(3), [], 0
    for seed in range(1000, 1000 + 150 * SEEDS):
        found, _, _ = certified(seed)
        for row, line in enumerate(found.proofs.lines):
            if not line:
                continue
            for _ in range(4):
                other, header = damaged(line, found.proofs.headers[row], chance)
                python, library = verdicts(header, other)
                assert python == library, (seed, row, other)
                seen.append(python)
                is_new = (other, header) != (line, found.proofs.headers[row])
                if python == "proven" and is_new:
                    assert not is_contradicted(header, other), (seed, row)
                    confirmed += 1
    assert all(seen.count(each) > 50 for each in ("proven", "refused", "malformed")), seen[:20]
    assert confirmed > 50


def test_the_oracle_contradicts_greater_radii():
    contradicted = 0
    for seed in range(40):
        found, _, limits = certified(seed)
        for row, line in enumerate(found.proofs.lines):
            if not line or not limits[row] < np.inf:
                continue
            record = json.loads(line)
            record["radius"] = float(np.nextafter(limits[row], np.inf)).hex()
            beyond = json.dumps(record, separators=(",", ":"))
            assert verdicts(found.proofs.headers[row], beyond) != ("proven", "proven")
            contradicted += is_contradicted(found.proofs.headers[row], beyond)
    assert contradicted > 50


def test_a_vote_of_thousands_of_words_has_short_proofs():
    """A tree names no words unless they are decided one by one."""
    rng = np.random.default_rng(0)
    k, n = 15, 2000
    W = 0.3 * (rng.laplace(size=n) + rng.laplace(size=(k, n)))
    X = (rng.random((4, n)) < 20 / n).astype(float)
    rules = redoubt.AttackModel("l0", bounds=(0, 1), integer=range(n), increase_only=range(n))
    found = redoubt.certify(redoubt.Ensemble(W, np.full(k, -2.0)), X, attack_model=rules, proofs=True)
    for header, line in zip(found.proofs.headers, found.proofs.lines):
        assert verdicts(header, line) == ("proven", "proven")
        assert len(json.dumps(json.loads(line)["tree"])) < 4000
