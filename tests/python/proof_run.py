"""A long run: random proofs that both checkers must accept, and damaged ones that they must not.

    python tests/python/proof_run.py --proofs 1000000 --mutations 100000 --out run.json

Each round draws a vote, a norm and rules by its seed, certifies some points, and checks every proof
with `redoubt check` (through the package) and with redoubt_check.py. The radius of each proof must be
the end of its certificate. Damaged proofs must be refused by both, or be true: their claim is then
held against the witness of a search of its own, or against an enumeration (proof_oracle.py). The
summary is written every few seconds: a run can be ended at any time, by --seconds too, and goes on
where the summary ends.
"""

import argparse
import collections
import json
import os
import random
import time

import numpy as np
import redoubt_check
from attack_rules import make_points, make_rules
from proof_oracle import is_true as is_true_by_enumeration
from proof_oracle import number
from proof_trees import bars_of, cases_of, multipliers_of, nodes_of

import redoubt
from redoubt import _core

NORMS = ("l1", "l2", "linf")
KINDS = ("ball", "ball", "quota", "rules", "classes")
ROWS = 24


# --- votes ------------------------------------------------------------------------------------


def planes(rng, k, n):
    """Coefficients, intercepts and what kind they are of."""
    kind = str(rng.choice(["normal", "grid", "bagged", "copies", "zero", "sizes", "parallel", "stumps"]))
    W, b = rng.normal(size=(k, n)), rng.normal(size=k)
    if kind == "grid":
        W, b = rng.integers(-2, 3, (k, n)).astype(float), rng.integers(-2, 3, k).astype(float)
    elif kind == "bagged":
        W = rng.normal(size=n) + 0.1 * W
    elif kind == "copies":
        for i in range(1, k):
            other, factor = rng.integers(i), rng.choice([-3.0, -1.0, 1.0, 2.0])
            W[i], b[i] = factor * W[other], factor * b[other]
    elif kind == "zero":
        W[rng.random(k) < 0.3] = 0.0
    elif kind == "sizes":
        sizes = 10.0 ** rng.integers(-8, 9, k)
        W, b = W * sizes[:, None], b * sizes
    elif kind == "parallel":
        W = W[0] + 1e-7 * W
    elif kind == "stumps":
        W = np.eye(n)[rng.integers(n, size=k)] * rng.choice([-1.0, 1.0], (k, 1))
        b = np.round(b, 1)
    return W, b, kind


def points(rng, W, b, m):
    """Near the planes; some on them, up to rounding, and some on a grid."""
    X = rng.normal(size=(m, W.shape[1])) * rng.choice([0.1, 1.0, 3.0])
    if rng.random() < 0.4:
        X = np.round(2 * X) / 2
    for row in np.flatnonzero(rng.random(m) < 0.2):
        i = rng.integers(len(W))
        if W[i] @ W[i] > 0:
            X[row] -= (W[i] @ X[row] + b[i]) / (W[i] @ W[i]) * W[i]
    return X


