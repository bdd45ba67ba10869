"""redoubt certify --proof and redoubt check."""

import gzip
import json
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


def check_in_python(folder, *arguments):
    """Exit code and output of redoubt_check.py."""
    done = subprocess.run(
        [sys.executable, redoubt_check.__file__, *arguments],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_a_number_has_one_sign(program, folder):
    lines = (folder / "proofs.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    before, after = lines[1].split('"radius":"')
    signs = before + '"radius":"0x1p+-6"' + after.split('"', 1)[1]
    (folder / "signs.jsonl").write_text(lines[0] + signs, encoding="utf-8")
    assert "found '0x1p+-6'" in run(program, folder, "check signs.jsonl", code=2).stderr
    code, text = check_in_python(folder, "signs.jsonl")
    assert code > 0 and "0x1p+-6" in text


FEATURES = ["ClumpThickness", "UniformityOfCellSize", "MarginalAdhesion", "BareNuclei", "Mitoses"]


def test_proofs_under_an_attack_model(program, folder):
    for norm in ("l1", "l2", "linf"):
        rules = {
            "norm": norm,
            "bounds": {feature: [1, 10] for feature in FEATURES},
            "integer": FEATURES[:3],
            "increase_only": FEATURES[2:4],
            "attacking_class": "malignant",
        }
        (folder / "rules.json").write_text(json.dumps(rules), encoding="utf-8")
        rules = "--attack-model rules.json"
        run(program, folder, f"certify model.json bcw:test {rules} --proof p.jsonl --out r.csv")
        done = run(program, folder, "check p.jsonl --model model.json")
        assert done.stdout.endswith("proven, 0 refused\n")
        code, output = check_in_python(folder, "p.jsonl", "--model", "model.json", "--quiet")
        assert (code, output) == (0, done.stdout)


TABLE = """age,pressure,job,ill
31,120,clerk,no
45,,smith,yes
52,141.5,nurse,yes
38,118,clerk,no
60,150,smith,yes
29,,nurse,no
41,133,clerk,yes
36,111,nurse,no
"""


def test_proofs_of_a_table_with_texts_and_gaps(program, folder):
    (folder / "people.csv").write_text(TABLE, encoding="utf-8")
    run(program, folder, "train people.csv --one-hot --missing median --method svm-ens --planes 3 "
                         "--model people.json")  # fmt: skip
    run(program, folder, "certify people.json people.csv --proof people.jsonl --out r.csv")
    assert run(program, folder, "check people.jsonl").stdout == "8 proven, 0 refused\n"
    assert check_in_python(folder, "people.jsonl", "--quiet") == (0, "8 proven, 0 refused\n")


def test_the_rows_of_a_table_are_compared(program, folder):
    numbers = "\n".join(f"{i % 7},{i * i % 11},{'yes' if i % 3 else 'no'}" for i in range(20))
    (folder / "rows.csv").write_text("a,b,label\n" + numbers, encoding="utf-8")
    run(program, folder, "train rows.csv --method svm-ens --planes 3 --model rows.json")
    run(program, folder, "certify rows.json rows.csv --proof rows.jsonl --out r.csv")
    model = ("--model", "rows.json", "--quiet")
    code, output = check_in_python(folder, "rows.jsonl", *model, "--data", "rows.csv")
    assert (code, output) == (0, "20 proven, 0 refused\n")
    other = "a,b,label\n" + numbers.replace("1,1,", "1,2,", 1)
    (folder / "later.csv").write_text(other, encoding="utf-8")
    code, output = check_in_python(folder, "rows.jsonl", *model, "--data", "later.csv")
    assert code == 1
    assert "row 2: refused: the data has another point there" in output
    (folder / "other.csv").write_text("a,c\n1,2\n", encoding="utf-8")
    code, output = check_in_python(folder, "rows.jsonl", *model, "--data", "other.csv")
    assert (code, "columns not found: ['b']" in output) == (2, True)
    lines = (folder / "rows.jsonl").read_text(encoding="utf-8")
    head, rest = lines.split('"planes":[["', 1)
    (folder / "forged.jsonl").write_text(head + '"planes":[["0x1p-3","' + rest.split('","', 1)[1], encoding="utf-8")
    code, output = check_in_python(folder, "forged.jsonl", *model)
    assert (code, "rows.json has other planes than the proofs" in output) == (2, True)
