"""Single entries of a table: which ones are missing, and what they are taken for."""

from dataclasses import dataclass

# Two steps fill the missing entries of one column differently.
CONFLICT = object()


def missing_key(value):
    """What a missing value is called in a dict: "None" or "NaN"; None for any other value."""
    if value is None:
        return "None"
    try:
        return "NaN" if bool(value != value) else None
    except TypeError:  # pandas.NA
        return "NaN"
    except ValueError:  # an array
        return None


def key_of(value):
    """What a value is looked up by."""
    missing = missing_key(value)
    return value if missing is None else (missing,)


def is_marked(value, marker):
    """Is the value what an imputer calls missing: "NaN", "None", or a value of its own?"""
    missing = missing_key(value)
    return value == marker if missing is None else missing == marker


@dataclass(frozen=True, eq=False)
class Fill:
    """Entries that are `marker` are taken as `value`."""

    value: object
    marker: object = "NaN"

    def __eq__(self, other):
        return (self.value, self.marker) == (other.value, other.marker)
