"""norm="l0": how many features, words say, must change."""

import itertools
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array, csr_matrix
from sklearn.datasets import load_svmlight_file
from sklearn.ensemble import BaggingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import LinearSVC

import redoubt


def words(n, **rules):
    return redoubt.AttackModel("l0", bounds=(0, 1), integer=range(n), **rules)


@pytest.fixture(scope="module")
def spam():
    """Rows of words, and 15 bagged planes behind a scaler."""
    rng = np.random.default_rng(0)
    n, m = 400, 300
    rate = 8 / (8 + np.arange(n))
    X = (rng.random((m, n)) < 0.3 * rate).astype(float)
    y = np.where(X[:, 5:120] @ rng.normal(size=115) > 0, 1, -1)
    model = make_pipeline(
        MaxAbsScaler(), BaggingClassifier(LinearSVC(C=0.1), 15, max_samples=0.7, random_state=0)
    )
    return csr_matrix(X), y, model.fit(csr_matrix(X), y)


def planes_of(model):
    bag = model[-1]
    scale = model[0].scale_
    coef = np.array([each.coef_[0] / scale for each in bag.estimators_])
    return coef, np.array([each.intercept_[0] for each in bag.estimators_])


def least_by_highs(coef, intercept, x, adds_only):
    """Integer program: as few changes as make more than half of the planes answer otherwise."""
    k, n = coef.shape
    margins = coef @ x + intercept
    label = 1 if np.sum(np.where(margins >= 0, 1, -1)) >= 0 else -1
    step = 1 - 2 * x
    upper = np.where((x == 1) & adds_only, 0, 1)
    gains = -label * coef * step
    most = np.abs(gains).sum(axis=1) + np.abs(margins)
    # gains x >= margin + 1e-7 - most (1 - fooled)
    rows = np.hstack([gains, -np.diag(most)])
    planes = LinearConstraint(rows, label * margins + 1e-7 - most, np.inf)
    vote = LinearConstraint(np.r_[np.zeros(n), np.ones(k)][None], k // 2 + 1, np.inf)
    found = milp(
        np.r_[np.ones(n), np.zeros(k)],
        constraints=[planes, vote],
        bounds=Bounds(0, np.r_[upper, np.ones(k)]),
        integrality=1,
    )
    return found.fun if found.status == 0 else np.inf


@pytest.mark.parametrize("adds_only", [True, False])
def test_as_few_words_as_integer_programs_find(spam, adds_only):
    X, _, model = spam
    coef, intercept = planes_of(model)
    rules = words(400, increase_only=range(400) if adds_only else ())
    rows = X[:4]
    found = redoubt.certify(model, rows, attack_model=rules)
    assert (found.status == "optimal").all()
    wanted = [least_by_highs(coef, intercept, x, adds_only) for x in rows.toarray()]
    np.testing.assert_array_equal(found.radius, np.round(wanted))


@pytest.fixture(scope="module")
def messages():
    """Words of real messages, and planes of two kinds trained on other messages."""
    file = Path(__file__).parents[2] / "benchmarks/data/sms.libsvm"
    counts, y = load_svmlight_file(str(file))
    X = (counts > 0).astype(float).tocsr()
    rng = np.random.default_rng(0)
    votes = {}
    for kind, make in {
        "plain": lambda: redoubt.LinearSVMClassifier(tol=1e-4),
        "alike": lambda: redoubt.RobustSVMClassifier(
            radius=0, regularization=1, weight_bounds=(-0.05, 0.05), tol=1e-2
        ),
    }.items():
        planes = [make().fit(X[rows], y[rows]) for rows in rng.integers(0, 4000, (5, 1000))]
        votes[kind] = redoubt.Ensemble(
            np.vstack([each.coef_ for each in planes]),
            np.concatenate([each.intercept_ for each in planes]),
        )
    return X[4000:], y[4000:], votes


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["plain", "alike"])
@pytest.mark.parametrize("adds_only", [True, False])
def test_messages_need_as_few_words_as_integer_programs_find(messages, kind, adds_only):
    X, y, votes = messages
    vote, n = votes[kind], X.shape[1]
    rules = words(n, increase_only=range(n) if adds_only else ())
    rows = X[np.r_[np.flatnonzero(y > 0)[:2], np.flatnonzero(y < 0)[:1]]]
    found = redoubt.certify(vote, rows, attack_model=rules)
    assert (found.status == "optimal").all()
    wanted = [least_by_highs(vote.coef, vote.intercept, x, adds_only) for x in rows.toarray()]
    np.testing.assert_array_equal(found.radius, np.round(wanted))


def test_sparse_rows_stay_sparse_and_agree_with_dense_ones(spam):
    X, _, model = spam
    rules = words(400, increase_only=range(400))
    sparse = redoubt.certify(model, X[:60], attack_model=rules)
    dense = redoubt.certify(model, X[:60].toarray(), attack_model=rules)
    np.testing.assert_array_equal(sparse.lower, dense.lower)
    np.testing.assert_array_equal(sparse.upper, dense.upper)
    assert sparse.witness.shape == (60, 400)
    assert sparse.witness.nnz == sparse.radius.sum()
    np.testing.assert_array_equal(sparse.witness.toarray(), dense.witness)


