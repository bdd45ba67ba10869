"""Where blocks come from: arrays, functions that give them, files."""

import os
from dataclasses import dataclass, field

import numpy as np

from redoubt._scale.rows.blocks import cut_blocks
from redoubt._scale.rows.files import FileSource


@dataclass(frozen=True, eq=False)
class ArraySource:
    """Parts that are in memory, or mapped from files: tuples (X, y[, sample_weight[, radius]])."""

    parts: list
    names: list | None = None

    def blocks(self):
        for number, part in enumerate(self.parts):
            yield from cut_blocks(part, f"part {number}", self.names)

    def described(self):
        return [list(np.shape(part[0])) for part in self.parts]


@dataclass(frozen=True, eq=False)
class FunctionSource:
    """A function that starts a new pass: it returns an iterator over parts as above."""

    function: object
    names: list | None = field(default=None)

    def blocks(self):
        for number, part in enumerate(self.function()):
            if not isinstance(part, (tuple, list)) or not 2 <= len(part) <= 4:
                raise TypeError(
                    f"part {number}: expected a tuple (X, y[, sample_weight[, radius]]), got "
                    f"{type(part).__name__}"
                )
            yield from cut_blocks(part, f"part {number}", self.names)

    def described(self):
        return None


def open_source(data, columns):
    """The source for what a user gave; `columns` says which columns are what in a table."""
    if isinstance(data, (str, os.PathLike)) or _is_list_of_paths(data):
        return FileSource.of(data, columns)
    if columns.label is not None:
        raise TypeError("label: names a column of files; other data bring their labels along")
    if callable(data):
        return FunctionSource(data)
    if isinstance(data, (list, tuple)) and data and all(isinstance(part, tuple) for part in data):
        for number, part in enumerate(data):
            if not 2 <= len(part) <= 4:
                raise TypeError(
                    f"part {number}: expected (X, y[, sample_weight[, radius]]), got {len(part)} entries"
                )
        return ArraySource([tuple(map(_array, part)) for part in data])
    raise TypeError(
        "data: expected a file, folder or list of files, a list of tuples (X, y), or a "
        f"function that returns an iterator over such tuples, got {type(data).__name__}"
    )


def _array(values):
    return values if values is None or hasattr(values, "shape") else np.asarray(values)


def _is_list_of_paths(data):
    return (
        isinstance(data, (list, tuple))
        and len(data) > 0
        and all(isinstance(each, (str, os.PathLike)) for each in data)
    )
