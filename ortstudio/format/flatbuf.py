"""FlatBuffers by columns: one field of many tables at once, every offset checked before use.

FlatBuffers' Python runtime has no verifier and a negative offset silently reads from the end of the
buffer. Here each position, length and alignment is tested against the file before a byte is looked
at, for whole columns in one numpy step. What is damaged reads as absent and the first damage is
kept, so that everything else can still be shown. Offsets only ever point forward, so nothing can
loop; what many offsets share is paid for each time out of a budget that grows with the file.
A few rows are read by `flatrows`, and by columns only if that finds them not to be sound.
"""

from __future__ import annotations

import struct
from contextlib import suppress
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ortstudio.format.arrays import Ints, Numbers, Ragged, offsets_of
from ortstudio.format.buffer import Buffer, alignment_of
from ortstudio.format.fields import Field
from ortstudio.format.flatrows import Row, Rows, UnsoundError
from ortstudio.format.source import Source


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
        return offsets_of(self.counts)

    def only(self, row: int) -> Vectors:
        """One of the vectors."""
        chosen = slice(row, row + 1)
        return Vectors(self.buffer, self.starts[chosen], self.counts[chosen], self.use, self.field)

    def places(self, width: int) -> Ints:
        """The offset of every element of every vector."""
        ptr = self.ptr
        if self.buffer.rows(int(ptr[-1])) is not None:
            runs = zip(self.starts.tolist(), self.counts.tolist(), strict=True)
            return _ints([at for a, n in runs for at in range(a, a + n * width, width)])
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
        if self.buffer.rows(len(self.counts)) is not None:
            return Ragged(self.ptr, np.frombuffer(self._bytes(kind.itemsize), kind))
        places = self.places(kind.itemsize)
        self.buffer.source.need_all(places, kind.itemsize)
        return Ragged(self.ptr, _gather(self.buffer.source, places, kind))

    def _bytes(self, width: int) -> bytearray:
        """All elements of a few vectors."""
        view, ends = self.buffer.source.view, self.starts + width * self.counts
        runs = zip(self.starts.tolist(), ends.tolist(), strict=True)
        return bytearray().join(view[a:b] for a, b in runs if a >= 0)

    def follow(self) -> tuple[Ints, Ints]:
        """`ptr` and where all elements of vectors of offsets point, -1 for a damaged one."""
        return self.ptr, self.buffer.follow(self.places(4), self.field.path)

    def tables(self, use: str = "") -> tuple[Ints, Tables]:
        """`ptr` and all tables of vectors of tables; what is damaged is left out."""
        ptr, targets = self.follow()
        tables = Tables(self.buffer, targets, use or self.use, self.field.path)
        if tables.is_present.all():
            return ptr, tables
        kept = np.concatenate([np.zeros(1, np.int64), np.cumsum(tables.is_present)])
        return kept[ptr], tables.only(np.nonzero(tables.is_present)[0])


