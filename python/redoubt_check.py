"""Check certificates of robustness without trusting the program that made them.

    python redoubt_check.py proofs.jsonl

A proof file says, for points and a vote of planes: no move smaller than this radius changes the
answer; and it says why. This program follows the reasons in exact integer arithmetic, with nothing
but Python's standard library, and shares no code with the program that wrote them. The format and the
rules are in docs/formats.md, section "Proof files".

The claim. Plane i answers +1 where w_i'x + b_i >= 0 and -1 elsewhere; the vote answers +1 where the
planes that say +1 weigh at least as much as the others. The move d has the size || d / scale ||, and
features of scale 0 do not move. Of the planes that leave the answer y of the point x a move within
the radius fools too few to change the vote.

The proof. A node of its tree knows planes that are fooled (I) and planes that may be (F). It ends if
I and F together weigh too little, or if I is refuted: multipliers lambda >= 0 on I with
c = sum lambda_i a_i, a_i = -y w_i, and g_i = y (w_i'x + b_i) have lambda'g > sup c'd over all moves d
of size < radius (or equal to it, which no such move attains), because fooled planes have
a_i'd >= g_i.
"""

import argparse
import contextlib
import gzip
import hashlib
import json
import math
import sys

VERSION = 1
# A file is data from strangers: what no honest one needs is refused before it costs anything.
MAX_LINE = 1 << 28
MAX_DEPTH = 2000


class Malformed(Exception):
    """Not a proof file."""


class Refused(Exception):
    """A proof that does not prove its claim."""


# --- numbers: integers times a power of two ---------------------------------------------------------


def exact(value, what):
    """(m, e) with value = m 2^e: an integer, or a double written in hexadecimal."""
    if type(value) is int:
        return value, 0
    if type(value) is not str or len(value) > 40:
        raise Malformed(f"{what}: expected an integer or a hexadecimal double")
    try:
        number = float.fromhex(value)
    except (ValueError, OverflowError):
        raise Malformed(f"{what}: expected a hexadecimal double, found {value!r}") from None
    if not math.isfinite(number):
        raise Malformed(f"{what}: expected a finite number, found {value!r}")
    numerator, denominator = number.as_integer_ratio()
    return numerator, 1 - denominator.bit_length()


def on_one_grid(numbers):
    """Integers n and an exponent e with number = n 2^e for all of them."""
    least = min((e for m, e in numbers if m), default=0)
    return [m << (e - least) if m else 0 for m, e in numbers], least


def compare(left, right):
    """The sign of left - right, both (m, e)."""
    (a, e), (b, f) = left, right
    least = min(e, f)
    a, b = a << (e - least), b << (f - least)
    return (a > b) - (a < b)


# --- the header: planes and moves -------------------------------------------------------------------


def field(record, name, kind, what):
    value = record.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise Malformed(f"{what}: {name}: expected a {kind.__name__}")
    return value


def numbers_of(record, name, what, length=None):
    values = field(record, name, list, what)
    if length is not None and len(values) != length:
        raise Malformed(f"{what}: {name}: expected {length} entries, found {len(values)}")
    return [exact(value, f"{what}: {name}") for value in values]


class Vote:
    """The planes as integers on one grid, their weights, and how moves are measured."""

    def __init__(self, header):
        if type(header) is not dict or header.get("redoubt_proofs") != VERSION:
            raise Malformed(f"header: expected redoubt_proofs of version {VERSION}")
        known = {"redoubt_proofs", "norm", "planes", "intercepts", "weights", "scale", "model_sha256"}
        if not set(header) <= known:
            raise Malformed(f"header: unknown field {sorted(set(header) - known)[0]!r}")
        self.norm = header.get("norm")
        if self.norm not in ("l1", "l2", "linf"):
            raise Malformed("header: norm: expected 'l1', 'l2' or 'linf'")
        rows = field(header, "planes", list, "header")
        if not rows or not all(type(row) is list and len(row) == len(rows[0]) > 0 for row in rows):
            raise Malformed("header: planes: expected lists of one length, at least one")
        self.n = len(rows[0])
        flat = [exact(value, "header: planes") for row in rows for value in row]
        flat, self.exponent = on_one_grid(flat)
        self.planes = [flat[i : i + self.n] for i in range(0, len(flat), self.n)]
        self.intercepts = numbers_of(header, "intercepts", "header", len(rows))
        self.weights = field(header, "weights", list, "header")
        if len(self.weights) != len(rows) or not all(
            type(weight) is int and weight > 0 for weight in self.weights
        ):
            raise Malformed("header: weights: expected an integer > 0 for each plane")
        scale = numbers_of(header, "scale", "header", self.n) if "scale" in header else [(1, 0)] * self.n
        if any(m < 0 for m, e in scale):
            raise Malformed("header: scale: expected numbers >= 0")
        # Columns of features that move, and their scales on one grid.
        self.scale, self.scale_exponent = on_one_grid(scale)
        self.columns = [j for j in range(self.n) if self.scale[j]]
        self.model_hash = header.get("model_sha256")

    def margins(self, point):
        """w_i'x + b_i of all planes as integers on one grid, whose exponent comes second."""
        point, exponent = on_one_grid(point)
        margins = [
            (sum(w * x for w, x in zip(plane, point) if w and x), self.exponent + exponent)
            for plane in self.planes
        ]
        both, exponent = on_one_grid(margins + self.intercepts)
        k = len(margins)
        return [both[i] + both[k + i] for i in range(k)], exponent

    def answer(self, margins):
        total = sum(w if m >= 0 else -w for w, m in zip(self.weights, margins))
        return 1 if total >= 0 else -1


