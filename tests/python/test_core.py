"""The extension itself: views without copies, warm starts, errors."""

import subprocess
import sys
import threading

import numpy as np
import pytest

from redoubt import _core, datasets


def test_results_describe_themselves(noisy):
    X, y = noisy
    result = _core.train_svm(X, y, C=2.0)
    assert result.status == "optimal"
    assert result.coef.shape == (5,)
    assert result.dual_value <= result.primal_value
    assert result.dual_ratio.shape == (120,)
    assert result.dual_ratio.min() >= 0.0 and result.dual_ratio.max() <= 1.0
    assert result.solve_seconds >= 0.0
    assert result.warning == ""


def test_warm_start_from_a_result_takes_fewer_steps(noisy):
    X, y = noisy
    cold = _core.train_svm(X, y)
    warm = _core.train_svm(X, y, start=cold.start())
    assert warm.primal_value == pytest.approx(cold.primal_value, rel=2e-8)
    assert warm.n_newton_steps < cold.n_newton_steps


def test_warm_start_from_parts(noisy):
    X, y = noisy
    cold = _core.train_robust_svm(X, y, np.array([0.2]))
    start = _core.SvmStart(cold.coef, cold.intercept, cold.dual_ratio)
    warm = _core.train_robust_svm(X, y, np.array([0.2]), start=start)
    assert warm.primal_value == pytest.approx(cold.primal_value, rel=2e-8)


def test_a_start_of_the_wrong_size_is_refused(noisy):
    X, y = noisy
    with pytest.raises(_core.InvalidInput, match="start"):
        _core.train_svm(X, y, start=_core.SvmStart(np.zeros(4), 0.0))


def test_errors_are_value_errors_and_name_the_argument(noisy):
    X, y = noisy
    assert issubclass(_core.InvalidInput, ValueError)
    assert issubclass(_core.ParseError, ValueError)
    with pytest.raises(_core.InvalidInput, match="y: expected"):
        _core.train_svm(X, y[:-1])
    with pytest.raises(_core.InvalidInput, match="C: expected"):
        _core.train_svm(X, y, C=-1.0)


def test_ensemble_votes_and_margins():
    planes = _core.Ensemble(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.zeros(3))
    points = np.array([[1.0, -3.0], [0.0, 0.0], [-1.0, -1.0]])
    assert planes.votes(points).tolist() == [-1, 3, -3]
    assert planes.predict(points).tolist() == [-1, 1, -1]
    np.testing.assert_array_equal(planes.margins(points)[0], [1.0, -3.0, -2.0])
    with pytest.raises(_core.InvalidInput, match="X: expected 2 columns, got 1"):
        planes.margins(points[:, :1])
    with pytest.raises(_core.InvalidInput, match="expected"):
        _core.Ensemble(np.zeros((0, 2)), np.zeros(0))


def test_solves_run_side_by_side(noisy):
    X, y = noisy
    expected = _core.train_svm(X, y).coef
    answers = [None] * 4

    def work(i):
        answers[i] = _core.train_svm(X, y).coef

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for answer in answers:
        np.testing.assert_array_equal(answer, expected)


def test_bundled_data():
    shapes = {name: datasets.load(name).X.shape for name in datasets.names()}
    assert shapes["gaussian"] == (200, 5)
    assert shapes["bcw"] == (699, 9)
    assert shapes["digits3"] == shapes["digits7"] == (1797, 64)
    with pytest.raises(ValueError, match="bcw.*got 'nothing'"):
        datasets.load("nothing")


@pytest.mark.parametrize("name", ["gaussian", "bcw", "digits3", "digits7"])
def test_published_split_and_bags_fit_the_data(name):
    data = datasets.load(name)
    train, test = datasets.published_split(name)
    assert sorted([*train, *test]) == list(range(len(data.y)))
    bags = datasets.published_bags(name)
    assert bags.shape == (75, len(train))
    assert (bags.sum(axis=1) == len(train)).all()


def test_reading_a_file(tmp_path):
    path = tmp_path / "points.csv"
    path.write_text("kind,a,b\nno,1,2\nyes,3,4\nno,5,6\n")
    data = datasets.read(path, label="kind", positive="no")
    np.testing.assert_array_equal(data.X, [[1, 2], [3, 4], [5, 6]])
    assert data.y.tolist() == [1, -1, 1]
    assert data.classes == ["yes", "no"]
    assert data.feature_names == ["a", "b"]


def test_reading_a_bad_file_names_the_place(tmp_path):
    path = tmp_path / "points.csv"
    path.write_text("a,b,kind\n1,2,no\n3,oops,yes\n")
    with pytest.raises(_core.ParseError, match=r"points\.csv:3:2: .*oops"):
        datasets.read(path)
    with pytest.raises(ValueError, match="missing: expected 'error', 'drop' or 'median'"):
        datasets.read(path, missing="guess")


EVERYTHING = """
import pickle
import sys

import numpy as np
import redoubt
from redoubt import _core

_core.set_leak_warnings(True)
X, y, *_ = redoubt.datasets.load("gaussian")
rules = redoubt.AttackModel(frozen=[0], attacking_class=1)
for model in (
    redoubt.LinearSVMClassifier(attack_model=rules),
    redoubt.RobustSVMClassifier(),
    redoubt.BaggedSVMClassifier(n_planes=3),
    redoubt.RobustEnsembleClassifier(n_planes=3, n_jobs=2),
    redoubt.CollaborativeEnsembleClassifier(n_planes=3, n_epochs=1),
):
    model.fit(X, y)
    kept = model.certify(X[:5], y[:5]), model.attack(X[:5], y[:5], 0.1), pickle.loads(pickle.dumps(model))
vote = redoubt.Ensemble(model.coef_, model.intercept_)
curve = redoubt.attack_curve(redoubt.certify(vote, X, y), y, [0.0, 0.5])
told = redoubt.explain(vote, X[0])
cycle = [vote]
cycle.append(cycle)


def stop(*_):
    raise KeyboardInterrupt


errors = []
for call in (
    lambda: redoubt.load_model("/nowhere"),
    lambda: redoubt.certify(vote, X, y, norm="l1", attack_model=rules),
    lambda: _core.train_bagged_svms(X, y, n_planes=500, progress=stop),
    lambda: _core.certify(vote, X, unknown=1),
):
    try:
        call()
    except (ValueError, TypeError, KeyboardInterrupt) as error:
        errors.append(error)
assert len(errors) == 4
"""


def run_python(code):
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stderr


def test_nothing_is_left_at_exit():
    """Models, results, errors and an interrupted training that are alive until the end."""
    assert run_python(EVERYTHING) == ""


@pytest.mark.slow
def test_what_is_left_at_exit_would_be_seen():
    code = EVERYTHING + "import ctypes\nctypes.pythonapi.Py_IncRef(ctypes.py_object(vote))\n"
    assert "nanobind: leaked 1 instances!" in run_python(code)
    assert run_python(code.replace("set_leak_warnings(True)", "set_leak_warnings(False)")) == ""


def test_keywords_are_checked():
    X, y, *_ = datasets.load("gaussian")
    with pytest.raises(TypeError, match="unexpected keyword argument 'unknown'"):
        _core.train_svm(X, y, unknown=1)
    with pytest.raises(TypeError, match="C: expected a number, got 'one'"):
        _core.train_svm(X, y, C="one")
    with pytest.raises(ValueError, match="norm: expected"):
        _core.train_robust_svm(X, y, np.array([0.1]), norm="l3")
