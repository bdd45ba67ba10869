"""The attack model as a value: arguments, names and numbers, equality, files."""

import copy
import json
import pickle

import numpy as np
import pytest
import redoubt
from redoubt import AttackModel, InvalidInput, _core
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
    assert found.integer == [5]
    assert found.groups == [([2, 3, 4], 3.0)]
    assert found.attacking == 1


def test_names_and_numbers_mean_the_same():
    by_name = AttackModel(frozen=["sex"], integer=["visits"], bounds={"age": (0, 99)})
    by_number = AttackModel(frozen=[1], integer=[-1], bounds={0: (0, 99)})
    for model in (by_name, by_number):
        found = model.resolve(NAMES)
        assert (found.scale[1], found.integer, found.upper[0]) == (0.0, [5], 99.0)


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
    assert found.integer == [1]


def test_single_feature_without_a_list():
    assert AttackModel(frozen="age").frozen == ("age",)
    assert AttackModel(integer=np.int64(3)).integer == (3,)


def test_unit_is_the_scale_of_what_has_none():
    found = AttackModel(scale={1: 3.0}, frozen=[2]).resolve(3, unit=[0.1, 0.2, 0.3])
    assert found.scale.tolist() == [0.1, 3.0, 0.0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"norm": "l3"}, "norm: expected 'l1', 'l2', 'linf' or 'l0', found 'l3'"),
        ({"norm": None}, "norm: expected 'l1', 'l2', 'linf' or 'l0', found null"),
        ({"scale": -1.0}, "default_scale: expected a number >= 0, found -1"),
        ({"scale": {"age": -2.0}}, "scale.age: expected a number >= 0, found -2"),
        ({"scale": {3: -2.0}}, r"scale\[0\].value: expected a number >= 0, found -2"),
        ({"scale": [1.0, np.nan]}, "scale of feature 1: expected a finite number, got nan"),
        ({"scale": [[1.0]]}, "scale: expected one number per feature, got shape"),
        ({"bounds": (2, 1)}, r"bounds: expected low <= high, found \[2, 1\]"),
        ({"bounds": (np.inf, 1)}, "bounds: expected a finite number, got inf"),
        ({"bounds": {"age": (5, 4)}}, r"bounds.age: expected low <= high, found \[5, 4\]"),
        ({"bounds": {"age": (np.nan, 4)}}, "bounds of 'age': expected a finite number, got nan"),
        ({"bounds": {"age": 4}}, r"bounds of 'age': expected a pair \(low, high\), got 4"),
        ({"frozen": ["age", "age"]}, "frozen.*: expected each feature once, found 'age' twice"),
        (
            {"one_hot": [{"features": [2, 3], "on": [1, 1], "off": [1, 0]}]},
            "values for on and off that differ, got 1 and 1 for feature 2$",
        ),
        (
            {"increase_only": [1], "decrease_only": [1]},
            "decrease_only.*: .* not in increase_only, found feature 1, which is in both",
        ),
        (
            {"one_hot": [["a", "b"], ["b", "c"]]},
            "one_hot.*: expected features of no other group, found 'b' again",
        ),
        ({"one_hot": [["a"]]}, r"one_hot\[0\]: expected a list of at least 2 features"),
        ({"one_hot": [(["a", "b"], -1.0)]}, r"one_hot\[0\].cost: expected a number >= 0"),
        ({"one_hot": [(["a", "b"], np.nan)]}, "cost of a switch: expected a finite number"),
        (
            {"one_hot": [{"features": ["a", "b"], "on": [1.0]}]},
            r"one_hot\[0\].on: expected a list of 2 numbers, found a list of 1",
        ),
        ({"integer": [("a", 0.0, 0.0)]}, r"integer\[0\].scale: expected a number > 0, found 0"),
        ({"switch_cost": np.inf}, "switch_cost: expected a finite number"),
        ({"switch_cost": {"a": [("x", "y", -1)]}}, r"switch_cost.a\[0\].cost: expected a number >= 0"),
        ({"switch_cost": {"a": [{"from": "x"}]}}, "switch_cost of 'a': expected from, to and cost"),
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
        ({"scale": {"age": "scaled"}}, "scale of 'age': expected a finite number"),
        ({"bounds": {"age": ("low", "high")}}, "bounds of 'age': expected a finite number"),
    ],
)
def test_bad_type(change, message):
    with pytest.raises(TypeError, match=message):
        AttackModel(**change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"frozen": ["aeg"]},
            r"AttackModel: frozen\[0\]: expected the name or number \(0 to 5\) of a feature, "
            r"found 'aeg'; did you mean 'age'\?",
        ),
        ({"integer": ["VISIT"]}, r"integer\[0\]: .* found 'VISIT'; did you mean 'visits'\?"),
        ({"bounds": {"xyz": (0, 1)}}, "bounds: .* found 'xyz'; the features are 'age', 'sex'"),
        ({"scale": {6: 1.0}}, r"scale\[0\].feature: expected a feature from 0 to 5, found 6"),
        ({"scale": [1.0, 2.0]}, "scale: expected a list of 6, one per feature, found a list of 2"),
        ({"bounds": [(0, 1)] * 3}, "bounds: expected a list of 6, one per feature"),
        ({"frozen": ["age", 0]}, "frozen.*: expected each feature once, found 'age' twice"),
        ({"increase_only": ["age"], "decrease_only": [0]}, "found 'age', which is in both"),
        ({"one_hot": [["sex", "age"], [0, 5]]}, "features of no other group, found 'age' again"),
        (
            {"one_hot": [["sex", "age"]], "increase_only": ["sex"]},
            "features that are not in increase_only, found 'sex', which is in both",
        ),
        (
            {"one_hot": [["sex", "age"]], "bounds": {0: (0, 0.5)}},
            r"bounds that hold the member's values 1 and 0, found \[0, 0.5\] for 'age'",
        ),
        ({"attacking_class": "ill"}, r"unknown class 'ill'; the model's are \['well', 'sick'\]"),
    ],
)
def test_what_does_not_fit(change, message):
    with pytest.raises(ValueError, match=message):
        AttackModel(**change).resolve(NAMES, ["well", "sick"])


