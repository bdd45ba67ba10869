"""The parts of trainings by passes, each against its definition."""

import numpy as np
import pytest

from redoubt._scale.rows.bags import bag_counts
from redoubt._scale.rows.blocks import Block
from redoubt._scale.bands.cone import minimise_in_cone, project
from redoubt._scale.bands.estimate import anchors
from redoubt._scale.bands.problem import Problem
from redoubt._scale.rows.kept import Rows
from redoubt._scale.training.survey import SurveyTask

DUAL_ORDER = {"l1": np.inf, "l2": 2, "linf": 1}


@pytest.mark.parametrize("norm", DUAL_ORDER)
def test_projections_onto_the_cone(norm):
    rng = np.random.default_rng(0)

    def in_cone(count):
        points = rng.normal(size=(count, 6))
        points[:, -1] = np.linalg.norm(points[:, :-1], DUAL_ORDER[norm], axis=1) + rng.random(count)
        return points

    others = in_cone(200)
    for point in rng.normal(size=(200, 6)) * [1, 1, 1, 1, 1, 3]:
        nearest = project(point, norm)
        assert np.linalg.norm(nearest[:-1], DUAL_ORDER[norm]) <= nearest[-1] + 1e-12
        rest = point - nearest
        assert abs(rest @ nearest) < 1e-10
        assert np.all(others @ rest < 1e-10)


@pytest.mark.parametrize("norm", DUAL_ORDER)
@pytest.mark.parametrize("scale", [None, np.array([1.0, 0.5, 2.0, 0.0])])
def test_small_programs_in_the_cone(norm, scale):
    rng = np.random.default_rng(1)
    problem = Problem(0.0, norm, scale)
    for _ in range(10):
        root = rng.normal(size=(9, 6)) * [1, 10, 1, 0.1, 1, 1]
        hessian, linear = root.T @ root, rng.normal(size=6)
        best = minimise_in_cone(problem, hessian, linear, np.zeros(6))
        assert problem.size(best[:4]) <= best[-1] + 1e-7

        def value(x):
            return 0.5 * x @ hessian @ x + linear @ x

        for move in rng.normal(size=(300, 6)) * rng.choice([1e-4, 1e-2, 1], size=(300, 1)):
            other = best + move
            other[-1] = max(other[-1], problem.size(other[:4]))
            assert value(other) >= value(best) - 1e-7


def test_two_rows_say_a_linear_term():
    rng = np.random.default_rng(2)
    problem = Problem(0.0, "l2")
    plane = rng.normal(size=3), 0.4
    weight = {1.0: 3.0, -1.0: -1.5}
    moment = {sign: rng.normal(size=3) for sign in weight}
    rows = anchors(problem, plane, weight, moment, 0.7, 20.0)

    def wanted(w, b):
        linear = sum(weight[s] * (1 - s * b) - s * moment[s] @ w for s in weight)
        return linear + 0.7 * problem.size(w)

    def said(w, b):
        hinges = problem.hinges(rows, (w, b))
        assert np.all(hinges > 0.3)
        return rows.weights @ hinges

    constant = said(*plane) - wanted(*plane)
    for _ in range(20):
        w, b = plane[0] + 0.05 * rng.normal(size=3), plane[1] + 0.05 * rng.normal()
        assert said(w, b) - wanted(w, b) == pytest.approx(constant, rel=1e-12)


def test_bags_are_poisson():
    counts = bag_counts(5, np.arange(200_000))
    assert counts.mean() == pytest.approx(1, abs=0.01)
    assert counts.var() == pytest.approx(1, abs=0.02)
    assert np.array_equal(counts[100:200], bag_counts(5, np.arange(100, 200)))


def test_equal_rows_are_merged():
    rng = np.random.default_rng(4)
    X = rng.integers(0, 2, (300, 3)).astype(float)
    y, weights = rng.choice([-1.0, 1.0], 300), rng.choice([1.0, 2.0], 300)
    rows = Rows(X, y, weights, np.zeros(300), np.arange(300), np.ones(300))
    whole = rows.merged()
    table = np.column_stack([X, y, weights])
    different, first, counts = np.unique(table, axis=0, return_index=True, return_counts=True)
    assert np.array_equal(np.sort(whole.number), np.sort(first))
    assert dict(zip(whole.number, whole.copies)) == dict(zip(first, counts))
    assert whole.as_weights().weights.sum() == weights.sum()
    # In parts, in any order.
    parts = [rows[200:].merged(), rows[:50].merged(), rows[50:200]]
    other = Rows.joined(parts).merged().in_order()
    assert np.array_equal(other.copies, whole.in_order().copies)
    assert np.array_equal(other.X, whole.in_order().X)
    # Nothing to merge.
    assert different[:, 0].size == len(whole) and whole.merged() is whole


def test_a_sample_says_how_many_rows_differ():
    rng = np.random.default_rng(5)
    points = rng.normal(size=(500, 2))
    X = points[rng.integers(0, 500, 1000)]

    def foretold(X, chance):
        ones = np.ones(len(X))
        rows = Rows(X, ones, ones, 0 * ones, np.arange(len(X)), np.full(len(X), chance))
        return rows.represented().sum()

    assert foretold(X, 0.01) == pytest.approx(500, rel=0.1)
    assert foretold(rng.normal(size=(1000, 2)), 0.01) == pytest.approx(100_000)


def test_a_survey_does_not_depend_on_parts():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(5000, 2)), rng.integers(0, 3, 5000)
    task = SurveyTask(600 * 8 * 6 * 7, 1)

    def survey(cuts):
        found = None
        for a, b in zip(cuts, cuts[1:]):
            found = task.merged(found, task(Block(X[a:b], y[a:b], first_row=a)))
        return found

    one, many = survey([0, 5000]), survey([0, 3, 700, 701, 2500, 5000])
    for label, sample in one.samples.items():
        other = many.samples[label]
        assert (sample.count, sample.share) == (other.count, other.share)
        assert isinstance(sample.rows, Rows) and len(sample.rows) <= 200
        assert np.array_equal(sample.rows.in_order().X, other.rows.in_order().X)
        assert sample.share < 1
    assert np.array_equal(one.greatest, many.greatest)
