"""Trainings by passes over more rows than are kept: proofs, bits, and what is refused."""

import shutil
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse
import scipy.stats
from scale_problems import cloud, in_parts, objective, repeated, write_parquet
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import redoubt
from redoubt import LinearSVMClassifier, RobustSVMClassifier, scale
from redoubt.model_selection import RadiusSearchCV

# So small that about 2,000 rows of 8 features are kept.
MEMORY = 2_000 * 8 * 6 * 13
ROBUST = [("l2", 0.2), ("linf", 0.05), ("l1", 0.2)]
CLASSIFIERS = {
    "plain": LinearSVMClassifier(C=0.5, tol=1e-8),
    **{norm: RobustSVMClassifier(radius, norm=norm, tol=1e-8) for norm, radius in ROBUST},
}


def fresh(name, **changes):
    return clone(CLASSIFIERS[name]).set_params(**changes)


def radius_of(model):
    return getattr(model, "radius", 0.0)


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("kind", [{}, {"heavy": True}, {"distance": 2.5}])
def test_optimum_of_all_rows_is_reached_and_proven(name, kind):
    X, y = cloud(20_000, **kind)
    model = scale.fit(fresh(name), in_parts(X, y), memory=MEMORY)
    local = fresh(name).fit(X, y)
    assert model.status_ == "optimal" and model.dual_gap_ <= 1e-8
    # The proof, by code that knows nothing of the passes: the value, and a bound from all rows.
    value = objective(model, X, y, radii=radius_of(model))
    assert model.objective_ == pytest.approx(value, rel=1e-10)
    assert value == pytest.approx(local.objective_, rel=2e-8)
    assert model.passes_ <= 7
    assert max(each["kept"] for each in model.history_) <= 2_000
    assert (model.predict(X) == local.predict(X)).mean() > 0.999


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_three_passes_when_a_fifth_of_the_rows_fits(name):
    X, y = cloud(30_000, seed=1)
    model = scale.fit(fresh(name, tol=1e-6), in_parts(X, y), memory=3 * MEMORY)
    assert model.passes_ == 3


@pytest.mark.parametrize("name", ["plain", "linf"])
def test_the_bits_do_not_depend_on_how_the_rows_are_cut(name):
    X, y = cloud(20_000, seed=2)
    one = scale.fit(fresh(name), [(X, y)], memory=MEMORY)
    for n_parts in (2, 7, 40):
        other = scale.fit(fresh(name), in_parts(X, y, n_parts=n_parts), memory=MEMORY)
        assert np.array_equal(one.coef_, other.coef_)
        assert np.array_equal(one.intercept_, other.intercept_)
        assert one.history_ == other.history_


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_copies_of_a_row_are_one_row(name):
    X, y = repeated(20_000, different=600)
    model = scale.fit(fresh(name), in_parts(X, y), memory=MEMORY)
    assert model.status_ == "optimal" and model.passes_ <= 5
    assert model.objective_ == pytest.approx(objective(model, X, y, radii=radius_of(model)), rel=1e-10)
    assert model.objective_ == pytest.approx(fresh(name).fit(X, y).objective_, rel=2e-8)
    # Thinned ones too, in any order.
    few = scale.fit(fresh(name, tol=1e-3), [(X, y)], memory=MEMORY / 3)
    parts = in_parts(X, y, n_parts=9)
    again = scale.fit(fresh(name, tol=1e-3), parts, memory=MEMORY / 3)
    assert np.array_equal(few.coef_, again.coef_) and few.history_ == again.history_


def test_weights_and_radii_of_rows():
    X, y = cloud(20_000, seed=3)
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 4, len(X)).astype(float)
    radii = rng.uniform(0.0, 0.4, len(X))
    model = scale.fit(fresh("l2"), in_parts(X, y, weights, radii), memory=MEMORY)
    local = fresh("l2").fit(X, y, sample_weight=weights, radius=radii)
    assert model.objective_ == pytest.approx(objective(model, X, y, weights, radii), rel=1e-10)
    assert model.objective_ == pytest.approx(local.objective_, rel=2e-8)


