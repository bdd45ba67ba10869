"""Trains an ordinary and a robust plane on the Breast Cancer data and attacks both.

For one plane the attack has a closed form: moving a point by less than |w'x + b| / ||w||_2
cannot change its answer, and moving it by more can.
"""

import numpy as np
from sklearn.preprocessing import StandardScaler

from redoubt import LinearSVMClassifier, RobustSVMClassifier, datasets

X, y, _, _ = datasets.load("bcw")
train, test = datasets.published_split("bcw")
scaler = StandardScaler().fit(X[train])
Z, Z_test = scaler.transform(X[train]), scaler.transform(X[test])

print("attack radius", *(f"{radius:6.2f}" for radius in (0.0, 0.5, 1.0, 1.5)))
for model in (LinearSVMClassifier(), RobustSVMClassifier(radius=0.5)):
    model.fit(Z, y[train])
    safe_radius = y[test] * model.decision_function(Z_test) / np.linalg.norm(model.coef_)
    accuracy = [100 * np.mean(safe_radius > radius) for radius in (0.0, 0.5, 1.0, 1.5)]
    print(f"{type(model).__name__:<13.13}", *(f"{share:5.1f}%" for share in accuracy))
