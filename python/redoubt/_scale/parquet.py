"""Blocks of Parquet files, row group by row group, columns by name."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from redoubt._scale.blocks import make_block
from redoubt._scale.sources import BLOCK_ROWS

# Bytes of a column that are read at once: without a limit, all of its row group.
BUFFER = 2**16


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
class ParquetSource:
    """Files whose columns have the same names and kinds; every pass reads them again."""

    files: tuple
    columns: Columns
    names: tuple
    label_kind: str

    @classmethod
    def of(cls, data, columns):
        files = tuple(_files(data))
        if columns.label is None:
            raise TypeError("label: expected the name of the column with the labels")
        first = _open(files[0])
        there = list(first.schema_arrow.names)
        names = columns.features
        if names is None:
            names = [name for name in there if name not in columns.named()]
        for name in [*names, *columns.named()]:
            if name not in there:
                raise ValueError(f"{files[0]}: no column {name!r}; there are {', '.join(there)}")
        if not names:
            raise ValueError(f"{files[0]}: no column is left for the features")
        kind = _kind(first, columns.label)
        first.close()
        return cls(files, columns, tuple(names), kind)

    def blocks(self):
        for file in self.files:
            yield from self.blocks_of(file)

    def blocks_of(self, file):
        """The blocks of one file."""
        wanted = [*self.names, *self.columns.named()]
        opened = _open(file)
        try:
            missing = [name for name in wanted if name not in opened.schema_arrow.names]
            if missing:
                raise ValueError(f"{file}: no column {missing[0]!r}, which other files have")
            kind = _kind(opened, self.columns.label)
            if kind != self.label_kind:
                raise ValueError(
                    f"{file}: expected {self.label_kind} in column {self.columns.label!r} as in "
                    f"{self.files[0]}, got {kind}"
                )
            for group in range(opened.metadata.num_row_groups):
                place = f"{file}, row group {group}"
                yield from self._blocks_of_group(opened, group, wanted, place)
        finally:
            opened.close()

    def _blocks_of_group(self, opened, group, wanted, place):
        batches = opened.iter_batches(
            BLOCK_ROWS, row_groups=[group], columns=wanted, use_threads=False
        )
        start = 0
        while True:
            try:
                batch = next(batches, None)
            except OSError as error:
                raise ValueError(f"{place}: cannot be read: {_line(error)}") from None
            if batch is None:
                return
            where = place if start == 0 else f"{place}, from row {start} on"
            yield self._block(batch, where)
            start += batch.num_rows

    def _block(self, batch, place):
        X = np.empty((batch.num_rows, len(self.names)))
        for k, name in enumerate(self.names):
            X[:, k] = _numbers(batch.column(name), name, place)
        columns = self.columns
        label = batch.column(columns.label)
        if label.null_count:
            row = label.is_null().index(True).as_py()
            raise ValueError(f"{place}: no label in row {row}")
        extra = [
            None if name is None else _numbers(batch.column(name), name, place)
            for name in (columns.weight, columns.radius)
        ]
        labels = _labels(label)
        return make_block(X, labels, *extra, place=place, names=self.names)


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


def _kind(opened, name):
    """What labels there are, in a word."""
    import pyarrow as pa

    kind = opened.schema_arrow.field(name).type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_boolean(kind):
        return "truth values"
    return "numbers" if pa.types.is_integer(kind) or pa.types.is_floating(kind) else "texts"


def _labels(column):
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    values = column.to_numpy(zero_copy_only=False)
    return values.astype(str) if values.dtype == object else values


def _open(file):
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise ImportError("Parquet files need pyarrow; pip install 'redoubt[stream]'") from None
    try:
        return pq.ParquetFile(file, pre_buffer=False, buffer_size=BUFFER)
    except FileNotFoundError:
        raise
    except (OSError, pa.ArrowException) as error:
        raise ValueError(f"{file}: not a complete Parquet file: {_line(error)}") from None


def _line(error):
    return str(error).strip().splitlines()[0]


def _files(data):
    """The files behind a path, a folder or a list."""
    if not isinstance(data, (str, os.PathLike)):
        return [os.fspath(each) for each in data]
    path = Path(data)
    if not path.is_dir():
        return [os.fspath(path)]
    files = sorted(os.fspath(each) for each in path.glob("**/*.parquet"))
    if not files:
        raise FileNotFoundError(f"{path}: no files *.parquet in this folder")
    return files
