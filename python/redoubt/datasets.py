"""The bundled data sets, and the program's reader of data files."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from redoubt import _core
from redoubt._checks import check_text, check_word
from redoubt._typing import Array, FilePath

__all__ = ["Data", "load", "names", "published_bags", "published_split", "read"]


class Data(NamedTuple):
    """Labelled points.

    Attributes
    ----------
    X : ndarray or scipy.sparse.csr_array of shape (n_samples, n_features)
        Sparse if it was read from LIBSVM text.
    y : ndarray of shape (n_samples,)
        -1 and +1.
    feature_names : list of str
        One per column of X; empty if the columns have no names.
    classes : list of str
        The original labels of -1 and +1.
    """

    X: Any
    y: np.ndarray
    feature_names: list[str]
    classes: list[str]


def names() -> list[str]:
    """Return the names of the bundled data sets.

    Examples
    --------
    >>> from redoubt import datasets
    >>> datasets.names()[:4]
    ['gaussian', 'bcw', 'digits3', 'digits7']
    """
    return _core.bundled_names()


def load(name: str) -> Any:
    """Return a bundled data set.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    data : Data

    Examples
    --------
    >>> from redoubt import datasets
    >>> X, y, feature_names, classes = datasets.load("bcw")
    >>> X.shape, int((y > 0).sum())
    ((699, 9), 241)
    """
    return _as_data(_core.load_bundled(check_text("name", name)))


def published_split(name: str) -> tuple[Array, Array]:
    """Return the train/test split behind the published tables.

    Parameters
    ----------
    name : str
        "gaussian", "bcw", "digits3" or "digits7".

    Returns
    -------
    train, test : ndarray of int
        Row numbers, in the published order.

    Examples
    --------
    >>> from redoubt import datasets
    >>> train, test = datasets.published_split("bcw")
    >>> len(train), len(test)
    (559, 140)
    """
    return _core.published_split(check_text("name", name))


def published_bags(name: str) -> Array:
    """Return the bootstrap samples behind the published ensembles.

    Parameters
    ----------
    name : str
        As for `published_split`.

    Returns
    -------
    counts : ndarray of shape (75, n_train)
        How often each training row, in split order, occurs in each bag; each row of `counts` is a
        vector of sample weights.
    """
    return _core.published_bags(check_text("name", name))


def read(
    path: FilePath,
    *,
    label: str | int = "-1",
    positive: str = "",
    missing: str = "error",
    one_hot: bool = False,
    text_columns: Iterable[str] = (),
) -> Any:
    """Read a labelled CSV or LIBSVM file the way the `redoubt` program does.

    Parameters
    ----------
    path : str
        The file.
    label : str, default="-1"
        The label column: a name of the header, or a number (1 is the first, -1 the last).
    positive : str, default=""
        The label that becomes +1; empty takes the larger.
    missing : {"error", "drop", "median"}, default="error"
        How to treat missing values.
    one_hot : bool, default=False
        Turn text columns into one 0/1 column per category; otherwise text is an error. A few text
        cells in a column of numbers are always an error.
    text_columns : list of str, default=()
        Turn these columns into 0/1 columns, whatever they hold: names or numbers, as for `label`.

    Returns
    -------
    data : Data

    Raises
    ------
    ParseError
        A ValueError that names file, line and column.
    """
    return _as_data(
        _core.read_dataset(
            str(path),
            label=str(label),
            positive=str(positive),
            missing=check_word("missing", missing, ("error", "drop", "median")),
            one_hot=bool(one_hot),
            text_columns=[str(column) for column in text_columns],
        )
    )


def _as_data(data):
    return Data(data.X, data.y, data.feature_names, list(data.classes))
