"""Small ONNX models out of untyped graphs, and how to read them."""

from __future__ import annotations

from onnx import GraphProto, ModelProto, NodeProto, helper

from ortstudio.format.source import Source
from ortstudio.model.graph import Graph
from ortstudio.model.model import Model
from ortstudio.model.onnx_reader import read_onnx


def read(model: ModelProto | bytes) -> Model:
    content = model if isinstance(model, bytes) else model.SerializeToString()
    model_read = read_onnx(Source.of_bytes(content))
    assert model_read.error is None
    assert sum(model_read.sizes.values()) == len(content)
    return model_read


def graph_of(
    nodes: list[NodeProto], name: str = "g", inputs: str = "", outputs: str = ""
) -> GraphProto:
    """A graph of untyped values, names split at spaces."""
    return helper.make_graph(
        nodes,
        name,
        [helper.make_empty_tensor_value_info(value) for value in inputs.split()],
        [helper.make_empty_tensor_value_info(value) for value in outputs.split()],
    )


def node(op: str, inputs: str = "", outputs: str = "", name: str = "", **held: object) -> NodeProto:
    """A node with its attributes in the order given, names split at spaces."""
    made = helper.make_node(op, inputs.split(), outputs.split(), name=name)
    made.attribute.extend(helper.make_attribute(key, value) for key, value in held.items())
    return made


def model_of(graph: GraphProto, **held: object) -> ModelProto:
    return helper.make_model(graph, **held)


def implicit_names(graph: Graph) -> list[list[str]]:
    return [graph.value_names(row) for row in graph.nodes.implicit_inputs.lists()]
