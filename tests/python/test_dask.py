"""redoubt.dask: lazy results, and the same bits from any scheduler and any number of workers."""

import os
import signal
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
import scipy.sparse
from scale_problems import cloud
from sklearn.base import clone

import redoubt
from redoubt import scale

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")
pd = pytest.importorskip("pandas")
dask = pytest.importorskip("dask")
rd = pytest.importorskip("redoubt.dask")

MEMORY = 2_000 * 8 * 6 * 13
VOTE = redoubt.Ensemble(
    np.random.default_rng(0).normal(size=(5, 8)), np.random.default_rng(1).normal(size=5)
)
LOCAL = {
    "plain": redoubt.LinearSVMClassifier(C=0.5),
    "l2": redoubt.RobustSVMClassifier(0.2, norm="l2"),
    "linf": redoubt.RobustSVMClassifier(0.05, norm="linf"),
    "l1": redoubt.RobustSVMClassifier(0.2, norm="l1"),
}


def on_dask(name, **more):
    local = LOCAL[name]
    kind = rd.LinearSVMClassifier if name == "plain" else rd.RobustSVMClassifier
    return kind(**local.get_params(), memory=MEMORY, **more)


@pytest.fixture(scope="module")
def rows():
    X, y = cloud(8_000, seed=0)
    return X, y


def arrays(X, y, size=1_000):
    return da.from_array(X, chunks=(size, 8)), da.from_array(y, chunks=size)


def frame(X, y, n_partitions=5):
    table = pd.DataFrame(X, columns=[f"f{k}" for k in range(X.shape[1])])
    table["answer"] = y
    return dd.from_pandas(table, npartitions=n_partitions)


@pytest.fixture
def sync():
    with dask.config.set(scheduler="synchronous"):
        yield


# --- lazy results -----------------------------------------------------------------------------


def test_certificates_of_arrays_are_lazy_and_those_of_memory(rows, sync):
    X, _ = rows
    found = rd.certify(VOTE, da.from_array(X, chunks=(900, 3)), norm="linf")
    assert found.dtype.names == ("prediction", "radius", "lower", "upper", "status")
    wanted = redoubt.certify(VOTE, X, norm="linf")
    computed = found.compute()
    assert computed.dtype == found.dtype
    for name in ("prediction", "radius", "lower", "upper"):
        assert np.array_equal(computed[name], getattr(wanted, name))
    assert np.array_equal(
        rd.predict(VOTE, da.from_array(X, chunks=900)).compute(), wanted.prediction
    )


def test_certificates_of_dataframes_have_the_right_meta(rows, sync):
    X, y = rows
    model = clone(LOCAL["l2"]).fit(pd.DataFrame(X, columns=[f"f{k}" for k in range(8)]), y)
    table = frame(X, y)
    lazy = rd.certify(model, table, "answer", witness=True)
    computed = lazy.compute()
    assert lazy.columns.tolist() == computed.columns.tolist()
    assert lazy.dtypes.to_dict() == computed.dtypes.to_dict()
    assert lazy.npartitions == table.npartitions
    wanted = redoubt.certify(model, table.compute()[[f"f{k}" for k in range(8)]], y)
    assert np.array_equal(computed["radius"], wanted.radius)
    assert np.array_equal(
        rd.predict(model, table.drop(columns="answer")).compute(),
        model.predict(table.compute()[[f"f{k}" for k in range(8)]]),
    )


def test_attack_curves_are_those_of_memory(rows, sync):
    X, y = rows
    model = clone(LOCAL["l2"]).fit(X, y)
    radii = [0, 0.1, 0.5]
    wanted = redoubt.attack_curve(model.certify(X, y), y, radii)
    by_arrays = rd.attack_curve(model, *arrays(X, y), radii)
    assert np.array_equal(by_arrays.accuracy, wanted.accuracy)
    assert np.allclose(by_arrays.balanced_accuracy, wanted.balanced_accuracy, rtol=1e-14)
    with pytest.raises(ValueError, match="y: expected 8 partitions as X has, got 16"):
        rd.attack_curve(model, arrays(X, y)[0], arrays(X, y, 500)[1], radii)


# --- trainings --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LOCAL)
def test_planes_are_those_of_passes_and_as_good_as_in_memory(rows, sync, name):
    X, y = rows
    model = on_dask(name).fit(*arrays(X, y, 190))
    wanted = scale.fit(clone(LOCAL[name]), [(X, y)], memory=MEMORY)
    assert np.array_equal(model.coef_, wanted.coef_)
    assert np.array_equal(model.intercept_, wanted.intercept_)
    assert model.dual_gap_ <= 1e-8
    assert model.objective_ == pytest.approx(clone(LOCAL[name]).fit(X, y).objective_, rel=1e-8)
    assert np.array_equal(model.predict(arrays(X, y)[0]).compute(), model.predict(X))
    assert np.array_equal(
        model.certify(arrays(X, y)[0])["radius"].compute(), model.certify(X).radius
    )


