"""Proofs under attack models: ranges, directions, integers, groups, gaps, classes that attack."""

import copy
import json
import os
import random

import numpy as np
import pandas as pd
import pytest
import redoubt_check
from attack_rules import make_points, make_rules
from proof_trees import bars_of, cases_of, multipliers_of, nodes_of
from proof_verdicts import verdicts
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import redoubt

NORMS = ("l1", "l2", "linf")
SEEDS = int(os.environ.get("REDOUBT_TEST_SEEDS", "1"))


def random_problems(seed, n_problems):
    rng = np.random.default_rng(seed)
    for number in range(n_problems):
        norm = NORMS[number % 3]
        n_features = int(rng.integers(1, 7))
        finite = rng.random() < 0.5
        rules = make_rules(rng, n_features, norm, finite=finite)
        coef = np.round(rng.normal(size=(int(rng.integers(1, 8)), n_features)), 2)
        if rng.random() < 0.4:
            coef = np.round(2 * coef)
        vote = redoubt.Ensemble(coef, np.round(rng.normal(size=len(coef)), 1))
        X = make_points(rng, 3, n_features, rules)
        if rng.random() < 0.5:
            X = np.round(X)
        yield vote, X, rules


def lines_of(result, path):
    result.save_proofs(path)
    header, *lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return header, lines


def test_both_checkers_accept_every_proof(tmp_path):
    for vote, X, rules in random_problems(1, 60 * SEEDS):
        result = redoubt.certify(vote, X, attack_model=rules, proofs=True)
        header, lines = lines_of(result, tmp_path / "proofs.jsonl")
        assert len(lines) == len(X)
        for row, line in enumerate(lines):
            assert verdicts(header, line) == ("proven", "proven")
            assert float.fromhex(json.loads(line)["radius"]) == result.lower[row]


def damaged(line, header, chance):
    """The proof and its header with one thing changed."""
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
        one = chance.choice(cases)
        if "group" in node and one[0]:
            one[0].pop(chance.randrange(len(one[0])))
        elif "integer" in node:
            one[chance.randrange(2)] = chance.randrange(-3, 4)
    elif kind == 4 and record["radius"] != "inf":
        factor = chance.choice([1 + 2**-50, 1.001, 3.0, 0.999])
        record["radius"] = (float.fromhex(record["radius"]) * factor).hex()
    elif kind == 5:
        charged = [by[first - 1] for by, first in lists if isinstance(by[first - 1], list)]
        if charged:
            chance.choice(charged)[0] = chance.choice([0, 1, 7, -1, "0x1p-30"])
    elif kind == 6:
        return line[: chance.randrange(len(line) - 1)], header
    elif kind == 7:
        record["frozen"] = [chance.randrange(len(record["point"]))]
    elif kind == 8 and "direction" in head:
        head["direction"][0] = chance.choice(["both", "up", "down"])
    return json.dumps(record, separators=(",", ":")), json.dumps(head, separators=(",", ":"))


def test_damaged_proofs_are_refused_by_both_or_true(tmp_path):
    """What is still accepted must be true: the witness stands against it."""
    chance = random.Random(2)
    seen = []
    for vote, X, rules in random_problems(2, 90 * SEEDS):
        result = redoubt.certify(vote, X, attack_model=rules, proofs=True)
        header, lines = lines_of(result, tmp_path / "proofs.jsonl")
        for row, line in enumerate(lines):
            other, head = damaged(line, header, chance)
            python, library = verdicts(head, other)
            assert python == library, other
            seen.append(python)
            # Other rules and frozen features are other claims.
            is_same = json.loads(head) == json.loads(header) and "frozen" not in other
            if python == "proven" and is_same:
                radius = json.loads(other)["radius"]
                assert float.fromhex(radius) <= result.upper[row]
    assert all(seen.count(each) > 10 for each in ("proven", "refused", "malformed"))


def patients(rng, n_rows):
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 80, n_rows).astype(float),
            "pressure": np.round(rng.normal(120, 15, n_rows), 1),
            "visits": rng.integers(0, 9, n_rows).astype(float),
            "job": rng.choice(["clerk", "nurse", "smith"], n_rows),
        }
    )
    score = frame["pressure"] / 15 + frame["visits"] + 2 * (frame["job"] == "nurse")
    return frame, np.where(score + rng.normal(size=n_rows) > 12.5, "ill", "well")


def fitted(frame, labels):
    columns = make_column_transformer(
        (StandardScaler(), ["age", "pressure", "visits"]), (OneHotEncoder(), ["job"])
    )
    model = make_pipeline(columns, redoubt.BaggedSVMClassifier(n_planes=5, random_state=0))
    return model.fit(frame, labels)


@pytest.mark.parametrize("norm", NORMS)
def test_a_pipeline_on_a_table_has_proofs(norm, tmp_path):
    frame, labels = patients(np.random.default_rng(0), 60)
    rules = redoubt.AttackModel(
        norm, scale={"pressure": 5}, frozen="age", integer="visits", bounds={"visits": (0, 20)}
    )
    model = fitted(frame, labels)
    result = redoubt.certify(model, frame, labels, attack_model=rules, proofs=True)
    path = tmp_path / "proofs.jsonl"
    result.save_proofs(path)
    assert redoubt_check.check_file(path, quiet=True) == (60, 0)
    for row in range(60):
        right = result.prediction[row] == labels[row]
        radius = float.fromhex(result.proof(row)["radius"])
        assert radius == (result.lower[row] if right else -result.upper[row])


def test_gaps_of_a_table_do_not_move_in_proofs(tmp_path):
    rng = np.random.default_rng(3)
    frame, labels = patients(rng, 50)
    path = tmp_path / "model.json"
    redoubt.save_model(fitted(frame, labels), path)
    model = redoubt.load_model(path)
    later = copy.deepcopy(frame)
    result = model.certify(later, labels, proofs=True)
    proofs = tmp_path / "proofs.jsonl"
    result.save_proofs(proofs)
    assert redoubt_check.check_file(proofs, quiet=True) == (50, 0)


def test_points_that_do_not_attack_have_no_proof(tmp_path):
    frame, labels = patients(np.random.default_rng(4), 40)
    rules = redoubt.AttackModel("l2", frozen="age", attacking_class="ill")
    result = redoubt.certify(fitted(frame, labels), frame, labels, attack_model=rules, proofs=True)
    path = tmp_path / "proofs.jsonl"
    result.save_proofs(path)
    n_attackers = int((labels == "ill").sum())
    assert redoubt_check.check_file(path, quiet=True) == (n_attackers, 0)
    for row in range(40):
        proof = result.proof(row)
        assert (proof is not None) == (labels[row] == "ill")
        assert proof is None or proof["row"] == row + 1
