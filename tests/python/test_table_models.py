"""Model files on the original table: the same bits in the program and in Python."""

import io
import itertools
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import redoubt
import redoubt.displays
from redoubt import _core
from redoubt._models.table_models import make_table_model
from redoubt._tables.coding import Coding
from redoubt._tables.columns import FileColumn

PROGRAM = Path(sys.prefix, "bin", "redoubt")
BANK = Path(__file__).parents[2] / "benchmarks" / "data" / "bank.csv"
RULES = {
    "norm": "l1",
    "scale": {"age": 10, "balance": 3000, "duration": 250, "day": 8, "pdays": 100, "previous": 2},
    "frozen": ["age", "marital"],
    "increase_only": ["campaign"],
    "integer": ["campaign", "previous", "day"],
    "switch_cost": {
        "job": [
            {"cost": 2},
            {"to": "retired", "cost": 3.5},
            {"from": "student", "to": "admin.", "cost": 0.75},
            {"to": "entrepreneur", "cost": None},
        ]
    },
}


def run(*arguments):
    done = subprocess.run(
        [PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def read(text):
    return pd.read_csv(io.StringIO(text), keep_default_na=False, na_values=[""])


def train_bank(folder, data, *options):
    path = folder / "model.json"
    coding = ["--one-hot", "--unseen", "other", "--class-weight", "balanced"]
    run("train", data, "--label", "y", *coding, "--radius", "0.3", *options, "--model", path)
    return path


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    """A part of the table, and a vote that the program made of it."""
    folder = tmp_path_factory.mktemp("bank")
    frame = pd.read_csv(BANK, sep=";")[::10].reset_index(drop=True)
    frame.to_csv(folder / "part.csv", index=False)
    return frame, train_bank(folder, folder / "part.csv", "--method", "ens-r", "--planes", "5")


@pytest.mark.parametrize("rules", [None, RULES], ids=["default", "mixed rules"])
def test_bank_has_the_same_radii_in_both_languages(bank, tmp_path, rules):
    frame, path = bank
    if rules is not None:  # all 4,521 rows
        frame, path = pd.read_csv(BANK, sep=";"), train_bank(tmp_path, BANK)
    model = redoubt.load_model(path)
    frame.to_csv(tmp_path / "bank.csv", index=False)
    options, attack_model = [], None
    if rules is not None:
        attack_model = redoubt.AttackModel.from_dict(rules)
        attack_model.to_json(tmp_path / "rules.json")
        options = ["--attack-model", tmp_path / "rules.json"]
    text = run("certify", path, tmp_path / "bank.csv", "--witness", "--format", "csv", *options)
    wanted = read(text)
    result = model.certify(frame, frame["y"], attack_model=attack_model)
    for name in ("radius", "lower", "upper"):
        np.testing.assert_array_equal(getattr(result, name), wanted[name])
    assert set(result.status) == {"optimal"}
    assert result.prediction.tolist() == wanted["prediction"].tolist()
    for name in model.columns.names:
        pd.testing.assert_series_equal(
            result.moved[name],
            wanted[f"witness:{name}"],
            check_names=False,
            check_dtype=False,
            check_exact=True,
        )
    seen = result.moved["job"].notna()
    moved = model.predict(result.moved[seen])
    assert (moved != result.prediction[seen]).all()
    if rules is not None:
        assert np.median(result.solve_seconds) < 1e-3
        assert (result.moved["marital"][seen] == frame["marital"][seen]).all()


def test_bank_is_explained_and_attacked_in_its_own_words(bank, tmp_path):
    frame, path = bank
    frame = frame[:40]
    model = redoubt.load_model(path)
    frame.to_csv(tmp_path / "few.csv", index=False)
    told = model.explain(frame)
    wanted = run("explain", path, tmp_path / "few.csv", "--format", "json")
    points = pd.DataFrame(json.loads(wanted)["points"])
    assert [one.sentence for one in told] == points["explanation"].tolist()
    assert [one.radius for one in told] == points["radius"].tolist()
    for j, one in enumerate(told):
        assert one.row["job"][j] == frame["job"][j]
        assert (model.predict(one.moved)[0] != one.answer) == one.is_changed
        changes = {single.feature: single for single in one.singles}
        assert list(changes) == model.columns.names
        for job in changes["job"].switch_to:
            assert model.predict(pd.DataFrame([{**frame.iloc[j], "job": job}]))[0] != one.answer
    assert "job" in str(told[0])
    assert "switch_to" in told[0].to_frame()
    one = model.explain(frame.iloc[0])
    assert one.sentence == told[0].sentence
    assert model.explain(dict(frame.iloc[0])).sentence == one.sentence

    rows = read(run("attack", path, tmp_path / "few.csv", "--radius", "0.5", "--format", "csv"))
    attacks = model.attack(pl.read_csv(tmp_path / "few.csv"), frame["y"], 0.5)
    assert isinstance(attacks.moved, pl.DataFrame)
    assert attacks.success.astype(int).tolist() == rows["success"].tolist()
    for name in model.columns.names:
        assert attacks.moved[name].to_list() == rows[name].tolist()


# --- any table --------------------------------------------------------------------------------


def random_table(seed, n=60):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "n1": rng.normal(size=n).round(2),
            "t1": rng.choice(["a", "b c", "ä"], n),
            "n2": rng.integers(-3, 4, n),
            "t2": rng.choice(["7", "8", "x"], n),
        }
    )
    score = frame["n1"] + (frame["t1"] == "a") - (frame["t2"] == "7") + 0.3 * frame["n2"]
    label = np.where(score + 0.3 * rng.normal(size=n) > 0, "yes", "no")
    for name in frame:
        frame[name] = frame[name].astype(object).where(rng.random(n) > 0.15, None)
    return frame.assign(label=label)


