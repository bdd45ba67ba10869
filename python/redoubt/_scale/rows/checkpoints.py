"""Trainings that go on after an interruption: what the passes found is on disk.

A training is a pure function of what its passes find. So the answer of each pass is all that must be
kept: with the answers so far at hand, the training comes to the same place again without reading a
row. A checkpoint is a folder with the file run.json, which says what it belongs to, and one file per
answer, written under another name first: what is there is complete.
"""

import hashlib
import os
import pickle

from redoubt._scale.rows.passes import Passes
from redoubt._streams.journal import RunFolder

# Parameters that do not change what a training finds, or only how far it goes.
_WITHOUT_EFFECT = ("n_jobs", "verbose", "max_passes", "max_seconds", "checkpoint")
_ARRAYS = {"_reconstruct", "ndarray", "dtype", "scalar", "_frombuffer"}


class CheckpointedPasses(Passes):
    """Passes whose answers are kept, and taken from the checkpoint where they are there."""

    def __init__(self, passes, folder, run):
        self._passes = passes
        self._folder = _Checkpoint(os.fspath(folder), run, resume=True)
        self._number = 0

    def fold(self, task):
        return self.remember(lambda: self._passes.fold(task))

    def remember(self, make):
        name = f"{self._number}.answer"
        self._number += 1
        path = os.path.join(self._folder.folder, name)
        if os.path.exists(path):
            return _read(path, self._folder.folder)
        answer = make()
        self._folder.write(name, pickle.dumps(answer, protocol=5))
        return answer

    @property
    def unrecorded(self):
        return self._passes

    def finish(self):
        """The training is done: the checkpoint goes."""
        self._folder.remove()


def describe_run(estimator, data, options):
    """What a checkpoint belongs to: the estimator, the rows and the options."""
    parameters = {
        name: value
        for name, value in estimator.get_params(deep=False).items()
        if name not in _WITHOUT_EFFECT
    }
    digest = hashlib.sha256(pickle.dumps(sorted(parameters.items()), protocol=5)).hexdigest()
    return {"estimator": [type(estimator).__name__, digest], "data": data, "options": options}


class _Checkpoint(RunFolder):
    noun = "checkpoint is"
    advice = "delete it to start afresh, or specify another name"


class _Reader(pickle.Unpickler):
    """Answers are made of this package's classes and of arrays; nothing else is loaded."""

    def find_class(self, module, name):
        is_ours = module.startswith("redoubt._scale.")
        is_array = module.partition(".")[0] == "numpy" and name in _ARRAYS
        if not (is_ours or is_array):
            raise pickle.UnpicklingError(f"{module}.{name}")
        return super().find_class(module, name)


def _read(path, folder):
    try:
        with open(path, "rb") as file:
            return _Reader(file).load()
    except (OSError, EOFError, ValueError, AttributeError, pickle.UnpicklingError) as error:
        raise ValueError(
            f"{path}: the checkpoint is damaged; delete {folder} to start afresh"
        ) from error