class Round:
    """The proofs of one seed: header, lines, and the ends that the certificates state."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.kind, self.norm = KINDS[seed % len(KINDS)], NORMS[seed % 3]
        self.vote = None  # of two classes in a ball, for the oracle
        getattr(self, "_" + ("ball" if self.kind == "quota" else self.kind))(rng)

    def _ball(self, rng):
        k, n = int(rng.integers(1, 10)), int(rng.integers(1, 7))
        W, b, name = planes(rng, k, n)
        weights = rng.integers(1, 5, k).astype(float) if rng.random() < 0.4 else np.empty(0)
        self.name, self.vote = f"{self.kind}, {name}", _core.Ensemble(W, b, weights)
        if self.kind == "quota":
            total = weights.sum() if len(weights) else k
            self.vote = self.vote.with_quota(float(rng.integers(1, total + 1)))
        self.X = points(rng, W, b, ROWS)
        nodes = {"max_nodes": int(rng.integers(1, 9))} if rng.random() < 0.1 else {}
        found = certify(self.vote, self.X, self.norm, **nodes)
        self._keep(found, found.lower, found.upper)

    def _rules(self, rng):
        n = int(rng.integers(1, 7))
        rules = make_rules(rng, n, self.norm, finite=rng.random() < 0.5)
        W = np.round(rng.normal(size=(int(rng.integers(1, 8)), n)), 2)
        W = np.round(2 * W) if rng.random() < 0.4 else W
        vote = redoubt.Ensemble(W, np.round(rng.normal(size=len(W)), 1))
        self.X = make_points(rng, ROWS, n, rules)
        found = redoubt.certify(vote, self.X, attack_model=rules, proofs=True)
        headers = set(found.proofs.headers)
        self.name, self.header = "rules", headers.pop()
        assert not headers
        self.lines, self.ends, self.limits = found.proofs.lines, found.lower, found.upper
        self.reasons = [found.why_no_proof(row) for row in range(ROWS)]

    def _classes(self, rng):
        n_classes, n = int(rng.integers(2, 6)), int(rng.integers(1, 6))
        score = "value" if rng.random() < 0.4 else "votes"
        counts = [1 if score == "value" else int(rng.integers(1, 4)) for _ in range(n_classes)]
        W, b, name = planes(rng, sum(counts), n)
        weighs = score == "votes" and rng.random() < 0.3
        weights = rng.integers(1, 5, len(W)).astype(float) if weighs else np.empty(0)
        minus = (rng.random(len(W)) < 0.4).tolist() if score == "votes" else []
        vote = _core.ClassVote(_core.Ensemble(W, b, weights), counts, score, minus)
        self.name, self.X = f"{score}, {name}", points(rng, W, b, ROWS)
        y = rng.integers(0, n_classes, ROWS)
        settings = {"norm": self.norm, "solver": "native", "proofs": True}
        found = _core.certify_classes(vote, self.X, y, None, **settings)
        wrong = np.asarray(found.answer) != y
        lower, upper = np.asarray(found.lower), np.asarray(found.upper)
        self._keep(found, np.where(wrong, -upper, lower), np.where(wrong, -lower, upper))

    def _keep(self, found, ends, limits):
        self.header, self.lines = found.proof_header, found.proof
        self.ends, self.limits, self.reasons = ends, limits, found.why_no_proof


def certify(vote, X, norm, **more):
    return _core.certify(vote, X, None, norm=norm, solver="native", proofs=True, **more)


# --- verdicts ---------------------------------------------------------------------------------


class Checkers:
    """Both checkers of one header."""

    def __init__(self, header):
        try:
            self.vote = redoubt_check.Vote(redoubt_check.parse(header))
        except redoubt_check.MALFORMED:
            self.vote = None
        try:
            self.library = _core.ProofChecker(header, "proofs")
        except (_core.ParseError, _core.InvalidInput):
            self.library = None

    def by_python(self, line):
        """(verdict, reason or radius)"""
        try:
            if self.vote is None:
                return "malformed", "header"
            return "proven", float(redoubt_check.check_point(self.vote, redoubt_check.parse(line))[2])
        except redoubt_check.Refused as error:
            return "refused", error
        except redoubt_check.MALFORMED as error:
            return "malformed", error

    def by_library(self, line):
        try:
            if self.library is None:
                return "malformed", "header"
            found = self.library.check(line, 2)
        except (_core.ParseError, _core.InvalidInput) as error:
            return "malformed", error
        return ("proven", found.radius) if found.is_proven else ("refused", found.reason)


# --- damage -----------------------------------------------------------------------------------


def dump(record):
    return json.dumps(record, separators=(",", ":"))


def flipped(value, chance):
    """One bit of a number in JSON: of an integer, or of a double's 64."""
    if type(value) is int:
        return value ^ (1 << chance.randrange(8))
    bits = np.array([float.fromhex(value)]).view(np.int64)
    bits ^= np.int64(1) << np.int64(chance.randrange(63))
    other = float(bits.view(float)[0])
    return other.hex() if np.isfinite(other) else value


