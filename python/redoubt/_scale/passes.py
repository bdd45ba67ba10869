"""Passes on this machine, and several trainings that share each pass."""

from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class LocalPasses:
    """Block after block in this process. Sums are exact, so blocks of any size give the same bits."""

    source: object

    def fold(self, task):
        """What the task's answers for all blocks come to; None without rows."""
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
        return found


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