def test_brackets_in_rationals(spam):
    """The witness changes the answer, and no smaller one of the same features does."""
    X, _, model = spam
    vote = redoubt.Ensemble(*planes_of(model))
    found = redoubt.certify(vote, X[:20].toarray(), attack_model=words(400))
    planes = [
        ([Fraction(w) for w in row], Fraction(b))
        for row, b in zip(vote.coef.tolist(), vote.intercept.tolist(), strict=True)
    ]

    def answer(x):
        votes = 0
        for w, b in planes:
            value = b + sum(w[l] * int(x[l]) for l in np.flatnonzero(x))
            votes += 1 if value >= 0 else -1
        return 1 if votes >= 0 else -1

    for x, move, radius in zip(X[:20].toarray(), found.witness, found.radius, strict=True):
        changed = np.flatnonzero(move)
        assert len(changed) == radius
        assert answer(x + move) != answer(x)
        for left_out in changed:
            less = move.copy()
            less[left_out] = 0
            assert answer(x + less) == answer(x)


@pytest.mark.parametrize("adds_only", [True, False])
def test_lower_ends_in_rationals(adds_only):
    """No smaller set of words at all changes the answer, when every sum is one of rationals."""
    rng = np.random.default_rng(7)
    n, k = 9, 3
    rules = words(n, increase_only=range(n) if adds_only else ())
    for case in range(20):
        # Tenths tie as rationals of doubles in other ways than sums of doubles do.
        coef = rng.integers(-6, 7, (k, n)) / 10 if case % 2 else rng.normal(size=(k, n))
        x = rng.integers(0, 2, n).astype(float)
        touched = (coef * rng.integers(0, 2, (k, n))).sum(axis=1)
        intercept = -touched if case % 2 else rng.normal(size=k)
        found = redoubt.certify(redoubt.Ensemble(coef, intercept), x[None], attack_model=rules)
        exact = [[Fraction(w) for w in row] for row in coef.tolist()]
        biases = [Fraction(b) for b in intercept.tolist()]

        def answer(values, exact=exact, biases=biases):
            """The vote of the planes at the sum of these columns."""
            signs = [1 if v + b >= 0 else -1 for v, b in zip(values, biases, strict=True)]
            return 1 if sum(signs) >= 0 else -1

        start = [sum((row[l] for l in range(n) if x[l]), Fraction(0)) for row in exact]
        label, least = answer(start), np.inf
        free = [l for l in range(n) if not (adds_only and x[l])]
        for size in range(1, len(free) + 1):
            for chosen in itertools.combinations(free, size):
                moved = [
                    value + sum(row[l] * (-1 if x[l] else 1) for l in chosen)
                    for value, row in zip(start, exact, strict=True)
                ]
                if answer(moved) != label:
                    least = size
                    break
            if least < np.inf:
                break
        assert found.lower[0] == found.upper[0] == least


def test_ranges_of_any_value_against_all_supports():
    """A changed feature takes one value for all planes, which may lie inside its range."""
    rng = np.random.default_rng(3)
    for _ in range(30):
        k, n = 3, 3
        coef, intercept = rng.normal(size=(k, n)), rng.normal(size=k)
        vote = redoubt.Ensemble(coef, intercept)
        low, high = -rng.random(n), rng.random(n)
        x = rng.uniform(low, high)
        label = vote.predict(x[None])[0]
        rules = redoubt.AttackModel("l0", bounds=list(zip(low, high, strict=True)))
        found = redoubt.certify(vote, x[None], attack_model=rules)
        least = np.inf
        for planes in itertools.combinations(range(k), 2):
            for size in range(n + 1):
                for support in itertools.combinations(range(n), size):
                    if size >= least:
                        continue
                    free = np.isin(np.arange(n), support)
                    bounds = Bounds(np.where(free, low, x), np.where(free, high, x))
                    rows = -label * coef[list(planes)]
                    below = LinearConstraint(rows, label * intercept[list(planes)] + 1e-9, np.inf)
                    if milp(np.zeros(n), constraints=below, bounds=bounds).status == 0:
                        least = size
        assert found.status[0] == "optimal"
        assert found.lower[0] == found.upper[0] == found.radius[0] == least


def test_a_million_columns_are_alike():
    rng = np.random.default_rng(1)
    n = 50_000
    coef = rng.normal(size=(5, n)) * (rng.random(n) < 0.1)
    vote = redoubt.Ensemble(coef, np.zeros(5))
    rows = csr_matrix((np.ones(40), np.sort(rng.choice(n, 40, False)), [0, 40]), shape=(1, n))
    rules = words(n, increase_only=range(n))
    found = redoubt.certify(vote, rows, attack_model=rules)
    assert found.status[0] == "optimal"
    assert vote.predict((rows + found.witness).toarray()) != vote.predict(rows.toarray())