def test_bags_on_dask(rows, sync):
    X, y = rows
    local = redoubt.BaggedSVMClassifier(3, random_state=1)
    model = rd.BaggedSVMClassifier(**local.get_params(), memory=3 * MEMORY).fit(*arrays(X, y))
    wanted = scale.fit(local, [(X, y)], memory=3 * MEMORY)
    assert np.array_equal(model.coef_, wanted.coef_)
    assert np.array_equal(model.predict(arrays(X, y)[0]).compute(), wanted.predict(X))


def test_robust_ensembles_on_dask(rows, sync):
    X, y = rows
    local = redoubt.RobustEnsembleClassifier(0.2, n_planes=2, adversary="heuristic")
    model = rd.RobustEnsembleClassifier(**local.get_params(), memory=MEMORY).fit(*arrays(X, y))
    wanted = scale.fit(local, [(X, y)], memory=MEMORY)
    assert np.array_equal(model.coef_, wanted.coef_)
    assert np.array_equal(model.certify(X[:50]).radius, model.certify(arrays(X, y)[0][:50])["radius"].compute())


def test_collaborative_ensembles_on_dask(rows, sync):
    X, y = rows
    local = redoubt.CollaborativeEnsembleClassifier(0.5, n_planes=3, n_epochs=2, random_state=0)
    model = rd.CollaborativeEnsembleClassifier(**local.get_params(), memory=MEMORY)
    model.fit(*arrays(X, y, 700))
    wanted = scale.fit(local, [(X, y)], memory=MEMORY)
    assert np.array_equal(model.coef_, wanted.coef_)
    assert np.array_equal(
        model.certify(arrays(X, y)[0])["radius"].compute(), wanted.certify(X).radius
    )


def test_radii_by_the_data_on_dask(rows, sync):
    X, y = rows
    auto = rd.RobustSVMClassifier("auto", tol=1e-6, memory=MEMORY).fit(*arrays(X, y, 600))
    wanted = scale.fit(redoubt.RobustSVMClassifier("auto", tol=1e-6), [(X, y)], memory=MEMORY)
    assert auto.radius_ == wanted.radius_ and np.array_equal(auto.coef_, wanted.coef_)
    options = {"radii": [0.01, 0.3], "attack_radii": [0, 0.5], "cv": 3}
    model = rd.RobustSVMClassifier(tol=1e-6)
    search = rd.RadiusSearchCV(model, **options, memory=MEMORY).fit(*arrays(X, y))
    local = redoubt.model_selection.RadiusSearchCV(redoubt.RobustSVMClassifier(tol=1e-6), **options)
    local = scale.fit(local, [(X, y)], memory=MEMORY)
    assert search.best_params_ == local.best_params_
    assert np.array_equal(search.best_estimator_.coef_, local.best_estimator_.coef_)
    lazy = arrays(X, y)[0]
    assert np.array_equal(search.predict(lazy).compute(), local.predict(X))
    radii = search.certify(lazy)["radius"].compute()
    assert np.array_equal(radii, local.best_estimator_.certify(X).radius)
    with pytest.raises(TypeError, match="estimator: expected a classifier of redoubt.dask"):
        rd.RadiusSearchCV(redoubt.RobustSVMClassifier()).fit(*arrays(X, y))
    table = frame(X, y)
    search.fit(table.drop(columns="answer"), table["answer"])
    assert search.best_estimator_.feature_names_in_.tolist() == [f"f{k}" for k in range(8)]


def test_sparse_blocks(rows, sync):
    X, y = rows
    X = np.where(np.abs(X) < 1, 0, X)
    lazy, labels = arrays(X, y)
    sparse = lazy.map_blocks(scipy.sparse.csr_matrix, meta=scipy.sparse.csr_matrix((0, 0)))
    model = on_dask("l2").fit(sparse, labels)
    assert np.array_equal(model.coef_, on_dask("l2").fit(lazy, labels).coef_)
    assert np.array_equal(model.predict(sparse).compute(), model.predict(X))
    radii = model.certify(sparse)["radius"].compute()
    assert np.allclose(radii, model.certify(X).radius, rtol=1e-12, atol=1e-14)
    radii = [0, 0.2]
    curve = rd.attack_curve(model._local(), sparse, labels, radii)
    assert np.array_equal(
        curve.accuracy, rd.attack_curve(model._local(), lazy, labels, radii).accuracy
    )


def test_an_interrupted_training_goes_on(rows, sync, tmp_path):
    X, y = rows
    wanted = on_dask("l2").fit(*arrays(X, y))
    lazy, labels = arrays(X, y)
    state = tmp_path / "state"
    failing = lazy.map_blocks(_fail_in_third_pass, str(tmp_path / "count"), dtype=float)
    with pytest.raises(RuntimeError, match="no more"):
        on_dask("l2", checkpoint=state).fit(failing, labels)
    assert (state / "1.answer").exists() and not (state / "2.answer").exists()
    again = on_dask("l2", checkpoint=state).fit(failing, labels)
    assert np.array_equal(again.coef_, wanted.coef_) and not state.exists()


