"""The numbers behind the pictures of the report."""

import matplotlib as mpl

mpl.use("Agg")

import numpy as np
import pytest
from redoubt.report._concepts import heuristic_example, one_against_three, reach_of_one_plane
from redoubt.report._heatmaps import differences
from redoubt.report._k_development import _lines as growth_lines
from redoubt.report._results import read_results
from redoubt.report._trade_off import best_curves
from report_run import write_csv, write_run


def test_differences_to_the_baseline(tmp_path):
    tables = write_run(tmp_path, [("bcw", "l2")])
    rows = [row for row in read_results(tmp_path).accuracy if row.dataset == "bcw"]
    maps = differences(rows)
    assert set(maps) == {
        (mode, method)
        for mode in ("published", "as_published", "corrected")
        for method in ("RO-SVM", "Ens-E", "Ens-H", "Ens-C")
        if (mode, method) != ("published", "Ens-C")
    }
    defence, attack, points = maps["published", "Ens-H"]
    value = {
        (row["method"], row["defense_radius"], row["attack_radius"]): row["accuracy"]
        for row in tables["accuracy"]
        if row["dataset"] == "bcw" and row["mode"] == "published"
    }
    for i, d in enumerate(defence):
        for j, a in enumerate(attack):
            assert points[i, j] == value["Ens-H", d, a] - value["SVM-Ens", 0.0, a]


def test_best_radius_on_average(tmp_path):
    write_run(tmp_path, [("bcw", "l2")])
    results = read_results(tmp_path)
    for mode in ("published", "corrected"):
        rows = [r for r in results.accuracy if r.mode == mode and r.dataset == "bcw"]
        best = best_curves(rows, "accuracy")
        for row in results.stability:
            if (row.mode, row.dataset, row.measure) == (mode, "bcw", "accuracy"):
                radius, attack, values = best[row.method]
                assert np.mean(values) == pytest.approx(row.greatest)
                assert len(attack) == 12
                assert radius == row.best_radius


def test_growth_at_other_radii_is_named(tmp_path):
    tables = write_run(tmp_path, [("bcw", "l2")])
    rows = read_results(tmp_path).k_development
    assert [line[1] for line in growth_lines(rows, "corrected", "accuracy")] == [
        "SVM-Ens",
        "RO-SVM",
        "Ens-E",
        "Ens-H",
    ]
    radii = {"SVM-Ens": 0, "Ens-H": 0.75}
    with_radius = [
        row | {"defense_radius": radii.get(row["method"], 0.1)} for row in tables["k_development"]
    ]
    write_csv(tmp_path, "k_development", with_radius)
    rows = read_results(tmp_path).k_development
    lines = growth_lines(rows, "corrected", "accuracy")
    assert [line[1] for line in lines] == ["SVM-Ens", "RO-SVM", "Ens-E", "Ens-H, r = 0.75"]
    assert lines[0][2] == tuple(range(5, 80, 5))


def test_one_plane_against_three():
    case = one_against_three()
    assert case.single_limit == pytest.approx(0.75)
    assert case.single_radii == pytest.approx([0.75] * 3)
    assert case.single_most == 2
    assert case.limit == pytest.approx(1.25)
    assert np.all(case.vote_radii > case.radius)
    # No grid of planes finds one that does better than the linear program says.
    angles = np.linspace(0, 2 * np.pi, 721)
    normals = np.column_stack([np.cos(angles), np.sin(angles)])
    normals /= np.abs(normals).sum(axis=1, keepdims=True)
    values = case.points @ normals.T
    gaps = values[case.labels > 0].min(axis=0) - values[case.labels < 0].max(axis=0)
    assert gaps.max() / 2 <= case.single_limit + 1e-12
    # Corners of the boxes are answered rightly by the vote, and not all of them by the plane.
    corners = np.array([[a, b] for a in (-1, 1) for b in (-1, 1)]) * case.radius
    moved = (case.points[:, None] + corners).reshape(-1, 2)
    labels = np.repeat(case.labels, 4)
    assert np.array_equal(case.vote.predict(moved), labels)
    assert not np.array_equal(case.single.predict(moved), labels)


def test_reach_of_one_plane():
    points = np.array([[0.0, 0.0], [4.0, 1.0]])
    assert reach_of_one_plane(points, np.array([-1, 1])) == pytest.approx(2.0)
    assert reach_of_one_plane(points, np.array([1, 1])) == np.inf
    line = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    assert reach_of_one_plane(line, np.array([1, -1, 1])) == pytest.approx(0.0, abs=1e-9)


def test_the_heuristic_adversarys_example():
    case = heuristic_example()
    assert case.weights == pytest.approx([11 / 30, 19 / 30])
    wanted = np.array([4 / 15, 1.0])
    assert case.step == pytest.approx(wanted / np.linalg.norm(wanted))
    assert case.weights @ case.coef == pytest.approx(wanted)
    assert case.fooled == [0, 1]