@pytest.mark.parametrize("class_weight", ["balanced", {"no": 3.0}])
def test_class_weights(class_weight):
    X, y = cloud(20_000, seed=4, share=0.1)
    changes = {"class_weight": class_weight}
    model = scale.fit(fresh("plain", **changes), in_parts(X, y), memory=MEMORY)
    local = fresh("plain", **changes).fit(X, y)
    assert model.objective_ == pytest.approx(local.objective_, rel=2e-8)


def test_several_classes_share_the_passes():
    X, y = cloud(15_000, seed=5)
    y = np.where(X[:, 0] > 1, "other", y)
    model = scale.fit(fresh("l2", tol=1e-6), in_parts(X, y), memory=MEMORY)
    local = fresh("l2", tol=1e-6).fit(X, y)
    assert model.classes_.tolist() == ["no", "other", "yes"]
    assert model.objective_ == pytest.approx(local.objective_, rel=3e-6)
    assert model.passes_ <= 8 and len(model.history_) == 3


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_scaled_and_frozen_features_and_an_attacking_class(norm):
    X, y = cloud(20_000, n=5, seed=6)
    rules = redoubt.AttackModel(
        norm, scale=[1.0, 0.5, 2.0, 1.0, 1.0], frozen=4, attacking_class="yes"
    )
    model = RobustSVMClassifier(0.2, attack_model=rules)
    passed = scale.fit(fresh("l2").set_params(**model.get_params()), in_parts(X, y), memory=MEMORY)
    local = model.fit(X, y)
    assert passed.status_ == "optimal"
    assert passed.objective_ == pytest.approx(local.objective_, rel=2e-8)


def test_regularisation_beside_the_adversary():
    X, y = cloud(20_000, seed=7)
    model = scale.fit(fresh("l2", regularization=50.0), in_parts(X, y), memory=MEMORY)
    assert model.objective_ == pytest.approx(
        fresh("l2", regularization=50.0).fit(X, y).objective_, rel=2e-8
    )


def test_bags_share_the_passes():
    X, y = cloud(10_000, seed=14)
    bagged = redoubt.BaggedSVMClassifier(4, C=0.5, random_state=3)
    model = scale.fit(bagged, in_parts(X, y), memory=4 * MEMORY)
    assert model.coef_.shape == (4, 8) and model.passes_ <= 7 and model.dual_gap_ <= 1e-8
    assert len(np.unique(model.intercept_)) == 4
    other = scale.fit(clone(bagged), [(X, y)], memory=4 * MEMORY)
    assert np.array_equal(model.coef_, other.coef_)
    # Each plane is the SVM of its bag.
    first = 2**40 + 3 * 2**20
    for number in range(4):
        uniforms = redoubt._core.row_uniforms(first + number, np.arange(len(X)))
        counts = scipy.stats.poisson.ppf(uniforms, 1.0)
        local = LinearSVMClassifier(C=0.5).fit(X, y, sample_weight=counts)
        assert np.allclose(local.coef_[0], model.coef_[number], rtol=0, atol=2e-4)


@pytest.mark.parametrize("adversary", ["exact", "relaxed", "heuristic"])
def test_robust_ensembles_are_those_of_memory(adversary):
    X, y = cloud(3_000, n=4, seed=15)
    ensemble = redoubt.RobustEnsembleClassifier(0.2, n_planes=3, adversary=adversary, tol=1e-9)
    model = scale.fit(clone(ensemble), in_parts(X, y), memory=MEMORY / 4)
    local = ensemble.fit(X, y)
    assert model.coef_.shape == (3, 4) and model.dual_gap_ <= 1e-9
    assert np.allclose(model.coef_, local.coef_, rtol=0, atol=2e-3)
    assert (model.predict(X) == local.predict(X)).mean() > 0.998
    other = scale.fit(clone(ensemble), [(X, y)], memory=MEMORY / 4)
    assert np.array_equal(model.coef_, other.coef_)


