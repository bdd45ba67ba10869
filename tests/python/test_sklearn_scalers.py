"""Models with scalers in front: radii in raw units and after scaling."""

import json

import numpy as np
import pandas as pd
import pytest
import redoubt
from brute_force import length
from sklearn_models import (
    NORMS,
    SCALERS,
    VOTES,
    check_both_sides,
    fit,
    is_changed_at_witness,
    three_classes,
    two_classes,
)
from sklearn.linear_model import (
    LogisticRegression,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    StandardScaler,
)


@pytest.mark.parametrize("units", ["raw", "scaled"])
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", SCALERS)
def test_scalers_in_front(name, norm, units):
    X, y = two_classes()
    model = fit(make_pipeline(SCALERS[name], LogisticRegression()), X, y)
    transform = model[:-1].transform
    result = check_both_sides(
        model, X, y, norm, units=units, transform=transform if units == "scaled" else None
    )
    if units == "scaled":
        bare = redoubt.certify(model[-1], transform(X), y, norm=norm)
        np.testing.assert_array_equal(result.radius, bare.radius)
    else:  # the slope of the decision in raw features, by differences
        X0 = np.zeros((1, X.shape[1]))
        slope = model.decision_function(np.eye(X.shape[1])) - model.decision_function(X0)
        dual = {"l1": "linf", "l2": "l2", "linf": "l1"}[norm]
        distance = np.abs(model.decision_function(X)) / length(slope, dual)
        np.testing.assert_allclose(np.abs(result.radius), distance, rtol=1e-7)


@pytest.mark.parametrize("units", ["raw", "scaled"])
def test_long_pipelines_of_votes_and_of_several_classes(units):
    steps = [("first", MaxAbsScaler()), ("none", "passthrough"), ("second", StandardScaler())]
    X, y = two_classes()
    model = fit(Pipeline([*steps, ("vote", VOTES["Bagging"])]), X, y)
    transform = model[:-1].transform if units == "scaled" else None
    check_both_sides(model, X, y, "l2", units=units, transform=transform)
    X, y = three_classes()
    model = fit(Pipeline([*steps[1:], ("last", LogisticRegression())]), X, y)
    transform = model[:-1].transform if units == "scaled" else None
    check_both_sides(model, X, y, "linf", units=units, transform=transform)


def test_a_model_file_in_both_units(tmp_path):
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = redoubt.load_model(make_model_file(tmp_path))
    y = np.resize(["low", "high", "high"], 30)
    signs = np.where(y == "high", 1, -1)
    frame = pd.DataFrame(X, columns=["u", "v"])
    for norm in NORMS:
        scaled = redoubt.certify(model, X, y, norm=norm, units="scaled")
        bare = redoubt.certify(model.ensemble, model.transform(X), signs, norm=norm)
        np.testing.assert_array_equal(scaled.radius, bare.radius)
        raw = redoubt.certify(model, frame, y, norm=norm, units="raw")
        for result in (raw, scaled):
            np.testing.assert_array_equal(result.prediction, model.predict(X))
            assert is_changed_at_witness(model, X, y, result).all()
        np.testing.assert_allclose(length(raw.witness, norm), np.abs(raw.radius), rtol=1e-9)
        assert not np.allclose(raw.radius, scaled.radius)
    by_name = redoubt.certify(model, frame[["v", "u"]], y)
    np.testing.assert_array_equal(by_name.radius, redoubt.certify(model, X, y).radius)
    with pytest.raises(ValueError, match="X: column of the model not found: 'u'; X has 'v'"):
        redoubt.certify(model, frame[["v"]])
    with pytest.raises(ValueError, match="X has 1 features, but Model is expecting 2 features"):
        redoubt.certify(model, X[:, :1])
    with pytest.raises(ValueError, match=r"unknown labels \[1, -1\]; .* \['low', 'high'\]"):
        redoubt.certify(model, X[:2], [1, -1])


def make_model_file(tmp_path):
    planes = [{"w": [1.0, 0.3], "b": 0.1}, {"w": [0.5, 1.0], "b": -0.2}, {"w": [1, 1], "b": 0}]
    columns = [{"name": n, "role": "feature", "categories": [], "fill": 0} for n in ("u", "v")]
    fields = {
        "format": "redoubt model",
        "format_version": 1,
        "library_version": "0.1.0",
        "classes": ["low", "high"],
        "feature_names": ["u", "v"],
        "coding": {"has_header": True, "missing": "error", "unseen": "error", "columns": columns},
        "scaler": {"kind": "standard", "offset": [0.25, -0.5], "scale": [3.0, 0.7]},
        "planes": planes,
        "training": {
            "method": "by hand",
            "norm": "l2",
            "radii": {"count": 0, "least": 0, "greatest": 0, "mean": 0},
            "data": "",
            "n_points": 0,
            "status": "optimal",
            "is_partial": False,
            "objective": None,
            "gap": None,
            "seconds": None,
            "seed": 0,
            "settings": {},
            "rounds": {"columns": [], "rows": []},
        },
    }
    file = tmp_path / "model.json"
    file.write_text(json.dumps(fields))
    return file


def test_scaled_units_need_one_scaler_for_all():
    X, y = two_classes()
    model = fit(VOTES["Voting"], X, y)
    with pytest.raises(ValueError, match="members of this vote have scalers of their own"):
        redoubt.certify(model, X, units="scaled")
    with pytest.raises(ValueError, match="units: expected 'raw' or 'scaled', got 'metres'"):
        redoubt.certify(model, X, units="metres")


def test_scaled_units_of_frames_and_scalers_that_work_in_place():
    X, y = two_classes()
    frame = pd.DataFrame(X, columns=["u", "v", "w"])
    model = make_pipeline(StandardScaler(), MinMaxScaler(), LogisticRegression()).fit(frame, y)
    result = redoubt.certify(model, frame, y, units="scaled")  # without a warning about names
    in_place = make_pipeline(StandardScaler(copy=False), MinMaxScaler(), LogisticRegression())
    in_place.fit(X.copy(), y)
    before = X.copy()
    for units in ("scaled", "raw"):
        again = redoubt.certify(in_place, X, y, units=units)
        np.testing.assert_array_equal(X, before)
        if units == "scaled":
            np.testing.assert_allclose(again.radius, result.radius, rtol=1e-9)
