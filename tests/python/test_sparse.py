"""Compressed rows of SciPy: the same answers as dense ones, and clear words about bad ones."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfVectorizer,
)
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import LinearSVC

import redoubt
from redoubt import _core
from redoubt.metrics import certified_accuracy_at

N_FEATURES = 230


@pytest.fixture(scope="module")
def words():
    """Word counts of two classes, with an empty row and empty columns."""
    rng = np.random.default_rng(3)
    X = sp.random(120, N_FEATURES, density=0.05, random_state=4, format="csr")
    X.data = np.ceil(4 * X.data)
    X = X.toarray()
    X[7] = 0.0
    X[:, 11::17] = 0.0
    y = np.where(X[:, :60].sum(axis=1) + rng.normal(size=120) > X[:, 60:120].sum(axis=1), "spam", "ham")
    return sp.csr_array(X), y


CLASSIFIERS = [
    redoubt.LinearSVMClassifier(C=0.3),
    redoubt.RobustSVMClassifier(radius=0.05),
    redoubt.RobustSVMClassifier(radius=0.05, norm="l1"),
    redoubt.RobustSVMClassifier(radius=0.05, norm="linf"),
    redoubt.BaggedSVMClassifier(n_planes=3, random_state=0),
    redoubt.RobustEnsembleClassifier(radius=0.05, n_planes=3),
    redoubt.CollaborativeEnsembleClassifier(radius=0.1, n_planes=3, n_epochs=3, random_state=0),
]


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda each: type(each).__name__)
def test_classifiers_learn_the_same_from_compressed_rows(classifier, words):
    X, y = words
    dense = classifier.fit(X.toarray(), y)
    planes, answers, values = dense.coef_, dense.predict(X.toarray()), dense.decision_function(X)
    sparse = classifier.fit(X, y)
    np.testing.assert_allclose(sparse.coef_, planes, rtol=0.0, atol=2e-3 * np.abs(planes).max())
    assert (sparse.predict(X) == answers).mean() > 0.99
    np.testing.assert_allclose(sparse.decision_function(X.toarray()), sparse.decision_function(X))
    np.testing.assert_array_equal(sparse.votes(X), sparse.votes(X.toarray()))
    np.testing.assert_array_equal(sparse.ranges_, np.column_stack([X.toarray().min(0), X.toarray().max(0)]))
    assert len(values) == len(y)


def test_three_classes(words):
    X, _ = words
    y = np.arange(120) % 3
    model = redoubt.LinearSVMClassifier(C=0.1).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), model.predict(X.toarray()))
    sparse, dense = model.certify(X[:8], y[:8]), model.certify(X[:8].toarray(), y[:8])
    np.testing.assert_array_equal(sparse.radius, dense.radius)
    assert sparse.witness is None


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_certificates_are_those_of_dense_rows(norm, index, words):
    X, y = words
    model = redoubt.BaggedSVMClassifier(n_planes=5, random_state=1).fit(X, y)
    rows = X[:40].copy()
    rows.indices, rows.indptr = rows.indices.astype(index), rows.indptr.astype(index)
    dense = redoubt.certify(model, rows.toarray(), y[:40], norm=norm)
    for witness in (None, False, True):
        sparse = redoubt.certify(model, rows, y[:40], norm=norm, witness=witness)
        assert (sparse.lower <= dense.upper).all()
        assert (sparse.upper >= dense.lower).all()
        np.testing.assert_allclose(sparse.radius, dense.radius, rtol=1e-9)
        np.testing.assert_array_equal(sparse.prediction, dense.prediction)
        np.testing.assert_array_equal(sparse.status, dense.status)
        if witness is False or (witness is None and norm != "l1"):
            assert sparse.witness is None
            continue
        assert sp.issparse(sparse.witness)
        moved = model.predict(rows + sparse.witness)
        right = dense.prediction == y[:40]
        assert (moved[right] != y[:40][right]).all()
        assert (moved[~right] == y[:40][~right]).all()
        if norm == "l1":
            assert sparse.witness.nnz <= 5 * 40
    curve = redoubt.attack_curve(sparse, y[:40], [0.0, 0.1])
    assert curve.accuracy[0] == (dense.prediction == y[:40]).mean()


@pytest.mark.parametrize(
    "model",
    [
        LinearSVC(dual=True, max_iter=5000),
        LogisticRegression(),
        make_pipeline(MaxAbsScaler(), LogisticRegression()),
        make_pipeline(MaxAbsScaler(), redoubt.LinearSVMClassifier()),
    ],
    ids=["LinearSVC", "LogisticRegression", "scaled", "own"],
)
@pytest.mark.parametrize("units", ["raw", "scaled"])
def test_models_of_scikit_learn(model, units, words):
    X, y = words
    model = model.fit(X, y)
    sparse = redoubt.certify(model, X[:10], y[:10], units=units)
    dense = redoubt.certify(model, X[:10].toarray(), y[:10], units=units)
    np.testing.assert_allclose(sparse.radius, dense.radius, rtol=1e-9)
    np.testing.assert_array_equal(sparse.prediction, dense.prediction)


def test_attacks_explanations_and_scores(words):
    X, y = words
    model = redoubt.BaggedSVMClassifier(n_planes=3, random_state=1).fit(X, y)
    sparse = redoubt.attack(model, X[:12], y[:12], 0.3, norm="linf")
    dense = redoubt.attack(model, X[:12].toarray(), y[:12], 0.3, norm="linf")
    np.testing.assert_array_equal(sparse.perturbation.toarray(), dense.perturbation)
    np.testing.assert_array_equal(sparse.success, dense.success)
    ours, theirs = redoubt.explain(model, X[:2], norm="l1"), redoubt.explain(model, X[:2].toarray(), norm="l1")
    assert [each.sentence for each in ours] == [each.sentence for each in theirs]
    scorer = certified_accuracy_at(0.05)
    assert scorer(model, X, y) == scorer(model, X.toarray(), y)
    expected = redoubt.worst_expected_accuracy(model, X[:12], y[:12], [0.1])
    assert expected.mean == redoubt.worst_expected_accuracy(model, X[:12].toarray(), y[:12], [0.1]).mean
    signs = np.where(y == "spam", 1, -1)
    ceilings = [redoubt.accuracy_ceiling(each, signs, [1.0, 2.0]).accuracy for each in (X, X.toarray())]
    np.testing.assert_array_equal(*ceilings)


def test_rules_hold_for_compressed_rows(words):
    X, y = words
    rules = redoubt.AttackModel("l1", bounds=(0, 9), increase_only=list(range(N_FEATURES)))
    model = redoubt.LinearSVMClassifier().fit(X, y)
    sparse = redoubt.certify(model, X[:10], y[:10], attack_model=rules)
    dense = redoubt.certify(model, X[:10].toarray(), y[:10], attack_model=rules)
    np.testing.assert_array_equal(sparse.lower, dense.lower)
    np.testing.assert_array_equal(sparse.witness.toarray(), np.nan_to_num(dense.witness))
    assert sparse.witness.min() >= 0.0


def test_every_format_and_every_order_of_entries(words):
    X, y = words
    model = redoubt.LinearSVMClassifier().fit(X, y)
    planes = model.coef_.copy()
    unsorted = sp.csr_matrix(X, copy=True)
    for start, end in zip(unsorted.indptr, unsorted.indptr[1:]):
        unsorted.indices[start:end] = unsorted.indices[start:end][::-1].copy()
        unsorted.data[start:end] = unsorted.data[start:end][::-1].copy()
    unsorted.has_sorted_indices = False
    before = unsorted.indices.copy()
    twice = sp.coo_matrix(
        (np.tile(X.tocoo().data / 2, 2), (np.tile(X.tocoo().row, 2), np.tile(X.tocoo().col, 2))),
        shape=X.shape,
    ).tocsr(copy=False)
    zeros = X.tolil()
    zeros[7, 3] = 1.0
    zeros = zeros.tocsr()
    zeros.data[zeros.indptr[7] : zeros.indptr[8]] = 0.0
    for form in (unsorted, twice, zeros, X.tocsc(), X.tocoo(), X.tolil(), X.astype(np.float32)):
        np.testing.assert_array_equal(model.fit(form, y).coef_, planes)
        np.testing.assert_array_equal(model.predict(form), model.predict(X))
        np.testing.assert_allclose(
            redoubt.certify(model, form).lower, redoubt.certify(model, X).lower, rtol=1e-14
        )
    np.testing.assert_array_equal(unsorted.indices, before)  # the caller's matrix is left alone


def broken(change):
    X = sp.csr_array(np.array([[1.0, 2.0, 0.0], [0.0, 3.0, 4.0], [5.0, 0.0, 6.0]]))
    change(X)
    return X


def put(name, at, value):
    def change(X):
        getattr(X, name)[at] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("data", 2, np.nan), "NaN|finite"),
        (put("data", 2, np.inf), "infinity|finite"),
        (put("indices", 1, 3), "indices|columns"),
        (put("indices", 1, -1), "indices|columns"),
        (put("indptr", 1, 9), "indptr|index"),
    ],
)
def test_bad_entries_are_named(change, message):
    model = redoubt.LinearSVMClassifier()
    y = [0, 1, 0]
    with pytest.raises(ValueError, match=message):
        model.fit(broken(change), y)
    fitted = model.fit(np.eye(3), y)
    with pytest.raises(ValueError, match=message):
        redoubt.certify(fitted, broken(change))


def test_large_indices_are_refused_not_wrapped_round():
    X = sp.csr_array(np.array([[1.0, 2.0], [0.0, 3.0]]))
    X.indices = X.indices.astype(np.int64)
    X.indptr = X.indptr.astype(np.int64)
    X.indices[1] = 2**32  # 0, if it were cut to 32 bits
    with pytest.raises(ValueError, match="indices|columns"):
        redoubt.LinearSVMClassifier().fit(X, [0, 1])


def test_no_rows_and_wrong_columns(words):
    X, y = words
    model = redoubt.LinearSVMClassifier().fit(X, y)
    with pytest.raises(ValueError, match="230 features"):
        model.predict(X[:, :5])
    with pytest.raises(ValueError, match="230"):
        redoubt.certify(model, X[:, :5])
    with pytest.raises(TypeError, match="witness: expected True, False or None"):
        redoubt.certify(model, X, witness="yes")


def test_a_model_file_takes_compressed_rows(words, tmp_path):
    X, y = words
    model = redoubt.BaggedSVMClassifier(n_planes=3, random_state=1).fit(X, y)
    redoubt.save_model(model, tmp_path / "model.json")
    loaded = redoubt.load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_allclose(
        redoubt.certify(loaded, X[:5]).radius, redoubt.certify(model, X[:5]).radius, rtol=1e-9
    )


def test_votes_of_an_ensemble(words):
    X, _ = words
    rng = np.random.default_rng(0)
    vote = redoubt.Ensemble(rng.normal(size=(5, N_FEATURES)), rng.normal(size=5))
    np.testing.assert_array_equal(vote.votes(X), vote.votes(X.toarray()))
    np.testing.assert_array_equal(vote.votes(X.tocsc()), vote.votes(X.toarray()))
    np.testing.assert_allclose(
        redoubt.certify(vote, X[:9]).radius, redoubt.certify(vote, X[:9].toarray()).radius, rtol=1e-9
    )


def test_a_hundred_thousand_columns_stay_compressed():
    """Dense, the matrix would take 3.2 GB."""
    rng = np.random.default_rng(0)
    rows = np.repeat(np.arange(4000), 20)
    X = sp.csr_array((rng.random(80_000), (rows, rng.integers(100_000, size=80_000))))
    y = np.asarray(X[:, :40_000].sum(axis=1)).ravel() > np.asarray(X[:, 40_000:].sum(axis=1)).ravel()
    model = redoubt.BaggedSVMClassifier(n_planes=3, tol=1e-3, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9
    result = redoubt.certify(model, X[:50], y[:50], norm="l2")
    assert (result.upper - result.lower <= 1e-6 * np.abs(result.upper)).all()
    sparse = redoubt.certify(model, X[:20], y[:20], norm="l1")
    assert sparse.witness.nnz <= 60


MAILS = [
    "win a prize now", "free prize win win", "call now free", "lunch at noon", "see you at lunch",
    "call me at noon", "free lunch prize", "see the report now", "win win win call", "report at noon",
]  # fmt: skip
KINDS = ["spam", "spam", "spam", "ham", "ham", "ham", "spam", "ham", "spam", "ham"]


@pytest.mark.parametrize(
    "vectorizer",
    [
        CountVectorizer(),
        CountVectorizer(binary=True),
        HashingVectorizer(n_features=64, norm=None, alternate_sign=False),
        TfidfVectorizer(norm=None),
    ],
    ids=lambda each: type(each).__name__,
)
def test_texts_are_certified_in_the_counts_of_their_words(vectorizer):
    model = make_pipeline(vectorizer, redoubt.LinearSVMClassifier()).fit(MAILS, KINDS)
    result = redoubt.certify(model, MAILS, KINDS, norm="l1")
    np.testing.assert_array_equal(result.prediction, model.predict(MAILS))
    counts, weigh = model[0].transform(MAILS), 1.0
    if isinstance(vectorizer, TfidfVectorizer):
        weigh = np.ravel(model[0].idf_)
        counts = counts / weigh
    plane = model[1].coef_[0] * weigh
    by_hand = np.abs(counts @ plane + model[1].intercept_) / np.abs(plane).max()
    np.testing.assert_allclose(np.abs(result.radius), by_hand, rtol=1e-9)
    assert redoubt.attack(model, MAILS, KINDS, 0.0).success.sum() == (model.predict(MAILS) != KINDS).sum()
    assert certified_accuracy_at(0.0)(model, MAILS, np.array(KINDS)) == model.score(MAILS, KINDS)


def test_explanations_name_the_words():
    model = make_pipeline(CountVectorizer(), redoubt.LinearSVMClassifier()).fit(MAILS, KINDS)
    sentence = redoubt.explain(model, MAILS[:1], norm="l1", ranges=None)[0].sentence
    assert "prize falls by" in sentence


@pytest.mark.parametrize(
    "vectorizer",
    [
        TfidfVectorizer(),
        CountVectorizer(ngram_range=(1, 2)),
        CountVectorizer(analyzer="char"),
        HashingVectorizer(n_features=64),
        TfidfVectorizer(norm=None, sublinear_tf=True),
    ],
    ids=lambda each: type(each).__name__,
)
def test_texts_that_are_not_linear_in_their_words_are_certified_behind_the_vectorizer(vectorizer):
    model = make_pipeline(vectorizer, redoubt.LinearSVMClassifier()).fit(MAILS, KINDS)
    with pytest.raises(ValueError, match=r"certify model\[1:\] on model\[:1\].transform\(X\)"):
        redoubt.certify(model, MAILS)
    output = model[:1].transform(MAILS)
    result = redoubt.certify(model[1:], output, KINDS)
    np.testing.assert_array_equal(result.prediction, model.predict(MAILS))


def least_robust_loss(X, signs, radius, norm):
    """The optimum of the robust SVM as a linear program on HiGHS: w = p - q, b, hinges, ||w||."""
    m, n = X.shape
    signed = sp.diags_array(signs) @ X
    sizes = np.zeros((m, 1)) if norm == "linf" else np.full((m, 1), radius)
    pull = radius if norm == "linf" else 0.0  # ||w||_1 = sum p + q
    rows = sp.hstack(
        [-signed + sp.csr_array(np.full((m, n), pull)), signed + sp.csr_array(np.full((m, n), pull)),
         sp.csr_array(-signs[:, None]), -sp.eye_array(m), sp.csr_array(sizes)]
    )  # fmt: skip
    below = -np.ones(m)
    if norm == "l1":  # ||w||_inf >= p + q
        caps = sp.hstack([sp.eye_array(n), sp.eye_array(n), sp.csr_array((n, 1 + m)),
                          sp.csr_array(-np.ones((n, 1)))])  # fmt: skip
        rows, below = sp.vstack([rows, caps]), np.append(below, np.zeros(n))
    cost = np.concatenate([np.zeros(2 * n + 1), np.ones(m), [0.0]])
    ends = [(0, None)] * (2 * n) + [(None, None)] + [(0, None)] * (m + 1)
    return linprog(cost, A_ub=rows.tocsr(), b_ub=below, bounds=ends, method="highs").fun


@pytest.mark.parametrize("norm", ["l1", "linf"])
def test_highs_finds_the_same_robust_optimum(norm, words):
    X, _ = words
    signs = np.where(np.arange(120) % 3 == 0, 1.0, -1.0)  # nothing separates these
    rows = sp.csr_array(X[:, :60])
    radius = {"l1": 0.3, "linf": 0.05}[norm]
    ours = _core.train_robust_svm(rows, signs, np.array([radius]), norm=norm)
    assert ours.status == "optimal"
    assert ours.primal_value == pytest.approx(least_robust_loss(rows, signs, radius, norm), rel=1e-7)


def test_liblinear_finds_no_better_plane(words):
    X, y = words
    signs = np.where(y == "spam", 1.0, -1.0)
    ours = _core.train_svm(X, signs, C=0.5)
    theirs = LinearSVC(
        loss="hinge", dual=True, C=0.5, tol=1e-8, max_iter=200_000, intercept_scaling=30.0
    ).fit(X, signs)
    margins = signs * (X @ theirs.coef_[0] + theirs.intercept_)
    loss = 0.5 * theirs.coef_[0] @ theirs.coef_[0] + 0.5 * np.maximum(0.0, 1.0 - margins).sum()
    assert ours.dual_value <= loss <= ours.primal_value * 1.01
