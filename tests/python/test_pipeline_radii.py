"""Radii of raw columns against enumerated categories, and against HiGHS on the expanded problem."""

from itertools import product

import highspy
import numpy as np
import pandas as pd
import pytest
import redoubt
from brute_force import ORDER
from random_pipelines import (
    ALL,
    TEXTS,
    WORDS,
    fit_quietly,
    random_labels,
    random_model,
    random_table,
    read_rows,
)
from redoubt._certificates import attacked_tables
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import VotingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import LinearSVC

pytestmark = pytest.mark.slow

DUAL = {"l1": np.inf, "l2": 2, "linf": 1}


def table_model(last, encoder=None):
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    return make_pipeline(
        ColumnTransformer(
            [
                ("n", numbers, ["age", "income"]),
                ("t", encoder or OneHotEncoder(handle_unknown="ignore"), TEXTS),
                ("f", OneHotEncoder(drop="if_binary"), ["member"]),
            ]
        ),
        last,
    )


def same(one, other):
    return one == other or (pd.isna(one) and pd.isna(other))


def least_change(model, row, norm, scale, costs, frozen=()):
    """The least size by trying every combination of categories; the numbers in closed form.

    Only what the model says is used: its planes are measured by asking it at corners.
    """
    answer = model.predict(row)[0]
    numbers = [name for name in scale if not pd.isna(row[name].iloc[0]) and name not in frozen]
    options = {
        name: [row[name].iloc[0]]
        if name in frozen or (pd.isna(row[name].iloc[0]) and not any(map(pd.isna, values)))
        else [row[name].iloc[0], *[v for v in values if not same(v, row[name].iloc[0])]]
        for name, values in costs["values"].items()
    }
    choices = list(product(*options.values()))
    n_corners = len(numbers) + 1  # the combination itself, and a step along every number
    corners = pd.concat([row] * (len(choices) * n_corners), ignore_index=True)
    for name, values in zip(options, zip(*choices, strict=True), strict=True):
        corners[name] = pd.Series(values).repeat(n_corners).to_numpy()
    for k, name in enumerate(numbers):
        corners.loc[k + 1 :: n_corners, name] += scale[name]
    margins = model.decision_function(corners).reshape(len(choices), n_corners)
    best, sign = np.inf, -1.0 if answer == model.classes_[1] else 1.0
    for choice, (margin, *ahead) in zip(choices, margins, strict=True):
        price = [
            costs["cost"][name](row[name].iloc[0], value)
            for name, value in zip(options, choice, strict=True)
            if not same(value, row[name].iloc[0])
        ]
        if np.inf in price:
            continue
        slope = np.array(ahead) - margin
        if sign * margin > 0:
            size = 0.0
        elif not np.abs(slope).max(initial=0.0) > 0:
            continue
        else:
            size = -sign * margin / np.linalg.norm(slope, DUAL[norm])  # to a half-space
        best = min(best, np.linalg.norm([size, *price], ORDER[norm]))
    return best


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
@pytest.mark.parametrize("coded", ["one-hot", "ordinal"])
def test_radii_are_those_of_all_combinations_of_categories(norm, coded):
    rng = np.random.default_rng(3)
    table = random_table(rng, 80, gaps=False)
    y = random_labels(rng, table)
    table.loc[::7, "age"] = np.nan
    encoder = None
    if coded == "ordinal":
        encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=9)
    model = fit_quietly(table_model(LogisticRegression(), encoder), table, y)
    values = {name: [*sorted(set(table[name])), "never seen"] for name in TEXTS}
    values["member"] = [False, True]
    # The later rule wins; "never seen" is what the encoder calls anything else.
    prices = [(None, None, 2.0), (None, "nurse", 0.75), ("cook", None, 3.0), ("cook", "(other)", None)]

    def price_of_job(old, new):
        name = "(other)" if new == "never seen" else new
        fitting = [cost for a, b, cost in prices if a in (None, old) and b in (None, name)]
        return np.inf if fitting[-1] is None else fitting[-1]

    price = {"job": price_of_job, "city": lambda old, new: 0.5, "member": lambda old, new: 1.0}
    costs = {"values": values, "cost": price}
    scale = {"age": 10.0, "income": 4.0}
    assert {"nurse", "cook"} <= set(values["job"])
    rules = redoubt.AttackModel(
        norm, scale=scale, switch_cost={"job": prices, "city": 0.5}, frozen=["member"]
    )
    rows = table[:8]
    result = redoubt.certify(model, rows, attack_model=rules)
    expected = [
        least_change(model, rows[k : k + 1], norm, scale, costs, frozen=["member"])
        for k in range(len(rows))
    ]
    assert set(result.status) == {"optimal"}
    np.testing.assert_allclose(result.radius, expected, rtol=1e-6)
    assert result.scale == {"age": 10.0, "income": 4.0, "job": 2.0, "city": 0.5, "member": 0.0}


