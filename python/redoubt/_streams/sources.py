"""Files of rows, in parts of bounded size: Parquet, Arrow IPC and CSV."""

import glob
import os
from contextlib import contextmanager
from dataclasses import dataclass

from redoubt._batches.blocks import need_pyarrow

# A row group that is longer is read in pieces.
ROWS_PER_PART = 65_536
_CSV_BLOCK = 8 << 20
_ARROW_FILE = b"ARROW1"
_PARQUET_BUFFER = 1 << 20
# For those who keep rows in memory beside the part.
FRUGAL_ROWS = 16_384
_FRUGAL_BUFFER = 1 << 16


class StreamError(ValueError):
    """A file of a stream that cannot be read, or whose rows the model does not take.

    The message names the file and the part (row group) of it.
    """


@dataclass(frozen=True)
class Part:
    """Some rows of a file: `place` is as people say it, `rows` is a record batch of pyarrow."""

    file: str
    place: str
    rows: object
    bytes_read: int


def find_files(source):
    """The files behind a path, a folder, a pattern or a list of these, in their order."""
    if isinstance(source, (str, os.PathLike)):
        source = [source]
    files = []
    for each in map(os.fspath, source):
        if os.path.isdir(each):
            names = sorted(name for name in os.listdir(each) if _format_of(name) is not None)
            found = [os.path.join(each, name) for name in names if not name.startswith((".", "_"))]
        elif glob.has_magic(each) and not os.path.exists(each):
            found = sorted(glob.glob(each))
        else:
            found = [each]
        if not found:
            raise StreamError(f"{each}: no files of rows (*.parquet, *.arrow, *.feather, *.csv)")
        files += found
    for path in files:
        if not os.path.isfile(path):
            raise StreamError(f"{path}: no such file")
        if _format_of(path) is None:
            raise StreamError(
                f"{path}: expected a name that ends in .parquet, .arrow, .feather, .ipc or .csv"
            )
    return files


def _format_of(path):
    name = os.fspath(path).lower()
    if name.endswith((".parquet", ".pq")):
        return "parquet"
    if name.endswith((".arrow", ".feather", ".ipc", ".arrows")):
        return "ipc"
    return "csv" if name.endswith((".csv", ".csv.gz")) else None


def read_parts(files, columns, first=0, *, is_frugal=False):
    """Yield the parts of files, without those whose number is below `first`.

    `columns` are those to read; None is all. If it is to be frugal, parts are smaller, and one
    thread reads a little of each column at a time. Raises StreamError, with file and place, for files
    that are damaged, lack a column, or whose columns have other types than in the first file.
    """
    reader = _Reader(columns, is_frugal)
    number = 0
    for file in files:
        for part in reader.read(file, lambda n, start=number: start + n < first):
            number += 1
            if part is not None:
                yield number - 1, part


def check_schemas(files, columns=None):
    """Raise StreamError unless all Parquet files have these columns, with the types of the first file.

    Reads only the ends of the files. Returns [(file, opened file's metadata, its schema), ...].
    """
    reader, found = _Reader(columns, is_frugal=True), []
    for file in files:
        with reader.naming(file), reader.open_parquet(file) as opened:
            found.append((file, opened.metadata, opened.schema_arrow))
    return found


def read_row_group(file, group, columns=None):
    """The rows of one row group of a Parquet file, as a table of pyarrow; errors name both."""
    reader = _Reader(columns, is_frugal=False)
    with reader.naming(file), reader.open_parquet(file) as opened:
        names = reader.wanted(opened.schema_arrow)
        with reader.naming(f"{file}, row group {group}", None):
            return opened.read_row_group(group, columns=names, use_threads=False)


