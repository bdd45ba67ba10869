"""Rows as the passes take them: a block of numbers, its labels, and where it comes from."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import issparse

from redoubt._streams.sources import FRUGAL_ROWS

LARGEST_FEATURE = 1e100
# Of a block, when it is dense.
_NUMBERS = 2**22


@dataclass(frozen=True, eq=False)
class Block:
    """Some consecutive rows. `weights` and `radii` are None where there are none.

    `first_row` is the number of the first row in the whole data, `place` what messages call the
    block.
    """

    X: np.ndarray
    labels: np.ndarray
    weights: np.ndarray | None = None
    radii: np.ndarray | None = None
    first_row: int = 0
    place: str = ""

    def __len__(self):
        return len(self.X)

    def at(self, first_row):
        return replace(self, first_row=first_row)


def cut_blocks(pieces, place, names=None):
    """Blocks of a tuple (X, y[, sample_weight[, radius]]); at least one, so that X is checked."""
    X = pieces[0].tocsr() if issparse(pieces[0]) else pieces[0]
    shape = np.shape(X)
    n_rows = shape[0] if shape else 1
    step = FRUGAL_ROWS if len(shape) < 2 else min(FRUGAL_ROWS, max(64, _NUMBERS // max(1, shape[1])))
    for start in range(0, max(1, n_rows), step):
        cut = slice(start, start + step)
        some = [None if piece is None else piece[cut] for piece in (X, *pieces[1:])]
        here = place if start == 0 else f"{place} from row {start}"
        yield make_block(*some, place=here, names=names)


def make_block(X, labels, weights=None, radii=None, place="", names=None):
    """A checked Block; whatever is wrong is said in one line that begins with the place."""
    X = _numbers(X, place, "the features")
    if X.ndim != 2 or X.shape[1] < 1:
        raise ValueError(f"{place}: expected rows of at least one feature, got shape {X.shape}")
    labels = np.asarray(labels)
    if labels.shape != (len(X),):
        raise ValueError(f"{place}: expected {len(X)} labels, got shape {labels.shape}")
    _check_features(X, place, names)
    _check_labels(labels, place)
    columns = [
        None if values is None else _column(values, len(X), place, what)
        for what, values in (("sample_weight", weights), ("radius", radii))
    ]
    return Block(np.ascontiguousarray(X), labels, *columns, place=place)


def _numbers(values, place, what):
    # Sparse rows become dense, a block at a time.
    values = values.toarray() if issparse(values) else np.asarray(values)
    try:
        if values.dtype.kind not in "biuf" and any(isinstance(each, str) for each in values.flat):
            raise TypeError
        return values.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise ValueError(f"{place}: expected numbers for {what}") from None


def _column(values, length, place, what):
    values = np.ascontiguousarray(_numbers(values, place, what))
    if values.shape != (length,):
        raise ValueError(f"{place}: expected {length} values of {what}, got shape {values.shape}")
    bad = ~((values >= 0) & (values <= LARGEST_FEATURE))
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(
            f"{place}: {what} must be a number >= 0 everywhere, got {values[row]} in row {row}"
        )
    return values


def _check_features(X, place, names):
    if len(X) == 0 or (X.min() >= -LARGEST_FEATURE and X.max() <= LARGEST_FEATURE):
        return
    bad = ~(np.abs(X) <= LARGEST_FEATURE)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        name = f"column {column}" if names is None else f"column {names[column]!r}"
        kind = "no value" if np.isnan(X[row, column]) else f"the value {X[row, column]}"
        raise ValueError(
            f"{place}: {kind} in row {row}, {name}; fill or drop such rows before training"
        )


def _check_labels(labels, place):
    missing = (
        np.isnan(labels)
        if labels.dtype.kind == "f"
        else np.array([label is None or label != label for label in labels], dtype=bool)
        if labels.dtype.kind == "O"
        else None
    )
    if missing is not None and missing.any():
        raise ValueError(f"{place}: no label in row {int(np.argmax(missing))}")
