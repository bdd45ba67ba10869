"""Proofs for several classes: by value and by votes, right and wrong answers, under rules."""

import json
import random

import numpy as np
import pytest
import redoubt_check
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from proof_trees import bars_of, nodes_of
from proof_verdicts import verdicts

import redoubt
from redoubt import _core

NORMS = ("l1", "l2", "linf")


def class_vote(rng):
    """A random vote, often on a grid, with weights, ties and planes that answer -1 at 0."""
    n_classes, n = int(rng.integers(2, 6)), int(rng.integers(1, 5))
    score = "value" if rng.random() < 0.4 else "votes"
    counts = [1 if score == "value" else int(rng.integers(1, 4)) for _ in range(n_classes)]
    k = sum(counts)
    on_grid = rng.random() < 0.6
    W = rng.integers(-2, 3, (k, n)).astype(float) if on_grid else rng.normal(size=(k, n))
    b = rng.integers(-2, 3, k).astype(float)
    weighs = score == "votes" and rng.random() < 0.3
    weights = rng.integers(1, 5, k).astype(float) if weighs else np.empty(0)
    minus = (rng.random(k) < 0.4).tolist() if score == "votes" and rng.random() < 0.5 else []
    X = rng.integers(-3, 4, (4, n)) * rng.choice([1.0, 0.5, 0.1])
    vote = _core.ClassVote(_core.Ensemble(W, b, weights), counts, score, minus)
    return vote, X, rng.integers(0, n_classes, len(X))


def certify(vote, X, y, norm, **more):
    return _core.certify_classes(vote, X, y, None, norm=norm, solver="native", proofs=True, **more)


def test_both_checkers_accept_every_proof():
    rng = np.random.default_rng(0)
    n_wrong = 0
    for number in range(150):
        vote, X, y = class_vote(rng)
        found = certify(vote, X, y, NORMS[number % 3])
        for row, line in enumerate(found.proof):
            is_wrong = found.answer[row] != y[row]
            n_wrong += is_wrong
            assert verdicts(found.proof_header, line) == ("proven", "proven"), line
            proven = float.fromhex(json.loads(line)["radius"])
            assert proven == (-found.upper[row] if is_wrong else found.lower[row])
    assert n_wrong > 100


def damaged(line, chance):
    record = json.loads(line)
    trees = record["trees"] if "trees" in record else [record["tree"]]
    node = chance.choice(list(nodes_of(chance.choice(trees))))
    bars = bars_of(node)
    kind = chance.randrange(7)
    if kind == 0 and bars:
        bars.pop(chance.randrange(len(bars)))
    elif kind == 1 and bars:
        bar = chance.choice(bars)
        bar[chance.randrange(1, len(bar))] = chance.randrange(-5, 50)
    elif kind == 2 and record["radius"] != "inf":
        factor = chance.choice([1 + 2**-50, 1.001, 3.0, 0.999])
        record["radius"] = (float.fromhex(record["radius"]) * factor).hex()
    elif kind == 3 and "trees" in record:
        chance.shuffle(record["trees"])
    elif kind == 4:
        record["label"] += chance.choice([-1, 1])
    elif kind == 5 and "rivals" in record:
        record["rivals"] = [chance.randrange(4)]
    elif kind == 6:
        record["answer"] += chance.choice([-1, 1])
    return json.dumps(record, separators=(",", ":"))


def test_damaged_proofs_are_refused_by_both_or_true():
    rng, chance = np.random.default_rng(1), random.Random(1)
    seen = []
    for number in range(200):
        vote, X, y = class_vote(rng)
        found = certify(vote, X, y, NORMS[number % 3])
        for row, line in enumerate(found.proof):
            other = damaged(line, chance)
            python, library = verdicts(found.proof_header, other)
            assert python == library, other
            seen.append(python)
            record = json.loads(other)
            if python == "proven" and record["label"] == y[row]:
                most = max(abs(found.lower[row]), abs(found.upper[row]))
                assert float.fromhex(record["radius"]) <= most
    assert all(seen.count(each) > 50 for each in ("proven", "refused"))


@pytest.mark.parametrize("model", [LogisticRegression(), redoubt.BaggedSVMClassifier(5, random_state=0)])
@pytest.mark.parametrize("norm", NORMS)
def test_fitted_models(model, norm, tmp_path):
    X, y = load_iris(return_X_y=True)
    model = make_pipeline(StandardScaler(), model).fit(X, y)
    rules = redoubt.AttackModel(norm, bounds=(0, 8), frozen=[3]) if norm != "l2" else None
    given = {"attack_model": rules} if rules else {"norm": norm}
    result = redoubt.certify(model, X[::5], y[::5], proofs=True, **given)
    plain = redoubt.certify(model, X[::5], y[::5], **given)
    np.testing.assert_array_equal(result.lower, plain.lower)
    result.save_proofs(tmp_path / "proofs.jsonl")
    assert redoubt_check.check_file(tmp_path / "proofs.jsonl", quiet=True) == (30, 0)


def test_where_all_planes_meet_no_proof_is_refused():
    """Rounded differences of planes that are multiples of each other may go round in a circle."""
    rng, reasons = np.random.default_rng(3), set()
    for number in range(150):
        w, b = rng.normal(size=3), rng.normal()
        factors = np.exp(rng.normal(size=4)) * rng.choice([-1.0, 1.0], 4)
        planes = _core.Ensemble(np.outer(factors, w), factors * b, np.empty(0))
        vote = _core.ClassVote(planes, [1] * 4, "value", [])
        X = rng.normal(size=(4, 3))
        X -= np.outer((X @ w + b) / (w @ w), w)
        found = certify(vote, X, np.arange(4), NORMS[number % 3])
        for line, reason in zip(found.proof, found.why_no_proof):
            assert (not line) == bool(reason)
            assert not line or verdicts(found.proof_header, line) == ("proven", "proven")
            reasons.add(reason)
    assert any("no class beat all others" in reason for reason in reasons)
