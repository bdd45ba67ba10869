"""What is saved is what predicts: pipelines as model files, and the program's radii from them."""

import csv
import io
import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import redoubt
from redoubt import AttackModel, MissingScalerWarning, _core
from redoubt._models.saving import look_of
from redoubt.model_selection import RadiusSearchCV
from sklearn.ensemble import AdaBoostClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

NORMS = ["l1", "l2", "linf"]
NAMES = ["age", "visits", "sugar", "weight"]
SCALERS = {
    "standard": [StandardScaler()],
    "minmax": [MinMaxScaler()],
    "custom range": [MinMaxScaler((-2, 3))],
    "greatest": [MaxAbsScaler()],
    "quartiles": [RobustScaler()],
    "no mean": [StandardScaler(with_mean=False)],
    "several": [MinMaxScaler(), "passthrough", StandardScaler(with_std=False), RobustScaler()],
}
SAME_BITS = ("standard", "greatest", "quartiles", "no mean")


def make_data(n_samples=80, seed=0):
    """Raw data: features of very different sizes, counts in the second."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n_samples) % 2 == 0, "no", "yes")
    X = rng.normal(size=(n_samples, 4)) + 0.9 * (y == "yes")[:, None]
    X = X * [12.0, 2.0, 0.01, 3000.0] + [50.0, 0.0, -3.0, 70000.0]
    X[:, 1] = np.round(X[:, 1])
    return X, y


def frame(X):
    return pd.DataFrame(X, columns=NAMES)


def vote(**parameters):
    return redoubt.BaggedSVMClassifier(5, random_state=0, **parameters)


def saved(model, folder, **options):
    path = folder / "model.json"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        redoubt.save_model(model, path, **options)
    return redoubt.load_model(path)


def run(*arguments):
    program = Path(sys.prefix, "bin", "redoubt")
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def write_table(path, X, y, names=NAMES):
    table = pd.DataFrame(X, columns=names)
    table["label"] = y
    table.to_csv(path, index=False, float_format="%.17g")


# --- pipelines --------------------------------------------------------------------------------


@pytest.mark.parametrize("scalers", SCALERS)
def test_the_file_answers_as_the_pipeline(scalers, tmp_path):
    X, y = make_data()
    model = make_pipeline(*SCALERS[scalers], vote()).fit(frame(X), y)
    loaded = saved(model, tmp_path)
    Z = make_data(2000, seed=1)[0]
    np.testing.assert_array_equal(loaded.predict(Z), model.predict(frame(Z)))
    assert loaded.feature_names == NAMES
    assert loaded.classes == ["no", "yes"]
    if scalers in SAME_BITS:
        scaled = model[:-1].transform(frame(Z))
        np.testing.assert_array_equal(loaded.transform(Z), scaled)
        votes = np.diff(model[-1].votes(scaled))[:, 0]
        np.testing.assert_array_equal(loaded.ensemble.votes(loaded.transform(Z)), votes)
    else:
        scaled = model[:-1].transform(frame(Z))
        np.testing.assert_allclose(loaded.transform(Z), scaled, rtol=1e-9, atol=1e-9)
    kind = json.loads((tmp_path / "model.json").read_text())["scaler"]["kind"]
    known = {"standard": "standard", "minmax": "minmax", "greatest": "maxabs"}
    assert kind == known.get(scalers, "custom")


def test_the_program_answers_as_the_pipeline(tmp_path):
    X, y = make_data()
    model = make_pipeline(StandardScaler(), vote()).fit(frame(X), y)
    saved(model, tmp_path)
    Z, labels = make_data(50, seed=1)
    order = [2, 0, 3, 1]
    write_table(tmp_path / "data.csv", Z[:, order], labels, [NAMES[l] for l in order])
    rows = run("predict", tmp_path / "model.json", tmp_path / "data.csv")
    assert [row["prediction"] for row in rows] == model.predict(frame(Z)).tolist()


def test_a_pipeline_that_scales_nothing(tmp_path):
    X, y = make_data()
    model = make_pipeline("passthrough", vote()).fit(frame(X), y)
    loaded = saved(model, tmp_path)
    assert loaded.feature_names == NAMES
    np.testing.assert_array_equal(loaded.predict(frame(X)), model.predict(frame(X)))


def test_a_search(tmp_path):
    X, y = make_data()
    pipeline = make_pipeline(StandardScaler(), redoubt.RobustSVMClassifier(norm="linf"))
    for search in (
        GridSearchCV(pipeline, {"robustsvmclassifier__radius": [0.1, 0.4]}, cv=3),
        RadiusSearchCV(pipeline, [0.1, 0.4], attack_radii=[0.0, 0.3], units="scaled", cv=3),
    ):
        loaded = saved(search.fit(frame(X), y), tmp_path)
        assert (loaded.norm, loaded.method, loaded.feature_names) == ("linf", "ro-svm", NAMES)
        radius = search.best_params_["robustsvmclassifier__radius"]
        assert loaded.training["radii"]["greatest"] == radius
        np.testing.assert_array_equal(loaded.predict(X), search.predict(frame(X)))


def test_the_rules_of_a_search_are_in_the_units_of_its_scores(tmp_path):
    X, y = make_data()
    rules = AttackModel("linf", frozen=["age"], integer=["visits"])
    pipeline = make_pipeline(StandardScaler(), redoubt.RobustSVMClassifier())
    options = {"attack_radii": [0.0, 0.3], "attack_model": rules, "cv": 3}
    for units in ("raw", "scaled"):
        search = RadiusSearchCV(pipeline, [0.1], units=units, **options).fit(frame(X), y)
        loaded = saved(search, tmp_path)
        own = redoubt.certify(search, frame(X), y)
        assert (own.units, own.attack_model) == (units, rules)
        np.testing.assert_allclose(loaded.certify(X, y).radius, own.radius, rtol=1e-9)


MODELS = {
    "logistic": LogisticRegression(),
    "perceptron": Perceptron(random_state=0),
    "svc": SVC(kernel="linear"),
    "stumps": AdaBoostClassifier(n_estimators=7, random_state=0),
    "stump": DecisionTreeClassifier(max_depth=1),
    "two of libsvm": VotingClassifier(
        [
            ("a", SVC(kernel="linear", class_weight={0: 9})),
            ("b", SVC(kernel="linear", class_weight={1: 9})),
        ]
    ),
    "weighted": VotingClassifier(
        [("a", LogisticRegression()), ("b", Perceptron(random_state=1))], weights=[1, 2]
    ),
    "tied": VotingClassifier(
        [
            ("a", LogisticRegression(class_weight={0: 9})),
            ("b", LogisticRegression(class_weight={1: 9})),
        ]
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_models_of_scikit_learn(name, tmp_path):
    X, y = make_data()
    X, Z = StandardScaler().fit(X).transform(X), make_data(3000, seed=1)[0]
    Z = StandardScaler().fit_transform(Z)
    model = MODELS[name].fit(X, y)
    loaded = saved(model, tmp_path)
    np.testing.assert_array_equal(loaded.predict(Z), model.predict(Z))
    assert (loaded.norm, loaded.method) == ("l2", type(model).__name__)
    radii = [redoubt.certify(each, X, y).radius for each in (loaded, model)]
    np.testing.assert_allclose(*radii, rtol=1e-6, atol=1e-12)
    if name in ("tied", "two of libsvm"):
        members = [each.predict(Z) for each in model.estimators_]
        assert (members[0] != members[1]).any(), "there are ties"


def test_zeros_are_answered_alike(tmp_path):
    """scikit-learn answers zero with the first class, this package with the second."""
    theirs = LogisticRegression().fit([[-1.0], [1.0]], ["a", "b"])
    theirs.coef_, theirs.intercept_ = np.array([[2.0]]), np.array([-1.0])
    ours = redoubt.Ensemble([[2.0]], [-1.0])
    assert theirs.predict([[0.5]]) == ["a"]
    assert saved(theirs, tmp_path).predict([[0.5]]) == ["a"]
    assert saved(ours, tmp_path).predict([[0.5]]) == ["1"]


def test_an_ensemble_and_its_weights(tmp_path):
    coef, intercept = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0.0, 0.5, -1.0]
    ensemble = redoubt.Ensemble(coef, intercept, [1.0, 3.0, 1.5])
    loaded = saved(ensemble, tmp_path, feature_names=["a", "b"])
    X = np.random.default_rng(0).normal(size=(100, 2))
    np.testing.assert_array_equal(loaded.predict(X).astype(int), ensemble.predict(X))
    assert loaded.feature_names == ["a", "b"]


def test_what_cannot_be_saved(tmp_path):
    X, y = make_data()
    path = tmp_path / "model.json"
    mixed = VotingClassifier([("a", SVC(kernel="linear")), ("b", LogisticRegression())])
    for model, kind, message in (
        (mixed.fit(X / 1e4, y), ValueError, "planes that answer zero alike"),
        (SVC().fit(X, y), ValueError, "kernel='rbf'"),
        ("model", TypeError, "got a path; load the file first"),
    ):
        with pytest.raises(kind, match=message):
            redoubt.save_model(model, path)
    assert not path.exists()


def test_a_predict_of_its_own_is_noticed(tmp_path):
    class Contrary(redoubt.LinearSVMClassifier):
        def predict(self, X):
            return np.where(super().predict(X) == "no", "yes", "no")

    X, y = make_data()
    with pytest.raises(ValueError, match="Contrary answers differently from its planes, at 200"):
        redoubt.save_model(Contrary().fit(X / 1e4, y), tmp_path / "model.json")


# --- names ------------------------------------------------------------------------------------


def test_without_names_features_are_matched_by_position(tmp_path):
    X, y = make_data()
    model = make_pipeline(StandardScaler(), vote()).fit(X, y)
    loaded = saved(model, tmp_path)
    assert loaded.feature_names is None
    np.testing.assert_array_equal(loaded.predict(frame(X)), model.predict(X))
    assert len(redoubt.certify(loaded, frame(X), y)) == len(X)
    # Names that happen to be the file's own numbers do not count either.
    order = ["x2", "x1", "x4", "x3"]
    write_table(tmp_path / "data.csv", X, y, order)
    rows = run("predict", tmp_path / "model.json", tmp_path / "data.csv")
    assert [row["prediction"] for row in rows] == model.predict(X).tolist()


def test_names_can_be_given(tmp_path):
    X, y = make_data()
    model = make_pipeline(StandardScaler(), vote()).fit(X, y)
    loaded = saved(model, tmp_path, feature_names=NAMES)
    assert loaded.feature_names == NAMES
    assert loaded.predict(frame(X)[NAMES[::-1]]).tolist() == loaded.predict(X).tolist()
    with pytest.raises(ValueError, match="X: column of the model not found: "):
        loaded.predict(frame(X)[NAMES[1:]])
    # Also later, and then they stay.
    unnamed = saved(model, tmp_path)
    again = saved(unnamed, tmp_path, feature_names=NAMES)
    assert again.feature_names == NAMES
    assert again.training == unnamed.training
    np.testing.assert_array_equal(again.predict(X), loaded.predict(X))
    assert saved(again, tmp_path).feature_names == NAMES


def test_names_that_do_not_fit(tmp_path):
    X, y = make_data()
    path = tmp_path / "model.json"
    model = make_pipeline(StandardScaler(), vote()).fit(frame(X), y)
    for source in (model, saved(model, tmp_path)):
        for names, message in (
            (NAMES[:3], "expected 4 names, got 3"),
            (["a", "b", "c", "c"], "expected different names"),
            (["a", "b", "c", ""], "none of them empty"),
            (["age", "b", "c", "d"], "fitted with, got 'b' instead of 'visits'"),
        ):
            with pytest.raises(ValueError, match=message):
                redoubt.save_model(source, path, feature_names=names)
        redoubt.save_model(source, path, feature_names=NAMES)


def test_a_feature_called_label(tmp_path):
    X, y = make_data()
    names = ["label", "visits", "sugar", "weight"]
    table = pd.DataFrame(X, columns=names)
    model = make_pipeline(StandardScaler(), vote()).fit(table, y)
    saved(model, tmp_path)
    table.to_csv(tmp_path / "data.csv", index=False, float_format="%.17g")
    rows = run("predict", tmp_path / "model.json", tmp_path / "data.csv")
    assert [row["prediction"] for row in rows] == model.predict(table).tolist()


def test_the_rules_of_features_without_names_go_by_number(tmp_path):
    X, y = make_data()
    rules = AttackModel("l1", frozen=[0], scale={1: 0.5}, bounds={2: (-9, 9)}, integer=[3])
    model = vote(attack_model=rules).fit(X, y)
    loaded = saved(model, tmp_path)
    stored = json.loads((tmp_path / "model.json").read_text())["attack_model"]
    assert (stored["frozen"], stored["integer"]) == ([1], [4])
    assert loaded.attack_model.frozen == (0,)
    X[:, 3] = np.round(X[:, 3])
    radii = loaded.certify(X, y).radius
    np.testing.assert_allclose(radii, model.certify(X, y).radius, rtol=1e-9)
    np.testing.assert_array_equal(radii, loaded.certify(frame(X), y).radius)


# --- a scaler that got lost -------------------------------------------------------------------


@pytest.mark.parametrize("scalers", ["standard", "minmax", "greatest", "quartiles"])
@pytest.mark.parametrize("output", ["default", "pandas"])
def test_a_classifier_out_of_a_pipeline_warns(scalers, output, tmp_path):
    X, y = make_data()
    model = make_pipeline(*SCALERS[scalers], vote()).set_output(transform=output).fit(frame(X), y)
    with pytest.warns(MissingScalerWarning, match=r"use redoubt\.save_model\(pipeline, path\)"):
        model[-1].save(tmp_path / "model.json")
    with pytest.warns(MissingScalerWarning):
        redoubt.save_model(model[-1], tmp_path / "model.json")
    saved(model, tmp_path)


def test_raw_data_do_not_warn(tmp_path):
    X, y = make_data()
    yes_or_no = (np.random.default_rng(0).random((80, 4)) < 0.5).astype(float)
    for points in (X, yes_or_no, np.column_stack([X, yes_or_no])):
        saved(vote().fit(points, y), tmp_path)
    for points in (1e303 * X, X[:2], np.ones((5, 2)), yes_or_no):
        assert look_of(points) is None


# --- norm, units, attack model ----------------------------------------------------------------


def rules_for(kind, norm):
    """Rules in the units that the estimator sees, which are scaled ones behind a scaler."""
    if kind == "ball":
        return None
    if kind == "plain":
        return AttackModel(norm)
    return AttackModel(
        norm,
        scale={0: 0.7},
        frozen=[3],
        increase_only=[2],
        bounds={0: (-400.0, 400.0)},
        attacking_class="yes" if kind == "one class" else None,
    )


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("kind", ["ball", "plain", "rules", "one class"])
@pytest.mark.parametrize("scalers", [None, "standard", "minmax"])
def test_python_and_program_give_the_same_radii(norm, kind, scalers, tmp_path):
    X, y = make_data()
    rules = rules_for(kind, norm)
    classifier = redoubt.RobustEnsembleClassifier(
        0.05, n_planes=3, norm=norm, attack_model=rules
    )
    if scalers is None:
        X = X / [10.0, 1.0, 0.01, 3000.0]
    steps = [] if scalers is None else SCALERS[scalers]
    model = make_pipeline(*steps, classifier).fit(frame(X), y)
    loaded = saved(model, tmp_path)
    write_table(tmp_path / "data.csv", X, y)
    rows = run("certify", tmp_path / "model.json", tmp_path / "data.csv", "--format", "csv")
    program = np.array([float(row["radius"]) for row in rows])

    result = redoubt.certify(loaded, X, y)
    assert result.norm == norm
    assert result.units == ("scaled" if loaded.attack_model is None else "raw")
    np.testing.assert_allclose(result.radius, program, rtol=1e-9, atol=1e-10)
    np.testing.assert_array_equal(loaded.certify(frame(X), y).radius, result.radius)
    assert (loaded.attack_model is None) == (kind in ("ball", "plain"))
    # And so does what was saved, in scaled units.
    own = redoubt.certify(model, frame(X), y, units="scaled")
    np.testing.assert_allclose(own.radius, program, rtol=1e-9, atol=1e-10)
    # The same without labels.
    (tmp_path / "data.csv").write_text(frame(X).to_csv(index=False, float_format="%.17g"))
    rows = run("certify", tmp_path / "model.json", tmp_path / "data.csv", "--format", "csv")
    program = [float(row["radius"]) for row in rows]
    np.testing.assert_allclose(redoubt.certify(loaded, X).radius, program, rtol=1e-9, atol=1e-10)


def test_what_the_program_trains_is_certified_alike(tmp_path):
    path = tmp_path / "model.json"
    run("train", "bcw:train", "--method", "ens-e", "--norm", "linf", "--radius", "0.1", "--planes",
        "3", "--model", path)  # fmt: skip
    rows = run("certify", path, "bcw:test", "--format", "csv")
    X, y, names, _ = redoubt.datasets.load("bcw")
    test = redoubt.datasets.published_split("bcw")[1]
    loaded = redoubt.load_model(path)
    labels = np.asarray(loaded.classes)[(y[test] > 0).astype(int)]
    result = redoubt.certify(loaded, X[test], labels)
    np.testing.assert_array_equal(result.radius, [float(row["radius"]) for row in rows])
    assert (result.norm, result.units) == ("linf", "scaled")


def test_labels_of_a_file_may_be_numbers(tmp_path):
    X, y = make_data()
    signs = np.where(y == "yes", 1, -1)
    loaded = saved(make_pipeline(StandardScaler(), vote()).fit(X, signs), tmp_path)
    radii = loaded.certify(X, signs.astype(str)).radius
    for labels in (signs, signs * 1.0):
        np.testing.assert_array_equal(loaded.certify(X, labels).radius, radii)
    with pytest.raises(ValueError, match=r"y: unknown labels \[-2, 2\]"):
        loaded.certify(X, 2 * signs)


def test_a_file_attacks_and_explains_as_the_pipeline(tmp_path):
    X, y = make_data()
    rules = AttackModel("linf", frozen=[1], scale={0: 0.5})
    model = make_pipeline(StandardScaler(), vote(attack_model=rules)).fit(frame(X), y)
    loaded = saved(model, tmp_path)
    mine, theirs = loaded.attack(X, y, 0.5), redoubt.attack(model, frame(X), y, 0.5)
    np.testing.assert_array_equal(mine.success, theirs.success)
    assert not mine.perturbation[:, 1].any()
    one, other = loaded.explain(X[0]), redoubt.explain(model, frame(X).iloc[0])
    assert one.sentence == other.sentence
    assert one.radius == pytest.approx(other.radius, rel=1e-9)
    assert "visits" not in one.sentence
    (fixed,) = [single for single in other.singles if single.feature == "visits"]
    assert (fixed.down_size, fixed.up_size) == (np.inf, np.inf)
    assert other.units == "scaled"


def test_integers_behind_a_scaler_are_integers_in_the_file(tmp_path):
    X, y = make_data()
    scaler = StandardScaler().fit(X)
    inner = AttackModel("l2", integer=[(1, scaler.mean_[1], scaler.scale_[1])], frozen=[3])
    model = make_pipeline(StandardScaler(), vote(attack_model=inner)).fit(frame(X), y)
    loaded = saved(model, tmp_path)
    result = loaded.certify(X, y)
    np.testing.assert_allclose(result.radius, redoubt.certify(model, frame(X), y).radius, rtol=1e-7)
    moved = (X + result.witness)[:, 1]
    known = ~np.isnan(moved)
    np.testing.assert_allclose(moved[known], np.round(moved[known]), atol=1e-9)


@pytest.mark.parametrize("norm", NORMS)
def test_the_norm_of_the_estimator_counts(norm):
    X, y = make_data()
    model = make_pipeline(StandardScaler(), redoubt.RobustSVMClassifier(0.1, norm=norm)).fit(X, y)
    Z = model[0].transform(X)
    for each, points in ((model, X), (model[-1], Z)):
        assert redoubt.certify(each, points, y).norm == norm
        assert redoubt.attack(each, points, y, 0.3).norm == norm
        assert redoubt.worst_expected_accuracy(each, points, y, [0.3]).norm == norm
        assert redoubt.explain(each, points[0]).norm == norm
    given = redoubt.certify(model[-1], Z, y, norm="l1")
    assert given.norm == "l1"
    own = redoubt.certify(model[-1], Z, y)
    np.testing.assert_array_equal(own.radius, model[-1].certify(Z, y).radius)
    assert redoubt.certify(LogisticRegression().fit(Z, y), Z, y).norm == "l2"


def test_radii_per_sample_are_recorded(tmp_path):
    X, y = make_data()
    radii = np.linspace(0.0, 0.5, len(X))
    model = redoubt.RobustSVMClassifier(0.1).fit(X, y, radius=radii)
    training = saved(model, tmp_path).training
    assert training["radii"] == {
        "count": 80,
        "least": 0.0,
        "greatest": 0.5,
        "mean": pytest.approx(0.25),
    }
    assert training["n_points"] == 80


def test_a_scaler_of_another_kind_needs_version_3(tmp_path):
    X, y = make_data()
    # A classifier of another package keeps no ranges, which need version 3, too.
    kinds = [(StandardScaler(), LogisticRegression(), 1), (RobustScaler(), LogisticRegression(), 3)]
    for scaler, classifier, version in [*kinds, (StandardScaler(), vote(), 3)]:
        saved(Pipeline([("scale", scaler), ("last", classifier)]).fit(frame(X), y), tmp_path)
        fields = json.loads((tmp_path / "model.json").read_text())
        assert fields["format_version"] == version
    with pytest.raises(_core.InvalidInput, match="scaling: expected .* 'custom', got 'log'"):
        _core.make_model(
            _core.Ensemble(np.ones((1, 1)), np.ones(1)), classes=["a", "b"], feature_names=[],
            scaling="log", center=np.zeros(1), scale=np.ones(1), method="", norm="l2", radii=None,
            n_points=0, status="", is_partial=False, attack_model=None,
        )  # fmt: skip


def test_ranges_are_those_of_the_raw_features(tmp_path):
    X, y = make_data()
    for scaler in (StandardScaler(), MinMaxScaler(), RobustScaler()):
        model = make_pipeline(scaler, vote()).fit(frame(X), y)
        loaded = saved(model, tmp_path)
        wanted = np.column_stack([X.min(axis=0), X.max(axis=0)])
        np.testing.assert_allclose(loaded.ranges, wanted, rtol=1e-9)
        np.testing.assert_allclose(redoubt.explain(model, frame(X)).pop().ranges, wanted, rtol=1e-9)
    assert saved(
        make_pipeline(StandardScaler(), LogisticRegression()).fit(frame(X), y), tmp_path
    ).ranges is None
