"""Writes content as a FlatBuffers file, in one canonical form: equal content gives equal bytes.

Tables are written type by type, what they lead to before them, fields by falling size. Equal
strings and vtables stand in the file once. Long vectors of numbers are not held in memory: room is
left for them, and they are copied from the source when the file is written.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ortstudio.errors import RefusedError, Where
from ortstudio.format.content import (
    Batch,
    Column,
    LinkRows,
    Links,
    Spans,
    Union,
)
from ortstudio.format.fields import Field, Kind, Schema
from ortstudio.format.flattables import Builder, Slot, Tables
from ortstudio.format.source import Source

MOST_BYTES = (1 << 31) - 1
"""What FlatBuffers' verifier accepts: its offsets have 31 bits."""
LEAST_COPIED = 1 << 12
"""Vectors of fewer bytes are held in memory like everything else."""
CHUNK_BYTES = 1 << 24
PAYLOAD_ALIGNMENT = 16
"""Of bytes that hold a tensor: the format asks for 4, its elements and vector units for more."""


class _Copied(NamedTuple):
    """A vector to copy: where its elements go, counted from the end, and where they are."""

    offset: int
    start: int
    length: int


@dataclass(frozen=True, eq=False)
class Written:
    """A file to be: `size` bytes, of which only the structure is in memory."""

    size: int
    _source: Source
    _memory: memoryview
    _copied: Sequence[_Copied]

    def chunks(self) -> Iterator[bytes | memoryview]:
        """The file in pieces, in order. Reads the source."""
        at = len(self._memory) - self.size
        for copied in sorted(self._copied, reverse=True):
            begin = len(self._memory) - copied.offset
            yield self._memory[at:begin]
            for start in range(copied.start, copied.start + copied.length, CHUNK_BYTES):
                length = min(CHUNK_BYTES, copied.start + copied.length - start)
                yield self._source.payload(start, length)
            at = begin + copied.length
        yield self._memory[at:]


def write_content(content: Batch, schema: Schema, source: Source) -> Written:
    """The file that holds this content, whose long vectors are in the source.

    Raises RefusedError where it would be too large.
    """
    import flatbuffers
    from flatbuffers.builder import BuilderSizeError

    builder = flatbuffers.Builder(0)
    capacity = min(_bound(content, schema) + 64, MOST_BYTES + 1)
    builder.Bytes, builder.head = _memory(capacity), capacity
    writing = _Writing(builder, schema, source)
    try:
        (root,) = writing.batch(content, [0])
        builder.Finish(root, file_identifier=schema.identifier)
    except BuilderSizeError:
        raise _too_large(source) from None
    size = builder.Offset()
    if size > MOST_BYTES:
        raise _too_large(source)
    return Written(size, source, memoryview(builder.Bytes), writing.copied)


def _memory(capacity: int) -> mmap.mmap:
    """Pages that nothing is written to cost nothing: the room left for copies is free."""
    memory = mmap.mmap(-1, capacity)
    if hasattr(mmap, "MADV_NOHUGEPAGE"):
        memory.madvise(mmap.MADV_NOHUGEPAGE)
    return memory


def _too_large(source: Source) -> RefusedError:
    return RefusedError(
        "The result would pass the 2 GiB that the format can have", where=Where(source.path)
    )


