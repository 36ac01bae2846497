"""FlatBuffers by columns: one field of many tables at once, every offset checked before use.

FlatBuffers' Python runtime has no verifier and a negative offset silently reads from the end of the
buffer. Here each position, length and alignment is tested against the file before a byte is looked
at, for whole columns in one numpy step. Offsets only ever point forward, so nothing can loop; what
many offsets share is paid for each time out of a budget that grows with the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ortstudio.errors import FormatError, Where
from ortstudio.format.arrays import Ints, Numbers, Ragged
from ortstudio.format.fields import Field
from ortstudio.format.source import Source

BUDGET_FACTOR = 8
"""How often a file may name the same bytes before it is taken for hostile. Writers share some."""


class Buffer:
    """A FlatBuffers file, and what has been read of it: `spans` says which bytes serve what."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.table_count = 0
        self.spans: list[tuple[str, Ints, Ints]] = []
        self._budget = BUDGET_FACTOR * source.size + 1024

    def root(self, use: str) -> Tables:
        """The root table."""
        position = np.zeros(1, np.int64)
        self.claim("container", position, np.full(1, min(8, self.source.size)))
        return Tables(self, self.follow(position, "root table"), use, "root table")

    def fail(self, message: str, offset: int, field: str) -> FormatError:
        """An error at a place in this file."""
        return FormatError(message, where=Where(self.source.path, offset, field))

    def claim(self, use: str, offsets: Ints, lengths: Ints) -> None:
        """Note which bytes serve a use, and charge them to the budget."""
        self._budget -= int(lengths.sum())
        if self._budget < 0:
            offset = int(offsets[0]) if len(offsets) else 0
            raise self.fail("The file names the same bytes over and over", offset, use)
        self.spans.append((use, offsets, lengths))

    def look(self, offsets: Ints, width: int, what: str) -> None:
        """Check that a scalar of `width` bytes stands at each offset, aligned, and load it."""
        self.source.check_all(offsets, width, what)
        odd = (offsets & (width - 1)) != 0
        if odd.any():
            raise self.fail(
                f"{what} is not aligned to {width} bytes", int(offsets[np.argmax(odd)]), what
            )
        self.source.need_all(offsets, width)

    def u32(self, offsets: Ints, what: str) -> Ints:
        """The unsigned 32-bit number at each offset."""
        self.look(offsets, 4, what)
        return self.source.u32.take(offsets >> 2).astype(np.int64)

    def u16(self, offsets: Ints, what: str) -> Ints:
        """The unsigned 16-bit number at each offset."""
        self.look(offsets, 2, what)
        return self.source.u16.take(offsets >> 1).astype(np.int64)

    def follow(self, places: Ints, what: str) -> Ints:
        """Where the offsets that stand at `places` point; a place of -1 (absent) stays -1."""
        present = places >= 0
        at = places[present]
        distance = self.u32(at, what)
        if (distance == 0).any():
            raise self.fail(f"{what} points at itself", int(at[np.argmax(distance == 0)]), what)
        targets = np.full(len(places), -1, np.int64)
        targets[present] = at + distance
        return targets

    def texts(self, positions: Ints, use: str, what: str) -> list[str | None]:
        """The string at each position, None where it is -1."""
        unique, which = self.intern(positions, use, what)
        return np.array([*unique, None], object)[which].tolist()  # type: ignore[no-any-return]

    def intern(self, positions: Ints, use: str, what: str) -> tuple[list[str], Ints]:
        """Distinct strings decoded once, and for each position its row among them (-1: absent)."""
        content, ends, which = self._distinct_strings(positions, use, what)
        if content.isascii():
            plain = content.decode("ascii")
            return [plain[a:b] for a, b in pairwise(ends)], which
        texts = [content[a:b].decode("utf-8", "backslashreplace") for a, b in pairwise(ends)]
        return texts, which

    def blobs(self, positions: Ints, use: str, what: str) -> list[bytes]:
        """The bytes of the string at each position, empty where it is -1."""
        content, ends, which = self._distinct_strings(positions, use, what)
        found = [content[a:b] for a, b in pairwise(ends)]
        return [found[i] if i >= 0 else b"" for i in which.tolist()]

    def _distinct_strings(
        self, positions: Ints, use: str, what: str
    ) -> tuple[bytes, list[int], Ints]:
        """The bytes of all distinct strings, where each ends, and each position's row in them."""
        present = positions >= 0
        distinct, inverse = np.unique(positions[present], return_inverse=True)
        which = np.full(len(positions), -1, np.int64)
        which[present] = inverse
        lengths = self.u32(distinct, what)
        self.source.check_all(distinct, lengths + 5, what)
        self.source.need_all(distinct, lengths + 5)
        self.claim(use, distinct, lengths + 5)
        open_ended = self.source.u8[distinct + 4 + lengths] != 0
        if open_ended.any():
            at = int(distinct[np.argmax(open_ended)])
            raise self.fail(f"{what} is a string without its closing zero", at, what)
        ptr = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=ptr[1:])
        places = np.repeat(distinct + 4 - ptr[:-1], lengths) + np.arange(ptr[-1])
        return self.source.u8.take(places).tobytes(), ptr.tolist(), which

    def sizes(self) -> Mapping[str, int]:
        """Bytes by use, adding up to the file's size; what is claimed twice counts once."""
        uses = sorted({use for use, _, _ in self.spans})
        number = {use: i for i, use in enumerate(uses)}
        starts = np.concatenate([offsets for _, offsets, _ in self.spans])
        ends = starts + np.concatenate([lengths for _, _, lengths in self.spans])
        labels = np.concatenate(
            [np.full(len(offsets), number[use]) for use, offsets, _ in self.spans]
        )
        order = np.argsort(starts, kind="stable")
        starts, ends, labels = starts[order], ends[order], labels[order]
        reached = np.maximum.accumulate(np.concatenate([np.zeros(1, np.int64), ends[:-1]]))
        own = np.maximum(ends - np.maximum(starts, reached), 0)
        totals = np.bincount(labels, own, len(uses)).astype(np.int64).tolist()
        sizes = {use: total for use, total in zip(uses, totals, strict=True) if total}
        sizes["padding"] = self.source.size - sum(sizes.values())
        return sizes


