"""Models of weights, and what pairing finds of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.pairing.initializers import initializer_rows
from ortstudio.analysis.pairing.rows import Named, NamedRow, NodeRow
from ortstudio.services.contents import FileContents
from tests.builders.onnx_files import onnx_model, read, value, weight

Array = NDArray[np.generic]
RANDOM = np.random.default_rng(7)
WEIGHTS = RANDOM.standard_normal((8, 6)).astype(np.float32)
KERNEL = RANDOM.standard_normal((8, 3, 5, 4)).astype(np.float32)


def model(*weights: TensorProto, nodes: Sequence[NodeProto] | None = None) -> ModelProto:
    """A model in which one node uses all the weights, unless other nodes are given."""
    names = [tensor.name for tensor in weights]
    made = [helper.make_node("Custom", ["x", *names], ["y"], "user", domain="my.ops")]
    return onnx_model(nodes or made, [value("x")], [value("y")], weights, domains=["my.ops"])


def rows(a: ModelProto, b: ModelProto, nodes: Sequence[NodeRow] | None = None) -> list[NamedRow]:
    """Compare; unless said otherwise the first nodes of the two are a pair."""
    ours, theirs = read(a), read(b)
    pair = NodeRow("kept", (NodeRef("/", 0),), (NodeRef("/", 0),), "")
    found = initializer_rows(
        ours, theirs, [pair] if nodes is None else nodes, FileContents([ours, theirs])
    )
    return list(found)


def only(a: ModelProto, b: ModelProto, nodes: Sequence[NodeRow] | None = None) -> NamedRow:
    (row,) = rows(a, b, nodes)
    return row


def of(name: str) -> Named:
    return Named("/", name)


def one(array: Array, other: Array, name: str = "v") -> NamedRow:
    """The one row for a weight that is another array under another name in the result."""
    return only(model(weight("w", array)), model(weight(name, other)))