@pytest.mark.parametrize(
    ("seed", "options"),
    enumerate(
        [
            ["--missing", "median"],
            ["--missing", "category"],
            ["--missing", "indicator", "--unseen", "other"],
            ["--missing", "median", "--unseen", "other", "--scale", "none", "--norm", "linf"],
        ]
    ),
)
def test_frames_are_read_as_the_program_reads_the_file(tmp_path, seed, options):
    frame = random_table(seed)
    data, path = tmp_path / "data.csv", tmp_path / "model.json"
    frame.to_csv(data, index=False)
    run("train", data, "--label", "label", "--one-hot", *options, "--model", path)
    model = redoubt.load_model(path)
    later = random_table(seed + 100)
    if "other" in options:
        later.loc[::7, "t1"] = "never seen"
    later.to_csv(data, index=False)
    wanted = read(run("certify", path, data, "--witness", "--format", "csv"))
    for table in (later, later[later.columns[::-1]], pd.read_csv(data), pl.read_csv(data)):
        result = model.certify(table, later["label"])
        np.testing.assert_array_equal(result.radius, wanted["radius"])
        np.testing.assert_array_equal(result.lower, wanted["lower"])
    rows = model.certify(later, later["label"]).moved
    for name in ("n1", "n2"):
        np.testing.assert_array_equal(rows[name].astype(float), wanted[f"witness:{name}"])
    for name in ("t1", "t2"):
        same = rows[name].astype(object).where(rows[name].notna(), "")
        told = wanted[f"witness:{name}"].fillna("").astype(str)
        # What was never seen and stays is printed as "(other)", and keeps its cell in the frame.
        stays = (told == "(other)") & (later[name] == "never seen")
        assert same.tolist() == told.where(~stays, "never seen").tolist()
    # Features themselves, as an array: moves as ever, and nothing is missing.
    features = model.columns.code(later).expanded()
    free = model.certify(features)
    assert free.witness.shape == features.shape
    assert model.predict(features).tolist() == model.predict(later).tolist()


def test_bad_frames_are_refused_in_one_line(bank):
    frame, path = bank
    model = redoubt.load_model(path)
    frame = frame[:3]
    for bad, message in (
        (frame.drop(columns="job"), "X: column of the model not found: 'job'"),
        (frame.assign(age=["a", "b", "c"]), "X: column 'age': expected a number, got 'a'"),
        (frame.assign(age=np.nan), "X: column 'age': row 0 has no value"),
        (frame.rename(columns={"job": "age"}), "X: column of the model not found: 'job'"),
        (frame.assign(job=None), "X: column 'job': row 0 has no value"),
    ):
        for method in (model.predict, model.certify, model.explain):
            with pytest.raises(ValueError, match=message):
                method(bad)
    with pytest.raises(ValueError, match="frozen.*found 'jop'; did you mean 'job'"):
        model.certify(frame, attack_model=redoubt.AttackModel(frozen=["jop"]))
    with pytest.raises(ValueError, match="norm: 'l1' contradicts the attack model's 'linf'"):
        model.certify(frame, norm="l1", attack_model=redoubt.AttackModel())
    with pytest.raises(TypeError, match="attack_model: expected a redoubt.AttackModel"):
        model.certify(frame, attack_model={"norm": "l2"})
    with pytest.raises(ValueError, match="X has 3 features, but Model is expecting"):
        model.predict(np.zeros((2, 3)))
    twice = pd.concat([frame, frame[["job"]]], axis=1)
    with pytest.raises(ValueError, match="X: expected each column once, got 2 called 'job'"):
        model.certify(twice)
    # What was never seen is the category of all that was not.
    model.certify(frame.assign(job="astronaut"))


