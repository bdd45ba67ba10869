"""Random tables of numbers, texts, booleans and gaps, and random pipelines for them."""

import warnings

import numpy as np
import pandas as pd
from redoubt import RobustSVMClassifier
from redoubt._models.decision_rules import is_near
from redoubt._models.linear_model import read_model
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)
from sklearn.svm import SVC, LinearSVC

NUMBERS, TEXTS, FLAGS = ["age", "income", "rooms"], ["job", "city"], ["member"]
WORDS = {"job": ["clerk", "nurse", "cook", "smith"], "city": ["Bonn", "Rome", "Oslo"]}


def bins(n=4, **options):
    """A KBinsDiscretizer; from scikit-learn 1.7 on it wants to be told which quantiles it takes."""
    if "quantile_method" in KBinsDiscretizer().get_params():
        options = {"quantile_method": "averaged_inverted_cdf"} | options
    return KBinsDiscretizer(n, **options)


def random_table(rng, n_rows=60, gaps=True, unseen=False):
    """A frame of all kinds of columns; `unseen`: with texts that no model was fitted to."""
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n_rows).astype(float),
            "income": rng.lognormal(3, 1, n_rows),
            "rooms": rng.integers(1, 5, n_rows),
        }
    )
    for name, words in WORDS.items():
        words = [*words, "unheard of"] if unseen else words
        table[name] = rng.choice(words, n_rows, p=_shares(len(words)))
    table["member"] = rng.random(n_rows) < 0.4
    if gaps:
        for name in ("age", "income", "job"):
            table.loc[rng.random(n_rows) < 0.15, name] = np.nan
    return table


def _shares(n):
    weights = 0.7 ** np.arange(n)
    return weights / weights.sum()


def random_labels(rng, table):
    score = (
        table["age"].fillna(50) / 30
        + table["job"].isin(["clerk", "cook"])
        + table["member"]
        + rng.normal(size=len(table))
    )
    return np.where(score > score.median(), "yes", "no")


PLANES = [
    LogisticRegression(max_iter=2000),
    LinearSVC(random_state=0),
    RidgeClassifier(),
    SGDClassifier(random_state=0),
    SVC(kernel="linear"),
]
#: And what is put around planes, or made of several.
ALL = [
    *PLANES,
    LogisticRegression(C=100.0, max_iter=2000),
    FixedThresholdClassifier(LogisticRegression(max_iter=2000), threshold=0.6, pos_label="yes"),
    CalibratedClassifierCV(LinearSVC(random_state=0), ensemble=False, cv=2, method="isotonic"),
    OneVsRestClassifier(RidgeClassifier()),
    VotingClassifier([("a", RidgeClassifier()), ("b", LinearSVC()), ("c", LogisticRegression())]),
    BaggingClassifier(LinearSVC(random_state=0), n_estimators=5, random_state=0),
    RobustSVMClassifier(radius=0.1),
]


def random_model(rng, lasts=PLANES, cuts=True):
    """An unfitted pipeline of parts that are read, in a random composition.

    `lasts` are the classifiers to choose from; `cuts`: numbers may be cut into intervals.
    """
    encoders = [
        OneHotEncoder(handle_unknown="ignore"),
        OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=8),
        OneHotEncoder(handle_unknown="ignore", drop="first", sparse_output=False),
        OneHotEncoder(handle_unknown="ignore", max_categories=3),
        OrdinalEncoder(
            handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2
        ),
        TargetEncoder(cv=2, random_state=0),
    ]
    scalers = [StandardScaler(), MinMaxScaler(), MaxAbsScaler(), RobustScaler(), "passthrough"]
    imputers = [
        SimpleImputer(),
        SimpleImputer(strategy="median", add_indicator=True),
        SimpleImputer(strategy="constant", fill_value=-1.0),
    ]
    mixers = [
        "passthrough",
        PCA(2),
        PCA(whiten=True),
        VarianceThreshold(),
        FunctionTransformer(),
        FeatureUnion([("p", PCA(1)), ("s", MinMaxScaler())], transformer_weights={"p": 0.5}),
        bins(4),
        KBinsDiscretizer(3, encode="ordinal", strategy="uniform"),
        Binarizer(threshold=0.3),
    ]
    mixers = mixers if cuts else mixers[:-3]
    pick = lambda options: options[rng.integers(len(options))]  # noqa: E731
    numbers = make_pipeline(pick(imputers), pick(scalers), pick(mixers))
    text_imputers = [
        SimpleImputer(strategy="most_frequent"),
        SimpleImputer(strategy="constant", fill_value="none given"),
        "passthrough",
    ]
    texts = Pipeline([("fill", pick(text_imputers)), ("code", pick(encoders))])
    columns = ColumnTransformer(
        [
            ("numbers", numbers, pick([NUMBERS, make_column_selector(dtype_include="number")])),
            ("texts", texts, TEXTS),
            ("flags", pick([OneHotEncoder(drop="if_binary"), "passthrough", "drop"]), FLAGS),
        ]
    )
    behind = pick(["passthrough", SelectKBest(k=4), TruncatedSVD(3), MaxAbsScaler()])
    last = clone(pick(lasts))
    return Pipeline([("columns", columns), ("behind", behind), ("last", last)])


def fit_quietly(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # models that would like more iterations
        return model.fit(X, y)


def read_rows(model, X):
    """The LinearModel and z of all rows."""
    linear = read_model(model)
    return linear, linear.coding.code(X).expanded()


def disagreements(model, X):
    """(rows on which the reading differs from predict, those of them that rounding explains)."""
    linear = read_model(model)
    if linear.coding is None:
        Z = np.asarray(X, dtype=np.float64)
        decision = linear.folded()
    else:
        decision, Z = linear.decision, read_rows(model, X)[1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        own = model.predict(X)
    differs = linear.classes[decision.answers(Z)] != own
    return int(differs.sum()), int((differs & is_near(decision, Z, 1e-10)).sum())
