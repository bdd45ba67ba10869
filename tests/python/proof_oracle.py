"""Attacks the claim of a proof, without a search: every set of planes that suffices, every integer and
member within reach, the least move of the other features by linear or quadratic programming.

Written from docs/formats.md. What it finds is checked in exact arithmetic before a claim is called
false, so rounding here cannot blame a true one.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog, nnls

# More integers and members, or more programs, than this are sampled.
MOST_CASES, MOST_PROGRAMS = 300, 400
# Beyond the planes, relative and absolute, so that rounding does not spoil a move.
PUSHES = ((0.0, 0.0), (1e-12, 1e-13), (1e-9, 1e-10), (1e-7, 1e-8))


def number(value):
    if value in ("inf", "-inf") or type(value) is int:
        return float(value)
    return float.fromhex(value)


def numbers(values):
    return np.array([number(value) for value in values])


class Claim:
    """Floating-point copies of what a header and a line say."""

    def __init__(self, head, record):
        self.head, self.record = head, record
        self.x, self.radius = numbers(record["point"]), number(record["radius"])
        self.norm, n = head["norm"], len(self.x)
        self.W = np.array([numbers(row) for row in head["planes"]])
        self.b, self.weights = numbers(head["intercepts"]), head["weights"]
        self.at_zero = np.ones(len(self.b))
        self.at_zero[head.get("minus_at_zero", [])] = -1
        self.scale = numbers(head.get("scale", [1] * n))
        still = set(np.flatnonzero(self.scale == 0)) | set(record.get("frozen", []))
        self.lower = numbers(head.get("lower", ["-inf"] * n))
        self.upper = numbers(head.get("upper", ["inf"] * n))
        self.direction = head.get("direction", ["both"] * n)
        self.integers = [one for one in head.get("integers", []) if one["feature"] not in still]
        groups = head.get("groups", [])
        self.groups = [one for one in groups if still.isdisjoint(one["features"])]
        gridded = {one["feature"] for one in head.get("integers", [])}
        gridded.update(feature for one in groups for feature in one["features"])
        self.columns = [j for j in range(n) if j not in still | gridded]

    # --- the answer ---------------------------------------------------------------------------

    def questions(self):
        """(planes a, b and whether they are strict, counts): each changes the answer if reached."""
        answer = self.record["answer"]
        if "classes" not in self.head:
            total = sum(self.weights)
            quota = self.head.get("quota", (total + 1) // 2)
            planes = [self.plane(i, -answer) for i in range(len(self.b))]
            return [(planes, [(self.weights, quota if answer < 0 else total - quota + 1)])]
        n_classes, label = len(self.head["classes"]), self.record["label"]
        others = [c for c in range(n_classes) if c != label]
        if label == answer:
            return [self.beating(rival, [label]) for rival in others]
        return [self.beating(label, others)]

    def plane(self, i, v):
        return v * self.W[i], v * self.b[i], self.at_zero[i] != v

    def beating(self, label, rivals):
        if self.head["score"] == "value":
            return (
                [(self.W[label] - self.W[k], self.b[label] - self.b[k], label > k) for k in rivals],
                [(np.eye(len(rivals), dtype=int)[at].tolist(), 1) for at in range(len(rivals))],
            )
        of = np.repeat(np.arange(len(self.head["classes"])), self.head["classes"])
        mine = [i for i in range(len(of)) if of[i] in (label, *rivals)]
        planes = [self.plane(i, 1 if of[i] == label else -1) for i in mine]
        counts = []
        for rival in rivals:
            weights = [self.weights[i] if of[i] in (label, rival) else 0 for i in mine]
            total = sum(weights)
            counts.append((weights, (total + 1) // 2 if label < rival else total // 2 + 1))
        return planes, counts

    # --- moves --------------------------------------------------------------------------------

    def ends(self):
        """How far the features without a grid may go down and up."""
        low, high = np.minimum(0.0, self.lower - self.x), np.maximum(0.0, self.upper - self.x)
        low[[side == "up" for side in self.direction]] = 0.0
        high[[side == "down" for side in self.direction]] = 0.0
        return low[self.columns], high[self.columns]

    def choices(self):
        """By grid, (size, moved values by feature) of every choice within the radius."""
        return [*map(self.integer_choices, self.integers), *map(self.member_choices, self.groups)]

    def integer_choices(self, one):
        j, offset, scale = one["feature"], number(one["offset"]), number(one["scale"])
        step = Fraction(number(one["step"][0])) / Fraction(number(one["step"][1]))
        now, found = math.floor(self.x[j] * scale + offset + 0.5), [(Fraction(0), {})]
        for side, stop in ((-1, "up"), (1, "down")):
            limit = self.lower[j] if side < 0 else self.upper[j]
            for k in range(1, MOST_CASES if self.direction[j] != stop else 0):
                value = (now + side * k - offset) / scale
                if k * step >= self.radius or side * value > side * limit:
                    break
                found.append((k * step, {j: value}))
        return found

    def member_choices(self, one):
        features, size = one["features"], len(one["features"])
        on, off = numbers(one.get("on", [1] * size)), numbers(one.get("off", [0] * size))
        start = int(np.argmin(np.abs((self.x[features] - on) / (on - off))))
        prices = {(a, b): number(cost) for a, b, cost in one.get("prices", [])}
        found = [(Fraction(0), {})]
        for member in range(size):
            cost = prices.get((start, member), number(one["cost"]))
            if member != start and cost < self.radius:
                values = {j: on[i] if i == member else off[i] for i, j in enumerate(features)}
                found.append((Fraction(cost), values))
        return found

    def total(self, sizes):
        """To the power of the norm."""
        if self.norm == "l2":
            return sum(size * size for size in sizes)
        return sum(sizes) if self.norm == "l1" else max(sizes, default=Fraction(0))

    # --- the least move -----------------------------------------------------------------------

    def least(self, A, g, low, high):
        """d of the least size with A d >= g within the ends, or None."""
        s = self.scale[self.columns]
        n = len(s)
        if n == 0 or np.all(g <= 0):
            return np.zeros(n) if np.all(g <= 0) else None
        A, low, high = A * s, low / s, high / s
        if self.norm == "l2":
            sides = np.vstack([np.eye(n)[low > -np.inf], -np.eye(n)[high < np.inf]])
            G = np.vstack([A, sides])
            h = np.concatenate([g, low[low > -np.inf], -high[high < np.inf]])
            sizes = np.maximum(np.linalg.norm(G, axis=1), 1e-300)
            E = np.vstack([(G / sizes[:, None]).T, h / sizes])
            f = np.zeros(n + 1)
            f[n] = 1.0
            rest = E @ nnls(E, f, maxiter=50 * E.shape[1])[0] - f
            return -rest[:n] / rest[n] * s if abs(rest[n]) > 1e-12 else None
        if self.norm == "l1":
            found = linprog(
                np.ones(2 * n), A_ub=-np.hstack([A, -A]), b_ub=-g,
                bounds=[(0, end) for end in (*high, *-low)], method="highs",
            )  # fmt: skip
            return (found.x[:n] - found.x[n:]) * s if found.status == 0 else None
        eye, ones = np.eye(n), np.ones((n, 1))
        found = linprog(
            np.r_[np.zeros(n), 1.0],
            A_ub=np.vstack([np.c_[-A, np.zeros(len(A))], np.c_[eye, -ones], np.c_[-eye, -ones]]),
            b_ub=np.r_[-g, np.zeros(2 * n)], bounds=[*zip(low, high), (0, None)], method="highs",
        )  # fmt: skip
        return found.x[:n] * s if found.status == 0 else None

    # --- exactly ------------------------------------------------------------------------------

    def is_counterexample(self, d, sizes, values, planes, counts):
        """Does the move of these columns and grids change the answer, below the radius?"""
        moved, sizes = [Fraction(value) for value in self.x], list(sizes)
        for j, value in values.items():
            moved[j] = Fraction(value)
        low, high = self.ends()
        for j, step, down, up in zip(self.columns, d, low, high):
            step = min(max(step, down), up)
            moved[j] += Fraction(step)
            is_out = step and not self.lower[j] <= moved[j] <= self.upper[j]
            if is_out:  # the end of the range itself
                moved[j] = Fraction(self.lower[j] if step < 0 else self.upper[j])
            sizes.append(abs(moved[j] - Fraction(self.x[j])) / Fraction(self.scale[j]))
        if self.radius < math.inf:
            bound = Fraction(self.radius)
            if self.total(sizes) >= (bound * bound if self.norm == "l2" else bound):
                return False
        fooled = []
        for a, b, is_strict in planes:
            value = sum(Fraction(w) * m for w, m in zip(a, moved)) + Fraction(b)
            fooled.append(value > 0 or (value == 0 and not is_strict))
        return all(sum(w for w, f in zip(ws, fooled) if f) >= need for ws, need in counts)


def sets_that_suffice(counts, allowed):
    """All sets of these planes that reach the counts, but none with a plane too many."""
    for size in range(len(allowed) + 1):
        for planes in itertools.combinations(allowed, size):
            def reaches(some):
                return all(sum(ws[i] for i in some) >= need for ws, need in counts)

            if reaches(planes) and not any(
                reaches(planes[:at] + planes[at + 1 :]) for at in range(size)
            ):
                yield planes


def is_true(header, line, chance):
    """False: a move contradicts the claim. None: there is none among a sample of the cases."""
    claim = Claim(header, line)
    attacking = claim.head.get("attacking_class")
    if claim.radius == 0 or (attacking is not None and claim.record["label"] != attacking):
        return True
    low, high = claim.ends()
    choices = claim.choices()
    n_cases = math.prod(map(len, choices))
    is_whole = n_cases <= MOST_CASES and all(len(one) < MOST_CASES for one in choices)
    cases = list(itertools.product(*choices)) if n_cases <= MOST_CASES else [
        tuple(map(chance.choice, choices)) for _ in range(MOST_CASES)
    ]  # fmt: skip
    dual = {"l1": np.inf, "l2": 2, "linf": 1}[claim.norm]
    bound = Fraction(claim.radius) if claim.radius < math.inf else math.inf
    bound = bound * bound if claim.norm == "l2" else bound
    n_programs = 0
    for case in cases:
        sizes = [size for size, _ in case]
        if claim.total(sizes) >= bound:
            continue
        values = {j: value for _, one in case for j, value in one.items()}
        moved = claim.x.copy()
        moved[list(values)] = list(values.values())
        for planes, counts in claim.questions():
            g = np.array([-(a @ moved + b) for a, b, _ in planes])
            A = np.array([a[claim.columns] for a, _, _ in planes])
            reach = [np.linalg.norm(a * claim.scale[claim.columns], dual) if len(a) else 0.0 for a in A]
            room = 1e-9 * (1.0 + np.abs(g))
            allowed = [
                i for i in range(len(planes))
                if g[i] <= room[i] or (reach[i] > 0 and g[i] - room[i] < claim.radius * reach[i])
            ]  # fmt: skip
            for chosen in map(list, sets_that_suffice(counts, allowed)):
                if n_programs >= MOST_PROGRAMS:
                    return None
                n_programs += 1
                for relative, absolute in PUSHES:
                    goal = g[chosen] + relative * np.abs(g[chosen]) + absolute * (relative > 0)
                    d = claim.least(A[chosen], goal, low, high)
                    if d is None:
                        break
                    if claim.is_counterexample(d, sizes, values, planes, counts):
                        return False
    return True if is_whole else None
