"""Steps that are linear in their columns."""

from dataclasses import replace

import numpy as np
from sklearn.decomposition import PCA, IncrementalPCA, TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.feature_selection import SelectorMixin
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    RobustScaler,
    StandardScaler,
)

from redoubt._pipelines.encoders import behind_scaler
from redoubt._pipelines.registry import need_linear, reads, refuse

SCALERS = (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler)


def scaler_numbers(step):
    """A scaler as ``factor * x + shift``, in extended precision."""
    if getattr(step, "clip", False):
        raise refuse(step, "has clip=True, which is not linear and not supported")
    if isinstance(step, MinMaxScaler):
        return step.scale_.astype(np.longdouble), step.min_.astype(np.longdouble)
    center = None
    if isinstance(step, StandardScaler) and step.with_mean:  # mean_ is there without it, too
        center = step.mean_
    elif isinstance(step, RobustScaler):
        center = step.center_
    scale = np.ones(step.n_features_in_) if step.scale_ is None else step.scale_
    factor = 1 / scale.astype(np.longdouble)
    return factor, factor * (0 if center is None else -center)


@reads(*SCALERS, note="MinMaxScaler without clip")
def _scaler(step, form):
    factor, shift = scaler_numbers(step)
    if any(table.edges is None for each in form.tables.values() for table in each):
        need_linear(step, form)
    whole = form.scaled(factor, shift, is_unit=True)
    tables = {j: tuple(behind_scaler(step, one, j) for one in each) for j, each in form.tables.items()}
    return replace(whole, tables=tables)


@reads(TfidfTransformer, note="norm=None, sublinear_tf=False")
def _tfidf(step, form):
    if step.norm is not None or step.sublinear_tf:
        raise refuse(step, "needs norm=None and sublinear_tf=False to be linear")
    need_linear(step, form)
    if not step.use_idf:
        return form
    factor = np.ravel(step.idf_).astype(np.longdouble)
    return form.scaled(factor, np.zeros_like(factor))


@reads(PCA, IncrementalPCA, note="whitened or not")
def _pca(step, form):
    need_linear(step, form)
    matrix = step.components_.astype(np.longdouble)
    if step.whiten:
        deviation = np.sqrt(step.explained_variance_)
        matrix = matrix / np.maximum(deviation, np.finfo(deviation.dtype).eps)[:, None]
    mean = np.zeros(matrix.shape[1]) if step.mean_ is None else step.mean_
    return form.mixed(matrix, -matrix @ mean.astype(np.longdouble))


@reads(TruncatedSVD)
def _svd(step, form):
    need_linear(step, form)
    return form.mixed(step.components_, np.zeros(len(step.components_)))


@reads(LinearDiscriminantAnalysis, note="as a transformer")
def _lda(step, form):
    need_linear(step, form)
    matrix = step.scalings_[:, : step._max_components].T.astype(np.longdouble)
    shift = np.zeros(len(matrix)) if step.solver != "svd" else -matrix @ step.xbar_
    return form.mixed(matrix, shift)


@reads(SelectorMixin, note="anything with get_support: SelectKBest, VarianceThreshold, ...")
def _selector(step, form):
    support = step.get_support()
    placed = form.placed(np.flatnonzero(support), len(support))
    # What is left out was a number, too: it counts as one, times 0.
    return replace(placed, is_linear=placed.is_linear | ~support)


@reads(FunctionTransformer, note="func=None only")
def _function(step, form):
    if step.func is not None:
        name = getattr(step.func, "__name__", repr(step.func))
        raise refuse(step, f"has func={name}, of which nothing is known; func=None is supported")
    return form
