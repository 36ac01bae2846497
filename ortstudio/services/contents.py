"""Reads the elements of constants for a comparison: in parts, each file's once, what is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ortstudio.analysis.pairing.contents import Content, digest
from ortstudio.errors import ChangedError, FormatError, StudioError
from ortstudio.format.arrays import ints
from ortstudio.format.source import Source
from ortstudio.model.elements import Elements, open_elements
from ortstudio.model.external import open_external
from ortstudio.model.graph import Graph
from ortstudio.model.model import Model
from ortstudio.model.tensor import (
    ExternalData,
    Span,
    Storage,
    StringData,
    Tensor,
    TypedData,
)
from ortstudio.model.typed_data import TypedUnits
from ortstudio.model.types import bit_width, element_count, packed_size

CHUNK_BYTES = 1 << 20


class _Initializers:
    """The initializers of one graph as plain columns, for they may be very many."""

    def __init__(self, graph: Graph) -> None:
        tensors = graph.initializers
        lengths = tensors.data_lengths
        widths = [bit_width(data_type) or 0 for data_type in tensors.data_types.tolist()]
        short = (tensors.storages == Storage.RAW) & (lengths <= CHUNK_BYTES)
        self.is_short = (short & (lengths == ints(tensors.sizes)) & (ints(widths) >= 8)).tolist()
        """Which are one short run of whole bytes in the file, as long as they should be."""
        self.offsets, self.lengths = tensors.data_offsets.tolist(), lengths.tolist()
        self.data_types = tensors.data_types.tolist()
        self.dims = tensors.dims.lists()
        self.contents: list[Content | None] = [None] * len(tensors)
        self.is_read = [False] * len(tensors)


class FileContents:
    """The constants of some models. `on_read` is told the bytes that were read, part by part.

    What `on_read` raises ends the work.
    """

    def __init__(
        self, models: Sequence[Model], on_read: Callable[[int], None] = lambda _size: None
    ) -> None:
        self._sources = {graph: m.source for m in models for graph in m.all_graphs}
        self._on_read = on_read
        self._initializers: dict[Graph, _Initializers] = {}
        self._tensors: dict[tuple[Graph, int], tuple[Tensor, Content | None]] = {}

    def key(self, graph: Graph, row: int) -> Content | None:
        """What an initializer is. I/O the first time."""
        known = self._initializers.get(graph)
        if known is None:
            known = self._initializers[graph] = _Initializers(graph)
        if not known.is_read[row]:
            known.contents[row] = self._read(graph, row, known)
            known.is_read[row] = True
        return known.contents[row]

    def tensor_key(self, graph: Graph, tensor: Tensor) -> Content | None:
        """What a tensor is. I/O the first time."""
        place = (graph, id(tensor))
        if place not in self._tensors:
            self._tensors[place] = tensor, self._content(self._sources[graph], tensor)
        return self._tensors[place][1]

    def elements(self, graph: Graph, tensor: Tensor) -> Elements | None:
        """The elements, where they can be had. The first of them are read to find that out."""
        try:
            found = open_elements(self._sources[graph], tensor)
            found.window(0, 1)
        except ChangedError:
            raise
        except StudioError:
            return None
        return found

    def _read(self, graph: Graph, row: int, known: _Initializers) -> Content | None:
        source = self._sources[graph]
        if not known.is_short[row]:
            return self._content(source, graph.initializers[row])
        content = source.payload(known.offsets[row], known.lengths[row])
        self._on_read(len(content))
        return Content(known.data_types[row], tuple(known.dims[row]), digest((content,)))

    def _content(self, source: Source, tensor: Tensor) -> Content | None:
        try:
            found = digest(self._watched(packed(source, tensor)))
        except ChangedError:
            raise
        except StudioError:
            return None
        return Content(tensor.data_type, tensor.dims, found)

    def _watched(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            self._on_read(len(chunk))
            yield chunk


def packed(source: Source, tensor: Tensor) -> Iterator[bytes]:
    """The elements as `raw_data` would hold them, however they are kept; of strings, each's length.

    Raises StudioError where they are not there or not as many as type and shape say.
    """
    data = tensor.data
    if isinstance(data, StringData):
        yield from _strings(source, data)
        return
    size = packed_size(tensor.data_type, tensor.dims)
    if size is None or size < 0:
        raise FormatError(f"The size of the tensor {tensor.name!r} is not known")
    if isinstance(data, Span):
        chunks, has = _run(source, data.offset, data.length), data.length
    elif isinstance(data, ExternalData):
        source, offset, has = open_external(source.path, tensor, data)
        chunks = _run(source, offset, has)
    elif isinstance(data, TypedData):
        units = TypedUnits(source, data, tensor.data_type)
        chunks, has = _units(units), (units.count * units.unit_bits + 7) // 8
    else:
        chunks, has = iter(()), 0
    if has != size:
        raise FormatError(f"The tensor {tensor.name!r} has {has} bytes where it needs {size}")
    yield from _masked(chunks, size, tensor)


def _run(source: Source, offset: int, length: int) -> Iterator[bytes]:
    for at in range(0, length, CHUNK_BYTES):
        yield source.payload(offset + at, min(CHUNK_BYTES, length - at))


def _units(units: TypedUnits) -> Iterator[bytes]:
    # Of a multiple of eight units every one ends with a byte.
    step = CHUNK_BYTES // 8
    for first in range(0, units.count, step):
        yield units.read(first, min(first + step, units.count)).tobytes()


def _masked(chunks: Iterator[bytes], size: int, tensor: Tensor) -> Iterator[bytes]:
    """Without what stands in the last byte behind the last element."""
    bits = bit_width(tensor.data_type) or 8
    used = 8 - (size * 8 - bits * element_count(tensor.dims))
    at = 0
    for chunk in chunks:
        at += len(chunk)
        if used < 8 and at == size:
            yield chunk[:-1] + bytes([chunk[-1] & ((1 << used) - 1)])
        else:
            yield chunk


def _strings(source: Source, data: StringData) -> Iterator[bytes]:
    for span in data.spans:
        yield span.length.to_bytes(8, "little") + source.payload(*span)