@dataclass(frozen=True, eq=False)
class Vectors:
    """One vector for each of some tables: `starts` of the elements (-1: absent), and how many."""

    buffer: Buffer
    starts: Ints
    counts: Ints
    use: str
    field: Field

    @property
    def ptr(self) -> Ints:
        """Ends of the rows when all elements are put one after the other."""
        ptr = np.zeros(len(self.counts) + 1, np.int64)
        np.cumsum(self.counts, out=ptr[1:])
        return ptr

    def only(self, row: int) -> Vectors:
        """One of the vectors."""
        chosen = slice(row, row + 1)
        return Vectors(self.buffer, self.starts[chosen], self.counts[chosen], self.use, self.field)

    def places(self, width: int) -> Ints:
        """The offset of every element of every vector."""
        ptr = self.ptr
        steps = np.arange(ptr[-1], dtype=np.int64) - np.repeat(ptr[:-1], self.counts)
        places: Ints = np.repeat(self.starts, self.counts) + width * steps
        return places

    def numbers(self) -> Ragged:
        """All elements of vectors of scalars."""
        assert self.field.element is not None
        return self._scalars(np.dtype(self.field.element.code))

    def words(self, per_element: int) -> Ragged:
        """All elements of vectors of structs of signed 32-bit numbers, one number after another."""
        counts = self.counts * per_element
        return Vectors(self.buffer, self.starts, counts, self.use, self.field)._scalars(
            np.dtype("<i4")
        )

    def _scalars(self, kind: np.dtype[np.generic]) -> Ragged:
        places = self.places(kind.itemsize)
        self.buffer.look(places, kind.itemsize, self.field.path)
        return Ragged(self.ptr, _gather(self.buffer.source, places, kind))

    def follow(self) -> tuple[Ints, Ints]:
        """`ptr` and where all elements of vectors of offsets point."""
        return self.ptr, self.buffer.follow(self.places(4), self.field.path)

    def tables(self, use: str = "") -> tuple[Ints, Tables]:
        """`ptr` and all tables of vectors of tables."""
        ptr, targets = self.follow()
        return ptr, Tables(self.buffer, targets, use or self.use, self.field.path)


