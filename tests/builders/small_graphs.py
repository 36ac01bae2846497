"""Small ONNX models written down in a line for each node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import FunctionProto, ModelProto, TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT
Node = tuple[str, str, str] | tuple[str, str, str, Mapping[str, object]]
Values = Mapping[str, tuple[int, Sequence[int | str] | None]]
Arrays = Mapping[str, NDArray[np.generic]]

IMAGE: Values = {"x": (FLOAT, [1, 16, 8, 8])}
OUT: Values = {"y": (FLOAT, None)}

_random = np.random.default_rng(0)


def floats(*dims: int) -> NDArray[np.float32]:
    """Numbers from 0 to 1."""
    return _random.random(dims, np.float32)


def scalar(value: float, dtype: str = "float32") -> NDArray[np.generic]:
    """One number."""
    return np.array(value, dtype)


def ints(*values: int) -> NDArray[np.int64]:
    """A list of numbers."""
    return np.array(values, np.int64)


def model(
    nodes: Sequence[Node],
    inputs: Values = IMAGE,
    outputs: Values = OUT,
    arrays: Arrays | None = None,
    opset: int = 17,
    functions: Sequence[FunctionProto] = (),
) -> ModelProto:
    """A model; a node is (`Conv` or `domain:Conv`, inputs, outputs, attributes), `_` for none."""
    graph = helper.make_graph(
        [_node(i, *node) for i, node in enumerate(nodes)],
        "small",
        _ends(inputs),
        _ends(outputs),
        [numpy_helper.from_array(array, name) for name, array in (arrays or {}).items()],
    )
    domains = {domain for node in nodes if (domain := node[0].rpartition(":")[0])}
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(d, 1) for d in sorted(domains))]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9, functions=list(functions))


def signed_convolution(batch: int | str) -> ModelProto:
    """A convolution on 8-bit values that have a sign, in the QDQ form."""
    nodes: list[Node] = [
        ("QuantizeLinear", "x s z", "q"),
        ("DequantizeLinear", "q s z", "d"),
        ("DequantizeLinear", "w s z", "k"),
        ("Conv", "d k", "c"),
        ("QuantizeLinear", "c s z", "r"),
        ("DequantizeLinear", "r s z", "y"),
    ]
    arrays = {
        "w": np.arange(-72, 72, dtype=np.int8).reshape(1, 16, 3, 3),
        "s": scalar(0.05),
        "z": scalar(0, "int8"),
    }
    return model(nodes, {"x": (FLOAT, [batch, 16, 8, 8])}, arrays=arrays)


def _ends(values: Values) -> list[onnx.ValueInfoProto]:
    return [
        helper.make_tensor_value_info(name, kind, dims) for name, (kind, dims) in values.items()
    ]


def _node(
    index: int, op: str, inputs: str, outputs: str, attributes: Mapping[str, object] | None = None
) -> onnx.NodeProto:
    domain, _, op_type = op.rpartition(":")
    names = ["" if name == "_" else name for name in inputs.split()]
    return helper.make_node(
        op_type,
        names,
        outputs.split(),
        f"n{index}",
        domain=domain,
        **(attributes or {}),  # type: ignore[arg-type]
    )
