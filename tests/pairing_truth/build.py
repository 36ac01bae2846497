"""A graph by hand: nodes and values with names, weights with a fixed seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike
from onnx import FunctionProto, GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT
FLOAT16 = TensorProto.FLOAT16
INT64 = TensorProto.INT64
INT32 = TensorProto.INT32
INT8 = TensorProto.INT8
UINT8 = TensorProto.UINT8
BOOL = TensorProto.BOOL
STRING = TensorProto.STRING

MICROSOFT = "com.microsoft"

Dims: TypeAlias = Sequence[int | str] | None
Attribute: TypeAlias = Any


class Net:
    """Collects one graph. Every call gives the name of the value that it made."""

    def __init__(self, opset: int = 17) -> None:
        self.opset = opset
        self.nodes: list[NodeProto] = []
        self.inputs: list[tuple[str, int, Dims]] = []
        self.tensors: list[TensorProto] = []
        self._random = np.random.default_rng(7)

    def input(self, name: str, dims: Dims, data_type: int = FLOAT) -> str:
        """An input of the graph."""
        self.inputs.append((name, data_type, dims))
        return name

    def const(self, name: str, values: ArrayLike, dtype: DTypeLike = np.float32) -> str:
        """An initializer with these values."""
        self.tensors.append(numpy_helper.from_array(np.asarray(values, dtype), name))
        return name

    def ints(self, name: str, *values: int) -> str:
        """An initializer of int64, one dimension."""
        return self.const(name, list(values), np.int64)

    def weight(self, name: str, *dims: int, dtype: DTypeLike = np.float32) -> str:
        """An initializer of random values around zero."""
        return self.const(name, self._random.normal(0, 0.2, dims), dtype)

    def positive(self, name: str, *dims: int) -> str:
        """An initializer of random values between 0.5 and 1.5."""
        return self.const(name, self._random.uniform(0.5, 1.5, dims))

    def integers(self, name: str, dtype: DTypeLike, *dims: int) -> str:
        """An initializer of random integers of eight bits, the range not used to its ends."""
        low = 20 if np.dtype(dtype).kind == "u" else -60
        return self.const(name, self._random.integers(low, low + 120, dims), dtype)

    def node(
        self,
        op: str,
        *inputs: str,
        name: str,
        out: str | None = None,
        domain: str = "",
        **attributes: Attribute,
    ) -> str:
        """A node of one output, `NAME_y` where nothing else is said."""
        made = out or f"{name}_y"
        self.nodes.append(
            helper.make_node(op, inputs, [made], name=name, domain=domain, **attributes)
        )
        return made

    def many(
        self, op: str, *inputs: str, name: str, outs: Sequence[str], **attributes: Attribute
    ) -> Sequence[str]:
        """A node with several outputs."""
        self.nodes.append(helper.make_node(op, inputs, outs, name=name, **attributes))
        return outs

    def graph(self, *outputs: str | tuple[str, int], name: str = "g") -> GraphProto:
        """The graph; an output is float where its type is not given."""
        typed = [(out, FLOAT) if isinstance(out, str) else out for out in outputs]
        return helper.make_graph(
            self.nodes,
            name,
            [helper.make_tensor_value_info(*row) for row in self.inputs],
            [helper.make_tensor_value_info(out, kind, None) for out, kind in typed],
            self.tensors,
        )

    def model(
        self,
        *outputs: str | tuple[str, int],
        domains: Sequence[str] = (),
        functions: Sequence[FunctionProto] = (),
    ) -> ModelProto:
        """The model."""
        imports = [helper.make_opsetid("", self.opset)]
        imports += [helper.make_opsetid(domain, 1) for domain in domains]
        return helper.make_model(
            self.graph(*outputs),
            opset_imports=imports,
            functions=list(functions),
            ir_version=8 if self.opset < 19 else 9 if self.opset < 21 else 10,
        )