def test_names_without_names():
    message = "expected a number from 0 to 3, because the features have no names, found 'age'"
    with pytest.raises(ValueError, match=message):
        AttackModel(frozen=["age"]).resolve(4)


def test_an_attacking_class_needs_classes():
    with pytest.raises(ValueError, match="classes: needed"):
        AttackModel(attacking_class=1).resolve(4)


def test_an_attacking_class_is_equal_as_text_or_number():
    """As in files, whose labels are texts."""
    for label, classes, index in ((1, ["0", "1"], 1), ("0.0", [0, 1], 0), ("b", ["a", "b"], 1)):
        assert AttackModel(attacking_class=label).resolve(1, classes).attacking == index


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
    AttackModel(scale="scaled", integer=["a", ("b", 0.25, 4.0)]),
    AttackModel(scale={None: "scaled", 2: 3.0}),
    AttackModel(one_hot=[{"features": [0, 1], "cost": 2, "on": [2, 3]}, {"features": [2, 3]}]),
    AttackModel(switch_cost={"job": [("a", "b", 2), (None, "c", None)], "city": 3}),
    AttackModel(one_hot=[([0, 1], [(0, 1, 2), (1, None, 0.5)])]),
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
        "integers: visits",
        "exactly one, a switch costs 3: pain_a, pain_b, pain_c",
        "only points of this class move: sick",
    ]


