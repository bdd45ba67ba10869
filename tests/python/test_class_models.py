"""Models of several classes: tables, one against the rest, what is refused, and sparse rows."""

import numpy as np
import pandas as pd
import pytest
import redoubt
from brute_force import ORDER, cell_distance, polyhedron_distance
from redoubt import AttackModel
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn_models import NORMS, check_both_sides, fit, is_changed_at_witness, three_classes

pytestmark = pytest.mark.slow

JOBS = ["clerk", "cook", "nurse", "smith"]


def make_table(n_classes, n_rows=120):
    rng = np.random.default_rng(n_classes)
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n_rows).astype(float),
            "income": rng.lognormal(3, 1, n_rows),
            "job": rng.choice(JOBS, n_rows),
        }
    )
    score = table["age"] / 15 + 2 * (table["job"] == "cook") + rng.normal(scale=2, size=n_rows)
    cuts = np.quantile(score, np.arange(1, n_classes) / n_classes)
    return table, np.array(list("abcde"))[np.searchsorted(cuts, score)]


def table_pipeline(last):
    numbers = (StandardScaler(), ["age", "income"])
    return make_pipeline(make_column_transformer(numbers, (OneHotEncoder(), ["job"])), last)


def least_move(model, row, wanted, is_leaving, norm, scale):
    """The least size to a class, or away from it: job by job, a convex problem in the numbers."""
    names, best = list(scale), np.inf
    for job in JOBS:
        corners = pd.concat([row] * 3, ignore_index=True).assign(job=job)
        for k, name in enumerate(names):
            corners.loc[k + 1, name] += scale[name]
        scores = model.decision_function(corners)
        slopes = (scores[1:] - scores[0]).T
        rivals = np.delete(np.arange(len(model.classes_)), wanted)
        G, h = slopes[wanted] - slopes[rivals], scores[0, rivals] - scores[0, wanted]
        if is_leaving:
            size = min(polyhedron_distance(-g[None], -np.atleast_1d(b), norm) for g, b in zip(G, h))
        else:
            size = polyhedron_distance(G, h, norm)
        price = float(job != row["job"].iloc[0])
        best = min(best, np.linalg.norm([max(size, 0.0), price], ORDER[norm]))
    return best


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n_classes", [3, 5])
def test_radii_of_tables_are_those_of_all_categories(norm, n_classes):
    table, y = make_table(n_classes)
    model = fit(table_pipeline(LogisticRegression(max_iter=500)), table, y)
    scale = {"age": 10.0, "income": 4.0}
    rules, rows = AttackModel(norm, scale=scale), table[:12]
    result = redoubt.certify(model, rows, y[:12], attack_model=rules)
    answers = model.predict(rows)
    assert set(result.status) == {"optimal"}
    assert 0 < np.count_nonzero(answers == y[:12]) < 12
    for k in range(12):
        label, is_right = model.classes_.tolist().index(y[k]), answers[k] == y[k]
        least = least_move(model, rows[k : k + 1], label, is_right, norm, scale)
        assert result.radius[k] == pytest.approx(least if is_right else -least, rel=1e-6)
    after = model.predict(result.moved)
    np.testing.assert_array_equal(after, result.nearest)
    np.testing.assert_array_equal(after == y[:12], answers != y[:12])
    target = redoubt.certify(model, rows, target="b", attack_model=rules)
    for k in range(12):
        least = least_move(model, rows[k : k + 1], 1, False, norm, scale)
        expected = 0.0 if answers[k] == "b" else least
        assert target.radius[k] == pytest.approx(expected, rel=1e-6)
    np.testing.assert_array_equal(model.predict(target.moved), "b")
    found = redoubt.attack(model, rows, y[:12], 0.5, attack_model=rules)
    np.testing.assert_array_equal(found.success, result.radius <= 0.5)
    np.testing.assert_array_equal(model.predict(found.moved) != y[:12], found.success)


def test_only_the_attacking_class_is_moved_to_its_target():
    table, y = make_table(3)
    model = fit(table_pipeline(LogisticRegression()), table, y)
    rules = AttackModel("l2", scale={"age": 10.0}, attacking_class="a")
    result = redoubt.certify(model, table, y, target="c", attack_model=rules)
    free = redoubt.certify(model, table, target="c", attack_model=AttackModel("l2", scale={"age": 10.0}))
    is_there = model.predict(table) == "c"
    np.testing.assert_allclose(result.radius[y == "a"], free.radius[y == "a"], rtol=1e-9)
    np.testing.assert_array_equal(result.radius[y != "a"] == 0.0, is_there[y != "a"])
    assert np.isinf(result.radius[(y != "a") & ~is_there]).all()


# --- targets ----------------------------------------------------------------------------------


