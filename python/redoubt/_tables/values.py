"""Single entries of a table: which ones are missing, and what they are taken for."""

from dataclasses import dataclass

import numpy as np

# What missing entries are called.
GAPS = ("NaN", "None", "NA")
# Two steps fill the missing entries of one column differently.
CONFLICT = object()


def missing_key(value):
    """What a missing value is called in a dict: "None", "NaN" or "NA"; None for any other value.

    Encoders tell them apart; among texts pandas.NA is unknown to them.
    """
    if value is None:
        return "None"
    try:
        return "NaN" if bool(value != value) else None
    except TypeError:  # pandas.NA
        return "NA"
    except ValueError:  # an array
        return None


def key_of(value):
    """What a value is looked up by."""
    missing = missing_key(value)
    return value if missing is None else (missing,)


def shown(value):
    """How messages write an entry: numbers of NumPy as plain ones."""
    return repr(value.item() if isinstance(value, np.generic) else value)


def is_marked(value, marker):
    """Is the value what an imputer calls missing: "NaN", "None", "NA" (all), or a value of its own?"""
    missing = missing_key(value)
    return value == marker if missing is None else marker in (missing, "NA")


@dataclass(frozen=True, eq=False)
class Fill:
    """Entries that are `marker` are taken as `value`."""

    value: object
    marker: object = "NaN"

    def __eq__(self, other):
        return (self.value, self.marker) == (other.value, other.marker)
