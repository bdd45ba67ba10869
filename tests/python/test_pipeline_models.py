"""Thresholds, calibration, naive Bayes and centroids: shifted planes, with their traps."""

import numpy as np
import pytest
import redoubt
from random_pipelines import disagreements, fit_quietly, random_labels, random_table
from redoubt._models.linear_model import read_model
from sklearn import calibration
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC

RNG = np.random.default_rng(2)
TABLE = random_table(RNG, 150)
LABELS = random_labels(RNG, TABLE)
OTHERS = random_table(np.random.default_rng(3), 400, unseen=True)


def coded(last, scaler=None):
    numbers = make_pipeline(SimpleImputer(), scaler or StandardScaler())
    texts = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    blocks = [("n", numbers, ["age", "income"]), ("t", texts, ["job", "city"])]
    return make_pipeline(ColumnTransformer(blocks), last)


LOGISTIC = LogisticRegression()
HUBER = SGDClassifier(loss="modified_huber", random_state=0)
F1 = make_scorer(f1_score, pos_label="no")
MODELS = {
    "fixed": FixedThresholdClassifier(LOGISTIC, threshold=0.7, pos_label="yes"),
    "fixed, first class": FixedThresholdClassifier(LOGISTIC, threshold=0.7, pos_label="no"),
    "auto": FixedThresholdClassifier(LOGISTIC, pos_label="no"),
    "of values": FixedThresholdClassifier(
        LinearSVC(), threshold=-0.3, pos_label="no", response_method="decision_function"
    ),
    "of SVC": FixedThresholdClassifier(SVC(kernel="linear"), threshold=0.4, pos_label="yes"),
    "of LDA": FixedThresholdClassifier(
        LinearDiscriminantAnalysis(), threshold=0.3, pos_label="yes"
    ),
    "clipped": FixedThresholdClassifier(HUBER, threshold=1.0, pos_label="yes"),
    "clipped, first class": FixedThresholdClassifier(HUBER, threshold=0.8, pos_label="no"),
    "never": FixedThresholdClassifier(HUBER, threshold=1.5, pos_label="yes"),
    "tuned": TunedThresholdClassifierCV(LOGISTIC, cv=3, random_state=0, scoring=F1),
    "tuned values": TunedThresholdClassifierCV(RidgeClassifier(), cv=3, random_state=0),
    "sigmoid": CalibratedClassifierCV(LinearSVC(), ensemble=False, cv=3),
    "isotonic": CalibratedClassifierCV(LinearSVC(), ensemble=False, cv=3, method="isotonic"),
    "of probabilities": CalibratedClassifierCV(
        MultinomialNB(), ensemble=False, cv=3, method="isotonic"
    ),
    "threshold of calibrated": FixedThresholdClassifier(
        CalibratedClassifierCV(LinearSVC(), ensemble=False, cv=3, method="isotonic"),
        threshold=0.35,
        pos_label="yes",
    ),
    "first class of calibrated": FixedThresholdClassifier(
        CalibratedClassifierCV(LOGISTIC, ensemble=False, cv=3), threshold=0.35, pos_label="no"
    ),
    "multinomial": MultinomialNB(),
    "complement": ComplementNB(norm=True),
    "bernoulli of numbers": BernoulliNB(binarize=None),
    "centroids": NearestCentroid(),
    "centroids, priors": NearestCentroid(priors=[0.3, 0.7]),
    "one against the rest": OneVsRestClassifier(LogisticRegression()),
    "one against the rest, bayes": OneVsRestClassifier(MultinomialNB()),
    "one against the rest, scaled": OneVsRestClassifier(
        make_pipeline(MinMaxScaler((0, 2)), LinearSVC(random_state=0))
    ),
    "one against the rest, of LIBSVM": OneVsRestClassifier(
        make_pipeline(MaxAbsScaler(), SVC(kernel="linear"))
    ),
    "one against one": OneVsOneClassifier(LinearSVC(random_state=0)),
    "shrunken": NearestCentroid(shrink_threshold=0.2, priors="empirical"),
}


@pytest.mark.parametrize("name", MODELS)
def test_answers_are_those_of_a_shifted_plane(name):
    model = fit_quietly(coded(MODELS[name], MinMaxScaler()), TABLE, LABELS)
    differs, rounded = disagreements(model, OTHERS)
    assert differs == rounded
    result = redoubt.certify(model, OTHERS[:30], norm="l1")
    known = np.isfinite(result.radius)
    assert known.all() or name == "never"
    if known.any():
        changed = model.predict(result.moved[known]) != model.predict(OTHERS[:30][known])
        assert changed.all()


def test_pipelines_inside_thresholds_and_calibration():
    inner = coded(LogisticRegression())
    for model in (
        TunedThresholdClassifierCV(inner, cv=2, random_state=0),
        CalibratedClassifierCV(inner, ensemble=False, cv=2),
        FixedThresholdClassifier(
            FrozenEstimator(fit_quietly(inner, TABLE, LABELS)), threshold=0.6, pos_label="yes"
        ),
    ):
        differs, rounded = disagreements(fit_quietly(model, TABLE, LABELS), OTHERS)
        assert differs == rounded
        assert redoubt.certify(model, OTHERS[:5]).moved is not None


