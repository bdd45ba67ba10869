"""Ens-C by passes, radii that the data choose, and trainings that go on after an interruption."""

import os
import resource

import numpy as np
import pytest
from scale_problems import cloud, in_parts, write_parquet
from sklearn.base import clone
from sklearn.multiclass import OneVsRestClassifier

import redoubt
from redoubt import CollaborativeEnsembleClassifier, RobustSVMClassifier, scale
from redoubt.model_selection import RadiusSearchCV

MEMORY = 2_000 * 8 * 6 * 13


# --- Ens-C ------------------------------------------------------------------------------------


def collaborative(**changes):
    return CollaborativeEnsembleClassifier(
        **{"radius": 0.5, "n_planes": 5, "n_epochs": 4, "random_state": 3} | changes
    )


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_planes_certify_as_far_as_those_of_memory(norm):
    X, y = cloud(12_000, seed=1)
    radius = 0.15 if norm == "linf" else 0.5
    ensemble = collaborative(norm=norm, radius=radius)
    model = scale.fit(clone(ensemble), in_parts(X[:8_000], y[:8_000]), memory=MEMORY)
    local = ensemble.fit(X[:8_000], y[:8_000])
    assert model.status_ == "finished" and model.coef_.shape == (5, 8)
    # Two orders of the same rows: equal but for what another seed would change, too.
    ours, theirs = model.history_["objective"], local.history_["objective"]
    assert len(ours) == len(theirs) == 4
    assert ours[-1] == pytest.approx(theirs[-1], rel=0.03)
    far = [each.certify(X[8_000:], y[8_000:]).lower for each in (model, local)]
    curves = [np.mean(lower[:, None] >= radius * np.linspace(0, 1.5, 4), axis=0) for lower in far]
    assert np.allclose(*curves, atol=0.02)


@pytest.mark.parametrize("memory", [MEMORY, 50 * MEMORY])
def test_the_bits_do_not_depend_on_how_the_rows_are_cut(memory):
    X, y = cloud(9_000, seed=2)
    weights = np.arange(len(X)) % 3.0
    radii = np.linspace(0.2, 0.8, len(X))
    changes = {"validation_share": 0.1, "patience": 2}
    models = [
        scale.fit(collaborative(**changes), parts, memory=memory)
        for parts in ([(X, y, weights, radii)], in_parts(X, y, weights, radii, n_parts=9))
    ]
    assert np.array_equal(models[0].coef_, models[1].coef_)
    for name in ("objective", "validation_objective"):
        assert np.array_equal(models[0].history_[name], models[1].history_[name])
    assert np.isfinite(models[0].history_["validation_objective"]).all()


def test_windows_do_not_matter(monkeypatch):
    X, y = cloud(9_000, seed=3)
    models = []
    for copies in (3, 20, 150):
        monkeypatch.setattr("redoubt._scale.training.collaborative.COPIES", copies)
        models.append(scale.fit(collaborative(n_epochs=2), [(X, y)], memory=3 * MEMORY))
    passes = [model.passes_ for model in models]
    assert passes == sorted(passes) and passes[0] < passes[1] < passes[2]
    for model in models[1:]:
        assert np.array_equal(model.coef_, models[0].coef_)
        objectives = [each.history_["objective"] for each in (model, models[0])]
        assert np.allclose(*objectives, rtol=1e-13)


def test_epochs_end_with_the_rows():
    X, y = cloud(1_000, seed=4)
    model = scale.fit(collaborative(batch_size=300, n_epochs=2), [(X, y)], memory=MEMORY)
    # All rows fit into memory: one pass for all epochs, and those of the start.
    assert len(model.history_["objective"]) == 2 and model.passes_ <= 8


def test_several_classes_and_rules_for_single_rows():
    X, y = cloud(5_000, seed=5)
    y = np.where(X[:, 0] > 1, "other", y)
    model = scale.fit(collaborative(n_planes=None), in_parts(X, y), memory=MEMORY)
    # In passes each class is trained on its own.
    alone = OneVsRestClassifier(collaborative(n_planes=1)).fit(X, y)
    assert model.score(X, y) > alone.score(X, y) - 0.02
    X[:, 1] = np.round(X[:, 1])
    rules = redoubt.AttackModel("l2", integer=1, bounds={0: (-9, 9)}, attacking_class="yes")
    X, y = X[y != "other"], y[y != "other"]
    model = scale.fit(collaborative(attack_model=rules), in_parts(X, y), memory=MEMORY)
    assert model.score(X, y) > clone(model).fit(X, y).score(X, y) - 0.02
    bad = np.flatnonzero(y == "yes")[40]
    X[bad, 1] += 0.5
    with pytest.raises(ValueError, match=rf"part 0: X: expected integers .* in row {bad}"):
        scale.fit(collaborative(attack_model=rules), [(X, y)], memory=MEMORY)


