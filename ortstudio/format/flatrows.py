"""FlatBuffers one number at a time: for a few rows, of which numpy would make a long work.

Everything is tested before it is read, as strictly as by columns. What is not sound is only
refused here: by columns it is found again, and told what it is and where.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from ortstudio.format.source import Source

FEW = 32
"""Up to so many rows one at a time is faster."""

_WORD = struct.Struct("<I").unpack_from
_BACK = struct.Struct("<i").unpack_from
_SIZES = struct.Struct("<HH").unpack_from


class UnsoundError(Exception):
    """Something is damaged; nobody outside hears of it."""


class VTable(NamedTuple):
    """Where the fields of a table stand from its start, 0 for one that is left out."""

    offset: int
    size: int
    inline_size: int
    slots: tuple[int, ...]


class Row(NamedTuple):
    """A table; a position of -1 stands for an absent one."""

    position: int
    vtable: VTable

    def place(self, slot: int, width: int) -> int:
        """Where a field stands, -1 where it is left out."""
        slots = self.vtable.slots
        inside = slots[slot] if slot < len(slots) else 0
        if not inside:
            return -1
        place = self.position + inside
        if inside + width > self.vtable.inline_size or place & (width - 1):
            raise UnsoundError
        return place


_ABSENT = Row(-1, VTable(0, 0, 0, ()))


class Rows:
    """Checked reads from a source that is in memory as a whole. All may raise UnsoundError."""

    def __init__(self, source: Source) -> None:
        self._view = source.view
        self._size = source.size
        self._vtables: dict[int, VTable] = {}

    def u32(self, at: int) -> int:
        """An unsigned 32-bit number."""
        if at & 3 or at + 4 > self._size:
            raise UnsoundError
        number: int = _WORD(self._view, at)[0]
        return number

    def follow(self, place: int) -> int:
        """Where the offset at a place points; -1 for -1."""
        if place < 0:
            return -1
        distance = self.u32(place)
        if not distance or place + distance > self._size:
            raise UnsoundError
        return place + distance

    def table(self, position: int) -> Row:
        """The table at a position; the absent one for -1."""
        if position < 0:
            return _ABSENT
        if position & 3 or position + 4 > self._size:
            raise UnsoundError
        offset = position - _BACK(self._view, position)[0]
        vtable = self._vtables.get(offset) or self._vtable(offset)
        if position + vtable.inline_size > self._size:
            raise UnsoundError
        return Row(position, vtable)

    def _vtable(self, offset: int) -> VTable:
        if offset < 0 or offset & 1 or offset + 4 > self._size:
            raise UnsoundError
        size, inline_size = _SIZES(self._view, offset)
        if size < 4 or size & 1 or inline_size < 4 or offset + size > self._size:
            raise UnsoundError
        slots = struct.unpack_from(f"<{size // 2 - 2}H", self._view, offset + 4)
        vtable = self._vtables[offset] = VTable(offset, size, inline_size, slots)
        return vtable

    def count(self, at: int, width: int, alignment: int) -> int:
        """How many elements a vector has."""
        count = self.u32(at)
        if at + 4 + count * width > self._size or (count and at + 4 & (alignment - 1)):
            raise UnsoundError
        return count

    def length(self, at: int) -> int:
        """How many bytes a string has, which ends with a zero after them."""
        length = self.u32(at)
        end = at + 4 + length
        if end >= self._size or self._view[end]:
            raise UnsoundError
        return length
