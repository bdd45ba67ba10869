"""Proofs of certificates: the lines of a proof file, by row."""

import json
import os

from redoubt._models.decision_rules import Vote


def no_proofs(what):
    """The error for what has none."""
    return ValueError(f"proofs: expected a vote of two classes in a ball, got {what}")


class Proofs:
    """The header of a proof file and its lines, which may be empty."""

    def __init__(self):
        self.header, self.lines = None, []

    @classmethod
    def for_search(cls, attacked, solver):
        """An empty file for a search that will write it; raises where there are no proofs."""
        if solver != "native":
            raise no_proofs(f"solver={solver!r}")
        decision = attacked.decision
        if not isinstance(decision, Vote):
            raise no_proofs(f"{len(attacked.classes)} classes")
        tie = decision.planes.tie
        if tie.any() and not tie.all():
            raise no_proofs("planes that answer differently on themselves")
        if attacked.rules is not None and attacked.rules.attacking_class is not None:
            raise no_proofs("an attacking class")
        return cls()

    def keep(self, found):
        """What the search found; once."""
        if not all(found.proof):
            raise no_proofs("an attack model with ranges, directions, integers or groups")
        self.header, self.lines = found.proof_header, list(found.proof)

    def finished(self, status):
        """Without the rows whose certificate is not the search's own."""
        self.lines = [
            "" if each == "rounding" else line
            for line, each in zip(self.lines, status, strict=True)
        ]
        return self

    def of(self, row):
        line = self.lines[row]
        return json.loads(line) if line else None

    def save(self, path):
        part = f"{os.fspath(path)}.part"
        with open(part, "w", encoding="utf-8") as file:
            file.write(self.header)
            file.writelines(self.lines)
        os.replace(part, path)