def test_a_constant_answer_is_proven_and_said():
    X, y = cloud(20_000, seed=8, share=0.1)
    with pytest.warns(redoubt.ConstantAnswerWarning, match="w = 0 is optimal"):
        model = scale.fit(fresh("l2", radius=3.0), in_parts(X, y), memory=MEMORY)
    assert not model.coef_.any() and model.dual_gap_ <= 1e-8
    assert model.objective_ == pytest.approx(2 * (y == "yes").sum())


def test_what_is_not_proven_in_time_is_said():
    X, y = cloud(20_000, seed=9)
    with pytest.warns(ConvergenceWarning, match="iteration limit"):
        model = scale.fit(fresh("plain"), in_parts(X, y), memory=MEMORY / 4, max_passes=2)
    local = fresh("plain").fit(X, y)
    assert model.objective_ * (1 - model.dual_gap_) <= local.objective_ <= model.objective_


def test_separable_rows():
    X, y = cloud(20_000, seed=10, distance=8.0)
    model = scale.fit(fresh("l2"), in_parts(X, y), memory=MEMORY)
    assert model.status_ == "optimal"
    assert model.objective_ == pytest.approx(fresh("l2").fit(X, y).objective_, abs=1e-12 * len(X))
    plain = scale.fit(fresh("plain"), in_parts(X, y), memory=MEMORY)
    assert plain.objective_ == pytest.approx(fresh("plain").fit(X, y).objective_, abs=2e-8)


@pytest.mark.parametrize(
    "classifier",
    [
        CLASSIFIERS["l2"],
        redoubt.BaggedSVMClassifier(3, random_state=0),
        redoubt.RobustEnsembleClassifier(0.1, n_planes=3),
    ],
)
def test_a_fitted_model_is_saved_and_certified(tmp_path, classifier):
    X, y = cloud(2_000, seed=11)
    model = scale.fit(clone(classifier), [(X, y)], memory=MEMORY)
    model.save(tmp_path / "model.json")
    loaded = redoubt.load_model(tmp_path / "model.json")
    assert np.array_equal(loaded.predict(X), model.predict(X))
    assert np.array_equal(loaded.certify(X[:9]).radius, model.certify(X[:9]).radius)


# --- Parquet ----------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path):
    pytest.importorskip("pyarrow")
    X, y = cloud(6_000, seed=12)
    parts = in_parts(X, y, np.linspace(0.5, 2, len(X)), n_parts=3)
    for k, (rows, labels, weights) in enumerate(parts):
        write_parquet(tmp_path / f"{k}.parquet", rows, labels, weight=weights)
    return tmp_path, X, y


def test_parquet_gives_the_bits_of_arrays(files):
    folder, X, y = files
    weights = np.linspace(0.5, 2, len(X))
    wanted = scale.fit(fresh("l2"), [(X, y, weights)], memory=MEMORY)
    for data in (folder, sorted(folder.glob("*.parquet"))):
        model = scale.fit(fresh("l2"), data, label="answer", sample_weight="weight", memory=MEMORY)
        assert np.array_equal(model.coef_, wanted.coef_)
        assert model.feature_names_in_.tolist() == [f"f{k}" for k in range(8)]
    some = scale.fit(fresh("plain"), folder, label="answer", features=["f3", "f1"], memory=MEMORY)
    other = scale.fit(fresh("plain"), [(X[:, [3, 1]], y)], memory=MEMORY)
    assert np.array_equal(some.coef_, other.coef_)


