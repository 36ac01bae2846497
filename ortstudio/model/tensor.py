"""Tensors as a file has them: type, shape, and where the elements are.

Elements are not held: `model.elements` reads them when asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple, overload

import numpy as np

from ortstudio.format.arrays import Ints, Ragged
from ortstudio.model.types import bit_width, element_count, packed_size


class Storage(IntEnum):
    """Where and how a tensor's elements are kept."""

    NONE = 0
    """Nowhere: the file leaves the data out."""
    RAW = 1
    """One run of bytes in the file, little-endian, sub-byte types packed."""
    TYPED = 2
    """ONNX `float_data` and its sisters: protobuf encoded."""
    STRINGS = 3
    """Strings, one after the other, each with a length."""
    EXTERNAL = 4
    """In another file."""


class Span(NamedTuple):
    """A run of bytes in the model's file."""

    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class TypedData:
    """ONNX data kept in a typed field: number, and the runs of bytes that hold it.

    `packed` tells for each run whether it is a packed field or one single element.
    """

    field_number: int
    spans: tuple[Span, ...]
    packed: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class StringData:
    """The bytes of each string, in order."""

    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class ExternalData:
    """ONNX external data: `length` is None where the file does not say (then: all of the rest)."""

    location: str
    offset: int
    length: int | None
    checksum: str = ""


@dataclass(frozen=True, slots=True)
class Tensor:
    """One constant. `offset` is where its table (.ort) or message (.onnx) begins in the file."""

    name: str
    data_type: int
    dims: tuple[int, ...]
    storage: Storage
    data: Span | TypedData | StringData | ExternalData | None
    offset: int
    doc_string: str = ""

    @property
    def size_bytes(self) -> int:
        """Bytes of the elements as they would be packed; for strings, of their UTF-8 text.

        No I/O.
        """
        if isinstance(self.data, StringData):
            return sum(span.length for span in self.data.spans)
        size = packed_size(self.data_type, self.dims)
        if size is not None and size >= 0:
            return size
        return self.data.length if isinstance(self.data, Span) else 0


@dataclass(frozen=True, slots=True)
class SparseTensor:
    """A sparse constant; its name is that of `values`. Indices are linear or one row each."""

    values: Tensor
    indices: Tensor
    dims: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Tensors(Sequence[Tensor]):
    """All initializers of a graph as columns; indexing makes one `Tensor`.

    `data_offsets` and `data_lengths` say where raw bytes are (0 and 0 for every other storage,
    which stands in `elsewhere` by row).
    """

    names: list[str]
    data_types: Ints
    dims: Ragged
    storages: Ints
    data_offsets: Ints
    data_lengths: Ints
    offsets: Ints
    elsewhere: Mapping[int, TypedData | StringData | ExternalData] = field(default_factory=dict)
    doc_strings: Mapping[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, i: int) -> Tensor: ...
    @overload
    def __getitem__(self, i: slice) -> Sequence[Tensor]: ...
    def __getitem__(self, i: int | slice) -> Tensor | Sequence[Tensor]:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        if not -len(self) <= i < len(self):
            raise IndexError(i)
        i %= len(self)
        storage = Storage(int(self.storages[i]))
        data: Span | TypedData | StringData | ExternalData | None = self.elsewhere.get(i)
        if storage is Storage.RAW:
            data = Span(int(self.data_offsets[i]), int(self.data_lengths[i]))
        return Tensor(
            name=self.names[i],
            data_type=int(self.data_types[i]),
            dims=tuple(self.dims.row(i).tolist()),
            storage=storage,
            data=data,
            offset=int(self.offsets[i]),
            doc_string=self.doc_strings.get(i, ""),
        )

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each name; the first where a name repeats."""
        found: dict[str, int] = {}
        for i, name in enumerate(self.names):
            found.setdefault(name, i)
        return found

    @cached_property
    def element_counts(self) -> list[int]:
        """`element_count` of each tensor."""
        return [element_count(dims) for dims in self.dims.lists()]

    @cached_property
    def sizes(self) -> list[int]:
        """`Tensor.size_bytes` of each row, without making the tensors."""
        sizes = []
        for i, (data_type, count) in enumerate(
            zip(self.data_types.tolist(), self.element_counts, strict=True)
        ):
            bits = bit_width(data_type)
            sizes.append(
                self[i].size_bytes if bits is None or count < 0 else (count * bits + 7) // 8
            )
        return sizes

    @staticmethod
    def none() -> Tensors:
        """No tensors."""
        zero = np.zeros(0, np.int64)
        return Tensors([], zero, Ragged.empty(0), zero, zero, zero, zero)
