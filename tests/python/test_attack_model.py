"""The attack model as a value: arguments, names and numbers, equality, files."""

import copy
import json
import pickle

import numpy as np
import pytest
from redoubt import AttackModel, InvalidInput
from sklearn.base import clone

NAMES = ["age", "sex", "pain_a", "pain_b", "pain_c", "visits"]
FULL = {
    "norm": "l1",
    "scale": {"visits": 2.0, None: 0.5},
    "frozen": ["age"],
    "increase_only": ["visits"],
    "decrease_only": ["sex"],
    "bounds": {"visits": (0, None), "sex": (None, 9)},
    "integer": ["visits"],
    "one_hot": [(["pain_a", "pain_b", "pain_c"], 3.0)],
    "attacking_class": "sick",
}


def test_defaults_are_the_plain_ball():
    model = AttackModel()
    assert (model.norm, model.scale, model.frozen, model.bounds) == ("linf", None, (), None)
    resolved = model.resolve(3)
    assert resolved.scale.tolist() == [1.0, 1.0, 1.0]
    assert resolved.core().is_plain()
    assert model.brief() == "plain linf ball"


def test_resolve_by_name():
    found = AttackModel(**FULL).resolve(NAMES, ["well", "sick"])
    assert found.scale.tolist() == [0.0, 0.5, 0.5, 0.5, 0.5, 2.0]
    assert found.direction == ["both", "down", "both", "both", "both", "up"]
    assert found.lower.tolist() == [-np.inf] * 5 + [0.0]
    assert found.upper.tolist() == [np.inf, 9.0] + [np.inf] * 4
    assert found.whole == [5]
    assert found.groups == [([2, 3, 4], 3.0)]
    assert found.attacking == 1


def test_names_and_numbers_mean_the_same():
    by_name = AttackModel(frozen=["sex"], integer=["visits"], bounds={"age": (0, 99)})
    by_number = AttackModel(frozen=[1], integer=[-1], bounds={0: (0, 99)})
    for model in (by_name, by_number):
        found = model.resolve(NAMES)
        assert (found.scale[1], found.whole, found.upper[0]) == (0.0, [5], 99.0)


def test_scale_and_bounds_as_arrays():
    model = AttackModel(
        scale=np.array([1, 0, 2.5]), bounds=np.array([[0, 1], [-np.inf, 2], [3, 3]])
    )
    found = model.resolve(3)
    assert found.scale.tolist() == [1.0, 0.0, 2.5]
    assert found.lower.tolist() == [0.0, -np.inf, 3.0]
    assert found.upper.tolist() == [1.0, 2.0, 3.0]


def test_one_pair_of_bounds_leaves_groups_alone():
    found = AttackModel(bounds=(-1, 5), one_hot=[[0, 2]], integer=[0, 1]).resolve(3)
    assert found.lower.tolist() == [-np.inf, -1.0, -np.inf]
    assert found.whole == [1]


def test_single_feature_without_a_list():
    assert AttackModel(frozen="age").frozen == ("age",)
    assert AttackModel(integer=np.int64(3)).integer == (3,)


