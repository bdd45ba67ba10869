"""Attacks of the Adversarial Robustness Toolbox on the same models: none beats a certificate."""

import warnings

import numpy as np
import pytest
import redoubt
from brute_force import ORDER, length
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

pytestmark = pytest.mark.slow

pytest.importorskip("art")
with warnings.catch_warnings():  # about frameworks that are not installed
    warnings.simplefilter("ignore")
    from art.attacks.evasion import (
        BoundaryAttack,
        CarliniL2Method,
        DeepFool,
        FastGradientMethod,
        HopSkipJump,
        ProjectedGradientDescent,
    )
    from art.estimators.classification import BlackBoxClassifier
    from art.estimators.classification.scikitlearn import (
        ScikitlearnLogisticRegression,
        ScikitlearnSVC,
    )

N_POINTS = 40
QUIET = {"verbose": False}


def points(n_classes, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(N_POINTS) % n_classes
    X = rng.normal(size=(N_POINTS, 4)) + 1.5 * np.eye(n_classes, 4)[y]
    # The toolbox works in single precision: the points must be the same in both.
    return X.astype(np.float32).astype(np.float64), y


def gradient_model(kind, n_classes):
    X, y = points(n_classes)
    if kind == "LogisticRegression":
        model = LogisticRegression().fit(X, y)
        return model, ScikitlearnLogisticRegression(model=model)
    model = LinearSVC(random_state=0).fit(X, y)
    return model, ScikitlearnSVC(model=model)


def check_never_beaten(model, X, y, norm, moved, *, least_share):
    """Each success is at least as far as the certificate; ours is never larger than theirs."""
    result = redoubt.certify(model, X, y, norm=norm)
    answers = model.predict(np.asarray(moved, dtype=np.float64))
    broken = (result.radius > 0) & (answers != y)
    distance = length(np.asarray(moved, dtype=np.float64) - X, norm)
    assert np.all(result.lower[broken] <= distance[broken] * (1 + 1e-9))
    assert np.all(result.radius[broken] <= distance[broken] * (1 + 1e-9))
    assert broken.sum() >= least_share * np.sum(result.radius > 0)
    return np.median(distance[broken] / result.radius[broken])


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", ["LogisticRegression", "LinearSVC"])
def test_gradient_steps(kind, n_classes, norm):
    X, y = points(n_classes)
    model, wrapped = gradient_model(kind, n_classes)
    one_hot = np.eye(n_classes)[y]
    attack = FastGradientMethod(wrapped, norm=ORDER[norm], eps=10, eps_step=0.02, minimal=True)
    check_never_beaten(model, X, y, norm, attack.generate(X, one_hot), least_share=0.8)
    radius = redoubt.certify(model, X, y, norm=norm).radius
    for eps in np.quantile(radius[radius > 0], [0.3, 0.7]):
        attack = ProjectedGradientDescent(
            wrapped, norm=ORDER[norm], eps=eps, eps_step=eps / 4, max_iter=10, **QUIET
        )
        check_never_beaten(model, X, y, norm, attack.generate(X, one_hot), least_share=0.1)


@pytest.mark.parametrize("kind", ["LogisticRegression", "LinearSVC"])
def test_minimal_l2_attacks(kind):
    X, y = points(2)
    model, wrapped = gradient_model(kind, 2)
    moved = DeepFool(wrapped, max_iter=50, epsilon=1e-3, **QUIET).generate(X)
    check_never_beaten(model, X, y, "l2", moved, least_share=0.8)
    attack = CarliniL2Method(
        wrapped, learning_rate=0.1, max_iter=10, initial_const=1.0, batch_size=N_POINTS, **QUIET
    )
    moved = attack.generate(X, np.eye(2)[y])
    check_never_beaten(model, X, y, "l2", moved, least_share=0.3)


VOTES = {
    "Bagging": BaggingClassifier(LinearSVC(), 7, max_samples=0.3, max_features=3, random_state=0),
    "Voting": VotingClassifier(
        [
            ("a", LogisticRegression()),
            ("b", make_pipeline(StandardScaler(), Perceptron(random_state=0))),
            ("c", RidgeClassifier()),
            ("d", SVC(kernel="linear")),
        ]
    ),
    "one-vs-one SVC": SVC(kernel="linear"),
}


@pytest.mark.parametrize("norm", ["l2", "linf"])
@pytest.mark.parametrize("name", VOTES)
def test_black_boxes(name, norm):
    n_classes = 3 if name.startswith("one") else 2
    X, y = points(n_classes)
    model = VOTES[name].fit(X, y)
    np.random.seed(0)  # noqa: NPY002 - the toolbox draws from the global generator

    def probabilities(Z):
        return np.eye(n_classes)[model.predict(np.asarray(Z, dtype=np.float64))]

    wrapped = BlackBoxClassifier(probabilities, (4,), n_classes)
    few = slice(0, 8)
    attack = HopSkipJump(
        wrapped, norm=ORDER[norm], max_iter=6, max_eval=200, init_eval=20, init_size=50, **QUIET
    )
    moved = attack.generate(X[few].astype(np.float32), np.eye(n_classes)[y[few]])
    ratio = check_never_beaten(model, X[few], y[few], norm, moved, least_share=0.8)
    assert ratio < 3  # it came near: the comparison says something
    if norm == "l2" and name == "one-vs-one SVC":  # many questions: only where they are quick
        attack = BoundaryAttack(wrapped, targeted=False, max_iter=60, init_size=50, **QUIET)
        moved = attack.generate(X[few].astype(np.float32), np.eye(n_classes)[y[few]])
        check_never_beaten(model, X[few], y[few], norm, moved, least_share=0.8)