HUGE = (10**40, 2**53, 2**63, -(2**63), "0x1p+1023", "0x1p-1074", "0x1p+5000", "inf", "nan", 1e300)


def damaged(header, line, chance):
    """(what was done, header, line)."""
    kind = chance.choice(DAMAGE)
    record = json.loads(line)
    trees = record["trees"] if "trees" in record else [record["tree"]]
    nodes = [node for tree in trees for node in nodes_of(tree)]
    lists = [(by, at) for node in nodes for by, at in multipliers_of(node) if len(by) > at]
    if kind == "truncated":
        return kind, header, line[: chance.randrange(len(line) - 1)]
    if kind == "truncated header":
        return kind, header[: chance.randrange(len(header) - 1)], line
    if kind == "duplicate key":
        name = chance.choice(list(record))
        return kind, header, line.rstrip()[:-1] + f',"{name}":{dump(record[name])}}}'
    if kind == "byte":
        at = chance.randrange(len(line))
        return kind, header, line[:at] + chance.choice('0123456789abcdef[]{}",:-px.') + line[at + 1 :]
    if kind == "header byte":
        at = chance.randrange(len(header))
        return kind, header[:at] + chance.choice("0123456789abcdef") + header[at + 1 :], line
    if kind == "multiplier bit" and lists:
        by, first = chance.choice(lists)
        at = chance.randrange(first, len(by))
        by[at] = flipped(by[at], chance)
    elif kind == "charge bit":
        charges = [by[at - 1] for by, at in lists if isinstance(by[at - 1], list)]
        if charges:
            charge = chance.choice(charges)
            charge[0] = flipped(charge[0], chance)
    elif kind == "plane":
        entries = [(bar, 0) for node in nodes for bar in bars_of(node)]
        lists_of = [node for node in nodes if isinstance(node, list)]
        entries += [(node, at) for node in lists_of for at in range(1, len(node), 2)]
        if entries:
            entry, at = chance.choice(entries)
            entry[at] = chance.randrange(-1, 10)
    elif kind == "dropped node":
        ways = [(bars_of(node), at, 1) for node in nodes for at in range(len(bars_of(node)))]
        ways += [(cases_of(node), at, 1) for node in nodes for at in range(len(cases_of(node)))]
        lists_of = [node for node in nodes if isinstance(node, list)]
        ways += [(node, at, 2) for node in lists_of for at in range(1, len(node), 2)]
        if ways:
            entries, at, n = chance.choice(ways)
            del entries[at : at + n]
    elif kind == "emptied node":
        chance.choice(nodes).clear()
    elif kind == "swapped children":
        full = [node for node in nodes if isinstance(node, list) and len(node) > 3]
        if len(trees) > 1 and chance.random() < 0.5:
            trees[0], trees[-1] = trees[-1], trees[0]
        elif full:
            node = chance.choice(full)
            node[1:3], node[-2:] = node[-2:], node[1:3]
    elif kind == "case" and any(map(cases_of, nodes)):
        node = chance.choice([node for node in nodes if cases_of(node)])
        one = chance.choice(node["cases"])
        if "integer" in node:
            one[chance.randrange(2)] = chance.choice([None, *range(-3, 4)])
        elif one[0]:
            one[0].pop(chance.randrange(len(one[0])))
    elif kind == "hash":
        record["sha256"] = chance.choice([record["sha256"][::-1], "", "0" * 64])
    elif kind == "point":
        place = chance.randrange(len(record["point"]))
        record["point"][place] = flipped(record["point"][place], chance)
    elif kind == "radius" and record["radius"] != "inf":
        radius = float.fromhex(record["radius"])
        up = float(np.nextafter(radius, np.inf))
        record["radius"] = chance.choice([up, 1.001 * radius, 3 * radius, 0.999 * radius]).hex()
    elif kind == "infinite radius":
        record["radius"] = "inf"
    elif kind == "answer":
        record["answer"] = chance.choice([-record["answer"], record["answer"] + 1])
    elif kind == "label" and "label" in record:
        record["label"] += chance.choice([-1, 1])
    elif kind == "rivals" and "classes" in header:
        record["rivals"] = chance.choice([[], [0], [1], [0, 1], [0, 0], [9]])
    elif kind == "huge number":
        where = chance.choice(["row", "radius", "answer", "multiplier", "plane"])
        if where in record:
            record[where] = chance.choice(HUGE)
        elif lists:
            by, first = chance.choice(lists)
            at = chance.randrange(first, len(by)) if where == "multiplier" else 0
            by[at] = chance.choice(HUGE)
    elif kind == "header":
        head = json.loads(header)
        what = chance.choice(["weights", "intercepts", "planes", "quota", "norm", "model_sha256"])
        if what == "weights":
            head["weights"][chance.randrange(len(head["weights"]))] += chance.choice([-1, 1, 7])
        elif what == "intercepts":
            at = chance.randrange(len(head["intercepts"]))
            head["intercepts"][at] = flipped(head["intercepts"][at], chance)
        elif what == "planes":
            row = chance.choice(head["planes"])
            at = chance.randrange(len(row))
            row[at] = flipped(row[at], chance)
        elif what == "quota":
            head["quota"] = head.get("quota", 1) + chance.choice([-1, 1])
        elif what == "norm":
            head["norm"] = chance.choice(NORMS)
        else:
            head["model_sha256"] = "0" * 64
        return kind, dump(head), dump(record)
    return kind, header, dump(record)


