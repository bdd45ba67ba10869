"""Votes with a quota, and operating points: answers, certificates, files and ONNX."""

import io
import itertools

import numpy as np
import pytest
import redoubt_check
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import redoubt
from redoubt import _core


def points(seed=0, m=80, n=3):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(m) % 2, "up", "down")
    X = rng.normal(size=(m, n)) + np.where(y == "up", 0.8, -0.8)[:, None]
    return X, y


def bagged(quota=None, **options):
    X, y = points()
    return redoubt.BaggedSVMClassifier(5, random_state=0, quota=quota, **options).fit(X, y), X, y


@pytest.mark.parametrize("quota", [1, 2, 3, 4, 5])
def test_predict_counts_planes(quota):
    model, X, _ = bagged(quota)
    n_up = model.votes(X)[:, 1]
    np.testing.assert_array_equal(model.predict(X) == "up", n_up >= quota)
    np.testing.assert_array_equal(model.decision_function(X) > 0, n_up >= quota)
    vote = redoubt.Ensemble(model.coef_, model.intercept_, quota=quota)
    np.testing.assert_array_equal(vote.predict(X) > 0, n_up >= quota)


@pytest.mark.parametrize("quota", [1, 3, 5])
def test_certificates_attacks_and_explanations_are_those_of_the_quota(quota):
    model, X, y = bagged(quota)
    found = redoubt.certify(model, X, y)
    np.testing.assert_array_equal(found.prediction, model.predict(X))
    moved = X + found.witness
    assert (model.predict(moved) != found.prediction).all()
    # The same vote with planes that always answer the same in place of the quota.
    missing = 2 * quota - 5
    constant = np.zeros((abs(missing), 3)), np.full(abs(missing), -np.sign(missing))
    same = redoubt.Ensemble(
        np.vstack([model.coef_, constant[0]]), np.append(model.intercept_, constant[1])
    )
    signs = np.where(y == "up", 1, -1)
    np.testing.assert_allclose(found.radius, redoubt.certify(same, X, signs).radius, rtol=1e-9)
    right = model.predict(X) == y
    attacks = redoubt.attack(model, X[right], y[right], found.radius[right] * (1 + 1e-6))
    assert attacks.success.all()
    attacks = redoubt.attack(model, X[right], y[right], found.radius[right] * (1 - 1e-6))
    assert not attacks.success.any()
    curve = redoubt.attack_curve(found, y, [0.0])
    np.testing.assert_allclose(curve.accuracy, [model.score(X, y)])
    (explanation,) = redoubt.explain(model, X[:1])
    assert explanation.answer == model.predict(X[:1])[0]


def test_weights_and_quotas_go_together():
    planes, bias = np.eye(3), np.zeros(3)
    vote = redoubt.Ensemble(planes, bias, weights=[0.1, 0.2, 0.4], quota=0.4)
    X = np.array(list(itertools.product([-1.0, 1.0], repeat=3)))
    np.testing.assert_array_equal(vote.predict(X) > 0, X[:, 2] > 0)
    assert repr(vote) == "Ensemble(n_planes=3, n_features=3, weighted, quota=0.4)"
    assert vote.with_quota(0.3).quota == 0.3
    certificates = redoubt.certify(vote, X)
    np.testing.assert_allclose(certificates.radius, 1.0)


def test_a_quota_survives_files_copies_and_onnx(tmp_path):
    import pickle

    X, y = points()
    pipeline = make_pipeline(StandardScaler(), redoubt.BaggedSVMClassifier(5, random_state=0, quota=4))
    pipeline.fit(X, y)
    redoubt.save_model(pipeline, tmp_path / "model.json")
    loaded = redoubt.load_model(tmp_path / "model.json")
    assert loaded.ensemble.quota == 4
    np.testing.assert_array_equal(loaded.predict(X), pipeline.predict(X))
    assert '"format_version": 6' in (tmp_path / "model.json").read_text()
    for copy in (pickle.loads(pickle.dumps(loaded)), pickle.loads(pickle.dumps(pipeline))):
        np.testing.assert_array_equal(copy.predict(X), pipeline.predict(X))
    np.testing.assert_allclose(
        redoubt.certify(loaded, X).radius,
        redoubt.certify(pipeline, X, units="scaled").radius,
        rtol=1e-9,
    )
    runtime = pytest.importorskip("onnxruntime")
    graph = redoubt.to_onnx(pipeline).SerializeToString()
    labels, votes = runtime.InferenceSession(graph).run(["label", "votes"], {"X": X})
    np.testing.assert_array_equal(labels, pipeline.predict(X))
    np.testing.assert_array_equal(votes >= 3, pipeline.predict(X) == "up")


def test_without_a_quota_the_file_is_as_before(tmp_path):
    model, *_ = bagged()
    redoubt.save_model(model, tmp_path / "model.json")
    text = (tmp_path / "model.json").read_text()
    assert "quota" not in text and '"format_version": 6' not in text


def test_ens_c_is_trained_with_its_quota():
    X, y = points()
    options = {"radius": 0.4, "n_planes": 5, "n_epochs": 3, "random_state": 0}
    plain = redoubt.CollaborativeEnsembleClassifier(**options).fit(X, y)
    strict = redoubt.CollaborativeEnsembleClassifier(**options, quota=5).fit(X, y)
    assert strict.quota_ == 5 and plain.quota_ is None
    assert not np.array_equal(strict.coef_, plain.coef_)