def test_arrow_files_give_the_bits_of_parquet(files):
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder, X, y = files
    table = pa.concat_tables(pq.read_table(path) for path in sorted(folder.glob("*.parquet")))
    with pa.ipc.new_file(folder / "rows.arrow", table.schema) as writer:
        writer.write_table(table, max_chunksize=700)
    options = {"label": "answer", "sample_weight": "weight", "memory": MEMORY}
    one = scale.fit(fresh("l1"), folder / "rows.arrow", **options)
    other = scale.fit(fresh("l1"), sorted(folder.glob("*.parquet")), **options)
    assert np.array_equal(one.coef_, other.coef_)


def changed(folder, change):
    """The last file again, with a change of its table."""
    import pyarrow.parquet as pq

    path = folder / "2.parquet"
    pq.write_table(change(pq.read_table(path)), path, row_group_size=1000)


def test_bad_files_are_named_with_their_row_group(files):
    folder, _, _ = files
    fit = {"label": "answer", "features": ["f0", "f1"], "memory": MEMORY}

    def put(name, change):
        def apply(table):
            place = table.column_names.index(name)
            return table.set_column(place, name, change(table.column(name).to_pylist()))

        return apply

    def gap(values):
        values[1500] = None
        return [values]

    cases = [
        (put("f1", gap), r"2.parquet, row group 1: no value in row 500, column 'f1'"),
        (put("answer", gap), r"2.parquet, row group 1: no label in row 500"),
        (put("f1", lambda v: [[str(x) for x in v]]), r"2.parquet: column 'f1' is string, but double in"),
        (
            put("answer", lambda v: [[len(x) for x in v]]),
            r"2.parquet: column 'answer' is int64, but string in",
        ),
        (lambda table: table.drop_columns(["f1"]), r"2.parquet: column 'f1' not found"),
    ]
    for change, message in cases:
        shutil.copy(folder / "2.parquet", folder / "kept")
        changed(folder, change)
        with pytest.raises(ValueError, match=message) as caught:
            scale.fit(fresh("plain"), folder, **fit)
        assert "\n" not in str(caught.value)
        shutil.move(folder / "kept", folder / "2.parquet")

    whole = (folder / "2.parquet").read_bytes()
    (folder / "2.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"2.parquet: cannot read the file"):
        scale.fit(fresh("plain"), folder, **fit)
    (folder / "2.parquet").write_bytes(whole[:4] + bytes(60) + whole[64:])
    with pytest.raises(ValueError, match=r"2.parquet, row group \d"):
        scale.fit(fresh("plain"), folder, **fit)


def test_empty_parts_and_parts_of_one_class():
    X, y = cloud(6_000, seed=13)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    parts = [(X[:0], y[:0]), (X[:2000], y[:2000]), (X[2000:2000], y[:0]), (X[2000:], y[2000:])]
    model = scale.fit(fresh("l2"), parts, memory=MEMORY)
    assert model.objective_ == pytest.approx(fresh("l2").fit(X, y).objective_, rel=2e-8)


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        ([], TypeError, "data: expected a file"),
        (lambda: iter([]), ValueError, "data: no rows"),
        ([(np.zeros((5, 2)), np.ones(5))], ValueError, "needs samples of 2 classes"),
        (
            [(np.full((5, 2), np.nan), np.ones(5))],
            ValueError,
            "part 0: no value in row 0, column 0",
        ),
        ([(np.zeros((5, 2)), np.ones(4))], ValueError, "part 0: expected 5 labels"),
        (
            [(np.zeros((5, 2)), np.ones(5)), (np.zeros((5, 3)), np.zeros(5))],
            ValueError,
            "part 1: expected 2 features, got 3",
        ),
        ([(np.eye(2), [0, 1], [1.0, -1.0])], ValueError, "sample_weight must be a number >= 0"),
        ([(np.eye(2), [0.0, np.nan])], ValueError, "part 0: no label in row 1"),
        (lambda: iter([np.eye(2)]), TypeError, "part 0: expected a tuple"),
    ],
)
def test_bad_data(data, error, message):
    with pytest.raises(error, match=message) as caught:
        scale.fit(LinearSVMClassifier(), data)
    assert "\n" not in str(caught.value)


