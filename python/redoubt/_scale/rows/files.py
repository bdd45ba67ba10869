"""Blocks of files of rows (Parquet, Arrow IPC, CSV): columns by name, read anew in each pass."""

import os
from dataclasses import dataclass

import numpy as np

from redoubt._scale.rows.blocks import make_block
from redoubt._streams.sources import find_files, read_parts


@dataclass(frozen=True)
class Columns:
    """What is what in a table. `features` None: every column that is nothing else."""

    label: str | None = None
    features: tuple | None = None
    weight: str | None = None
    radius: str | None = None

    def named(self):
        return [name for name in (self.label, self.weight, self.radius) if name is not None]


@dataclass(frozen=True)
class FileSource:
    """Files whose columns have the same names and kinds."""

    files: tuple
    columns: Columns
    names: tuple

    @classmethod
    def of(cls, data, columns):
        if columns.label is None:
            raise TypeError("label: expected the name of the column with the labels")
        files = find_files(data)
        there = _column_names(files)
        names = columns.features
        if names is None:
            names = [name for name in there if name not in columns.named()]
        for name in [*names, *columns.named()]:
            if name not in there:
                raise ValueError(f"{files[0]}: no column {name!r}; there are {', '.join(there)}")
        if not names:
            raise ValueError(f"{files[0]}: no column is left for the features")
        return cls(tuple(files), columns, tuple(names))

    def blocks(self):
        wanted = [*self.names, *self.columns.named()]
        for _, part in read_parts(self.files, wanted, is_frugal=True):
            yield self._block(part.rows, f"{part.file}, {part.place}")

    def described(self):
        """What tells these files from others."""
        states = [(os.path.abspath(file), os.stat(file)) for file in self.files]
        files = [[path, state.st_size, state.st_mtime_ns] for path, state in states]
        return {"files": files, "columns": [*self.names, *self.columns.named()]}

    def _block(self, batch, place):
        X = np.empty((batch.num_rows, len(self.names)))
        for k, name in enumerate(self.names):
            X[:, k] = _numbers(batch.column(name), name, place)
        columns = self.columns
        labels = _labels(batch.column(columns.label), place)
        extra = [
            None if name is None else _numbers(batch.column(name), name, place)
            for name in (columns.weight, columns.radius)
        ]
        return make_block(X, labels, *extra, place=place, names=self.names)


def _column_names(files):
    for _, part in read_parts(files, None, is_frugal=True):
        return list(part.rows.schema.names)
    raise ValueError(f"{files[0]}: no rows")


def _numbers(column, name, place):
    import pyarrow as pa

    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        raise ValueError(f"{place}: expected numbers in column {name!r}, got {kind}")
    if column.null_count:
        row = column.is_null().index(True).as_py()
        raise ValueError(
            f"{place}: no value in row {row}, column {name!r}; fill or drop such rows before training"
        )
    return column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)


def _labels(column, place):
    import pyarrow as pa

    if column.null_count:
        raise ValueError(f"{place}: no label in row {column.is_null().index(True).as_py()}")
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    values = column.to_numpy(zero_copy_only=False)
    return values.astype(str) if values.dtype == object else values
