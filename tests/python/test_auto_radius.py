"""radius="auto", and the warning about models that give one answer."""

import json
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import balanced_accuracy_score
from sklearn.preprocessing import StandardScaler

import redoubt
from redoubt import (
    CollaborativeEnsembleClassifier,
    ConstantAnswerWarning,
    LinearSVMClassifier,
    RobustEnsembleClassifier,
    RobustSVMClassifier,
    datasets,
)

AUTO = {
    "ro-svm": RobustSVMClassifier(radius="auto"),
    "ens-h": RobustEnsembleClassifier(radius="auto", adversary="heuristic", n_planes=3),
    "ens-c": CollaborativeEnsembleClassifier(n_epochs=3, random_state=0),
}


def heart():
    X, y, *_ = datasets.load("heart")
    return StandardScaler().fit_transform(X), y


@pytest.mark.parametrize("name", AUTO)
def test_the_choice_follows_its_rule(name):
    X, y = heart()
    model = AUTO[name].fit(X, y)
    choice = model.radius_choice_
    assert model.radius_ == choice["radius"]
    assert choice["n_points"] == len(X)
    accuracy, certified = choice["balanced_accuracy"], choice["certified_radius"]
    (best,) = np.flatnonzero(
        (choice["candidate_radius"] == choice["radius"])
        & (choice["candidate_planes"] == choice["n_planes"])
    )
    # All were tried on five parts, and four of them on ten more.
    folds = choice["candidate_folds"]
    assert folds.tolist().count(15.0) == 4 and set(folds) <= {5.0, 15.0}
    goes_on = folds == 15
    if name == "ens-c":  # small radii are reserves
        is_small = choice["candidate_radius"] < 1.2 * choice["scale"]
        small, usual = (accuracy[goes_on & which].max(initial=-1) for which in (is_small, ~is_small))
        if small <= usual + 0.01:
            goes_on &= ~is_small
    top = np.where(goes_on, accuracy, 0).argmax()
    close = goes_on & (accuracy >= accuracy[top] - min(choice["standard_error"][top], 0.01))
    assert close[best]
    assert certified[best] == certified[close].max()
    assert len(model.coef_) == choice["n_planes"]
    # Factors of the natural scale.
    factors = [0.7, 1, 1.4, 2, 2.8, 4] if name == "ens-c" else [0.1, 0.25, 0.5, 0.7, 1, 1.4, 2, 2.8, 4]
    np.testing.assert_allclose(np.unique(choice["candidate_radius"]) / choice["scale"], factors)


def test_the_training_is_that_of_the_chosen_radius():
    X, y = heart()
    auto = CollaborativeEnsembleClassifier(n_epochs=3, random_state=0).fit(X, y)
    plain = CollaborativeEnsembleClassifier(
        auto.radius_, n_planes=len(auto.coef_), n_epochs=3, power=2.0, random_state=0
    ).fit(X, y)
    np.testing.assert_array_equal(auto.coef_, plain.coef_)
    assert plain.radius_ == auto.radius_
    assert not hasattr(plain, "radius_choice_")
    assert auto.status_ == "finished"
    threads = CollaborativeEnsembleClassifier(n_epochs=3, random_state=0, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(auto.coef_, threads.coef_)
    refitted = auto.set_params(radius=0.5).fit(X, y)
    assert refitted.radius_ == 0.5 and not hasattr(refitted, "radius_choice_")


@pytest.mark.slow
def test_a_table_on_which_a_fixed_radius_collapses():
    """One class in ten, and overlapping clouds: the old default of 2 found none of the rare class."""
    rng = np.random.default_rng(3)
    y = np.where(np.arange(600) % 10 == 0, 1, 0)
    X = rng.normal(size=(600, 4)) + 1.2 * y[:, None]
    with pytest.warns(ConstantAnswerWarning, match="answers 1 for none of its 600 .* which 60 are"):
        CollaborativeEnsembleClassifier(radius=2.0, random_state=0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = CollaborativeEnsembleClassifier(class_weight="balanced", random_state=0).fit(X, y)
    assert balanced_accuracy_score(y, model.predict(X)) > 0.8


def test_several_classes_choose_together():
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model = CollaborativeEnsembleClassifier(n_epochs=60, random_state=0).fit(X, y)
    assert model.radius_.shape == (3,)
    assert len(model.radius_choice_) == 3
    assert model.coef_.shape == (3, 4)
    assert balanced_accuracy_score(y, model.predict(X)) > 0.9
    ratios = {
        round(choice["radius"] / choice["scale"], 9) for choice in model.radius_choice_
    }
    assert len(ratios) == 1


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[0.0], [1.0]], [0, 1]),  # one row per class
        ([[1.0, 2.0]] * 8, [0, 1] * 4),  # a constant table
        ([[float(j)] for j in range(10)], [0] * 5 + [1] * 5),  # one feature, 10 rows
        ([[0.0], [0.1], [1.0], [1.1], [1.2]], [0, 0, 1, 1, 2]),  # a class with one row
    ],
)
@pytest.mark.filterwarnings("ignore::redoubt.ConstantAnswerWarning")
def test_tiny_tables_train(X, y):
    for model in AUTO.values():
        if len(set(y)) == 2 or not isinstance(model, RobustEnsembleClassifier):
            model.fit(X, y)
            assert np.isfinite(model.coef_).all()
            assert np.all(model.radius_ > 0)


def test_bad_radii():
    X, y = heart()
    with pytest.raises(ValueError, match="radius: expected a number or 'auto', got 'automatic'"):
        RobustSVMClassifier(radius="automatic").fit(X, y)
    with pytest.raises(ValueError, match="radius: expected a finite number > 0, got 0"):
        CollaborativeEnsembleClassifier(radius=0).fit(X, y)


def test_the_model_file_keeps_the_choice(tmp_path):
    X, y = heart()
    model = CollaborativeEnsembleClassifier(n_epochs=2, random_state=0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", redoubt.MissingScalerWarning)
        redoubt.save_model(model, tmp_path / "model.json")
    fields = json.loads((tmp_path / "model.json").read_text())
    table = fields["training"]["choice"]
    assert table["columns"][0] == "radius" and table["columns"][-1] == "is_chosen"
    assert len(table["rows"]) == 12
    (chosen,) = [row for row in table["rows"] if row[-1] == 1]
    assert chosen[:2] == [model.radius_, len(model.coef_)]
    assert fields["training"]["settings"]["radius_scale"] == model.radius_choice_["scale"]
    assert fields["training"]["radii"]["mean"] == model.radius_


def test_a_constant_model_warns_with_the_cure():
    X, y = heart()
    for model, cure in (
        (RobustEnsembleClassifier(radius=9.0, n_planes=1), "a smaller radius or class_weight"),
        (RobustSVMClassifier(radius=9.0), "no plane is worth its risk"),
    ):
        with pytest.warns(ConstantAnswerWarning, match=cure) as caught:
            model.fit(X, y)
        assert len([each for each in caught if each.category is ConstantAnswerWarning]) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LinearSVMClassifier().fit(X, y)
