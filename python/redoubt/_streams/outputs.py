"""The finished result in one file: Parquet, Arrow IPC or CSV, completely or not at all."""

import os

from redoubt import _core
from redoubt._batches.blocks import need_pyarrow

# Record batches that make one row group.
_BATCHES_PER_GROUP = 16


def check_output(out):
    """Raise unless the name says what to write and the folder is there."""
    path = os.fspath(out)
    if not path.lower().endswith((".parquet", ".pq", ".arrow", ".feather", ".ipc", ".csv")):
        raise ValueError(
            "out: expected a name that ends in .parquet, .arrow, .feather, .ipc or .csv, got "
            f"{path!r}"
        )
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise _core.WriteError(f"{path}: cannot write the file: no such folder")


def write_output(out, schema, batches):
    """Write record batches to a file, which is replaced only by a complete one."""
    path = os.fspath(out)
    temporary = f"{path}.tmp"
    try:
        with _writer(temporary, path.lower(), schema) as writer:
            for table in _tables(schema, batches):
                writer.write_table(table)
        os.replace(temporary, path)
    except OSError as error:
        reason = error.strerror or " ".join(str(error).split())
        raise _core.WriteError(
            f"{path}: cannot write the file: {reason}; the finished parts are kept in {path}.parts"
        ) from error
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


def _tables(schema, batches):
    """A few batches at a time."""
    pa = need_pyarrow("redoubt.stream")
    some = []
    for batch in batches:
        some.append(batch)
        if len(some) == _BATCHES_PER_GROUP:
            yield pa.Table.from_batches(some, schema)
            some = []
    if some:
        yield pa.Table.from_batches(some, schema)


def _writer(temporary, name, schema):
    pa = need_pyarrow("redoubt.stream")
    if name.endswith((".parquet", ".pq")):
        import pyarrow.parquet as pq

        texts = [field.name for field in schema if pa.types.is_string(field.type)]
        return pq.ParquetWriter(temporary, schema, use_dictionary=texts)
    if name.endswith(".csv"):
        import pyarrow.csv as csv

        return csv.CSVWriter(temporary, schema)
    return pa.ipc.new_file(temporary, schema)
