"""Parquet files behind dask collections: read by row groups, checked before and after dask reads them."""

from dataclasses import dataclass
from importlib import import_module

from redoubt._batches.blocks import need_pyarrow
from redoubt._streams.sources import (
    StreamError,
    check_schemas,
    find_files,
    read_parts,
    read_row_group,
)

# In the `attrs` of a frame: what messages call its rows.
_PLACE = "redoubt place"
# What dask, pandas and pyarrow raise over bad files; other errors are no matter of the rows.
_ERRORS_OF_READING = (ValueError, TypeError, KeyError, OSError, AttributeError)


def need_dask(part=None):
    """The package dask, or its module `part`; an ImportError that says how to get it."""
    try:
        return import_module("dask" if part is None else f"dask.{part}")
    except ImportError:
        raise ImportError("redoubt.dask needs dask: pip install 'dask[array,dataframe]' distributed") from None


def is_collection(values):
    """A dask array, dataframe or series."""
    return hasattr(values, "dask") and hasattr(values, "compute")


def is_frame(collection):
    """A dask dataframe or series, as opposed to an array."""
    return hasattr(collection, "npartitions") and hasattr(collection, "divisions")


class RowError(ValueError):
    """Bad rows; the message begins with their place."""


class RowTypeError(TypeError):
    """The same, where the rows are of the wrong type."""


def place_of(piece, number):
    """What messages call a partition: file and row group where they are known."""
    return getattr(piece, "attrs", {}).get(_PLACE, f"partition {number}")


def frame_of_row_groups(source, columns=None):
    """A dask dataframe of Parquet files with a partition per row group (see `redoubt.dask`)."""
    files = find_files(source)
    columns = None if columns is None else [str(name) for name in columns]
    found = check_schemas(files, columns)
    groups = [(file, k) for file, data, _ in found for k in range(data.num_row_groups)]
    if not groups:
        raise StreamError(f"{files[0]}: no rows")
    schema = _common_schema(found, found[0][2].names if columns is None else columns)
    return need_dask("dataframe").from_map(
        _RowGroup(schema),
        groups,
        meta=_as_frame(schema.empty_table()),
        columns=schema.names,
        label="redoubt-read-parquet",
    )


@dataclass(frozen=True, eq=False)
class _RowGroup:
    """A pure function of (file, number of the row group): its rows as a frame of pandas."""

    schema: object

    def __call__(self, group, columns=None):
        file, number = group
        names = self.schema.names if columns is None else list(columns)
        pa = need_pyarrow("redoubt.dask")
        schema = pa.schema([self.schema.field(name) for name in names])
        rows = read_row_group(file, number, names).select(names)
        frame = _as_frame(rows.cast(schema, safe=False))
        frame.attrs[_PLACE] = f"{file}, row group {number}"
        return frame


def _as_frame(table):
    return table.to_pandas(ignore_metadata=True)


def _common_schema(found, names):
    """One type per column, so that all partitions are alike.

    Numbers of several types become float64, as do integers among which a value is missing:
    pandas has no other place for it.
    """
    pa = need_pyarrow("redoubt.dask")
    fields = []
    for name in names:
        kinds = [schema.field(name).type for _, _, schema in found]
        kind = kinds[0].value_type if pa.types.is_dictionary(kinds[0]) else kinds[0]
        is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_null(kind)
        if is_number and (
            any(each != kind for each in kinds)
            or (pa.types.is_integer(kind) and any(_has_gaps(data, name) for _, data, _ in found))
        ):
            kind = pa.float64()
        fields.append(pa.field(name, kind))
    return pa.schema(fields)


def _has_gaps(metadata, name):
    """Do the statistics of a file tell of missing values in a column?"""
    if metadata.num_row_groups == 0:
        return False
    first = metadata.row_group(0)
    paths = [first.column(k).path_in_schema for k in range(metadata.num_columns)]
    if name not in paths:
        return False
    place = paths.index(name)
    told = [metadata.row_group(k).column(place).statistics for k in range(metadata.num_row_groups)]
    return any(each is not None and each.has_null_count and each.null_count for each in told)


# --- Files that dask itself reads -----------------------------------------------------------------


def check_files(collection):
    """Raise StreamError if local Parquet files behind a dataframe differ in the columns it uses.

    Dask takes the types of the first file for those of all, and so would read the text "1.5" of a
    later one as a number.
    """
    for files, columns in _local_files(collection):
        check_schemas(files, columns)


def _local_files(collection):
    """[(files, columns)] of the Parquet files that dask reads for a dataframe, as far as it tells."""
    try:
        from dask.dataframe.dask_expr.io.parquet import ReadParquet

        reads = list(collection.simplify().expr.find_operations(ReadParquet))
        given = [(read.operand("path"), list(map(str, read.columns))) for read in reads]
    except (ImportError, AttributeError, KeyError, NotImplementedError):
        return []
    found = []
    for path, columns in given:
        try:
            files = find_files(path)
        except (StreamError, TypeError):  # on other machines, or in folders of folders
            continue
        if all(file.lower().endswith((".parquet", ".pq")) for file in files):
            found.append((files, columns))
    return found


@dataclass(frozen=True, eq=False)
class Compute:
    """dask.compute, whose errors say where the bad rows are."""

    collections: tuple

    @classmethod
    def of(cls, *collections):
        return cls(tuple(each for each in collections if each is not None and is_frame(each)))

    def __call__(self, tasks):
        try:
            return need_dask().compute(*tasks)
        except (RowError, RowTypeError, StreamError):
            raise
        except _ERRORS_OF_READING as error:
            self._find_damage(error)
            text = " ".join(str(error).split()) or type(error).__name__
            raise ValueError(
                f"dask could not make a partition: {type(error).__name__}: {text}; "
                "redoubt.dask.read_parquet reads Parquet files with errors that name file and row group"
            ) from error

    def _find_damage(self, error):
        """Read the files behind the collections until one fails: StreamError with file and row group."""
        for collection in self.collections:
            for files, columns in _local_files(collection):
                try:
                    for _ in read_parts(files, columns, is_frugal=True):
                        pass
                except StreamError as found:
                    raise found from error
