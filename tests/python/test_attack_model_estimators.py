"""Estimators, searches, scorers and displays that carry an attack model."""

import pickle

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import redoubt
from attack_rules import check_move
from redoubt import (
    AttackModel,
    BaggedSVMClassifier,
    CollaborativeEnsembleClassifier,
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
from redoubt.metrics import (
    certified_accuracy_at,
    mean_certified_accuracy,
    own_attack_model,
    own_norm,
)
from redoubt.model_selection import RadiusSearchCV
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

RULES = AttackModel("linf", frozen=[0], integer=[1], bounds={2: (-9, 9)}, scale={3: 0.5})
ALL = [
    LinearSVMClassifier(),
    RobustSVMClassifier(0.2),
    BaggedSVMClassifier(3, random_state=0),
    RobustEnsembleClassifier(0.2, n_planes=3),
    CollaborativeEnsembleClassifier(0.5, n_planes=3, n_epochs=10, random_state=0),
]
AGAINST_AN_ADVERSARY = [model for model in ALL if hasattr(model, "radius")]


def by_name(models):
    return pytest.mark.parametrize("model", models, ids=lambda model: type(model).__name__)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def make_data(n_samples=80, seed=0):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n_samples) % 2 == 0, "no", "yes")
    X = rng.normal(size=(n_samples, 4)) + 0.8 * (y == "yes")[:, None]
    X[:, 1] = np.round(2 * X[:, 1])
    return X, y


@by_name(ALL)
def test_the_fitted_estimator_uses_its_own(model):
    X, y = make_data()
    model = clone(model).set_params(attack_model=RULES).fit(X, y)
    assert model.attack_model_.model is RULES
    assert model.attack_model_.scale.tolist() == [0.0, 1.0, 1.0, 0.5]
    result = model.certify(X, y)
    assert result.attack_model == RULES
    assert result.norm == "linf"
    known = ~np.isnan(result.witness).any(axis=1)
    assert known.sum() > 60
    for x, move in zip(X[known], result.witness[known], strict=True):
        check_move(RULES, x, move)
    again = redoubt.certify(model, X, y, attack_model=RULES)
    np.testing.assert_array_equal(result.radius, again.radius)

    found = model.attack(X, y, 1.0)
    assert found.attack_model == RULES
    for x, move in zip(X, found.perturbation, strict=True):
        check_move(RULES, x, move)

    plain = model.certify(X, y, attack_model=AttackModel("linf"))
    assert (np.abs(plain.radius) <= np.abs(result.radius) * (1 + 1e-9)).all()
    function = redoubt.certify(model, X, y)
    assert function.attack_model == RULES
    np.testing.assert_array_equal(function.radius, result.radius)
    with pytest.raises(ValueError, match="contradicts"):
        model.certify(X, y, norm="l1")


@by_name(ALL)
def test_without_one_nothing_changes(model):
    X, y = make_data()
    model = clone(model).fit(X, y)
    assert model.attack_model_ is None
    result = model.certify(X, y)
    assert (result.norm, result.attack_model) == ("l2", None)
    found = model.attack(X, y, 0.5)
    assert (found.norm, found.attack_model) == ("l2", None)


@by_name(ALL)
def test_clone_and_pickle_keep_it(model):
    X, y = make_data()
    model = clone(model).set_params(attack_model=RULES)
    assert clone(model).attack_model == RULES
    assert clone(model).get_params()["attack_model"] == RULES
    assert "attack_model=AttackModel(norm='linf'" in repr(model)
    model.fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.certify(X, y).radius, model.certify(X, y).radius)


def test_names_of_the_frame():
    X, y = make_data()
    frame = pd.DataFrame(X, columns=["age", "visits", "sugar", "weight"])
    model = LinearSVMClassifier(attack_model=AttackModel(frozen=["age"], integer=["visits"]))
    result = model.fit(frame, y).certify(frame, y)
    assert not np.nan_to_num(result.witness[:, 0]).any()
    with pytest.raises(ValueError, match=r"found 'agee'; did you mean 'age'\?"):
        model.set_params(attack_model=AttackModel(frozen=["agee"])).fit(frame, y)
    with pytest.raises(ValueError, match="because the features have no names"):
        model.set_params(attack_model=AttackModel(frozen=["age"])).fit(X, y)


