"""Export a model as an ONNX graph, for programs in other languages. It uses basic operations on doubles."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from novikoff.foundation.array_types import Array
from novikoff.foundation.atomic_files import write_whole
from novikoff.models.model import Model

OPSET, IR_VERSION = 17, 8  # versions of 2022, which current runtimes read


def to_onnx(model: Model, path: str | Path | None = None) -> bytes:
    """Convert the model to ONNX, and write it to `path` if given.

    The input `X` is a matrix of doubles, the rows as files have them: the graph prepares them as the model does, and a gap is a
    NaN. The outputs are `label`, one per row, and `scores`, those of `Model.decisions` up to the last bit. With two classes, a
    score of exactly 0 gives the first.
    """
    try:
        onnx: Any = import_module("onnx")
    except ImportError:
        raise ImportError("exporting needs the onnx package: pip install 'novikoff[onnx]'") from None
    learner = model.learner
    learner.require_columns("exporting")
    if learner.started and learner.reading.votes:
        raise ValueError("a vote has no weights to export: train with readout='averaged', which predicts nearly the same")
    if not learner.started:
        raise ValueError("this model has not learned anything yet, so there is nothing to export")
    helper, double, int64 = onnx.helper, onnx.TensorProto.DOUBLE, onnx.TensorProto.INT64
    weights, labels = learner.weights(), _labels(learner.classes)
    prepare, prepared, statistics = _prepare(helper, model)
    kind = onnx.TensorProto.STRING if labels.dtype == object else helper.np_dtype_to_tensor_dtype(labels.dtype)
    if len(labels) == 2:
        choose = [
            helper.make_node("Greater", ["scores", "zero"], ["positive"]),
            helper.make_node("Cast", ["positive"], ["codes"], to=int64),
            helper.make_node("Squeeze", ["codes", "columns"], ["code"]),
        ]
    else:
        choose = [helper.make_node("ArgMax", ["scores"], ["code"], axis=1, keepdims=0)]
    constants = {
        "weights": np.ascontiguousarray(weights[:, :-1].T),
        "bias": weights[:, -1] * float(learner.constant),
        "zero": np.zeros(1),
        "columns": np.ones(1, np.int64),
        "labels": labels,
    } | statistics
    graph = helper.make_graph(
        [
            *prepare,
            helper.make_node("MatMul", [prepared, "weights"], ["products"]),
            helper.make_node("Add", ["products", "bias"], ["scores"]),
            *choose,
            helper.make_node("Gather", ["labels", "code"], ["label"]),
        ],
        "novikoff",
        [helper.make_tensor_value_info("X", double, [None, learner.width])],
        [
            helper.make_tensor_value_info("label", kind, [None]),
            helper.make_tensor_value_info("scores", double, [None, len(weights)]),
        ],
        [onnx.numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    opset = [helper.make_opsetid("", OPSET)]
    made = helper.make_model(graph, opset_imports=opset, ir_version=IR_VERSION, producer_name="novikoff")
    made.producer_version = model.version
    onnx.checker.check_model(made)
    content: bytes = made.SerializeToString()
    if path is not None:
        write_whole(path, content)
    return content


def _prepare(helper: Any, model: Model) -> tuple[list[Any], str, dict[str, Array]]:
    """The nodes that prepare `X`, the name of what they make, and the constants that they use."""
    if model.preparer is None:
        return [], "X", {}
    done = model.preparer.preparation(model.features, model.learner.width)
    nodes = [helper.make_node("Sign", ["X"], ["signs"])] if done.binary else []
    nodes += [
        helper.make_node("Sub", ["signs" if done.binary else "X", "shift"], ["centred"]),
        helper.make_node("Mul", ["centred", "scale"], ["scaled"]),
        helper.make_node("IsNaN", ["X"], ["gaps"]),
        helper.make_node("Where", ["gaps", "zero", "scaled"], ["filled"]),
    ]
    if done.unit:
        nodes += [
            helper.make_node("Mul", ["filled", "filled"], ["squares"]),
            helper.make_node("ReduceSum", ["squares", "columns"], ["sums"]),
            helper.make_node("Sqrt", ["sums"], ["lengths"]),
            helper.make_node("Greater", ["lengths", "zero"], ["long"]),
            helper.make_node("Where", ["long", "lengths", "one"], ["divisors"]),
            helper.make_node("Div", ["filled", "divisors"], ["unit"]),
        ]
    return nodes, "unit" if done.unit else "filled", {"shift": done.shift, "scale": done.scale, "one": np.ones(1)}


def _labels(classes: Array) -> Array:
    """The classes in a type that a tensor can hold: text, whole numbers or doubles."""
    names = classes.tolist()
    if all(isinstance(name, str) for name in names):
        return np.array(names, object)
    return np.array(names, np.int64 if all(isinstance(name, int) for name in names) else np.float64)
