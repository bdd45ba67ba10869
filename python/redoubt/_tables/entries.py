"""The entries of one column of a table as numbers, and the texts of a CSV file."""

import re

import numpy as np

from redoubt._tables.values import missing_key, shown

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_MISSING_TEXTS = frozenset(("", "na", "n/a", "nan", "null", "?"))
_TRUTH = {"true": 1.0, "false": 0.0}
_BLANKS = " \t\r\n"


def is_missing_text(text):
    """Does a CSV file mean a missing value by it?"""
    return without_blanks(text).lower() in _MISSING_TEXTS


def is_number_text(text):
    """Does a CSV file mean a number by it?"""
    return _NUMBER.fullmatch(without_blanks(text)) is not None


def without_blanks(text):
    return text.strip(_BLANKS)


def as_floats(values, number=float):
    """Numbers, NaN where one is missing; `number` reads what is neither. Dates are no numbers."""
    plain = _plain_numbers(values)
    if plain is not None:
        return plain
    found = [np.nan if missing_key(value) else number(value) for value in as_list(values)]
    return np.array(found, dtype=np.float64)


def _plain_numbers(values):
    """Numbers and booleans of NumPy, pandas and polars, read as a whole; None for anything else."""
    dtype = getattr(values, "dtype", None)
    if hasattr(dtype, "is_numeric"):  # of polars
        is_plain = dtype.is_numeric() or str(dtype) == "Boolean"
        return values.to_numpy().astype(np.float64) if is_plain else None
    kind = getattr(dtype, "kind", "O")
    if kind in "cmM":
        raise TypeError(f"expected numbers, got {dtype}")
    if kind not in "fiub":
        return None
    if isinstance(dtype, np.dtype):
        return np.array(values, dtype=np.float64)
    return values.to_numpy(dtype=np.float64, na_value=np.nan)


def numbers_of(name, values, number=float):
    """The same of a column that has a name; raises, in one line, for what is not a finite number."""
    try:
        numbers = as_floats(values, number)
    except (TypeError, ValueError):
        dtype = getattr(values, "dtype", None)
        if getattr(dtype, "kind", "O") in "cmM":
            raise ValueError(f"X: column {name!r}: expected numbers, got {dtype}") from None
        row, value = _first_that_is_none(values, number)
        raise ValueError(
            f"X: column {name!r}: expected a number, got {shown(value)} in row {row}"
        ) from None
    infinite = np.isinf(numbers)
    if infinite.any():
        row = int(np.flatnonzero(infinite)[0])
        raise ValueError(
            f"X: column {name!r}: expected finite numbers, got {numbers[row]} in row {row}"
        )
    return numbers


def _first_that_is_none(values, number):
    for row, value in enumerate(as_list(values)):
        try:
            as_floats([value], number)
        except (TypeError, ValueError):
            return row, value
    return 0, values


def as_list(values):
    """The entries of a column; among numbers missing ones are NaN, as they are to encoders."""
    if isinstance(values, list):
        return values
    entries = values.to_list() if hasattr(values, "to_list") else values.tolist()
    dtype = getattr(values, "dtype", None)
    if not isinstance(dtype, np.dtype) and _holds_numbers(dtype):
        return [np.nan if missing_key(each) else each for each in entries]
    return entries


def _holds_numbers(dtype):
    """Of pandas: numbers and booleans that may be missing; of polars: numbers."""
    if hasattr(dtype, "is_numeric"):
        return dtype.is_numeric()
    return getattr(dtype, "kind", "O") in "fiub"


def number_in_file(value):
    """The number that an entry of a CSV file is, NaN if it is missing."""
    if not isinstance(value, str):
        return float(value)
    if is_missing_text(value):
        return np.nan
    if without_blanks(value).lower() in _TRUTH:
        return _TRUTH[without_blanks(value).lower()]
    if not is_number_text(value):
        raise ValueError(value)
    return float(value)


def refuse_missing(name, missing):
    """Raise for the first row of a column whose entry is missing."""
    row = int(np.flatnonzero(missing)[0])
    raise ValueError(
        f"X: column {name!r}: row {row} has no value, and the model has none to fill in; "
        "fill it in or leave the row out"
    )
