"""The entries of one column of a table: numbers, categories, and what is missing."""

import re

import numpy as np

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_MISSING_TEXTS = frozenset(("", "na", "n/a", "nan", "null", "?"))
_BLANKS = " \t\r\n"


def is_missing_text(text):
    """Does a CSV file mean a missing value by it?"""
    return text.strip(_BLANKS).lower() in _MISSING_TEXTS


def is_missing(value):
    """Is it None, a NaN or the like of pandas?"""
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas.NA is neither
        return True


def numbers_of(name, values, reads_texts):
    """The numbers of a column of any type, NaN where missing."""
    if values.dtype.kind in "fiub":
        numbers = values.astype(np.float64)
    elif values.dtype.kind in "OUST":
        numbers = np.array(
            [_number(name, row, value, reads_texts) for row, value in enumerate(values.tolist())]
        )
    else:
        raise ValueError(f"X: column {name!r}: expected numbers, got {values.dtype}")
    if np.isinf(numbers).any():
        row = int(np.flatnonzero(np.isinf(numbers))[0])
        raise ValueError(
            f"X: column {name!r}: expected finite numbers, got {numbers[row]} in row {row}"
        )
    return numbers


def _number(name, row, value, reads_texts):
    if isinstance(value, str):
        if reads_texts and is_missing_text(value):
            return np.nan
        if reads_texts and _NUMBER.fullmatch(value.strip(_BLANKS)):
            return float(value)
    elif is_missing(value):
        return np.nan
    else:
        try:
            return float(value)
        except (TypeError, ValueError):
            pass
    raise ValueError(f"X: column {name!r}: expected a number, got {value!r} in row {row}")


def refuse_missing(name, missing):
    """Raise for the first row of a column whose entry is missing."""
    row = int(np.flatnonzero(missing)[0])
    raise ValueError(
        f"X: column {name!r}: row {row} has no value, and the model has none to fill in; "
        "fill it in or leave the row out"
    )


class CategoryCoder:
    """Finds the member that a value stands for."""

    _MISSING, _UNKNOWN = -1, -2

    def __init__(self, column, reads_texts):
        self._column, self._reads_texts = column, reads_texts
        self._code_of = {category: i for i, category in enumerate(column.categories)}
        self._number_of = {}
        if reads_texts:
            for i, category in enumerate(column.categories):
                if isinstance(category, str) and _NUMBER.fullmatch(category):
                    self._number_of.setdefault(float(category), i)
            lowered = {str(each).lower(): i for i, each in enumerate(column.categories)}
            self._truth = {word: lowered.get(word) for word in ("true", "false")}
        n = len(column.categories)
        self._missing_code = n if column.missing_category else self._MISSING
        self._other_code = n + column.missing_category if column.other else self._UNKNOWN
        self.fill = 0 if column.fill is None else self._code_of[column.fill]

    def code(self, values):
        """Codes of the values, and which are missing without being a category."""
        known = {}
        codes = np.empty(len(values))
        for row, value in enumerate(values.tolist()):
            # 1, 1.0 and True are equal, but they are different texts.
            key = value if type(value) is str else (type(value), value)
            try:
                code = known[key]
            except (KeyError, TypeError):
                code = self._find(value)
                if code == self._UNKNOWN:
                    self._refuse(value, row)
                if not is_missing(value):
                    known[key] = code
            codes[row] = code
        return codes, codes == self._MISSING

    def _find(self, value):
        if is_missing(value):
            return self._missing_code
        if not self._reads_texts:
            found = self._code_of.get(value)
        elif isinstance(value, str):
            if is_missing_text(value):
                return self._missing_code
            found = self._code_of.get(value.strip(_BLANKS))
        elif isinstance(value, bool):
            found = self._truth[str(value).lower()]
        else:
            found = self._code_of.get(str(value))
            if found is None and isinstance(value, (int, float)):
                found = self._number_of.get(float(value))
        return self._other_code if found is None else found

    def _refuse(self, value, row):
        known = [repr(each) for each in self._column.categories[:5]]
        more = " .." if len(self._column.categories) > 5 else ""
        raise ValueError(
            f"X: column {self._column.name!r}: expected a category of the model "
            f"({', '.join(known)}{more}), got {value!r} in row {row}"
        )
