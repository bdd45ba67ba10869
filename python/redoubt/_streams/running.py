"""A task over files: read, compute, keep, join."""

import os
import time
from dataclasses import dataclass

from redoubt._batches.blocks import arrow_schema, need_pyarrow
from redoubt._batches.columns import feature_columns
from redoubt._models.linear_model import own_feature_names
from redoubt._models.model_file import Model
from redoubt._streams.journal import Journal
from redoubt._streams.outputs import check_output, write_output
from redoubt._streams.prefetch import Prefetch
from redoubt._streams.progress import Progress
from redoubt._streams.sources import StreamError, find_files, read_parts


@dataclass(frozen=True)
class StreamResult:
    """What a stream did.

    Attributes
    ----------
    out : str
        The file that was written.
    n_rows : int
        Of this run: rows of an earlier one that was resumed do not count.
    n_parts, n_resumed : int
        Parts of this run, and parts that were finished before.
    seconds : float
    n_rows_resumed : int
        Rows that were finished before.
    """

    out: str
    n_rows: int
    n_parts: int
    n_resumed: int
    seconds: float
    n_rows_resumed: int = 0


class Stream:
    """One task over one list of files."""

    def __init__(self, what, task, source, *, keep=(), progress=None):
        need_pyarrow("redoubt.stream")
        self._what, self._task, self._progress = what, task, progress
        self._keep = [keep] if isinstance(keep, str) else list(keep)
        self._files = find_files(source)

    def to_file(self, out, *, resume):
        """Write the results of all rows, in their order."""
        check_output(out)
        began = time.monotonic()
        with Journal(out, self._run(), resume=resume) as journal:
            n_resumed, n_rows_resumed = journal.n_done, journal.n_rows()
            schema = [self._schema_of_kept(), arrow_schema(self._task._output)]
            n_rows = 0
            for part, result in self._results(journal.n_done):
                journal.add(self._with_kept(part, result))
                n_rows += result.num_rows
            fields = [field for each in schema for field in each]
            write_output(out, need_pyarrow("stream").schema(fields), journal.batches())
        journal.remove()
        n_parts = journal.n_done - n_resumed
        seconds = time.monotonic() - began
        return StreamResult(os.fspath(out), n_rows, n_parts, n_resumed, seconds, n_rows_resumed)

    def to_counts(self, none, out, *, resume):
        """The counts of all rows; with `out` those of finished parts are kept until the end."""
        if out is None:
            return sum((found for _, found in self._results(0)), start=none), None
        with Journal(out, self._run(), resume=resume) as journal:
            counts = journal.counts(none)
            for _, found in self._results(journal.n_done):
                counts = counts + found
                journal.add(found)
        return counts, journal

    def _results(self, first):
        """Yield (part, result) for the parts from number `first` on."""
        sizes = [os.path.getsize(file) for file in self._files]
        before = dict(zip(self._files, [sum(sizes[:k]) for k in range(len(sizes))], strict=True))
        progress = Progress(self._what, sum(sizes), self._progress)
        n_rows = 0
        try:
            with Prefetch(read_parts(self._files, self._columns(), first)) as parts:
                for _, part in parts:
                    result = self._compute(part)
                    yield part, result
                    n_rows += part.rows.num_rows
                    progress.show(n_rows, before[part.file] + part.bytes_read)
        finally:
            progress.close()

    def _compute(self, part):
        try:
            return self._task(part.rows)
        except (ValueError, TypeError, NotImplementedError) as error:
            text = " ".join(str(error).split())
            raise StreamError(f"{part.file}, {part.place}: {text}") from error

    def _run(self):
        """What the finished parts depend on."""
        files = [[os.path.abspath(file), os.path.getsize(file)] for file in self._files]
        return {"model_and_options": self._task.fingerprint(), "files": files, "keep": self._keep}

    def _columns(self):
        """The columns to read; None for all, where the model goes by position."""
        model = self._task.model
        has_names = (
            model.columns is not None
            if isinstance(model, Model)
            else own_feature_names(model) is not None
        )
        if not has_names:
            return None
        names = own_feature_names(model) if not isinstance(model, Model) else None
        if names is None:
            names = [name for name, _ in feature_columns(model)]
        return list(dict.fromkeys([*names, *self._task._apart(), *self._keep]))

    # --- columns that are copied --------------------------------------------------------------

    def _schema_of_kept(self):
        """Types of the columns to copy, as the first file has them."""
        if not self._keep:
            return []
        for _, part in read_parts(self._files, self._columns()):
            return [part.rows.schema.field(name) for name in self._keep]
        return []

    def _with_kept(self, part, result):
        if not self._keep:
            return result
        pa = need_pyarrow("stream")
        names = [*self._keep, *result.schema.names]
        arrays = [part.rows.column(name) for name in self._keep] + result.columns
        return pa.RecordBatch.from_arrays(arrays, names=names)

