"""redoubt.dask on Parquet files: good ones of any cut, and bad ones named in one line."""

import numpy as np
import pytest
from scale_problems import cloud
from sklearn.base import clone

import redoubt
from redoubt import scale, stream

dd = pytest.importorskip("dask.dataframe")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
rd = pytest.importorskip("redoubt.dask")

# Of dask's own reader, with pandas 3.1.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")

NAMES = [f"f{k}" for k in range(8)]
READERS = {"dask": lambda path: dd.read_parquet(str(path)), "redoubt": rd.read_parquet}
PLANE = redoubt.LinearSVMClassifier(tol=1e-6)


def on_dask():
    return rd.LinearSVMClassifier(tol=1e-6)


@pytest.fixture
def folder(tmp_path):
    """Three files with row groups of 700, 700 and 600 rows."""
    X, y = cloud(6_000, seed=3)
    table = pa.table({name: X[:, k] for k, name in enumerate(NAMES)} | {"answer": (y == "yes").astype(int)})
    path = tmp_path / "rows"
    path.mkdir()
    for k in range(3):
        pq.write_table(table.slice(2_000 * k, 2_000), path / f"0{k}.parquet", row_group_size=700)
    return path


@pytest.fixture(params=["synchronous", "threads"])
def scheduler(request):
    with dask.config.set(scheduler=request.param):
        yield request.param


def parts(rows):
    return rows.drop(columns="answer"), rows["answer"]


def whole(folder):
    return parts(pq.read_table(folder).to_pandas())


@pytest.mark.parametrize("reader", READERS)
def test_rows_and_labels_come_in_the_same_parts(folder, scheduler, reader):
    """Dask joins small files, and more of them for one column than for eight."""
    table = pq.read_table(folder / "00.parquet")
    for k in range(3, 12):
        pq.write_table(table.slice(150 * k, 100 + 3 * k), folder / f"{k:02}.parquet")
    X, y = parts(READERS[reader](folder))
    rows, labels = whole(folder)
    model = on_dask().fit(X, y)
    wanted = scale.fit(clone(PLANE), [(rows.to_numpy(), labels.to_numpy())])
    assert np.array_equal(model.coef_, wanted.coef_)
    assert model.feature_names_in_.tolist() == NAMES
    certificates = model._local().certify(rows, labels)
    assert np.array_equal(rd.certify(model, X, y).compute()["radius"], certificates.radius)
    assert np.array_equal(rd.predict(model, X).compute(), model._local().predict(rows))
    curve = rd.attack_curve(model, X, y, [0, 0.1])
    assert np.array_equal(
        curve.accuracy, redoubt.attack_curve(certificates, labels, [0, 0.1]).accuracy
    )


def put(name, change):
    """A column of the table with other values."""

    def apply(table):
        values = change(table.column(name).to_pylist())
        return table.set_column(table.column_names.index(name), name, [values])

    return apply


def gap(values):
    values[1500] = None
    return values


def cut(path):
    path.write_bytes(path.read_bytes()[:20_000])


def harm(path):
    """The pages of row group 1 are not what they should be."""
    start = pq.ParquetFile(path).metadata.row_group(1).column(1).data_page_offset
    content = bytearray(path.read_bytes())
    content[start : start + 400] = b"\xff" * 400
    path.write_bytes(bytes(content))


def same(table):
    return table


# What is changed in the last file, its table or its bytes, and what training and certifying say.
BAD = {
    "gap": (put("f1", gap), None, "row group 2: no value in row 100, column 'f1'", "row group 2: X: column 'f1': row 100 has no value"),
    "no label": (put("answer", gap), None, "row group 2: no label in row 100", "row group 2: y: .*"),
    "numerals": (put("f1", lambda v: [str(x) for x in v]), None, *2 * ["column 'f1' is string, but double in .*00.parquet"]),
    "texts": (put("f1", lambda v: ["x" for _ in v]), None, *2 * ["column 'f1' is string, but double in .*00.parquet"]),
    "no column": (lambda t: t.drop_columns(["f1"]), None, *2 * ["column 'f1' not found"]),
    "cut off": (same, cut, *2 * ["cannot read the file: "]),
    "damaged": (same, harm, *2 * ["row group 1: "]),
}  # fmt: skip


def spoil(folder, kind):
    change, harm_file, *messages = BAD[kind]
    path = folder / "02.parquet"
    pq.write_table(change(pq.read_table(path)), path, row_group_size=700)
    if harm_file is not None:
        harm_file(path)
    return path, messages


def calls(model, read, folder):
    """Training, and what is done with a trained model."""

    def rows():
        return parts(read(folder))

    return [
        lambda: on_dask().fit(*rows()),
        lambda: rd.attack_curve(model, *rows(), [0.0]),
        lambda: rd.certify(model, *rows()).compute(),
    ]