class _Writing:
    """One file being built, from its end to its beginning."""

    def __init__(self, builder: Builder, schema: Schema, source: Source) -> None:
        self._builder = builder
        self._schema = schema
        self._source = source
        self.copied: list[_Copied] = []

    def batch(self, batch: Batch, rows: Sequence[int]) -> list[int]:
        """Write some tables of a batch and what they lead to; gives the offset of each."""
        fields = batch.table.fields
        slots = [
            self._slot(fields[slot], column, rows) for slot, column in sorted(batch.columns.items())
        ]
        tables = Tables(self._builder, len(fields), slots, len(rows))
        return [tables.write(row) for row in range(len(rows))]

    def _slot(self, of: Field, column: Column, rows: Sequence[int]) -> Slot:
        """What stands in a field for each row, and what is left out."""
        width = of.kind.width
        if not of.kind.is_scalar:
            return Slot(of.slot, width, self._targets(of, column, rows), 0, leads=True)
        assert isinstance(column, np.ndarray)
        # By their bits, so that no float changes on the way.
        bits = np.dtype(f"<u{width}")
        (default,) = np.array([of.default], of.kind.code).view(bits).tolist()
        return Slot(of.slot, width, column[rows].view(bits).tolist(), default, leads=False)

    def _targets(self, of: Field, column: Column, rows: Sequence[int]) -> list[int]:
        """Write what the rows of a column lead to; gives its offsets, 0 for nothing."""
        match column:
            case Links():
                return self._links(column, rows)
            case LinkRows():
                return self._link_rows(column, rows)
            case Union():
                found = [self._links(links, rows) for _, links in sorted(column.links.items())]
                return [max(offsets) for offsets in zip(*found, strict=True)]
            case Spans():
                return self._spans(of, column, rows)
            case list():
                return [self._text_or_texts(column[row]) for row in rows]
        raise TypeError(of.path)

    def _links(self, links: Links, rows: Sequence[int]) -> list[int]:
        inner = links.rows[rows].tolist()
        present = [row for row in inner if row >= 0]
        offsets = iter(self.batch(links.batch, present))
        return [next(offsets) if row >= 0 else 0 for row in inner]

    def _link_rows(self, links: LinkRows, rows: Sequence[int]) -> list[int]:
        vectors = [_sorted(links.batch, links.rows[row]) for row in rows]
        offsets = iter(self.batch(links.batch, [row for found in vectors for row in found or ()]))
        return [
            0 if found is None else self._offsets([next(offsets) for _ in found])
            for found in vectors
        ]

    def _text_or_texts(self, value: bytes | list[bytes] | None) -> int:
        if value is None:
            return 0
        if isinstance(value, list):
            return self._offsets([self._builder.CreateSharedString(text) for text in value])
        return int(self._builder.CreateSharedString(value))

    def _offsets(self, targets: Sequence[int]) -> int:
        """A vector of what leads to these."""
        builder, size = self._builder, 4 * len(targets)
        builder.StartVector(4, len(targets), 4)
        first = builder.Offset() + size
        builder.head -= size
        ways = [first - 4 * place - target for place, target in enumerate(targets)]
        struct.pack_into(f"<{len(ways)}I", builder.Bytes, builder.head, *ways)
        return int(builder.EndVector())

    def _spans(self, of: Field, spans: Spans, rows: Sequence[int]) -> list[int]:
        width, alignment = _element(of, self._schema)
        starts, lengths = spans.starts[rows], spans.counts[rows] * width
        short = (starts >= 0) & (lengths < LEAST_COPIED)
        self._source.need_all(starts[short], lengths[short])
        return [
            self._span(start, length, width, alignment) if start >= 0 else 0
            for start, length in zip(starts.tolist(), lengths.tolist(), strict=True)
        ]

    def _span(self, start: int, length: int, width: int, alignment: int) -> int:
        builder = self._builder
        if width == 1 and length >= PAYLOAD_ALIGNMENT:
            alignment = PAYLOAD_ALIGNMENT
        builder.StartVector(width, length // width, alignment)
        builder.head -= length
        if length < LEAST_COPIED:
            builder.Bytes[builder.head : builder.head + length] = self._source.view[
                start : start + length
            ]
        else:
            self.copied.append(_Copied(builder.Offset(), start, length))
        return int(builder.EndVector())


def _sorted(batch: Batch, rows: list[int] | None) -> list[int] | None:
    """Rows of a vector in their order: of a table with a key, readers search for it."""
    key = next((of for of in batch.table.fields if of.key), None)
    if key is None or rows is None:
        return rows
    keys = batch.texts(key)
    return sorted(rows, key=lambda row: keys[row] or b"")


def _element(of: Field, schema: Schema) -> tuple[int, int]:
    """The size of a vector's elements, and to how many bytes they are aligned."""
    if of.element is Kind.STRUCT:
        struct = schema.structs[of.target]
        return struct.size, struct.alignment
    assert of.element is not None
    return of.element.width, max(of.element.width, of.force_align)


def _bound(batch: Batch, schema: Schema) -> int:
    """No fewer bytes than the batch and all inside it need: nothing shared, the most padding."""
    fields = batch.table.fields
    total = batch.count * (16 + 2 * len(fields) + 16 * len(batch.columns))
    for slot, column in batch.columns.items():
        if isinstance(column, Spans):
            width, _ = _element(fields[slot], schema)
            total += int(column.counts.sum()) * width + 32 * batch.count
        elif isinstance(column, LinkRows):
            total += sum(16 + 4 * len(rows) for rows in column.rows if rows is not None)
        elif isinstance(column, list):
            total += sum(map(_text_bound, column))
    return total + sum(_bound(inner, schema) for inner in batch.inner())


def _text_bound(value: bytes | list[bytes] | None) -> int:
    if isinstance(value, list):
        return 16 + sum(16 + len(text) for text in value)
    return 0 if value is None else 12 + len(value)
