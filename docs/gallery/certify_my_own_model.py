"""
Certify my own model
====================

You already have a model: a logistic regression behind a scaler, made with scikit-learn. You do not
want another one. You want to know how much noise or tampering its answers withstand.

Redoubt need not train anything for that. ``redoubt.certify`` reads the fitted model.
"""

# %%
# The model
# ---------
#
# Breast cancer again, without the incomplete rows: nine scores from 1 to 10, given by a
# pathologist.

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import redoubt
from redoubt import datasets
from redoubt.displays import AttackCurveDisplay, RadiusHistogramDisplay

X, y, feature_names, classes = datasets.load("breastcancer")
y = np.where(y > 0, "malignant", "benign")
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)

model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X_train, y_train)
print(f"accuracy on {len(X_test)} new samples: {model.score(X_test, y_test):.1%}")

# %%
# Ask in units you can defend
# ---------------------------
#
# Scores are integers, so the pathologist rounded. Assume that *every* score may be off by half a
# point, all at once and in the worst direction: in mathematical terms, a move of at most 0.5 in the
# norm ``linf``, in the units of the table. The scaler is part of the model, so ``certify`` takes
# raw scores and answers in raw scores.

result = redoubt.certify(model, X_test, y_test, norm="linf")
right = result.label == result.prediction
firm = result.lower > 0.5
print(f"right: {right.sum()} of {len(right)}")
print(f"right, whatever half a point does to each score: {firm.sum()} of {len(right)}")
print(f"right, but half a point in each score is enough to change it: {(right & ~firm).sum()}")

# %%
# ``lower`` is the proven bound on the distance; use it, not ``radius``, when you promise something.

display = RadiusHistogramDisplay.from_certificates(result)
display.ax_.set_xlabel("How far every score can move (points of the scale)")
display.figure_.savefig("radius_histogram.png", dpi=120)

# %%
# Whom to look at again
# ---------------------
#
# In practice you do not know which answers are right. Leave the labels out, and each certificate is
# about the model's own answer. These five are the least certain:

own = redoubt.certify(model, X_test, norm="linf")
order = np.argsort(own.radius)[:5]
print("row  answer     distance")
for row in order:
    print(f"{row:3d}  {own.prediction[row]:<10} {own.radius[row]:.3f}")

# %%
# The witness of the first is the nearest set of scores with another answer. Test it on the model
# itself. The witness lies on the boundary, where rounding decides, so go beyond it by one part in
# a million.

row = order[0]
moved = X_test[row] + (1 + 1e-6) * own.witness[row]
print("before:", model.predict(X_test[[row]])[0], "  after:", model.predict(moved[None])[0])
for name, old, new in zip(feature_names, X_test[row], moved, strict=True):
    print(f"{name:<26} {old:5.2f} -> {new:5.2f}")

# %%
# Which norm
# ----------
#
# The norm says what the adversary, or chance, can do. ``linf``: every score changes a little.
# ``l1``: the changes add up, and the cheapest way is to change one score by a lot. ``l2``: in
# between. The numbers cannot be compared with each other; each answers a question of its own.

for norm in ("linf", "l2", "l1"):
    radius = redoubt.certify(model, X_test, y_test, norm=norm).radius
    print(f"{norm:<5} median distance {np.median(radius):5.2f}")

# %%
# The model beside its limits
# ---------------------------
#
# How much would *any* model lose? Two samples of different classes with nearly the same scores
# cannot both be safe. The dotted line is an upper bound on the accuracy of every classifier on
# these samples. The dashed line is the accuracy of always saying *benign*.

display = AttackCurveDisplay.from_estimator(
    model,
    X_test,
    y_test,
    norm="linf",
    attack_radii=np.linspace(0, 3, 61),
    ceiling=True,
    name="logistic regression",
)
display.ax_.set_xlabel("How far every score may move (points of the scale)")
display.figure_.savefig("attack_curve.png", dpi=120)

# %%
# A better model could close at most the gap between the curve and the dotted line. A robust plane
# closes part of it:

robust = make_pipeline(StandardScaler(), redoubt.RobustSVMClassifier(radius=0.4, norm="linf"))
robust.fit(X_train, y_train)
radii = [0.0, 0.5, 1.0, 1.5]
ceiling = redoubt.accuracy_ceiling(
    X_test, np.where(y_test == "malignant", 1, -1), radii, norm="linf"
)
print(f"{'points':<20}", *(f"{radius:6.1f}" for radius in radii))
for name, each in (("logistic regression", model), ("robust SVM", robust)):
    found = redoubt.certify(each, X_test, y_test, norm="linf")
    curve = redoubt.attack_curve(found, y_test, radii)
    print(f"{name:<20}", *(f"{share:6.1%}" for share in curve.accuracy))
print(f"{'no classifier beats':<20}", *(f"{share:6.1%}" for share in ceiling.accuracy))

# %%
# Supported are scikit-learn's linear classifiers, hard votes and bags of them, and the scalers in
# front of them; see :func:`redoubt.certify` for the list. Anything else is refused, with the
# reason.