DAMAGE = (
    *("truncated", "truncated header", "duplicate key", "byte", "header byte", "multiplier bit"),
    *("multiplier bit", "multiplier bit", "charge bit", "plane", "dropped node", "dropped node"),
    *("emptied node", "swapped children", "case", "hash", "point", "radius", "radius"),
    *("infinite radius", "answer", "label", "rivals", "huge number", "header", "header"),
)


# --- the oracle -------------------------------------------------------------------------------


def claim_of(header, line):
    """What is claimed, without the reasons."""
    head, record = json.loads(header), json.loads(line)
    for name in ("tree", "trees", "rivals", "witness", "row", "sha256"):
        record.pop(name, None)
    head.pop("model_sha256", None)
    radius = record.pop("radius")
    return (head, record), number(radius)


def is_true(before, header, line, row, chance):
    """Is what an accepted line claims confirmed? `before` is the round it comes from."""
    what, radius = claim_of(header, line)
    own, _ = claim_of(before.header, before.lines[row])
    if what == own:
        # The witness of the certificate stands against greater radii.
        return bool(radius <= before.limits[row])
    head, record = json.loads(header), json.loads(line)
    return is_true_by_enumeration(head, record, chance)


# --- the run ----------------------------------------------------------------------------------


def check_round(one, seed, checkers, counts):
    for row, line in enumerate(one.lines):
        if not line:
            counts["without: " + one.reasons[row]] += 1
            continue
        counts["proofs"] += 1
        counts["proofs, " + one.kind + ", " + one.norm] += 1
        counts["infinite"] += bool(np.isinf(one.ends[row]))
        counts["radius 0"] += bool(one.ends[row] == 0)
        for name, (verdict, radius) in (
            ("library", checkers.by_library(line)), ("Python", checkers.by_python(line)),
        ):  # fmt: skip
            if verdict != "proven":
                failure(counts, f"seed {seed} row {row}, {name}: {radius}")
            elif radius != one.ends[row]:
                failure(counts, f"seed {seed} row {row}, {name}: another end")