@by_name(ALL)
def test_fit_refuses_what_does_not_fit(model):
    X, y = make_data()
    for rules, message in (
        (AttackModel(frozen=[9]), "a feature from 0 to 3, found 9"),
        (AttackModel(attacking_class="maybe"), "unknown class 'maybe'"),
    ):
        with pytest.raises(ValueError, match=message):
            clone(model).set_params(attack_model=rules).fit(X, y)
    with pytest.raises(TypeError, match="attack_model: expected a redoubt.AttackModel"):
        clone(model).set_params(attack_model="linf").fit(X, y)


@by_name(AGAINST_AN_ADVERSARY)
def test_training_points_must_keep_the_rules(model):
    X, y = make_data()
    with pytest.raises(ValueError, match="X: expected integers where the attack model says so"):
        clone(model).set_params(attack_model=AttackModel(integer=[0])).fit(X, y)


@by_name(AGAINST_AN_ADVERSARY)
def test_training_against_one_of_several_classes(model):
    """Of every class against the rest, the side with the class that attacks does."""
    X, _ = make_data()
    y = np.arange(len(X)) % 3
    model = clone(model).set_params(attack_model=AttackModel(attacking_class=1)).fit(X, y)
    per_class = len(model.coef_) // 3
    for c in range(3):
        rules = AttackModel(attacking_class=c == 1)
        one = clone(model).set_params(attack_model=rules)
        if isinstance(one, CollaborativeEnsembleClassifier):
            one.set_params(n_planes=per_class, power=1.0, cap=10.0)
        one.fit(X, y == c)
        np.testing.assert_array_equal(model.coef_[c * per_class : (c + 1) * per_class], one.coef_)
    assert np.isinf(model.certify(X, y).radius[y != 1]).all()