def _fail_in_third_pass(block, counter):
    """Of a block of 8: the 20th block to be computed cannot be read, once."""
    with open(counter, "a") as file:
        file.write("x")
    if os.path.getsize(counter) == 20:
        raise RuntimeError("no more")
    return block


def test_dataframes_weights_and_radii(rows, sync):
    X, y = rows
    table = frame(X, y)
    table["weight"] = table["f0"] ** 2
    features = table[[f"f{k}" for k in range(8)]]
    radii = (table["f1"].abs() * 0.1).rename("radius")
    model = on_dask("l2").fit(features, table["answer"], table["weight"], radii)
    wanted = scale.fit(
        clone(LOCAL["l2"]), [(X, y, X[:, 0] ** 2, np.abs(X[:, 1]) * 0.1)], memory=MEMORY
    )
    assert np.array_equal(model.coef_, wanted.coef_)
    assert model.feature_names_in_.tolist() == [f"f{k}" for k in range(8)]


def test_empty_partitions_and_partitions_of_one_class(rows, sync):
    X, y = rows
    order = np.argsort(y, kind="stable")
    table = frame(X[order], y[order], 6)
    table = table[table["f0"] < 10]
    empty = table[table["f0"] > 1e9]
    both = dd.concat([empty, table], interleave_partitions=True)
    model = on_dask("plain").fit(both.drop(columns="answer"), both["answer"])
    assert model.objective_ == pytest.approx(clone(LOCAL["plain"]).fit(X, y).objective_, rel=2e-8)


def test_bad_collections_are_named(rows, sync):
    X, y = rows
    lazy, labels = arrays(X, y)
    with pytest.raises(TypeError, match="X: expected a dask array or dataframe, got ndarray"):
        on_dask("plain").fit(X, labels)
    with pytest.raises(ValueError, match="y: expected 8 partitions as X has, got 4"):
        on_dask("plain").fit(lazy, da.from_array(y, chunks=2_000))
    gap = X.copy()
    gap[2_345, 3] = np.nan
    with pytest.raises(ValueError, match="partition 2: no value in row 345, column 3"):
        on_dask("plain").fit(da.from_array(gap, chunks=(1_000, 8)), labels)
    model = clone(LOCAL["plain"]).fit(X, y)
    holed, marks = da.from_array(gap, chunks=(1_000, 8)), da.from_array(y, chunks=1_000)
    table = frame(gap, y)
    for call in (
        lambda: rd.certify(model, holed).compute(),
        lambda: rd.certify(model, holed, marks).compute(),
        lambda: rd.predict(model, holed).compute(),
        lambda: rd.attack_curve(model, holed, marks, [0.0]),
    ):
        with pytest.raises(ValueError, match=r"^partition 2: Input X contains NaN") as error:
            call()
        assert "\n" not in str(error.value)
    named = clone(LOCAL["plain"]).fit(frame(X, y).drop(columns="answer").compute(), y)
    with pytest.raises(ValueError, match=r"^partition \d: X: column 'f3': row \d+ has no value"):
        rd.certify(named, table, "answer").compute()
    table = frame(X, y)
    table["f3"] = table["f3"].astype(str)
    with pytest.raises(ValueError, match=r"partition \d: expected numbers for the features"):
        on_dask("plain").fit(table.drop(columns="answer"), table["answer"])


# --- real workers -----------------------------------------------------------------------------


def cluster(n_workers):
    return distributed.LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        host="127.0.0.1",
    )


def slow_rows(block, seconds):
    """A partition that takes its time, so that a worker can die over it."""
    time.sleep(seconds)
    return block


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_workers_do_not_matter_and_may_die(rows):
    X, y = rows
    wanted = scale.fit(clone(LOCAL["l2"]), [(X, y)], memory=MEMORY)
    radii = wanted.certify(X).radius
    with cluster(4) as local, distributed.Client(local) as client:
        lazy, labels = arrays(X, y)
        slow = lazy.map_blocks(slow_rows, 0.05, dtype=float, meta=np.empty((0, 0)))
        with killing(client):
            again = on_dask("l2").fit(slow, labels)
        assert np.array_equal(again.coef_, wanted.coef_)
        with killing(client):
            found = rd.certify(wanted, slow)["radius"].compute()
        assert np.array_equal(found, radii)
        for n_workers in (4, 2, 1):
            local.scale(n_workers)
            model = on_dask("l2").fit(lazy, labels)
            assert np.array_equal(model.coef_, wanted.coef_)


@contextmanager
def killing(client):
    """SIGKILL for a worker that has tasks, while the body runs."""
    processes = client.run(os.getpid)
    killed = []

    def strike():
        for _ in range(1000):
            busy = [who for who, tasks in client.processing().items() if tasks and who in processes]
            if busy:
                os.kill(processes[busy[0]], signal.SIGKILL)
                killed.append(busy[0])
                return
            time.sleep(0.005)

    thread = threading.Thread(target=strike)
    thread.start()
    yield
    thread.join()
    assert killed