def failure(counts, text):
    counts["FAILED"] += 1
    print(text, flush=True)


def damage_round(one, seed, checkers, chance, counts):
    for row, line in enumerate(one.lines):
        if not line:
            continue
        kind, header, other = damaged(one.header, line, chance)
        both = checkers if header == one.header else Checkers(header)
        (verdict, _), (theirs, _) = both.by_python(other), both.by_library(other)
        counts["mutations"] += 1
        counts[f"mutations, {kind}: {theirs}"] += 1
        counts[f"mutations: {theirs}"] += 1
        if verdict != theirs:
            counts["DISAGREED"] += 1
            print(f"seed {seed} row {row} ({kind}): {verdict} by Python, {theirs} by the library", flush=True)
        if "proven" not in (verdict, theirs):
            continue
        confirmed = is_true(one, header, other, row, chance)
        counts["accepted, " + {True: "confirmed", False: "FALSE", None: "sampled"}[confirmed]] += 1
        if confirmed is False:
            failure(counts, f"seed {seed} row {row} ({kind}): a false claim is accepted")


def table(counts):
    """For benchmarks/results/proofs.md; of a run that ended, too: --proofs 0 --mutations 0."""
    verdicts = ", ".join(str(counts[f"mutations: {each}"]) for each in ("refused", "malformed", "proven"))
    without = [f"{reason.removeprefix('without: ')}: {n}" for reason, n in counts.items() if "without: " in reason]
    rows = [
        ("proofs checked by both checkers", counts["proofs"]),
        ("refused by one of them, or of another end than the certificate's; false claims accepted", counts["FAILED"]),
        ("infinite radii, radii of 0", f"{counts['infinite']}, {counts['radius 0']}"),
        ("certificates without a proof", "; ".join(without) or 0),
        ("damaged proofs", counts["mutations"]),
        ("of these refused, malformed, accepted by the C++ checker", verdicts),
        ("of these with another verdict of `redoubt_check.py`", counts["DISAGREED"]),
        ("accepted claims that an oracle confirmed", counts["accepted, confirmed"]),
        ("accepted claims of which it could only try a sample of the cases", counts["accepted, sampled"]),
        ("accepted claims that are false", counts["accepted, FALSE"]),
    ]
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--proofs", type=int, default=10_000)
    parser.add_argument("--mutations", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after this time at the latest")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--out", default="proof_run.json", help="the summary; goes on from there")
    given = parser.parse_args()
    counts, seed, began, written = collections.Counter(), given.first, time.monotonic(), 0.0
    if os.path.exists(given.out):
        with open(given.out, encoding="utf-8") as file:
            counts.update(json.load(file))
        given.first, seed = counts.pop("first"), counts.pop("next")
    earlier = counts.pop("processor seconds", 0.0)
    while counts["proofs"] < given.proofs or counts["mutations"] < given.mutations:
        one, chance = Round(seed), random.Random(seed)
        checkers = Checkers(one.header)
        if counts["proofs"] < given.proofs:
            check_round(one, seed, checkers, counts)
        # Evenly among the proofs.
        share = 1.05 * given.mutations / max(1, given.proofs)
        if counts["mutations"] < given.mutations and chance.random() < share:
            damage_round(one, seed, checkers, chance, counts)
        seed += 1
        now = time.monotonic()
        is_over = now - began > given.seconds or counts["proofs"] >= given.proofs
        if now - written > 10 or is_over:
            written = now
            summary = {"first": given.first, "next": seed, "processor seconds": earlier + time.process_time()}
            with open(given.out + ".new", "w", encoding="utf-8") as file:
                json.dump(summary | dict(sorted(counts.items())), file, indent=1)
            os.replace(given.out + ".new", given.out)
        if now - began > given.seconds:
            break
    print(table(counts))


if __name__ == "__main__":
    main()
