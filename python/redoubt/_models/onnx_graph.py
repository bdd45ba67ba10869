"""Votes as ONNX graphs, for other run times."""

from typing import Any

import numpy as np

from redoubt._core import __version__
from redoubt._models.decision_rules import Vote
from redoubt._models.ensemble import Ensemble
from redoubt._models.linear_model import read_model
from redoubt._typing import FittedModel

_OPSET = 18


def to_onnx(model: FittedModel) -> Any:
    """Return a fitted model as an ONNX graph that gives the same labels.

    The graph takes ``X`` (float64, one row per point) and gives ``label`` (the model's own labels,
    int64 or text) and ``votes`` (int64: of two classes, votes for minus votes against
    ``classes_[1]``; of more, one column per class; weights count as integer multiples of their unit,
    which keeps sums exact). It computes in floating point: at a point within
    rounding of a plane, where `predict` decides exactly, the label may differ. Columns in which no
    plane has a weight are left out of its products, so that a vote on a million words, most of
    which no plane has seen, is not much larger than its weights.

    Parameters
    ----------
    model : Ensemble, Model or fitted classifier
        Whatever `certify` takes. Scalers in front become a part of the graph.

    Returns
    -------
    graph : onnx.ModelProto
        ``graph.SerializeToString()`` is what onnxruntime reads, ``onnx.save(graph, path)`` writes
        it. Needs the package onnx (``pip install onnx``).

    Examples
    --------
    >>> import redoubt
    >>> X, y, *_ = redoubt.datasets.load("gaussian")
    >>> model = redoubt.BaggedSVMClassifier(n_planes=5, random_state=0).fit(X, y)
    >>> graph = redoubt.to_onnx(model)
    >>> [output.name for output in graph.graph.output]
    ['label', 'votes']
    """
    try:
        import onnx
    except ImportError as error:
        raise ImportError("to_onnx needs the package onnx: pip install onnx") from error

    linear = read_model(model)
    linear.need_numbers("to_onnx")
    classes = np.array([-1, 1]) if isinstance(model, Ensemble) else np.asarray(linear.classes)
    graph = _Graph(onnx)
    points, kept = "X", _columns_with_weight(linear.decision)
    if len(kept) < linear.decision.n_features:
        points = graph.add("Gather", points, graph.constant(kept), axis=1)
    if linear.factor is not None:
        factor, shift = (np.asarray(each, dtype=float) for each in (linear.factor, linear.shift))
        scaled = graph.add("Mul", points, graph.constant(_chosen(factor, kept)))
        points = graph.add("Add", scaled, graph.constant(_chosen(shift, kept)))
    index = _two_classes(graph, points, linear.decision, kept)
    if index is None:
        index = _several_classes(graph, points, linear.decision, kept)
    labels = _label_texts(classes) if classes.dtype.kind not in "iub" else classes.astype(np.int64)
    graph.add("Gather", graph.constant(labels), index, name="label", axis=0)
    return graph.finish(linear.decision.n_features, labels)


def _columns_with_weight(decision):
    """The columns that some plane looks at, of wide votes often few; at least one."""
    groups = [decision.planes] if isinstance(decision, Vote) else decision.planes
    has_weight = np.zeros(decision.n_features, dtype=bool)
    for planes in groups:
        has_weight |= (planes.coef != 0).any(axis=0)
    has_weight[0] |= not has_weight.any()
    return np.flatnonzero(has_weight).astype(np.int64)


def _chosen(values, kept):
    """Of one number per column, or of one for all, those of the columns that are kept."""
    return values[kept] if values.ndim else values


def _label_texts(classes):
    return np.array([str(label) for label in classes], dtype=object)


def _answers(graph, points, planes, kept):
    """-1 or +1 (int64) of every plane at every point."""
    product = graph.add("MatMul", points, graph.constant(planes.coef[:, kept].T.copy()))
    values = graph.add("Add", product, graph.constant(planes.intercept))
    zero = graph.constant(np.zeros(1))
    is_positive = graph.add("Greater", values, zero)
    on_plane = graph.add("And", graph.add("Equal", values, zero), graph.constant(planes.tie))
    return graph.add(
        "Where",
        graph.add("Or", is_positive, on_plane),
        graph.constant(np.array(1, dtype=np.int64)),
        graph.constant(np.array(-1, dtype=np.int64)),
    )


