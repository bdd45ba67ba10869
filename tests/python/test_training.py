"""The trainings of ensembles as the extension offers them."""

import numpy as np
import pytest

import redoubt
from redoubt import _core


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(120, 4))
    return X, np.where(X[:, 0] + 0.5 * rng.normal(size=120) > 0, 1.0, -1.0)


RADIUS = np.array([0.3])


def trainings():
    def robust(adversary):
        return lambda X, y, **more: _core.train_robust_ensemble(
            X, y, RADIUS, adversary=adversary, n_planes=5, **more
        )

    return {
        "Ens-E": robust("exact"),
        "Ens-R": robust("relaxed"),
        "Ens-H": robust("heuristic"),
        "SVM-Ens": lambda X, y, **more: _core.train_bagged_svms(X, y, n_planes=5, **more),
        "Ens-C": lambda X, y, **more: _core.train_collaborative(
            X, y, RADIUS, n_planes=5, n_epochs=4, **more
        ),
    }


@pytest.mark.parametrize("name", trainings())
def test_training_gives_a_vote_that_does_not_depend_on_threads(points, name):
    X, y = points
    train = trainings()[name]
    result = train(X, y)
    assert result.status in ("optimal", "finished") and not result.is_partial
    assert result.ensemble.n_planes == 5
    assert np.mean(result.ensemble.predict(X) == y) > 0.7
    again = train(X, y, n_threads=2)
    assert np.array_equal(again.ensemble.coef, result.ensemble.coef)
    assert np.array_equal(again.ensemble.intercept, result.ensemble.intercept)


@pytest.mark.parametrize("name", trainings())
def test_a_weight_of_zero_removes_a_point(points, name):
    X, y = points
    train = trainings()[name]
    weights = np.ones(len(y))
    weights[:20] = 0.0
    moved = X.copy()
    moved[:20] += 100.0
    with_weights = [train(points, y, weights=weights).ensemble for points in (X, moved)]
    assert np.array_equal(with_weights[0].coef, with_weights[1].coef)


def test_the_history_tells_of_rounds_and_epochs(points):
    X, y = points
    robust = _core.train_robust_ensemble(X, y, RADIUS, n_planes=4, records_accuracy=True).history
    assert {len(column) for column in robust.values()} == {4}
    assert np.all((0 <= robust["accuracy"]) & (robust["accuracy"] <= 1))
    together = _core.train_collaborative(X, y, RADIUS, n_epochs=3, validation_share=0.25).history
    assert len(together["objective"]) == 3
    assert np.isfinite(together["validation_objective"]).all()


def test_no_time_gives_a_partial_result(points):
    X, y = points
    none = _core.train_robust_ensemble(X, y, RADIUS, max_seconds=0.0)
    assert none.ensemble is None and none.is_partial and none.status == "time limit"
    start = _core.train_collaborative(X, y, RADIUS, max_seconds=0.0)
    assert start.is_partial and start.ensemble.n_planes == 15


def test_given_starts_are_used(points):
    X, y = points
    plane = redoubt.Ensemble([[1.0, 0.0, 0.0, 0.0]], [0.1])
    result = _core.train_robust_ensemble(X, y, RADIUS, n_planes=2, first_plane=plane)
    assert np.array_equal(result.ensemble.coef[0], plane.coef[0])
    vote = redoubt.Ensemble(np.eye(4)[:3], [0.0, 0.0, 0.0])
    kept = _core.train_collaborative(X, y, RADIUS, start=vote, n_epochs=0)
    assert np.array_equal(kept.ensemble.coef, vote.coef)
    bags = np.ones((2, len(y)))
    twice = _core.train_bagged_svms(X, y, n_planes=2, bags=bags).ensemble
    assert np.array_equal(twice.coef[0], twice.coef[1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y: _core.train_robust_ensemble(X, y, -RADIUS), "radii: expected"),
        (lambda X, y: _core.train_robust_ensemble(X, y, RADIUS, n_planes=0), "n_planes: expected"),
        (lambda X, y: _core.train_robust_ensemble(X, y, RADIUS, norm="l3"), "norm: expected"),
        (lambda X, y: _core.train_robust_ensemble(X, y, RADIUS, adversary="a"), "adversary"),
        (lambda X, y: _core.train_robust_ensemble(X, 0 * y, RADIUS), "y: expected labels"),
        (lambda X, y: _core.train_bagged_svms(X, y, C=0.0), "C: expected"),
        (lambda X, y: _core.train_bagged_svms(X, y, bags=np.ones((1, 3))), "bags: expected"),
        (lambda X, y: _core.train_collaborative(X, y, 0 * RADIUS), "radii: expected numbers > 0"),
        (lambda X, y: _core.train_collaborative(X * np.nan, y, RADIUS), "X: expected finite"),
    ],
)
def test_bad_input_is_named(points, call, message):
    with pytest.raises(redoubt.InvalidInput, match=message):
        call(*points)