@pytest.mark.parametrize("kind", BAD)
def test_bad_files_are_named_with_their_row_group(folder, scheduler, kind):
    rows, labels = whole(folder)
    model = clone(PLANE).fit(rows, labels)
    path, (of_training, of_models) = spoil(folder, kind)
    fit, *others = calls(model, rd.read_parquet, folder)
    for call, message in [(fit, of_training), *((each, of_models) for each in others)]:
        with pytest.raises(ValueError, match=f"^{path}(: |, ){message}") as error:
            call()
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("kind", BAD)
def test_files_that_dask_reads_are_checked_as_far_as_possible(folder, scheduler, kind):
    rows, labels = whole(folder)
    model = clone(PLANE).fit(rows, labels)
    path, (of_training, of_models) = spoil(folder, kind)
    fit, curve, certify = calls(model, READERS["dask"], folder)
    # Row groups are dask's matter there: a partition is what is known of good files with bad rows.
    has_bad_rows = kind in ("gap", "no label")
    texts = [
        text.replace("row group 2", r"partition \d").replace("100", "1500") if has_bad_rows else text
        for text in (of_training, of_models)
    ]
    start = "" if has_bad_rows else f"{path}(: |, )"
    for call, message in [(fit, texts[0]), (curve, texts[1]), (certify, texts[1])]:
        if kind == "damaged" and call is certify:
            continue  # found while dask reads, in a computation that is not ours
        with pytest.raises(ValueError, match=f"^{start}{message}") as error:
            call()
        assert "\n" not in str(error.value)


def test_empty_row_groups_and_row_groups_of_one_class(folder, scheduler):
    table = pq.read_table(folder).sort_by("answer")
    with pq.ParquetWriter(folder / "00.parquet", table.schema) as writer:
        for start, length in [(0, 0), (0, 2_500), (0, 0), (2_500, 3_500)]:
            writer.write_table(table.slice(start, length))
    for name in ("01", "02"):
        pq.write_table(table.slice(0, 0), folder / f"{name}.parquet")
    X, y = parts(rd.read_parquet(folder))
    rows, labels = parts(table.to_pandas())
    model = on_dask().fit(X, y)
    assert model.objective_ == pytest.approx(clone(PLANE).fit(rows, labels).objective_, rel=2e-6)
    found = rd.certify(model, X, y).compute()["radius"]
    assert np.array_equal(found, model._local().certify(rows, labels).radius)


def test_columns_types_and_gaps(tmp_path):
    one = pa.table({"a": pa.array([1, None, 3]), "b": pa.array([1, 2, 3], pa.int32()), "c": ["x", "y", None], "d": [7, 8, 9]})
    two = pa.table({"d": [1, 2], "c": pa.array(["x", "z"]).dictionary_encode(), "b": [0.5, 1.5], "a": [4, 5]})
    pq.write_table(one, tmp_path / "1.parquet", row_group_size=2)
    pq.write_table(two, tmp_path / "2.parquet")
    rows = rd.read_parquet([tmp_path / "1.parquet", tmp_path / "2.parquet"])
    assert rows.npartitions == 3
    table = rows.compute(scheduler="synchronous")
    assert table.dtypes.to_dict() == rows.dtypes.to_dict()
    assert table["a"].fillna(0).tolist() == [1, 0, 3, 4, 5]
    assert table["b"].tolist() == [1, 2, 3, 0.5, 1.5]
    assert table["c"].fillna("").tolist() == ["x", "y", "", "x", "z"]
    assert table["d"].dtype == np.int64
    some = rd.read_parquet(tmp_path / "*.parquet", columns=["d", "a"])
    assert some.columns.tolist() == ["d", "a"]
    assert some["d"].compute(scheduler="synchronous").tolist() == [7, 8, 9, 1, 2]
    with pytest.raises(stream.StreamError, match=r"1.parquet: column 'z' not found; the file has 'a'"):
        rd.read_parquet(tmp_path, columns=["z"])
    with pytest.raises(stream.StreamError, match="no such file"):
        rd.read_parquet(tmp_path / "3.parquet")
    pq.ParquetWriter(tmp_path / "3.parquet", one.schema).close()
    with pytest.raises(stream.StreamError, match=r"3.parquet: no rows"):
        rd.read_parquet(tmp_path / "3.parquet")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", BAD)
def test_workers_of_a_cluster_name_bad_files(folder, kind):
    rows, labels = whole(folder)
    model = clone(PLANE).fit(rows, labels)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
        ) as local,
        distributed.Client(local),
    ):
        fitted = on_dask().fit(*parts(rd.read_parquet(folder)))
        assert fitted.dual_gap_ <= 1e-6
        path, messages = spoil(folder, kind)
        fit, _, certify = calls(model, rd.read_parquet, folder)
        for call, message in zip((fit, certify), messages, strict=True):
            with pytest.raises(ValueError, match=f"^{path}(: |, ){message}") as error:
                call()
            assert "\n" not in str(error.value)