def _vote_sum(graph, points, planes, kept, keep, name=None):
    axes = graph.constant(np.array([1], dtype=np.int64))
    answers = _answers(graph, points, planes, kept)
    if planes.weights is not None:
        answers = graph.add("Mul", answers, graph.constant(planes.weights))
    return graph.add("ReduceSum", answers, axes, name=name, keepdims=int(keep))


def _two_classes(graph, points, decision, kept):
    if not isinstance(decision, Vote):
        return None
    total = _vote_sum(graph, points, decision.planes, kept, keep=False, name="votes")
    compare = "GreaterOrEqual" if decision.tie else "Greater"
    least = 0 if decision.need is None else decision.least
    positive = graph.add(compare, total, graph.constant(np.array(least, dtype=np.int64)))
    return graph.add("Cast", positive, to=graph.onnx.TensorProto.INT64)


def _several_classes(graph, points, decision, kept):
    sums = [_vote_sum(graph, points, planes, kept, keep=True) for planes in decision.planes]
    votes = graph.add("Concat", *sums, name="votes", axis=1)
    if not decision.by_votes:
        values = decision.planes[0].joined(decision.planes[1:])
        scores = _values(graph, points, values, kept)
    elif decision.tie_values is None:
        scores = votes
    else:  # votes count 1 each, and values settle ties: less than 1/3, as in scikit-learn
        values = _values(graph, points, decision.tie_values, kept)
        size = graph.add("Add", graph.add("Abs", values), graph.constant(np.array(1.0)))
        share = graph.add("Div", values, graph.add("Mul", size, graph.constant(np.array(3.0))))
        total = graph.add("Cast", votes, to=graph.onnx.TensorProto.DOUBLE)
        half = graph.add("Mul", total, graph.constant(np.array(0.5)))
        scores = graph.add("Add", half, share)
    return graph.add("ArgMax", scores, axis=1, keepdims=0)


def _values(graph, points, planes, kept):
    product = graph.add("MatMul", points, graph.constant(planes.coef[:, kept].T.copy()))
    return graph.add("Add", product, graph.constant(planes.intercept))


class _Graph:
    """Nodes and constants as they come, with names of their own."""

    def __init__(self, onnx):
        self.onnx = onnx
        self._nodes = []
        self._constants = []

    def constant(self, value):
        name = f"constant{len(self._constants)}"
        if value.dtype == object:
            tensor = self.onnx.helper.make_tensor(
                name, self.onnx.TensorProto.STRING, value.shape, [str(text) for text in value]
            )
        else:
            tensor = self.onnx.numpy_helper.from_array(value, name)
        self._constants.append(tensor)
        return name

    def add(self, operator, *inputs, name=None, **attributes):
        name = name or f"{operator.lower()}{len(self._nodes)}"
        self._nodes.append(self.onnx.helper.make_node(operator, inputs, [name], **attributes))
        return name

    def finish(self, n_features, labels):
        helper, kinds = self.onnx.helper, self.onnx.TensorProto
        is_text = labels.dtype == object
        votes_shape = ["n_samples"] if len(labels) == 2 else ["n_samples", len(labels)]
        label_kind = kinds.STRING if is_text else kinds.INT64
        points = helper.make_tensor_value_info("X", kinds.DOUBLE, ["n_samples", n_features])
        outputs = [
            helper.make_tensor_value_info("label", label_kind, ["n_samples"]),
            helper.make_tensor_value_info("votes", kinds.INT64, votes_shape),
        ]
        graph = helper.make_graph(self._nodes, "vote", [points], outputs, self._constants)
        model = helper.make_model(
            graph,
            producer_name="redoubt",
            producer_version=__version__,
            opset_imports=[helper.make_opsetid("", _OPSET)],
            ir_version=9,
        )
        self.onnx.checker.check_model(model, full_check=True)
        return model