# --- models from parts ------------------------------------------------------------------------

COLUMNS = Coding(
    [
        FileColumn.of("age", fill=40.0),
        FileColumn.of("job", ("clerk", "cook", "nurse"), other=True, fill="cook"),
        FileColumn.of("city", (2, 10), missing_category=True),
    ]
)


def loaded(core):
    return redoubt.load_model.__globals__["Model"](_core.model_from_json(core.to_json()))


def made_model(seed=0, **options):
    rng = np.random.default_rng(seed)
    planes = redoubt.Ensemble(rng.normal(size=(3, COLUMNS.n_features)), rng.normal(size=3))
    scale = 1 + rng.random(COLUMNS.n_features)
    return make_table_model(
        COLUMNS, planes, classes=["no", "yes"], scale=scale, label_name="kind", **options
    )


def test_categories_never_seen_are_refused_where_there_is_no_other():
    columns = Coding([FileColumn.of("age"), FileColumn.of("job", ("clerk", "cook"))])
    planes = redoubt.Ensemble([[1.0, 2.0, -1.0]], [0.5])
    model = loaded(make_table_model(columns, planes, classes=["no", "yes"], label_name="kind"))
    table = pd.DataFrame({"job": ["cook", "pilot"], "age": [1.0, 2.0]})
    model.certify(table[:1])
    for ask in (model.predict, model.certify, model.explain):
        with pytest.raises(ValueError, match="'job': expected a category of the model .*got 'pilot'"):
            ask(table)


def test_drawn_and_growing_votes_of_a_table_with_gaps():
    model = loaded(made_model())
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        {
            "age": np.where(rng.random(60) < 0.3, np.nan, rng.normal(size=60)),
            "job": rng.choice(["clerk", "cook", "nurse", "pilot", None], size=60),
            "city": rng.choice([2, 10, None], size=60),
        }
    )
    y = rng.choice(["no", "yes"], size=60)
    radii = [0.0, 0.5, 1.5]
    drawn = redoubt.worst_expected_accuracy(model, table, y, radii, norm="l1")
    for k, radius in enumerate(radii):
        attacks = redoubt.attack(model, table, y, radius, norm="l1")
        share = [1 - len(fooled) / 3 for fooled in attacks.fooled]
        np.testing.assert_allclose(drawn.accuracy[k], share, rtol=1e-12)
    pytest.importorskip("matplotlib").use("Agg")
    display = redoubt.displays.GrowthDisplay
    grown = display.from_estimator(model, table, y, attack_radii=radii, norm="l1")
    certified = redoubt.certify(model, table, y, norm="l1")
    assert grown.n_planes.tolist() == [1, 3]
    curve = redoubt.attack_curve(certified, y, radii)
    np.testing.assert_allclose(grown.accuracy[:, 1], curve.accuracy, rtol=1e-12)
    assert grown.accuracy[0, 1] > grown.accuracy[2, 1] > 0


def test_a_model_of_columns_is_saved_whole(tmp_path):
    path = tmp_path / "model.json"
    rules = redoubt.AttackModel("l1", frozen=["city"], switch_cost={"job": 3})
    made_model(attack_model=rules).save(str(path))
    model = redoubt.load_model(path)
    assert model.norm == "l1"
    job = model.columns.columns[1]
    assert (job.values, job.other, job.fill.value) == (["clerk", "cook", "nurse", "(other)"], 3, "cook")
    frame = pd.DataFrame(
        {"city": [2, 10, None], "job": ["nurse", None, "pilot"], "age": [30.0, None, 50.0]}
    )
    frame.to_csv(tmp_path / "data.csv", index=False)
    # pandas has made 2 of the city 2.0: the file says so, and the model knows the number.
    with pytest.raises(AssertionError, match="expected a category of the training file"):
        run("predict", path, tmp_path / "data.csv")
    frame.astype({"city": "Int64"}).to_csv(tmp_path / "data.csv", index=False)
    wanted = read(run("certify", path, tmp_path / "data.csv", "--format", "csv"))
    result = model.certify(frame)
    np.testing.assert_array_equal(result.radius, wanted["radius"])
    assert result.prediction.tolist() == wanted["prediction"].tolist()
    assert np.isin(result.moved["city"].dropna(), [2, 10]).all()  # as the frame has them