def test_labels_that_appear_later():
    X, y = cloud(1_000)
    passes = iter([y, np.where(np.arange(1_000) == 7, "new", y)])
    with pytest.raises(ValueError, match="the label 'new' was not there in the first pass"):
        scale.fit(fresh("plain"), lambda: [(X, next(passes))])


@pytest.mark.parametrize(
    ("estimator", "error", "message"),
    [
        (redoubt.displays, TypeError, "estimator: expected one of LinearSVMClassifier, RobustSVM"),
        (RobustSVMClassifier("most"), ValueError, "radius: expected a number or 'auto', got 'most'"),
        (
            RobustSVMClassifier(attack_model=redoubt.AttackModel("l0", bounds=(-9, 9))),
            NotImplementedError,
            "attack_model: planes trained by passes know moves in l1, l2 and linf",
        ),
        (
            LinearSVMClassifier(warm_start=True),
            NotImplementedError,
            "warm_start: training by passes always starts afresh",
        ),
        (
            redoubt.CollaborativeEnsembleClassifier(0.1, norm="linf", features_per_plane=1),
            NotImplementedError,
            "features_per_plane: votes of stumps need all rows in memory",
        ),
        (
            RadiusSearchCV(make_pipeline(StandardScaler(), RobustSVMClassifier())),
            TypeError,
            "estimator: a search by passes takes a classifier of redoubt itself, got Pipeline",
        ),
    ],
)
def test_what_passes_cannot_train(estimator, error, message):
    with pytest.raises(error, match=message) as caught:
        scale.fit(estimator, [cloud(100)])
    assert "\n" not in str(caught.value)


def test_rows_that_come_or_go_between_passes(tmp_path):
    X, y = cloud(1_000)
    lengths = iter([1_000, 900])
    with pytest.raises(ValueError, match="data: 900 rows in this pass, 1000 in the one before"):
        scale.fit(fresh("plain"), lambda: [tuple(each[:n] for each in (X, y)) for n in [next(lengths)]])
    pytest.importorskip("pyarrow")
    path = write_parquet(tmp_path / "rows.parquet", X, y)

    class Vanishing(LinearSVMClassifier):
        def _resolve_attack_model(self, classes):  # after the first pass
            path.unlink()

    with pytest.raises(ValueError, match="rows.parquet: cannot read the file: .*No such file") as error:
        scale.fit(Vanishing(), path, label="answer", memory=MEMORY)
    assert "\n" not in str(error.value)


def test_rows_are_counted_across_blocks():
    X, y = cloud(20_000)
    X[17_000, 2] = np.nan
    with pytest.raises(ValueError, match="part 0 from row 16384: no value in row 616, column 2"):
        scale.fit(fresh("plain"), [(X, y)])


def test_sparse_parts():
    X, y = cloud(3_000, seed=16)
    X[np.abs(X) < 1] = 0
    wanted = scale.fit(fresh("l2"), [(X, y)], memory=MEMORY)
    for kind in (scipy.sparse.csr_matrix, scipy.sparse.csc_array):
        parts = [(kind(X[a:b]), y[a:b]) for a, b in ((0, 1000), (1000, 3000))]
        model = scale.fit(fresh("l2"), parts, memory=MEMORY)
        assert np.array_equal(model.coef_, wanted.coef_)
    wide = scipy.sparse.random_array((20, 20_000), density=0.01, format="csr", rng=0)
    with pytest.raises(NotImplementedError, match="20000 features; training by passes takes up to"):
        scale.fit(fresh("plain"), [(wide, np.arange(20) % 2)])


def test_importing_the_package_needs_nothing_optional():
    code = "import sys; sys.modules.update(pyarrow=None, dask=None); import redoubt"
    subprocess.run([sys.executable, "-c", code], check=True)
