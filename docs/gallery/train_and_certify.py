"""
Train and certify
=================

A pathologist scores a sample of cells: nine scores from 1 to 10. A model says *benign* or
*malignant*. The scores are judgements, and on another day they would come out a little different.
Would the answer change?

This page trains three models on such data, and finds, for every sample that they have never seen,
how far its scores can move before the answer changes. That distance is the *certificate* of the
sample.
"""

# %%
# The data
# --------
#
# The Breast Cancer data from Wisconsin come with the package. The scores are standardised to mean 0
# and standard deviation 1 on the training part. So a distance of 1 is one standard deviation of a
# single score, or smaller changes of several scores that add up to the same length.

import numpy as np
from sklearn.preprocessing import StandardScaler

import redoubt
from redoubt import datasets
from redoubt.displays import BoundaryDisplay, RadiusHistogramDisplay

X, y, feature_names, classes = datasets.load("bcw")
train, test = datasets.published_split("bcw")
scaler = StandardScaler().fit(X[train])
Z, Z_test = scaler.transform(X[train]), scaler.transform(X[test])
print(
    f"{len(train)} samples to train on, {len(test)} to test; -1 is {classes[0]}, +1 is {classes[1]}"
)

# %%
# Three models
# ------------
#
# - The ordinary linear SVM: one plane between the classes.
# - The robust SVM: one plane that counts every point as if an adversary had already moved it by
#   the training radius, in the worst direction.
# - The collaborative ensemble: 15 planes that vote. Its training raises the certified distances
#   themselves.

models = {
    "SVM": redoubt.LinearSVMClassifier(),
    "robust SVM": redoubt.RobustSVMClassifier(radius=0.5),
    "vote of 15": redoubt.CollaborativeEnsembleClassifier(
        radius=2.0, n_planes=15, n_epochs=60, step=0.02, random_state=0
    ),
}
for model in models.values():
    model.fit(Z, y[train])

# %%
# Certificates
# ------------
#
# ``certify`` gives one number for each sample. For a right answer it is the size of the smallest
# move that makes it wrong. For a wrong answer it is negative: minus the size of the smallest move
# that makes it right. These numbers give the accuracy under attack at *every* radius, without
# running any attack.

radii = [0.0, 0.5, 1.0, 1.5, 2.0]
certificates = {name: model.certify(Z_test, y[test]) for name, model in models.items()}

print(f"{'attack radius':<14}", *(f"{radius:7.1f}" for radius in radii))
for name, result in certificates.items():
    curve = redoubt.attack_curve(result, y[test], radii)
    print(f"{name:<14}", *(f"{share:7.1%}" for share in curve.accuracy))

# %%
# Without attack the three are within one sample of each other: accuracy does not tell them apart.
# Attacks do. At radius 2 the vote keeps more than twice as many samples as the SVM.
#
# Every number above is proven, as the statuses say:

for name, result in certificates.items():
    statuses, counts = np.unique(result.status, return_counts=True)
    print(f"{name:<14}", dict(zip(statuses.tolist(), counts.tolist(), strict=True)))

# %%
# How far, for whom
# -----------------
#
# The histogram shows the distances of all test samples under the vote. Right answers are on the
# right. The few on the left are wrong, some of them by a wide margin: no small error of measurement
# explains them.

display = RadiusHistogramDisplay.from_certificates(certificates["vote of 15"])
display.ax_.set_xlabel("Certified distance (standard deviations)")
display.figure_.savefig("radius_histogram.png", dpi=120)

# %%
# One sample
# ----------
#
# The right answer that is easiest to change, and the move that changes it. The move is part of the
# certificate and is called the *witness*. ``lower`` and ``upper`` are proven bounds on the
# distance.

result = certificates["vote of 15"]
right = np.flatnonzero(result.radius > 0)
weakest = right[np.argmin(result.radius[right])]
print(f"answer {result.prediction[weakest]:+.0f}, distance {result.radius[weakest]:.4f}")
print(f"proven: at least {result.lower[weakest]:.14f}, at most {result.upper[weakest]:.14f}")

moved = Z_test[weakest] + result.witness[weakest]
answer = models["vote of 15"].predict([moved])[0]
print(f"answer after the move {answer:+.0f}")

before, after = scaler.inverse_transform([Z_test[weakest], moved])
for name, old, new in zip(feature_names, before, after, strict=True):
    print(f"{name:<26} {old:5.2f} -> {new:5.2f}")

# %%
# A tenth of a point at most: this is a borderline case, and its answer should not be given without
# a second look. That is what the number is for.

# %%
# In two dimensions
# -----------------
#
# With two scores you can see everything. The lines are the planes of a small vote, the colours show
# how many planes vote for which class, and the thick line is where the answer changes. The circle
# is the certificate of one sample: no move inside it changes the answer; the move to the cross on
# its edge does.

pair = [feature_names.index("ClumpThickness"), feature_names.index("BareNuclei")]
small = redoubt.CollaborativeEnsembleClassifier(
    radius=0.75, n_planes=5, n_epochs=60, step=0.02, random_state=0
)
diagnosis = np.where(y > 0, "malignant", "benign")
small.fit(Z[:, pair], diagnosis[train])
radius = small.certify(Z_test[:, pair], diagnosis[test]).radius
middle = int(np.argsort(radius)[len(radius) // 4])
display = BoundaryDisplay.from_estimator(small, Z_test[:, pair], diagnosis[test], point=middle)
display.ax_.set(
    xlabel="ClumpThickness (standard deviations)", ylabel="BareNuclei (standard deviations)"
)
display.figure_.set_size_inches(8, 4.6)
display.figure_.savefig("boundary.png", dpi=120)

# %%
# Continue with :doc:`read_an_attack_curve`, or with what a certificate :doc:`says and does not say
# </certificates>`.
