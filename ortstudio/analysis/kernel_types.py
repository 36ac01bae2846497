"""The types of operators that a build with reduced types can leave out.

Upstream's build scripts drop kernels and branches by type for some operators only, and for each of
them by the types of certain inputs and outputs. A config that says anything else of an operator
is not understood by them.
"""

from __future__ import annotations

from dataclasses import dataclass

from ortstudio.model.graph import onnx_domain
from ortstudio.model.types import DataType, MapType, SequenceType, TensorType, ValueType


@dataclass(frozen=True, slots=True)
class Tracked:
    """Positions whose types count; those of `together` count as one combination, in this order.

    Every build has the types of `always` for the first input, whatever its config says.
    """

    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()
    together: tuple[int, ...] = ()
    always: frozenset[str] = frozenset()


_FIRST_INPUT = Tracked(inputs=(0,))
_FIRST_OUTPUT = Tracked(outputs=(0,))
_FIRST_TWO_INPUTS = Tracked(inputs=(0, 1))
_OFTEN_SHAPES = Tracked(inputs=(0,), always=frozenset({"int32_t", "int64_t"}))
"""Operators that work on shapes and indices in most models."""

_BY_FIRST_INPUT = """
    Abs ArgMax ArgMin AveragePool BatchNormalization BitShift Ceil Clip Conv CumSum Exp Expand Floor
    Gemm IsNaN Log LogSoftmax LpNormalization MatMul Max MaxPool Mean Min NonZero Pad QLinearConv
    QLinearMatMul Range Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax
    ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu Resize ReverseSequence RoiAlign
    Round Scatter ScatterElements ScatterND Shrink Sigmoid Sign Sin Softmax Split SplitToSequence
    Sqrt Sum Tanh TopK Transpose Unique
"""
_SHAPES = "Add Concat Div Equal Greater Less Mul Neg Sub"
_BY_FIRST_OUTPUT = """
    ConstantOfShape DynamicQuantizeLinear Multinomial QuantizeLinear RandomNormal RandomNormalLike
    RandomUniform RandomUniformLike
"""
_TRACKED = {
    "": {
        **dict.fromkeys(_BY_FIRST_INPUT.split(), _FIRST_INPUT),
        **dict.fromkeys(_BY_FIRST_OUTPUT.split(), _FIRST_OUTPUT),
        **dict.fromkeys(["Gather", "GatherElements", "Pow", "Slice"], _FIRST_TWO_INPUTS),
        **dict.fromkeys(_SHAPES.split(), _OFTEN_SHAPES),
        "Cast": Tracked(inputs=(0,), outputs=(0,)),
        # Convolutions and products of matrices use it on their sums, which are int32.
        "DequantizeLinear": Tracked((0,), always=frozenset({"int8_t", "uint8_t", "int32_t"})),
        # Kernels are registered by indices, values and depth, in this order.
        "OneHot": Tracked(together=(0, 2, 1)),
        # The first input is always a condition.
        "Where": Tracked(inputs=(1,)),
    },
    "com.microsoft": {
        **dict.fromkeys(["QLinearAdd", "QLinearConv", "QLinearMul"], _FIRST_INPUT),
        "GatherPacked": Tracked(inputs=(0, 1), outputs=(0,)),
    },
}


def tracked(domain: str, op_type: str) -> Tracked | None:
    """Which types of an operator a build can be told; None where it keeps them all."""
    return _TRACKED.get(onnx_domain(domain), {}).get(op_type)


_CPP = {
    DataType.FLOAT: "float",
    DataType.UINT8: "uint8_t",
    DataType.INT8: "int8_t",
    DataType.UINT16: "uint16_t",
    DataType.INT16: "int16_t",
    DataType.INT32: "int32_t",
    DataType.INT64: "int64_t",
    DataType.STRING: "std::string",
    DataType.BOOL: "bool",
    DataType.FLOAT16: "MLFloat16",
    DataType.DOUBLE: "double",
    DataType.UINT32: "uint32_t",
    DataType.UINT64: "uint64_t",
    DataType.COMPLEX64: "std::complex<float>",
    DataType.COMPLEX128: "std::complex<double>",
    DataType.BFLOAT16: "BFloat16",
    DataType.FLOAT8E4M3FN: "Float8E4M3FN",
    DataType.FLOAT8E4M3FNUZ: "Float8E4M3FNUZ",
    DataType.FLOAT8E5M2: "Float8E5M2",
    DataType.FLOAT8E5M2FNUZ: "Float8E5M2FNUZ",
    # Several elements in a byte are one C++ value.
    DataType.UINT4: "UInt4x2",
    DataType.INT4: "Int4x2",
    DataType.FLOAT4E2M1: "Float4E2M1x2",
    DataType.FLOAT8E8M0: "Float8E8M0",
    DataType.UINT2: "UInt2x4",
    DataType.INT2: "Int2x4",
}
_NAMES: dict[int, str] = {int(kind): name for kind, name in _CPP.items()}
GLOBAL_TYPES = frozenset(
    name for kind, name in _CPP.items() if kind <= 20 and not name.startswith("std::complex")
)
"""What upstream takes as a type of a whole build."""


def cpp_type(found: ValueType | None) -> str | None:
    """The C++ type by which a config names a type; None where nothing names it.

    A sequence is named by what it holds: what takes sequences takes no tensors.
    """
    if isinstance(found, TensorType):
        return _NAMES.get(found.elem_type)
    if isinstance(found, SequenceType):
        return cpp_type(found.element)
    if isinstance(found, MapType):
        key, value = _NAMES.get(found.key_type), cpp_type(found.value)
        return f"std::map<{key},{value}>" if key and value else None
    return None
