"""Steps that look at one column at a time and give any numbers for its values."""

import warnings
from dataclasses import replace

import numpy as np
from scipy import sparse
from sklearn.preprocessing import (
    Binarizer,
    KBinsDiscretizer,
    OneHotEncoder,
    OrdinalEncoder,
    TargetEncoder,
)

from redoubt._pipelines.forms import Form, Table
from redoubt._pipelines.registry import name_of, reads, refuse
from redoubt._pipelines.steps import edges_before
from redoubt._tables.values import Fill, key_of


@reads(OneHotEncoder, note="any drop, handle_unknown, min_frequency and max_categories")
def _one_hot(step, form):
    return _encoded(step, form, step._n_features_outs, step.handle_unknown != "error")


@reads(OrdinalEncoder, note="any unknown_value and encoded_missing_value")
def _ordinal(step, form):
    return _encoded(step, form, [1] * step.n_features_in_, step.handle_unknown != "error")


@reads(TargetEncoder)
def _target(step, form):
    n_outputs = form.n_columns // step.n_features_in_  # one per class, if there are several
    return _encoded(step, form, [n_outputs] * step.n_features_in_, True)


def _encoded(step, form, n_outputs, takes_unknown):
    """Tables for all columns of an encoder; its own `transform` fills them."""
    if sum(n_outputs) != form.n_columns:
        raise refuse(step, f"gives {sum(n_outputs)} columns, but {form.n_columns} are taken")
    template = np.empty((1, len(n_outputs)), dtype=object)  # a row of known categories
    template[0] = [categories.tolist()[0] for categories in step.categories_]
    whole, start = Form.nothing(len(form.coef), len(n_outputs)).plus(form.intercept), 0
    for j, size in enumerate(n_outputs):
        known = step.categories_[j].tolist()
        outputs = form.part(start, start + size)
        lookup = _Lookup(step, template, j, outputs, start, None if takes_unknown else known)
        whole.tables[j] = (Table(name_of(step), known, takes_unknown, lookup),)
        start += size
    return whole


class _Lookup:
    """What the values of one column of an encoder add, by way of its outputs.

    `known` are the only values that it takes; None: it takes any.
    """

    def __init__(self, step, template, column, outputs, start, known):
        self.step, self.template, self.column = step, template, column
        self.outputs, self.start = outputs, start
        self.known = None if known is None else {key_of(each) for each in known}

    def __call__(self, values):
        total = np.full((len(values), len(self.outputs.coef)), np.nan, dtype=np.longdouble)
        rows = np.arange(len(values))
        if self.known is not None:
            is_known = [key_of(each) in self.known for each in np.asarray(values).tolist()]
            rows = np.flatnonzero(is_known)
        if len(rows):
            X = np.repeat(self.template, len(rows), axis=0)
            X[:, self.column] = np.asarray(values, dtype=object)[rows]
            coded = transformed(self.step, X, self.start, self.start + self.outputs.n_columns)
            total[rows] = added_up(self.outputs, coded)
        return total


def transformed(step, X, start, stop):
    """Some columns of what the step makes of X, as an array."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # there are no names here, and values may be unknown
        coded = step.transform(X)
    if sparse.issparse(coded):
        return coded.tocsc()[:, start:stop].toarray()
    return np.asarray(coded)[:, start:stop]


def added_up(form, coded):
    """What all columns of an array add together, one row per row."""
    plain = form.is_linear.all() and not (form.fills or form.indicators or form.tables)
    if plain:
        return coded.astype(np.longdouble) @ form.coef.T
    return sum(
        (form.at(k, coded[:, k].astype(object)) for k in range(form.n_columns)),
        np.zeros((len(coded), len(form.coef)), dtype=np.longdouble),
    )


# --- numbers that become steps --------------------------------------------------------------------


@reads(Binarizer)
def _binarizer(step, form):
    edge = np.nextafter(np.float64(step.threshold), np.inf)
    return _steps(step, form, [1] * step.n_features_in_, [[edge]] * step.n_features_in_)


@reads(KBinsDiscretizer, note="every encode and strategy; dtype=None or float64")
def _bins(step, form):
    if step.dtype is not None and np.dtype(step.dtype) != np.float64:
        raise refuse(step, f"rounds numbers to {np.dtype(step.dtype)} first; take dtype=None")
    one_each = step.encode == "ordinal"
    sizes = [1] * step.n_features_in_ if one_each else step.n_bins_.tolist()
    return _steps(step, form, sizes, [edges[1:-1] for edges in step.bin_edges_])


def _steps(step, form, n_outputs, edges):
    whole = Form.nothing(len(form.coef), len(n_outputs)).plus(form.intercept)
    start = 0
    for j, size in enumerate(n_outputs):
        outputs = form.part(start, start + size)
        whole.tables[j] = (_step_table(step, j, outputs, start, edges),)
        start += size
    return whole


def _step_table(step, j, outputs, start, edges):
    n_columns = len(edges)

    def evaluate(values):
        X = np.zeros((len(values), n_columns))
        X[:, j] = np.asarray(values, dtype=np.float64)
        coded = transformed(step, X, start, start + outputs.n_columns)
        return added_up(outputs, coded)

    return Table(name_of(step), None, True, evaluate, edges=np.unique(edges[j]))


def behind_scaler(step, table, j):
    """A table of steps of the numbers that a scaler makes of its column j."""

    def scaled(values):
        X = np.zeros((len(values), step.n_features_in_))
        X[:, j] = np.asarray(values, dtype=np.float64)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # there are no names here
            return np.asarray(step.transform(X))[:, j]  # it may give frames

    fill = table.fill
    if isinstance(fill, Fill):  # by an imputer behind the scaler
        fill = replace(fill, value=edges_before([fill.value], scaled)[0])
    return replace(
        table,
        evaluate=lambda values: table.evaluate(scaled(values)),
        edges=edges_before(table.edges, scaled),
        fill=fill,
    )


def binarised(name, threshold, form):
    """The functions of columns where a classifier itself only asks whether ``x > threshold``."""
    whole = Form.nothing(len(form.coef), form.n_columns).plus(form.intercept)
    for j in range(form.n_columns):
        def evaluate(values, j=j):
            numbers = np.asarray(values, dtype=np.float64)
            return (numbers > threshold).astype(np.longdouble)[:, None] * form.coef[:, j]

        edge = np.nextafter(np.float64(threshold), np.inf)
        whole.tables[j] = (Table(name, None, True, evaluate, edges=np.array([edge])),)
    return whole
