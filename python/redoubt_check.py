"""Check certificates of robustness without trusting the program that made them.

    python redoubt_check.py proofs.jsonl --model model.json --data rows.csv

A proof file says of points and a vote of planes: no move smaller than this radius changes the
answer; and it says why. This program follows the reasons in exact arithmetic, with nothing but
Python's standard library, and shares no code with the program that wrote them. The format and the
rules are in docs/formats.md, section "Proof files".

The claim. An answer changes where enough planes answer otherwise than now: are fooled. A plane that
is to answer v, +1 or -1, is fooled by d only if a'd >= g, with a = v w and g = -v (w'x + b), and if
it answers -v where it is 0, only if a'd > g.

The proof. A node of its tree knows planes that are fooled (I) and planes that may be (F). It ends if
I and F together weigh too little, or if I is refuted: by multipliers lambda > 0 whose sum of
lambda g is above that of lambda a'd for all moves d of a size below the radius.
"""

import argparse
import contextlib
import csv
import gzip
import hashlib
import json
import math
import re
import sys
import zlib
from fractions import Fraction
from operator import mul

# A file is data from strangers: what no honest one needs is refused before it costs anything.
MAX_LINE, MAX_DEPTH, MAX_INTEGER, MAX_WEIGHT = 1 << 28, 2000, 1 << 53, 1 << 61
HEADER_START = '{"redoubt_proofs":'  # a file may go on with another header, about another vote
HEADER = "redoubt_proofs norm planes intercepts weights scale model_sha256 quota minus_at_zero"
CLASSES, RULES = "classes score", "lower upper direction integers groups attacking_class unit"
POINT = "row sha256 point answer label frozen radius tree trees rivals witness"
NODES = ({"refuted"}, {"group", "cases"}, {"integer", "cases"})
HEXADECIMAL = re.compile(r"-?0x([0-9a-f]+(?:\.[0-9a-f]*)?)(?:p[+-]?[0-9]+)?")


class Malformed(Exception):
    """Not a proof file."""


class Refused(Exception):
    """A proof that does not prove its claim."""


# What Python says of values that are not those of a proof file.
SHAPE = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)


def demand(is_true, message, kind=Malformed):
    if not is_true:
        raise kind(message)


@contextlib.contextmanager
def naming(what):
    """Says where it is that something is malformed."""
    try:
        yield
    except (Malformed, *SHAPE) as error:
        raise Malformed(f"{what}: {error}") from None


# --- fields -----------------------------------------------------------------------------------------


def exact(value):
    """A fraction: of an integer, or of a double written in hexadecimal."""
    if type(value) is int:
        demand(abs(value) <= MAX_INTEGER, "expected integers of at most 53 bits")
        return Fraction(value)
    found = HEXADECIMAL.fullmatch(value) if type(value) is str else None
    demand(found, f"expected an integer or a hexadecimal double, found {str(value)[:40]!r}")
    number = float.fromhex(value)
    demand(number or not found[1].strip("0."), "expected doubles that are not too small")
    return Fraction(number)


def end(value):
    """The same, or an infinite number."""
    return float(value) if value in ("inf", "-inf") else exact(value)


def listed(value, length=None):
    is_right = type(value) is list and length in (None, len(value))
    demand(is_right, f"expected a list of {length or 'any length'}")
    return value


def numbers(value, length=None):
    return [exact(entry) for entry in listed(value, length)]


def whole(value):
    demand(type(value) is int and -(1 << 63) <= value < 1 << 63, "expected an integer of 64 bits")
    return value


def places(value, n):
    """Different numbers below n."""
    is_right = all(type(one) is int and 0 <= one < n for one in listed(value))
    demand(is_right and len(set(value)) == len(value), f"expected numbers below {n}, each once")
    return value


def expect_fields(record, known):
    demand(type(record) is dict, "expected an object")
    for name in record:
        demand(name in known.split(), f"unknown field {name!r}")