def test_targets_of_two_classes():
    vote = redoubt.Ensemble([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0.0, 0.0, -1.0])
    X = np.array([[3.0, 4.0], [-3.0, -4.0]])
    plain = redoubt.certify(vote, X)
    to_minus = redoubt.certify(vote, X, target=-1)
    assert to_minus.radius.tolist() == [plain.radius[0], 0.0]
    assert to_minus.nearest.tolist() == [-1, -1] and to_minus.target.tolist() == [-1, -1]
    each = redoubt.certify(vote, X, target=[1, 1])
    assert each.radius.tolist() == [0.0, plain.radius[1]]
    with pytest.raises(ValueError, match="those of labels, got those of a target"):
        redoubt.attack_curve(each, [1, -1], [0.0])
    with pytest.raises(ValueError, match=r"target: expected one or 2, got shape \(3,\)"):
        redoubt.certify(vote, X, target=[1, 1, 1])
    with pytest.raises(ValueError, match="proofs: expected certificates of labels"):
        redoubt.certify(vote, X, target=1, proofs=True)


def test_unknown_targets():
    X, y = three_classes()
    model = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match=r"target: unknown labels \['pink'\]; the model's are"):
        redoubt.certify(model, X, target="pink")


# --- readers ----------------------------------------------------------------------------------

MEMBERS = [
    LinearSVC(random_state=0),
    LogisticRegression(),
    Perceptron(random_state=0),
    SVC(kernel="linear"),
    make_pipeline(StandardScaler(), RidgeClassifier()),
    redoubt.RobustSVMClassifier(radius=0.1),
]


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("member", MEMBERS, ids=lambda each: type(each).__name__)
def test_one_against_the_rest(member, norm):
    X, y = three_classes()
    model = fit(OneVsRestClassifier(member), X, y)
    check_both_sides(model, X, y, norm)


def test_one_against_the_rest_of_tables_and_of_two_classes():
    table, y = make_table(3)
    model = fit(OneVsRestClassifier(table_pipeline(LogisticRegression())), table, y)
    result = redoubt.certify(model, table, y, attack_model=AttackModel("l2", scale={"age": 10.0}))
    np.testing.assert_array_equal(result.prediction, model.predict(table))
    np.testing.assert_array_equal(model.predict(result.moved), result.nearest)
    X, two = three_classes()[0], np.arange(45) % 2
    model = fit(OneVsRestClassifier(LinearSVC()), X, two)
    check_both_sides(model, X, two, "l2")


@pytest.mark.parametrize("norm", NORMS)
def test_one_against_one_of_two_classes(norm):
    X, two = three_classes()[0], np.arange(45) % 2
    model = fit(OneVsOneClassifier(LinearSVC(random_state=0)), X, two)
    check_both_sides(model, X, two, norm)


PAIRS = [(0, 1), (0, 2), (1, 2)]


