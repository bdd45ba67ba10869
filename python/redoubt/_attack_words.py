"""Attack models in words."""

__all__ = ["brief", "summary"]


def summary(model, feature_names=None):
    """As `AttackModel.summary`."""

    def name(feature):
        is_known = feature_names is not None and isinstance(feature, int)
        return str(feature_names[feature] if is_known else feature)

    def join(features):
        return ", ".join(name(each) for each in features)

    lines = [
        ("norm", model.norm),
        ("may move at radius 1 by", _scale_text(model.scale, name)),
        ("frozen", join(model.frozen)),
        ("only up", join(model.increase_only)),
        ("only down", join(model.decrease_only)),
        ("range", _bounds_text(model.bounds, name)),
        ("whole numbers", join(model.integer)),
    ]
    for features, cost in model.one_hot:
        cost = model.switch_cost if cost is None else cost
        lines.append((f"exactly one, a switch costs {cost:g}", join(features)))
    if model.attacking_class is not None:
        lines.append(("only points of this class move", str(model.attacking_class)))
    return "\n".join(f"{head}: {text}" for head, text in lines if text)


def brief(model):
    """As `AttackModel.brief`."""
    parts = []
    if model.scale is not None:
        parts.append("scaled" if isinstance(model.scale, float) else "scaled per feature")
    for features, word in (
        (model.frozen, "frozen"),
        (model.increase_only, "up only"),
        (model.decrease_only, "down only"),
    ):
        if features:
            parts.append(f"{_few(features)} {word}")
    if model.bounds is not None:
        parts.append("within ranges")
    for found, word in ((model.integer, "whole-number feature"), (model.one_hot, "one-hot group")):
        if found:
            parts.append(f"{len(found)} {word}{'s' if len(found) > 1 else ''}")
    if model.attacking_class is not None:
        parts.append(f"only {model.attacking_class!r} attacks")
    return "; ".join(parts) if parts else f"plain {model.norm} ball"


def _few(features):
    """The features, if they are few; numbers are said to be some."""
    if len(features) > 3:
        return f"{len(features)} features"
    text = ", ".join(str(each) for each in features)
    if all(isinstance(each, str) for each in features):
        return text
    return f"feature{'s' if len(features) > 1 else ''} {text}"


def _scale_text(scale, name):
    if scale is None:
        return ""
    if isinstance(scale, float):
        return f"{scale:g}"
    if isinstance(scale, tuple):
        return ", ".join(f"{name(l)} {value:g}" for l, value in enumerate(scale))
    texts = [f"{name(key)} {value:g}" for key, value in scale.items() if key is not None]
    return ", ".join([*texts, f"others {scale.get(None, 1.0):g}"])


def _bounds_text(bounds, name):
    if bounds is None:
        return ""
    if not isinstance(bounds, dict) and not isinstance(bounds[0], tuple):
        return f"{_range_text(bounds)} for all"
    pairs = bounds.items() if isinstance(bounds, dict) else enumerate(bounds)
    return ", ".join(f"{name(key)} {_range_text(pair)}" for key, pair in pairs)


def _range_text(pair):
    low, high = pair
    if low is None:
        return "any" if high is None else f"<= {high:g}"
    return f">= {low:g}" if high is None else f"[{low:g}, {high:g}]"
