"""Passes over all rows: a task is asked about each block, and its answers are put together."""

from dataclasses import dataclass


class Passes:
    """Rows that can be read again and again.

    A task is a pure function of a block with a method `merged(one, other)`, which takes None for no
    rows.
    """

    def fold(self, task):
        """What the task's answers for all blocks come to; None without rows."""
        raise NotImplementedError

    def remember(self, make):
        """What `make()` returns, now or before an interruption (see checkpoints)."""
        return make()

    @property
    def unrecorded(self):
        """The same rows, of whose passes no record is kept."""
        return self


@dataclass(eq=False)
class LocalPasses(Passes):
    """Block after block in this process. Sums are exact, so blocks of any size give the same bits."""

    source: object
    n_rows: int | None = None

    def fold(self, task):
        found, first_row, n_features = None, 0, None
        for block in self.source.blocks():
            if len(block) == 0:
                continue
            if n_features not in (None, block.X.shape[1]):
                raise ValueError(
                    f"{block.place}: expected {n_features} features, got {block.X.shape[1]}"
                )
            n_features = block.X.shape[1]
            found = task.merged(found, task(block.at(first_row)))
            first_row += len(block)
        if self.n_rows not in (None, first_row):
            raise ValueError(
                f"data: {first_row} rows in this pass, {self.n_rows} in the one before; rows must "
                "stay as they are during a training"
            )
        self.n_rows = first_row
        return found


@dataclass(frozen=True, eq=False)
class MappedTask:
    """Another task, asked about what `change`, a pure function of a block, makes of the rows."""

    change: object
    task: object

    def __call__(self, block):
        return None if len(block) == 0 else self.task(self.change(block))

    def merged(self, one, other):
        return self.task.merged(one, other)


@dataclass(frozen=True, eq=False)
class MappedPasses(Passes):
    """Passes over changed rows; they are changed anew in each."""

    passes: Passes
    change: object

    def fold(self, task):
        return self.passes.fold(MappedTask(self.change, task))

    def remember(self, make):
        return self.passes.remember(make)

    @property
    def unrecorded(self):
        return MappedPasses(self.passes.unrecorded, self.change)


def run_together(trainings, ask):
    """Drive generators that yield questions: those of all that still run go into one pass.

    ``ask(numbers, questions)`` returns an answer to each. Returns what the generators return.
    """
    answers = [None] * len(trainings)
    waiting = {}
    for number, training in enumerate(trainings):
        _advance(training, None, number, waiting, answers)
    while waiting:
        numbers = list(waiting)
        found = ask(numbers, [waiting[number] for number in numbers])
        waiting = {}
        for number, answer in zip(numbers, found, strict=True):
            _advance(trainings[number], answer, number, waiting, answers)
    return answers


def _advance(training, answer, number, waiting, answers):
    try:
        waiting[number] = training.send(answer)
    except StopIteration as end:
        answers[number] = end.value
