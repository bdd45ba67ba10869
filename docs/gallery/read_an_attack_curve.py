"""
Read an attack curve
====================

An attack curve shows the accuracy that remains when every point may be moved by a given amount. It
says most of what there is to know about a model and its rivals. This page reads it from left to
right.
"""

# %%
# Four models
# -----------
#
# Is the handwritten digit a 3? An image is 64 grey values from 0 to 16; one test image in six is
# a 3. Distances are measured after scaling, in the norm ``l2``.

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import redoubt
from redoubt import datasets
from redoubt.displays import AttackCurveDisplay

X, y, _, _ = datasets.load("digits3")
train, test = datasets.published_split("digits3")
scaler = StandardScaler().fit(X[train])
Z, Z_test = scaler.transform(X[train]), scaler.transform(X[test])

models = {
    "logistic regression": LogisticRegression(max_iter=1000),
    "SVM": redoubt.LinearSVMClassifier(),
    "robust SVM": redoubt.RobustSVMClassifier(radius=0.25),
    "vote of 15": redoubt.CollaborativeEnsembleClassifier(
        radius=2.0, n_planes=15, n_epochs=20, step=0.02, random_state=0
    ),
}
for model in models.values():
    model.fit(Z, y[train])
certificates = {name: redoubt.certify(model, Z_test, y[test]) for name, model in models.items()}

radii = np.linspace(0, 2, 81)
display = AttackCurveDisplay.from_certificates(
    certificates, attack_radii=radii, ceiling_points=Z_test
)
display.ax_.set_xlabel(r"Attack radius ($\ell_2$, standard deviations)")
display.figure_.savefig("attack_curve.png", dpi=120)

# %%
# **The left end** is the plain accuracy. Here the models are close together, and a table of
# accuracies would stop at this point.
#
# **The slope of a curve** says how far right answers are from the boundary. Each step down is a
# test image whose certified distance ends there. No curve can rise: an answer that survives a long
# move survives a short one.
#
# **Where a curve crosses the dashed line**, the model is no better than one that never looks:
# always saying "no 3" is right for 84 % of the test images, under any attack. Beyond the crossing
# the model is useless. Some curves here cross it soon.
#
# **The dotted line** is the ceiling: two images of different classes whose balls meet cannot both
# be safe, whatever the classifier. As long as it stays at the top, the fall of a curve is due to
# the model.

for name, result in certificates.items():
    curve = redoubt.attack_curve(result, y[test], radii)
    below = radii[curve.accuracy < curve.constant_accuracy]
    crossing = f"{below[0]:.2f}" if len(below) else "beyond 2"
    print(f"{name:<20} plain {curve.accuracy[0]:.1%}, useless from radius {crossing}")

# %%
# Balance
# -------
#
# A model can keep 84 % of the images by giving up on every 3. The balanced curve is the mean of the
# two classes' shares, where a constant answer is worth 50 %. Always look at it if the classes
# differ in size.

display = AttackCurveDisplay.from_certificates(certificates, attack_radii=radii, balanced=True)
display.ax_.set_xlabel(r"Attack radius ($\ell_2$, standard deviations)")
display.figure_.savefig("balanced_attack_curve.png", dpi=120)

for name, result in certificates.items():
    curve = redoubt.attack_curve(result, y[test], radii)
    print(
        f"{name:<20} at radius 1: accuracy {curve.accuracy[40]:.1%}, "
        f"balanced {curve.balanced_accuracy[40]:.1%}"
    )

# %%
# Is the difference luck?
# -----------------------
#
# One split is one sample. Train and certify on many splits, and draw the mean with a band. Where
# the bands do not overlap, the difference is more than chance. (The data here are the breast cancer
# scores: they are few, so chance plays a larger part.)

X, y, _, _ = datasets.load("bcw")
splits = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0)
rivals = {
    "SVM": redoubt.LinearSVMClassifier(),
    "robust SVM": redoubt.RobustSVMClassifier(radius=0.5),
    "vote of 15": redoubt.CollaborativeEnsembleClassifier(
        radius=2.0, n_planes=15, n_epochs=60, step=0.02, random_state=0
    ),
}
results = {
    name: cross_validate(
        make_pipeline(StandardScaler(), model),
        X,
        y,
        cv=splits,
        return_estimator=True,
        return_indices=True,
    )
    for name, model in rivals.items()
}
display = AttackCurveDisplay.from_cv_results(
    results, X, y, attack_radii=np.linspace(0, 3, 61), units="scaled"
)
display.ax_.set_xlabel(r"Attack radius ($\ell_2$, standard deviations)")
display.figure_.savefig("attack_curve_with_bands.png", dpi=120)

for name, rows in display.accuracies.items():
    print(f"{name:<12} radius 0: {rows[:, 0].mean():.1%}   radius 2: {rows[:, 40].mean():.1%}")

# %%
# Up to radius 1 the bands overlap: do not choose by what you see there. From 1.5 on they are apart,
# and at the far end the curves meet again. No model is best for all attacks; which one to take
# depends on the attacks that you must withstand. Continue with :doc:`choose_a_radius`.
