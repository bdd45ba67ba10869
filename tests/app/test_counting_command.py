"""Attacks that count in the program: norm l0 in every command that takes a norm."""

import json

import numpy as np
import pytest

import redoubt as package

N = 12


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Messages in words, LIBSVM text and a table, and rules for adding them."""
    folder = tmp_path_factory.mktemp("words")
    rng = np.random.default_rng(1)
    y = np.where(np.arange(120) % 2, 1, -1)
    chance = np.where((np.arange(N) % 2)[None, :] == (y > 0)[:, None], 0.6, 0.25)
    X = (rng.random((120, N)) < chance).astype(float)
    names = [f"w{l + 1}" for l in range(N)]
    lines = [",".join([*names, "kind"])]
    lines += [
        ",".join([*(f"{v:g}" for v in x), "spam" if s > 0 else "ham"])
        for x, s in zip(X, y, strict=True)
    ]
    (folder / "mail.csv").write_text("\n".join(lines) + "\n")
    rules = {"norm": "l0", "bounds": [0, 1], "integer": names, "increase_only": names}
    (folder / "rules.json").write_text(json.dumps(rules))
    return folder, X, y, names


@pytest.fixture
def run(redoubt_in, table):
    return redoubt_in(table[0])


def test_counts_are_those_of_python(run, table):
    folder, X, y, _ = table
    train = ["train", "mail.csv", "--method", "svm-ens", "--planes", "5", "--scale", "none"]
    assert run(*train, "--model", "vote.json").code == 0
    found = run("certify", "vote.json", "mail.csv", "--attack-model", "rules.json")
    assert found.code == 0, found.err
    assert "l0 radii in changed features" in found.err
    model = package.load_model(folder / "vote.json")
    rules = package.AttackModel(
        "l0", bounds=(0, 1), integer=list(range(N)), increase_only=list(range(N))
    )
    labels = np.where(y > 0, "spam", "ham")
    radii = package.certify(model, X, labels, attack_model=rules).radius
    np.testing.assert_array_equal(found.column("radius"), radii)
    evaluated = run(
        "evaluate", "vote.json", "mail.csv", "--attack-model", "rules.json", "--radii", "0,1,3",
        "--format", "csv",
    )  # fmt: skip
    assert evaluated.code == 0, evaluated.err
    wanted = [np.mean(radii > budget) for budget in (0, 1, 3)]
    np.testing.assert_allclose(evaluated.column("accuracy"), wanted)
    attacked = run(
        "attack", "vote.json", "mail.csv", "--attack-model", "rules.json", "--radius", "1"
    )
    assert attacked.code == 0, attacked.err
    np.testing.assert_array_equal(attacked.column("success") == 1, radii <= 1)
    told = run("explain", "vote.json", "mail.csv", "--attack-model", "rules.json", "--row", "2")
    assert told.code == 0, told.err


def test_ranges_of_the_data_are_enough(run):
    train = ["train", "mail.csv", "--method", "svm", "--model", "svm.json"]
    assert run(*train).code == 0
    found = run("certify", "svm.json", "mail.csv", "--norm", "l0", "--bounds", "data")
    assert found.code == 0, found.err
    radii = found.column("radius")
    assert set(np.abs(radii[np.isfinite(radii)])) <= set(range(N + 1))


def test_trainings_count_with_the_ranges_of_the_data(run):
    train = ["train", "mail.csv", "--scale", "none", "--norm", "l0", "--method", "ro-svm"]
    options = ["--radius", "1", "--regularization", "1"]
    done = run(*train, *options, "--bounds", "data", "--radii", "0,1", "--model", "own.json")
    assert done.code == 0, done.err
    assert "l0 radii in changed features" in done.out
    refused = run(*train, *options)
    assert refused.code == 2
    assert "a range of every feature that may change under l0" in refused.err


def test_the_budget_hinge_is_trained(run, table):
    folder, X, y, _ = table
    train = ["train", "mail.csv", "--method", "ro-svm", "--scale", "none", "--radius", "2"]
    options = ["--regularization", "1", "--attack-model", "rules.json"]
    done = run(*train, *options, "--model", "hinge.json")
    assert done.code == 0, done.err
    model = package.load_model(folder / "hinge.json")
    rules = package.AttackModel(
        "l0", bounds=(0, 1), integer=list(range(N)), increase_only=list(range(N))
    )
    same = package.RobustSVMClassifier(radius=2, attack_model=rules, regularization=1).fit(X, y)
    np.testing.assert_allclose(model.ensemble.coef, same.coef_, atol=1e-6)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"norm": "l0"}, "expected a range of every feature that may change under l0"),
        ({"norm": "l0", "bounds": [0, 1], "cost": {"w2": 0}}, "cost.w2: expected a number > 0"),
        ({"norm": "l0", "bounds": [0, 1], "cost": {"w2": -1}}, "cost.w2: expected a number > 0"),
        ({"norm": "l0", "bounds": [0, 1], "scale": 2}, "expected no scales under l0"),
        ({"norm": "l1", "cost": 2}, "expected no costs of features under a norm other than l0"),
        ({"norm": "l0", "bounds": [0, 0.5]}, "within the attack model's range"),
    ],
)
def test_mistakes(run, table, rules, message):
    assert run("train", "mail.csv", "--method", "svm", "--model", "model.json").code == 0
    (table[0] / "wrong.json").write_text(json.dumps(rules))
    found = run("certify", "model.json", "mail.csv", "--attack-model", "wrong.json")
    assert found.code == 2
    assert message in found.err
    assert found.err.count("\n") == 1


def test_a_norm_without_ranges_says_what_to_give(run):
    assert run("train", "mail.csv", "--method", "svm", "--model", "model.json").code == 0
    found = run("certify", "model.json", "mail.csv", "--norm", "l0")
    assert found.code == 2 and "a range of every feature that may change under l0" in found.err


def test_counts_have_proofs(run):
    assert run("train", "mail.csv", "--method", "svm", "--model", "model.json").code == 0
    found = run(
        "certify", "model.json", "mail.csv", "--attack-model", "rules.json", "--proof", "p.jsonl"
    )
    assert found.code == 0 and "without a proof" not in found.err
    checked = run("check", "p.jsonl", "--model", "model.json")
    assert checked.code == 0 and "120 proven, 0 refused" in checked.out


@pytest.mark.parametrize("method", [["svm-ens"], ["ens-e"], ["ens-c", "--radius", "0.5"]])
def test_votes_are_trained_with_a_quota(run, table, method):
    folder, X, *_ = table
    train = ["train", "mail.csv", "--method", *method, "--planes", "3", "--quota", "3"]
    done = run(*train, "--scale", "none", "--radii", "0", "--model", "strict.json")
    assert done.code == 0, done.err
    model = package.load_model(folder / "strict.json")
    assert model.ensemble.quota == 3
    assert run("info", "strict.json").fact("quota") == "3"
    agree = (X @ model.ensemble.coef.T + model.ensemble.intercept >= 0).all(axis=1)
    np.testing.assert_array_equal(model.predict(X) == "spam", agree)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--method", "svm-ens", "--planes", "3", "--quota", "4"],
         "--quota: expected at most the number of planes, 3, got 4"),
        (["--method", "svm-ens", "--quota", "0"], "--quota"),
        (["--method", "svm", "--quota", "1"], "--quota: applies to --method svm-ens"),
    ],
)  # fmt: skip
def test_what_is_no_quota(run, options, message):
    found = run("train", "mail.csv", *options)
    assert found.code == 2 and message in found.err
    assert found.err.count("\n") == 1


def test_a_quota_above_the_planes_is_refused(run, table):
    train = ["train", "mail.csv", "--method", "svm-ens", "--planes", "3", "--model", "vote.json"]
    assert run(*train).code == 0
    fields = json.loads((table[0] / "vote.json").read_text())
    del fields["checksum"]
    fields["quota"] = 4
    fields["format_version"] = 6
    (table[0] / "over.json").write_text(json.dumps(fields))
    found = run("predict", "over.json", "mail.csv")
    assert found.code == 2
    assert "quota: expected a number > 0 and <= the number of planes, 3, got 4" in found.err
