"""Points as compressed rows: what SciPy calls CSR, in the form that the library takes."""

import numpy as np
from scipy.sparse import csr_array, issparse, vstack

# Numbers that a block of rows may have when it is written out.
BLOCK_NUMBERS = 2**22


def is_sparse(X):
    """Is this a sparse matrix or array of SciPy?"""
    return issparse(X)


def n_rows(X):
    """How many rows X has, dense or compressed."""
    return X.shape[0] if issparse(X) else len(X)


def as_points(X):
    """X itself if it is dense; else its rows with ascending columns, each once, in float64.

    The caller's matrix is left as it is, and copied only where something has to change.
    """
    if not issparse(X):
        return X
    if X.ndim != 2:
        raise ValueError(f"X: expected a matrix (2 dimensions), got {X.ndim}")
    rows = X.tocsr()
    try:
        rows.check_format(full_check=True)
    except ValueError as error:
        raise ValueError(f"X: expected a valid sparse matrix, but its {error}") from None
    rows = csr_array(rows, dtype=np.float64)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    if rows.indptr.dtype != rows.indices.dtype:
        rows.indptr, rows.indices = (each.astype(np.int64) for each in (rows.indptr, rows.indices))
    if not np.isfinite(rows.data).all():
        raise ValueError("X: expected finite numbers, got NaN or infinity among its entries")
    return rows


def float_points(X):
    """The same, and anything else as an array in C order."""
    return as_points(X) if issparse(X) else np.ascontiguousarray(X, dtype=np.float64)


def row_blocks(X):
    """Slices of rows that may be written out, one after the other."""
    m, n = X.shape
    step = max(1, BLOCK_NUMBERS // max(1, n))
    return [slice(start, min(start + step, m)) for start in range(0, m, step)] or [slice(0, 0)]


def column_ranges(X):
    """The least and the greatest value of each column."""
    least, most = X.min(axis=0), X.max(axis=0)
    if issparse(X):
        least, most = least.toarray().ravel(), most.toarray().ravel()
    return np.column_stack([least, most])


def stacked_moves(blocks):
    """Dense moves as compressed rows; one that is not known (NaN) has no entries."""
    return vstack([csr_array(np.where(np.isnan(each), 0.0, each)) for each in blocks], format="csr")