def test_unit_is_the_scale_of_what_has_none():
    found = AttackModel(scale={1: 3.0}, frozen=[2]).resolve(3, unit=[0.1, 0.2, 0.3])
    assert found.scale.tolist() == [0.1, 3.0, 0.0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"norm": "l3"}, "norm: expected 'l1', 'l2' or 'linf', got 'l3'"),
        ({"scale": -1.0}, "scale: expected a finite number >= 0, got -1.0"),
        ({"scale": {"age": -2.0}}, "scale: .* got -2.0 for feature 'age'"),
        ({"scale": [1.0, np.nan]}, "scale: .* got nan for feature 1"),
        ({"scale": [[1.0]]}, "scale: expected one number per feature, got shape"),
        ({"bounds": (2, 1)}, r"bounds: expected least <= greatest, got \(2, 1\)"),
        ({"bounds": {"age": (5, 4)}}, r"got \(5, 4\) for feature 'age'"),
        ({"bounds": {"age": (np.nan, 4)}}, "bounds: expected least <= greatest"),
        ({"bounds": {"age": 4}}, "bounds: expected a pair"),
        ({"bounds": {"age": ("low", "high")}}, "bounds: expected a pair"),
        ({"frozen": ["age", "age"]}, "frozen: expected each feature once, got 'age' twice"),
        ({"increase_only": [1], "decrease_only": [1]}, "in one of them, got 1 in both"),
        ({"one_hot": [["a", "b"], ["b", "c"]]}, "in one group only, got 'b' in two"),
        ({"one_hot": [["a"]]}, "groups of at least 2 features"),
        ({"one_hot": [(["a", "b"], -1.0)]}, "cost of a switch: expected a finite number >= 0"),
        ({"switch_cost": np.inf}, "switch_cost: expected a finite number >= 0"),
    ],
)
def test_bad_value(change, message):
    with pytest.raises(ValueError, match=message):
        AttackModel(**change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"frozen": [1.5]}, "frozen: expected names or numbers of features, got 1.5"),
        ({"frozen": [True]}, "frozen: expected names or numbers"),
        ({"one_hot": ["ab"]}, "one_hot: expected lists of features, got 'ab'"),
        ({"scale": "wide"}, "scale: expected a finite number"),
    ],
)
def test_bad_type(change, message):
    with pytest.raises(TypeError, match=message):
        AttackModel(**change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"frozen": ["aeg"]}, r"attack_model.frozen: unknown feature 'aeg'; did you mean 'age'\?"),
        ({"integer": ["VISIT"]}, r"integer: unknown feature 'VISIT'; did you mean 'visits'\?"),
        ({"bounds": {"xyz": (0, 1)}}, "bounds: unknown feature 'xyz'; known are 'age', 'sex'"),
        ({"scale": {6: 1.0}}, "scale: expected numbers of features from 0 to 5, got 6"),
        ({"scale": [1.0, 2.0]}, r"scale: expected one number per feature \(6\), got 2"),
        ({"bounds": [(0, 1)] * 3}, r"bounds: expected one pair per feature \(6\), got 3"),
        ({"frozen": ["age", 0]}, "frozen: expected each feature once, got 'age' twice"),
        ({"increase_only": ["age"], "decrease_only": [0]}, "got 'age' in both"),
        ({"one_hot": [["sex", "age"], [0, 5]]}, "in one group only, got 'age' in two"),
        ({"one_hot": [["sex", "age"]], "increase_only": ["sex"]}, "'sex', which may only go up"),
        ({"one_hot": [[0, 1]], "bounds": {0: (0, 0.5)}}, r"got \[0, 0.5\] for 'age'"),
        ({"attacking_class": "ill"}, r"unknown class 'ill'; the model's are \['well', 'sick'\]"),
    ],
)
def test_what_does_not_fit(change, message):
    with pytest.raises(ValueError, match=message):
        AttackModel(**change).resolve(NAMES, ["well", "sick"])


def test_names_without_names():
    with pytest.raises(ValueError, match="X has no feature names; use numbers from 0 to 3"):
        AttackModel(frozen=["age"]).resolve(4)


def test_an_attacking_class_needs_classes():
    with pytest.raises(ValueError, match="classes: needed"):
        AttackModel(attacking_class=1).resolve(4)


def test_all_frozen_is_no_mistake():
    assert AttackModel(frozen=[0, 1]).resolve(2).core().is_all_frozen(2)


def test_the_library_agrees_on_what_is_wrong():
    resolved = AttackModel().resolve(3)
    with pytest.raises(InvalidInput):
        resolved.core().check(4)


# --- a value ----------------------------------------------------------------------------------

