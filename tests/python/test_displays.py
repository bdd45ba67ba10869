"""Displays: the numbers behind the artists."""

import subprocess
import sys

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import redoubt
from redoubt import (
    LinearSVMClassifier,
    RobustEnsembleClassifier,
    RobustSVMClassifier,
)
from redoubt.displays import (
    AttackCurveDisplay,
    BoundaryDisplay,
    DefenceHeatmapDisplay,
    GrowthDisplay,
    RadiusHistogramDisplay,
)
from redoubt.metrics import certified_accuracies
from redoubt.model_selection import RadiusSearchCV

RADII = np.array([0.0, 0.4, 0.8, 1.6])


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def texts(legend):
    return [text.get_text() for text in legend.get_texts()]


# --- all of them --------------------------------------------------------------------------------


def test_nothing_needs_matplotlib_until_it_draws():
    code = """
import sys
sys.modules["matplotlib"] = None
import redoubt.displays, redoubt.metrics, redoubt.model_selection
display = redoubt.displays.RadiusHistogramDisplay([1.0, -1.0])
try:
    display.plot()
except ImportError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == (
        "RadiusHistogramDisplay.plot needs matplotlib: pip install matplotlib\n"
    )


def test_missing_matplotlib_is_told_before_the_work(monkeypatch, noisy):
    X, y = noisy
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for kind in (AttackCurveDisplay, RadiusHistogramDisplay, GrowthDisplay, BoundaryDisplay):
        with pytest.raises(ImportError, match=rf"{kind.__name__}.from_estimator needs matplotlib"):
            kind.from_estimator(object(), X, y)


def test_the_axes_that_are_given_are_used(noisy):
    X, y = noisy
    model = LinearSVMClassifier().fit(X, y)
    for kind in (AttackCurveDisplay, RadiusHistogramDisplay, GrowthDisplay):
        _, ax = plt.subplots()
        display = kind.from_estimator(model, X, y, ax=ax)
        assert display.ax_ is ax
        assert display.figure_ is ax.figure
        assert kind.from_estimator(model, X, y).ax_ is not ax


def test_a_legend_beside_the_axes_covers_nothing(noisy):
    X, y = noisy
    model = LinearSVMClassifier().fit(X, y)
    for display in (
        AttackCurveDisplay.from_estimator(model, X, y),
        RadiusHistogramDisplay.from_estimator(model, X, y),
        GrowthDisplay.from_estimator(model, X, y, attack_radii=[0.0, 0.5]),
        BoundaryDisplay.from_estimator(LinearSVMClassifier().fit(X[:, :2], y), X[:, :2], y),
    ):
        display.figure_.draw_without_rendering()
        legend, axes = display.legend_.get_window_extent(), display.ax_.get_window_extent()
        assert legend.x0 >= axes.x1
        assert legend.x1 <= display.figure_.bbox.x1 + 3  # pixels: the layout rounds


# --- attack curves ------------------------------------------------------------------------------


@pytest.mark.parametrize("balanced", [False, True])
def test_attack_curves_are_those_of_the_function(noisy, balanced):
    X, y = noisy
    X, y = X[20:], np.where(np.arange(20, 120) % 6 == 1, 1.0, y[20:])
    models = {"plain": LinearSVMClassifier(), "robust": RobustSVMClassifier(radius=0.3)}
    models = {name: model.fit(X, y) for name, model in models.items()}
    display = AttackCurveDisplay.from_estimator(
        models, X, y, attack_radii=RADII, norm="linf", balanced=balanced, ceiling=True
    )
    which = "balanced_accuracy" if balanced else "accuracy"
    for name, model in models.items():
        wanted = redoubt.attack_curve(redoubt.certify(model, X, y, norm="linf"), y, RADII)
        np.testing.assert_array_equal(display.lines_[name].get_xdata(), RADII)
        np.testing.assert_array_equal(display.lines_[name].get_ydata(), getattr(wanted, which))
    ceiling = redoubt.accuracy_ceiling(X, y, RADII, norm="linf")
    np.testing.assert_array_equal(display.ceiling_line_.get_ydata(), getattr(ceiling, which))
    constant = 0.5 if balanced else np.mean(y > 0)
    np.testing.assert_allclose(display.constant_line_.get_ydata(), constant)
    assert display.line_ is display.lines_["plain"]
    assert texts(display.legend_)[:2] == ["plain", "robust"]
    assert display.ax_.get_xlabel() == r"Attack radius ($\ell_\infty$, units of X)"
    assert ("Balanced" in display.ax_.get_ylabel()) == balanced


def test_attack_curve_of_three_classes_with_default_radii():
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=500).fit(X, y)
    display = AttackCurveDisplay.from_estimator(model, X, y)
    wanted = redoubt.attack_curve(redoubt.certify(model, X, y), y, display.radii)
    np.testing.assert_array_equal(display.line_.get_ydata(), wanted.accuracy)
    assert display.radii[0] == 0
    assert 0 < wanted.accuracy[-1] < 0.05
    with pytest.raises(ValueError, match="ceiling: expected two classes, got 3"):
        AttackCurveDisplay.from_estimator(model, X, y, ceiling=True)


def test_attack_curve_bands(noisy):
    X, y = noisy
    results = cross_validate(
        LinearSVMClassifier(),
        X,
        y,
        cv=KFold(4, shuffle=True, random_state=0),
        return_estimator=True,
        return_indices=True,
    )
    rows = np.array(
        [
            redoubt.attack_curve(redoubt.certify(model, X[test], y[test]), y[test], RADII).accuracy
            for model, test in zip(results["estimator"], results["indices"]["test"], strict=True)
        ]
    )
    assert np.all(rows.std(axis=0) > 0)
    mean, error = rows.mean(axis=0), stats.sem(rows)
    half = {"ci": stats.t.interval(0.95, 3, mean, error)[1] - mean, "std": rows.std(axis=0, ddof=1)}
    edges = {
        band: (np.maximum(mean - width, 0), np.minimum(mean + width, 1))
        for band, width in half.items()
    } | {"range": (rows.min(axis=0), rows.max(axis=0))}
    for band, (low, high) in edges.items():
        display = AttackCurveDisplay.from_cv_results(
            {"svm": results}, X, y, attack_radii=RADII, band=band
        )
        np.testing.assert_allclose(display.lines_["svm"].get_ydata(), mean)
        corners = display.bands_["svm"].get_paths()[0].vertices
        for i, radius in enumerate(RADII):
            at = corners[corners[:, 0] == radius, 1]
            np.testing.assert_allclose([at.min(), at.max()], [low[i], high[i]])
    one = AttackCurveDisplay.from_cv_results(results, X, y, attack_radii=RADII, band=None)
    assert list(one.lines_) == ["LinearSVMClassifier"]
    assert one.bands_ == {}


def test_attack_curve_of_certificates_without_labels(noisy):
    X, y = noisy
    model = LinearSVMClassifier().fit(X, y)
    certificates = redoubt.certify(model, X)
    with pytest.raises(ValueError, match="y: needed"):
        AttackCurveDisplay.from_certificates(certificates)
    display = AttackCurveDisplay.from_certificates(
        certificates, y, attack_radii=RADII, name="mine", constant=False
    )
    wanted = redoubt.attack_curve(certificates, y, RADII)
    np.testing.assert_array_equal(display.lines_["mine"].get_ydata(), wanted.accuracy)
    assert display.constant_line_ is None


def test_attack_curve_names_and_style(noisy):
    X, y = noisy
    models = [RobustSVMClassifier(radius=r).fit(X, y) for r in (0.1, 0.2, 0.3)]
    display = AttackCurveDisplay.from_estimator(models, X, y, lw=3)
    kind = "RobustSVMClassifier"
    assert list(display.lines_) == [kind, f"{kind} (2)", f"{kind} (3)"]
    lines = list(display.lines_.values())
    assert {line.get_linewidth() for line in lines} == {3}
    assert len({line.get_color() for line in lines}) == 3
    assert len({line.get_linestyle() for line in lines}) == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"band": "wide"}, "band: expected 'ci', 'std', 'range' or None, got 'wide'"),
        ({"units": "scaled", "ceiling": True}, "ceiling: expected units='raw'"),
        ({"attack_radii": [-1.0]}, "radii: expected finite numbers >= 0, got -1"),
    ],
)
def test_bad_attack_curves(noisy, change, message):
    X, y = noisy
    model = make_pipeline(StandardScaler(), LinearSVMClassifier()).fit(X, y)
    with pytest.raises(ValueError, match=message):
        AttackCurveDisplay.from_estimator(model, X, y, **change)


def test_certificates_in_several_norms_have_no_common_axis(noisy):
    X, y = noisy
    model = LinearSVMClassifier().fit(X, y)
    mixed = {norm: redoubt.certify(model, X, y, norm=norm) for norm in ("l1", "l2")}
    with pytest.raises(ValueError, match="expected one norm for all, got l1, l2"):
        AttackCurveDisplay.from_certificates(mixed)
    with pytest.raises(TypeError, match=r"expected redoubt.Certificates, got ndarray"):
        AttackCurveDisplay.from_certificates({"a": np.ones(3)})
    with pytest.raises(ValueError, match="return_estimator=True"):
        AttackCurveDisplay.from_cv_results({"a": {"test_score": [1.0]}}, X, y)


# --- histograms ---------------------------------------------------------------------------------


def heights(bars):
    return np.array([bar.get_height() for bar in bars])


def test_histogram_counts(noisy):
    X, y = noisy
    model = LinearSVMClassifier().fit(X, y)
    certificates = redoubt.certify(model, X, y, norm="l1")
    display = RadiusHistogramDisplay.from_estimator(model, X, y, norm="l1", bins=12)
    is_right = model.predict(X) == y
    edges = np.array([bar.get_x() for bar in display.bars_right_])
    assert np.any(np.abs(edges) < 1e-12)  # no bin has right and wrong answers
    np.testing.assert_allclose(np.diff(edges), edges[1] - edges[0])
    edges = np.append(edges, np.inf)
    for bars, chosen in ((display.bars_right_, is_right), (display.bars_wrong_, ~is_right)):
        wanted, _ = np.histogram(certificates.radius[chosen], edges)
        np.testing.assert_array_equal(heights(bars), wanted)
        assert heights(bars).sum() == chosen.sum()
    assert np.all(heights(display.bars_right_)[edges[:-1] < -1e-12] == 0)
    assert texts(display.legend_) == [
        f"right answer: {is_right.sum()}",
        f"wrong answer: {(~is_right).sum()}",
    ]
    assert display.bars_wrong_[0].get_hatch() is not None


def test_histogram_median(noisy):
    X, y = noisy
    X, y = X[:-1], y[:-1]  # an odd number: one definition of the median
    model = LinearSVMClassifier().fit(X, y)
    display = RadiusHistogramDisplay.from_estimator(model, X, y)
    median = np.median(redoubt.certify(model, X, y).radius)
    assert display.median == median
    np.testing.assert_array_equal(display.line_.get_xdata(), median)
    assert display.text_.get_text() == f"median {median:.3g}"


def test_histogram_of_radii_without_end():
    vote = redoubt.Ensemble([[0.0]], [1.0])  # always +1
    certificates = redoubt.certify(vote, [[1.0], [2.0], [3.0]], [1, 1, -1])
    display = RadiusHistogramDisplay.from_certificates(certificates)
    assert display.line_ is None
    assert texts(display.legend_) == [
        "right answer: 2\n(2 without end, not drawn)",
        "wrong answer: 1\n(1 without end, not drawn)",
    ]


def test_histogram_without_labels_or_points(noisy):
    X, y = noisy
    model = LinearSVMClassifier().fit(X, y)
    display = RadiusHistogramDisplay.from_certificates(redoubt.certify(model, X))
    assert heights(display.bars_right_).sum() == len(X)
    assert display.bars_wrong_ is None
    with pytest.raises(ValueError, match="radius: expected at least one point"):
        RadiusHistogramDisplay([])


@pytest.mark.parametrize("bins", [1, 3, "auto", "sqrt", [-4.0, 0.0, 1.0, 4.0]])
def test_no_point_is_lost_between_the_bins(bins):
    radius = np.array([-0.3, 0.1, 0.7, 2.1, 3.3])
    display = RadiusHistogramDisplay(radius).plot(bins=bins)
    assert heights(display.bars_right_).sum() == 4
    assert heights(display.bars_wrong_).sum() == 1


# --- defence heat map ---------------------------------------------------------------------------


def test_heat_map_cells(noisy):
    X, y = noisy
    splits = list(KFold(2, shuffle=True, random_state=0).split(X))
    defence = [0.05, 0.4]
    model = make_pipeline(StandardScaler(), RobustSVMClassifier())
    display = DefenceHeatmapDisplay.from_estimator(
        model,
        X,
        y,
        baseline=LinearSVMClassifier(),
        defence_radii=defence,
        attack_radii=RADII,
        cv=splits,
    )

    def accuracy(model):
        rows = []
        for train, test in splits:
            model.fit(X[train], y[train])
            found = redoubt.certify(model, X[test], y[test])
            rows.append(redoubt.attack_curve(found, y[test], RADII).accuracy)
        return np.mean(rows, axis=0)

    wanted = [
        accuracy(model.set_params(robustsvmclassifier__radius=radius))
        - accuracy(LinearSVMClassifier())
        for radius in defence
    ]
    np.testing.assert_allclose(display.difference, wanted, atol=1e-15)
    np.testing.assert_array_equal(display.im_.get_array(), 100 * display.difference)
    low, high = display.im_.get_clim()
    assert high == -low == np.abs(100 * display.difference).max() > 0
    ticks = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert ticks == ["0.05", "0.4"]
    assert [label.get_text() for label in display.ax_.get_xticklabels()] == [
        "0",
        "0.4",
        "0.8",
        "1.6",
    ]
    assert "minus LinearSVMClassifier" in display.colorbar_.ax.get_ylabel()
    assert display.im_.origin == "lower"


def test_heat_map_numbers():
    difference = [[0.0, 0.1234, -0.056], [0.0004, -0.0004, np.nan]]
    display = DefenceHeatmapDisplay(difference, [1, 2], [0, 1, 2]).plot()
    written = [[text.get_text() for text in row] for row in display.text_]
    assert written == [["0", "+12.3", "\N{MINUS SIGN}5.6"], ["0", "0", ""]]
    middle = display.im_.cmap(display.im_.norm(0.0))
    assert min(middle) > 0.95  # no difference is white
    assert display.text_[0, 1].get_position() == (1, 0)
    assert display.text_[0, 1].get_color() == "white"  # on the darkest cell
    assert display.text_[0, 0].get_color() == "black"
    plain = DefenceHeatmapDisplay(difference, [1, 2], [0, 1, 2]).plot(annotate=False, vmax=50)
    assert plain.text_ is None
    assert plain.im_.get_clim() == (-50, 50)


def test_heat_map_default_baseline_and_balance(noisy):
    X, y = noisy
    X, y = X[20:], np.where(np.arange(20, 120) % 6 == 1, 1.0, y[20:])
    settings = {"defence_radii": [0.0, 0.3], "attack_radii": RADII, "cv": 2, "norm": "l1"}
    plain, balanced = (
        DefenceHeatmapDisplay.from_estimator(
            RobustSVMClassifier(), X, y, balanced=balanced, **settings
        )
        for balanced in (False, True)
    )
    np.testing.assert_array_equal(plain.difference[0], 0.0)  # the baseline is radius 0
    assert not np.allclose(plain.difference, balanced.difference)


def test_heat_map_of_certificates(noisy):
    X, y = noisy
    models = [LinearSVMClassifier(), RobustSVMClassifier(0.1), RobustSVMClassifier(0.5)]
    baseline, *found = [redoubt.certify(model.fit(X, y), X, y) for model in models]
    display = DefenceHeatmapDisplay.from_certificates(
        found, baseline, defence_radii=[0.1, 0.5], attack_radii=RADII
    )
    first = redoubt.attack_curve(baseline, y, RADII).accuracy
    for row, each in zip(display.difference, found, strict=True):
        np.testing.assert_array_equal(row, redoubt.attack_curve(each, y, RADII).accuracy - first)
    with pytest.raises(
        ValueError, match=r"difference: expected shape \(3, 4\), got shape \(2, 4\)"
    ):
        DefenceHeatmapDisplay.from_certificates(
            found, baseline, defence_radii=[0.1, 0.5, 1], attack_radii=RADII
        )


def test_heat_map_of_a_search(noisy):
    X, y = noisy
    defence = [0.3, 0.05]
    search = RadiusSearchCV(
        RobustEnsembleClassifier(norm="linf"),
        defence,
        n_planes=[1, 2],
        scoring=certified_accuracies(RADII),
        refit="mean",
        cv=2,
    ).fit(X, y)
    display = DefenceHeatmapDisplay.from_search(search)
    np.testing.assert_array_equal(display.defence_radii, [0.05, 0.3])
    np.testing.assert_array_equal(display.difference[0], 0.0)
    same = DefenceHeatmapDisplay.from_estimator(
        RobustEnsembleClassifier(norm="linf", n_planes=search.best_params_["n_planes"]),
        X,
        y,
        baseline=RobustEnsembleClassifier(
            radius=0.3, norm="linf", n_planes=search.best_params_["n_planes"]
        ),
        defence_radii=[0.05, 0.3],
        attack_radii=RADII,
        cv=2,
    )
    display = DefenceHeatmapDisplay.from_search(search, baseline_radius=0.3)
    np.testing.assert_allclose(display.difference, same.difference, atol=1e-15)
    assert np.any(display.difference[0] != 0)
    assert "minus radius 0.3" in display.colorbar_.ax.get_ylabel()
    with pytest.raises(ValueError, match="baseline_radius: expected one of"):
        DefenceHeatmapDisplay.from_search(search, baseline_radius=0.2)
    with pytest.raises(ValueError, match=r"search: expected .*certified_accuracies"):
        DefenceHeatmapDisplay.from_search(RadiusSearchCV(RobustSVMClassifier(), [0.1]).fit(X, y))
