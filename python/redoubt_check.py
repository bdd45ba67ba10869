"""Check certificates of robustness without trusting the program that made them.

    python redoubt_check.py proofs.jsonl --model model.json --data rows.csv

A proof file says, for points and a vote of planes: no move smaller than this radius changes the
answer; and it says why. This program follows the reasons in exact arithmetic, with nothing but
Python's standard library, and shares no code with the program that wrote them. The format and the
rules are in docs/formats.md, section "Proof files".

The claim. Plane i answers +1 where w_i'x + b_i >= 0 and -1 elsewhere; the vote answers +1 where the
planes that say +1 weigh at least as much as the others. Of the planes that leave the answer y of the
point x, no allowed move of a size below the radius fools enough to change the vote.

The proof. A node of its tree knows planes that are fooled (I) and planes that may be (F). It ends if
I and F together weigh too little, or if I is refuted: multipliers lambda >= 0 on I with
c = sum lambda_i a_i, a_i = -y w_i, and g_i = y (w_i'x + b_i) have lambda'g > sup c'd over all moves d
of size < radius (or equal to it, which no such move attains), because fooled planes have
a_i'd >= g_i.
"""

import argparse
import csv
import gzip
import hashlib
import json
import math
import sys
from fractions import Fraction

# A file is data from strangers: what no honest one needs is refused before it costs anything.
MAX_LINE, MAX_DEPTH, MAX_INTEGER = 1 << 28, 2000, 1 << 53
ZERO = Fraction(0)
HEADER_START = '{"redoubt_proofs":'  # a file may go on with another header, about another vote
HEADER = {"redoubt_proofs", "norm", "planes", "intercepts", "weights", "scale", "model_sha256"}
RULES = {"lower", "upper", "direction", "integers", "groups", "attacking_class", "unit"}
POINT = {"row", "sha256", "point", "answer", "label", "frozen", "radius", "tree", "witness"}


class Malformed(Exception):
    """Not a proof file."""


class Refused(Exception):
    """A proof that does not prove its claim."""


def demand(is_true, message, kind=Malformed):
    if not is_true:
        raise kind(message)


# --- numbers and fields -----------------------------------------------------------------------------


def exact(value):
    """(m, e) with value = m 2^e: an integer, or a double written in hexadecimal."""
    if type(value) is int:
        return value, 0
    demand(type(value) is str and len(value) <= 40, "expected an integer or a hexadecimal double")
    try:
        numerator, denominator = float.fromhex(value).as_integer_ratio()
    except (ValueError, OverflowError):
        raise Malformed(f"expected a finite hexadecimal double, found {value!r}") from None
    return numerator, 1 - denominator.bit_length()


def on_one_grid(numbers):
    """Integers n and an exponent e with number = n 2^e for all of them."""
    least = min((e for m, e in numbers if m), default=0)
    return [m << (e - least) if m else 0 for m, e in numbers], least


def compare(*numbers):
    """The sign of the first minus the second, both (m, e)."""
    (a, b), _ = on_one_grid(numbers)
    return (a > b) - (a < b)


def fraction(m, e=0):
    return Fraction(m << e) if e >= 0 else Fraction(m, 1 << -e)


def end(value):
    """A fraction; None for an infinite number."""
    return None if value in ("inf", "-inf") else fraction(*exact(value))


def list_of(record, name, length, default=None):
    values = record.get(name, default)
    demand(type(values) is list and length in (None, len(values)), f"{name}: expected a list")
    return values


def expect_fields(record, known, what):
    demand(type(record) is dict, f"{what}: expected an object")
    demand(set(record) <= known, f"{what}: unknown field {sorted(set(record) - known)[:1]}")


def check_features(values, n):
    is_right = all(type(v) is int and 0 <= v < n for v in values)
    demand(is_right and len(set(values)) == len(values), "expected features, each once")
    return values


# --- the header: planes and moves -------------------------------------------------------------------


