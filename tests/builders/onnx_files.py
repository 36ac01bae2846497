"""ONNX models by the `onnx` package, and our reading of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from onnx import (
    ModelProto,
    NodeProto,
    SparseTensorProto,
    TensorProto,
    ValueInfoProto,
    helper,
    numpy_helper,
)

from ortstudio.format.source import Source
from ortstudio.model.model import Model
from ortstudio.model.onnx_reader import read_onnx

FLOAT = TensorProto.FLOAT
Shape = Sequence[int | str | None] | None


def value(name: str, data_type: int = FLOAT, shape: Shape = (2,)) -> ValueInfoProto:
    """A tensor as input or output."""
    return helper.make_tensor_value_info(name, data_type, shape)


def weight(name: str, array: NDArray[np.generic]) -> TensorProto:
    """An initializer."""
    return numpy_helper.from_array(np.asarray(array), name)


def onnx_model(
    nodes: Sequence[NodeProto],
    inputs: Sequence[ValueInfoProto],
    outputs: Sequence[ValueInfoProto],
    initializers: Sequence[TensorProto] = (),
    *,
    opset: int = 21,
    domains: Sequence[str] = (),
    sparse: Sequence[SparseTensorProto] = (),
) -> ModelProto:
    """A model of one graph."""
    graph = helper.make_graph(
        nodes, "g", inputs, outputs, initializers, sparse_initializer=list(sparse)
    )
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(d, 1) for d in domains)]
    return helper.make_model(graph, opset_imports=imports, ir_version=10)


def identity(*inputs: ValueInfoProto) -> ModelProto:
    """A model that passes its inputs through, each to an output of its own."""
    nodes, outputs = [], []
    for found in inputs:
        output = ValueInfoProto()
        output.CopyFrom(found)
        output.name = f"{found.name}_out"
        nodes.append(helper.make_node("Identity", [found.name], [output.name]))
        outputs.append(output)
    return onnx_model(nodes, inputs, outputs)


def read(model: ModelProto) -> Model:
    """The model through our reader."""
    return read_onnx(Source.of_bytes(model.SerializeToString(), "model.onnx"))