# --- the proof of one point ---------------------------------------------------------------------------


class Claim:
    """What a line says about its point, and what follows from the planes alone."""

    def __init__(self, vote, record, what):
        self.vote = vote
        known = {"row", "sha256", "point", "answer", "radius", "tree", "witness"}
        if not set(record) <= known:
            raise Malformed(f"{what}: unknown field {sorted(set(record) - known)[0]!r}")
        self.texts = field(record, "point", list, what)
        self.point = numbers_of(record, "point", what, vote.n)
        margins, self.exponent = vote.margins(self.point)
        self.answer = vote.answer(margins)
        if field(record, "answer", int, what) != self.answer:
            raise Refused(f"the answer at the point is {self.answer}")
        # Of the planes, by how much each speaks for the answer: g_i.
        self.support = [self.answer * margin for margin in margins]
        # Leaving +1 takes a strict inequality, leaving -1 does not.
        self.is_strict = self.answer > 0
        total = sum(vote.weights)
        self.need = total // 2 + 1 if self.answer > 0 else (total + 1) // 2
        radius = field(record, "radius", str, what)
        self.is_infinite = radius == "inf"
        self.radius = (0, 0) if self.is_infinite else exact(radius, f"{what}: radius")
        if self.radius[0] < 0:
            raise Malformed(f"{what}: radius: expected a number >= 0")

    def refutes(self, planes, multipliers):
        """Can no move below the radius fool these planes together?"""
        vote = self.vote
        total = (sum(m * self.support[i] for i, m in zip(planes, multipliers)), self.exponent)
        slopes = []
        for column in vote.columns:
            slope = sum(m * vote.planes[i][column] for i, m in zip(planes, multipliers))
            slopes.append(slope * vote.scale[column])
        exponent = vote.exponent + vote.scale_exponent
        if not any(slopes):  # no move changes their sum
            return total[0] > 0 or (total[0] == 0 and self.is_strict)
        if self.is_infinite or total[0] <= 0:
            # A move of size < radius with c'd = lambda'g would have to be ruled out by c != 0.
            return total[0] == 0 == self.radius[0] and not self.is_infinite
        r, r_exponent = self.radius
        if vote.norm == "l2":
            square = sum(slope * slope for slope in slopes)
            bound = (r * r * square, 2 * (r_exponent + exponent))
            return compare((total[0] ** 2, 2 * total[1]), bound) >= 0
        sizes = [abs(slope) for slope in slopes]
        dual = sum(sizes) if vote.norm == "linf" else max(sizes)
        # Equality is enough: no move of a smaller size attains the bound.
        return compare(total, (r * dual, r_exponent + exponent)) >= 0


class Tree:
    """Follows the tree of one proof."""

    def __init__(self, claim):
        self.claim = claim
        self.weights = claim.vote.weights

    def check(self, node, members, free, place="tree", depth=0):
        if depth > MAX_DEPTH:
            raise Refused(f"{place}: more than {MAX_DEPTH} levels")
        if type(node) is not dict or not set(node) <= {"refuted", "barred", "children"}:
            raise Malformed(f"{place}: expected refuted, or barred and children")
        if "refuted" in node:
            if len(node) > 1:
                raise Malformed(f"{place}: refuted stands alone")
            self.refute(node["refuted"], members, f"{place}.refuted")
            return
        free = set(free)
        for number, bar in enumerate(self.entries(node, "barred", place)):
            here = f"{place}.barred[{number}]"
            if type(bar) is not list or len(bar) != 3:
                raise Malformed(f"{here}: expected a plane, planes and multipliers")
            plane = self.plane(bar[0], free, here)
            self.refute(bar[1:], members | {plane}, here)
            free.discard(plane)
        children = self.entries(node, "children", place)
        planes = []
        for number, child in enumerate(children):
            here = f"{place}.children[{number}]"
            if type(child) is not list or len(child) != 2:
                raise Malformed(f"{here}: expected a plane and a node")
            planes.append(self.plane(child[0], free - set(planes), here))
        rest = free - set(planes)
        if self.weight(members) + self.weight(rest) >= self.claim.need:
            raise Refused(f"{place}: planes that are not covered weigh enough")
        for number, (plane, child) in enumerate(zip(planes, children)):
            # The cases by the last child that is fooled.
            self.check(child[1], members | {plane}, rest | set(planes[:number]),
                       f"{place}.children[{number}]", depth + 1)  # fmt: skip

    @staticmethod
    def entries(node, name, place):
        value = node.get(name, [])
        if type(value) is not list:
            raise Malformed(f"{place}: {name}: expected a list")
        return value

    def plane(self, value, allowed, place):
        if type(value) is not int or value not in allowed:
            raise Refused(f"{place}: expected a plane that may be fooled here, found {value!r}")
        return value

    def weight(self, planes):
        return sum(self.weights[i] for i in planes)

    def refute(self, by, members, place):
        if type(by) is not list or len(by) != 2 or not all(type(part) is list for part in by):
            raise Malformed(f"{place}: expected planes and multipliers")
        planes, given = by
        if len(planes) != len(given) or not planes:
            raise Malformed(f"{place}: expected a multiplier for each plane, at least one")
        for plane in planes:
            self.plane(plane, members, place)
        if len(set(planes)) != len(planes):
            raise Malformed(f"{place}: expected each plane once")
        multipliers, _ = on_one_grid([exact(value, place) for value in given])
        if any(m <= 0 for m in multipliers):
            raise Refused(f"{place}: expected multipliers > 0")
        if not self.claim.refutes(planes, multipliers):
            raise Refused(f"{place}: the multipliers prove less than the radius")


