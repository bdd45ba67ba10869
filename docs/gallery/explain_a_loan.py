"""
Explain a loan
==============

The tables of banks, hospitals and shops hold numbers, texts and gaps. A model of such a table is a
pipeline: it fills the gaps, scales the numbers, makes columns of the texts, and ends in a linear
classifier. Redoubt reads all of it, and answers in the columns of the table: by how much would this
application have to change for the other answer?
"""

# %%
# Applications
# ------------
#
# A made-up table: age, income and the amount asked for; the number of earlier loans; job, purpose
# and housing as texts. Some people do not say what they earn, some do not say what they do.

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
# The encoder knows the categories of its training and no others. With ``handle_unknown="ignore"`` an
# applicant could write anything, and "(other)" would be one more category to change to.

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
# :meth:`redoubt.AttackModel.from_frame` proposes rules from the types of the columns; the rest is for
# people to say. An applicant does not get younger, earlier loans stay what they are, and nobody
# changes the job for a loan. At radius 1 income and amount change by 500; another purpose costs 2, a
# home 10.

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
# Every radius is exact, and proven. ``result.scale`` says what radius 1 is. A missing income does
# not move: there is nothing to move.

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
# The rows after the least change are a table like the one that was given, and the model's own
# ``predict`` answers otherwise for every one of them:

moved = result.moved
print(moved.head(4).to_string())
known = np.isfinite(result.radius)
changed = model.predict(moved[known]) != model.predict(X[known])
print(f"answers that changed: {changed.mean():.0%}")

# %%
# One application
# ---------------
#
# The first that was refused, and rightly so as far as the model knows:

applicant = X[model.predict(X) == "refused"].iloc[0]
told = redoubt.explain(model, applicant, attack_model=rules)
print(told)

# %%
# What is said here is no estimate. Below these changes, alone or together, the model's answer stays
# what it is; at them it changes:

print(f"after the change: {model.predict(told.moved)[0]}")