def test_a_time_limit_is_said():
    X, y = cloud(4_000, seed=6)
    with pytest.warns(UserWarning, match="time limit"):
        model = scale.fit(collaborative(max_seconds=0.0), [(X, y)], memory=MEMORY)
    assert model.is_partial_ and model.coef_.shape == (5, 8)


# --- radii ------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_sample_chooses_the_radius(n_classes):
    X, y = cloud(6_000, seed=7)
    if n_classes == 3:
        y = np.where(X[:, 0] > 1, "other", y)
    models = [
        scale.fit(RobustSVMClassifier("auto", tol=1e-6), parts, memory=2 * MEMORY)
        for parts in ([(X, y)], in_parts(X, y))
    ]
    assert np.array_equal(models[0].radius_, models[1].radius_)
    assert np.array_equal(models[0].coef_, models[1].coef_)
    choices = models[0].radius_choice_
    for number, choice in enumerate([choices] if n_classes == 2 else choices):
        assert choice["n_points"] == pytest.approx(2_000, abs=2)
        radius = np.ravel(models[0].radius_)[number]
        assert choice["radius"] == radius and radius in choice["candidate_radius"]
    local = RobustSVMClassifier("auto", tol=1e-6).fit(X, y)
    local_choices = local.radius_choice_ if n_classes == 3 else [local.radius_choice_]
    ours = choices if n_classes == 3 else [choices]
    for one, other in zip(ours, local_choices, strict=True):
        assert one["scale"] == pytest.approx(other["scale"], rel=0.2)


def test_a_search_on_a_sample_trains_the_winner_on_all_rows(tmp_path):
    X, y = cloud(30_000, seed=8)
    search = RadiusSearchCV(
        RobustSVMClassifier(tol=1e-6), radii=[0.01, 0.3], attack_radii=[0, 0.5], cv=3
    )
    found = scale.fit(search, in_parts(X, y), memory=30 * MEMORY)
    assert found is search and found.n_searched_ == 20_000
    assert len(found.cv_results_["mean_test_score"]) == 2
    radius = found.best_params_["radius"]
    wanted = scale.fit(RobustSVMClassifier(radius, tol=1e-6), [(X, y)], memory=30 * MEMORY)
    assert np.array_equal(found.best_estimator_.coef_, wanted.coef_)
    assert np.array_equal(found.predict(X[:9]), wanted.predict(X[:9]))
    assert found.passes_ == 1 + wanted.passes_
    pytest.importorskip("pyarrow")
    path = write_parquet(tmp_path / "rows.parquet", X[:3_000], y[:3_000])
    named = scale.fit(clone(search), path, label="answer", memory=30 * MEMORY)
    assert named.best_estimator_.feature_names_in_.tolist() == [f"f{k}" for k in range(8)]


# --- interruptions ----------------------------------------------------------------------------


class Interrupted:
    """Rows whose reader is interrupted in the pass with this number."""

    def __init__(self, parts, at):
        self.parts, self.at, self.n_passes = parts, at, 0

    def __call__(self):
        self.n_passes += 1
        for number, part in enumerate(self.parts):
            if self.n_passes == self.at and number == 2:
                raise KeyboardInterrupt
            yield part


