"""Parameter checks with one wording: what was wanted, what came."""

import numbers
import os

import numpy as np
from sklearn.utils import check_random_state


def check_real(name, value, low, *, high=np.inf, strict=False):
    """Return `value` as a float in [low, high] (or above `low`, if strict), or raise."""
    wanted = f"a finite number {'>' if strict else '>='} {low:g}"
    if high < np.inf:
        wanted += f" and <= {high:g}"
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name}: expected {wanted}, got {value!r}")
    above = value > low if strict else value >= low
    if not (above and value <= high and np.isfinite(value)):
        raise ValueError(f"{name}: expected {wanted}, got {value!r}")
    return float(value)


def check_count(name, value, low):
    """Return `value` as an int >= `low`, or raise."""
    wanted = f"an integer >= {low}"
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name}: expected {wanted}, got {value!r}")
    if value < low:
        raise ValueError(f"{name}: expected {wanted}, got {value!r}")
    return int(value)


def check_seconds(name, value):
    """Return a time limit as a float; None is no limit."""
    return np.inf if value is None else check_real(name, value, 0)


def check_text(name, value):
    """Return `value` if it is a text, or raise."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a text, got {value!r}")
    return value


def check_word(name, value, words):
    """Return `value` if it is one of `words`, or raise."""
    if isinstance(value, str) and value in words:
        return value
    *others, last = map(repr, words)
    error = ValueError if isinstance(value, str) else TypeError
    raise error(f"{name}: expected {', '.join(others)} or {last}, got {value!r}")


def number_list(name, values):
    """Return one number or several as an array of one dimension or more."""
    try:
        return np.atleast_1d(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected a number or a list of numbers, got {values!r}") from None


def per_row(name, values, n_rows):
    """Return one value per row, where there are several or one for all; None as it is."""
    if values is None:
        return None
    values = np.asarray(values)
    if values.ndim == 0:
        return np.full(n_rows, values)
    if values.shape != (n_rows,):
        raise ValueError(f"{name}: expected one or {n_rows}, got shape {values.shape}")
    return values


def thread_count(n_jobs):
    """Threads for scikit-learn's `n_jobs`: None is 1, -1 every core, -2 all but one."""
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs: expected None or an integer other than 0, got {n_jobs!r}")
    if n_jobs < 0:
        return max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))
    return int(n_jobs)


def random_seed(random_state):
    """An integer is the seed itself; anything else draws one."""
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        check_random_state(random_state)  # refuses what scikit-learn refuses
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
