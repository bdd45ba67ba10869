"""Proofs, and the checker that shares no code with what writes them."""

import gzip
import json
import random
import subprocess
import sys

import numpy as np
import pytest
import redoubt_check
from proof_trees import bars_of, nodes_of
from proof_verdicts import verdicts
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import redoubt
from redoubt import _core, datasets


def certify(vote, X, norm):
    return _core.certify(vote, X, None, norm=norm, solver="native", proofs=True)


def header_of(vote, norm):
    rules = _core.AttackRules(json.dumps({"norm": norm}), "rules", 0)
    names = [f"x{i}" for i in range(vote.n_features)]
    return _core.proof_header(vote, rules.resolve(names, np.ones(len(names)), []))


def random_votes(n_votes, seed):
    """Votes on a grid, with opposite planes and ties, and votes without any."""
    rng = np.random.default_rng(seed)
    for number in range(n_votes):
        k, n = rng.integers(1, 10), rng.integers(1, 6)
        on_grid = rng.random() < 0.6
        W = rng.integers(-2, 3, (k, n)).astype(float) if on_grid else rng.normal(size=(k, n))
        b = rng.integers(-2, 3, k).astype(float)
        X = rng.integers(-2, 3, (6, n)) * rng.choice([1.0, 0.5, 0.1])
        if on_grid and rng.random() < 0.4:
            W[1::2] = -W[: len(W[1::2]) * 2 : 2] * 3
            b[1::2] = -b[: len(b[1::2]) * 2 : 2] * 3
        weights = rng.integers(1, 5, k).astype(float) if rng.random() < 0.4 else np.empty(0)
        yield _core.Ensemble(W, b, weights), X, ("l1", "l2", "linf")[number % 3]


def damaged(line, chance):
    """The same proof with one thing changed."""
    record = json.loads(line)
    node = chance.choice(list(nodes_of(record["tree"])))
    bars = bars_of(node)
    kind = chance.randrange(8)
    if kind == 0 and "refuted" in node and node["refuted"]:
        multipliers = node["refuted"]
        multipliers[chance.randrange(len(multipliers))] = chance.randrange(100)
    elif kind == 1 and bars:
        bars.pop(chance.randrange(len(bars)))
    elif kind == 2 and len(node) > 1:
        at = chance.randrange(1, len(node), 2)
        del node[at : at + 2]
    elif kind == 3 and len(node) > 3:
        node[1:3], node[-2:] = node[-2:], node[1:3]
    elif kind == 4 and record["radius"] != "inf":
        factor = chance.choice([1 + 2**-50, 1.001, 3.0, 0.999])
        record["radius"] = (float.fromhex(record["radius"]) * factor).hex()
    elif kind == 5:
        record["sha256"] = record["sha256"][::-1]
    elif kind == 6:
        return line[: chance.randrange(len(line) - 1)]
    elif kind == 7 and bars:
        bar = chance.choice(bars)
        bar[chance.randrange(1, len(bar))] = chance.randrange(-5, 50)
    return json.dumps(record, separators=(",", ":"))


def test_both_checkers_accept_every_proof():
    for vote, X, norm in random_votes(150, seed=0):
        header = header_of(vote, norm)
        for line in certify(vote, X, norm).proof:
            assert verdicts(header, line) == ("proven", "proven")


def test_damaged_proofs_are_refused_by_both_or_true():
    chance = random.Random(0)
    seen = []
    for vote, X, norm in random_votes(150, seed=1):
        header, found = header_of(vote, norm), certify(vote, X, norm)
        for row, line in enumerate(found.proof):
            other = damaged(line, chance)
            verdict, theirs = verdicts(header, other)
            assert theirs == verdict
            seen.append(verdict)
            if verdict == "proven":
                radius = json.loads(other)["radius"]
                assert (np.inf if radius == "inf" else float.fromhex(radius)) <= found.upper[row]
    assert all(seen.count(each) > 50 for each in ("proven", "refused", "malformed"))


