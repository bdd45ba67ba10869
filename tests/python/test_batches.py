"""A batch in, a batch out: the same results in every kind of block, and from a pickled task."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import redoubt

pa = pytest.importorskip("pyarrow")


@pytest.fixture
def named(noisy):
    """A table with labels as texts, and a model of it."""
    X, y = noisy
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame["class"] = np.where(y > 0, "up", "down")
    model = redoubt.BaggedSVMClassifier(n_planes=5, random_state=0)
    return model.fit(frame[list("abcde")], frame["class"]), frame


def columns_of(result):
    if isinstance(result, np.ndarray):
        return {name: result[name].tolist() for name in result.dtype.names}
    if hasattr(result, "to_pydict"):
        return result.to_pydict()
    return {name: result[name].to_list() for name in result.columns}


TASKS = {
    "predict": lambda model, label: redoubt.batch_predict(model),
    "certify": lambda model, label: redoubt.batch_certify(model, label=label, witness=True),
    "attack": lambda model, label: redoubt.batch_attack(model, 0.4, label=label, moved=True),
}


@pytest.mark.parametrize("name", TASKS)
def test_same_in_every_kind(named, name):
    model, frame = named
    task = pickle.loads(pickle.dumps(TASKS[name](model, "class")))
    result = task(frame.set_index(frame.index + 5))
    assert isinstance(result, pd.DataFrame) and result.index[0] == 5
    expected = columns_of(result)
    assert list(expected) == task.columns
    table = pa.Table.from_pandas(frame)
    blocks = [table, table.to_batches()[0]]
    try:
        import polars

        blocks.append(polars.from_arrow(table))
    except ImportError:
        pass
    for block in blocks:
        found = task(block)
        assert type(found) is type(block)
        assert columns_of(found) == expected
    assert task(table).schema == task.schema
    # In an array columns go by their places: a model that was fitted without names.
    X, y = frame[list("abcde")].to_numpy(), frame["class"].to_numpy()
    plain = redoubt.BaggedSVMClassifier(n_planes=5, random_state=0).fit(X, y)
    by_place = TASKS[name](plain, None)(X, None if name == "predict" else y)
    assert by_place.dtype == TASKS[name](plain, None).dtype
    renamed = [each.translate(str.maketrans("12345", "abcde")) for each in by_place.dtype.names]
    assert [each.replace("_x", "_") for each in renamed] == task.columns
    assert list(columns_of(by_place).values()) == list(expected.values())


@pytest.mark.parametrize("name", TASKS)
def test_sparse_rows_are_dense_ones(noisy, name):
    X, y = noisy
    X = np.where(np.abs(X) < 0.5, 0, X)
    model = redoubt.BaggedSVMClassifier(n_planes=5, random_state=0).fit(X, y)
    task, labelled = TASKS[name](model, None), None if name == "predict" else y
    for kind in (scipy.sparse.csr_matrix, scipy.sparse.coo_array):
        found, wanted = task(kind(X), labelled), task(X, labelled)
        assert found.dtype == wanted.dtype
        for column in found.dtype.names:
            if found[column].dtype.kind == "f":
                assert np.allclose(found[column], wanted[column], atol=1e-9)
            else:
                assert np.array_equal(found[column], wanted[column])
    assert len(task(scipy.sparse.csr_array((0, X.shape[1])))) == 0
    # A column of labels, by its place.
    if name != "predict":
        rows = np.column_stack([X, y])
        by_place = TASKS[name](model, X.shape[1])
        assert columns_of(by_place(scipy.sparse.csr_array(rows))) == columns_of(
            task(scipy.sparse.csr_array(X), y)
        )


@pytest.mark.parametrize("name", TASKS)
def test_no_rows_and_any_split(named, name):
    model, frame = named
    task = TASKS[name](model, "class")
    table = pa.Table.from_pandas(frame)
    whole = task(table)
    assert task(table.slice(0, 0)).schema == whole.schema
    assert task(frame.iloc[:0]).dtypes.equals(task.meta.dtypes)
    assert task(frame).dtypes.equals(task.meta.dtypes)
    parts = pa.concat_tables([task(table.slice(start, 17)) for start in range(0, len(table), 17)])
    assert parts.equals(whole)


def test_a_task_maps_over_record_batches(named):
    """What Spark's mapInArrow and Ray's map_batches do with it."""
    model, frame = named
    table = pa.Table.from_pandas(frame)
    task = redoubt.batch_certify(model, label="class")
    batches = map(pickle.loads(pickle.dumps(task)), table.to_batches(max_chunksize=13))
    assert pa.Table.from_batches(batches, task.schema).equals(task(table).combine_chunks())


def test_witness_is_a_row_with_another_answer(named):
    model, frame = named
    found = redoubt.batch_certify(model, witness=True)(frame)
    rows = found[[f"witness_{name}" for name in "abcde"]].set_axis(list("abcde"), axis=1)
    before, after = frame[list("abcde")], rows
    there = before + 1.000001 * (after - before)
    assert (model.predict(there) != found["prediction"]).all()


def test_counts_add_up_to_the_curve(named):
    model, frame = named
    radii = [0.0, 0.2, 0.5, 1.0]
    task = pickle.loads(pickle.dumps(redoubt.batch_evaluate(model, radii, label="class")))
    table = pa.Table.from_pandas(frame)
    counts = sum((task(table.slice(k, 31)) for k in range(31, len(table), 31)), task(table[:31]))
    features = frame[list("abcde")]
    certificates = redoubt.certify(model, features, frame["class"])
    expected = redoubt.attack_curve(certificates, frame["class"], radii)
    for name in ("accuracy", "balanced_accuracy", "undecided", "balanced_undecided"):
        assert getattr(counts.curve(), name).tolist() == getattr(expected, name).tolist()
    assert counts.curve().constant_accuracy == expected.constant_accuracy
    answers = model.predict(features)
    for i, label in enumerate(counts.classes):
        for j, answer in enumerate(counts.classes):
            both = (frame["class"] == label) & (answers == answer)
            assert counts.confusion[i, j] == both.sum()
    with pytest.raises(ValueError, match="at least two classes"):
        task(table.filter(pa.compute.equal(table["class"], "up"))).curve()


def test_a_radius_for_each_row(named):
    model, frame = named
    frame = frame.assign(reach=np.linspace(0, 1, len(frame)))
    task = redoubt.batch_attack(model, "reach", label="class")
    features = frame[list("abcde")]
    expected = redoubt.attack(model, features, frame["class"], frame["reach"].to_numpy())
    assert task(frame)["success"].tolist() == expected.success.tolist()


def test_fingerprints(named, tmp_path):
    model, frame = named
    redoubt.save_model(model, tmp_path / "model.json")
    for each in (model, redoubt.load_model(tmp_path / "model.json")):
        task = redoubt.batch_certify(each, label="class", norm="l2", n_jobs=2)
        again = pickle.loads(pickle.dumps(redoubt.batch_certify(each, label="class", norm="l2")))
        assert again.fingerprint() == task.fingerprint()
        others = [
            redoubt.batch_certify(each, label="class", norm="l1"),
            redoubt.batch_certify(each, norm="l2"),
            redoubt.batch_certify(each, label="class", norm="l2", witness=True),
            redoubt.batch_predict(each),
            redoubt.batch_attack(each, 1.0),
            redoubt.batch_attack(each, 2.0),
        ]
        other = redoubt.BaggedSVMClassifier(n_planes=5, random_state=1)
        other.fit(frame[list("abcde")], frame["class"])
        others.append(redoubt.batch_certify(other, label="class", norm="l2"))
        prints = [each.fingerprint() for each in (task, *others)]
        assert len(set(prints)) == len(prints)


def test_fingerprint_of_a_pickled_table_model(bank):
    model, _, _ = bank
    again = pickle.loads(pickle.dumps(model))
    prints = [redoubt.batch_certify(each).fingerprint() for each in (model, again)]
    assert prints[0] == prints[1]


def test_a_task_is_not_much_more_than_its_model(named, tmp_path):
    model, _ = named
    redoubt.save_model(model, tmp_path / "model.json")
    loaded = redoubt.load_model(tmp_path / "model.json")
    size = len(pickle.dumps(redoubt.batch_certify(loaded, witness=True)))
    assert size < (tmp_path / "model.json").stat().st_size + 1500


def test_unknown_options_are_refused_at_once(named):
    with pytest.raises(TypeError, match="unexpected option 'nrom'"):
        redoubt.batch_certify(named[0], nrom="l2")
    with pytest.raises(ValueError, match="column of the model not found|not found: 'klass'"):
        redoubt.batch_certify(named[0], label="klass")(pa.Table.from_pandas(named[1]))
    with pytest.raises(ValueError, match="needs labels"):
        redoubt.batch_evaluate(named[0], [0.1])(named[1])
