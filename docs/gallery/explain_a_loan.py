"""
Explain a loan
==============

The tables of banks, hospitals and shops hold numbers, text and missing values. A model of such a
table is a pipeline: it fills in the missing values, scales the numbers, encodes the text, and ends
in a linear classifier. Redoubt reads all of it, and answers in the columns of the table: how would
this application have to change to get the other answer?
"""

# %%
# Applications
# ------------
#
# A made-up table: age, income and the requested amount; the number of earlier loans; job, purpose
# and housing as text. Some people do not state their income, some do not state their job.

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import redoubt
from redoubt import AttackModel
from redoubt.displays import AttackCurveDisplay

rng = np.random.default_rng(0)
n = 600
jobs = {"clerk": 0.2, "nurse": 0.5, "farmer": -0.4, "driver": -0.2, "teacher": 0.7}
purposes = {"car": 0.1, "house": 0.6, "travel": -0.7, "debts": -1.0}
table = pd.DataFrame(
    {
        "age": rng.integers(19, 75, n),
        "income": rng.lognormal(7.8, 0.4, n).round(-1),
        "amount": rng.lognormal(9.0, 0.6, n).round(-2),
        "earlier loans": rng.poisson(1.2, n),
        "job": rng.choice(list(jobs), n),
        "purpose": rng.choice(list(purposes), n),
        "owns home": rng.random(n) < 0.4,
    }
)
score = (
    table["income"] / 900
    - table["amount"] / 6000
    - 0.3 * table["earlier loans"]
    + table["job"].map(jobs)
    + table["purpose"].map(purposes)
    + 0.8 * table["owns home"]
    + rng.normal(0, 0.7, n)
)
answer = np.where(score > score.median(), "granted", "refused")
table.loc[rng.random(n) < 0.08, "income"] = np.nan
table.loc[rng.random(n) < 0.06, "job"] = None
print(table.head(4).to_string())

# %%
# A model
# -------
#
# The encoder knows the categories of its training data and no others. With
# ``handle_unknown="ignore"`` an applicant could write anything, and "(other)" would be one more
# category to switch to.

numbers = ["age", "income", "amount", "earlier loans"]
texts = ["job", "purpose", "owns home"]
model = make_pipeline(
    ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), numbers),
            ("texts", OneHotEncoder(), texts),
        ]
    ),
    LogisticRegression(max_iter=1000),
)
is_test = np.arange(n) % 3 == 0
model.fit(table[~is_test], answer[~is_test])
X, y = table[is_test], answer[is_test]
print(f"accuracy on {len(X)} new applications: {model.score(X, y):.1%}")

# %%
# What can change
# ---------------
#
# :meth:`redoubt.AttackModel.from_frame` proposes rules from the types of the columns; the rest
# needs human judgement. Applicants do not get younger, earlier loans stay what they are, and nobody
# changes jobs for a loan. At radius 1 income and amount change by 500; another purpose costs 2,
# another home 10.

rules = AttackModel.from_frame(
    table,
    "l1",
    bounds="data",
    scale={"income": 500.0, "amount": 500.0},
    frozen=["age", "earlier loans", "job"],
    switch_cost={"purpose": 2.0, "owns home": 10.0},
)
print(rules)

# %%
# How far from the other answer
# -----------------------------
#
# Every radius is exact, and proven. ``result.scale`` says what radius 1 means. A missing income
# does not move.

result = redoubt.certify(model, X, y, attack_model=rules)
print(result)
print(f"proven: {np.mean(result.status == 'optimal'):.0%}")
print(result.scale)

display = AttackCurveDisplay.from_certificates(
    {"loans": result}, attack_radii=np.linspace(0.0, 8.0, 161)
)
display.figure_.set_size_inches(8.4, 4.2)
display.figure_.savefig("attack_curve.png", dpi=120)

# %%
# The rows after the smallest change form a table like the original, and the model's own ``predict``
# gives another answer for every one of them:

moved = result.moved
print(moved.head(4).to_string())
known = np.isfinite(result.radius)
changed = model.predict(moved[known]) != model.predict(X[known])
print(f"answers that changed: {changed.mean():.0%}")

# %%
# One application
# ---------------
#
# The first one that was refused, correctly according to the data:

applicant = X[model.predict(X) == "refused"].iloc[0]
told = redoubt.explain(model, applicant, attack_model=rules)
print(told)

# %%
# This is not an estimate. Below these changes, alone or together, the model's answer stays the
# same; at them it changes:

print(f"after the change: {model.predict(told.moved)[0]}")