def switches_of(model, table, column):
    """The categories that a random pipeline tells apart in a column of texts, as it is asked."""
    fill, code = (step for _, step in model["columns"].named_transformers_["texts"].steps)
    values = sorted(table[column].dropna().unique())
    if getattr(code, "handle_unknown", "ignore") != "error":
        values.append("never seen")
    if fill == "passthrough" and table[column].isna().any():
        values.append(np.nan)
    if getattr(fill, "strategy", "") == "constant" and table[column].isna().any():
        values.append("none given")
    return values


@pytest.mark.filterwarnings("ignore:Found unknown categories")  # as a switch to "(other)" needs
@pytest.mark.parametrize("seed", range(40))
def test_random_pipelines_against_all_combinations(seed):
    rng = np.random.default_rng(1000 + seed)
    norm = ["l1", "l2", "linf"][seed % 3]
    table = random_table(rng).astype({"rooms": float})  # so that it takes steps between integers
    y = random_labels(rng, table)
    model = fit_quietly(random_model(rng, cuts=False), table, y)
    scale = {"age": 10.0, "income": 4.0, "rooms": 0.5}
    prices = {"job": float(rng.choice([0.2, 1.0, 3.0])), "city": float(rng.choice([0.3, 0.9]))}
    costs = {
        "values": {name: switches_of(model, table, name) for name in TEXTS},
        "cost": {name: lambda old, new, name=name: prices[name] for name in TEXTS},
    }
    rules = redoubt.AttackModel(norm, scale=scale, switch_cost=prices, frozen=["member"])
    rows = table[:6]
    result = redoubt.certify(model, rows, attack_model=rules)
    assert set(result.status) == {"optimal"}
    expected = [
        least_change(model, rows[k : k + 1], norm, scale, costs) for k in range(len(rows))
    ]
    np.testing.assert_allclose(result.radius, expected, rtol=1e-6, atol=1e-9)


