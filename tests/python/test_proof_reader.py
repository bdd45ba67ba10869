"""Damaged and hostile proof files: redoubt_check.py names what is wrong, in bounded time and memory."""

import hashlib
import io
import json
import random
import subprocess
import sys

import pytest
import redoubt_check
from proof_verdicts import by_python, verdicts

HEADER = {
    "redoubt_proofs": 1,
    "norm": "l2",
    "planes": [["0x1p+0", "0x0p+0", 1], [0, "0x1p+0", "-0x1.8p-3"], [1, 1, "0x1p-1074"]],
    "intercepts": [0, "0x0p+0", "-0x1p+0"],
    "weights": [1, 2, 1],
    "scale": [1, "0x1p-1", 0],
    "lower": ["-inf", -9, 0],
    "upper": ["inf", 9, 1],
    "direction": ["both", "up", "down"],
    "integers": [{"feature": 1, "offset": 0, "scale": 1, "step": [1, 1]}],
    "groups": [{"features": [0], "cost": 1, "prices": [[0, 0, "inf"]]}],
    "attacking_class": 1,
    "unit": [1, 1],
    "quota": 2,
    "minus_at_zero": [1],
    "model_sha256": "",
}
POINT = ["0x1.8p+1", 4, 0]
LINE = {
    "row": 1,
    "sha256": "",
    "point": POINT,
    "answer": 1,
    "label": 1,
    "frozen": [0],
    "radius": "0x1.0p+2",
    "tree": {
        "integer": 1,
        "cases": [
            [None, 4, [[[2, ["0x1p-1"], 1]], 1, {"refuted": [1]}]],
            [5, None, {"group": 0, "cases": [[[0], [[]]]]}],
        ],
    },
    "witness": POINT,
}
ALPHABET = '0123456789abcdefinpx+-.,:[]{}" \\n'
VALUES = (None, True, -1, 0, 1, 2**53, 10**30, "", "inf", "nan", "0x1p+1023", "0x1p+99999", [], {}, [[]])


def replaced(value, chance):
    """A copy with one value inside replaced by another of any kind."""
    entries = list(value.items()) if type(value) is dict else list(enumerate(value))
    at, old = chance.choice(entries)
    deeper = type(old) in (dict, list) and old and chance.random() < 0.7
    new = replaced(old, chance) if deeper else chance.choice(VALUES)
    return {**value, at: new} if type(value) is dict else [*value[:at], new, *value[at + 1 :]]


def damaged(text, chance):
    at = chance.randrange(len(text))
    cut = chance.choice([0, 1, 1, 5])
    return text[:at] + "".join(chance.choices(ALPHABET, k=chance.randrange(3))) + text[at + cut :]


def test_nothing_but_refusals_comes_of_damage():
    chance, seen = random.Random(0), set()
    for _ in range(2000):
        header, line = HEADER, LINE
        if chance.random() < 0.5:
            header = replaced(header, chance)
        if chance.random() < 0.7:
            line = replaced(line, chance)
        header, line = json.dumps(header), json.dumps(line)
        if chance.random() < 0.3:
            header = damaged(header, chance)
        if chance.random() < 0.3:
            line = damaged(line, chance)
        seen.add(by_python(header, line))
    assert {"malformed", "refused"} <= seen


@pytest.mark.parametrize(
    "line",
    [
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"row":' + "9" * 100_000 + "}",
        '{"redoubt_proofs":1,"redoubt_proofs":1}',
        '{"redoubt_proofs":1e0}',
        '{"redoubt_proofs":true}',
        '{"redoubt_proofs":1,"planes":[[]]}',
        "\x00",
        "",
        "nan",
        "\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"),
    ],
)
def test_hostile_headers_are_malformed(line):
    with pytest.raises(redoubt_check.MALFORMED):
        redoubt_check.Vote(redoubt_check.parse(line))


def test_integers_whose_values_are_not_told_apart_take_no_time():
    rules = {"feature": 1, "offset": "0x1p+1000", "scale": 1, "step": [1, 1]}
    assert by_python(json.dumps(HEADER | {"integers": [rules]}), json.dumps(LINE)) != "proven"
    rules = {"feature": 1, "offset": 0, "scale": "0x1p-1000", "step": [1, 1]}
    assert by_python(json.dumps(HEADER | {"integers": [rules]}), json.dumps(LINE)) != "proven"


def test_a_line_without_end_is_not_read_to_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr(redoubt_check, "MAX_LINE", 1000)
    path = tmp_path / "long.jsonl"
    path.write_text('{"redoubt_proofs":' + " " * 100_000, encoding="utf-8")
    with pytest.raises(ValueError, match="line 1: longer than 1000 bytes"):
        redoubt_check.check_file(path, out=io.StringIO())


@pytest.mark.parametrize("content", [b"", b"\xff\xfe{}", b"\x1f\x8b\x00broken", b"[]\n", b"{}\n{}\n"])
def test_files_that_are_no_proofs_end_with_one_line(content, tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    found = subprocess.run(
        [sys.executable, "-I", "-S", redoubt_check.__file__, str(path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode in (1, 2)
    assert "Traceback" not in found.stderr
    assert found.stderr.count("\n") <= 1


@pytest.mark.parametrize("row", [2**62 + 1, 2**63, -(2**62) - 1, 10**40, 1.0, True])
def test_integers_that_are_too_large_are_malformed_to_both(row):
    header = {"redoubt_proofs": 1, "norm": "l2", "planes": [[1]], "intercepts": [0], "weights": [1]}
    text = hashlib.sha256(b"[1]").hexdigest()
    line = {"row": 2**62, "sha256": text, "point": [1], "answer": 1, "radius": 1, "tree": [[[0, 1]]]}
    assert verdicts(json.dumps(header), json.dumps(line)) == ("proven", "proven")
    line["row"] = row
    assert verdicts(json.dumps(header), json.dumps(line)) == ("malformed", "malformed")
