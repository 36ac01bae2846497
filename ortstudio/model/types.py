"""Element types, shapes and value types, with the size arithmetic that everything else uses.

Numbers are those of ONNX `TensorProto.DataType`; the ORT schema uses the same ones up to 20, and
real `.ort` files hold the newer ones too. Text is written as ONNX Runtime writes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from math import prod


class DataType(IntEnum):
    """ONNX `TensorProto.DataType`."""

    UNDEFINED = 0
    FLOAT = 1
    UINT8 = 2
    INT8 = 3
    UINT16 = 4
    INT16 = 5
    INT32 = 6
    INT64 = 7
    STRING = 8
    BOOL = 9
    FLOAT16 = 10
    DOUBLE = 11
    UINT32 = 12
    UINT64 = 13
    COMPLEX64 = 14
    COMPLEX128 = 15
    BFLOAT16 = 16
    FLOAT8E4M3FN = 17
    FLOAT8E4M3FNUZ = 18
    FLOAT8E5M2 = 19
    FLOAT8E5M2FNUZ = 20
    UINT4 = 21
    INT4 = 22
    FLOAT4E2M1 = 23
    FLOAT8E8M0 = 24
    UINT2 = 25
    INT2 = 26
    FLOAT6E2M3 = 27
    FLOAT6E3M2 = 28


_BITS = {
    DataType.FLOAT: 32,
    DataType.UINT8: 8,
    DataType.INT8: 8,
    DataType.UINT16: 16,
    DataType.INT16: 16,
    DataType.INT32: 32,
    DataType.INT64: 64,
    DataType.BOOL: 8,
    DataType.FLOAT16: 16,
    DataType.DOUBLE: 64,
    DataType.UINT32: 32,
    DataType.UINT64: 64,
    DataType.COMPLEX64: 64,
    DataType.COMPLEX128: 128,
    DataType.BFLOAT16: 16,
    DataType.FLOAT8E4M3FN: 8,
    DataType.FLOAT8E4M3FNUZ: 8,
    DataType.FLOAT8E5M2: 8,
    DataType.FLOAT8E5M2FNUZ: 8,
    DataType.UINT4: 4,
    DataType.INT4: 4,
    DataType.FLOAT4E2M1: 4,
    DataType.FLOAT8E8M0: 8,
    DataType.UINT2: 2,
    DataType.INT2: 2,
    DataType.FLOAT6E2M3: 6,
    DataType.FLOAT6E3M2: 6,
}

_TEXT = {number: DataType(number).name.lower() for number in range(len(DataType))}


def data_type_text(number: int) -> str:
    """`float`, `int64`, ...; `unknown(99)` for a number that ONNX does not define."""
    return _TEXT.get(number, f"unknown({number})")


def bit_width(number: int) -> int | None:
    """Bits of one element; None for strings, undefined and unknown types."""
    return _BITS.get(number)  # type: ignore[call-overload,no-any-return]


MOST_ELEMENTS = 2**63 - 1
"""What a file can state at most: damaged shapes multiply to numbers that nothing can hold."""


def element_count(dims: Sequence[int]) -> int:
    """Product of the dimensions: 1 for a scalar. A negative dimension makes it negative or zero.

    It stays within `MOST_ELEMENTS` on either side.
    """
    count = 1
    for first in range(0, len(dims), _AT_ONCE):
        count *= prod(dims[first : first + _AT_ONCE])
        count = max(-MOST_ELEMENTS, min(MOST_ELEMENTS, count))
    return count


_AT_ONCE = 16
"""Dimensions that are multiplied before the product is held in bounds."""


def packed_size(data_type: int, dims: Sequence[int]) -> int | None:
    """Bytes that the elements take, sub-byte types packed; None where the width is not fixed."""
    bits = bit_width(data_type)
    if bits is None:
        return None
    return (element_count(dims) * bits + 7) // 8


Dim = int | str | None
"""A size, the name of a symbolic size, or None where nothing is said."""


def _shape_text(dims: tuple[Dim, ...] | None) -> str:
    if dims is None:
        return ""
    return "[" + ",".join("?" if dim is None else str(dim) for dim in dims) + "]"


@dataclass(frozen=True, slots=True)
class TensorType:
    """A dense tensor; `dims` is None where even the rank is unknown."""

    elem_type: int
    dims: tuple[Dim, ...] | None

    def __str__(self) -> str:
        return f"tensor({data_type_text(self.elem_type)}){_shape_text(self.dims)}"


@dataclass(frozen=True, slots=True)
class SparseTensorType:
    """A sparse tensor value (ONNX only)."""

    elem_type: int
    dims: tuple[Dim, ...] | None

    def __str__(self) -> str:
        return f"sparse_tensor({data_type_text(self.elem_type)}){_shape_text(self.dims)}"


@dataclass(frozen=True, slots=True)
class SequenceType:
    """A sequence; `element` is None where the file leaves it out."""

    element: ValueType | None

    def __str__(self) -> str:
        return f"seq({self.element or '?'})"


@dataclass(frozen=True, slots=True)
class MapType:
    """A map from an integer or string key type to any value type."""

    key_type: int
    value: ValueType | None

    def __str__(self) -> str:
        return f"map({data_type_text(self.key_type)},{self.value or '?'})"


@dataclass(frozen=True, slots=True)
class OptionalType:
    """An optional value (ONNX only: the ORT format cannot hold it)."""

    element: ValueType | None

    def __str__(self) -> str:
        return f"optional({self.element or '?'})"


@dataclass(frozen=True, slots=True)
class OpaqueType:
    """A type known only by its name (ONNX-ML `TypeProto.Opaque`)."""

    domain: str
    name: str

    def __str__(self) -> str:
        return f"opaque({self.domain},{self.name})"


ValueType = TensorType | SparseTensorType | SequenceType | MapType | OptionalType | OpaqueType


class AttributeType(IntEnum):
    """ONNX `AttributeProto.AttributeType`; the ORT schema uses the same numbers up to 12."""

    UNDEFINED = 0
    FLOAT = 1
    INT = 2
    STRING = 3
    TENSOR = 4
    GRAPH = 5
    FLOATS = 6
    INTS = 7
    STRINGS = 8
    TENSORS = 9
    GRAPHS = 10
    SPARSE_TENSOR = 11
    SPARSE_TENSORS = 12
    TYPE_PROTO = 13
    TYPE_PROTOS = 14
