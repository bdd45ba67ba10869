"""Tables with texts and gaps: rules and answers in their own columns."""

import csv
import io
import json

import numpy as np
import pytest

JOBS, CITIES = ("clerk", "cook", "nurse", "pilot"), ("x", "y")


def make_rows(seed=0, n=120, gaps=0.0):
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        age, visits = rng.integers(20, 70), rng.integers(0, 6)
        job, city = rng.choice(JOBS), rng.choice(CITIES)
        score = 0.1 * (age - 45) + 1.5 * (job == "nurse") - (job == "cook") + 0.4 * visits - 1
        row = {"age": age, "job": job, "visits": visits, "city": city}
        for name in ("age", "job"):
            if rng.random() < gaps:
                row[name] = ""
        rows.append(row | {"kind": "yes" if score + rng.normal() > 0 else "no"})
    return rows


def write(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture
def table(tmp_path):
    def make(**options):
        rows = make_rows(**options)
        write(tmp_path / "data.csv", rows)
        return rows

    return make


def train(redoubt, *options):
    run = redoubt("train", "data.csv", "--one-hot", "--model", "model.json", *options)
    assert run.code == 0, run.err
    return run


def certify(redoubt, *options):
    run = redoubt("certify", "model.json", "data.csv", "--witness", "--format", "csv", *options)
    assert run.code == 0, run.err
    return run.rows()


def witnesses(rows):
    """The rows with a witness, and these witnesses as rows of the table."""
    some = [row for row in rows if row["witness:age"] or row["witness:job"]]
    names = [name for name in rows[0] if name.startswith("witness:")]
    return some, [{name[8:]: row[name] for name in names} for row in some]


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--missing", "median"],
        ["--missing", "category"],
        ["--missing", "indicator", "--unseen", "other"],
        ["--unseen", "other", "--scale", "minmax"],
    ],
    ids=" ".join,
)
def test_witnesses_are_rows_of_the_table(redoubt, table, tmp_path, options):
    has_gaps = "--missing" in options
    given = table(gaps=0.2 if has_gaps else 0.0)
    train(redoubt, *options)
    rows, moved = witnesses(certify(redoubt))
    assert len(rows) > 100
    assert {row["witness:job"] for row in rows} <= {*JOBS, "(other)", ""}
    write(tmp_path / "moved.csv", moved)
    after = redoubt("predict", "model.json", "moved.csv", "--format", "csv").rows()
    # Where a gap was filled in, the row as it is printed has the gap, and is answered alike.
    assert all(a["prediction"] != b["prediction"] for a, b in zip(rows, after, strict=True))
    if has_gaps:
        places = [int(row["row"]) - 1 for row in rows]
        kept = [m["age"] == "" for m in moved]
        assert kept == [given[place]["age"] == "" for place in places]


def test_a_change_of_category_counts_one_by_default(redoubt, table, tmp_path):
    table()
    run = train(redoubt, "--norm", "l1", "--format", "json").json()
    assert "a change of category counts 1" in run["unit_of_radii"]
    assert "categories, a switch costs 1: job, city" in run["attack_model"]
    assert "attack_model" not in json.loads((tmp_path / "model.json").read_text())
    usual = certify(redoubt)
    names = {"job": [f"job={each}" for each in JOBS], "city": ["city=x", "city=y"]}
    groups = {"norm": "l1", "one_hot": list(names.values())}
    (tmp_path / "groups.json").write_text(json.dumps(groups))
    (tmp_path / "plain.json").write_text(json.dumps({"norm": "l1"}))
    for rules in ("groups.json", "plain.json"):
        assert certify(redoubt, "--attack-model", rules) == usual
    # Every 0/1 feature moved like a number once, which is never costs more than a switch of 1.
    ball = certify(redoubt, "--attack-model", "none")
    assert ball != usual
    (tmp_path / "numbers.json").write_text(
        json.dumps({"norm": "l1", "text_columns": "numbers", "missing": "free"})
    )
    assert certify(redoubt, "--attack-model", "numbers.json") == ball
    # Switches have their price.
    costs = {"norm": "l1", "switch_cost": {"job": 5, "city": 7}, "frozen": ["age", "visits"]}
    (tmp_path / "costs.json").write_text(json.dumps(costs))
    priced = certify(redoubt, "--attack-model", "costs.json")
    assert {abs(float(row["radius"])) for row in priced} <= {5.0, 7.0, 12.0, np.inf}


def test_quick_rules_name_columns(redoubt, table):
    given = table()
    train(redoubt)
    rules = ["--frozen", "job,age", "--increase-only", "visits", "--bounds", "data"]
    rows, moved = witnesses(certify(redoubt, *rules))
    assert rows
    for row, witness in zip(rows, moved, strict=True):
        before = given[int(row["row"]) - 1]
        assert witness["job"] == before["job"]
        assert float(witness["age"]) == before["age"]
        assert before["visits"] <= float(witness["visits"]) <= 5
    facts = redoubt("certify", "model.json", "data.csv", *rules, "--format", "json").json()
    assert "frozen: age, job" in facts["attack_model"]


