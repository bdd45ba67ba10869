"""Proofs of certificates: the lines of a proof file, by row."""

import json
import os


class Proofs:
    """The lines of a proof file, which may be empty, and the header that each of them is below."""

    def __init__(self, n_rows):
        self.lines, self.headers = [""] * n_rows, [""] * n_rows
        self.missing = ["points of this class do not move"] * n_rows
        self._rows = range(n_rows)

    def of_rows(self, rows):
        """The same proofs for a search that sees these rows alone."""
        part = Proofs(0)
        part.lines, part.headers, part.missing = self.lines, self.headers, self.missing
        part._rows = [self._rows[row] for row in rows]
        return part

    def keep(self, found):
        """What a search found of its rows; others have nothing to prove."""
        for at, row in enumerate(self._rows):
            _, comma, rest = found.proof[at].partition(",")
            self.lines[row] = comma and f'{{"row":{row + 1}{comma}{rest}'
            self.headers[row] = found.proof_header
            self.missing[row] = "" if comma else found.why_no_proof[at]

    def finished(self, status):
        """Without the rows whose certificate is not the search's own."""
        for row, each in enumerate(status):
            if each == "rounding":
                self.lines[row] = ""
                self.missing[row] = "the model's own rounding decides its answer here"
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
