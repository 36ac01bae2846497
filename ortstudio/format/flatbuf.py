"""FlatBuffers by columns: one field of many tables at once, every offset checked before use.

FlatBuffers' Python runtime has no verifier and a negative offset silently reads from the end of the
buffer. Here each position, length and alignment is tested against the file before a byte is looked
at, for whole columns in one numpy step. What is damaged reads as absent and the first damage is
kept, so that everything else can still be shown. Offsets only ever point forward, so nothing can
loop; what many offsets share is paid for each time out of a budget that grows with the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
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
    """A FlatBuffers file, and what has been read of it: `spans` says which bytes serve what.

    What is damaged reads as absent; `damage` is the first of it.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.damage: FormatError | None = None
        self.table_count = 0
        self.spans: list[tuple[str, Ints, Ints]] = []
        self._budget = BUDGET_FACTOR * source.size + 1024

    def root(self, use: str) -> Tables:
        """The root table."""
        position = np.zeros(1, np.int64)
        self.claim("container", position, np.full(1, min(8, self.source.size)))
        return Tables(self, self.follow(position, "the root table"), use, "the root table")

    def claim(self, use: str, offsets: Ints, lengths: Ints) -> None:
        """Note which bytes serve a use, and charge them to the budget.

        Raises FormatError when that is spent: the file was made to keep a reader busy.
        """
        self._budget -= int(lengths.sum())
        if self._budget < 0:
            where = Where(self.source.path, int(offsets[0]) if len(offsets) else 0, use)
            raise FormatError("The file names the same bytes over and over", where=where)
        self.spans.append((use, offsets, lengths))

    def note(self, bad: NDArray[np.bool_], offsets: Ints, message: str, field: str) -> None:
        """Keep the first of some damage as an error with its place, if it is the first at all."""
        if self.damage is None and bad.any():
            where = Where(self.source.path, int(offsets[np.argmax(bad)]), field)
            self.damage = FormatError(message, where=where)

    def sound(
        self, offsets: Ints, lengths: Ints | int, alignment: int, what: str
    ) -> NDArray[np.bool_]:
        """Which ranges lie inside the file and are aligned; notes the others, loads these."""
        outside = (offsets < 0) | (lengths > self.source.size - offsets)
        odd = (offsets & (alignment - 1)) != 0
        bad = outside | odd
        good: NDArray[np.bool_] = ~bad
        if not bad.any():
            self.source.need_all(offsets, lengths)
            return good
        self.note(outside, offsets, f"{what} lies past the end of the file", what)
        self.note(odd, offsets, f"{what} is not aligned to {alignment} bytes", what)
        self.source.need_all(offsets[good], lengths if isinstance(lengths, int) else lengths[good])
        return good

    def sound_elements(
        self, starts: Ints, counts: Ints, width: int, what: str
    ) -> NDArray[np.bool_]:
        """Which vectors' elements lie inside the file and are aligned. Loads nothing."""
        outside = counts * width > self.source.size - starts
        # A struct of several numbers is aligned as one of them is: all in this format have 4 bytes.
        alignment = width if width in (1, 2, 4, 8) else 4
        odd = (counts > 0) & ((starts & (alignment - 1)) != 0)
        bad = outside | odd
        if bad.any():
            self.note(outside, starts - 4, f"{what} reaches past the end of the file", what)
            self.note(odd, starts - 4, f"{what} is not aligned to {alignment} bytes", what)
        good: NDArray[np.bool_] = ~bad
        return good

    def u32(self, offsets: Ints, what: str) -> Ints:
        """The unsigned 32-bit number at each offset, -1 where there can be none."""
        good = self.sound(offsets, 4, 4, what)
        if good.all():
            return self.source.u32.take(offsets >> 2).astype(np.int64)
        return np.where(good, self.source.u32.take(np.where(good, offsets >> 2, 0)), np.int64(-1))

    def u16(self, offsets: Ints, what: str) -> Ints:
        """The unsigned 16-bit number at each offset, -1 where there can be none."""
        good = self.sound(offsets, 2, 2, what)
        if good.all():
            return self.source.u16.take(offsets >> 1).astype(np.int64)
        return np.where(good, self.source.u16.take(np.where(good, offsets >> 1, 0)), np.int64(-1))

    def follow(self, places: Ints, what: str) -> Ints:
        """Where the offsets that stand at `places` point; -1 where there is none."""
        present = np.nonzero(places >= 0)[0]
        targets = np.full(len(places), -1, np.int64)
        if not len(present):
            return targets
        at = places[present]
        distance = self.u32(at, what)
        there = at + distance
        good = (distance > 0) & (there <= self.source.size)
        if not good.all():
            self.note(distance == 0, at, f"{what} points at itself", what)
            self.note(~good, at, f"{what} points past the end of the file", what)
        targets[present[good]] = there[good]
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
        if not len(positions):
            return b"", [0], positions
        present = positions >= 0
        distinct, inverse = np.unique(positions[present], return_inverse=True)
        lengths = self.u32(distinct, what)
        good = (lengths >= 0) & self.sound(distinct, lengths + 5, 4, what)
        closed = self.source.u8.take(np.where(good, distinct + 4 + lengths, 0)) == 0
        self.note(good & ~closed, distinct, f"{what} is a string without its closing zero", what)
        good &= closed
        which = np.full(len(positions), -1, np.int64)
        which[present] = np.where(good, np.cumsum(good) - 1, -1)[inverse]
        distinct, lengths = distinct[good], lengths[good]
        self.claim(use, distinct, lengths + 5)
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
        self.buffer.source.need_all(places, kind.itemsize)
        return Ragged(self.ptr, _gather(self.buffer.source, places, kind))

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
        rows = np.nonzero(positions >= 0)[0]
        self._vtables = np.zeros(len(positions), np.int64)
        self._vtable_sizes = np.zeros(len(positions), np.int64)
        self._inline_sizes = np.zeros(len(positions), np.int64)
        self.positions = np.full(len(positions), -1, np.int64)
        if not len(rows):
            return
        at, vtables, vtable_sizes, inline_sizes, good = self._headers(positions[rows])
        buffer.table_count += int(good.sum())
        rows = rows[good]
        self.positions[rows] = at[good]
        self._vtables[rows] = vtables[good]
        self._vtable_sizes[rows] = vtable_sizes[good]
        self._inline_sizes[rows] = inline_sizes[good]
        buffer.claim(self.use, at[good], inline_sizes[good])
        shared, first = np.unique(vtables[good], return_index=True)
        buffer.claim(self.use, shared, vtable_sizes[good][first])

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
        chosen._vtables = self._vtables[rows]
        chosen._vtable_sizes = self._vtable_sizes[rows]
        chosen._inline_sizes = self._inline_sizes[rows]
        return chosen

    def beyond(self, known: int) -> Ints:
        """Where tables stand that use a slot past the first `known` ones."""
        rows = np.nonzero(self._vtable_sizes > 4 + 2 * known)[0]
        vtables, first = np.unique(self._vtables[rows], return_index=True)
        ends = (vtables + self._vtable_sizes[rows][first]) >> 1
        words, begins = self.buffer.source.u16, (vtables >> 1) + 2 + known
        uses = [words[a:b].any() for a, b in zip(begins, ends, strict=True)]
        return self.positions[rows[first[np.array(uses, np.bool_)]]]

    def places(self, field: Field, width: int = 4) -> Ints:
        """Where the field stands in each table, -1 where it is left out."""
        slot = 4 + 2 * field.slot
        rows = np.nonzero(self._vtable_sizes >= slot + 2)[0]
        found = np.full(len(self), -1, np.int64)
        if not len(rows):
            return found
        inside = self.buffer.source.u16.take((self._vtables[rows] + slot) >> 1).astype(np.int64)
        rows, inside = rows[inside > 0], inside[inside > 0]
        outside = inside + width > self._inline_sizes[rows]
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
        found = np.full(len(places), field.default, kind)
        has = np.nonzero(places >= 0)[0]
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

    def vectors(self, field: Field, use: str = "", struct_size: int = 0) -> Vectors:
        """A vector field of each table; `struct_size` is that of one element if it is a struct."""
        buffer = self.buffer
        width = struct_size or (field.element.width if field.element else 0)
        targets = self.follow(field)
        rows = np.nonzero(targets >= 0)[0]
        starts, lengths = np.full(len(self), -1, np.int64), np.zeros(len(self), np.int64)
        if not len(rows):
            return Vectors(buffer, starts, lengths, use or self.use, field)
        at = targets[rows]
        counts = buffer.u32(at, field.path)
        good = (counts >= 0) & buffer.sound_elements(at + 4, counts, width, field.path)
        rows, at, counts = rows[good], at[good], counts[good]
        buffer.claim(use or self.use, at, 4 + counts * width)
        starts[rows], lengths[rows] = at + 4, counts
        return Vectors(buffer, starts, lengths, use or self.use, field)


def _gather(source: Source, places: Ints, kind: np.dtype[np.generic]) -> Numbers:
    """The aligned scalars at `places`, which were checked and loaded."""
    words: dict[int, Numbers] = {1: source.u8, 2: source.u16, 4: source.u32, 8: source.u64}
    return words[kind.itemsize].take(places >> (kind.itemsize.bit_length() - 1)).view(kind)