ESTIMATORS = {
    "plane": RobustSVMClassifier(0.2),
    "bags": redoubt.BaggedSVMClassifier(2, random_state=0),
    "robust": redoubt.RobustEnsembleClassifier(0.2, n_planes=2, adversary="heuristic"),
    "together": CollaborativeEnsembleClassifier(0.5, n_planes=3, n_epochs=2, random_state=0),
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_interrupted_training_goes_on(tmp_path, name):
    parts = in_parts(*cloud(6_000, seed=9))
    options = {"memory": MEMORY, "checkpoint": tmp_path / "state"}
    wanted = scale.fit(clone(ESTIMATORS[name]), parts, memory=MEMORY)
    data = Interrupted(parts, 3)
    with pytest.raises(KeyboardInterrupt):
        scale.fit(clone(ESTIMATORS[name]), data, **options)
    kept = sorted(os.listdir(options["checkpoint"]))
    assert kept == ["0.answer", "1.answer", "run.json"]
    n_before = data.n_passes
    model = scale.fit(clone(ESTIMATORS[name]), data, **options)
    assert np.array_equal(model.coef_, wanted.coef_)
    assert np.array_equal(model.intercept_, wanted.intercept_)
    assert model.passes_ == wanted.passes_
    # The two finished passes are not read again; the third one is.
    clean = Interrupted(parts, None)
    scale.fit(clone(ESTIMATORS[name]), clean, memory=MEMORY)
    assert data.n_passes - n_before == clean.n_passes - 2
    assert not options["checkpoint"].exists()


def test_checkpoints_of_other_trainings_and_damaged_ones_are_refused(tmp_path):
    pytest.importorskip("pyarrow")
    X, y = cloud(4_000, seed=10)
    path = write_parquet(tmp_path / "rows.parquet", X, y)
    state = tmp_path / "state"
    options = {"label": "answer", "memory": MEMORY, "checkpoint": state}
    with pytest.warns(UserWarning, match="iteration limit"):
        scale.fit(RobustSVMClassifier(0.2), path, max_passes=2, **options | {"checkpoint": None})

    def stop(parts):
        data = Interrupted(parts, 3)
        with pytest.raises(KeyboardInterrupt):
            scale.fit(RobustSVMClassifier(0.2), data, memory=MEMORY, checkpoint=state)

    stop(in_parts(X, y))
    for estimator, message in (
        (RobustSVMClassifier(0.3), "different estimator, data"),
        (RobustSVMClassifier(0.2), "different data"),
    ):
        with pytest.raises(ValueError, match=f"the checkpoint is of another run .{message}.; delete"):
            scale.fit(estimator, path, **options)
    (state / "1.answer").write_bytes((state / "1.answer").read_bytes()[:-9])
    with pytest.raises(ValueError, match="1.answer: the checkpoint is damaged; delete"):
        scale.fit(
            RobustSVMClassifier(0.2), Interrupted(in_parts(X, y), None), memory=MEMORY, checkpoint=state
        )
    # Nothing but answers is ever loaded.
    (state / "1.answer").write_bytes(b"cos\nsystem\n(S'true'\ntR.")
    with pytest.raises(ValueError, match="1.answer: the checkpoint is damaged; delete"):
        scale.fit(
            RobustSVMClassifier(0.2), Interrupted(in_parts(X, y), None), memory=MEMORY, checkpoint=state
        )


def test_a_disk_that_is_full_is_said(tmp_path):
    parts = in_parts(*cloud(4_000, seed=11))
    classifier, state = RobustSVMClassifier(0.2), tmp_path / "state"
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(redoubt.WriteError, match="file/state: cannot make the folder"):
        scale.fit(classifier, parts, memory=MEMORY, checkpoint=tmp_path / "file" / "state")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3_000, hard))
    try:
        with pytest.raises(redoubt.WriteError, match="0.answer: cannot write the part") as error:
            scale.fit(classifier, parts, memory=MEMORY, checkpoint=state)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "\n" not in str(error.value)
    assert os.listdir(state) == ["run.json"]
    model = scale.fit(classifier, parts, memory=MEMORY, checkpoint=state)
    wanted = scale.fit(clone(classifier), parts, memory=MEMORY)
    assert np.array_equal(model.coef_, wanted.coef_)


def test_rows_that_end_and_parts_of_one_class():
    """Ens-C: windows see parts without rows, of one class, and classes without weight."""
    X, y = cloud(3_000, seed=12)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    whole = scale.fit(collaborative(), [(X, y)], memory=MEMORY)
    parts = [(X[:0], y[:0]), (X[:900], y[:900]), (X[900:900], y[:0]), (X[900:], y[900:])]
    assert np.array_equal(scale.fit(collaborative(), parts, memory=MEMORY).coef_, whole.coef_)
    gone = np.where(y == "no", 1.0, 0.0)
    with pytest.raises(ValueError, match="needs samples of 2 classes with positive weight, got 1"):
        scale.fit(collaborative(), [(X, y, gone)], memory=MEMORY)
    passes = iter(range(100))

    def changing():
        yield X, np.where((np.arange(len(X)) == 7) & (next(passes) > 0), "new", y)

    with pytest.raises(ValueError, match="the label 'new' was not there in the first pass"):
        scale.fit(collaborative(), changing, memory=MEMORY)