class Vote:
    """The planes as integers on one grid, their weights, and the rules of moves."""

    def __init__(self, header):
        is_right = type(header) is dict and header.get("redoubt_proofs") == 1
        demand(is_right, "header: expected redoubt_proofs of version 1")
        expect_fields(header, HEADER | RULES, "header")
        rows = list_of(header, "planes", None)
        self.n = len(rows[0])
        is_right = self.n > 0 and all(type(row) is list and len(row) == self.n for row in rows)
        demand(is_right, "planes: expected lists of one length")
        flat, self.exponent = on_one_grid([exact(value) for row in rows for value in row])
        self.planes = [flat[i : i + self.n] for i in range(0, len(flat), self.n)]
        self.intercepts = [exact(value) for value in list_of(header, "intercepts", len(rows))]
        self.weights = list_of(header, "weights", len(rows))
        are_right = all(type(weight) is int and weight > 0 for weight in self.weights)
        demand(are_right, "weights: expected integers > 0")
        scale = [exact(value) for value in list_of(header, "scale", self.n, [1] * self.n)]
        demand(all(m >= 0 for m, e in scale), "scale: expected numbers >= 0")
        self.scale, self.scale_exponent = on_one_grid(scale)
        self.rules = Rules(header, [fraction(*s) for s in scale])
        self.model_hash = header.get("model_sha256")

    def margins(self, point):
        """w_i'x + b_i of all planes as integers on one grid, whose exponent comes second."""
        point, exponent = on_one_grid(point)
        sums = [sum(w * x for w, x in zip(plane, point) if w and x) for plane in self.planes]
        margins = [(value, self.exponent + exponent) for value in sums]
        both, exponent = on_one_grid(margins + self.intercepts)
        k = len(margins)
        return [both[i] + both[k + i] for i in range(k)], exponent

    def answer(self, margins):
        total = sum(w if m >= 0 else -w for w, m in zip(self.weights, margins))
        return 1 if total >= 0 else -1


class Integer:
    """A feature with the values (z - offset) / scale of integers z, as IEEE doubles round them."""

    def __init__(self, record):
        expect_fields(record, {"feature", "offset", "scale", "step"}, "integers")
        self.offset, self.scale = (float(fraction(*exact(record[n]))) for n in ("offset", "scale"))
        top, bottom = map(end, list_of(record, "step", 2))
        self.step = top / bottom  # the size of a move by 1
        demand(self.scale > 0 and self.step > 0, "integers: expected a scale and a step > 0")

    def value(self, z):
        demand(abs(z) <= MAX_INTEGER, "an integer beyond 2^53", Refused)
        return Fraction((z - self.offset) / self.scale)

    def nearest(self, x):
        return math.floor(float(x) * self.scale + self.offset + 0.5)

    def inside(self, limit, start, side):
        """The last integer from `start` to the side whose value does not pass the limit."""
        if limit is None or abs(self.nearest(limit)) >= MAX_INTEGER // 2:
            return None
        z = self.nearest(limit) + 2 * side
        while (z - start) * side > 0 and (self.value(z) - limit) * side > 0:
            z -= side
        return max(z, start) if side > 0 else min(z, start)


class Group:
    """Features of which exactly one is on."""

    def __init__(self, record, n):
        expect_fields(record, {"features", "on", "off", "cost", "prices"}, "groups")
        self.features = check_features(list_of(record, "features", None), n)
        size = len(self.features)
        self.on = [fraction(*exact(v)) for v in list_of(record, "on", size, [1] * size)]
        self.off = [fraction(*exact(v)) for v in list_of(record, "off", size, [0] * size)]
        self.cost = end(record["cost"])
        self.prices = {(a, b): end(cost) for a, b, cost in list_of(record, "prices", None, [])}
        self.costs = [self.cost, *self.prices.values()]
        is_right = all(cost is None or cost >= 0 for cost in self.costs)
        demand(is_right and size > 0, "groups: expected features and costs >= 0")

    def price(self, start, member):
        """None: there is no such switch."""
        return ZERO if start == member else self.prices.get((start, member), self.cost)

    def member_on(self, point):
        """The member whose value is nearest to on."""
        members = zip(self.features, self.on, self.off)
        ways = [abs((point[feature] - on) / (on - off)) for feature, on, off in members]
        return ways.index(min(ways))