class Tables:
    """Many tables of one type; a position of -1 stands for an absent one, all defaults.

    `use` is what their bytes are counted for, `what` names them in errors.
    """

    def __init__(self, buffer: Buffer, positions: Ints, use: str, what: str) -> None:
        self.buffer = buffer
        self.use = use
        self.what = what
        self.positions = positions
        self._few = self._read_few()
        if self._few is None:
            self._read_columns(positions)

    @staticmethod
    def root(buffer: Buffer, use: str) -> Tables:
        """The root table alone."""
        what, position = "the root table", np.zeros(1, np.int64)
        buffer.account.claim("container", position, np.full(1, min(8, buffer.source.size)))
        return Tables(buffer, buffer.follow(position, what), use, what)

    def _read_few(self) -> list[Row] | None:
        """Row by row; None where they are many, or one is not sound."""
        rows = self.buffer.rows(len(self.positions))
        if rows is None:
            return None
        try:
            found = [rows.table(at) for at in self.positions.tolist()]
        except UnsoundError:
            return None
        present = [row for row in found if row.position >= 0]
        sizes = [row.vtable.inline_size for row in present]
        shared = {row.vtable.offset: row.vtable.size for row in present}
        self.buffer.table_count += len(present)
        self.buffer.account.claim(self.use, [row.position for row in present], sizes)
        self.buffer.account.claim(self.use, [*shared], [*shared.values()])
        return found

    def _read_columns(self, positions: Ints) -> None:
        buffer, rows = self.buffer, np.nonzero(positions >= 0)[0]
        self.positions = np.full(len(positions), -1, np.int64)
        self._columns = np.zeros((3, len(positions)), np.int64)
        if not len(rows):
            return
        at, vtables, vtable_sizes, inline_sizes, good = self._headers(positions[rows])
        buffer.table_count += int(good.sum())
        rows = rows[good]
        self.positions[rows] = at[good]
        self._columns[:, rows] = vtables[good], vtable_sizes[good], inline_sizes[good]
        buffer.account.claim(self.use, at[good], inline_sizes[good])
        shared, first = np.unique(vtables[good], return_index=True)
        buffer.account.claim(self.use, shared, vtable_sizes[good][first])

    def _headers(self, at: Ints) -> tuple[Ints, Ints, Ints, Ints, NDArray[np.bool_]]:
        """For each table: itself, its vtable, the size of both, and whether all makes sense."""
        buffer, what = self.buffer, self.what
        back = buffer.u32(at, what)
        good = back >= 0
        vtables = np.where(good, at - back.astype(np.uint32).view(np.int32), 0)
        vtable_sizes = buffer.u16(vtables, f"the vtable of {what}")
        inline_sizes = buffer.u16(vtables + 2, f"the vtable of {what}")
        odd = (vtable_sizes < 4) | (vtable_sizes & 1 != 0) | (inline_sizes < 4)
        buffer.note(good & odd, at, f"{what} has a vtable of impossible size", what)
        good &= ~odd
        good &= buffer.sound(vtables, np.maximum(vtable_sizes, 0), 2, f"the vtable of {what}")
        good &= buffer.sound(at, np.maximum(inline_sizes, 0), 4, what)
        return at, vtables, vtable_sizes, inline_sizes, good

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def is_present(self) -> NDArray[np.bool_]:
        """For each row whether there is a table."""
        return self.positions >= 0

    def only(self, rows: Ints) -> Tables:
        """Some of the tables."""
        chosen = copy(self)
        chosen.positions = self.positions[rows]
        if self._few is not None:
            chosen._few = [self._few[row] for row in rows.tolist()]
        else:
            chosen._columns = self._columns[:, rows]
        return chosen

    def _widen(self) -> Ints:
        """Vtables, their sizes and those of the tables, as columns from now on."""
        if self._few is not None:
            columns = [row.vtable[:3] for row in self._few]
            self._columns = np.array(columns, np.int64).reshape(-1, 3).T
            self._few = None
        return self._columns

    def beyond(self, known: int) -> Ints:
        """Where tables stand that use a slot past the first `known` ones."""
        all_vtables, sizes, _ = self._widen()
        rows = np.nonzero(sizes > 4 + 2 * known)[0]
        vtables, first = np.unique(all_vtables[rows], return_index=True)
        ends = (vtables + sizes[rows][first]) >> 1
        words, begins = self.buffer.source.u16, (vtables >> 1) + 2 + known
        uses = [words[a:b].any() for a, b in zip(begins, ends, strict=True)]
        return self.positions[rows[first[np.array(uses, np.bool_)]]]

    def places(self, field: Field, width: int = 4) -> Ints:
        """Where the field stands in each table, -1 where it is left out."""
        if self._few is not None:
            with suppress(UnsoundError):
                return _ints([row.place(field.slot, width) for row in self._few])
        vtables, vtable_sizes, inline_sizes = self._widen()
        slot = 4 + 2 * field.slot
        rows = np.nonzero(vtable_sizes >= slot + 2)[0]
        found = np.full(len(self), -1, np.int64)
        if not len(rows):
            return found
        inside = self.buffer.source.u16.take((vtables[rows] + slot) >> 1).astype(np.int64)
        rows, inside = rows[inside > 0], inside[inside > 0]
        outside = inside + width > inline_sizes[rows]
        places = self.positions[rows] + inside
        odd = (places & (width - 1)) != 0
        bad = outside | odd
        if bad.any():
            path = field.path
            self.buffer.note(outside, places, f"{path} lies outside its table", path)
            self.buffer.note(odd, places, f"{path} is not aligned to {width} bytes", path)
            rows, places = rows[~bad], places[~bad]
        found[rows] = places
        return found

    def numbers(self, field: Field) -> Numbers:
        """A scalar field of each table, its default where left out."""
        kind = np.dtype(field.kind.code)
        places = self.places(field, kind.itemsize)
        if self._few is not None:
            return np.frombuffer(self._bytes(field, places.tolist()), kind)
        found = np.full(len(places), field.default, kind)
        has = np.nonzero(places >= 0)[0]
        found[has] = _gather(self.buffer.source, places[has], kind)
        return found

    def _bytes(self, field: Field, places: list[int]) -> bytearray:
        """A scalar field of a few tables."""
        view, width = self.buffer.source.view, field.kind.width
        default = struct.pack(field.kind.code, field.default)
        return bytearray().join(view[at : at + width] if at >= 0 else default for at in places)

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

    def vectors(self, field: Field, use: str = "", struct_size: int = 0) -> Vectors:
        """A vector field of each table; `struct_size` is that of one element if it is a struct."""
        width = struct_size or (field.element.width if field.element else 0)
        targets = self.follow(field)
        rows = self.buffer.rows(len(self))
        if rows is not None:
            with suppress(UnsoundError):
                return self._few_vectors(rows, targets.tolist(), width, use or self.use, field)
        return self._many_vectors(targets, width, use or self.use, field)

    def _few_vectors(
        self, rows: Rows, targets: list[int], width: int, use: str, field: Field
    ) -> Vectors:
        alignment = alignment_of(width)
        counts = [rows.count(at, width, alignment) if at >= 0 else 0 for at in targets]
        present = [at for at in targets if at >= 0]
        sizes = [4 + n * width for at, n in zip(targets, counts, strict=True) if at >= 0]
        self.buffer.account.claim(use, present, sizes)
        starts = _ints([at + 4 if at >= 0 else -1 for at in targets])
        return Vectors(self.buffer, starts, _ints(counts), use, field)

    def _many_vectors(self, targets: Ints, width: int, use: str, field: Field) -> Vectors:
        buffer, rows = self.buffer, np.nonzero(targets >= 0)[0]
        starts, lengths = np.full(len(self), -1, np.int64), np.zeros(len(self), np.int64)
        if not len(rows):
            return Vectors(buffer, starts, lengths, use, field)
        at = targets[rows]
        counts = buffer.u32(at, field.path)
        good = (counts >= 0) & buffer.sound_elements(at + 4, counts, width, field.path)
        rows, at, counts = rows[good], at[good], counts[good]
        buffer.account.claim(use, at, 4 + counts * width)
        starts[rows], lengths[rows] = at + 4, counts
        return Vectors(buffer, starts, lengths, use, field)


def _ints(values: list[int]) -> Ints:
    return np.array(values, np.int64)


def _gather(source: Source, places: Ints, kind: np.dtype[np.generic]) -> Numbers:
    """The aligned scalars at `places`, which were checked and loaded."""
    words: dict[int, Numbers] = {1: source.u8, 2: source.u16, 4: source.u32, 8: source.u64}
    return words[kind.itemsize].take(places >> (kind.itemsize.bit_length() - 1)).view(kind)