@pytest.mark.parametrize(
    ("quota", "error", "message"),
    [
        (6, ValueError, "quota: expected at most the number of planes, 5, got 6"),
        (0, ValueError, "quota: expected an integer >= 1, got 0"),
        (2.5, TypeError, "quota: expected an integer"),
    ],
)
def test_what_is_no_quota(quota, error, message):
    with pytest.raises(error) as caught:
        bagged(quota)
    assert message in str(caught.value)


def test_a_quota_is_for_two_classes():
    X, _ = points()
    with pytest.raises(ValueError, match="quota: expected None for 3 classes, got 2"):
        redoubt.BaggedSVMClassifier(5, quota=2).fit(X, np.arange(len(X)) % 3)


def test_proofs_know_the_quota(tmp_path):
    for quota in (1, 4, 5):
        model, X, y = bagged(quota)
        result = redoubt.certify(model, X, y, proofs=True)
        result.save_proofs(tmp_path / "proofs.jsonl")
        assert redoubt_check.check_file(tmp_path / "proofs.jsonl", quiet=True) == (len(X), 0)
        wrong = (tmp_path / "proofs.jsonl").read_text(encoding="utf-8")
        if quota != 4:
            wrong = wrong.replace(f'"quota":{quota}', '"quota":4')
            (tmp_path / "wrong.jsonl").write_text(wrong, encoding="utf-8")
            assert redoubt_check.check_file(tmp_path / "wrong.jsonl", out=io.StringIO())[1] > 0


# --- operating points -------------------------------------------------------------------------


@pytest.mark.parametrize("max_fpr", [0.0, 0.05, 0.2])
@pytest.mark.parametrize("kind", ["svm", "logistic", "pipeline", "sparse"])
def test_one_plane_gets_the_bias_of_most_detection(kind, max_fpr):
    X, y = points(1, m=200)
    model = {
        "svm": redoubt.LinearSVMClassifier(),
        "logistic": LogisticRegression(),
        "pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
        "sparse": redoubt.LinearSVMClassifier(),
    }[kind].fit(X[:100], y[:100])
    given = csr_matrix(X[100:]) if kind == "sparse" else X[100:]
    before = model.decision_function(given)
    point = redoubt.operating_point(model, given, y[100:], max_fpr)
    np.testing.assert_array_equal(model.decision_function(given), before)
    negative = y[100:] == "down"
    up = point.model.predict(given) == "up"
    assert point.false_positive_rate == np.mean(up[negative]) <= max_fpr
    assert point.detection_rate == np.mean(up[~negative])
    best = max(
        np.mean(before[~negative] >= t)
        for t in [*before, np.inf]
        if np.mean(before[negative] >= t) <= max_fpr
    )
    assert point.detection_rate == best
    np.testing.assert_allclose(point.model.decision_function(given), before + point.shift)
    found = redoubt.certify(point.model, given)
    np.testing.assert_array_equal(found.prediction, point.model.predict(given))


def test_a_vote_gets_the_least_quota():
    model, X, y = bagged()
    point = redoubt.operating_point(model, X, y, 0.1)
    negative = y == "down"
    n_up = model.votes(X)[:, 1]
    wanted = next(q for q in range(1, 6) if np.mean(n_up[negative] >= q) <= 0.1)
    assert (point.quota, point.model.quota_, point.shift) == (wanted, wanted, 0.0)
    np.testing.assert_array_equal(point.model.predict(X) == "up", n_up >= wanted)
    assert model.quota_ is None


def test_arrays_and_files_have_operating_points(tmp_path):
    model, X, y = bagged()
    signs = np.where(y == "up", 1, -1)
    vote = redoubt.Ensemble(model.coef_, model.intercept_)
    wanted = redoubt.operating_point(model, X, y, 0.1)
    assert redoubt.operating_point(vote, X, signs, 0.1).model.quota == wanted.quota
    redoubt.save_model(model, tmp_path / "model.json")
    loaded = redoubt.operating_point(redoubt.load_model(tmp_path / "model.json"), X, y, 0.1)
    assert loaded.model.ensemble.quota == wanted.quota
    loaded.model.save(tmp_path / "adjusted.json")
    again = redoubt.load_model(tmp_path / "adjusted.json")
    np.testing.assert_array_equal(again.predict(X), wanted.model.predict(X))


def test_what_has_no_operating_point():
    model, X, y = bagged()
    with pytest.raises(redoubt.InvalidInput, match=r"max_fpr: expected a number in \[0, 1\), got 1"):
        redoubt.operating_point(model, X, y, 1.0)
    with pytest.raises(ValueError, match="y: expected labels 'down' and 'up', got 'left'"):
        redoubt.operating_point(model, X, np.where(y == "up", "left", y))
    with pytest.raises(redoubt.InvalidInput, match="y: expected both classes"):
        redoubt.operating_point(model, X[y == "up"], y[y == "up"])
    three = redoubt.LinearSVMClassifier().fit(X, np.arange(len(X)) % 3)
    with pytest.raises(ValueError, match="needs two classes, and this model has 3"):
        redoubt.operating_point(three, X, y)
    same = _core.Ensemble(np.ones((2, 1)), np.zeros(2))
    with pytest.raises(redoubt.InvalidInput, match="a rate that a quota of these planes reaches"):
        redoubt.operating_point(same, [[1.0], [2.0]], [-1, 1], 0.0)
