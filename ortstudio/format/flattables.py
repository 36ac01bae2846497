"""Writes many tables of one type with the flatbuffers builder.

The builder lays a table out; tables with the same fields that begin at a like offset look the same
but for their values. So the first one of each kind is the builder's, and the others are set like
it, in one step each: that is what makes graphs of many nodes bearable in Python.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ortstudio.format.arrays import Ints

Builder = Any
"""flatbuffers.Builder; the package has no types."""

_WIDEST = 8
_CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}


@dataclass(frozen=True, slots=True)
class Slot:
    """A field of the tables: the bits of a number, or the offset of what it leads to, for each row.

    `absent` is the value that is left out.
    """

    number: int
    width: int
    values: Sequence[int]
    absent: int
    leads: bool


class _Look(NamedTuple):
    """How tables look that have the same fields and begin alike.

    `places` has for each field, in the order of `layout`, the values and how far from the place
    where the table begins they stand; the latter is 0 for a number.
    """

    size: int
    vtable: int
    layout: struct.Struct
    places: Sequence[tuple[Sequence[int], int]]


def _present(slots: Sequence[Slot], count: int) -> list[int]:
    """For each of `count` rows a number that says which of its fields are there."""
    bits: Ints = np.zeros(count, np.int64)
    for place, slot in enumerate(slots):
        bits |= (np.array(slot.values, np.uint64) != slot.absent).astype(np.int64) << place
    found: list[int] = bits.tolist()
    return found


class Tables:
    """Tables of one type, whose fields are written from the widest to the narrowest."""

    def __init__(
        self, builder: Builder, slot_count: int, slots: Sequence[Slot], count: int
    ) -> None:
        """`slot_count` is how many slots the schema has, `count` how many rows there are."""
        self._builder = builder
        self._slot_count = slot_count
        self._slots = sorted(slots, key=lambda slot: (-slot.width, slot.number))
        self._present = _present(self._slots, count)
        self._looks: dict[int, _Look] = {}
        self._put = {
            1: builder.PrependUint8,
            2: builder.PrependUint16,
            4: builder.PrependUint32,
            8: builder.PrependUint64,
        }

    def write(self, row: int) -> int:
        """Write the table of a row; gives its offset, counted from the end."""
        begin = self._builder.Offset()
        key = self._present[row] * _WIDEST + begin % _WIDEST
        look = self._looks.get(key)
        # Where room is short it is for the builder to say so.
        if look is not None and look.size <= self._builder.head:
            return self._like(row, begin, look)
        here = [slot for slot in self._slots if slot.values[row] != slot.absent]
        offset, ends = self._built(row, here)
        self._looks[key] = self._look(here, begin, offset, ends)
        return offset

    def _built(self, row: int, slots: Sequence[Slot]) -> tuple[int, list[int]]:
        """As the builder does it: the table's offset and that of each field."""
        builder, ends = self._builder, []
        builder.StartObject(self._slot_count)
        for slot in slots:
            put = builder.PrependUOffsetTRelative if slot.leads else self._put[slot.width]
            put(slot.values[row])
            builder.Slot(slot.number)
            ends.append(builder.Offset())
        return builder.EndObject(), ends

    def _look(self, slots: Sequence[Slot], begin: int, offset: int, ends: Sequence[int]) -> _Look:
        """How the table looks that was just built."""
        head = len(self._builder.Bytes) - offset
        (way,) = struct.unpack_from("<i", self._builder.Bytes, head)
        layout, at = "<i", 4
        places = []
        for end, slot in sorted(zip(ends, slots, strict=True), key=lambda pair: -pair[0]):
            layout += "x" * (offset - end - at) + _CODES[slot.width]
            at = offset - end + slot.width
            places.append((slot.values, end - begin if slot.leads else 0))
        return _Look(offset - begin, offset + way, struct.Struct(layout), places)

    def _like(self, row: int, begin: int, look: _Look) -> int:
        """A table that looks like one before."""
        builder = self._builder
        offset = begin + look.size
        values = [
            begin + place - column[row] if place else column[row] for column, place in look.places
        ]
        builder.head -= look.size
        look.layout.pack_into(builder.Bytes, builder.head, look.vtable - offset, *values)
        return offset