class Rules:
    """What the header says of moves."""

    def __init__(self, header, scale):
        n, self.scale, self.norm = len(scale), scale, header.get("norm")
        demand(self.norm in ("l1", "l2", "linf"), "norm: expected 'l1', 'l2' or 'linf'")
        self.power = 2 if self.norm == "l2" else 1
        self.lower = [end(value) for value in list_of(header, "lower", n, ["-inf"] * n)]
        self.upper = [end(value) for value in list_of(header, "upper", n, ["inf"] * n)]
        self.direction = list_of(header, "direction", n, ["both"] * n)
        is_right = set(self.direction) <= {"both", "up", "down"}
        demand(is_right, "direction: expected 'both', 'up' or 'down'")
        integers = list_of(header, "integers", None, [])
        self.integers = {record["feature"]: Integer(record) for record in integers}
        self.groups = [Group(record, n) for record in list_of(header, "groups", None, [])]
        grouped = [feature for group in self.groups for feature in group.features]
        check_features(grouped + [record["feature"] for record in integers], n)
        self.attacking_class = header.get("attacking_class")
        self.are_any = not RULES.isdisjoint(header)
        self.unit = None
        if "unit" in header:
            top, bottom = map(end, list_of(header, "unit", 2))
            self.unit = top / bottom
            sizes = [one.step for feature, one in self.integers.items() if scale[feature]]
            for group in self.groups:
                if all(scale[feature] for feature in group.features):
                    sizes += filter(None, group.costs)
            is_right = self.unit > 0 and all(s % self.unit == 0 for s in sizes)
            demand(is_right, "unit: not all sizes are multiples of it")


# --- moves of one point -----------------------------------------------------------------------------


