"""Certificates and attacks of compressed points.

A vote in a ball is searched as it is. Everything else sees a block of rows at a time, written out.
"""

import time
from dataclasses import replace

import numpy as np

from redoubt._models.sparse_points import as_points, row_blocks, stacked_moves


def wants_witness(witness, norm, X_is_sparse):
    """What `witness` means: None keeps those that are as sparse as X."""
    if witness is None:
        return norm in ("l1", "l0") or not X_is_sparse
    if not isinstance(witness, (bool, np.bool_)):
        raise TypeError(f"witness: expected True, False or None, got {witness!r}")
    return bool(witness)


def in_blocks(solve, X, y, per_row, max_seconds):
    """What `solve(X, y, per_row, max_seconds)` returns for each block of rows, written out."""
    X, began = as_points(X), time.perf_counter()
    found = []
    for rows in row_blocks(X):
        left = max_seconds
        if max_seconds is not None and found:
            left = max(0.0, max_seconds - (time.perf_counter() - began))
        labels = None if y is None else np.asarray(y)[rows]
        found.append(solve(X[rows].toarray(), labels, per_row(rows), left))
    return found


def joined(parts, moves):
    """One result of several; `moves` names the column of moves, which is compressed."""
    first = parts[0]
    names = [name for name in vars(first) if name not in (*first._not_columns, moves)]
    columns = {}
    for name in names:
        values = [getattr(part, name) for part in parts]
        if values[0] is None:
            columns[name] = None
        elif isinstance(values[0], list):
            columns[name] = [each for value in values for each in value]
        else:
            columns[name] = np.concatenate(values)
    dense = [getattr(part, moves) for part in parts]
    columns[moves] = None if dense[0] is None else stacked_moves(dense)
    return replace(first, **columns)
