"""Which transformers are read, and how: the one list, which the documentation is made from."""

from dataclasses import dataclass

from sklearn.utils.validation import check_is_fitted


@dataclass(frozen=True)
class Reader:
    """`pull(step, form)` gives the functions of a step's input columns from those of its output."""

    kinds: tuple
    pull: object
    note: str


READABLE: list[Reader] = []
# Why others are refused, by the name of the class; base classes count.
REFUSED = {
    "Normalizer": "divides by the length of the row, which is not linear",
    "PolynomialFeatures": "multiplies columns by each other",
    "SplineTransformer": "maps columns to curves, which is not linear",
    "QuantileTransformer": "is not linear",
    "PowerTransformer": "is not linear",
    "KernelPCA": "is not linear",
    "KNNImputer": "fills in missing values from other columns of the row, which is not linear",
    "IterativeImputer": "fills in missing values from other columns of the row",
    "CountVectorizer": "counts words, which is supported as the first step only",
    "HashingVectorizer": "counts words, which is supported as the first step only",
}


def reads(*kinds, note=""):
    """Register a reader; `note` states its conditions."""

    def add(pull):
        READABLE.append(Reader(kinds, pull, note))
        return pull

    return add


def name_of(step):
    return step if isinstance(step, str) else type(step).__name__


def refuse(step, reason):
    return ValueError(f"model: {name_of(step)} {reason}")


def pull_back(step, form):
    """The functions of the step's input columns."""
    if step is None or (isinstance(step, str) and step == "passthrough"):
        return form
    for reader in READABLE:
        if isinstance(step, reader.kinds):
            check_is_fitted(step)
            return reader.pull(step, form)
    what = f"model: Pipeline has the step {name_of(step)}, which is not supported"
    for base in type(step).__mro__:
        if base.__name__ in REFUSED:
            raise TypeError(f"{what}: it {REFUSED[base.__name__]}")
    known = ", ".join(sorted({kind.__name__ for reader in READABLE for kind in reader.kinds}))
    raise TypeError(f"{what}; supported are {known}")


def need_linear(step, form):
    """Raise unless the functions are linear: what follows the step must not be an encoder."""
    for each in form.tables.values():
        raise refuse(step, f"is followed by {each[0].step}, which is not supported")