class Moves:
    """The moves of one point that are smaller than its radius."""

    def __init__(self, rules, point, radius, frozen):
        self.rules, self.norm, self.radius = rules, rules.norm, radius  # None: infinite
        self.point = [fraction(*value) for value in point]
        n = len(point)
        still = {j for j in range(n) if rules.scale[j] == 0} | set(check_features(frozen, n))
        self.groups = {g.features[0]: g for g in rules.groups if still.isdisjoint(g.features)}
        self.on = {j: group.member_on(self.point) for j, group in self.groups.items()}
        self.integers = {j: one for j, one in rules.integers.items() if j not in still}
        self.now = {j: one.nearest(self.point[j]) for j, one in self.integers.items()}
        others = still.union(self.integers, *(group.features for group in rules.groups))
        self.columns = [j for j in range(n) if j not in others]
        switching = [group.features for group in self.groups.values()]
        self.movable = set(self.columns).union(self.integers, *switching)
        self.ends = {j: self.ends_of(j) for j in self.columns}
        is_grid = bool(self.groups or self.integers)
        self.needs_charge = rules.are_any and (is_grid or self.norm == "linf")
        # What sizes below the radius are at most, to the power of the norm, and do they get there?
        self.budget = None if radius is None else radius**rules.power
        is_fixed = all(ends == (0, 0) for ends in self.ends.values())
        self.is_reached = is_fixed and None not in (radius, rules.unit)
        if self.is_reached:
            unit = rules.unit**rules.power
            less = unit * (math.ceil(self.budget / unit) - 1)
            self.is_reached = less < unit * (MAX_INTEGER - 1)
            self.budget = less if self.is_reached else self.budget

    def ends_of(self, j):
        """How far a feature may go down and up; None: without an end."""
        lower, upper, x = self.rules.lower[j], self.rules.upper[j], self.point[j]
        down = None if lower is None else min(ZERO, lower - x)
        up = None if upper is None else max(ZERO, upper - x)
        return {"both": (down, up), "up": (ZERO, up), "down": (down, ZERO)}[self.rules.direction[j]]

    def box(self):
        """All integers and members: what the cases of the tree are parts of."""
        box = {place: range(len(group.features)) for place, group in self.groups.items()}
        for j, one in self.integers.items():
            now, side = self.now[j], self.rules.direction[j]
            first = now if side == "up" else one.inside(self.rules.lower[j], now, -1)
            last = now if side == "down" else one.inside(self.rules.upper[j], now, 1)
            box[j] = first, last
        return box

    def most(self, slope_of, charge, box):
        """(s, is it attained?): the supremum s of c'd - charge size(d)^p + charge budget.

        Over moves d of the box. None if it is infinite; minus infinity if there are no such moves.
        """
        if charge and self.budget is None:
            return None
        total = charge * self.budget if charge else ZERO
        is_attained = not charge or self.is_reached
        groups = [self.gains(j, box[j], slope_of, charge) for j in self.groups]
        gains = [max(group, default=-math.inf) for group in groups]
        for j in self.integers:
            gains.append(self.most_of_integer(j, self.cut(j, *box[j]), slope_of(j), charge))
        if -math.inf in gains:
            return -math.inf, True
        for j in self.columns:
            slope = slope_of(j)
            if slope:
                gain, is_cut = self.most_of(j, slope, charge)
                gains.append(gain)
                is_attained = is_attained and not is_cut
        return None if None in gains else (total + sum(gains), is_attained)

    def gains(self, place, members, slope_of, charge):
        group, start = self.groups[place], self.on[place]
        for member in members:
            cost = group.price(start, member)
            if cost is not None and (self.radius is None or cost < self.radius):
                gain = -charge * cost**self.rules.power
                for i, j in enumerate(group.features if member != start else ()):
                    value = (group.on if i == member else group.off)[i]
                    gain += slope_of(j) * (value - self.point[j])
                yield gain

    def cut(self, j, first, last):
        """The integers of a span to which a move is smaller than the radius."""
        if self.radius is not None:
            reach = math.ceil(self.radius / self.integers[j].step) - 1
            low, high = self.now[j] - reach, self.now[j] + reach
            first = low if first is None else max(first, low)
            last = high if last is None else min(last, high)
        return first, last

    def most_of_integer(self, j, span, slope, charge):
        (first, last), one, x, now = span, self.integers[j], self.point[j], self.now[j]
        if None not in span and first > last:
            return -math.inf
        side = 1 if slope >= 0 else -1
        far = last if side > 0 else first
        if not charge and (not slope or far is None):
            return None if slope else ZERO
        # Where the point stands nothing changes, whatever the value of that integer is.
        stays = (first is None or first <= now) and (last is None or now <= last)
        least = ZERO if stays else -math.inf
        if not charge:
            return least if far == now else max(slope * (one.value(far) - x), least)
        # Linear but for rounding, less the charge: the best number of steps to the side.
        near, far = sorted((side * (first - now), side * (last - now)))
        rate, price = abs(slope) / Fraction(one.scale), charge * one.step**self.rules.power
        best = far if rate > price else 0
        if self.norm == "l2":
            best = math.ceil((rate / price - 1) / 2)
        steps = min(max(best, 0, near), far)
        gain = slope * (one.value(now + side * steps) - x) - price * abs(steps) ** self.rules.power
        if (one.offset, one.scale) != (0, 1):
            largest = max(abs(one.value(first)), abs(one.value(last)))
            gain += abs(slope) * (largest / (1 << 50) + Fraction(1, 1 << 1000))
        return max(gain, least)

    def most_of(self, j, slope, charge):
        """Of a feature without a grid; and does the radius cut it off?"""
        size, end, scale = abs(slope), self.ends[j][slope > 0], self.rules.scale[j]
        end = None if end is None else abs(end)
        if self.norm == "linf" and self.radius is not None:
            reach = self.radius * scale
            if end is None or end >= reach:
                return size * reach, True
        elif charge and self.norm == "l1":
            if size * scale <= charge:
                return ZERO, False
            return (None if end is None else end * (size - charge / scale)), False
        elif charge:
            if end is None or size * scale**2 <= 2 * charge * end:
                return (size * scale) ** 2 / (4 * charge), False
            return size * end - charge * (end / scale) ** 2, False
        return (None if end is None else size * end), False

    def split(self, node, box, where):
        """The boxes of all cases with their nodes; together they must be this one."""
        name = "group" if "group" in node else "integer"
        place, cases = node.get(name), list_of(node, "cases", None)
        known = self.groups if name == "group" else self.integers
        demand(type(place) is int and place in known, f"{where}: no {name} {place!r}", Refused)
        if name == "group":
            parts = [[m for m in box[place] if m in members] for members, _ in cases]
            missing, start = set(box[place]).difference(*parts), self.on[place]
            is_covered = all(self.groups[place].price(start, m) is None for m in missing)
        else:
            parts = [(first, last) for first, last, _ in cases]
            next_one, last_one = box[place]  # the first that is not covered yet
            is_covered = len(cases) > 0
            for number, (first, last) in enumerate(parts):
                is_right = {type(first), type(last)} <= {int, type(None)}
                demand(is_right, f"{where}: expected integers or null")
                is_covered &= first is None or (next_one is not None and first <= next_one)
                is_covered &= last is not None or number == len(cases) - 1
                next_one = None if last is None else last + 1
            is_covered &= next_one is None or (last_one is not None and next_one > last_one)
        demand(is_covered, f"{where}: the cases are not all", Refused)
        return [({**box, place: part}, case[-1]) for part, case in zip(parts, cases)]