def test_missing_entries_move_only_if_the_rules_let_them(redoubt, table, tmp_path):
    given = table(gaps=0.3)
    train(redoubt, "--missing", "median")
    (tmp_path / "free.json").write_text(json.dumps({"norm": "l2", "missing": "free"}))
    frozen = np.array([abs(float(row["radius"])) for row in certify(redoubt)])
    free = certify(redoubt, "--attack-model", "free.json")
    free = np.array([abs(float(row["radius"])) for row in free])
    gap = np.array([row["age"] == "" or row["job"] == "" for row in given])
    np.testing.assert_array_equal(frozen[~gap], free[~gap])
    assert (frozen[gap] >= free[gap] * (1 - 1e-9)).all()
    assert (frozen[gap] > free[gap] * 1.01).any()
    # The other commands agree.
    run = redoubt("attack", "model.json", "data.csv", "--radius", "0.5", "--format", "csv").rows()
    assert [row["age"] == "" for row in run] == [row["age"] == "" for row in given]
    told = redoubt("explain", "model.json", "data.csv", "--no-ranges", "--format", "json").json()
    np.testing.assert_array_equal([point["radius"] for point in told["points"]], frozen)
    curve = redoubt("evaluate", "model.json", "data.csv", "--radii", "0.5", "--format", "json")
    right = np.array([row["prediction"] == row["label"] for row in certify(redoubt)])
    assert curve.json()["curve"][0]["accuracy"] == np.mean(right & (frozen > 0.5))


def test_explanations_name_categories(redoubt, table):
    given = table()
    train(redoubt)
    told = redoubt("explain", "model.json", "data.csv", "--format", "json").json()
    changes = [row for row in told["features"] if row["feature"] == "job" and row["switch_to"]]
    assert changes
    sentences = {point["row"]: point["explanation"] for point in told["points"]}
    assert any("job changes from '" in text for text in sentences.values())
    for change in changes:
        assert change["value"] == given[change["row"] - 1]["job"]
        assert change["switch_size"] == 1
        for job in change["switch_to"].split("; "):
            assert job in JOBS
            assert job != change["value"]
    assert [row["feature"] for row in told["features"][:4]] == ["age", "job", "visits", "city"]


def test_a_switch_in_the_sentence_changes_the_answer(redoubt, table, tmp_path):
    given = table()
    train(redoubt)
    told = redoubt("explain", "model.json", "data.csv", "--format", "csv").rows()
    changed, before = [], []
    answers = redoubt("predict", "model.json", "data.csv", "--format", "csv").rows()
    for row in told:
        for category in filter(None, row["switch_to"].split("; ")):
            place = int(row["row"]) - 1
            changed.append({**given[place], row["feature"]: category})
            before.append(answers[place]["prediction"])
    write(tmp_path / "changed.csv", changed)
    after = redoubt("predict", "model.json", "changed.csv", "--format", "csv").rows()
    assert all(row["prediction"] != old for row, old in zip(after, before, strict=True))


def test_unknown_categories(redoubt, table, tmp_path):
    table()
    new = "age,job,visits,city\n30,astronaut,2,x\n"
    (tmp_path / "new.csv").write_text(new)
    train(redoubt)
    refused = redoubt("predict", "model.json", "new.csv")
    assert refused.code == 2
    assert "expected a category of the training file ('clerk', 'cook'" in refused.err
    train(redoubt, "--unseen", "other")
    assert redoubt("predict", "model.json", "new.csv").code == 0
    rows = redoubt("certify", "model.json", "new.csv", "--witness", "--format", "csv").rows()
    assert rows[0]["status"] == "optimal"
    attacked = redoubt(
        *("attack", "model.json", "new.csv", "--radius", "0.01", "--format", "csv")
    ).rows()
    assert attacked[0]["job"] == "(other)"


# --- redoubt attack-model ---------------------------------------------------------------------


def test_a_proposal_is_an_attack_model_of_the_table(redoubt, tmp_path):
    rows = [{"id": 1000 + i, **row} for i, row in enumerate(make_rows(gaps=0.1))]
    write(tmp_path / "data.csv", [{**row, "same": 3} for row in rows])
    run = redoubt("attack-model", "data.csv", "--label", "kind", "--out", "rules.json")
    assert (run.code, run.out) == (0, "")
    assert "attack model written to rules.json" in run.err
    text = (tmp_path / "rules.json").read_text()
    assert redoubt("attack-model", "data.csv", "--label", "kind").out == text
    rules = json.loads(text)
    assert rules["frozen"] == ["id", "same"]
    assert rules["integer"] == ["age", "visits"]
    assert rules["bounds"]["visits"] == [0, 5]
    assert rules["switch_cost"] == {"job": 1, "city": 1}
    ages = np.array([row["age"] for row in rows if row["age"] != ""], dtype=float)
    assert rules["scale"]["age"] == pytest.approx(ages.std(), rel=0.1)
    assert any("one standard deviation" in line for line in rules["comment"])
    options = ["--label", "kind", "--missing", "median", "--attack-model", "rules.json"]
    # Without the rows that have gaps: there, the median need not be an integer.
    full = [row for row in rows if "" not in row.values()]
    write(tmp_path / "data.csv", [{**row, "same": 3} for row in full])
    train(redoubt, *options)
    moved = certify(redoubt)
    assert {row["status"] for row in moved} == {"optimal"}
    for row in csv.DictReader(io.StringIO(redoubt("predict", "model.json", "data.csv").out)):
        assert row["prediction"] in ("yes", "no")


def test_a_proposal_takes_the_norm_and_columns_of_codes(redoubt, table):
    table()
    rules = redoubt(
        *("attack-model", "data.csv", "--label", "kind", "--norm", "l1"),
        *("--text-columns", "visits"),
    ).json()
    assert rules["norm"] == "l1"
    assert list(rules["switch_cost"]) == ["job", "visits", "city"]
