"""What is finished of a stream, on disk: an interrupted run goes on where it stopped.

Beside the output OUT there is a folder OUT.parts while a run is not finished. Part k is the file
k.arrow (or k.json, for counts), written under another name first: what is there is complete. The
file run.json says what the parts are of.
"""

import json
import os
import shutil

import numpy as np

from redoubt import _core
from redoubt._batches.blocks import need_pyarrow
from redoubt._batches.counts import CurveCounts

_VERSION = 1


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
        shutil.rmtree(folder, ignore_errors=True)
        try:
            os.makedirs(folder)
        except OSError as error:
            raise _core.WriteError(f"{folder}: cannot make the folder: {error.strerror}") from error
        self.write("run.json", json.dumps(self._run, indent=1).encode())

    def _check_run(self):
        path = os.path.join(self.folder, "run.json")
        try:
            with open(path, encoding="utf-8") as file:
                before = json.load(file)
        except (OSError, ValueError):
            before = None
        if before != self._run:
            different = ", ".join(
                name for name in self._run if before is None or before.get(name) != self._run[name]
            )
            raise ValueError(
                f"{self.folder}: the {self.noun} of another run (different {different}); "
                f"{self.advice}"
            )

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
        self.n_done = 0
        names = set(os.listdir(self.folder))
        while {f"{self.n_done}.arrow", f"{self.n_done}.json"} & names:
            self.n_done += 1

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

    def batches(self):
        """Yield the record batches of all parts."""
        pa = need_pyarrow("redoubt.stream")
        for k in range(self.n_done):
            with pa.OSFile(os.path.join(self.folder, f"{k}.arrow")) as file:
                yield pa.ipc.open_file(file).get_batch(0)

    def counts(self, none):
        """The counts of all parts, added to `none`."""
        for k in range(self.n_done):
            with open(os.path.join(self.folder, f"{k}.json"), encoding="utf-8") as file:
                found = {name: np.array(values) for name, values in json.load(file).items()}
            none = none + CurveCounts(none.radii, none.classes, **found)
        return none


_COUNTS = ("n_points", "safe", "undecided", "confusion")