# --- the proof of one point -------------------------------------------------------------------------


class Claim:
    """What a line says about its point, and what follows from the planes alone."""

    def __init__(self, vote, record, what):
        self.vote = vote
        expect_fields(record, POINT, what)
        self.point = [exact(value) for value in list_of(record, "point", vote.n)]
        margins, self.exponent = vote.margins(self.point)
        self.answer = vote.answer(margins)
        is_right = record["answer"] == self.answer
        demand(is_right, f"the answer at the point is {self.answer}", Refused)
        # Of the planes, by how much each speaks for the answer: g_i.
        self.support = [self.answer * margin for margin in margins]
        # Leaving +1 takes a strict inequality, leaving -1 does not.
        self.is_strict = self.answer > 0
        # More than half of the weight leaves +1, half of it -1.
        self.need = (sum(vote.weights) + 1 + self.is_strict) // 2
        self.radius = None if record["radius"] == "inf" else exact(record["radius"])
        demand(self.radius is None or self.radius[0] >= 0, "radius: expected a number >= 0")
        # Points of the class that does not attack stay where they are.
        attacking = vote.rules.attacking_class
        self.attacks = attacking is None or record["label"] == attacking
        radius = None if self.radius is None else fraction(*self.radius)
        self.moves = Moves(vote.rules, self.point, radius, list_of(record, "frozen", None, []))

    def refutes(self, planes, multipliers, charge, box):
        """Can no move of the box below the radius fool these planes together?"""
        vote = self.vote
        total = (sum(m * self.support[i] for i, m in zip(planes, multipliers)), self.exponent)

        def slope_of(column):
            slope = sum(m * vote.planes[i][column] for i, m in zip(planes, multipliers))
            return -self.answer * slope

        if charge is None and not self.moves.needs_charge:
            slopes = [slope_of(j) * vote.scale[j] for j in self.moves.columns]
            return bool(planes) and self.refutes_in_ball(total, slopes)
        charge = fraction(*(charge or (0, 0)))
        bound = self.moves.most(lambda j: fraction(slope_of(j), vote.exponent), charge, box)
        if bound is None:
            return False
        rest = fraction(*total) - bound[0]
        return rest > 0 or (rest == 0 and (not bound[1] or bool(self.is_strict and planes)))

    def refutes_in_ball(self, total, slopes):
        exponent = self.vote.exponent + self.vote.scale_exponent
        if not any(slopes):  # no move changes their sum
            return total[0] > 0 or (total[0] == 0 and self.is_strict)
        if self.radius is None or total[0] <= 0:
            # A move of size < radius with c'd = lambda'g would have to be ruled out by c != 0.
            return self.radius is not None and total[0] == 0 == self.radius[0]
        r, r_exponent = self.radius
        if self.vote.rules.norm == "l2":
            bound = r * r * sum(slope * slope for slope in slopes), 2 * (r_exponent + exponent)
            return compare((total[0] ** 2, 2 * total[1]), bound) >= 0
        sizes = [abs(slope) for slope in slopes]
        dual = sum(sizes) if self.vote.rules.norm == "linf" else max(sizes)
        # Equality is enough: no move of a smaller size attains the bound.
        return compare(total, (r * dual, r_exponent + exponent)) >= 0


