"""Names, orders and number formats of the report."""

MODES = ("published", "as_published", "corrected")
NORMS = ("l1", "l2", "linf")
VERDICTS = ("equal", "one_point", "different")
MINUS = "\N{MINUS SIGN}"

_DATASETS = {"gaussian": "Gaussian", "bcw": "BCW", "digits3": "Digits(3)", "digits7": "Digits(7)"}
_DATASETS |= {"digits10": "All ten digits"}  # our own
_METHODS = ("SVM-Ens", "RO-SVM", "Ens-E", "Ens-R", "Ens-H", "Ens-C")
_MODE_TEXTS = {
    "published": "published",
    "as_published": "own, as published",
    "corrected": "own, corrected",
}
_MEASURES = {"accuracy": "accuracy", "balanced_accuracy": "balanced accuracy"}


def dataset_text(dataset):
    return _DATASETS.get(dataset, dataset)


def norm_text(norm):
    """In Unicode: reads well as a text of HTML and of SVG."""
    return {"l1": "ℓ₁", "l2": "ℓ₂", "linf": "ℓ∞"}.get(norm, norm)


def pair_text(dataset, norm):
    return f"{dataset_text(dataset)}, {norm_text(norm)}"


def mode_text(mode):
    return _MODE_TEXTS[mode]


def measure_text(measure):
    return _MEASURES[measure]


def sentence(text):
    """The text with a capital at its start; str.capitalize would make Ens-E ens-e."""
    return text[:1].upper() + text[1:]


def slug(*parts):
    """A name for a file or an anchor."""
    kept = "".join(c if c.isalnum() else "-" for c in "-".join(map(str, parts)).lower())
    return "-".join(filter(None, kept.split("-")))


def pairs_of(rows):
    """The pairs (dataset, norm) of rows, in the order of the paper, l2 first."""
    order = {"l2": 0, "linf": 1, "l1": 2}
    found = {(row.dataset, row.norm) for row in rows}
    return sorted(found, key=lambda pair: (_rank(pair[0], tuple(_DATASETS)), order[pair[1]]))


def methods_of(rows):
    """The methods of rows, in the order of the paper; unknown ones last."""
    return sorted({row.method for row in rows}, key=lambda name: _rank(name, _METHODS))


def method_index(method):
    return _METHODS.index(method) if method in _METHODS else len(_METHODS)


def _rank(name, known):
    return (known.index(name), "") if name in known else (len(known), name)


def percent(value, digits=1):
    return "" if value is None else f"{value:.{digits}f}".replace("-", MINUS)


def radius(value):
    return f"{value:g}"


def signed(value):
    """An integer with its sign; zero has none."""
    return "0" if value == 0 else f"{value:+d}".replace("-", MINUS)


def seconds(value):
    """Three digits, in seconds or a smaller unit."""
    if value == 0:
        return "0.0 s"
    if value < 1e-3:
        return f"{value * 1e6:.3g} µs"
    if value < 1:
        return f"{value * 1e3:.3g} ms"
    return f"{value:,.0f} s" if value >= 100 else f"{value:.3g} s"


def times(value):
    """A ratio: two digits below ten, integers above."""
    return f"{value:.2g}×" if value < 10 else f"{value:,.0f}×"
