"""Finds the fields of protobuf messages without copying or believing anything.

Many short messages advance together, one field a step, in numpy. One long message, and whatever
does not look plainly right, goes through a loop that finds where each field begins; only there is
damage judged. The pages that hold tags and lengths are touched, and none besides.

What is damaged ends the message it stands in; what came before stays. A length that reaches past
the end of the enclosing message is cut to it, so that a truncated file still shows its parts.
Groups (wire types 3 and 4) are refused: nothing in ONNX has them.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ortstudio.errors import FormatError, Where
from ortstudio.format.arrays import Ints
from ortstudio.format.source import PAGE_BYTES, Source

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
"""Wire types."""

VARINT_BYTES = 10
HEAD_BYTES = 2 * VARINT_BYTES
"""A tag and a length, or a tag and a number, never take more."""

_FEW = 48
"""Below this many messages the loop is faster than numpy."""
_RUN = 32
"""After so many equal tags in a row the loop asks numpy for the rest of the run."""
_AHEAD_BYTES = 1 << 22
_WINDOW = 1024
"""Bytes in which the first part of a run is looked for."""
_FIXED_BYTES = np.array([0, 8, 0, 0, 0, 4, 0, 0], np.int64)
_IS_SHORT_LENGTH = [key & 7 == LENGTH and 8 <= key < 128 for key in range(256)]
"""Which first bytes are a whole tag of a length-delimited field."""
_KNOWN_WIRE = np.array([1, 1, 1, 0, 0, 1, 0, 0], bool)

Mask = NDArray[np.bool_]
Report = Callable[[str, int, int], None]
"""(message, byte offset, part): damage in one of the scanned parts."""


class Table(NamedTuple):
    """Fields in the order of the scanned parts and of the file.

    `parts` says in which part, `ats` where the tag stands, `keys` the tag, `starts` and `ends`
    where the content is; `values` is a varint's number, signed, or the length of the content.
    """

    parts: Ints
    ats: Ints
    keys: Ints
    starts: Ints
    ends: Ints
    values: Ints


def scan(source: Source, starts: Ints, ends: Ints, report: Report) -> Table:
    """All fields of messages that lie at `starts` to `ends`, which must be inside the file."""
    blocks: list[tuple[Ints, ...]] = []
    slow = _Loop(source, ends, report)
    active = np.nonzero(starts < ends)[0]
    at, place = starts[active], 0
    while len(active) >= _FEW:
        source.need_all(at, np.minimum(HEAD_BYTES, source.size - at))
        heads = _heads(source, at)
        good = ~heads.bad & (heads.ends <= ends[active])
        slow.walk(active[~good], at[~good], place)
        places = np.full(len(active), place, np.int64)
        found = (active, places, at, heads.keys, heads.starts, heads.ends, heads.values)
        blocks.append(found if good.all() else tuple(column[good] for column in found))
        more = good & (heads.ends < ends[active])
        active, at, place = active[more], heads.ends[more], place + 1
    slow.walk(active, at, place)
    blocks.append(slow.found())
    return _in_order(blocks, len(starts))


def _in_order(blocks: list[tuple[Ints, ...]], part_count: int) -> Table:
    if len(blocks) == 1:
        parts, _, *columns = blocks[0]
        return Table(parts, *columns)
    parts, places, *columns = (np.concatenate(column) for column in zip(*blocks, strict=True))
    counts = np.bincount(parts, minlength=part_count)
    target = (np.cumsum(counts) - counts)[parts] + places
    ordered = [np.empty_like(parts) for _ in range(6)]
    for column, sorted_column in zip((parts, *columns), ordered, strict=True):
        sorted_column[target] = column
    return Table(*ordered)


class _Heads(NamedTuple):
    """What stands at some tags; `bad` is where it makes no sense."""

    keys: Ints
    starts: Ints
    ends: Ints
    values: Ints
    bad: Mask


def _heads(source: Source, at: Ints) -> _Heads:
    keys, after_keys, bad = varints_at(source.u8, at)
    wires = keys & 7
    after_keys = np.minimum(after_keys, source.size)
    values, after, bad_values = varints_at(source.u8, after_keys)
    if not (wires == LENGTH).all():
        is_length, is_varint = wires == LENGTH, wires == VARINT
        starts = np.where(is_length, after, after_keys)
        after = np.where(is_varint, after, after_keys + _FIXED_BYTES[wires])
        after = np.where(is_length, starts + values, after)
        bad |= bad_values & (is_length | is_varint)
        bad |= (is_length & (values < 0)) | ~_KNOWN_WIRE[wires]
    else:
        starts, after = after, after + values
        bad |= bad_values | (values < 0)
    # A length near 2^63 makes the sum wrap around.
    bad |= (keys < 8) | (keys >> 32 != 0) | (after < at)
    return _Heads(keys, starts, after, values, bad)


class _Loop:
    """Walks parts one field at a time."""

    def __init__(self, source: Source, ends: Ints, report: Report) -> None:
        self.source = source
        self.ends = ends
        self.report = report
        self.ats = array("q")
        self.runs: list[tuple[int, int, int]] = []

    def walk(self, parts: Ints, ats: Ints, place: int) -> None:
        """Go through parts from a field on to the end; `place` counts the fields before it."""
        for part, at in zip(parts.tolist(), ats.tolist(), strict=True):
            before = len(self.ats)
            try:
                self._walk(part, at, int(self.ends[part]))
            except FormatError as error:
                self.ats.pop()
                self.report(error.message, error.where.offset_bytes or 0, part)
            self.runs.append((part, place, len(self.ats) - before))

    def _walk(self, part: int, at: int, end: int) -> None:
        found, view, last_key, same, window = self.ats, self.source.view, 0, 0, _WINDOW
        loaded, ahead = 0, 0
        while at < end:
            # Read ahead as much as was of use so far: fields without payloads lie close together.
            ahead = min(2 * ahead + PAGE_BYTES, _AHEAD_BYTES) if at <= loaded else 0
            loaded = _load(self.source, at, min(ahead, end - at))
            base, limit = at, end if loaded >= end else loaded - HEAD_BYTES
            block = bytes(view[base : limit + HEAD_BYTES])
            while at < limit:
                found.append(at)
                i = at - base
                key, length = block[i], block[i + 1]
                if _IS_SHORT_LENGTH[key] and length < 128:
                    at += 2 + length
                    continue
                if _IS_SHORT_LENGTH[key] and block[i + 2] < 128:
                    at += 3 + (block[i + 2] << 7 | length & 127)
                    continue
                same, last_key = (same + 1 if key == last_key else 0), key
                if same < _RUN or key >= 128:
                    at = _next_field(self.source, at, end)
                    continue
                size = self._run(at, min(limit, at + window), key)
                # Look further only as long as that pays.
                pays = size > window // 2
                same, window = (same, min(8 * window, PAGE_BYTES)) if pays else (0, _WINDOW)
                at = at + size if size else _next_field(self.source, at, end)
        if at > end:
            last = found[-1]
            _next_field(self.source, last, end)
            message = f"A field needs {at - last} bytes where {end - last} are left"
            self.report(message, last, part)

    def _run(self, at: int, end: int, key: int) -> int:
        """Note the rest of a run of fields, the first of which is noted; returns their bytes."""
        tags = _run(self.source.u8[at:end], key)
        self.ats.frombytes((tags[1:-1] + at).tobytes())
        return int(tags[-1])

    def found(self) -> tuple[Ints, ...]:
        """Columns of all fields met: part, place, and those of `Table` after the first."""
        runs = np.array(self.runs, np.int64).reshape(-1, 3)
        counts = runs[:, 2]
        parts = np.repeat(runs[:, 0], counts)
        first = np.cumsum(counts) - counts
        places = np.arange(len(parts)) - np.repeat(first - runs[:, 1], counts)
        ats = np.frombuffer(self.ats, np.int64)
        heads = _heads(self.source, ats)
        left = self.ends[parts] - heads.starts
        cut = (heads.keys & 7 == LENGTH) & ((heads.values > left) | (heads.values < 0))
        values = np.where(cut, left, heads.values)
        ends = np.where(cut, heads.starts + left, heads.ends)
        return parts, places, ats, heads.keys, heads.starts, ends, values


def _run(buffer: NDArray[np.uint8], key: int) -> Ints:
    """Where fields begin that follow each other with one tag of one byte; at last, where they end.

    Repeated numbers that are not packed take this form, thousands in a row.
    """
    if key & 7 == VARINT:
        ends = np.nonzero(buffer < 128)[0] + 1
        ends = ends[: len(ends) // 2 * 2]
        tags = np.zeros(len(ends) // 2 + 1, np.int64)
        tags[1:] = ends[1::2]
        wrong = (buffer[tags[:-1]] != key) | (np.diff(tags) > 1 + VARINT_BYTES)
        # The tenth byte may hold one bit; the loop judges the rest.
        wrong |= (np.diff(tags) == 1 + VARINT_BYTES) & (buffer[tags[1:] - 1] > 1)
    else:
        size = 1 + int(_FIXED_BYTES[key & 7])
        tags = np.arange(len(buffer) // size + 1) * size
        wrong = (buffer[tags[:-1]] != key) | (size == 1)
    count = int(np.argmax(wrong)) if wrong.any() else len(wrong)
    return tags[: count + 1]


def _next_field(source: Source, at: int, end: int) -> int:
    """Where the field at a position ends; past `end` only if it is a length that says so.

    The page must be there. Raises `FormatError` at anything else that is wrong.
    """
    key, start = read_varint(source, at, end)
    wire = key & 7
    if key < 8 or key >> 32:
        raise _damage(f"There is no field with the number {key >> 3}", source, at)
    if wire == LENGTH:
        length, start = read_varint(source, start, end)
        return start + length
    if wire == VARINT:
        return read_varint(source, start, end)[1]
    if not _KNOWN_WIRE[wire]:
        raise _damage(f"A field has wire type {wire}, which ONNX does not use", source, at)
    after = start + int(_FIXED_BYTES[wire])
    if after > end:
        raise _damage("A number is cut short", source, at)
    return after


def read_varint(source: Source, at: int, end: int) -> tuple[int, int]:
    """One unsigned varint that must end before `end`, and where it ends; its page must be there."""
    value, view = 0, source.view
    for i in range(VARINT_BYTES):
        if at + i >= end:
            raise _damage("A number is cut short", source, at)
        byte = view[at + i]
        value |= (byte & 127) << 7 * i
        if byte < 128:
            if value >> 64:
                break
            return value, at + i + 1
    raise _damage("A number does not fit 64 bits", source, at)


def _damage(message: str, source: Source, at: int) -> FormatError:
    return FormatError(message, where=Where(source.path, at))


def _load(source: Source, at: int, ahead: int) -> int:
    """Make sure of a field's head and what lies ahead; returns how far the file is in memory."""
    end = min(at + max(HEAD_BYTES + 1, ahead), source.size)
    source.need(at, end - at)
    return min(-(-end // PAGE_BYTES) * PAGE_BYTES, source.size)


def varints_at(u8: NDArray[np.uint8], at: Ints) -> tuple[Ints, Ints, Mask]:
    """A varint at each position: its signed value, where it ends, whether it exceeds 64 bits."""
    byte = u8[at]
    value = byte.astype(np.int64)
    after = at + 1
    bad = np.zeros(len(at), bool)
    more = np.nonzero(byte >= 128)[0]
    value[more] &= 127
    shift = 7
    while len(more) and shift < 7 * VARINT_BYTES:
        byte = u8[after[more]]
        value[more] |= (byte & 127).astype(np.int64) << shift
        after[more] += 1
        if shift == 63:
            bad[more] = byte > 1
        more = more[byte >= 128]
        shift += 7
    return value, after, bad


def decode_varints(buffer: NDArray[np.uint8]) -> tuple[NDArray[np.uint64], Ints, Mask]:
    """Varints that follow each other: values, where each begins, which do not fit 64 bits.

    Bytes after the last complete one are left out.
    """
    ends = np.nonzero(buffer < 128)[0]
    starts = np.zeros(len(ends), np.int64)
    starts[1:] = ends[:-1] + 1
    sizes = ends - starts + 1
    values = np.zeros(len(ends), np.uint64)
    for i in range(min(VARINT_BYTES, int(sizes.max(initial=0)))):
        more = sizes > i
        byte = buffer[starts[more] + i].astype(np.uint64)
        values[more] |= (byte & np.uint64(127)) << np.uint64(7 * i)
    bad = (sizes > VARINT_BYTES) | ((sizes == VARINT_BYTES) & (buffer[ends] > 1))
    return values, starts, bad