@pytest.fixture
def proof_file(tmp_path):
    vote = _core.Ensemble(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([0.0, 0.0, -1.0]), np.empty(0))
    path = tmp_path / "proofs.jsonl"
    lines = certify(vote, np.array([[3.0, 4.0], [0.0, -1.0]]), "l2").proof
    path.write_text(header_of(vote, "l2") + "".join(lines), encoding="utf-8")
    return path


def run_checker(*arguments):
    """As a program of its own, without the packages that are installed."""
    return subprocess.run(
        [sys.executable, "-I", "-S", redoubt_check.__file__, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_checker_runs_alone(proof_file):
    found = run_checker(proof_file)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.splitlines()[-1] == "2 proven, 0 refused"
    assert found.stdout.startswith("row 1: proven: answer +1 within 4.2426406871")


def test_gzipped_files_are_read(proof_file, tmp_path):
    zipped = tmp_path / "proofs.jsonl.gz"
    zipped.write_bytes(gzip.compress(proof_file.read_bytes()))
    assert run_checker(zipped, "--quiet").stdout == "2 proven, 0 refused\n"


def test_what_is_wrong_is_said(proof_file, tmp_path):
    lines = proof_file.read_text(encoding="utf-8").splitlines()
    record = json.loads(lines[1])
    record["radius"] = "0x1.2p+2"
    proof_file.write_text("\n".join([lines[0], json.dumps(record)]), encoding="utf-8")
    found = run_checker(proof_file)
    assert found.returncode == 1
    assert "row 1: refused: tree" in found.stdout
    assert "the multipliers prove less than the radius" in found.stdout
    proof_file.write_text("\n".join([lines[0], lines[1][:-5]]), encoding="utf-8")
    found = run_checker(proof_file)
    assert found.returncode == 2
    assert "line 2" in found.stderr
    proof_file.write_text(lines[1], encoding="utf-8")
    assert "line 1: expected redoubt_proofs of version 1" in run_checker(proof_file).stderr
    assert run_checker(tmp_path / "no.jsonl").returncode == 2


def test_a_fitted_model_has_proofs(tmp_path):
    X, y, *_ = datasets.load("breastcancer")
    model = make_pipeline(StandardScaler(), redoubt.BaggedSVMClassifier(n_planes=5, random_state=0))
    model.fit(X, y)
    for norm in ("l1", "l2", "linf"):
        result = redoubt.certify(model, X[:40], y[:40], norm=norm, proofs=True)
        plain = redoubt.certify(model, X[:40], y[:40], norm=norm)
        np.testing.assert_array_equal(result.lower, plain.lower)
        path = tmp_path / f"{norm}.jsonl"
        result.save_proofs(path)
        assert redoubt_check.check_file(path, quiet=True) == (40, 0)
        for row in range(40):
            right = result.prediction[row] == y[row]
            radius = float.fromhex(result.proof(row)["radius"])
            assert radius == (result.lower[row] if right else -result.upper[row])


def test_models_without_proofs_are_named():
    X, y, *_ = datasets.load("breastcancer")
    model = redoubt.LinearSVMClassifier().fit(X, y)
    with pytest.raises(ValueError, match=r"solver='enumerate'"):
        redoubt.certify(model, X[:2], proofs=True, solver="enumerate")
    scaled = redoubt.AttackModel("l1", scale={0: 2.0}, frozen=[1])
    assert redoubt.certify(model, X[:2], proofs=True, attack_model=scaled).proof(1)["tree"]
    with pytest.raises(ValueError, match="certify with proofs=True"):
        redoubt.certify(model, X[:2]).proof(0)


def test_another_model_is_refused(proof_file, tmp_path):
    model = tmp_path / "model.json"
    model.write_text("{}", encoding="utf-8")
    assert "is not the model that the proofs are about" in run_checker(
        proof_file, "--model", model
    ).stderr


def test_the_checker_uses_the_standard_library_alone_and_is_short():
    with open(redoubt_check.__file__, encoding="utf-8") as file:
        lines = file.read().splitlines()
    assert len(lines) <= 500
    assert max(map(len, lines)) <= 100
    imports = {line.split()[1] for line in lines if line.startswith(("import ", "from "))}
    assert imports <= set(sys.stdlib_module_names)