def test_changes_by_name():
    vote = redoubt.Ensemble([[1.0, -1.0]], [-0.5])
    found = redoubt.certify(vote, [[1.0, 0.0], [0.0, 1.0]], attack_model=words(2))
    assert sum(map(len, found.changes(0))) == 1
    assert str(found.changes(1, ["cash", "dear"])) == "added: cash; removed: dear"
    assert found.radius.tolist() == [1.0, 2.0]
    assert "norm l0, changed features," in repr(found)


def test_what_adds_only_cannot_reach_is_infinite():
    vote = redoubt.Ensemble([[1.0, 2.0], [1.0, 0.0], [0.0, 1.0]], [-0.5, -0.5, -0.5])
    found = redoubt.certify(vote, [[1.0, 1.0]], attack_model=words(2, increase_only=[0, 1]))
    assert found.radius.tolist() == found.lower.tolist() == [np.inf]


def test_attacks_and_curves(spam):
    X, y, model = spam
    rules = words(400, increase_only=range(400))
    found = redoubt.certify(model, X[:60], y[:60], attack_model=rules)
    for budget in (0, 1, 3):
        attacks = redoubt.attack(model, X[:60], y[:60], budget, attack_model=rules)
        np.testing.assert_array_equal(attacks.success, found.radius <= budget)
    curve = redoubt.attack_curve(found, y[:60], [0, 1, 3])
    np.testing.assert_allclose(
        curve.accuracy, [(found.radius > budget).mean() for budget in (0, 1, 3)]
    )


def test_a_budget_above_the_number_of_features_is_all_of_them():
    vote = redoubt.Ensemble([[1.0, 2.0]], [-2.5])
    found = redoubt.attack(vote, [[1.0, 1.0]], [1], 17, attack_model=words(2))
    assert found.success[0]
    assert np.count_nonzero(found.perturbation) == 1


def test_mistakes():
    vote = redoubt.Ensemble([[1.0, 2.0]], [-2.5])
    message = "a range of every feature that may change under l0"
    with pytest.raises(ValueError, match=message):
        redoubt.certify(vote, [[1.0, 1.0]], norm="l0")
    with pytest.raises(ValueError, match=message + ".* none for feature 1$"):
        redoubt.certify(vote, [[1, 1]], attack_model=redoubt.AttackModel("l0", bounds={0: (0, 1)}))
    with pytest.raises(ValueError, match=r"cost\.0: expected a number > 0, found 0"):
        redoubt.AttackModel("l0", bounds=(0, 1), cost={"0": 0})
    with pytest.raises(ValueError, match="no costs of features under a norm other than l0"):
        redoubt.AttackModel("l1", cost=2)
    with pytest.raises(ValueError, match="no scales under l0"):
        redoubt.AttackModel("l0", scale=2.0, bounds=(0, 1))
    with pytest.raises(ValueError, match="integers where the attack model says so, got 0.5"):
        redoubt.certify(vote, [[0.5, 1.0]], attack_model=words(2, increase_only=[0, 1]))
    with pytest.raises(ValueError, match=r"values within the attack model's range \[0, 1\], got 3"):
        redoubt.certify(vote, csr_matrix([[3.0, 0.0]]), attack_model=words(2))
    with pytest.raises(ValueError, match="expected 'native' for l0, got 'mip'"):
        redoubt.certify(vote, [[1.0, 1.0]], attack_model=words(2), solver="mip")
    with pytest.raises(ValueError, match="l0"):
        redoubt.accuracy_ceiling([[0.0], [1.0]], [1, -1], [1.0], norm="l0")


def test_files_keep_costs():
    rules = words(3, cost={0: 2.5, None: 2.0}, increase_only=[1])
    again = redoubt.AttackModel.from_dict(rules.to_dict())
    assert again == rules
    resolved = again.resolve(3)
    assert resolved.cost.tolist() == [2.5, 2.0, 2.0]
    assert resolved.scale.tolist() == [1.0, 1.0, 1.0]
    assert "a change costs: 0 2.5, others 2" in str(rules)


@pytest.mark.parametrize("norm", ["l0", "l1"])
def test_sparse_rows_of_which_only_one_class_attacks(norm):
    rng = np.random.default_rng(0)
    X = (rng.random((40, 12)) < 0.3).astype(float)
    vote = redoubt.Ensemble(rng.normal(size=(5, 12)), rng.normal(size=5))
    y = np.where(rng.random(40) < 0.5, 1, -1)
    rules = redoubt.AttackModel(
        norm, increase_only=range(12), integer=range(12), bounds=(0, 1), attacking_class=1
    )
    dense = redoubt.certify(vote, X, y, attack_model=rules)
    sparse = redoubt.certify(vote, csr_array(X), y, attack_model=rules)
    np.testing.assert_array_equal(sparse.radius, dense.radius)
    np.testing.assert_array_equal(sparse.witness.toarray(), np.nan_to_num(dense.witness))
    assert np.isinf(sparse.radius[y < 0]).all() and np.isfinite(sparse.radius[y > 0]).any()
    without = redoubt.certify(vote, csr_array(X), y, attack_model=rules, witness=False)
    np.testing.assert_array_equal(without.radius, dense.radius)
