"""LIBSVM text in every command: the answers of the same numbers as CSV, and never a dense table."""

import resource

import numpy as np
import pytest

import redoubt as package

N_WORDS, N_SEEN = 100_000, 40


def rows_of(n_rows, n_features, seed, per_row=8):
    """Words that are present, numbered from 0, with their counts; a few of them decide."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n_rows):
        columns = np.unique(rng.integers(0, n_features, per_row))
        rows.append({int(c): int(rng.integers(1, 4)) for c in columns})
    labels = ["spam" if sum((c % 5 - 1.5) * v for c, v in row.items()) > 0 else "ham" for row in rows]
    return rows, labels


def libsvm(rows, labels=None):
    lines = (" ".join(f"{c + 1}:{v}" for c, v in row.items()) for row in rows)
    if labels is None:
        return "".join(line + "\n" for line in lines)
    return "".join(f"{label} {line}\n" for label, line in zip(labels, lines, strict=True))


def csv(rows, labels, n_features):
    lines = (",".join(str(row.get(c, 0)) for c in range(n_features)) for row in rows)
    return "".join(f"{line},{label}\n" for label, line in zip(labels, lines, strict=True))


@pytest.fixture
def small(tmp_path):
    """The same tables as LIBSVM text and as CSV."""
    for name, n_rows, seed in (("train", 120, 1), ("test", 30, 2)):
        rows, labels = rows_of(n_rows, N_SEEN, seed)
        rows[0][N_SEEN - 1] = 1
        (tmp_path / f"{name}.libsvm").write_text(libsvm(rows, labels))
        (tmp_path / f"{name}.csv").write_text(csv(rows, labels, N_SEEN))
    # Rows of the test without labels: a model of LIBSVM text knows no label column of a CSV file.
    (tmp_path / "points.libsvm").write_text(libsvm(rows))
    table = (",".join(str(row.get(c, 0)) for c in range(N_SEEN)) + "\n" for row in rows)
    (tmp_path / "points.csv").write_text("".join(table))
    return tmp_path


def without_rows(table):
    """Without the rows that some print, and the nodes, of which searches with witnesses make others."""
    left_out = {"features", "nodes"}
    return [{k: v for k, v in row.items() if k[0] != "x" and k not in left_out} for row in table]


METHODS = {
    "svm": [],
    "ro-svm": ["--radius", "0.1", "--norm", "linf"],
    "svm-ens": ["--planes", "5"],
    "ens-c": ["--planes", "3", "--radius", "0.2"],
    "ens-r": ["--planes", "3", "--radius", "0.1"],
}


@pytest.mark.parametrize("method", METHODS)
def test_trained_and_evaluated_as_csv_is(redoubt, small, method):
    runs = {}
    for kind in ("csv", "libsvm"):
        run = redoubt("train", f"train.{kind}", "--scale", "maxabs", "--method", method,
                      *METHODS[method], "--model", f"{kind}.json")  # fmt: skip
        assert run.code == 0, run.err
        runs[kind] = redoubt("evaluate", f"{kind}.json", f"test.{kind}", "--radii", "0,0.05,0.1")
        assert runs[kind].code == 0, runs[kind].err
    # Descent makes more of the last bits in which sums over sparse rows differ: one point of thirty.
    atol = 100 / 30 + 0.01 if method == "ens-c" else 1e-6
    np.testing.assert_allclose(runs["csv"].table(), runs["libsvm"].table(), rtol=0, atol=atol)


def test_one_model_answers_both_alike(redoubt, small):
    assert redoubt("train", "train.libsvm", "--method", "svm-ens", "--planes", "5",
                   "--model", "m.json").code == 0  # fmt: skip
    for command in (["predict"], ["certify"], ["attack", "--radius", "0.3"]):
        outs = [
            redoubt(command[0], "m.json", f"points.{kind}", *command[1:], "--format", "csv").rows()
            for kind in ("csv", "libsvm")
        ]
        for one, other in zip(*map(without_rows, outs), strict=True):
            for name in one:
                try:
                    # Brackets with and without witnesses end a rounding apart.
                    assert float(one[name]) == pytest.approx(float(other[name]), rel=1e-9)
                except ValueError:
                    assert one[name] == other[name]


def test_moved_rows_are_libsvm_text(redoubt, small):
    assert redoubt("train", "train.libsvm", "--method", "svm-ens", "--planes", "5",
                   "--model", "m.json").code == 0  # fmt: skip
    before = redoubt("predict", "m.json", "test.libsvm").rows()
    certified = redoubt("certify", "m.json", "test.libsvm", "--witness").rows()
    text = "".join(row["witness"] + "\n" for row in certified)
    after = redoubt("predict", "m.json", "-", stdin=text).rows()
    assert [row["prediction"] for row in after] != []
    for one, other in zip(before, after, strict=True):
        assert one["prediction"] != other["prediction"]
    attacked = redoubt("attack", "m.json", "test.libsvm", "--radius", "0.3").rows()
    text = "".join(row["features"] + "\n" for row in attacked)
    after = redoubt("predict", "m.json", "-", stdin=text).rows()
    assert [row["prediction"] for row in after] == [row["attacked"] for row in attacked]
    # A row that the adversary leaves alone is printed as it is.
    still = redoubt("attack", "m.json", "test.libsvm", "--radius", "0").rows()
    original = (small / "test.libsvm").read_text().splitlines()
    assert [row["features"] for row in still] == [line.split(" ", 1)[1] for line in original]


def test_explain_lists_what_is_there_or_moves(redoubt, small):
    assert redoubt("train", "train.libsvm", "--model", "m.json").code == 0
    run = redoubt("explain", "m.json", "points.libsvm", "--row", "2", "--norm", "l1", "--format", "csv")
    dense = redoubt("explain", "m.json", "points.csv", "--row", "2", "--norm", "l1", "--format", "csv")
    found = {row["feature"]: row for row in run.rows()}
    whole = {row["feature"]: row for row in dense.rows()}
    assert len(whole) == N_SEEN
    present = {name for name, row in whole.items() if float(row["value"]) != 0 or row["attack_to"]}
    assert set(found) == present
    assert all(found[name] == whole[name] for name in present)


def test_tuning(redoubt, small):
    run = redoubt("tune", "train.libsvm", "--method", "ro-svm", "--radius", "0.05,0.1", "--folds", "3",
                  "--model", "m.json")  # fmt: skip
    assert run.code == 0, run.err
    assert redoubt("predict", "m.json", "test.libsvm").code == 0


def test_scalings_that_centre_are_obeyed(redoubt, small):
    answers = []
    for kind in ("csv", "libsvm"):
        run = redoubt("train", f"train.{kind}", "--scale", "standard", "--model", f"{kind}.json")
        assert run.code == 0, run.err
        answers.append(redoubt("predict", f"{kind}.json", f"test.{kind}").rows())
    for one, other in zip(*answers, strict=True):
        assert one["prediction"] == other["prediction"]
        assert float(one["margin"]) == pytest.approx(float(other["margin"]), rel=1e-6)


def test_wide_tables_that_would_be_centred_are_refused(redoubt, tmp_path):
    rows, labels = rows_of(20_000, N_WORDS, 3, per_row=2)
    (tmp_path / "wide.libsvm").write_text(libsvm(rows, labels))
    run = redoubt("train", "wide.libsvm", "--scale", "standard")
    assert run.code == 2
    n = max(max(row) for row in rows) + 1
    assert run.err == (
        f"redoubt: --scale: 'standard' would fill in every zero of sparse data of 20000 rows and {n} "
        "features; specify maxabs or none\n"
    )


def test_memory_follows_the_entries(redoubt, tmp_path):
    """As a table of numbers 4,000 rows of 100,000 words would take 3.2 GB."""
    rows, labels = rows_of(4_000, N_WORDS, 4)
    (tmp_path / "wide.libsvm").write_text(libsvm(rows, labels))
    assert redoubt("train", "wide.libsvm", "--model", "m.json", "--radii", "0").code == 0
    for command in (["predict"], ["certify"], ["evaluate", "--radii", "0,0.1"]):
        assert redoubt(command[0], "m.json", "wide.libsvm", *command[1:]).code == 0
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 1_500_000


def test_the_package_reads_it_sparse(small):
    X, y, names, classes = package.datasets.read(small / "train.libsvm")
    dense = package.datasets.read(small / "train.csv")
    assert X.format == "csr"
    np.testing.assert_array_equal(X.toarray(), dense.X)
    np.testing.assert_array_equal(y, dense.y)
    assert (names[0], classes) == ("x1", ["ham", "spam"])
    model = package.BaggedSVMClassifier(n_planes=3, random_state=0).fit(X, y)
    assert package.certify(model, X).radius.shape == (120,)