def check_witness(vote, claim, record, what):
    """The other end: the answer at the witness is another one."""
    if record.get("witness") is None:
        return
    moved = numbers_of(record, "witness", what, vote.n)
    for column, (before, after) in enumerate(zip(claim.point, moved)):
        if not vote.scale[column] and compare(before, after) != 0:
            raise Refused(f"witness: feature {column} does not move")
    if vote.answer(vote.margins(moved)[0]) == claim.answer:
        raise Refused("witness: the answer there is the same")


def check_point(vote, record, what):
    """Raises Refused or Malformed; returns the claim."""
    if type(record) is not dict:
        raise Malformed(f"{what}: expected an object")
    claim = Claim(vote, record, what)
    text = json.dumps(claim.texts, separators=(",", ":"))
    if record.get("sha256") != hashlib.sha256(text.encode()).hexdigest():
        raise Refused("sha256 is not that of the point")
    check_witness(vote, claim, record, what)
    if claim.is_infinite or claim.radius[0] > 0:  # no move is smaller than 0
        Tree(claim).check(record.get("tree"), frozenset(), frozenset(range(len(vote.planes))))
    return claim


# --- files --------------------------------------------------------------------------------------------


def _unique(pairs):
    if len({name for name, _ in pairs}) != len(pairs):
        raise Malformed("a name occurs twice in one object")
    return dict(pairs)


def _no_number(text):
    raise Malformed(f"expected integers or hexadecimal texts, found {text[:40]}")


def parse(line, what):
    if len(line) > MAX_LINE:
        raise Malformed(f"{what}: longer than {MAX_LINE} bytes")
    try:
        return json.loads(
            line, object_pairs_hook=_unique, parse_float=_no_number, parse_constant=_no_number
        )
    except (ValueError, RecursionError) as error:
        raise Malformed(f"{what}: {error}") from None


def open_lines(path):
    with open(path, "rb") as file:
        is_zipped = file.read(2) == b"\x1f\x8b"
    return gzip.open(path, "rt", encoding="utf-8") if is_zipped else open(path, encoding="utf-8")


def check_model(vote, path):
    with open(path, "rb") as file:
        content = file.read()
    if vote.model_hash != hashlib.sha256(content).hexdigest():
        raise Refused(f"{path} is not the model that the proofs are about (another SHA-256)")


def check_file(path, model=None, quiet=False, out=sys.stdout):
    """Check all proofs of a file. Returns the numbers of proven and refused points."""
    proven = refused = 0
    with open_lines(path) as lines:
        first = lines.readline()
        vote = Vote(parse(first, "header"))
        if model is not None:
            check_model(vote, model)
        for number, line in enumerate(lines, 2):
            what = f"line {number}"
            record = parse(line, what)
            name = record.get("row") if type(record) is dict else None
            try:
                claim = check_point(vote, record, what)
            except Refused as error:
                refused += 1
                print(f"row {name}: refused: {error}", file=out)
                continue
            proven += 1
            if not quiet:
                m, e = claim.radius
                size = "inf" if claim.is_infinite else f"{math.ldexp(m, e):.17g}"
                print(f"row {name}: proven: answer {claim.answer:+d} within {size}", file=out)
    return proven, refused


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Check proofs of robustness in exact arithmetic.")
    parser.add_argument("proofs", help="the proof file, JSON lines, possibly gzipped")
    parser.add_argument("--model", help="the model file that the proofs must be about")
    parser.add_argument("--quiet", action="store_true", help="say nothing of points that are proven")
    given = parser.parse_args(arguments)
    sys.setrecursionlimit(10 * MAX_DEPTH)
    with contextlib.suppress(AttributeError):
        sys.set_int_max_str_digits(100_000)
    try:
        proven, refused = check_file(given.proofs, given.model, given.quiet)
    except (Malformed, Refused, OSError, EOFError, UnicodeDecodeError) as error:
        print(f"redoubt_check: {given.proofs}: {error}", file=sys.stderr)
        return 2
    print(f"{proven} proven, {refused} refused")
    return 1 if refused or not proven else 0


if __name__ == "__main__":
    sys.exit(main())
