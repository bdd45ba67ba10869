"""One raw column of a table and the features that it becomes."""

from dataclasses import dataclass, field

import numpy as np

from redoubt._tables.entries import (
    is_missing_text,
    is_number_text,
    number_in_file,
    numbers_of,
    refuse_missing,
    without_blanks,
)
from redoubt._tables.values import Fill, is_marked, key_of, missing_key, shown

MISSING, OTHER = "(missing)", "(other)"


@dataclass(frozen=True, eq=False)
class Column:
    """One raw column.

    Parameters
    ----------
    name : str
    kind : {"number", "categories", "steps", "unused"}
    values : list, default=[]
        Of the members: categories, or a number of each step.
    other : int or None, default=None
        The member for anything unseen.
    fill : Fill, CONFLICT or None, default=None
        What a missing entry counts as.
    has_indicator : bool, default=False
        One more feature, the last, is 1 where the entry is missing.
    unit : float, default=1.0
        Of a number: what its one scaler makes 1 of.
    steps : Steps or None, default=None
    start : int
        Its first feature; where columns are put together as a Coding, it is set.
    """

    name: str
    kind: str
    values: list = field(default_factory=list)
    other: int | None = None
    fill: object = None
    has_indicator: bool = False
    unit: float = 1.0
    steps: object = None
    start: int = 0

    reads_texts = False  # as those of a CSV file

    def __post_init__(self):
        lookup = {}
        if self.kind == "categories":
            members = [k for k in range(len(self.values)) if k != self.other]
            lookup = {key_of(self.values[k]): k for k in members}
        object.__setattr__(self, "lookup", lookup)

    @property
    def is_number(self):
        """Are its entries numbers that move as such?"""
        return self.kind in ("number", "steps")

    @property
    def size(self):
        """How many features it has."""
        return self.is_number + self.n_members + self.has_indicator

    @property
    def n_members(self):
        return len(self.values)

    @property
    def members_at(self):
        """The feature of the first member."""
        return self.start + (self.kind == "steps")

    def member_name(self, member):
        if self.steps is not None:
            return self.steps.names()[member]
        if member == self.other:
            return OTHER
        value = self.values[member]
        return MISSING if missing_key(value) else str(value)

    def feature_names(self):
        names = [self.name] if self.is_number else []
        names += [f"{self.name}={self.member_name(k)}" for k in range(self.n_members)]
        return names + ([f"{self.name} is missing"] if self.has_indicator else [])

    # --- entries ----------------------------------------------------------------------------------

    def numbers(self, values):
        """The entries of a column of numbers, NaN where one is missing."""
        return numbers_of(self.name, values)

    def codes(self, values):
        """The members of a list of values, and for which rows a missing entry was filled."""
        find = self.lookup.get
        try:
            codes = [find(value, -1) for value in values]
        except TypeError:  # a value that is a list
            codes = [-1] * len(values)
        filled, known = [], {}
        if -1 in codes:
            for row, code in enumerate(codes):
                if code < 0:
                    codes[row], is_filled = self._remembered(known, values[row], row)
                    if is_filled:
                        filled.append(row)
        return codes, filled

    def _remembered(self, known, value, row):
        """The member of a value, looked up once per value: 1, 1.0 and True are different texts."""
        try:
            key = type(value), value
            if key not in known:
                known[key] = self._member(value, row)
            return known[key]
        except TypeError:  # it cannot be a key
            return self._member(value, row)

    def _member(self, value, row):
        """The member of a value, and whether its entry is a missing one that was filled."""
        if isinstance(self.fill, Fill) and is_marked(value, self.fill.marker):
            return self._member(self.fill.value, row)[0], True
        try:
            found = self.lookup.get(key_of(value), self.other)
        except TypeError:
            found = self.other
        if found is None:
            self._refuse(value, row)
        return found, False

    def _refuse(self, value, row):
        known = [self.values[k] for k in range(self.n_members) if k != self.other]
        more = " .." if len(known) > 5 else ""
        raise ValueError(
            f"X: column {self.name!r}: expected a category of the model "
            f"({', '.join(map(repr, known[:5]))}{more}), got {shown(value)} in row {row}"
        )


class FileColumn(Column):
    """A column as a model file knows it, whose entries are read as those of a CSV file.

    Blanks around a text do not count, `NA`, `?` and their like are missing, texts of numbers are
    numbers, and numbers and booleans match categories that are texts of them.
    """

    reads_texts = True

    @classmethod
    def of(
        cls, name, categories=None, *, other=False, fill=None, indicator=False, missing_category=False
    ):
        """A column of numbers or, with `categories`, of these.

        `other`: one more member, the last, is on for categories that are not known, which are an
        error otherwise. `fill` is what a missing entry counts as; None is an error, unless
        `missing_category`: one more member, after the categories, is on where the entry is missing.
        """
        if categories is None:
            if other or missing_category:
                raise ValueError(f"column {name!r}: a column of numbers has no categories")
            fill = None if fill is None else Fill(fill)
            return cls(name, "number", fill=fill, has_indicator=indicator)
        if fill is not None and fill not in categories:
            raise ValueError(f"column {name!r}: fill {fill!r} is no category")
        values = [*categories, *[None] * missing_category, *[OTHER] * other]
        return cls(
            name,
            "categories",
            values,
            len(values) - 1 if other else None,
            None if fill is None else Fill(fill),
            indicator,
        )

    def __post_init__(self):
        super().__post_init__()
        texts = [key for key in self.lookup if isinstance(key, str)]
        numbers, truth = {}, {}
        for text in texts:
            if is_number_text(text):
                numbers.setdefault(float(text), self.lookup[text])
        for text in texts:
            truth[text.lower()] = self.lookup[text]
        object.__setattr__(self, "_number_of", numbers)
        object.__setattr__(self, "_truth", {word: truth.get(word) for word in ("true", "false")})

    def numbers(self, values):
        return numbers_of(self.name, values, number_in_file)

    def _member(self, value, row):
        if missing_key(value) or (isinstance(value, str) and is_missing_text(value)):
            gap = self.lookup.get(("None",))
            if gap is not None:
                return gap, False
            if self.fill is None:
                refuse_missing(self.name, np.arange(row + 1) == row)
            return self.lookup[self.fill.value], True
        found = self._known(value)
        found = self.other if found is None else found
        if found is None:
            self._refuse(value, row)
        return found, False

    def _known(self, value):
        if isinstance(value, str):
            return self.lookup.get(without_blanks(value))
        if isinstance(value, (bool, np.bool_)):
            found = self._truth[str(value).lower()]
        else:
            found = self.lookup.get(str(value))
        if found is None and isinstance(value, (int, float, np.bool_)):
            found = self._number_of.get(float(value))
        return found
