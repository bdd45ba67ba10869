"""What is finished of a stream, on disk: an interrupted run goes on where it stopped.

Beside the output OUT there is a folder OUT.parts while a run is not finished. Part k is the file
k.arrow (or k.json, for counts), written under another name first: what is there is complete. The
file run.json says what the parts are of.
"""

import json
import os
import shutil
import warnings

import numpy as np

from redoubt import _core
from redoubt._batches.blocks import need_pyarrow
from redoubt._batches.counts import CurveCounts

_VERSION = 1
# What a run depends on, as people say it.
_IN_WORDS = {"model_and_options": "model or options", "keep": "columns to keep"}


class RunFolder:
    """A folder of complete files that belong to one run.

    Parameters
    ----------
    folder : str
    run : dict
        What the files depend on.
    resume : bool
        Keep the files of an earlier run, if it is the same; those of another run are an error.
    """

    noun = "finished parts are"
    advice = "start afresh without resume, or specify another output"

    def __init__(self, folder, run, *, resume):
        self.folder = folder
        self._run = {"version": _VERSION} | run
        if resume and os.path.isdir(folder):
            self._check_run()
            return
        self._tell_of_loss()
        shutil.rmtree(folder, ignore_errors=True)
        try:
            os.makedirs(folder)
        except OSError as error:
            raise _core.WriteError(f"{folder}: cannot make the folder: {error.strerror}") from error
        self.write("run.json", json.dumps(self._run, indent=1).encode())

    def _check_run(self):
        different = self._differences()
        if different:
            raise ValueError(
                f"{self.folder}: the {self.noun} of another run (different {', '.join(different)}); "
                f"{self.advice}"
            )

    def _differences(self):
        """What differs from the run that the files are of, in words; nothing if that is this one."""
        path = os.path.join(self.folder, "run.json")
        try:
            with open(path, encoding="utf-8") as file:
                before = json.load(file)
        except (OSError, ValueError):
            before = {}
        different = [name for name in self._run if before.get(name) != self._run[name]]
        return [_IN_WORDS.get(name, name) for name in different]

    def _tell_of_loss(self):
        """Say what is deleted, if it is worth a word."""

    def write(self, name, content):
        """A file of these bytes, completely or not at all."""
        path = os.path.join(self.folder, name)
        try:
            with open(path + ".tmp", "wb") as file:
                file.write(content)
            os.replace(path + ".tmp", path)
        except OSError as error:
            if os.path.exists(path + ".tmp"):
                os.remove(path + ".tmp")
            raise _core.WriteError(f"{path}: cannot write the part: {error.strerror}") from error

    def remove(self):
        shutil.rmtree(self.folder)


class Journal(RunFolder):
    """The finished parts of a stream.

    Parameters
    ----------
    out : path
        Of the output.
    run : dict
        What the parts depend on: the fingerprint of the task, the files with their sizes.
    resume : bool
        Take over parts of an earlier run; those of another run are an error.
    """

    def __init__(self, out, run, *, resume):
        super().__init__(os.fspath(out) + ".parts", run, resume=resume)
        self.n_done = self._count_parts()

    def _count_parts(self):
        names = set(os.listdir(self.folder)) if os.path.isdir(self.folder) else set()
        n = 0
        while {f"{n}.arrow", f"{n}.json"} & names:
            n += 1
        return n

    def _tell_of_loss(self):
        self.n_done = self._count_parts()
        if self.n_done == 0:
            return
        try:
            lost = f"{self.n_rows():,} rows"
        except (OSError, ValueError):  # damaged parts
            lost = f"{self.n_done:,} parts"
        is_other = bool(self._differences())
        of = "another run" if is_other else "an earlier run"
        advice = "" if is_other else "; resume=True (--resume) continues from them"
        warnings.warn(
            f"{self.folder}: starting afresh, so the {lost} that {of} finished are discarded{advice}",
            stacklevel=2,
        )

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        """What failed before its first part was finished leaves nothing that could go on."""
        if kind is not None and self.n_done == 0:
            shutil.rmtree(self.folder, ignore_errors=True)

    def add(self, rows):
        """Keep the next part: a record batch, or counts."""
        if isinstance(rows, CurveCounts):
            counts = {name: getattr(rows, name).tolist() for name in _COUNTS}
            self.write(f"{self.n_done}.json", json.dumps(counts).encode())
        else:
            pa = need_pyarrow("redoubt.stream")
            sink = pa.BufferOutputStream()
            with pa.ipc.new_file(sink, rows.schema) as writer:
                writer.write(rows)
            self.write(f"{self.n_done}.arrow", sink.getvalue())
        self.n_done += 1

    def n_rows(self):
        """The number of rows in all parts."""
        if os.path.exists(os.path.join(self.folder, "0.json")):
            return sum(int(found["n_points"].sum()) for found in self._counts())
        # Of what is mapped only the lengths are read.
        mapped = need_pyarrow("redoubt.stream").memory_map
        return sum(batch.num_rows for batch in self.batches(mapped))

    def batches(self, open_file=None):
        """Yield the record batches of all parts."""
        pa = need_pyarrow("redoubt.stream")
        for k in range(self.n_done):
            with (open_file or pa.OSFile)(os.path.join(self.folder, f"{k}.arrow")) as file:
                yield pa.ipc.open_file(file).get_batch(0)

    def counts(self, none):
        """The counts of all parts, added to `none`."""
        for found in self._counts():
            none = none + CurveCounts(none.radii, none.classes, **found)
        return none

    def _counts(self):
        for k in range(self.n_done):
            with open(os.path.join(self.folder, f"{k}.json"), encoding="utf-8") as file:
                yield {name: np.array(values) for name, values in json.load(file).items()}


_COUNTS = ("n_points", "safe", "undecided", "confusion")
