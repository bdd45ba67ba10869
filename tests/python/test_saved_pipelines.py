"""A pipeline of encoders and imputers goes into a model file whole, and the program reads the table."""

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import redoubt
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

PROGRAM = Path(sys.prefix, "bin", "redoubt")
NUMBERS, TEXTS = ["age", "income"], ["job", "city"]


def make_frame(n=160, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40.0, 12.0, n).round(1),
            "job": rng.choice(["clerk", "nurse", "miner"], n),
            "income": rng.lognormal(3.0, 0.5, n).round(2),
            "city": rng.choice(["Rome", "Oslo", "Bern", "Graz"], n),
            "owner": rng.random(n) < 0.5,  # True and False in a CSV file
        }
    )
    score = frame.age / 12 - frame.income / 10 + 1.5 * (frame.job == "miner")
    y = np.where(score + rng.normal(size=n) > score.median(), "refuse", "grant")
    frame.loc[rng.random(n) < 0.1, "income"] = np.nan
    frame.loc[rng.random(n) < 0.1, "city"] = None
    return frame, y


def make_pipeline_of(encoder, classifier, imputer=None):
    imputer = imputer or SimpleImputer(strategy="median", add_indicator=True)
    steps = [
        ("numbers", make_pipeline(imputer, StandardScaler()), NUMBERS),
        ("texts", make_pipeline(SimpleImputer(strategy="most_frequent"), encoder), TEXTS),
    ]
    return make_pipeline(ColumnTransformer(steps), classifier)


PIPELINES = {
    "one-hot": lambda: make_pipeline_of(
        OneHotEncoder(handle_unknown="ignore"), redoubt.RobustSVMClassifier(radius=0.2)
    ),
    "dropped": lambda: make_pipeline_of(OneHotEncoder(drop="first"), LogisticRegression()),
    "rare": lambda: make_pipeline_of(
        OneHotEncoder(min_frequency=45, handle_unknown="infrequent_if_exist"), LogisticRegression()
    ),
    "codes": lambda: make_pipeline_of(
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
        redoubt.BaggedSVMClassifier(n_planes=5, random_state=0),
    ),
    "gap as category": lambda: make_pipeline(
        ColumnTransformer(
            [
                ("numbers", SimpleImputer(), NUMBERS),
                ("texts", OneHotEncoder(handle_unknown="ignore"), TEXTS),
                ("flags", "passthrough", ["owner"]),
            ]
        ),
        LogisticRegression(max_iter=2000),
    ),
}


def run(*arguments):
    done = subprocess.run(
        [PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return pd.read_csv(io.StringIO(done.stdout))


@pytest.mark.parametrize("name", PIPELINES)
def test_file_program_and_pipeline_agree(tmp_path, name):
    frame, y = make_frame()
    model = PIPELINES[name]().fit(frame, y)
    redoubt.save_model(model, tmp_path / "model.json")
    loaded = redoubt.load_model(tmp_path / "model.json")
    later, labels = make_frame(seed=1)
    np.testing.assert_array_equal(loaded.predict(later), model.predict(later))

    here = redoubt.certify(model, later, labels)
    there = redoubt.certify(loaded, later, labels)
    for end in ("radius", "lower", "upper"):
        np.testing.assert_array_equal(getattr(there, end), getattr(here, end))

    later.assign(label=labels).to_csv(tmp_path / "later.csv", index=False)
    data = (tmp_path / "later.csv", "--label", "label")
    table = run("certify", tmp_path / "model.json", *data, "--format", "csv")
    np.testing.assert_array_equal(table["lower"], there.lower)
    np.testing.assert_array_equal(table["upper"], there.upper)


def test_unknown_categories_are_those_of_the_pipeline(tmp_path):
    frame, y = make_frame()
    model = PIPELINES["one-hot"]().fit(frame, y)
    redoubt.save_model(model, tmp_path / "model.json")
    loaded = redoubt.load_model(tmp_path / "model.json")
    later = frame.assign(job="pilot")
    np.testing.assert_array_equal(loaded.predict(later), model.predict(later))
    strict = PIPELINES["dropped"]().fit(frame, y)
    redoubt.save_model(strict, tmp_path / "strict.json")
    with pytest.raises(ValueError, match="pilot"):
        redoubt.load_model(tmp_path / "strict.json").predict(later)


def test_what_a_file_cannot_hold_is_refused(tmp_path):
    frame, y = make_frame()
    path = tmp_path / "model.json"
    unnamed = make_pipeline(OneHotEncoder(), LogisticRegression()).fit(frame[["job"]].to_numpy(), y)
    with pytest.raises(ValueError, match="fit it to a data frame"):
        redoubt.save_model(unnamed, path)
    imputer = SimpleImputer(missing_values="none", strategy="most_frequent")
    marked = make_pipeline(imputer, OneHotEncoder(), LogisticRegression())
    marked.fit(frame[["city"]].fillna("none"), y)
    with pytest.raises(ValueError, match="'city': entries that are 'none' count as missing"):
        redoubt.save_model(marked, path)
    rules = redoubt.AttackModel("l2", frozen=[0])
    ruled = make_pipeline_of(OneHotEncoder(), redoubt.RobustSVMClassifier(attack_model=rules))
    with pytest.raises(ValueError, match="behind the encoders"):
        redoubt.save_model(ruled.fit(frame, y), path)
    assert not path.exists()