def test_what_a_file_cannot_hold_is_refused():
    def make(*columns):
        columns = Coding(columns)
        planes = redoubt.Ensemble([[1.0] * columns.n_features], [0.0])
        return make_table_model(columns, planes, classes=["a", "b"])

    with pytest.raises(ValueError, match="'job': the category '\\?' cannot be saved, because"):
        make(FileColumn.of("job", ("a", "?")))
    with pytest.raises(ValueError, match="the categories 1 and '1' cannot be saved, because both"):
        make(FileColumn.of("job", (1, "1")))
    with pytest.raises(ValueError, match="'job': a column of numbers has no categories"):
        make(FileColumn.of("job", None, other=True))
    with pytest.raises(ValueError, match="none called '\\(other\\)'"):
        make(FileColumn.of("job", ("a", "(other)"), other=True))
    with pytest.raises(ValueError, match="label_name: expected a name that no feature has"):
        make_table_model(
            COLUMNS, redoubt.Ensemble([[1.0] * 8], [0.0]), classes=["a", "b"], label_name="job"
        )
    # One column of numbers needs no newer file than before.
    assert '"format_version": 3' in make(FileColumn.of("n"), FileColumn.of("t", ("a", "b"))).to_json()
    assert '"format_version": 4' in make(FileColumn.of("t", ("b", "a"))).to_json()


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_radii_are_those_of_all_categories_there_are(norm):
    """Brute force: every combination of categories times the closed form of the number."""
    order = {"l1": 1, "l2": 2, "linf": np.inf}[norm]
    jobs = ["clerk", "cook", "nurse", "(other)"]
    for seed in range(8):
        rng = np.random.default_rng(seed)
        coef, bias = rng.normal(size=COLUMNS.n_features), rng.normal()
        core = make_table_model(COLUMNS, redoubt.Ensemble([coef], [bias]), classes=["no", "yes"])
        model = loaded(core)
        frame = pd.DataFrame(
            {
                "age": rng.normal(size=20),
                "job": rng.choice(jobs[:3], 20),
                "city": rng.choice(["2", "10"], 20),
            }
        ).astype(object)
        frame = frame.where(rng.random(frame.shape) > 0.3, None)
        prices = np.full((4, 4), 0.7)
        given = []
        for pair in rng.permutation(16)[: 4 * (seed % 4)].tolist():
            old, new = divmod(pair, 4)
            prices[old, new] = rng.choice([0.0, 0.3, 1.9, np.inf])
            if old != new:
                given.append((jobs[old], jobs[new], prices[old, new]))
        costs = {"job": [(None, None, 0.7), *given], "city": 0.4}
        rules = redoubt.AttackModel(norm, switch_cost=costs)
        result = model.certify(frame, attack_model=rules)
        coded = model.columns.code(frame)
        for j in range(len(frame)):
            x, missing = coded.take([j]).expanded()[0], coded.filled[j]
            answer = x @ coef + bias >= 0
            least = np.inf
            for job, city in itertools.product(range(4), range(3)):
                moved = x.copy()
                moved[1:5], moved[5:8] = np.eye(4)[job], np.eye(3)[city]
                if missing[1] and (moved[1:5] != x[1:5]).any():
                    continue  # what is missing does not move
                old = int(np.argmax(x[1:5]))
                paid = [0.0 if job == old else prices[old, job]]
                paid.append(0.4 * (moved[5:8] != x[5:8]).any())
                if np.isinf(paid[0]):
                    continue
                value = moved @ coef + bias
                step = 0.0
                if (value >= 0) == answer:
                    step = np.inf if missing[0] else abs(value / coef[0])
                least = min(least, np.linalg.norm([step, *paid], ord=order))
            assert result.radius[j] == pytest.approx(least, rel=1e-9)
