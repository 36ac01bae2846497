"""How Java and Kotlin hold the elements of a tensor: one interface, two spellings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ortstudio.model.types import DataType, MapType, OptionalType, SequenceType, ValueType
from ortstudio.services.snippet.model import count_text, dims_text, held_tensor


@dataclass(frozen=True, slots=True)
class Held:
    """A buffer class, and the `OnnxJavaType` that must be named where the class does not say it."""

    buffer: str
    java_type: str = ""
    hint: str = ""


HELD: Mapping[int, Held] = {
    DataType.FLOAT: Held("FloatBuffer"),
    DataType.DOUBLE: Held("DoubleBuffer"),
    DataType.INT8: Held("ByteBuffer"),
    DataType.INT16: Held("ShortBuffer"),
    DataType.INT32: Held("IntBuffer"),
    DataType.INT64: Held("LongBuffer"),
    DataType.UINT8: Held("ByteBuffer", "UINT8"),
    DataType.BOOL: Held("ByteBuffer", "BOOL", "bool, a byte each."),
    DataType.FLOAT16: Held("ShortBuffer", "FLOAT16", "float16, as bits."),
    DataType.BFLOAT16: Held("ShortBuffer", "BFLOAT16", "bfloat16, as bits."),
}

_READ = HELD.keys() | {DataType.STRING, DataType.UINT16, DataType.UINT32, DataType.UINT64}
"""Unsigned outputs come as the signed type of their width; they cannot be fed."""


def held(of: ValueType | None) -> Held | None:
    """How an input of numbers is held; None for strings and for what cannot be fed."""
    tensor = held_tensor(of)
    return None if tensor is None else HELD.get(tensor.elem_type)


def is_strings(of: ValueType | None) -> bool:
    """Whether it is a tensor of strings."""
    tensor = held_tensor(of)
    return tensor is not None and tensor.elem_type == DataType.STRING


def tensor(
    of: ValueType | None,
    sizes: Mapping[str, str],
    shape: Callable[[Sequence[str]], str],
    strings: Callable[[str], str],
) -> str:
    """An expression for an input; empty where there is none.

    `shape` writes an array of dimensions, `strings` one of so many empty strings.
    """
    found, held_as = held_tensor(of), held(of)
    if found is None:
        return ""
    dims = dims_text(found, sizes)
    count = count_text(dims)
    if is_strings(found):
        return f"OnnxTensor.createTensor(environment, {strings(count)}, {shape(dims)})"
    if held_as is None:
        return ""
    kind = f", OnnxJavaType.{held_as.java_type}" if held_as.java_type else ""
    data = f"{held_as.buffer}.allocate({count})"
    return f"OnnxTensor.createTensor(environment, {data}, {shape(dims)}{kind})"


def can_read(of: ValueType | None) -> bool:
    """Whether Java objects can be made of an output."""
    tensor = held_tensor(of)
    if tensor is not None:
        return tensor.elem_type in _READ
    if isinstance(of, SequenceType | OptionalType):
        return can_read(of.element)
    return isinstance(of, MapType) and can_read(of.value)
