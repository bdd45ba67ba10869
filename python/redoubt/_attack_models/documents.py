"""Between the arguments of an AttackModel and the JSON object of docs/formats.md."""

_LISTS = ("frozen", "increase_only", "decrease_only")


def to_document(model, call):
    """The object; `call(feature)` is what it calls a feature."""

    def by_feature(values):
        if not isinstance(values, dict):
            return [list(value) if isinstance(value, tuple) else value for value in values]
        called = {call(key): value for key, value in values.items()}
        if all(isinstance(key, str) for key in called):
            return {key: by_feature([value])[0] for key, value in called.items()}
        return [{"feature": key, "value": by_feature([value])[0]} for key, value in called.items()]

    content = {"norm": model.norm}
    default, scale = model.default_scale, model.scale
    if isinstance(default, float):
        content["default_scale"] = default
    if isinstance(scale, dict):
        scale = {key: value for key, value in scale.items() if key is not None}
    if isinstance(scale, (dict, tuple)):
        content["scale"] = by_feature(scale)
    if model.default_cost is not None:
        content["default_cost"] = model.default_cost
    if isinstance(model.cost, dict):
        content["cost"] = by_feature({k: v for k, v in model.cost.items() if k is not None})
    elif isinstance(model.cost, tuple):
        content["cost"] = by_feature(model.cost)
    for name in _LISTS:
        content[name] = [call(each) for each in getattr(model, name)]
    if model.bounds is not None:
        content["bounds"] = by_feature(model.bounds)
    content["integer"] = [
        {"feature": call(each[0]), "offset": each[1], "scale": each[2]}
        if isinstance(each, tuple)
        else call(each)
        for each in model.integer
    ]
    content["one_hot"] = [_group(model, call, *group) for group in model.one_hot]
    if isinstance(model.switch_cost, dict):
        costs = {key: _cost(value, str) for key, value in model.switch_cost.items()}
        content["switch_cost"] = by_feature(costs)
    elif model.switch_cost != 1.0:
        content["switch_cost"] = model.switch_cost
    if model.text_columns != "groups":
        content["text_columns"] = model.text_columns
    if model.missing != "frozen":
        content["missing"] = model.missing
    label = model.attacking_class
    if label is not None:
        is_plain = isinstance(label, (str, int, float)) and not isinstance(label, bool)
        content["attacking_class"] = label if is_plain else str(label)
    return {key: value for key, value in content.items() if value not in ([], {})}


def _group(model, call, features, cost, *values):
    features = [call(each) for each in features]
    usual = 1.0 if isinstance(model.switch_cost, dict) else model.switch_cost
    cost = usual if cost is None else cost
    if cost == 1.0 and not values:
        return features
    sides = {side: list(each) for side, each in zip(("on", "off"), values) if each is not None}
    return {"features": features, "cost": _cost(cost, call), **sides}


def _cost(cost, call):
    """A number, or prices of pairs as a list of objects."""
    if not isinstance(cost, tuple):
        return cost
    return [
        {side: call(end) for side, end in zip(("from", "to"), ends) if end is not None}
        | {"cost": price}
        for *ends, price in cost
    ]


def from_document(content):
    """The arguments that a (checked) object stands for; its numbers of features count from 1."""

    def number(feature):
        return feature - 1 if isinstance(feature, int) else feature

    def by_feature(values):
        if isinstance(values, list) and values and isinstance(values[0], dict):
            return {number(each["feature"]): each["value"] for each in values}
        return values

    values = {"norm": content["norm"], "attacking_class": content.get("attacking_class")}
    for name, usual in (("switch_cost", 1.0), ("text_columns", "groups"), ("missing", "frozen")):
        values[name] = by_feature(content.get(name, usual))
    counts = content["norm"] == "l0"
    cost, default_cost = by_feature(content.get("cost")), content.get("default_cost")
    if isinstance(cost, dict) and default_cost is not None:
        cost = {**cost, None: default_cost}
    values["cost"] = cost or default_cost
    default = content.get("default_scale", None if counts else "scaled")
    scale = by_feature(content.get("scale"))
    if not scale:
        scale = default
    elif isinstance(scale, dict):
        scale = {**scale, None: default}
    values["scale"] = scale
    for name in _LISTS:
        values[name] = [number(each) for each in content.get(name, ())]
    bounds = by_feature(content.get("bounds"))
    if isinstance(bounds, list) and any(isinstance(pair, list) for pair in bounds):
        bounds = [(None, None) if pair is None else pair for pair in bounds]
    elif isinstance(bounds, dict):
        bounds = {key: pair for key, pair in bounds.items() if pair is not None}
    values["bounds"] = bounds or None
    values["integer"] = [
        {**each, "feature": number(each["feature"])} if isinstance(each, dict) else number(each)
        for each in content.get("integer", ())
    ]

    def group_of(group):
        if not isinstance(group, dict):
            return [number(each) for each in group]
        changed = {"features": [number(each) for each in group["features"]]}
        if isinstance(group.get("cost"), list):
            changed["cost"] = [
                (number(each.get("from")), number(each.get("to")), each["cost"])
                for each in group["cost"]
            ]
        return {**group, **changed}

    values["one_hot"] = [group_of(group) for group in content.get("one_hot", ())]
    return values


def as_number_or_text(label):
    """What makes labels the same that are a number in one place and a text in another."""
    try:
        return float(label)
    except (TypeError, ValueError):
        return str(label)
