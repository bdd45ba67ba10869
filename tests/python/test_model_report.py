"""The page about one model: it speaks of the columns and categories of the table."""

import html
import os
import re

import matplotlib as mpl

mpl.use("Agg")

import numpy as np
import pandas as pd
import pytest
import redoubt
from chromium import NAMES, Browser, find_chromium
from redoubt.report import write_model_report
from redoubt.report.__main__ import main
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler


@pytest.fixture(scope="module")
def bank():
    """A table in which the job alone decides most answers, and a pipeline."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"job": rng.choice(["clerk", "nurse & co", "cook"], 90), "income": rng.normal(size=90)},
        index=[f"id{k}" for k in range(90)],
    )
    y = np.where(0.3 * table["income"] + 2.0 * (table["job"] == "clerk") > 0.5, "yes", "no")
    table.loc["id3", "income"] = np.nan
    columns = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["income"]), (OneHotEncoder(), ["job"])
    )
    return table, y, make_pipeline(columns, LogisticRegression()).fit(table, y)


def text_of(path):
    page = path.read_text(encoding="utf-8")
    return html.unescape(re.sub(r"<[^>]+>", " ", page[page.index("<body") :]))


RULES = redoubt.AttackModel(
    "l1", scale={"income": 0.1}, switch_cost={"job": [("cook", None, 0.5), ("clerk", "cook", None)]}
)


def test_a_pipeline_in_the_words_of_its_table(bank, tmp_path):
    table, y, model = bank
    path = write_model_report(model, table, y, tmp_path / "page.html", attack_model=RULES, n_rows=60)
    text = text_of(path)
    assert "categories, a switch costs 1 ('cook' to any other 0.5, 'clerk' to 'cook' impossible)" in text
    assert "job changes from 'cook' to 'clerk'" in text
    assert "job changes from 'clerk' to 'nurse & co'" in text
    assert "job changes from 'clerk' to 'cook'" not in text
    assert "Row id" in text and "job=" not in text
    # The first row is the easiest to change, and what is said of it is what `explain` says.
    first = int(np.argmin(np.abs(redoubt.certify(model, table, y, attack_model=RULES).radius)))
    told = redoubt.explain(model, table.iloc[[first]], attack_model=RULES)[0]
    start = text.index(f"Row id{first} ")
    assert start == text.index("Row id") and told.sentence in text[start : start + 400]


def test_a_model_file_and_rows_without_labels(bank, tmp_path):
    table, _, model = bank
    redoubt.save_model(model, tmp_path / "model.json")
    loaded = redoubt.load_model(tmp_path / "model.json")
    path = write_model_report(loaded, table, out=tmp_path / "page.html", n_rows=40)
    text = text_of(path)
    assert "job changes from" in text and "labelled" not in text and "job=" not in text


def test_the_page_of_a_model_file_and_a_csv_file(bank, tmp_path, capsys):
    table, y, model = bank
    redoubt.save_model(model, tmp_path / "model.json")
    table.assign(paid=y).to_csv(tmp_path / "data.csv", index=False)
    RULES.to_json(tmp_path / "rules.json")
    files = [str(tmp_path / name) for name in ("model.json", "data.csv")]
    more = ["--label", "paid", "--rows", "60", "--attack-model", str(tmp_path / "rules.json")]
    assert main([*files, *more, "--out", str(tmp_path / "page.html")]) == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "page.html")
    text = text_of(tmp_path / "page.html")
    assert "job changes from 'cook' to 'clerk'" in text and "labelled 'no'" in text
    expected = redoubt.certify(redoubt.load_model(files[0]), table, y, attack_model=RULES)
    assert f"{np.median(np.abs(expected.radius)):.3g}" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["model.json"], "model.json: specify a CSV file after the model file"),
        (["model.json", "data.csv", "--label", "due"], "--label: data.csv has no column 'due'"),
        (["model.json", "data.csv", "--figures", "f"], "--figures: only for DIR"),
        ([".", "--rows", "3"], "--rows: only for MODEL DATA"),
        (["model.json", "none.csv"], "No such file or directory: 'none.csv'"),
    ],
)
def test_mistakes_of_the_command(bank, tmp_path, monkeypatch, capsys, arguments, message):
    table, _, model = bank
    monkeypatch.chdir(tmp_path)
    redoubt.save_model(model, "model.json")
    table.to_csv("data.csv", index=False)
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_the_page_in_a_browser(bank, tmp_path):
    if find_chromium() is None and os.environ.get("REDOUBT_REQUIRE_CHROMIUM") != "1":
        pytest.skip(f"none of {', '.join(NAMES)} is installed")
    table, y, model = bank
    path = write_model_report(model, table, y, tmp_path / "page.html", attack_model=RULES)
    with Browser(find_chromium() or NAMES[0]) as browser:
        for width, scheme in ((390, "dark"), (1280, "light")):
            browser.open(path, width, scheme=scheme)
            assert browser.run("document.documentElement.scrollWidth") == width
            box = "document.querySelector('figure svg').getBoundingClientRect()"
            assert browser.run(f"{box}.width") > 250
            assert browser.run("document.querySelectorAll('#rows h3').length") == 10
            assert browser.problems == []