# With rules that say nothing about the points: the checks' data are of all kinds.
@parametrize_with_checks(
    [
        LinearSVMClassifier(attack_model=AttackModel("l2", scale=0.5)),
        BaggedSVMClassifier(3, attack_model=AttackModel(frozen=[0]), random_state=0),
    ],
    expected_failed_checks=lambda estimator: (
        dict.fromkeys(
            [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")],
            "bags are drawn at random",
        )
        if hasattr(estimator, "random_state")
        else {}
    ),
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


# --- searches and scorers ---------------------------------------------------------------------


def test_grid_search_keeps_it_and_searches_over_it():
    X, y = make_data()
    base = RobustSVMClassifier(0.2, attack_model=RULES)
    search = GridSearchCV(base, {"radius": [0.05, 0.3]}, scoring=certified_accuracy_at(0.3), cv=3)
    search.fit(X, y)
    assert search.best_estimator_.attack_model_.model == RULES
    assert own_attack_model(search).model == RULES
    over = GridSearchCV(base, {"attack_model": [None, RULES, AttackModel("l2")]}, cv=3).fit(X, y)
    assert over.cv_results_["param_attack_model"].tolist() == [None, RULES, AttackModel("l2")]


def test_scorers_take_the_estimators_own():
    X, y = make_data()
    model = LinearSVMClassifier(attack_model=RULES).fit(X, y)
    own = mean_certified_accuracy([0.2, 0.6])(model, X, y)
    given = mean_certified_accuracy([0.2, 0.6], attack_model=RULES)
    plain = mean_certified_accuracy([0.2, 0.6], attack_model=AttackModel("linf"))
    bare = LinearSVMClassifier().fit(X, y)
    assert own == given(bare, X, y)
    assert own > plain(model, X, y) == mean_certified_accuracy([0.2, 0.6], "linf")(bare, X, y)
    assert "attack_model=AttackModel(" in repr(given)
    with pytest.raises(ValueError, match="contradicts"):
        mean_certified_accuracy([0.2], "l1", attack_model=RULES)
    assert own_norm(model) == "linf"
    assert own_norm(LogisticRegression()) == "l2"


def test_radius_search():
    X, y = make_data()
    splits = StratifiedKFold(3)
    search = RadiusSearchCV(
        RobustSVMClassifier(), [0.05, 0.3], attack_radii=[0.0, 0.4], attack_model=RULES, cv=splits
    ).fit(X, y)
    scorer = mean_certified_accuracy([0.0, 0.4], attack_model=RULES)
    for radius, score in zip((0.05, 0.3), search.cv_results_["mean_test_score"], strict=True):
        scores = [
            scorer(RobustSVMClassifier(radius).fit(X[train], y[train]), X[test], y[test])
            for train, test in splits.split(X, y)
        ]
        assert score == pytest.approx(np.mean(scores))
    assert own_attack_model(search) == RULES
    assert clone(search).attack_model == RULES


# --- pipelines --------------------------------------------------------------------------------


def test_inside_a_pipeline_the_rules_are_in_scaled_units():
    X, y = make_data()
    X[:, 0] *= 100.0
    inner = AttackModel("linf", frozen=[1], scale={0: 0.5}, bounds={2: (-5, 5)})
    scaler = StandardScaler()
    model = make_pipeline(scaler, LinearSVMClassifier(attack_model=inner)).fit(X, y)
    own = own_attack_model(model)
    through = redoubt.certify(model, X, y, attack_model=own)
    alone = model[-1].certify(scaler.transform(X), y)
    np.testing.assert_allclose(through.radius, alone.radius, rtol=1e-9)
    assert through.units == "scaled"
    np.testing.assert_allclose(through.witness / scaler.scale_, alone.witness, rtol=1e-6, atol=1e-9)
    # The same rules in units of X, for the whole pipeline.
    raw = AttackModel(
        "linf",
        frozen=[1],
        scale={0: 0.5 * scaler.scale_[0]},
        bounds={2: tuple(scaler.mean_[2] + np.array([-5, 5]) * scaler.scale_[2])},
    )
    outer = redoubt.certify(model, X, y, attack_model=raw, units="scaled")
    np.testing.assert_allclose(outer.radius, alone.radius, rtol=1e-6)
    score = certified_accuracy_at(0.3)(model, X, y)
    assert score == redoubt.attack_curve(through, y, [0.3]).accuracy[0]


def test_names_do_not_get_through_a_scaler():
    X, y = make_data()
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = make_pipeline(
        StandardScaler(), LinearSVMClassifier(attack_model=AttackModel(frozen="a"))
    )
    with pytest.raises(ValueError, match="expected a number from 0 to 3, because the features have no names"):
        model.fit(frame, y)
    model.set_params(standardscaler=StandardScaler().set_output(transform="pandas")).fit(frame, y)
    assert own_attack_model(model).scale.tolist() == [0.0, 1.0, 1.0, 1.0]


# --- displays ---------------------------------------------------------------------------------


def legend_text(display):
    legend = display.legend_
    return "\n".join([legend.get_title().get_text(), *(each.get_text() for each in legend.texts)])


def test_attack_curve_display():
    X, y = make_data()
    models = {
        "a": LinearSVMClassifier(attack_model=RULES).fit(X, y),
        "b": RobustSVMClassifier(attack_model=RULES).fit(X, y),
    }
    display = AttackCurveDisplay.from_estimator(models, X, y, attack_radii=[0, 0.5])
    assert display.attack_model == RULES
    text = legend_text(display)
    assert "attack model:" in text
    assert "feature 0 frozen" in text
    assert "times each feature's scale" in display.ax_.get_xlabel()
    wanted = redoubt.attack_curve(models["a"].certify(X, y), y, [0, 0.5]).accuracy
    np.testing.assert_allclose(display.lines_["a"].get_ydata(), wanted)

    models["c"] = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match="attack_model: needed, because the models have different"):
        AttackCurveDisplay.from_estimator(models, X, y)
    given = AttackCurveDisplay.from_estimator(models, X, y, attack_model=RULES, attack_radii=[0.5])
    assert given.attack_model == RULES
    with pytest.raises(ValueError, match="ceiling: only for the plain ball"):
        AttackCurveDisplay.from_estimator(models, X, y, attack_model=RULES, ceiling=True)


def test_attack_curves_with_and_without():
    X, y = make_data()
    model = LinearSVMClassifier().fit(X, y)
    certificates = {
        "any move": redoubt.certify(model, X, y, norm="linf"),
        "real moves": redoubt.certify(model, X, y, attack_model=RULES),
    }
    display = AttackCurveDisplay.from_certificates(certificates, attack_radii=[0.0, 0.5])
    labels = [each.get_text() for each in display.legend_.texts]
    assert labels[0] == "any move"
    assert labels[1].startswith("real moves\nattack model:\n")
    assert (display.accuracies["real moves"] >= display.accuracies["any move"]).all()


def test_attack_curve_of_splits():
    X, y = make_data()
    results = cross_validate(
        LinearSVMClassifier(attack_model=RULES), X, y, cv=3, return_estimator=True,
        return_indices=True,
    )  # fmt: skip
    display = AttackCurveDisplay.from_cv_results(results, X, y, attack_radii=[0.0, 0.5])
    assert display.attack_model == RULES
    assert "attack model:" in legend_text(display)
    assert "mean of 3 splits" in legend_text(display)


def test_other_displays():
    X, y = make_data()
    vote = BaggedSVMClassifier(3, attack_model=RULES, random_state=0).fit(X, y)
    histogram = RadiusHistogramDisplay.from_estimator(vote, X, y)
    assert histogram.attack_model == RULES
    assert "feature 0 frozen" in legend_text(histogram)
    np.testing.assert_array_equal(histogram.radius, vote.certify(X, y).radius)
    growth = GrowthDisplay.from_estimator(vote, X, y, attack_radii=[0.0, 0.5])
    assert growth.attack_model == RULES
    assert "feature 0 frozen" in legend_text(growth)
    wanted = redoubt.attack_curve(vote.certify(X, y), y, [0.0, 0.5]).accuracy
    np.testing.assert_allclose(growth.accuracy[:, -1], wanted)
    heatmap = DefenceHeatmapDisplay.from_estimator(
        RobustSVMClassifier(attack_model=RULES), X, y, defence_radii=[0.1], attack_radii=[0.0, 0.5],
        cv=3,
    )  # fmt: skip
    assert heatmap.attack_model == RULES
    assert "feature 0 frozen" in heatmap.ax_.get_title()


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_boundary_shows_what_the_rules_allow(norm):
    X, y = make_data()
    X = X[:, [0, 2]]
    rules = AttackModel(norm, scale=[2.0, 0.5], increase_only=[0], bounds={1: (-9, 0.5)})
    model = LinearSVMClassifier(attack_model=rules).fit(X, y)
    row = int(np.flatnonzero((X[:, 1] < 0) & (y == "no") & (model.predict(X) == "no"))[0])
    display = BoundaryDisplay.from_estimator(model, X, y, point=row)
    assert display.radius == model.certify(X[[row]], y[[row]]).radius[0]
    corners = display.ball_.get_xy()
    assert corners[:, 0].min() == X[row, 0], "only up"
    assert corners[:, 1].max() <= 0.5
    reach = np.abs(corners - X[row]) / [2.0, 0.5]
    sizes = np.linalg.norm(reach, ord={"l1": 1, "l2": 2, "linf": np.inf}[norm], axis=1)
    assert sizes.max() == pytest.approx(display.radius)
    assert "feature 0 up only" in legend_text(display)


@pytest.mark.filterwarnings("ignore:.*no plane is worth")
@by_name(AGAINST_AN_ADVERSARY)
def test_training_is_against_the_attack_model(model):
    """An adversary that cannot do a thing is as good as none (Ens-C: every radius is infinite)."""
    X, y = make_data()
    nothing = AttackModel("l2", frozen=[0, 1, 2, 3])
    strong = clone(model).set_params(radius=2.0)
    against_nothing = clone(strong).set_params(attack_model=nothing).fit(X, y)
    assert not np.allclose(against_nothing.coef_, strong.fit(X, y).coef_)
    if type(model) is not CollaborativeEnsembleClassifier:
        without = clone(model).set_params(radius=0.0).fit(X, y)
        np.testing.assert_allclose(against_nothing.coef_, without.coef_, rtol=1e-4, atol=1e-6)


def test_the_model_file_keeps_the_attack_model(tmp_path):
    X, y = make_data()
    X = pd.DataFrame(X, columns=list("abcd"))
    rules = AttackModel("linf", frozen=["b"], increase_only=["a"], bounds={"c": (-50.0, None)})
    model = RobustSVMClassifier(radius=0.1, attack_model=rules).fit(X, y)
    model.save(tmp_path / "model.json")
    loaded = redoubt.load_model(tmp_path / "model.json").attack_model
    own, again = (redoubt.certify(model, X, y, attack_model=r).radius for r in (rules, loaded))
    np.testing.assert_array_equal(own, again)
