"""Fitted models of scikit-learn, and what every certificate of them must stand."""

import warnings

import numpy as np
import redoubt
from brute_force import inner_moves, length
from redoubt import RobustSVMClassifier
from sklearn import linear_model
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.linear_model import (
    LogisticRegression,
    Perceptron,
    RidgeClassifier,
    RidgeClassifierCV,
    SGDClassifier,
)
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC, LinearSVC, NuSVC

NORMS = ["l1", "l2", "linf"]
SCALERS = {
    "standard": StandardScaler(),
    "no mean": StandardScaler(with_mean=False),
    "no std": StandardScaler(with_std=False),
    "min max": MinMaxScaler(feature_range=(-1, 2)),
    "max abs": MaxAbsScaler(),
    "robust": RobustScaler(),
}


def passive_aggressive():
    """Deprecated in newer releases; there as long as scikit-learn has it."""
    kind = getattr(linear_model, "PassiveAggressiveClassifier", None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {} if kind is None else {"PassiveAggressiveClassifier": kind(random_state=0)}


def three_members():
    return [
        ("a", LinearSVC(random_state=0)),
        ("b", LogisticRegression()),
        ("c", make_pipeline(StandardScaler(), Perceptron(random_state=0))),
    ]


SINGLE = {
    "LinearSVC": LinearSVC(random_state=0),
    "LinearSVC without intercept": LinearSVC(fit_intercept=False, random_state=0),
    "SVC": SVC(kernel="linear"),
    "NuSVC": NuSVC(kernel="linear", nu=0.4),
    "LogisticRegression": LogisticRegression(),
    "SGDClassifier": SGDClassifier(random_state=0),
    "SGDClassifier log": SGDClassifier(loss="log_loss", average=True, random_state=0),
    "Perceptron": Perceptron(random_state=0),
    "RidgeClassifier": RidgeClassifier(),
    "RidgeClassifierCV": RidgeClassifierCV(),
    "LDA svd": LinearDiscriminantAnalysis(),
    "LDA lsqr": LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
    "RobustSVMClassifier": RobustSVMClassifier(radius=0.2),
} | passive_aggressive()
VOTES = {
    "Voting": VotingClassifier(three_members()),
    "Voting of four": VotingClassifier([*three_members(), ("d", RidgeClassifier())]),
    "Voting with dropped": VotingClassifier(
        [*three_members(), ("d", "drop")], weights=[2, 2, 2, 1]
    ),
    "Voting with SVC": VotingClassifier([*three_members(), ("d", SVC(kernel="linear"))]),
    "Bagging": BaggingClassifier(LinearSVC(random_state=0), 5, max_samples=0.5, random_state=0),
    "Bagging of features": BaggingClassifier(
        SVC(kernel="linear"), 6, max_features=2, max_samples=0.6, random_state=1
    ),
    "Bagging of repeated features": BaggingClassifier(
        make_pipeline(MinMaxScaler(), SGDClassifier(random_state=0)),
        5,
        max_features=3,
        bootstrap_features=True,
        random_state=2,
    ),
    "Search": GridSearchCV(LinearSVC(random_state=0), {"C": [0.1, 1.0]}, cv=2),
}
MULTICLASS = [
    "LinearSVC",
    "SVC",
    "LogisticRegression",
    "SGDClassifier",
    "Perceptron",
    "RidgeClassifier",
    "LDA svd",
]


def fit(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(model).fit(X, y)


def two_classes(n_samples=50, n_features=3, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.arange(n_samples) % 2
    scale, offset = 2.0 ** np.arange(-1, n_features - 1), np.arange(n_features)
    X = (rng.normal(size=(n_samples, n_features)) + 0.8 * codes[:, None]) * scale + offset
    return X, np.array(["yes", "no"])[codes]


def three_classes(n_samples=45, n_features=3, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.arange(n_samples) % 3
    X = rng.normal(size=(n_samples, n_features)) + 1.5 * np.eye(3, n_features)[codes]
    return X, np.array(["green", "blue", "red"])[codes]


def check_both_sides(model, X, y, norm, *, units="raw", transform=None, slack=1e-9):
    """The bracket against the model's own `predict`: nothing inside `lower`, a flip at `upper`."""
    result = redoubt.certify(model, X, y, norm=norm, units=units)
    answers = model.predict(X)
    np.testing.assert_array_equal(result.prediction, answers)
    np.testing.assert_array_equal(result.radius > 0, answers == y)
    assert np.all(result.lower <= result.radius) and np.all(result.radius <= result.upper)
    assert set(result.status) == {"optimal"}

    assert np.isfinite(result.radius).all()
    assert np.all(is_changed_at_witness(model, X, y, result))
    measure = (lambda Z: Z) if transform is None else transform
    lengths = length(measure(X + result.witness) - measure(X), norm)
    np.testing.assert_allclose(lengths, np.abs(result.radius), rtol=1e-9, atol=1e-12)
    assert np.all(result.upper - result.lower <= 1e-9 * np.abs(result.radius))
    check_inside(model, X, y, result, answers, slack)
    return result


def is_changed_at_witness(model, X, y, result, reach=1e-7):
    """The model's own answer changes (becomes right) at the witness, or a rounding error from it.

    A point on one plane flips just beyond it. One where planes meet may have to be moved
    sideways: some of many tiny moves does it.
    """
    rng = np.random.default_rng(2)
    answers = model.predict(X)
    aside = rng.normal(size=(60, X.shape[1])) * reach
    found = np.zeros(len(X), dtype=bool)
    moves = [result.witness * (1 + step) for step in (0, 1e-9, reach)]
    moves += [result.witness + np.abs(result.witness).max(axis=1)[:, None] * d for d in aside]
    # A subnormal step beyond a plane is enough for the vote, but lost in the model's own products and
    # sums: these see 1e-15 of the numbers involved.
    tiny = np.abs(result.witness) < 1e-300
    moves += [np.where(tiny, np.sign(result.witness) * step, result.witness) for step in (1e-300, 1e-15)]
    for move in moves:
        after = model.predict(X + move)
        found |= np.where(answers == y, after != answers, after == y)
    return found


def check_inside(model, X, y, result, answers, slack=1e-9):
    """No sampled move shorter than the proven distance changes the answer (puts it right)."""
    rng = np.random.default_rng(1)
    # A unit move in the units of the certificate is one of X times `per_unit`.
    per_unit = np.ones(X.shape[1])
    if result.units == "scaled":
        ones = np.full(X.shape[1], 1.0)
        scale = Pipeline(model.steps[:-1]).transform
        per_unit = 1 / (scale(ones[None]) - scale(0 * ones[None]))[0]
    moves = inner_moves(rng, 40, X.shape[1], result.norm) * per_unit
    safe = np.where(result.radius > 0, result.lower, -result.upper) * (1 - slack)
    cloud = X[:, None, :] + safe[:, None, None] * moves
    after = model.predict(cloud.reshape(-1, X.shape[1])).reshape(len(X), -1)
    right = answers == y
    assert np.all(after[right] == answers[right, None])
    assert np.all(after[~right] != y[~right, None])