class Tree:
    """Follows the tree of one proof."""

    KINDS = ({"refuted"}, {"barred", "children"}, {"group", "cases"}, {"integer", "cases"})

    def __init__(self, claim):
        self.claim, self.weights = claim, claim.vote.weights

    def check(self, node, members, free, box, place="tree", depth=0):
        demand(depth <= MAX_DEPTH, f"{place}: more than {MAX_DEPTH} levels", Refused)
        is_right = type(node) is dict and any(set(node) <= kind for kind in self.KINDS)
        demand(is_right, f"{place}: expected refuted, barred and children, or cases")
        if "refuted" in node:
            return self.refute(node["refuted"], members, box, f"{place}.refuted")
        if "cases" in node:
            for number, (part, child) in enumerate(self.claim.moves.split(node, box, place)):
                self.check(child, members, free, part, f"{place}.cases[{number}]", depth + 1)
            return None
        free = set(free)
        for number, bar in enumerate(list_of(node, "barred", None, [])):
            here = f"{place}.barred[{number}]"
            plane = self.plane(bar[0], free, here)
            self.refute(bar[1:], members | {plane}, box, here)
            free.discard(plane)
        children = list_of(node, "children", None, [])
        planes = []
        for number, (plane, _) in enumerate(children):
            planes.append(self.plane(plane, free - set(planes), f"{place}.children[{number}]"))
        rest = free - set(planes)
        is_covered = sum(self.weights[i] for i in members | rest) < self.claim.need
        demand(is_covered, f"{place}: planes that are not covered weigh enough", Refused)
        for number, (plane, child) in enumerate(children):
            # The cases by the last child that is fooled.
            more, here = rest | set(planes[:number]), f"{place}.children[{number}]"
            self.check(child, members | {plane}, more, box, here, depth + 1)
        return None

    def plane(self, value, allowed, place):
        is_right = type(value) is int and value in allowed
        demand(is_right, f"{place}: no plane that may be fooled here: {value!r}", Refused)
        return value

    def refute(self, by, members, box, place):
        planes, given, *charges = by
        moves = self.claim.moves
        is_right = type(planes) is type(given) is list and len(planes) == len(given)
        demand(is_right, f"{place}: expected a multiplier for each plane")
        demand(planes or moves.rules.are_any, f"{place}: expected at least one plane", Refused)
        for plane in planes:
            self.plane(plane, members, place)
        demand(len(set(planes)) == len(planes), f"{place}: expected each plane once", Refused)
        multipliers, exponent = on_one_grid([exact(value) for value in given])
        demand(all(m > 0 for m in multipliers), f"{place}: expected multipliers > 0", Refused)
        charge = None
        if charges:
            (m, e), *more = map(exact, charges)
            is_right = m >= 0 and not more and moves.rules.are_any and moves.norm != "linf"
            demand(is_right, f"{place}: no such charge")
            charge = (m, e - exponent)  # for multipliers on their grid
        text = f"{place}: the multipliers prove less than the radius"
        demand(self.claim.refutes(planes, multipliers, charge, box), text, Refused)


def check_witness(vote, claim, record):
    """The other end: the answer at the witness is another one."""
    if record.get("witness") is None:
        return
    moved = [exact(value) for value in list_of(record, "witness", vote.n)]
    for j, (before, after) in enumerate(zip(claim.point, moved)):
        may_differ = j in claim.moves.movable or compare(before, after) == 0
        demand(may_differ, f"witness: feature {j} does not move", Refused)
    answer = vote.answer(vote.margins(moved)[0])
    demand(answer != claim.answer, "witness: the answer there is the same", Refused)


def check_point(vote, record, what):
    """Raises Refused or Malformed; returns the claim."""
    try:
        claim = Claim(vote, record, what)
        text = json.dumps(record["point"], separators=(",", ":")).encode()
        is_right = record["sha256"] == hashlib.sha256(text).hexdigest()
        demand(is_right, "sha256 is not that of the point", Refused)
        check_witness(vote, claim, record)
        if claim.attacks and (claim.radius is None or claim.radius[0] > 0):
            planes = frozenset(range(len(vote.planes)))
            Tree(claim).check(record["tree"], frozenset(), planes, claim.moves.box())
    except (Malformed, *SHAPE) as error:
        raise Malformed(f"{what}: {error}") from None
    return claim


# What Python says of values that are not those of a proof file.
SHAPE = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)


# --- files ------------------------------------------------------------------------------------------


def _unique(pairs):
    demand(len({name for name, _ in pairs}) == len(pairs), "a name occurs twice in one object")
    return dict(pairs)


def _no_number(text):
    demand(False, f"expected integers or hexadecimal texts, found {text[:40]}")


def parse(line, what):
    demand(len(line) <= MAX_LINE, f"{what}: longer than {MAX_LINE} bytes")
    try:
        hooks = {"parse_float": _no_number, "parse_constant": _no_number}
        return json.loads(line, object_pairs_hook=_unique, **hooks)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"{what}: {error}") from None