def by_highs(norm, decision, z, groups, scale, goal, price, stays=()):
    """The least size in l1 or linf, as an integer program on the features z."""
    h = highspy.Highs()
    h.silent()
    h.setOptionValue("mip_rel_gap", 1e-9)
    planes, inf = decision.planes, highspy.kHighsInf
    n = len(z)
    of_group = {l: g for g, members in enumerate(groups) for l in members}
    x, sizes = [], []
    for l in range(n):
        if l in of_group:
            x.append(h.addVariable(0, 1, type=highspy.HighsVarType.kInteger))
            continue
        moves = scale[l] and l not in stays
        x.append(h.addVariable(-inf if moves else z[l], inf if moves else z[l]))
        if moves:
            t = h.addVariable(0, inf)
            h.addConstr(t >= (x[l] - z[l]) * (1 / scale[l]))
            h.addConstr(t >= (z[l] - x[l]) * (1 / scale[l]))
            sizes.append(t)
    for members in groups:
        h.addConstr(sum(x[l] for l in members) == 1)
        on = members[int(np.argmax(z[members]))]
        sizes.append(sum(price(on, l) * x[l] for l in members if l != on) + 0 * x[on])
        if on in stays:
            h.addConstr(x[on] == 1)
    size = sum(sizes)
    if norm == "linf":
        size = h.addVariable(0, inf)
        for each in sizes:
            h.addConstr(size >= each)
    fooled = [h.addVariable(0, 1, type=highspy.HighsVarType.kInteger) for _ in planes.coef]
    for w, b, f in zip(planes.coef, planes.intercept, fooled, strict=True):
        value = sum(goal * w[l] * x[l] for l in range(n)) + goal * b
        h.addConstr(value >= 1e-7 - 1e3 * (1 - f))
    h.addConstr(sum(fooled) >= len(fooled) // 2 + 1)
    h.minimize(1.0 * size)
    optimal = h.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return h.getInfo().objective_function_value if optimal else np.inf


def check_against_highs(model, rows, norm, prices):
    """Radii of a vote under prices of switches ("(column, old, new)": cost, 1 for others)."""
    linear, Z = read_rows(model, rows)
    coding = linear.coding
    names = coding.feature_names()
    given = {}
    for (column, old, new), cost in prices.items():
        given.setdefault(column, []).append((old, new, cost))
    rules = redoubt.AttackModel(norm, "scaled", switch_cost=given)
    result = redoubt.certify(model, rows, attack_model=rules)
    assert set(result.status) == {"optimal"}

    def price(old, new):
        (column, a), (_, b) = (names[l].split("=") for l in (old, new))
        return prices.get((column, a, b), 1.0)

    groups = [
        list(range(coding.columns[j].start, coding.columns[j].start + coding.columns[j].n_members))
        for j in coding.groups
    ]
    scale = np.ones(coding.n_features)
    scale[coding.number_at] = coding.units()[coding.numbers]
    scale[coding.mark_at] = 0.0
    answers = linear.decision.answers(Z)
    for k, stays in enumerate(coding.code(rows).frozen()):
        goal = -1 if answers[k] == 1 else 1
        least = by_highs(norm, linear.decision, Z[k], groups, scale, goal, price, stays)
        assert result.radius[k] == pytest.approx(least, rel=1e-5, abs=1e-5)
    known = np.isfinite(result.radius)
    changed = model.predict(result.moved[known]) != model.predict(rows[known])
    assert changed.all()


def test_votes_of_pipelines_against_highs():
    rng = np.random.default_rng(5)
    table = random_table(rng, 80)
    table["job"] = table["job"].fillna("nurse")
    y = random_labels(rng, table)
    members = [
        ("a", table_model(LogisticRegression())),
        ("b", table_model(RidgeClassifier())),
        ("c", table_model(LinearSVC(random_state=0), OrdinalEncoder())),
    ]
    # An encoder that knows every category is the only one that has no "(other)".
    model = fit_quietly(VotingClassifier(members), table, y)
    coding = read_rows(model, table)[0].coding
    assert [column.other for column in coding.columns if column.kind == "categories"] == [None] * 3
    pairs = product(sorted(set(table["job"])), ("nurse", "cook"))
    prices = {("job", a, b): rng.choice([0.25, 0.5, 2.0]) for a, b in pairs if a != b}
    check_against_highs(model, table[:10], "l1", prices)


@pytest.mark.filterwarnings("ignore:Found unknown categories")
@pytest.mark.parametrize("seed", range(12))
def test_votes_behind_random_pipelines_against_highs(seed):
    rng = np.random.default_rng(2000 + seed)
    table = random_table(rng)
    y = random_labels(rng, table)
    members = [("a", LogisticRegression()), ("b", RidgeClassifier()), ("c", LinearSVC(random_state=0))]
    model = random_model(rng, [VotingClassifier(members)], cuts=False)
    fit_quietly(model, table, y)
    cities = WORDS["city"]
    prices = {("city", a, b): rng.choice([0.25, 2.0]) for a in cities for b in cities if a != b}
    check_against_highs(model, table[:6], ["l1", "linf"][seed % 2], prices)


@pytest.mark.filterwarnings("ignore:Found unknown categories")
@pytest.mark.parametrize("seed", range(24))
def test_random_pipelines_against_every_row_there_is(seed):
    """Numbers that are integers within bounds: every other row is tried, by asking the model."""
    rng = np.random.default_rng(3000 + seed)
    norm = ["l1", "l2", "linf"][seed % 3]
    table = random_table(rng)
    model = fit_quietly(random_model(rng, ALL), table, random_labels(rng, table))
    prices = {"job": float(rng.choice([0.4, 1.0, 2.5])), "city": float(rng.choice([0.3, 0.9]))}
    scale = {"age": 8.0, "rooms": 0.75}
    rules = redoubt.AttackModel(
        norm,
        scale=scale,
        integer=["age", "rooms"],
        bounds={"age": (18, 90), "rooms": (1, 5)},
        increase_only=["rooms"],
        frozen=["income", "member"],
        switch_cost=prices,
    )
    rows = table[:5]
    result = redoubt.certify(model, rows, attack_model=rules)
    assert set(result.status) <= {"optimal", "rounding"}
    exact = result.status == "optimal"
    assert exact.sum() >= 4
    for k in np.flatnonzero(exact).tolist():
        row = rows.iloc[k]
        options = {
            "age": [row["age"]] if pd.isna(row["age"]) else np.arange(18.0, 91.0),
            "rooms": np.arange(row["rooms"], 6),
        }
        steps = {
            name: np.array([0.0 if same(v, row[name]) else abs(v - row[name]) / scale[name] for v in each])
            for name, each in options.items()
        }
        for name in TEXTS:
            others = switches_of(model, table, name)
            stays = pd.isna(row[name]) and not any(map(pd.isna, others))
            options[name] = [row[name], *[v for v in others if not stays and not same(v, row[name])]]
            steps[name] = np.full(len(options[name]), prices[name])
            steps[name][0] = 0.0
        places = np.meshgrid(*(np.arange(len(each)) for each in options.values()), indexing="ij")
        there = pd.concat([rows[k : k + 1]] * places[0].size, ignore_index=True)
        sizes = []
        for (name, each), place in zip(options.items(), places, strict=True):
            there[name] = pd.Series(each, dtype=table[name].dtype)[place.ravel()].to_numpy()
            sizes.append(steps[name][place.ravel()])
        sizes = np.linalg.norm(sizes, ORDER[norm], axis=0)
        changed = model.predict(there) != model.predict(rows[k : k + 1])[0]
        least = sizes[changed].min(initial=np.inf)
        assert result.radius[k] == pytest.approx(least, rel=1e-9)


def test_wide_columns_are_cut_down_to_what_matters(monkeypatch):
    rng = np.random.default_rng(6)
    words = np.array([f"w{k}" for k in range(150)])
    table = pd.DataFrame({"a": rng.choice(words, 400), "b": rng.choice(words, 400)})
    table["x"] = rng.normal(size=400)
    y = rng.random(400) < 0.5
    encoder = OneHotEncoder(handle_unknown="ignore")
    blocks = [("t", encoder, ["a", "b"]), ("x", "passthrough", ["x"])]
    members = [
        (str(C), make_pipeline(ColumnTransformer(blocks), LogisticRegression(C=C)))
        for C in (0.1, 1.0, 10.0)
    ]
    model = VotingClassifier(members).fit(table, y)
    rows = table[:40]
    seen = sorted(set(table["a"]))
    prices = [(None, word, 0.2) for word in seen[:3]] + [(word, None, 3.0) for word in seen[3:50]]
    for norm, costs in (("l1", 1.0), ("linf", 1.0), ("l1", {"a": prices})):
        rules = redoubt.AttackModel(norm, switch_cost=costs)
        narrow = redoubt.certify(model, rows, y[:40], attack_model=rules)
        with monkeypatch.context() as patch:
            patch.setattr(attacked_tables, "_WIDE", 10**6)
            whole = redoubt.certify(model, rows, y[:40], attack_model=rules)
        np.testing.assert_allclose(narrow.radius, whole.radius, rtol=1e-9)
        assert set(narrow.status) == {"optimal"}
        right = y[:40] == model.predict(rows)
        changed = model.predict(narrow.moved) != model.predict(rows)
        assert changed[right].all()