def on_grid(values):
    """Integers n and a unit u with value = n u, for doubles and their products."""
    bottom = max((value.denominator for value in values), default=1)
    return [v.numerator * (bottom // v.denominator) for v in values], Fraction(1, bottom)


# --- the vote ---------------------------------------------------------------------------------------


class Question:
    """Planes that are to answer otherwise, by number: (row, intercept, answer wanted, answer at 0);
    and counts that they must reach, each with the weights of planes and how much is needed."""

    def __init__(self, planes, *counts):
        self.planes, self.counts = planes, counts

    def is_reached(self, planes):
        return all(sum(w.get(i, 0) for i in planes) >= need for w, need in self.counts)


class Vote:
    """A header: the planes as integers on one grid, how they make an answer, and the moves."""

    def __init__(self, header):
        expect_fields(header, f"{HEADER} {CLASSES} {RULES}")
        rows = [numbers(row) for row in listed(header["planes"])]
        k, self.n = len(rows), len(rows[0])
        demand(0 < self.n == min(map(len, rows)) == max(map(len, rows)), "planes: not a matrix")
        flat, self.unit = on_grid([value for row in rows for value in row])
        self.rows = [flat[i : i + self.n] for i in range(0, len(flat), self.n)]
        self.intercepts = numbers(header["intercepts"], k)
        self.weights = listed(header["weights"], k)
        is_right = all(0 < whole(weight) <= MAX_WEIGHT // k for weight in self.weights)
        demand(is_right, "weights: expected integers > 0 of at most 61 bits together")
        minus = places(header.get("minus_at_zero", []), k)
        self.at_zero = [-1 if i in minus else 1 for i in range(k)]
        total = sum(self.weights)
        self.quota = whole(header.get("quota", (total + 1) // 2))
        demand(0 < self.quota <= total, "quota: expected at least 1, at most all weights")
        self.answers, self.class_of = (-1, 1), None
        if not {"classes", "score"}.isdisjoint(header):
            counts = listed(header["classes"])
            self.is_value = {"value": True, "votes": False}[header["score"]]
            is_right = len(counts) > 1 and all(whole(c) > 0 for c in counts) and sum(counts) == k
            is_right = is_right and (k == len(counts) or not self.is_value)
            demand(is_right and "quota" not in header, "classes: wrong counts, or a quota")
            self.answers = range(len(counts))
            self.class_of = [c for c in self.answers for _ in range(counts[c])]
        self.rules = Rules(header, self.n, self.answers)
        self.model_hash = header.get("model_sha256", "")
        demand(type(self.model_hash) is str, "model_sha256: expected a text")

    def leaving(self, answer):
        """Questions any of which changes this answer."""
        if self.class_of is None:
            need = self.quota if answer < 0 else sum(self.weights) - self.quota + 1
            planes = {i: self.plane(i, -answer) for i in range(len(self.rows))}
            return [Question(planes, (dict(enumerate(self.weights)), need))]
        rivals = [rival for rival in self.answers if rival != answer]
        if self.is_value:
            planes = {rival: self.difference(rival, answer) for rival in rivals}
            return [Question(planes, (dict.fromkeys(rivals, 1), 1))]
        return [self.entering(rival, [answer]) for rival in rivals]

    def entering(self, label, rivals):
        """Does this class beat all these rivals?"""
        if self.is_value:
            planes = {rival: self.difference(label, rival) for rival in rivals}
            return Question(planes, (dict.fromkeys(rivals, 1), len(rivals)))
        sides = {label: 1} | dict.fromkeys(rivals, -1)
        planes = {i: self.plane(i, sides[c]) for i, c in enumerate(self.class_of) if c in sides}
        counts = []
        for rival in rivals:
            both = {i: self.weights[i] for i in planes if self.class_of[i] in (label, rival)}
            total = sum(both.values())  # equal scores are won by the class that comes first
            counts.append((both, (total + 1) // 2 if label < rival else total // 2 + 1))
        return Question(planes, *counts)

    def plane(self, i, wanted):
        return self.rows[i], self.intercepts[i], wanted, self.at_zero[i]

    def difference(self, c, other):
        """The plane that speaks for one class against another: differences of doubles, rounded."""
        pairs = zip(self.rows[c], self.rows[other])
        row = [Fraction(float(a * self.unit) - float(b * self.unit)) / self.unit for a, b in pairs]
        b = Fraction(float(self.intercepts[c]) - float(self.intercepts[other]))
        return [value.numerator for value in row], b, 1, 1 if c < other else -1

    def support(self, question, point):
        """How far each plane is from being fooled: g, by number."""
        values, unit = on_grid(point)
        planes = question.planes.items()
        margins = {i: sum(map(mul, row, values)) * unit * self.unit + b for i, (row, b, *_) in planes}
        return {i: -plane[2] * margins[i] for i, plane in planes}

    def changes(self, question, point):
        """Are enough planes fooled at this point?"""
        support = self.support(question, point).items()
        fooled = [i for i, g in support if g < 0 or (g == 0 and is_touched(question.planes[i]))]
        return question.is_reached(fooled)


def is_touched(plane):
    """Is the plane fooled where it is 0?"""
    return plane[2] == plane[3]


# --- moves ------------------------------------------------------------------------------------------


class Integer:
    """A feature with the values (z - offset) / scale of integers z, as IEEE doubles round them."""

    def __init__(self, record, n):
        expect_fields(record, "feature offset scale step")
        (self.feature,) = self.features = places([record["feature"]], n)
        self.offset, self.scale = float(exact(record["offset"])), float(exact(record["scale"]))
        top, bottom = numbers(record["step"], 2)
        demand(min(self.scale, top, bottom) > 0, "integers: expected a scale and a step > 0")
        (self.step,) = self.sizes = [top / bottom]  # the size of a move by 1

    def value(self, z):
        demand(abs(z) <= MAX_INTEGER, "an integer beyond 2^53", Refused)
        return Fraction((z - self.offset) / self.scale)

    def nearest(self, x):
        z = float(x) * self.scale + self.offset + 0.5
        return math.floor(z) if math.isfinite(z) else z

    def all(self, moves):
        """Its first and last integer, which may be infinite."""
        (j, now), rules = (self.feature, self.now(moves)), moves.rules
        first = now if rules.direction[j] == "up" else self.inside(rules.lower[j], now, -1)
        return first, now if rules.direction[j] == "down" else self.inside(rules.upper[j], now, 1)

    def inside(self, limit, now, side):
        """The last integer to the side whose value does not pass the limit."""
        z = self.nearest(limit)
        if not abs(z) < MAX_INTEGER // 2:
            return side * math.inf
        tried = range(z + 2 * side, z - 6 * side, -side)
        inside = [z for z in tried if (z - now) * side <= 0 or (self.value(z) - limit) * side <= 0]
        demand(inside, "integers whose values are not told apart", Refused)
        return max(inside[0], now) if side > 0 else min(inside[0], now)

    def split(self, cases, span, moves):
        """The parts of the span that the cases look at, which must be all."""
        parts, next_one, are_all = [], span[0], len(cases) > 0
        for first, last, _ in cases:
            first = -math.inf if first is None else whole(first)
            parts.append((first, math.inf if last is None else whole(last)))
            are_all = are_all and first <= next_one < math.inf
            next_one = parts[-1][1] + 1
        return parts, are_all and (next_one > span[1] or next_one == math.inf)

    def most(self, span, slope_of, charge, moves):
        """The most that a move adds, less its charge; minus infinity: there is no move."""
        slope, x, now = slope_of(self.feature), moves.point[self.feature], self.now(moves)
        reach = moves.radius / self.step
        reach = reach if reach == math.inf else math.ceil(reach) - 1
        first, last = max(span[0], now - reach), min(span[1], now + reach)
        if first > last or not (slope or charge):
            return -math.inf if first > last else 0
        side = 1 if slope >= 0 else -1
        far = last if side > 0 else first
        # Where the point stands nothing changes, whatever the value of that integer is.
        least = 0 if first <= now <= last else -math.inf
        if not charge:
            away = abs(far) == math.inf or (far != now and slope * (self.value(far) - x))
            return math.inf if away is True else max(away, least)
        # Linear but for rounding, less the charge: the best number of steps to the side.
        near, far = sorted((side * (first - now), side * (last - now)))
        rate, price = abs(slope) / Fraction(self.scale), charge * self.step**moves.rules.power
        best = far if rate > price else 0
        if moves.rules.norm == "l2":
            best = math.ceil((rate / price - 1) / 2)
        steps = min(max(best, 0, near), far)
        paid = price * abs(steps) ** moves.rules.power
        gain = slope * (self.value(now + side * steps) - x) - paid
        if (self.offset, self.scale) != (0, 1):
            largest = max(abs(self.value(first)), abs(self.value(last)))
            gain += abs(slope) * (largest / (1 << 50) + Fraction(1, 1 << 1000))
        return max(gain, least)

    def now(self, moves):
        return self.nearest(moves.point[self.feature])


class Group:
    """Features of which exactly one is on."""

    def __init__(self, record, n):
        expect_fields(record, "features on off cost prices")
        self.features = places(record["features"], n)
        size = len(self.features)
        self.on = numbers(record.get("on", [1] * size), size)
        self.off = numbers(record.get("off", [0] * size), size)
        self.cost = end(record["cost"])
        prices = record.get("prices", [])
        self.prices = {(whole(a), whole(b)): end(cost) for a, b, cost in listed(prices)}
        self.sizes = [c for c in (self.cost, *self.prices.values()) if c and c < math.inf]
        differ = [on != off for on, off in zip(self.on, self.off)]
        demand(differ and all(differ), "groups: expected features with two values")
        demand(min(self.cost, *self.prices.values(), 0) == 0, "groups: expected costs >= 0")

    def all(self, moves):
        return list(range(len(self.features)))

    def now(self, moves):
        """The member whose value is nearest to on."""
        members = zip(self.features, self.on, self.off)
        ways = [abs((moves.point[feature] - on) / (on - off)) for feature, on, off in members]
        return ways.index(min(ways))

    def price(self, start, member):
        """Infinite: there is no such switch."""
        return 0 if start == member else self.prices.get((start, member), self.cost)

    def split(self, cases, members, moves):
        parts = [[m for m in members if m in map(whole, listed(some))] for some, _ in cases]
        missing = set(members).difference(*parts)
        return parts, all(self.price(self.now(moves), m) == math.inf for m in missing)

    def most(self, members, slope_of, charge, moves):
        start, gains = self.now(moves), [-math.inf]
        for member in members:
            cost = self.price(start, member)
            if cost < moves.radius:
                gains.append(-charge * cost**moves.rules.power)
                for i, j in enumerate(self.features if member != start else ()):
                    value = (self.on if i == member else self.off)[i]
                    gains[-1] += slope_of(j) * (value - moves.point[j])
        return max(gains)


class Rules:
    """What the header says of moves."""

    def __init__(self, header, n, answers):
        self.norm = header["norm"]
        demand(self.norm in ("l1", "l2", "linf"), "norm: expected 'l1', 'l2' or 'linf'")
        self.power = 2 if self.norm == "l2" else 1
        self.scale = numbers(header.get("scale", [1] * n), n)
        demand(min(self.scale) >= 0, "scale: expected numbers >= 0")
        self.lower = [end(value) for value in listed(header.get("lower", ["-inf"] * n), n)]
        self.upper = [end(value) for value in listed(header.get("upper", ["inf"] * n), n)]
        self.direction = listed(header.get("direction", ["both"] * n), n)
        demand(set(self.direction) <= {"both", "up", "down"}, "direction: both, up or down")
        self.grids = [Integer(one, n) for one in listed(header.get("integers", []))]
        self.grids += [Group(one, n) for one in listed(header.get("groups", []))]
        places([feature for one in self.grids for feature in one.features], n)
        self.attacking_class = header.get("attacking_class")
        demand(self.attacking_class in (None, *answers), "attacking_class: no such class")
        self.are_any = not set(RULES.split()).isdisjoint(header)
        self.may_charge = self.are_any and self.norm != "linf"
        self.unit = None
        if "unit" in header:
            top, bottom = numbers(header["unit"], 2)
            demand(top > 0 and bottom > 0, "unit: expected numbers > 0")
            self.unit = top / bottom
            moving = [one for one in self.grids if all(self.scale[j] for j in one.features)]
            is_right = all(size % self.unit == 0 for one in moving for size in one.sizes)
            demand(is_right, "unit: not all sizes are multiples of it")


class Moves:
    """The moves of one point that are smaller than its radius."""

    def __init__(self, rules, point, radius, frozen):
        self.rules, self.point, self.radius = rules, point, radius
        n = len(point)
        still = {j for j in range(n) if not rules.scale[j]}.union(places(frozen, n))
        moving = [one for one in rules.grids if still.isdisjoint(one.features)]
        self.grids = {one.features[0]: one for one in moving}
        gridded = {feature for one in rules.grids for feature in one.features}
        self.columns = [j for j in range(n) if j not in still | gridded]
        self.movable = set(self.columns).union(*(one.features for one in moving))
        self.is_ball = not rules.are_any or (not moving and rules.norm != "linf")
        self.ends = {j: self.ends_of(j) for j in self.columns if rules.are_any}
        # What sizes below the radius are at most, to the power of the norm, and do they get there?
        self.budget, self.is_reached = radius**rules.power, False
        is_fixed = all(ends == (0, 0) for ends in self.ends.values())
        if is_fixed and rules.unit and radius < math.inf:
            unit = rules.unit**rules.power
            less = unit * (math.ceil(self.budget / unit) - 1)
            self.is_reached = less < unit * (MAX_INTEGER - 1)
            self.budget = less if self.is_reached else self.budget

    def ends_of(self, j):
        """How far a feature may go down and up."""
        side, x = self.rules.direction[j], self.point[j]
        down = 0 if side == "up" else min(0, self.rules.lower[j] - x)
        return down, 0 if side == "down" else max(0, self.rules.upper[j] - x)

    def box(self):
        """All integers and members: what the cases of a tree are parts of."""
        return {place: one.all(self) for place, one in self.grids.items()}

    def refute_in_ball(self, missing, slopes, unit, is_strict):
        """Can no move have c'd = missing, or more, where c are the slopes times the unit?"""
        sizes = [abs(slopes[j]) * self.rules.scale[j] for j in self.columns if slopes[j]]
        if not sizes or self.radius == math.inf or missing <= 0:
            return not sizes and (missing > 0 or (missing == 0 and is_strict))
        # Equality is enough: no move of a smaller size attains the bound.
        if self.rules.norm == "l2":
            return missing**2 >= (self.radius * unit) ** 2 * sum(size * size for size in sizes)
        dual = sum(sizes) if self.rules.norm == "linf" else max(sizes)
        return missing >= self.radius * unit * dual

    def most(self, slope_of, charge, box):
        """(s, is it attained?): the supremum s of c'd - charge size(d)^p + charge budget.

        Over moves d of the box; minus infinity if there are no such moves.
        """
        is_attained = not charge or self.is_reached
        gains = [one.most(box[j], slope_of, charge, self) for j, one in self.grids.items()]
        if -math.inf in gains:
            return -math.inf, True
        for j in self.columns:
            slope = slope_of(j)
            gain, is_cut = self.most_of(j, slope, charge) if slope else (0, False)
            gains.append(gain)
            is_attained = is_attained and not is_cut
        gains.append(charge * self.budget if charge else 0)
        return sum(gains), is_attained

    def most_of(self, j, slope, charge):
        """Of a feature without a grid; and does the radius cut it off?"""
        size, far, scale = abs(slope), abs(self.ends[j][slope > 0]), self.rules.scale[j]
        if self.rules.norm == "linf" and far >= self.radius * scale < math.inf:
            return size * self.radius * scale, True
        if charge and self.rules.norm == "l1":
            return 0 if size * scale <= charge else far * (size - charge / scale), False
        if charge and size * scale**2 <= 2 * charge * far:
            return (size * scale) ** 2 / (4 * charge), False
        return size * far - (charge * (far / scale) ** 2 if charge else 0), False


# --- proofs -----------------------------------------------------------------------------------------


class Tree:
    """Follows the tree of one proof: that no move answers the question with yes."""

    def __init__(self, vote, question, moves):
        self.vote, self.question, self.moves = vote, question, moves
        values = vote.support(question, moves.point)
        support, self.unit = on_grid(values.values())
        self.support = dict(zip(values, support))

    def check(self, node, members, free, box, place="tree", depth=0):
        """`members` are fooled, the one that was chosen last comes first; `free` ones may be."""
        demand(depth <= MAX_DEPTH, f"{place}: more than {MAX_DEPTH} levels", Refused)
        if type(node) is list:
            return self.check_children(node, members, set(free), box, place, depth)
        demand(set(node) in NODES, f"{place}: expected a list, refuted or cases")
        if "refuted" in node:
            return self.refute(node["refuted"], members, box, f"{place}.refuted")
        at, cases = whole(node.get("group", node.get("integer"))), listed(node["cases"])
        grid, kind = self.moves.grids.get(at), Group if "group" in node else Integer
        demand(type(grid) is kind, f"{place}: nothing to split at {at!r}", Refused)
        parts, are_all = grid.split(cases, box[at], self.moves)
        demand(are_all, f"{place}: the cases are not all", Refused)
        for number, part in enumerate(parts):
            here, child = f"{place}.cases[{number}]", cases[number][-1]
            self.check(child, members, free, {**box, at: part}, here, depth + 1)
        return None

    def check_children(self, node, members, free, box, place, depth):
        def take(plane, place):
            is_right = whole(plane) in free
            demand(is_right, f"{place}: plane {plane} cannot be fooled here", Refused)
            free.discard(plane)
            return plane

        barred, *rest = node
        demand(len(rest) % 2 == 0, f"{place}: expected a node for each child")
        children = list(zip(rest[::2], rest[1::2]))
        for number, (plane, *by) in enumerate(listed(barred)):
            here = f"{place}[0][{number}]"
            self.refute(by, [take(plane, here), *members], box, here)
        planes = [take(plane, f"{place}: child {i}") for i, (plane, _) in enumerate(children)]
        is_covered = not self.question.is_reached(free.union(members))
        demand(is_covered, f"{place}: planes that are not covered weigh enough", Refused)
        for number, (plane, child) in enumerate(children):
            # The cases by the last child that is fooled.
            here, more = f"{place}[{2 * number + 2}]", free.union(planes[:number])
            self.check(child, [plane, *members], more, box, here, depth + 1)

    def refute(self, by, planes, box, place):
        """By multipliers of these planes, after a list with a charge if there is one."""
        moves, charges = self.moves, by[0] if by and type(by[0]) is list else None
        given = numbers(listed(by) if charges is None else by[1:])
        demand(len(given) <= len(planes), f"{place}: expected a multiplier for each plane")
        demand(all(m >= 0 for m in given), f"{place}: expected multipliers >= 0", Refused)
        used = [(i, m) for i, m in zip(planes, given) if m]
        demand(used or moves.rules.are_any, f"{place}: expected at least one plane", Refused)
        multipliers, unit = on_grid([m for _, m in used])
        of = [self.question.planes[i] for i, _ in used]
        missing = sum(m * self.support[i] for (i, _), m in zip(used, multipliers))
        missing *= self.unit * unit
        signed = [(m * plane[2], plane[0]) for m, plane in zip(multipliers, of)]
        columns = zip(*([m * value for value in row] for m, row in signed))
        slopes, unit = list(map(sum, columns)) or [0] * self.vote.n, unit * self.vote.unit
        is_strict = not all(map(is_touched, of))
        if charges is not None or not moves.is_ball:
            (charge,) = [Fraction(0)] if charges is None else numbers(charges)
            is_right = charge >= 0 and (charges is None or moves.rules.may_charge)
            demand(is_right, f"{place}: no such charge")
            most, is_attained = moves.most(lambda j: slopes[j] * unit, charge, box)
            is_shown = missing > most or (missing == most and (not is_attained or is_strict))
        else:
            is_shown = bool(used) and moves.refute_in_ball(missing, slopes, unit, is_strict)
        demand(is_shown, f"{place}: the multipliers prove less than the radius", Refused)


class Claim:
    """A line: what it says of its point. Making one checks that it proves that."""

    def __init__(self, vote, record):
        expect_fields(record, POINT)
        self.row, self.answer = whole(record["row"]), whole(record["answer"])
        self.radius, self.point = end(record["radius"]), numbers(record["point"], vote.n)
        answer, radius, point = self.answer, self.radius, self.point
        demand(radius >= 0, "radius: expected a number >= 0")
        attacking = vote.rules.attacking_class
        attacks = attacking is None or whole(record["label"]) == attacking
        moves = Moves(vote.rules, point, radius, listed(record.get("frozen", [])))
        leaving = vote.leaving(answer) if answer in vote.answers else []
        is_right = leaving and not any(vote.changes(one, point) for one in leaving)
        demand(is_right, "the answer at the point is another one", Refused)
        text = json.dumps(record["point"], separators=(",", ":")).encode()
        is_right = record["sha256"] == hashlib.sha256(text).hexdigest()
        demand(is_right, "sha256 is not that of the point", Refused)
        questions, goals = leaving, leaving
        if vote.class_of is not None and whole(record["label"]) != answer:
            label, others = record["label"], [c for c in vote.answers if c != record["label"]]
            demand(label in vote.answers, "label: no such class")
            rivals = places(record.get("rivals", others), len(vote.answers))
            demand(rivals and label not in rivals, "rivals: expected other classes")
            questions, goals = [vote.entering(label, rivals)], [vote.entering(label, others)]
        if record.get("witness") is not None:  # the other end: the answer there is another one
            moved = numbers(record["witness"], vote.n)
            differ = {j for j in range(vote.n) if moved[j] != point[j]}
            demand(differ <= moves.movable, "witness: a feature that does not move", Refused)
            is_right = any(vote.changes(goal, moved) for goal in goals)
            demand(is_right, "witness: the answer there is the same", Refused)
        if attacks and radius > 0:
            trees = [record["tree"]] if len(questions) == 1 else record["trees"]
            for question, tree in zip(questions, listed(trees, len(questions))):
                root = [], set(question.planes), moves.box()
                Tree(vote, question, moves).check(tree, *root)


def check_point(vote, record, what):
    """Raises Refused or Malformed; returns the claim."""
    with naming(what):
        return Claim(vote, record)


# --- files ------------------------------------------------------------------------------------------


def _unique(pairs):
    demand(len({name for name, _ in pairs}) == len(pairs), "a name occurs twice in one object")
    return dict(pairs)


def _no_number(text):
    demand(False, f"expected integers or hexadecimal texts, found {text[:40]}")


def parse(line, what):
    with naming(what):
        demand(len(line) <= MAX_LINE, f"longer than {MAX_LINE} bytes")
        hooks = {"parse_float": _no_number, "parse_constant": _no_number}
        return json.loads(line, object_pairs_hook=_unique, **hooks)


def open_lines(path):
    with open(path, "rb") as file:
        opener = gzip.open if file.read(2) == b"\x1f\x8b" else open
    return opener(path, "rt", encoding="utf-8")


def read_header(record):
    with naming("header"):
        is_right = type(record) is dict and repr(record.get("redoubt_proofs")) == "1"
        demand(is_right, "expected redoubt_proofs of version 1")
        return Vote(record)


class Model:
    """The model file that the proofs must be about."""

    def __init__(self, path, vote):
        with open(path, "rb") as file:
            content = file.read()
        is_same = vote.model_hash == hashlib.sha256(content).hexdigest()
        demand(is_same, f"{path} is not the model that the proofs are about (another SHA-256)")
        fields = json.loads(content)
        self.names, self.scaler = fields.get("feature_names"), fields.get("scaler")
        planes, features = fields.get("planes", []), range(1, vote.n + 1)
        same = vote.intercepts == [Fraction(plane["b"]) for plane in planes]
        for ours, plane in zip(vote.rows, planes):
            theirs = dict(zip(plane.get("features", features), plane["w"]))
            weights = [Fraction(theirs.get(feature, 0)) for feature in features]
            same &= [value * vote.unit for value in ours] == weights
        demand(same or not planes, f"{path} has other planes than the proofs")

    def scaled_rows(self, path):
        """(number, point) of the rows of a table with a header and these numbers among others."""
        with open_lines(path) as lines:
            separator = max(",;\t", key=lines.readline().count)
            lines.seek(0)
            rows = csv.DictReader(lines, delimiter=separator)
            missing = [name for name in self.names if name not in rows.fieldnames]
            demand(not missing, f"{path}: columns not found: {missing[:3]}")
            scaler = list(zip(self.names, self.scaler["offset"], self.scaler["scale"]))
            for number, row in enumerate(rows, 1):
                yield number, [Fraction((float(row[n]) - off) / by) for n, off, by in scaler]


def check_file(path, model=None, quiet=False, out=sys.stdout, data=None):
    """Check all proofs of a file. Returns the numbers of proven and refused points."""
    proven, refused, vote, rows = 0, 0, None, None
    with open_lines(path) as lines:
        for number, line in enumerate(iter(lambda: lines.readline(MAX_LINE + 1), ""), 1):
            record = parse(line, what := f"line {number}")
            if vote is None or line.startswith(HEADER_START):
                vote = read_header(record)
                table = Model(model, vote) if model is not None else None
                demand(model or not data, "--data needs --model")
                rows = table.scaled_rows(data) if data is not None else None
                continue
            try:
                claim = check_point(vote, record, what)
                if rows is not None:
                    point = next((values for at, values in rows if at == claim.row), None)
                    demand(point == claim.point, "the data has another point there", Refused)
            except Refused as error:
                refused += 1
                print(f"row {record['row']}: refused: {error}", file=out)
                continue
            proven += 1
            if not quiet:
                text = f"proven: answer {claim.answer:{'+d' if vote.class_of is None else 'd'}}"
                print(f"row {claim.row}: {text} within {float(claim.radius):.17g}", file=out)
    return proven, refused


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Check proofs of robustness in exact arithmetic.")
    parser.add_argument("proofs", help="the proof file, JSON lines, possibly gzipped")
    parser.add_argument("--model", help="the model file that the proofs must be about")
    parser.add_argument("--data", help="with --model, the table of the points: named numbers")
    parser.add_argument("--quiet", action="store_true", help="no line for proven points")
    given = parser.parse_args(arguments)
    sys.setrecursionlimit(10 * MAX_DEPTH)
    try:
        proven, refused = check_file(given.proofs, given.model, given.quiet, data=given.data)
    except (Malformed, OSError, EOFError, zlib.error, *SHAPE) as error:
        print(f"redoubt_check: {given.proofs}: {error}", file=sys.stderr)
        return 2
    print(f"{proven} proven, {refused} refused")
    return 1 if refused or not proven else 0


if __name__ == "__main__":
    sys.exit(main())
