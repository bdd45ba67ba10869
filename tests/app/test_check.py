"""redoubt certify --proof and redoubt check."""

import gzip
import subprocess
import sys

import pytest
import redoubt_check


@pytest.fixture(scope="module")
def folder(program, tmp_path_factory):
    folder = tmp_path_factory.mktemp("proofs")
    run(program, folder, "train bcw:train --method svm-ens --planes 5 --model model.json")
    run(program, folder, "certify model.json bcw:test --proof proofs.jsonl --out radii.csv")
    return folder


def run(program, folder, arguments, code=0):
    done = subprocess.run(
        [program, *arguments.split()], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    return done


def test_program_and_python_agree(program, folder):
    n = len((folder / "radii.csv").read_text(encoding="utf-8").splitlines()) - 1
    done = run(program, folder, "check proofs.jsonl --model model.json")
    assert done.stdout == f"{n} proven, 0 refused\n"
    found = subprocess.run(
        [sys.executable, redoubt_check.__file__, "proofs.jsonl", "--model", "model.json", "--quiet"],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert found.stdout == done.stdout


def test_gzip_and_pipes(program, folder):
    (folder / "proofs.gz").write_bytes(gzip.compress((folder / "proofs.jsonl").read_bytes()))
    assert " 0 refused" in run(program, folder, "check proofs.gz").stdout


def test_wrong_claims_are_refused(program, folder):
    lines = (folder / "proofs.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    before, after = lines[1].split('"radius":"')
    radius, rest = after.split('"', 1)
    wrong = before + '"radius":"' + (float.fromhex(radius) * 1.01).hex() + '"' + rest
    (folder / "wrong.jsonl").write_text(lines[0] + wrong, encoding="utf-8")
    done = run(program, folder, "check wrong.jsonl", code=1)
    assert "row 1: refused: " in done.stdout
    assert done.stdout.endswith("0 proven, 1 refused\n")


def test_mistakes_are_named(program, folder):
    (folder / "other.json").write_text("{}", encoding="utf-8")
    done = run(program, folder, "check proofs.jsonl --model other.json", code=2)
    assert "the proofs are about another model file" in done.stderr
    (folder / "cut.jsonl").write_bytes((folder / "proofs.jsonl").read_bytes()[:-30])
    assert "cut.jsonl:" in run(program, folder, "check cut.jsonl", code=2).stderr
    done = run(program, folder, "certify model.json bcw:test --bounds data --proof p.jsonl", code=2)
    assert "there are no proofs for those yet" in done.stderr
    assert not (folder / "p.jsonl").exists()
