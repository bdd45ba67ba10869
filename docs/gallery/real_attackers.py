"""
Real attackers
==============

A ball is a crude adversary. It makes a patient three years younger, takes half a blood vessel, and
mixes two kinds of chest pain. None of this happens. What does happen is that a reading is off by
its tolerance, that a count is off by one, or that somebody ticks the wrong box.

An :class:`redoubt.AttackModel` says what can happen, and the certificates are then about that: just
as exact, and larger, because impossible moves no longer count.
"""

# %%
# Heart disease
# -------------
#
# 270 patients, 20 columns: readings, counts, and three questions with boxes to tick, one 0/1 column
# for each box. Every third patient is held out. Fifteen planes vote; the scaler in front of them
# brings every column to standard deviation 1.

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import redoubt
from redoubt import AttackModel, datasets
from redoubt.displays import AttackCurveDisplay, RadiusHistogramDisplay

X, y, names, classes = datasets.load("heart")
diagnosis = np.where(y > 0, classes[1], classes[0])
is_test = np.arange(len(X)) % 3 == 0
X_test, y_test = X[is_test], diagnosis[is_test]

vote = redoubt.CollaborativeEnsembleClassifier(
    radius=0.5, norm="linf", n_epochs=60, step=0.02, random_state=0
)
model = make_pipeline(StandardScaler(), vote).fit(X[~is_test], diagnosis[~is_test])
print(f"accuracy on {len(X_test)} new patients: {model.score(X_test, y_test):.1%}")

# %%
# What can happen
# ---------------
#
# Age and sex are in the passport. Vessels and the slope are integers. Two columns are answers to
# yes-or-no questions: integers between 0 and 1. Each group of boxes has exactly one tick. No scale
# is given, so with ``units="scaled"`` a move of size 1 is one standard deviation of a reading. A
# tick in the wrong box costs 2.
#
# Features are given by number here because X is an array. With a data frame, use their names:
# ``frozen=["Age", "Sex"]``.

number = {name: column for column, name in enumerate(names)}


def columns(*starts):
    return [number[name] for start in starts for name in names if name.startswith(start)]


rules = AttackModel(
    norm="linf",
    frozen=columns("Age", "Sex"),
    integer=columns("FastingSugar", "ExerciseAngina", "Slope", "Vessels"),
    bounds={
        number["FastingSugar"]: (0, 1),
        number["ExerciseAngina"]: (0, 1),
        number["Slope"]: (1, 3),
        number["Vessels"]: (0, 3),
        number["STDepression"]: (0, None),
    },
    one_hot=[columns("ChestPain="), columns("RestingECG="), columns("Thal=")],
    switch_cost=2.0,
)
print(rules.summary(names))

# %%
# With and without
# ----------------
#
# Both certificates are exact, and both are about the same model and the same patients. They
# differ in what the adversary may do.

certificates = {
    "any move": redoubt.certify(model, X_test, y_test, norm="linf", units="scaled"),
    "real moves": redoubt.certify(model, X_test, y_test, attack_model=rules, units="scaled"),
}
radii = [0.0, 0.25, 0.5, 1.0, 1.5]
print(f"{'attack radius':<14}", *(f"{radius:7.2f}" for radius in radii))
for name, result in certificates.items():
    curve = redoubt.attack_curve(result, y_test, radii)
    print(f"{name:<14}", *(f"{share:7.1%}" for share in curve.accuracy))

display = AttackCurveDisplay.from_certificates(
    certificates, attack_radii=np.linspace(0.0, 2.25, 226)
)
display.figure_.set_size_inches(8.4, 4.2)
display.figure_.savefig("attack_curves.png", dpi=120)

# %%
# The curve of real moves has steps. At 1.1 the number of vessels can be off by one. At 2 come the
# wrong ticks. A ball has no steps, because it does a little of everything from the start.

# %%
# One patient
# -----------
#
# :func:`redoubt.explain` shows the cheapest attack on a patient feature by feature, in the units of
# the table, and what each feature would have to do alone. For one of the weaker answers:

result = certificates["real moves"]
right = np.flatnonzero(result.radius > 0)
patient = right[np.argsort(result.radius[right])[18]]
told = redoubt.explain(
    model, X_test[patient], attack_model=rules, feature_names=names, units="scaled"
)
print(f"patient {patient}: {told.answer}, and stays so below radius {told.lower:.4f}")
print(told)
print(f"after the cheapest attack: {model.predict([told.moved])[0]}")

# %%
# Compare the ball's attack on the same patient. It is a quarter of the size, and none of it can
# happen:

ball = certificates["any move"]
print(f"radius {ball.radius[patient]:.4f}, for example")
for name in ("Age", "Sex", "Vessels", "ChestPain=4"):
    old, step = X_test[patient, number[name]], ball.witness[patient, number[name]]
    print(f"    {name} {old:g} -> {old + step:.2f}")

# %%
# Who attacks, and by how much
# ----------------------------
#
# The diabetes data: eight readings of 768 women. The question here is whether errors of measurement
# can hide diabetes. So only diabetics are moved, and ``scale`` says how far each reading can be
# off: at radius 1 glucose may be off by 10, pressure by 5, and so on. Age and pedigree are known. A
# pregnancy may have been forgotten, but not invented, and there are no half pregnancies.

X, y, names, classes = datasets.load("diabetes")
diagnosis = np.where(y > 0, classes[1], classes[0])
is_test = np.arange(len(X)) % 3 == 0
X_test, y_test = X[is_test], diagnosis[is_test]
vote = redoubt.CollaborativeEnsembleClassifier(
    radius=0.5, norm="linf", n_epochs=60, step=0.02, class_weight="balanced", random_state=0
)
model = make_pipeline(StandardScaler(), vote).fit(X[~is_test], diagnosis[~is_test])

off_by = {"Glucose": 10, "BloodPressure": 5, "SkinThickness": 3, "Insulin": 20, "BMI": 0.5}
rules = AttackModel(
    norm="linf",
    scale={names.index(name): units for name, units in off_by.items()},
    frozen=[names.index("Age"), names.index("Pedigree")],
    increase_only=[names.index("Pregnancies")],
    integer=[names.index("Pregnancies")],
    bounds=(0, None),
    attacking_class="diabetic",
)
result = redoubt.certify(model, X_test, y_test, attack_model=rules)
sick = y_test == "diabetic"
for radius in (0, 1, 2):
    found = np.mean(result.lower[sick] > radius)
    print(f"diabetics found although every reading is off by {radius} x its error: {found:.1%}")

# %%
# The others are not attacked: a right answer has an infinite radius, a wrong one minus infinity.

print("radii of the others:", np.unique(result.radius[~sick]))

display = RadiusHistogramDisplay.from_estimator(
    model, X_test[sick], y_test[sick], attack_model=rules
)
display.figure_.set_size_inches(8.4, 4.2)
display.figure_.savefig("radius_histogram.png", dpi=120)

# %%
# The rules are part of the result (``result.attack_model``) and can be saved with it. The
# ``redoubt`` program reads the same file.

rules.to_json("diabetes_rules.json", names)
print(AttackModel.from_json("diabetes_rules.json"))

# %%
# Redoubt's own estimators take the rules as the parameter ``attack_model``: training is then
# against them, and certificates and displays use them by default. They are in the units of what the
# estimator sees. Behind a scaler these are the scaled features, so integers and boxes belong to an
# estimator that sees the raw table, or, as here, to the certificates of the whole pipeline.
