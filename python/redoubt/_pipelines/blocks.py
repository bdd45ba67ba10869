"""Steps made of steps."""

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import FeatureUnion, Pipeline

from redoubt._pipelines.forms import Form
from redoubt._pipelines.registry import need_linear, pull_back, reads, refuse


@reads(Pipeline, note="of steps in this table, nested as you like")
def _pipeline(step, form):
    for _, each in reversed(step.steps):
        form = pull_back(each, form)
    return form


@reads(ColumnTransformer, note="columns by name, position, slice, mask or callable; remainder")
def _column_transformer(step, form):
    whole = Form.nothing(len(form.coef), step.n_features_in_).plus(form.intercept)
    n_outputs = max((each.stop for each in step.output_indices_.values()), default=0)
    if n_outputs != form.n_columns:
        raise refuse(step, f"gives {n_outputs} columns, but {form.n_columns} are taken")
    for name, block, _ in step.transformers_:
        outputs = step.output_indices_[name]
        columns = step._transformer_to_input_indices[name]
        if (isinstance(block, str) and block == "drop") or not len(columns):
            continue
        part = pull_back(block, form.part(outputs.start, outputs.stop))
        whole = whole + part.placed(columns, step.n_features_in_)
    return whole


@reads(FeatureUnion, note="with or without transformer_weights")
def _union(step, form):
    whole, start = None, 0
    weights = step.transformer_weights or {}
    for name, block in step.transformer_list:
        if isinstance(block, str) and block == "drop":
            continue
        size = _n_outputs(block)
        part = form.part(start, start + size)
        start += size
        if name in weights:
            need_linear(step, part)
            factor = np.full(size, weights[name], dtype=np.longdouble)
            part = part.scaled(factor, np.zeros(size))
        part = pull_back(block, part)
        whole = part if whole is None else whole + part
    return whole.plus(form.intercept)


def _n_outputs(block):
    """How many columns a step gives."""
    try:
        return len(block.get_feature_names_out())
    except (AttributeError, ValueError):
        if isinstance(block, Pipeline):
            steps = [each for _, each in block.steps if each is not None and each != "passthrough"]
            return _n_outputs(steps[-1])
        return block.n_features_in_  # a step that does not name its output keeps its columns
