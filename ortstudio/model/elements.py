"""The elements of a tensor, wherever they are kept, read when asked and no more than asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ortstudio.errors import FormatError, Where
from ortstudio.format.arrays import Numbers
from ortstudio.format.source import Source
from ortstudio.model.bits import decode
from ortstudio.model.external import open_external
from ortstudio.model.tensor import ExternalData, Span, StringData, Tensor, TypedData
from ortstudio.model.typed_data import TypedUnits
from ortstudio.model.types import (
    DataType,
    bit_width,
    data_type_text,
    element_count,
    packed_size,
)

CHUNK_ELEMENTS = 1 << 18
_NO_BYTES = np.zeros(0, np.uint8)


class _Reader(Protocol):
    """Elements from one place on, up to another, flat. The places are within the tensor."""

    def __call__(self, first: int, end: int) -> Numbers: ...


@dataclass(frozen=True, eq=False)
class Elements:
    """The elements of one tensor, in row-major order.

    Types that numpy lacks come as float32, int8 or uint8, strings as `str` objects.
    """

    tensor: Tensor
    count: int
    _read: _Reader

    def window(self, first: int, end: int) -> Numbers:
        """Elements `first` to `end`, as a slice would take them. I/O for what is needed of them."""
        first, end, _ = slice(first, end).indices(self.count)
        return self._read(first, max(first, end))

    def chunks(self, elements: int = CHUNK_ELEMENTS) -> Iterator[Numbers]:
        """All elements, some at a time."""
        for first in range(0, self.count, elements):
            yield self.window(first, first + elements)

    def array(self) -> Numbers:
        """All elements at once, in the tensor's shape."""
        return self.window(0, self.count).reshape(self.tensor.dims)


def open_elements(source: Source, tensor: Tensor) -> Elements:
    """Get at the elements of a tensor of the model in `source`.

    Raises FormatError where what is there cannot be what type and shape say; MissingError and
    RefusedError where external data cannot be had.
    """
    count = element_count(tensor.dims)
    if any(dim < 0 for dim in tensor.dims):
        raise _mismatch(source, tensor, f"has a negative size in its shape {list(tensor.dims)}")
    data = tensor.data
    if isinstance(data, StringData):
        return Elements(tensor, count, _strings(source, tensor, data, count))
    if bit_width(tensor.data_type) is None and (count or tensor.data_type != DataType.STRING):
        kind = data_type_text(tensor.data_type)
        raise _mismatch(source, tensor, f"has elements of type {kind}, which cannot be read here")
    if isinstance(data, Span):
        return Elements(tensor, count, _run(source, tensor, data.offset, data.length))
    if isinstance(data, ExternalData):
        return Elements(tensor, count, _external(source.path, tensor, data))
    if isinstance(data, TypedData):
        return Elements(tensor, count, _typed(source, tensor, data))
    if count:
        raise _mismatch(source, tensor, f"has {count} elements, and the file leaves them out")
    return Elements(tensor, 0, lambda _first, _end: decode(tensor.data_type, _NO_BYTES, 0))


def _mismatch(source: Source, tensor: Tensor, what: str) -> FormatError:
    return FormatError(
        f"The tensor {tensor.name!r} {what}",
        where=Where(source.path, tensor.offset, tensor.name),
    )


def _strings(source: Source, tensor: Tensor, data: StringData, count: int) -> _Reader:
    if len(data.spans) != count:
        raise _mismatch(
            source, tensor, f"has {len(data.spans)} strings where its shape needs {count}"
        )

    def read(first: int, end: int) -> Numbers:
        texts = np.empty(end - first, object)
        for i, span in enumerate(data.spans[first:end]):
            texts[i] = source.payload(*span).decode("utf-8", "backslashreplace")
        return texts

    return read


def _run(source: Source, tensor: Tensor, offset: int, length: int) -> _Reader:
    """Elements that follow each other as in `raw_data`."""
    needed = packed_size(tensor.data_type, tensor.dims)
    if length != needed:
        raise _mismatch(
            source, tensor, f"has {length} bytes where its type and shape need {needed}"
        )

    def read(first: int, end: int) -> Numbers:
        start, stop, lead = _bytes_of(tensor.data_type, first, end)
        content = source.payload(offset + start, stop - start, tensor.name)
        return _decoded(tensor, np.frombuffer(content, np.uint8), lead, end - first)

    return read


def _external(model_path: str, tensor: Tensor, data: ExternalData) -> _Reader:
    source, offset, length = open_external(model_path, tensor, data)
    return _run(source, tensor, offset, length)


def _typed(source: Source, tensor: Tensor, data: TypedData) -> _Reader:
    units = TypedUnits(source, data, tensor.data_type)
    width = units.unit_bits
    needed = -(-element_count(tensor.dims) * (bit_width(tensor.data_type) or 0) // width)

    def read(first: int, end: int) -> Numbers:
        if units.count != needed:
            raise _mismatch(
                source,
                tensor,
                f"has {units.count} numbers where its type and shape need {needed}",
            )
        start, stop, lead = _bytes_of(tensor.data_type, first, end)
        content = units.read(start * 8 // width, -(-stop * 8 // width))
        return _decoded(tensor, content, lead, end - first)

    return read


def _bytes_of(data_type: int, first: int, end: int) -> tuple[int, int, int]:
    """The bytes in which elements stand, packed, and how many other elements begin there."""
    bits = bit_width(data_type) or 0
    lead = first % (8 // gcd(bits, 8))
    return (first - lead) * bits // 8, -(-end * bits // 8), lead


def _decoded(tensor: Tensor, content: NDArray[np.uint8], lead: int, count: int) -> Numbers:
    """So many elements out of the bytes in which they stand behind some others."""
    if tensor.data_type == DataType.BOOL:
        return np.not_equal(content, 0)
    return decode(tensor.data_type, content, lead + count)[lead:]