MODELS = [
    AttackModel(),
    AttackModel(**FULL),
    AttackModel("l2", scale=[1.0, 2.0], bounds=[(0, 1), (None, None)]),
    AttackModel(scale=3, bounds=(None, 4), one_hot=[[0, 1], [2, 3]], switch_cost=0.25),
    AttackModel(attacking_class=np.int64(-1)),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_round_trips(model):
    copies = [
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
        copy.copy(model),
        clone(model, safe=False),
        eval(repr(model)),
    ]
    for each in copies:
        assert each == model
        assert hash(each) == hash(model)
        assert repr(each) == repr(model)


def test_all_are_different():
    assert len(set(MODELS)) == len(MODELS)
    assert AttackModel() != "linf"


def test_it_cannot_be_changed():
    model = AttackModel()
    with pytest.raises(AttributeError, match="cannot be changed"):
        model.norm = "l1"
    with pytest.raises(AttributeError, match="cannot be changed"):
        del model.norm


def test_summary_says_everything():
    assert str(AttackModel(**FULL)).splitlines() == [
        "norm: l1",
        "may move at radius 1 by: visits 2, others 0.5",
        "frozen: age",
        "only up: visits",
        "only down: sex",
        "range: visits >= 0, sex <= 9",
        "whole numbers: visits",
        "exactly one, a switch costs 3: pain_a, pain_b, pain_c",
        "only points of this class move: sick",
    ]


def test_summary_with_names_for_numbers():
    model = AttackModel(scale=[1.0, 2.0], bounds=[(0, 1), (None, 3)], frozen=[1])
    assert model.summary(["a", "b"]).splitlines() == [
        "norm: linf",
        "may move at radius 1 by: a 1, b 2",
        "frozen: b",
        "range: a [0, 1], b <= 3",
    ]
    assert model.resolve(["a", "b"]).summary() == model.summary(["a", "b"])


# --- files ------------------------------------------------------------------------------------


def test_json_round_trip(tmp_path):
    path = tmp_path / "rules.json"
    model = AttackModel(**FULL)
    model.to_json(path)
    assert AttackModel.from_json(path) == model
    content = json.loads(path.read_text())
    assert content["scale"] == {"visits": 2.0}
    assert content["default_scale"] == 0.5
    assert content["bounds"] == {"visits": [0.0, None], "sex": [None, 9.0]}
    assert content["one_hot"] == [{"features": ["pain_a", "pain_b", "pain_c"], "cost": 3.0}]


def test_numbers_count_from_one_in_files():
    content = {"frozen": [1], "integer": ["visits"], "scale": {"2": 4.0}, "one_hot": [[3, 4]]}
    model = AttackModel.from_dict({"norm": "l2"} | content)
    assert model.frozen == (0,)
    found = model.resolve(NAMES)
    assert found.scale.tolist() == [0.0, 4.0, 1.0, 1.0, 1.0, 1.0]
    assert found.groups == [([2, 3], 1.0)]
    assert model.to_dict()["frozen"] == [1]


def test_a_name_of_digits_comes_before_a_number():
    found = AttackModel.from_dict({"norm": "l2", "scale": {"2": 4.0}}).resolve(["1", "4", "2"])
    assert found.scale.tolist() == [1.0, 1.0, 4.0]


def test_scales_by_number_need_names_to_be_written():
    for model in (
        AttackModel(scale={0: 2.0}),
        AttackModel(scale=[2.0, 1.0]),
        AttackModel(bounds=(0, 1)),
    ):
        with pytest.raises(ValueError, match="feature_names: needed to write"):
            model.to_dict()
        content = model.to_dict(["a", "b"])
        again = AttackModel.from_dict(content).resolve(["a", "b"])
        wanted = model.resolve(["a", "b"])
        assert again.scale.tolist() == wanted.scale.tolist()
        assert again.upper.tolist() == wanted.upper.tolist()


def test_one_pair_of_bounds_is_written_without_groups():
    content = AttackModel(bounds=(0, 9), one_hot=[[0, 1]]).to_dict(["a", "b", "c"])
    assert content["bounds"] == {"c": [0.0, 9.0]}
    assert content["one_hot"] == [["a", "b"]]


def test_lists_with_one_entry_per_feature():
    content = {"norm": "l1", "scale": [1, 2, 3], "bounds": [[0, None], None, [None, 4]]}
    model = AttackModel.from_dict(content)
    assert model == AttackModel("l1", scale=[1, 2, 3], bounds=[(0, None), (None, None), (None, 4)])


def test_frozen_features_are_written_once():
    model = AttackModel(
        frozen=["age", "sex"],
        scale={"age": 2.0, "visits": 3.0},
        integer=["sex", "visits"],
        increase_only=["age"],
        bounds={"age": (0, 9)},
    )
    assert model.to_dict() == model.to_dict(NAMES)
    assert model.to_dict() == {
        "norm": "linf",
        "scale": {"visits": 3.0},
        "frozen": ["age", "sex"],
        "integer": ["visits"],
    }
    stuck = AttackModel(one_hot=[["pain_a", "pain_b"], ["sex", "visits"]], frozen=["pain_b"])
    content = {"norm": "linf", "frozen": ["pain_b", "pain_a"], "one_hot": [["sex", "visits"]]}
    assert stuck.to_dict() == stuck.to_dict(NAMES) == content


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "rules.json: "),
        ("{}", "rules.json: attack model: expected the key 'norm', got none"),
        ("[]", "rules.json: attack model: expected a dict, got list"),
        ('{"forzen": ["age"]}', "rules.json: attack model: unknown key 'forzen'; known are norm"),
        (
            '{"norm": "l1", "frozen": [0]}',
            "rules.json: expected a feature's name or its number from 1 on, got 0",
        ),
        ('{"norm": "l1", "scale": {"age": -1}}', "rules.json: scale: .* got -1 for feature 'age'"),
        ('{"norm": "l1", "one_hot": [{"cost": 1}]}', "rules.json: one_hot: expected the keys"),
    ],
)
def test_bad_file(tmp_path, text, message):
    path = tmp_path / "rules.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        AttackModel.from_json(path)
