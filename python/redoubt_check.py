"""Check certificates of robustness without trusting the program that made them.

    python redoubt_check.py proofs.jsonl --model model.json --data rows.csv

A proof file says of points that no move below a radius changes the answer of a vote of planes, and
why. This follows the reasons in exact arithmetic, by docs/formats.md, "Proof files". An answer
changes where enough planes are fooled: a plane that is to answer v, by d if a'd >= g, with a = v w
and g = -v (w'x + b), or a'd > g if it answers -v at 0: it is strict. At a node of a tree, planes I
are fooled and planes F may be. They weigh too little, or multipliers show that I needs the radius.
"""

import argparse
import csv
import gzip
import json
import math
import re
import sys
import zlib
from fractions import Fraction
from hashlib import sha256
from operator import mul

# A file is data from strangers: what no honest one needs is refused before it costs anything.
MAX_LINE, MAX_DEPTH, MAX_INTEGER, INFINITE = 1 << 25, 2000, 1 << 53, ("inf", "-inf")
HEADER = "redoubt_proofs norm planes intercepts weights scale model_sha256 quota minus_at_zero cost"
CLASSES, RULES = " classes score ", "lower upper direction integers groups attacking_class unit"
POINT = "row sha256 point answer label frozen radius tree trees rivals witness"
HEXADECIMAL = re.compile(r"-?0x([0-9a-f]+(?:\.[0-9a-f]*)?)(?:p[+-]?[0-9]+)?")
# The most that a move of size 1 adds, of the sizes of its slopes; in l2 the square of that.
DUAL = {"l1": max, "l2": lambda sizes: sum(map(mul, sizes, sizes)), "linf": sum, "l0": None}
MALFORMED = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)

class Refused(Exception):
    """A proof that does not prove its claim."""

def demand(is_true, message, kind=ValueError):
    if not is_true:
        raise kind(message)

def exact(value, infinite=()):
    """A fraction, of an integer or a double written in hexadecimal; or an infinite number."""
    if value in infinite:
        return float(value)
    if type(value) is int:
        demand(abs(value) <= MAX_INTEGER, "expected integers of at most 53 bits")
        return Fraction(value)
    found = HEXADECIMAL.fullmatch(value) if type(value) is str else None
    demand(found, f"expected an integer or a hexadecimal double, found {str(value)[:40]!r}")
    number = float.fromhex(value)
    demand(number or not found[1].strip("0."), "expected doubles that are not too small")
    return Fraction(number)

def listed(value, length=None):
    demand(type(value) is list and length in (None, len(value)), "expected a list of its length")
    return value

def numbers(value, length=None, infinite=()):
    return [exact(entry, infinite) for entry in listed(value, length)]

def whole(value):
    demand(type(value) is int and abs(value) <= 1 << 62, "expected an integer of at most 62 bits")
    return value

def places(value, n):
    is_right = all(0 <= whole(one) < n for one in listed(value)) and len(set(value)) == len(value)
    demand(is_right, f"expected numbers below {n}, each once")
    return value

def expect_fields(record, known):
    demand(record.keys() <= set(known.split()), f"expected no other fields than {known}")