class Tables:
    """Many tables of one type; a position of -1 stands for an absent one, all defaults.

    `use` is what their bytes are counted for, `what` names them in errors.
    """

    def __init__(self, buffer: Buffer, positions: Ints, use: str, what: str) -> None:
        self.buffer = buffer
        self.positions = positions
        self.use = use
        self.what = what
        self._present = np.nonzero(positions >= 0)[0]
        at = positions[self._present]
        buffer.table_count += len(at)
        self._check(at)

    def __len__(self) -> int:
        return len(self.positions)

    def _check(self, at: Ints) -> None:
        """Vtable and inline part of every table lie inside the file and make sense."""
        buffer, what = self.buffer, self.what
        back = buffer.u32(at, what).astype(np.uint32).view(np.int32).astype(np.int64)
        vtables = at - back
        vtable_sizes = buffer.u16(vtables, f"{what} vtable")
        inline_sizes = buffer.u16(vtables + 2, f"{what} vtable")
        bad = (vtable_sizes < 4) | (vtable_sizes & 1 != 0) | (inline_sizes < 4)
        if bad.any():
            raise buffer.fail(
                f"{what} has a vtable of impossible size", int(vtables[np.argmax(bad)]), what
            )
        buffer.source.check_all(vtables, vtable_sizes, f"{what} vtable")
        buffer.source.check_all(at, inline_sizes, what)
        buffer.source.need_all(vtables, vtable_sizes)
        buffer.source.need_all(at, inline_sizes)
        buffer.claim(self.use, at, inline_sizes)
        shared, first = np.unique(vtables, return_index=True)
        buffer.claim(self.use, shared, vtable_sizes[first])
        self._vtables, self._vtable_sizes, self._inline_sizes = vtables, vtable_sizes, inline_sizes

    def places(self, field: Field, width: int = 4) -> Ints:
        """Where the field stands in each table, -1 where it is left out."""
        slot = 4 + 2 * field.slot
        has = self._vtable_sizes >= slot + 2
        inside = np.zeros(len(has), np.int64)
        inside[has] = self.buffer.u16(self._vtables[has] + slot, field.path)
        has = inside > 0
        if (inside[has] + width > self._inline_sizes[has]).any():
            at = self.positions[self._present][has]
            bad = inside[has] + width > self._inline_sizes[has]
            raise self.buffer.fail(
                f"{field.path} lies outside its table", int(at[np.argmax(bad)]), field.path
            )
        places = np.full(len(self.positions), -1, np.int64)
        places[self._present[has]] = self.positions[self._present][has] + inside[has]
        return places

    def numbers(self, field: Field) -> Numbers:
        """A scalar field of each table, its default where left out."""
        kind = np.dtype(field.kind.code)
        places = self.places(field, kind.itemsize)
        found = np.full(len(places), field.default, kind)
        has = places >= 0
        self.buffer.look(places[has], kind.itemsize, field.path)
        found[has] = _gather(self.buffer.source, places[has], kind)
        return found

    def ints(self, field: Field) -> Ints:
        """`numbers` as int64."""
        found: Ints = self.numbers(field).astype(np.int64)
        return found

    def follow(self, field: Field) -> Ints:
        """Where an offset field points in each table, -1 where it is left out."""
        return self.buffer.follow(self.places(field), field.path)

    def tables(self, field: Field, use: str = "") -> Tables:
        """The table that the field refers to, for each table."""
        return Tables(self.buffer, self.follow(field), use or self.use, field.path)

    def optional_texts(self, field: Field) -> list[str | None]:
        """A string field of each table, None where it is left out."""
        return self.buffer.texts(self.follow(field), self.use, field.path)

    def texts(self, field: Field) -> list[str]:
        """A string field of each table, empty where it is left out."""
        return [text or "" for text in self.optional_texts(field)]

    def some_texts(self, field: Field) -> dict[int, str]:
        """Row → text of a string field that is mostly left out or empty."""
        texts, which = self.buffer.intern(self.follow(field), self.use, field.path)
        is_some = np.array([*map(bool, texts), False])[which]
        rows = np.nonzero(is_some)[0]
        return {row: texts[k] for row, k in zip(rows.tolist(), which[rows].tolist(), strict=True)}

    def blobs(self, field: Field) -> list[bytes]:
        """A string field of each table as bytes."""
        return self.buffer.blobs(self.follow(field), self.use, field.path)

    def vectors(self, field: Field, use: str = "", width: int = 0) -> Vectors:
        """A vector field of each table; `width` is the size of one element where it is a struct."""
        buffer = self.buffer
        width = width or (field.element.width if field.element else 0)
        targets = self.follow(field)
        has = targets >= 0
        counts = np.zeros(len(targets), np.int64)
        counts[has] = buffer.u32(targets[has], field.path)
        buffer.source.check_all(targets[has] + 4, counts[has] * width, field.path)
        buffer.claim(use or self.use, targets[has], 4 + counts[has] * width)
        return Vectors(buffer, np.where(has, targets + 4, -1), counts, use or self.use, field)

    def only(self, rows: Ints) -> Tables:
        """Some of the tables."""
        chosen = object.__new__(Tables)
        chosen.buffer, chosen.use, chosen.what = self.buffer, self.use, self.what
        chosen.positions = self.positions[rows]
        present = np.full(len(self.positions), -1, np.int64)
        present[self._present] = np.arange(len(self._present))
        kept = present[rows]
        chosen._present = np.nonzero(kept >= 0)[0]
        kept = kept[kept >= 0]
        chosen._vtables = self._vtables[kept]
        chosen._vtable_sizes = self._vtable_sizes[kept]
        chosen._inline_sizes = self._inline_sizes[kept]
        return chosen

    @cached_property
    def is_present(self) -> NDArray[np.bool_]:
        """For each row whether there is a table."""
        return self.positions >= 0


def _gather(source: Source, places: Ints, kind: np.dtype[np.generic]) -> Numbers:
    """The aligned scalars at `places`, which were checked and loaded."""
    if kind.itemsize == 1:
        return source.u8.take(places).view(kind)
    if kind.itemsize == 2:
        return source.u16.take(places >> 1).view(kind)
    if kind.itemsize == 4:
        return source.u32.take(places >> 2).view(kind)
    return source.u64.take(places >> 3).view(kind)
