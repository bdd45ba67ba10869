"""Rows of a table after their moves: kept as codes, written out when they are asked for."""

from functools import cached_property

import numpy as np

from redoubt._certificates.witnesses import PUSHES, reaches
from redoubt._tables.coding import CodedRows


class MovedRows:
    """Rows after moves, coded, and which of them are known."""

    def __init__(self, rows, known):
        self.rows, self.known = rows, known

    @classmethod
    def blank(cls, rows):
        """Nothing known yet."""
        moved = CodedRows(rows.coding, rows.numbers.copy(), rows.codes.copy(), rows.filled)
        return cls(moved, np.zeros(len(rows), dtype=bool))

    def put(self, which, after, known):
        which, after = which[known], after.take(known)
        self.rows.numbers[which] = after.numbers
        self.rows.codes[which] = after.codes
        self.known[which] = True


class LaterRows:
    """As MovedRows; decoded when it is asked for."""

    def __init__(self, decode, moves):
        self._decode, self._moves = decode, moves

    @cached_property
    def rows(self):
        return self._decode(self._moves)

    @cached_property
    def known(self):
        return ~np.isnan(self._moves).any(axis=1)


class MovedTable:
    """The table of moved rows, made once.

    `wanted`: on, until the model's own answers are these (-1: others than before).
    """

    def __init__(self, attacked, after, wanted=None):
        self._attacked, self._after, self._wanted = attacked, after, wanted
        self._table = None

    def __getstate__(self):
        return {"_table": self.build()}

    def build(self):
        if self._table is None:
            after, known = self._after.rows, self._after.known
            if self._wanted is not None:
                after = self._pushed(after, np.flatnonzero(known))
            every = np.arange(len(known))
            self._table = self._attacked.table(every, after, known)
        return self._table

    def _pushed(self, after, rows):
        """Numbers that may take any value go a little further where the model does not see it."""
        attacked, before = self._attacked, self._attacked.rows
        rules, places = attacked.resolved, before.coding.number_at
        free, low, high = rules.free[places], rules.lower[places], rules.upper[places]
        numbers = after.numbers.copy()
        for push in (0.0, *PUSHES):
            if not len(rows):
                break
            start, step = before.numbers[rows], after.numbers[rows] - before.numbers[rows]
            ends = np.minimum(low, start), np.maximum(high, start)
            further = np.clip(start + step * (1 + push), *ends)
            tried = np.where(free & (step != 0) & (push > 0), further, after.numbers[rows])
            moved = CodedRows(before.coding, tried, after.codes[rows], after.filled[rows])
            seen = self._is_changed(rows, moved)
            numbers[rows[seen]] = tried[seen]
            rows = rows[~seen]
        return CodedRows(before.coding, numbers, after.codes, after.filled)

    def _is_changed(self, rows, moved):
        attacked = self._attacked
        table = attacked.table(rows, moved, np.ones(len(rows), dtype=bool))
        return reaches(attacked.answers(table), attacked.own[rows], self._wanted[rows])