def open_lines(path):
    with open(path, "rb") as file:
        opener = gzip.open if file.read(2) == b"\x1f\x8b" else open
    return opener(path, "rt", encoding="utf-8")


def read_header(record):
    try:
        return Vote(record)
    except SHAPE as error:
        raise Malformed(f"header: {error}") from None


class Model:
    """The model file that the proofs must be about."""

    def __init__(self, path, vote):
        with open(path, "rb") as file:
            content = file.read()
        is_right = vote.model_hash == hashlib.sha256(content).hexdigest()
        text = f"{path} is not the model that the proofs are about (another SHA-256)"
        demand(is_right, text, Refused)
        fields = json.loads(content)
        self.names, self.scaler = fields.get("feature_names"), fields.get("scaler")
        planes, features = fields.get("planes", []), range(1, vote.n + 1)
        same = [fraction(*b) for b in vote.intercepts] == [Fraction(plane["b"]) for plane in planes]
        for ours, plane in zip(vote.planes, planes):
            same &= [fraction(w, vote.exponent) for w in ours] == self.weights(plane, features)
        demand(same or not planes, f"{path} has other planes than the proofs", Refused)

    @staticmethod
    def weights(plane, features):
        numbered = dict(zip(plane.get("features", features), plane["w"]))
        return [Fraction(numbered.get(feature, 0)) for feature in features]

    def scaled_rows(self, path):
        """(number, point) of the rows of a table with a header and these numbers among others."""
        with open_lines(path) as lines:
            separator = max(",;\t", key=lines.readline().count)
            lines.seek(0)
            rows = csv.reader(lines, delimiter=separator)
            header = next(rows)
            missing = [name for name in self.names if name not in header]
            demand(not missing, f"{path}: columns not found: {missing[:3]}")
            places = [header.index(name) for name in self.names]
            for number, row in enumerate(filter(None, rows), 1):
                values = zip(places, self.scaler["offset"], self.scaler["scale"])
                yield number, [Fraction((float(row[i]) - offset) / by) for i, offset, by in values]


def check_file(path, model=None, quiet=False, out=sys.stdout, data=None):
    """Check all proofs of a file. Returns the numbers of proven and refused points."""
    proven, refused, vote, rows = 0, 0, None, None
    with open_lines(path) as lines:
        for number, line in enumerate(lines, 1):
            what = f"line {number}"
            record = parse(line, what)
            try:
                if vote is None or line.startswith(HEADER_START):
                    vote = read_header(record)
                    table = Model(model, vote) if model is not None else None
                    rows = table.scaled_rows(data) if data is not None else None
                    continue
                claim = check_point(vote, record, what)
                if rows is not None:
                    point = next((values for at, values in rows if at == record["row"]), None)
                    text = "the data has another point there"
                    demand(point == claim.moves.point, text, Refused)
            except Refused as error:
                demand("row" in record, str(error))
                refused += 1
                print(f"row {record['row']}: refused: {error}", file=out)
                continue
            except SHAPE as error:
                raise Malformed(f"{what}: {error}") from None
            proven += 1
            if not quiet:
                size = math.inf if claim.radius is None else float(claim.moves.radius)
                text = f"proven: answer {claim.answer:+d} within {size:.17g}"
                print(f"row {record['row']}: {text}", file=out)
    return proven, refused


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Check proofs of robustness in exact arithmetic.")
    parser.add_argument("proofs", help="the proof file, JSON lines, possibly gzipped")
    parser.add_argument("--model", help="the model file that the proofs must be about")
    parser.add_argument("--data", help="the table of the points: named columns of numbers")
    parser.add_argument("--quiet", action="store_true", help="no line for proven points")
    given = parser.parse_args(arguments)
    if given.data and not given.model:
        parser.error("--data needs --model")
    sys.setrecursionlimit(10 * MAX_DEPTH)
    try:
        proven, refused = check_file(given.proofs, given.model, given.quiet, data=given.data)
    except (Malformed, Refused, OSError, EOFError, UnicodeDecodeError) as error:
        print(f"redoubt_check: {given.proofs}: {error}", file=sys.stderr)
        return 2
    print(f"{proven} proven, {refused} refused")
    return 1 if refused or not proven else 0


if __name__ == "__main__":
    sys.exit(main())
