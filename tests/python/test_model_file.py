"""Model files from Python."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import redoubt
from redoubt import _core, datasets

FIELDS = {
    "format": "redoubt model",
    "format_version": 1,
    "library_version": "0.1.0",
    "classes": ["low", "high"],
    "feature_names": ["height", "width"],
    "coding": {
        "has_header": True,
        "missing": "error",
        "unseen": "error",
        "columns": [
            {"name": "height", "role": "feature", "categories": [], "fill": 0},
            {"name": "width", "role": "feature", "categories": [], "fill": 0},
        ],
    },
    "scaler": {"kind": "standard", "offset": [1, -2], "scale": [2, 0.5]},
    "planes": [{"w": [1, 0], "b": 0}, {"w": [0, 1], "b": 0.25}, {"w": [1, 1], "b": -5e-324}],
    "training": {
        "method": "by hand",
        "norm": "l1",
        "radii": {"count": 0, "least": 0, "greatest": 0, "mean": 0},
        "data": "",
        "n_points": 0,
        "status": "interrupted",
        "is_partial": True,
        "objective": None,
        "gap": None,
        "seconds": None,
        "seed": 18446744073709551615,
        "settings": {"C": 1.5, "rule": "corrected"},
        "rounds": {"columns": ["round", "accuracy"], "rows": [[1, 0.5], [2, None]]},
        "rows": None,
    },
}


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "model.json"
    file.write_text(json.dumps(FIELDS))
    return file


def test_attributes(path):
    model = redoubt.load_model(path)
    assert model.classes == ["low", "high"]
    assert model.feature_names == ["height", "width"]
    assert (model.method, model.norm, model.is_partial) == ("by hand", "l1", True)
    assert (model.center.tolist(), model.scale.tolist()) == ([1, -2], [2, 0.5])
    assert model.ensemble.coef.tolist() == [[1, 0], [0, 1], [1, 1]]
    assert model.ensemble.intercept.tolist() == [0, 0.25, -5e-324]
    assert isinstance(model.ensemble, redoubt.Ensemble)
    assert model.training == FIELDS["training"]


def test_raw_features_in_labels_out(path):
    model = redoubt.load_model(str(path))
    X = np.array([[3.0, -1.0], [-3.0, -1.0], [-9.0, -4.0]])
    np.testing.assert_array_equal(model.transform(X), (X - model.center) / model.scale)
    # The second row is scaled to (-2, 2): the smallest of all numbers decides its third vote.
    assert model.predict(X).tolist() == ["high", "low", "low"]
    assert model.predict(X.tolist()).tolist() == ["high", "low", "low"]
    for method in (model.predict, model.transform):
        with pytest.raises(ValueError, match="X has 1 features, but Model is expecting 2 features"):
            method(X[:, :1])


def test_saving_and_loading_changes_nothing(path, tmp_path):
    model = redoubt.load_model(path)
    model.save(tmp_path / "copy.json")
    copy = redoubt.load_model(tmp_path / "copy.json")
    assert copy.training == model.training
    np.testing.assert_array_equal(copy.ensemble.coef, model.ensemble.coef)
    assert json.loads((tmp_path / "copy.json").read_text()).pop("checksum").startswith("crc32:")
    copy.save(str(path))
    assert path.read_bytes() == (tmp_path / "copy.json").read_bytes()


@pytest.mark.parametrize("seed", range(5))
def test_any_double_survives(path, seed):
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 2**64, size=2000, dtype=np.uint64).view(np.float64)
    numbers = numbers[np.isfinite(numbers)][:1000].reshape(-1, 2)
    fields = {
        **FIELDS,
        "planes": [{"w": list(w), "b": b} for *w, b in np.c_[numbers, -numbers[:, :1]]],
    }
    text = _core.model_from_json(json.dumps(fields)).to_json()
    planes = json.loads(text)["planes"]
    np.testing.assert_array_equal([plane["w"] for plane in planes], numbers)
    coef = _core.model_from_json(text).ensemble.coef
    np.testing.assert_array_equal(coef.view(np.uint64), numbers.view(np.uint64))


def test_the_program_writes_what_python_reads(tmp_path):
    path = tmp_path / "model.json"
    program = Path(sys.prefix, "bin", "redoubt")
    subprocess.run(
        [program, "train", "bcw:train", "--model", path], check=True, capture_output=True
    )
    model = redoubt.load_model(path)
    X, y, _, classes = datasets.load("bcw")
    labels = np.asarray(classes)[(y > 0).astype(int)]
    assert (model.predict(X) == labels).mean() > 0.95
    result = redoubt.certify(model.ensemble, model.transform(X), y, norm=model.norm)
    assert ((result.radius > 0) == (model.predict(X) == labels)).all()


def test_errors_name_the_file_and_the_problem(path, tmp_path):
    with pytest.raises(redoubt.ParseError, match=r"none\.json: no such file"):
        redoubt.load_model(tmp_path / "none.json")
    path.write_text(json.dumps({**FIELDS, "classes": ["low", 3]}))
    with pytest.raises(ValueError, match=r"model\.json: classes\[1\]: expected a text, found 3"):
        redoubt.load_model(path)
    path.write_text(json.dumps(FIELDS)[:-5])
    with pytest.raises(ValueError, match=r"model\.json:1: not valid JSON, so cut short or damaged"):
        redoubt.load_model(path)


def test_a_file_that_cannot_be_written_is_an_oserror(path, tmp_path):
    model = redoubt.load_model(path)
    with pytest.raises(
        redoubt.WriteError, match="cannot write the file: No such file or directory"
    ):
        model.save(tmp_path / "none" / "model.json")
    assert issubclass(redoubt.WriteError, OSError)
    assert [file.name for file in tmp_path.iterdir()] == ["model.json"]


def test_a_long_name_in_a_message_stays_text(path):
    """Names are cut in messages, but never within a character."""
    path.write_text(json.dumps({**FIELDS, "format": "ä" * 1000}))
    with pytest.raises(redoubt.ParseError, match="found '" + "ä" * 20 + r"\.\.\.'"):
        redoubt.load_model(path)


def test_repr(path, tmp_path):
    assert repr(redoubt.load_model(path)) == (
        "<Model: by hand, l1, 3 planes, 2 features, classes 'low' and 'high', partial>"
    )
    assert redoubt.load_model(path).ranges is None
    rules = {"norm": "l2", "frozen": ["height"]}
    training = FIELDS["training"] | {"is_partial": False, "norm": "l2", "method": "ro-svm"}
    ranges = {"least": [0, 1], "greatest": [2, 3]}
    fields = FIELDS | {
        "format_version": 2,
        "planes": FIELDS["planes"][:1],
        "attack_model": rules,
        "training": training | {"ranges": ranges},
    }
    other = tmp_path / "other.json"
    other.write_text(json.dumps(fields))
    model = redoubt.load_model(other)
    assert repr(model) == (
        "<Model: ro-svm, l2, 1 plane, 2 features, classes 'low' and 'high', with an attack model>"
    )
    np.testing.assert_array_equal(model.ranges, [[0, 2], [1, 3]])