def test_a_score_that_falls_with_the_plane_turns_it_round():
    model = fit_quietly(coded(CalibratedClassifierCV(LinearSVC(), ensemble=False)), TABLE, LABELS)
    plane = read_model(model).decision.planes.coef[0]
    calibrator = model[-1].calibrated_classifiers_[0].calibrators[0]
    calibrator.a_, calibrator.b_ = -calibrator.a_, 0.3 - calibrator.b_
    assert disagreements(model, OTHERS) == (0, 0)
    turned = read_model(model).decision.planes.coef[0]  # noticed: it is read anew
    assert (np.sign(turned[plane != 0]) == -np.sign(plane[plane != 0])).all()


def test_bernoulli_binarises_columns_of_0_and_1_to_themselves():
    block = ColumnTransformer([("t", OneHotEncoder(handle_unknown="ignore"), ["job", "city"])])
    model = make_pipeline(block, BernoulliNB()).fit(TABLE, LABELS)
    differs, rounded = disagreements(model, OTHERS)
    assert differs == rounded
    same = make_pipeline(block, BernoulliNB(binarize=None)).fit(TABLE, LABELS)
    np.testing.assert_allclose(
        redoubt.certify(model, OTHERS, norm="l1").radius,
        redoubt.certify(same, OTHERS, norm="l1").radius,
    )


@pytest.mark.parametrize(
    "last",
    [
        MultinomialNB(),
        ComplementNB(),
        NearestCentroid(),
        OneVsRestClassifier(LogisticRegression()),
        OneVsRestClassifier(make_pipeline(StandardScaler(), LinearSVC(random_state=0))),
    ],
)
def test_several_classes_of_bayes_and_centroids(last):
    X = np.random.default_rng(0).random((60, 3))
    y = np.arange(60) % 3
    X[np.arange(60), y] += 0.7
    model = last.fit(X, y)
    result = redoubt.certify(model, X)
    assert set(result.status) == {"optimal"}
    moved = model.predict(X + result.witness * (1 + 1e-9))
    assert (moved != model.predict(X)).mean() > 0.95


def test_one_against_the_rest_of_tables_and_ties():
    y = np.array(["a", "b", "c"])[np.arange(len(TABLE)) % 3]
    y[TABLE["age"].fillna(0) > 60] = "b"
    model = fit_quietly(coded(OneVsRestClassifier(LogisticRegression(max_iter=1000))), TABLE, y)
    differs, rounded = disagreements(model, OTHERS)
    assert differs == rounded
    result = redoubt.certify(model, OTHERS[:20], norm="l1")
    assert (model.predict(result.moved) != model.predict(OTHERS[:20])).all()
    flat = OneVsRestClassifier(LogisticRegression()).fit(np.eye(3), [2, 5, 7])
    for member in flat.estimators_[1:]:  # equal scores everywhere, and above the other one's
        member.coef_, member.intercept_ = np.zeros((1, 3)), np.full(1, 9.0)
    found = redoubt.certify(flat, np.eye(3))
    assert found.prediction.tolist() == flat.predict(np.eye(3)).tolist()
    assert not (found.status == "rounding").any()
    with pytest.raises(ValueError, match="compares scores of BernoulliNB, which are not values"):
        redoubt.certify(OneVsRestClassifier(BernoulliNB()).fit(np.eye(3), [2, 5, 7]), np.eye(3))
    several = OneVsRestClassifier(LinearSVC()).fit(np.eye(3), np.eye(3, dtype=int)[::-1])
    with pytest.raises(ValueError, match="was fitted to several labels per row"):
        redoubt.certify(several, np.eye(3))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (CalibratedClassifierCV(LinearSVC(), cv=2), "averages 2 models, .* take ensemble=False"),
        pytest.param(
            CalibratedClassifierCV(LinearSVC(), cv=2, ensemble=False, method="temperature"),
            "calibrates LinearSVC by method='temperature', which is not supported",
            marks=pytest.mark.skipif(not hasattr(calibration, "_TemperatureScaling"), reason="scikit-learn 1.8"),
        ),
        (FixedThresholdClassifier(NearestCentroid()), "a threshold on predict_proba of NearestC"),
        (
            OneVsRestClassifier(FixedThresholdClassifier(LogisticRegression(), threshold=0.7)),
            "is around FixedThresholdClassifier, which is not supported",
        ),
        (NearestCentroid(metric="manhattan"), "has metric='manhattan'; only 'euclidean' is linear"),
    ],
    ids=lambda each: None if isinstance(each, str) else type(each).__name__,
)
def test_what_is_no_shifted_plane_is_refused(model, message):
    X, y = np.random.default_rng(0).random((40, 2)), np.arange(40) % 2
    with pytest.raises(ValueError, match=message):
        redoubt.certify(model.fit(X, y), X)