def on_grid(values):
    """Integers n and a unit u with value = n u, for doubles and their products."""
    bottom = max((value.denominator for value in values), default=1)
    return [v.numerator * (bottom // v.denominator) for v in values], Fraction(1, bottom)

class Question:
    """Are enough planes fooled? By number: (a, b, is it strict?); counts are (weights, need)."""

    def __init__(self, unit, planes, *counts):
        self.unit, self.planes, self.counts = unit, planes, counts

    def is_reached(self, planes):
        return all(sum(w.get(i, 0) for i in planes) >= need for w, need in self.counts)

    def support(self, point):
        values, unit = on_grid(point)
        unit *= self.unit
        return {i: -sum(map(mul, a, values)) * unit - b for i, (a, b, _) in self.planes.items()}

    def is_answered(self, point):
        planes, support = self.planes, self.support(point).items()
        return self.is_reached([i for i, g in support if g < 0 or (g == 0 and not planes[i][2])])

    def check(self, node, members, free, box, place):
        """`members` are fooled, the one that was chosen last comes first; `free` ones may be."""
        demand(place.count("[") <= MAX_DEPTH, f"tree: more than {MAX_DEPTH} levels", Refused)
        if type(node) is list:
            return self.check_children(node, members, free, box, place)
        if set(node) == {"refuted"}:
            return self.refute(node["refuted"], members, box, f"{place}.refuted")
        (kind,) = set(node) - {"cases"}
        at, cases, moves = whole(node[kind]), listed(node["cases"]), self.moves
        grid, kinds = moves.grids.get(at), {"group": Group, "integer": Integer, "range": type(None)}
        is_right = type(grid) is kinds[kind] and (grid or at in moves.counted)
        demand(is_right, f"{place}: nothing to split at {at}", Refused)
        parts, are_all = (0, 1), len(cases) == 2  # in l0 the feature stays, or it changes
        if grid:
            parts, are_all = grid.split(cases, box[at], moves.start[at])
        demand(are_all, f"{place}: the cases are not all", Refused)
        for i, part in enumerate(parts):
            self.check(cases[i][-1], members, free, box | {at: part}, f"{place}.cases[{i}]")

    def check_children(self, node, members, free, box, place):
        bars, planes = listed(node[0]), node[1::2]
        named = [whole(plane) for plane in [*(bar[0] for bar in bars), *planes]]
        is_right = free.issuperset(named) and len(set(named)) == len(named)
        demand(is_right, f"{place}: of {named} not all may be fooled here, each once", Refused)
        for i, (plane, *by) in enumerate(bars):
            self.refute(by, [plane, *members], box, f"{place}[0][{i}]")
        free = free.difference(named)
        demand(not self.is_reached(free.union(members)), f"{place}: sets are not covered", Refused)
        for i, plane in enumerate(planes):  # the cases by the last child that is fooled
            child, below, here = node[2 * i + 2], free.union(planes[:i]), f"{place}[{2 * i + 2}]"
            self.check(child, [plane, *members], below, box, here)

    def refute(self, by, members, box, place):
        """By multipliers of these planes, after a list with a charge if there is one."""
        charge, planes = None, self.planes
        if listed(by) and type(by[0]) is list:
            (charge,), by = numbers(by[0]), by[1:]
            demand(charge >= 0 and self.moves.may_charge, f"{place}: no such charge")
        given = numbers(by)
        demand(len(given) <= len(members), f"{place}: expected a multiplier for each plane")
        demand(all(m >= 0 for m in given), f"{place}: expected multipliers >= 0", Refused)
        goal = sum(m * self.goals[i] for i, m in zip(members, given))
        is_strict = any(planes[i][2] for i, m in zip(members, given) if m)
        multipliers, unit = on_grid(given)
        turned = [[m * a for a in planes[i][0]] for i, m in zip(members, multipliers) if m]
        slopes = list(map(sum, zip(*turned))) or [0] * len(self.moves.point)
        is_shown = self.moves.are_below(goal, is_strict, slopes, unit * self.unit, charge, box)
        demand(is_shown, f"{place}: the multipliers prove less than the radius", Refused)

class Vote:
    """A header: the planes as integers on one grid, how they make an answer, and the moves."""

    def __init__(self, header):
        demand(repr(header.get("redoubt_proofs")) == "1", "expected redoubt_proofs of version 1")
        expect_fields(header, HEADER + CLASSES + RULES)
        k, n = len(header["planes"]), len(header["planes"][0])
        flat, self.unit = on_grid([v for row in listed(header["planes"]) for v in numbers(row, n)])
        self.rows = [flat[i : i + n] for i in range(0, len(flat), n)]
        self.intercepts = numbers(header["intercepts"], k)
        self.weights = [whole(weight) for weight in listed(header["weights"], k)]
        minus, total = places(header.get("minus_at_zero", []), k), sum(self.weights)
        rows = list(zip(self.rows, self.intercepts, (-1 if i in minus else 1 for i in range(k))))
        self.sides = {v: [([v * a for a in w], v * b, v != o) for w, b, o in rows] for v in (1, -1)}
        self.quota = whole(header.get("quota", (total + 1) // 2))
        is_right = min(self.weights) > 0 and max(self.weights) <= (1 << 61) // k
        demand(is_right and 0 < self.quota <= total, "weights or quota: too small or too large")
        self.answers, self.class_of = (-1, 1), None
        if "classes" in header or "score" in header:
            counts = [whole(count) for count in listed(header["classes"])]
            self.is_value = {"value": True, "votes": False}[header["score"]]
            is_right = max(2, k * self.is_value) <= len(counts) <= k == sum(counts)
            is_right = is_right and min(counts) > 0 and "quota" not in header
            demand(is_right, "classes: wrong counts, or a quota")
            self.answers = range(len(counts))
            self.class_of = [c for c in self.answers for _ in range(counts[c])]
        self.model_hash = header.get("model_sha256", "")
        demand(type(self.model_hash) is str, "model_sha256: expected a text")
        self.norm, self.power = header["norm"], 2 if header["norm"] == "l2" else 1
        self.scale = numbers(header.get("scale", [1] * n), n)
        self.cost, self.counts = numbers(header.get("cost", [1] * n), n), self.norm == "l0"
        demand(self.norm in DUAL and min(self.scale) >= 0 < min(self.cost), "norm, scale or cost")
        self.lower = numbers(header.get("lower", ["-inf"] * n), n, INFINITE)
        self.upper = numbers(header.get("upper", ["inf"] * n), n, INFINITE)
        self.direction = listed(header.get("direction", ["both"] * n), n)
        demand(set(self.direction) <= {"both", "up", "down"}, "direction: both, up or down")
        self.grids = [Integer(one, n) for one in listed(header.get("integers", []))]
        self.grids += [Group(one, n) for one in listed(header.get("groups", []))]
        self.gridded = {*places([feature for one in self.grids for feature in one.features], n)}
        self.attacking_class = attacking = header.get("attacking_class")
        demand(attacking is None or whole(attacking) in self.answers, "attacking_class: no class")
        self.has_rules = self.counts or any(name in header for name in RULES.split())
        unit = numbers(header.get("unit", [1, 1]), 2)
        self.size_unit = unit[0] / unit[1] if "unit" in header else None
        moving = {j for j in range(n) if self.scale[j]}
        sizes = [self.cost[j] for j in moving - self.gridded if self.counts]
        sizes += [size for g in self.grids if moving.issuperset(g.features) for size in g.sizes]
        is_right = min(unit) > 0 and not any(size % (self.size_unit or size) for size in sizes)
        demand(is_right, "unit: expected one > 0 that all sizes are multiples of")

    def leaving(self, answer):
        """Questions any of which changes this answer."""
        rivals = [rival for rival in self.answers if rival != answer]
        if self.class_of is None:
            need = self.quota if answer < 0 else sum(self.weights) - self.quota + 1
            planes, weights = dict(enumerate(self.sides[-answer])), dict(enumerate(self.weights))
            return [Question(self.unit, planes, (weights, need))]
        if self.is_value:
            planes = {rival: self.difference(rival, answer) for rival in rivals}
            return [Question(self.unit, planes, (dict.fromkeys(rivals, 1), 1))]
        return [self.entering(rival, [answer]) for rival in rivals]

    def entering(self, label, rivals):
        """Does this class beat all these rivals?"""
        if self.is_value:
            planes = {rival: self.difference(label, rival) for rival in rivals}
            return Question(self.unit, planes, (dict.fromkeys(rivals, 1), len(rivals)))
        wanted, counts = {label: 1} | dict.fromkeys(rivals, -1), []
        planes = {i: self.sides[wanted[c]][i] for i, c in enumerate(self.class_of) if c in wanted}
        for rival in rivals:
            both = {i: self.weights[i] for i in planes if self.class_of[i] in (label, rival)}
            total = sum(both.values())  # equal scores are won by the class that comes first
            counts.append((both, (total + 1) // 2 if label < rival else total // 2 + 1))
        return Question(self.unit, planes, *counts)

    def difference(self, c, other):
        """The plane that speaks for one class against another: differences of doubles, rounded."""
        pairs = zip(self.rows[c], self.rows[other])
        row = [Fraction(float(a * self.unit) - float(b * self.unit)) / self.unit for a, b in pairs]
        b = Fraction(float(self.intercepts[c]) - float(self.intercepts[other]))
        return [value.numerator for value in row], b, c > other

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

    def nearest(self, values):
        z = float(values[0]) * self.scale + self.offset + 0.5
        return math.floor(z) if math.isfinite(z) else z

    def all(self, start, vote):
        j, side = self.feature, vote.direction[self.feature]
        first = start if side == "up" else self.inside(vote.lower[j], start, -1)
        return first, start if side == "down" else self.inside(vote.upper[j], start, 1)

    def inside(self, limit, start, side):
        """The last integer to the side whose value does not pass the limit."""
        z = self.nearest([limit])
        if not abs(z) < MAX_INTEGER // 2:
            return side * math.inf
        for tried in range(z + 2 * side, z - 6 * side, -side):
            if (tried - start) * side <= 0 or (self.value(tried) - limit) * side <= 0:
                return max(tried * side, start * side) * side
        raise Refused("integers whose values are not told apart")

    def split(self, cases, span, start):
        """The parts of the span that the cases look at; and are they all of it?"""
        firsts = [-math.inf if first is None else whole(first) for first, _, _ in cases]
        lasts = [math.inf if last is None else whole(last) for _, last, _ in cases]
        before = [span[0] - 1, *lasts]
        are_all = all(first <= last + 1 < math.inf for first, last in zip(firsts, before))
        return list(zip(firsts, lasts)), cases and are_all and before[-1] >= span[1]

    def most(self, span, start, slopes, charge, moves):
        """The most that a move adds, less its charge; minus infinity: there is no move."""
        slope, x = slopes[self.feature], moves.point[self.feature]
        power = 0 if moves.vote.counts else moves.vote.power  # of the number of steps
        is_cut = moves.radius < math.inf and (power or moves.radius <= self.step)
        reach = math.ceil(moves.radius / self.step) - 1 if is_cut else math.inf
        first, last = max(span[0], start - reach), min(span[1], start + reach)
        if first > last:
            return -math.inf
        # Linear but for rounding, less the charge: the best number of steps to the side.
        side = 1 if slope >= 0 else -1
        near, far = sorted((side * (first - start), side * (last - start)))
        rate, price = abs(slope) / Fraction(self.scale), charge * self.step ** (power or 1)
        best = far if rate > price * min(power, 1) else 0
        best = math.ceil((rate / price - 1) / 2) if charge and power == 2 else best
        steps = min(max(best, 0, near), far)
        if abs(steps) == math.inf:
            return math.inf
        change = self.value(start + side * steps) - x if slope * steps or charge * power else 0
        gain = slope * change - price * abs(steps) ** power
        if charge and power and (self.offset, self.scale) != (0, 1):
            largest = max(abs(self.value(first)), abs(self.value(last)))
            gain += abs(slope) * (largest / (1 << 50) + Fraction(1, 1 << 1000))
        return max(gain, 0) if first <= start <= last else gain

class Group:
    """Features of which exactly one is on."""

    def __init__(self, record, n):
        expect_fields(record, "features on off cost prices")
        self.features = places(record["features"], n)
        size = len(self.features)
        self.all = lambda start, vote: range(size)
        on, off = record.get("on", [1] * size), record.get("off", [0] * size)
        self.values = list(zip(numbers(off, size), numbers(on, size)))
        self.cost, prices = exact(record["cost"], INFINITE), listed(record.get("prices", []))
        self.prices = {(whole(a), whole(b)): exact(cost, INFINITE) for a, b, cost in prices}
        self.sizes = [c for c in (self.cost, *self.prices.values()) if c and c < math.inf]
        is_right = size > 0 and min(self.cost, *self.prices.values(), 0) == 0
        is_right = is_right and all(off != on for off, on in self.values)
        demand(is_right, "groups: expected features with two values, and costs >= 0")

    def nearest(self, values):
        ways = [abs((x - on) / (on - off)) for x, (off, on) in zip(values, self.values)]
        return ways.index(min(ways))

    def price(self, start, member):  # infinite: there is no such switch
        return 0 if start == member else self.prices.get((start, member), self.cost)

    def split(self, cases, members, start):
        parts = [[m for m in members if m in map(whole, listed(some))] for some, _ in cases]
        missing = set(members).difference(*parts)
        return parts, all(self.price(start, member) == math.inf for member in missing)

    def most(self, members, start, slopes, charge, moves):
        gains = [-math.inf]
        for member in members:
            cost = self.price(start, member)
            if cost < moves.radius:
                gains.append(-charge * cost**moves.vote.power)
                for i, j in enumerate(self.features if member != start else ()):
                    gains[-1] += slopes[j] * (self.values[i][i == member] - moves.point[j])
        return max(gains)

class Moves:
    """The moves of one point that are smaller than its radius."""

    def __init__(self, vote, point, radius, frozen):
        self.vote, self.point, self.radius = vote, point, radius
        still = {j for j, scale in enumerate(vote.scale) if not scale}.union(frozen)
        self.grids = {g.features[0]: g for g in vote.grids if still.isdisjoint(g.features)}
        self.start = {at: g.nearest([point[j] for j in g.features]) for at, g in self.grids.items()}
        free = sorted(set(range(len(point))).difference(still, vote.gridded))
        self.columns, self.counted = ([], free) if vote.counts else (free, [])
        self.movable = {j for g in self.grids.values() for j in g.features}.union(free)
        self.may_charge = vote.has_rules and vote.norm != "linf"
        self.is_ball = not vote.has_rules or (self.may_charge and not self.grids)
        self.ends = ends = {}  # how far features without a grid may go down and up
        for j in free:
            side, x = vote.direction[j], point[j]
            down = 0 if side == "up" else max(0, x - vote.lower[j])
            ends[j] = down, 0 if side == "down" else max(0, vote.upper[j] - x)
        # What sizes below the radius are at most, to the power of the norm, and do they get there?
        self.budget, self.is_reached = radius**vote.power, False
        if vote.size_unit and radius < math.inf and not any(any(ends[j]) for j in self.columns):
            count = math.ceil(self.budget / vote.size_unit**vote.power) - 1
            self.is_reached = count < MAX_INTEGER - 1
            self.budget = count * vote.size_unit**vote.power if self.is_reached else self.budget

    def count(self, j, slope, charge, changes):
        """The most of a feature without a grid in l0, which changes or not; or is that open?"""
        way, cost = self.ends[j][slope > 0] if slope else 0, self.vote.cost[j]
        gain = (way if way == math.inf else abs(slope) * way) - charge * cost
        gains = [0] * (not changes) + [gain] * (changes != 0 and cost < self.radius)
        return max(gains, default=-math.inf)

    def are_below(self, goal, is_strict, slopes, unit, charge, box):
        """Is c'd < goal, or <= if strict, for all d in the box? c are the slopes times the unit."""
        vote, power = self.vote, self.vote.power
        sizes = [abs(slopes[j]) * vote.scale[j] for j in self.columns if slopes[j]]
        if charge is None and self.is_ball and sizes:  # no move below the radius attains the bound
            bound = DUAL[vote.norm](sizes) * unit**power
            return goal > 0 and self.radius < math.inf and goal**power >= self.radius**power * bound
        slopes, charge, grids = [a * unit for a in slopes], charge or 0, self.grids.items()
        gains, is_attained = [charge and charge * self.budget], self.is_reached or not charge
        gains += [g.most(box[at], self.start[at], slopes, charge, self) for at, g in grids]
        gains += [self.count(j, slopes[j], charge, box.get(j)) for j in self.counted]
        for j in self.columns:
            size, way, scale = abs(slopes[j]), self.ends[j][slopes[j] > 0], vote.scale[j]
            if vote.norm == "linf" and size and way >= self.radius * scale:
                way, is_attained = self.radius * scale, False
            elif charge and power == 2:
                way = min(way, size * scale**2 / (2 * charge))
            elif size * scale <= charge:
                way = 0
            gains.append(way if way == math.inf else size * way - charge * (way / scale) ** power)
        if math.inf in gains or -math.inf in gains:
            return -math.inf in gains
        return goal > sum(gains) or (goal == sum(gains) and (is_strict or not is_attained))

def check_point(vote, record):
    """Raises Refused unless a line proves what it says: its row, answer, radius and point."""
    expect_fields(record, POINT)
    row, answer = whole(record["row"]), whole(record["answer"])
    point, radius = numbers(record["point"], len(vote.scale)), exact(record["radius"], INFINITE)
    demand(radius >= 0, "radius: expected a number >= 0")
    moves = Moves(vote, point, radius, places(record.get("frozen", []), len(point)))
    label = whole(record["label"]) if vote.class_of or vote.attacking_class is not None else None
    questions = goals = vote.leaving(answer) if answer in vote.answers else []
    is_right = questions and not any(question.is_answered(point) for question in questions)
    demand(is_right, "the answer at the point is another one", Refused)
    text = json.dumps(record["point"], separators=(",", ":")).encode()
    demand(record["sha256"] == sha256(text).hexdigest(), "sha256 is not that of the point", Refused)
    if vote.class_of is not None and label != answer:
        others = [c for c in vote.answers if c != label]
        rivals = places(record.get("rivals", others), len(vote.answers))
        is_right = label in vote.answers and rivals and label not in rivals
        demand(is_right, "label or rivals: expected one class, and others")
        questions, goals = [vote.entering(label, rivals)], [vote.entering(label, others)]
    if record.get("witness") is not None:  # the other end: the answer there is another one
        moved = numbers(record["witness"], len(point))
        differ = {j for j in range(len(point)) if moved[j] != point[j]}
        is_right = differ <= moves.movable and any(goal.is_answered(moved) for goal in goals)
        demand(is_right, "witness: the same answer, or a feature that does not move", Refused)
    if vote.attacking_class in (None, label) and radius > 0:
        trees = [record["tree"]] if len(questions) == 1 else record["trees"]
        box = {at: grid.all(moves.start[at], vote) for at, grid in moves.grids.items()}
        for question, tree in zip(questions, listed(trees, len(questions))):
            question.moves, question.goals = moves, question.support(point)
            question.check(tree, [], set(question.planes), box, "tree")
    return row, answer, radius, point

def parse(line):
    def unique(pairs):
        demand(len(dict(pairs)) == len(pairs), "a name occurs twice in one object")
        return dict(pairs)
    demand(len(line) <= MAX_LINE, f"longer than {MAX_LINE} bytes")
    return json.loads(line, object_pairs_hook=unique)

def open_lines(path):
    with open(path, "rb") as file:
        opener = gzip.open if file.read(2) == b"\x1f\x8b" else open
    return opener(path, "rt", encoding="utf-8")

def read_model(path, vote):
    with open(path, "rb") as file:
        content = file.read()
    is_same = vote.model_hash == sha256(content).hexdigest()
    demand(is_same, f"{path} is not the model that the proofs are about (another SHA-256)")
    model, features = json.loads(content), range(1, len(vote.scale) + 1)
    planes = [(dict(zip(p.get("features", features), p["w"])), p["b"]) for p in model["planes"]]
    theirs = [[Fraction(v) for v in (b, *(w.get(j, 0) for j in features))] for w, b in planes]
    ours = [[b, *(v * vote.unit for v in row)] for b, row in zip(vote.intercepts, vote.rows)]
    demand(ours == theirs, f"{path} has other planes than the proofs")
    return model

def scaled_rows(path, names, scaler):
    """(number, point) of the rows of a table with a header and these numbers among others."""
    with open_lines(path) as lines:
        rows = csv.DictReader(lines, delimiter=max(",;\t", key=lines.readline().count))
        lines.seek(0)
        missing = sorted(set(names).difference(rows.fieldnames))
        demand(not missing, f"{path}: columns not found: {missing[:3]}")
        scales = list(zip(names, scaler["offset"], scaler["scale"]))
        for number, row in enumerate(rows, 1):
            yield number, [Fraction((float(row[name]) - off) / by) for name, off, by in scales]

def check_file(path, model=None, quiet=False, out=sys.stdout, data=None):
    """Check all proofs of a file. Returns the numbers of proven and refused points."""
    proven, refused, vote, rows = 0, 0, None, None
    demand(model or not data, "--data needs --model")
    with open_lines(path) as lines:
        for number, line in enumerate(iter(lambda: lines.readline(MAX_LINE + 1), ""), 1):
            try:
                record = parse(line)
                if vote is None or line.startswith('{"redoubt_proofs":'):  # perhaps another vote
                    vote = Vote(record)
                    fields = read_model(model, vote) if model else {}
                    rows = data and scaled_rows(data, fields["feature_names"], fields["scaler"])
                    continue
                row, answer, radius, point = check_point(vote, record)
                found = next((values for at, values in rows if at == row), None) if rows else point
                demand(found == point, "the data has another point there", Refused)
                proven += 1
                if not quiet:
                    name = f"{answer:+d}" if vote.class_of is None else answer
                    print(f"row {row}: proven: answer {name} within {float(radius):.17g}", file=out)
            except Refused as error:
                refused += 1
                print(f"row {record['row']}: refused: {error}", file=out)
            except MALFORMED as error:
                raise ValueError(f"line {number}: {error}") from None
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
    except (OSError, EOFError, zlib.error, *MALFORMED) as error:
        print(f"redoubt_check: {given.proofs}: {error}", file=sys.stderr)
        return 2
    print(f"{proven} proven, {refused} refused")
    return 1 if refused or not proven else 0

if __name__ == "__main__":
    sys.exit(main())