def planes_between(model):
    """One plane per pair of three classes, positive for the second, as scikit-learn has them."""
    if isinstance(model, SVC):
        return -model.coef_, -model.intercept_
    members = model.estimators_
    return np.vstack([each.coef_ for each in members]), np.ravel([each.intercept_ for each in members])


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize(
    "model",
    [
        OneVsOneClassifier(LinearSVC(random_state=0)),
        OneVsOneClassifier(LogisticRegression()),
        SVC(kernel="linear", break_ties=True),
    ],
    ids=["LinearSVC", "LogisticRegression", "SVC"],
)
def test_one_against_one(model, norm):
    """Against every cell: votes of pairs, of which sums of decisions settle the ties."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 2)), rng.integers(0, 3, 90)
    X += 0.8 * np.array([[1, 0], [-1, 1], [-1, -1]])[y]
    model = fit(model, X, y)
    W, b = planes_between(model)
    toward = np.zeros((3, 3))  # class, pair
    for p, (i, j) in enumerate(PAIRS):
        toward[i, p], toward[j, p] = -1, 1
    S, s = toward @ W, toward @ b
    coef = np.vstack([W, [S[j] - S[i] for i, j in PAIRS]])
    intercept = np.append(b, [s[j] - s[i] for i, j in PAIRS])

    def answer(signs):
        votes, best = toward @ signs[:3], 0
        for k in (1, 2):
            p = PAIRS.index((best, k))
            if votes[k] > votes[best] or (votes[k] == votes[best] and signs[3 + p] > 0):
                best = k
        return best

    # Points where all pairs disagree, too.
    grid = rng.uniform(-0.5, 0.5, (4000, 2))
    votes = np.sign(grid @ W.T + b)
    tied = grid[np.ptp(votes @ toward.T, axis=1) == 0][:4]
    assert len(tied)
    points = np.vstack([X[:12], tied])
    labels = np.append(y[:12], np.arange(len(tied)) % 3)
    result = check_answers(model, points, labels, norm)
    for k, x in enumerate(points):
        right = result.prediction[k] == labels[k]
        least = cell_distance(
            coef, intercept, x, norm, lambda signs: (answer(signs) == labels[k]) != right
        )
        assert abs(result.radius[k]) == pytest.approx(least, rel=1e-6)
    told = redoubt.explain(model, points[0], norm=norm)
    assert told.radius == pytest.approx(redoubt.certify(model, points[:1], norm=norm).radius[0])


def check_answers(model, X, y, norm):
    result = redoubt.certify(model, X, y, norm=norm)
    np.testing.assert_array_equal(result.prediction, model.predict(X))
    assert set(result.status) == {"optimal"}
    assert is_changed_at_witness(model, X, y, result).all()
    return result


def test_one_against_one_behind_encoders_and_its_ties():
    table, y = make_table(4)
    model = fit(table_pipeline(OneVsOneClassifier(LogisticRegression())), table, y)
    result = redoubt.certify(model, table, y, attack_model=AttackModel("l2", scale={"age": 10.0}))
    np.testing.assert_array_equal(result.prediction, model.predict(table))
    np.testing.assert_array_equal(model.predict(result.moved), result.nearest)
    # Equal votes and equal sums: the first class.
    flat = fit(OneVsOneClassifier(LogisticRegression()), *three_classes())
    for member in flat.estimators_:
        member.coef_, member.intercept_ = np.zeros((1, 3)), np.zeros(1)
    flat.estimators_[1].intercept_ = np.array([1e-3])  # 0 beats 1, 2 beats 0, 1 beats 2
    flat.estimators_[2].intercept_ = np.array([-1e-3])
    found = redoubt.certify(flat, np.zeros((1, 3)))
    assert found.prediction.tolist() == flat.predict(np.zeros((1, 3))).tolist()
    with pytest.raises(ValueError, match="ties that values settle, for which model files have no"):
        redoubt.save_model(fit(OneVsOneClassifier(LinearSVC()), *three_classes()), "model.json")


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (OneVsOneClassifier(GaussianNB()), "compares scores of GaussianNB, which are not values of a plane"),
        (OneVsRestClassifier(GaussianNB()), "compares scores of GaussianNB, which are not values of a plane"),
        (
            OneVsRestClassifier(redoubt.BaggedSVMClassifier(n_planes=3)),
            "has the member BaggedSVMClassifier, which is not a single plane",
        ),
        (
            VotingClassifier([("a", LinearSVC()), ("b", LogisticRegression())]),
            "votes on 3 classes, where each member is the greatest of several scores",
        ),
        (BaggingClassifier(LinearSVC()), "votes on 3 classes"),
        (CalibratedClassifierCV(LinearSVC(), ensemble=False), "has 3 classes; two are supported"),
    ],
    ids=lambda each: None if isinstance(each, str) else type(each).__name__,
)
def test_what_is_refused_says_why(model, message):
    X, y = three_classes()
    with pytest.raises(ValueError, match=message) as refused:
        redoubt.certify(fit(model, X, y), X)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "model",
    [
        MultinomialNB(),
        BernoulliNB(binarize=None),
        make_pipeline(KBinsDiscretizer(4, encode="onehot-dense"), BernoulliNB()),
    ],
    ids=["multinomial", "bernoulli", "bernoulli of bins"],
)
def test_bayes_of_four_classes(model):
    rng = np.random.default_rng(0)
    X, y = rng.random((80, 3)), np.arange(80) % 4
    X[np.arange(80), y % 3] += 0.4
    model = fit(model, X, y)
    result = redoubt.certify(model, X, y)
    assert set(result.status) == {"optimal"}
    assert (result.radius < 0).any()
    if result.witness is not None:
        assert is_changed_at_witness(model, X, y, result).all()


# --- sparse rows ------------------------------------------------------------------------------


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n_planes", [1, 3])
def test_sparse_rows_of_several_classes(norm, n_planes):
    rng = np.random.default_rng(1)
    X = sparse.random_array((60, 30), density=0.2, random_state=rng, format="csr")
    y = np.arange(60) % 4
    model = redoubt.BaggedSVMClassifier(n_planes=n_planes, random_state=0).fit(X, y)
    dense = redoubt.certify(model, X.toarray(), y, norm=norm)
    found = redoubt.certify(model, X, y, norm=norm, witness=True)
    for name in ("radius", "lower", "upper", "status", "prediction", "nearest"):
        np.testing.assert_array_equal(getattr(found, name), getattr(dense, name))
    known = np.isfinite(dense.witness).all(axis=1)
    np.testing.assert_array_equal(found.witness.toarray()[known], dense.witness[known])
    target = redoubt.certify(model, X, target=2, norm=norm, witness=False)
    np.testing.assert_array_equal(
        target.radius, redoubt.certify(model, X.toarray(), target=2, norm=norm).radius
    )
    rules = AttackModel(norm, frozen=[0, 1])
    for options in ({"y": y}, {"target": y}):
        ends = [redoubt.certify(model, rows, attack_model=rules, **options) for rows in (X, X.toarray())]
        np.testing.assert_array_equal(ends[0].radius, ends[1].radius)
