"""Proofs of certificates: the lines of a proof file, by row."""

import json
import os

from redoubt._models.decision_rules import Vote


def no_proofs(what):
    """The error for what has none."""
    return ValueError(f"proofs: expected a vote of two classes, got {what}")


def check_has_proofs(decision, n_classes):
    """Raise where there are none."""
    if not isinstance(decision, Vote):
        raise no_proofs(f"{n_classes} classes")
    tie = decision.planes.tie
    if tie.any() and not tie.all():
        raise no_proofs("planes that answer differently on themselves")


class Proofs:
    """The lines of a proof file, which may be empty, and the header that each of them is below."""

    def __init__(self, n_rows):
        self.lines, self.headers = [""] * n_rows, [""] * n_rows
        self._rows = range(n_rows)

    def of_rows(self, rows):
        """The same proofs for a search that sees these rows alone."""
        part = Proofs(0)
        part.lines, part.headers = self.lines, self.headers
        part._rows = [self._rows[row] for row in rows]
        return part

    def keep(self, found):
        """What a search found of its rows; others have nothing to prove."""
        for row, line in zip(self._rows, found.proof, strict=True):
            _, number, rest = line.partition(",")
            self.lines[row] = line and f'{{"row":{row + 1}{number}{rest}'
            self.headers[row] = found.proof_header

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
            for header in dict.fromkeys(self.headers):
                lines = [
                    line
                    for line, above in zip(self.lines, self.headers, strict=True)
                    if above == header
                ]
                if any(lines):
                    file.write(header)
                    file.writelines(lines)
        os.replace(part, path)