def test_summary_with_names_for_numbers():
    model = AttackModel(scale=[1.5, 2.0], bounds=[(0, 1), (None, 3)], frozen=[1])
    assert model.summary(["a", "b"]).splitlines() == [
        "norm: linf",
        "may move at radius 1 by: a 1.5, others 1 unit",
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


@pytest.mark.parametrize(
    "model",
    [
        AttackModel(scale={0: 2.0}),
        AttackModel(scale={"2": 4.0, 1: 3.0}),
        AttackModel(scale=[2.0, 1.0, 0.5]),
        AttackModel(bounds=(0, 1), one_hot=[["2", 2]], switch_cost=0.5),
        AttackModel(bounds={1: (None, 4)}, integer=[(0, 0.25, 4.0)]),
        AttackModel(one_hot=[(["2", 2], [(2, "2", 0.5), ("2", 2, None)])]),
        AttackModel("l1", scale={None: "scaled", 2: 3.0}),
    ],
    ids=repr,
)
def test_files_without_names_say_the_same(model):
    """Also where names are numbers: a number without quotes is always one."""
    for names in (None, ["2", "b", "c"]):
        again = AttackModel.from_dict(model.to_dict(names))
        for features in (["2", "b", "c"], ["2", "3", "1"])[: 1 if names else None]:
            found, wanted = (
                each.resolve(features, unit=[7.0, 8.0, 9.0]) for each in (again, model)
            )
            if model.default_scale is None:
                wanted = model.resolve(features)
            assert found.core() == wanted.core()


def test_a_feature_counted_from_the_end_needs_names():
    model = AttackModel(frozen=[-1])
    assert model.to_dict(["a", "b"])["frozen"] == ["b"]
    with pytest.raises(ValueError, match="feature_names: needed to write feature -1"):
        model.to_dict()


def test_names_that_occur_twice_are_written_as_numbers():
    content = AttackModel(frozen=[1, 2]).to_dict(["a", "b", "a"])
    assert content["frozen"] == ["b", 3]


def test_lists_with_one_entry_per_feature():
    content = {"norm": "l1", "scale": [1, 2, 3], "bounds": [[0, None], None, [None, 4]]}
    model = AttackModel.from_dict(content)
    assert model == AttackModel("l1", scale=[1, 2, 3], bounds=[(0, None), (None, None), (None, 4)])


def test_frozen_features_keep_their_other_rules():
    model = AttackModel(
        frozen=["age", "sex"],
        scale={"age": 2.0, "visits": 3.0},
        integer=["sex", "visits"],
        increase_only=["age"],
        bounds={"age": (0, 9)},
        one_hot=[["pain_a", "pain_b"]],
    )
    found = model.resolve(NAMES)
    assert found.scale.tolist() == [0.0, 0.0, 1.0, 1.0, 1.0, 3.0]
    assert found.integer == [1, 5]
    assert model.to_dict() == model.to_dict(NAMES)
    assert AttackModel.from_dict(model.to_dict()).resolve(NAMES).core() == found.core()


# --- the same file in the library and here ----------------------------------------------------

EVERY_RULE = {
    "norm": "l1",
    "scale": {"age": 2.5, "visits": 0.1},
    "default_scale": 1.5,
    "frozen": ["sex", "height"],
    "increase_only": ["visits", 7],
    "decrease_only": ["age"],
    "bounds": {"age": [0, 120.5], "weight": [None, 300], "sex": [0, None]},
    "integer": ["visits", {"feature": "age", "offset": 0.1, "scale": 3.0}],
    "one_hot": [
        ["pain=a", "pain=b"],
        {"features": ["eye=x", "eye=y"], "cost": 0.3, "on": [0.7, 2.0], "off": [-0.1, 1.0]},
        {"features": ["job=x", "job=y"], "cost": 2.0, "off": [0.5, 0.25]},
    ],
    "attacking_class": "sick",
}
MODEL_NAMES = [
    *("age", "sex", "height", "weight", "visits", "pain=a", "twice", "pain=b", "eye=x", "eye=y"),
    *("job=x", "job=y", "twice"),
]


def model_text(rules):
    """A model file of the library with these rules, as the library writes it."""
    n = len(MODEL_NAMES)
    columns = [
        {"name": f"c{l}", "role": "feature", "categories": [], "fill": 0.0} for l in range(n)
    ]
    label = {"name": "label", "role": "label", "categories": [], "fill": 0.0}
    zeros = dict.fromkeys(("least", "greatest", "mean"), 0.0)
    fields = {
        "format": "redoubt model",
        "format_version": 2,
        "library_version": "0.1.0",
        "classes": ["well", "sick"],
        "feature_names": [f"c{l}" for l in range(n)],
        "coding": {
            "has_header": True,
            "missing": "error",
            "unseen": "error",
            "columns": [*columns, label],
        },
        "scaler": {
            "kind": "standard",
            "offset": [0.5 * l for l in range(n)],
            "scale": [1.0 + l for l in range(n)],
        },
        "planes": [{"w": [0.1 * l for l in range(n)], "b": -1.0}],
        "training": {
            "method": "svm",
            "norm": rules["norm"],
            "radii": {"count": 0, **zeros},
            "data": "",
            "n_points": 0,
            "status": "optimal",
            "is_partial": False,
            **dict.fromkeys(("objective", "gap", "seconds", "seed")),
            "settings": {},
            "rounds": {"columns": [], "rows": []},
        },
        "attack_model": rules,
    }
    text = json.dumps(fields)
    for l, name in enumerate(MODEL_NAMES):
        if MODEL_NAMES.count(name) == 1:
            text = text.replace(f'"c{l}"', json.dumps(name))
    return _core.model_from_json(text).to_json()


@pytest.mark.parametrize(
    "rules",
    [
        EVERY_RULE,
        {key: EVERY_RULE[key] for key in EVERY_RULE if key not in ("default_scale", "scale")},
        {"norm": "linf", "scale": [0.1 * l for l in range(13)]},
        {"norm": "l2", "bounds": [[0, 1.5]] * 12 + [None]},
        {"norm": "l2", "scale": {"7": 2.0}, "bounds": {"13": [0, 1]}, "integer": [{"feature": 3}]},
        {"norm": "l2", "attacking_class": "well"},
    ],
)
def test_from_the_library_to_python_and_back_bit_by_bit(rules, tmp_path):
    """Every kind of rule in a model file, through Python's own values into a model file."""
    text = model_text(rules)
    path = tmp_path / "model.json"
    path.write_text(text)
    model = redoubt.load_model(path)
    fields = json.loads(text)
    for names in (None, model.feature_names):
        fields["attack_model"] = model.attack_model.to_dict(names)
        fields.pop("checksum", None)
        assert _core.model_from_json(json.dumps(fields)).to_json() == text
    assert pickle.loads(pickle.dumps(model.attack_model)) == model.attack_model
    assert eval(repr(model.attack_model)) == model.attack_model
    # And as a file of its own.
    model.attack_model.to_json(tmp_path / "rules.json", model.feature_names)
    assert AttackModel.from_json(tmp_path / "rules.json") == AttackModel.from_dict(
        model.attack_model.to_dict(model.feature_names)
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "rules.json:1: not valid JSON"),
        ("{}", "rules.json: norm: expected 'l1', 'l2', 'linf' or 'l0', found nothing"),
        ("[]", "rules.json: expected an object, found a list of 0"),
        ('{"norm": "l1",\n "frozen": [}', "rules.json:2: not valid JSON"),
        ('{"forzen": ["age"]}', "rules.json: unknown field 'forzen'; did you mean 'frozen'"),
        (
            '{"norm": "l1", "frozen": [0]}',
            r"rules.json: frozen\[0\]: expected the name of a feature or its number, from 1 on",
        ),
        (
            '{"norm": "l1", "scale": {"age": -1}}',
            "rules.json: scale.age: expected a number >= 0, found -1",
        ),
        (
            '{"norm": "l1", "one_hot": [{"cost": 1}]}',
            r"rules.json: one_hot\[0\].features: expected a list, found nothing",
        ),
    ],
)
def test_bad_file(tmp_path, text, message):
    path = tmp_path / "rules.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        AttackModel.from_json(path)