class _Reader:
    def __init__(self, columns, is_frugal):
        self._pa = need_pyarrow("reading files of rows")
        self._columns, self._is_frugal = columns, is_frugal
        self._n_rows = FRUGAL_ROWS if is_frugal else ROWS_PER_PART
        self._buffer = _FRUGAL_BUFFER if is_frugal else _PARQUET_BUFFER
        self._schema, self._schema_file = None, None

    def read(self, file, is_done):
        """Yield the parts of one file; None for those that are done: they are not read."""
        read = {"parquet": self._parquet, "ipc": self._ipc, "csv": self._csv}[_format_of(file)]
        with self.naming(file):
            yield from read(file, is_done)

    @contextmanager
    def naming(self, place, what="cannot read the file"):
        """Errors of Arrow become those of this file or part."""
        try:
            yield
        except (self._pa.ArrowInvalid, self._pa.ArrowException, OSError) as error:
            text = _one_line(error) if what is None else f"{what}: {_one_line(error)}"
            raise StreamError(f"{place}: {text}") from error

    @contextmanager
    def open_parquet(self, file):
        """The opened file, with the columns that it should have."""
        import pyarrow.parquet as pq

        # A buffer: else all of a row group's bytes are in memory at once.
        with pq.ParquetFile(file, buffer_size=self._buffer, pre_buffer=False) as opened:
            self._check_schema(file, opened.schema_arrow)
            yield opened

    def _parquet(self, file, is_done):
        with self.open_parquet(file) as opened:
            size = os.path.getsize(file)
            n_groups, number = opened.metadata.num_row_groups, 0
            for group in range(n_groups):
                n_rows = opened.metadata.row_group(group).num_rows
                n_parts = -(-n_rows // self._n_rows)
                if all(is_done(number + k) for k in range(n_parts)):
                    yield from [None] * n_parts
                    number += n_parts
                    continue
                place = f"row group {group}"
                with self.naming(f"{file}, {place}", None):
                    for k, batch in enumerate(self._group(opened, group, n_rows)):
                        done = is_done(number)
                        share = int(size * (group + (k + 1) / n_parts) / n_groups)
                        here = _from(place, k * self._n_rows)
                        yield None if done else Part(file, here, batch, share)
                        number += 1

    def _group(self, opened, group, n_rows):
        """The rows of a row group, in pieces of the same length whatever the pages are."""
        names = self.wanted(opened.schema_arrow)
        batches = opened.iter_batches(
            self._n_rows, row_groups=[group], columns=names, use_threads=not self._is_frugal
        )
        left = n_rows
        for batch in batches:
            if batch.num_rows == 0:
                continue
            if batch.num_rows != min(self._n_rows, left):
                raise self._pa.ArrowInvalid("the row group does not hold the rows that it names")
            left -= batch.num_rows
            yield batch

    def _ipc(self, file, is_done):
        with self._pa.OSFile(file) as opened:
            is_file = opened.read(len(_ARROW_FILE)) == _ARROW_FILE
            opened.seek(0)
            if is_file:
                batches = self._opened_ipc(opened)
                each = (batches.get_batch(k) for k in range(batches.num_record_batches))
            else:
                batches = self._pa.ipc.open_stream(opened)
                each = iter(batches)
            schema = batches.schema
            self._check_schema(file, schema)
            yield from self._pieces(file, each, "record batch", opened, is_done, schema)

    def _opened_ipc(self, opened):
        try:
            return self._pa.ipc.open_file(opened)
        except self._pa.ArrowInvalid as error:
            text = f"it begins as an Arrow file, but its end is missing or damaged ({error})"
            raise self._pa.ArrowInvalid(text) from error

    def _csv(self, file, is_done):
        import pyarrow.csv as csv

        options = csv.ReadOptions(block_size=_CSV_BLOCK)
        with csv.open_csv(file, read_options=options) as batches:
            self._check_schema(file, batches.schema)
            yield from self._pieces(file, batches, "block", None, is_done, batches.schema)

    def _pieces(self, file, batches, noun, opened, is_done, schema):
        names, number = self.wanted(schema), 0
        size = os.path.getsize(file)
        for k, batch in enumerate(self._numbered(file, batches, noun)):
            batch = batch.select(names) if names is not None else batch
            for start in range(0, batch.num_rows, self._n_rows):
                done = is_done(number)
                at = min(size, opened.tell()) if opened is not None else 0
                rows = batch.slice(start, self._n_rows)
                yield None if done else Part(file, _from(f"{noun} {k}", start), rows, at)
                number += 1

    def _numbered(self, file, batches, noun):
        """The batches; errors have the number of theirs."""
        k, batches = 0, iter(batches)
        while True:
            with self.naming(f"{file}, {noun} {k}", None):
                batch = next(batches, None)
            if batch is None:
                return
            yield batch
            k += 1

    def wanted(self, schema):
        """The names of the columns to read, in the order of the file."""
        return None if self._columns is None else [n for n in schema.names if n in self._columns]

    def _check_schema(self, file, schema):
        """All columns that are needed are there, with the types that the first file has."""
        wanted = schema.names if self._columns is None else self._columns
        gone = [name for name in wanted if name not in schema.names]
        if gone:
            has = ", ".join(map(repr, schema.names[:8])) + (" .." if len(schema.names) > 8 else "")
            raise StreamError(f"{file}: column {gone[0]!r} not found; the file has {has or 'none'}")
        if self._schema is None:
            self._schema, self._schema_file = schema, file
            return
        for name in wanted if self._columns is not None else self._schema.names:
            if name not in schema.names:
                raise StreamError(
                    f"{file}: column {name!r} not found, which {self._schema_file} has"
                )
            here, there = schema.field(name).type, self._schema.field(name).type
            if here != there and not _are_alike(self._pa, here, there):
                raise StreamError(
                    f"{file}: column {name!r} is {here}, but {there} in {self._schema_file}"
                )


def _are_alike(pa, one, other):
    """Numbers are numbers, and texts are texts, whatever their width."""

    def kind(type_):
        if pa.types.is_dictionary(type_):
            return kind(type_.value_type)
        if pa.types.is_integer(type_) or pa.types.is_floating(type_) or pa.types.is_null(type_):
            return "number"
        text = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
        return "text" if any(test(type_) for test in text) else str(type_)

    return kind(one) == kind(other)


def _from(place, row):
    return place if row == 0 else f"{place} from row {row}"


def _one_line(error):
    return " ".join(str(error).split()) or type(error).__name__
