"""A walk over protobuf's wire format that copies nothing and believes nothing.

A message is known by where it stands. `Messages.scan` finds the fields of many sibling messages at
once and puts them in one table, `Fields`, whose columns answer questions about all of them: the
last `name` of each, all `dims` of each, the messages inside. Many short messages advance together,
one field a step, in numpy; one long message, and whatever looks wrong, goes through a plain loop,
which is the only place that judges damage. Only the pages that hold tags, lengths and numbers are
touched; what a length-delimited field holds is skipped.

What is damaged ends the message it stands in; what was read before it stays. A length that reaches
past the end of the enclosing message is cut to it, so that a truncated file still shows its parts.
Groups (wire types 3 and 4) are refused: nothing in ONNX has them.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ortstudio.errors import FormatError, Where
from ortstudio.format.arrays import Ints, Ragged
from ortstudio.format.source import PAGE_BYTES, Source

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
"""Wire types."""

VARINT_BYTES = 10
_HEAD_BYTES = 2 * VARINT_BYTES
"""A tag and a length, or a tag and a number, never take more."""
_FEW = 48
"""Below this many messages the plain loop is faster than numpy."""
_FIXED_BYTES = np.array([0, 8, 0, 0, 0, 4, 0, 0], np.int64)
_KNOWN_WIRE = np.array([1, 1, 1, 0, 0, 1, 0, 0], bool)


class Field(NamedTuple):
    """A field of a message: its number and wire type, and its name for error texts."""

    number: int
    wire: int
    name: str
    repeated: bool = False

    @property
    def key(self) -> int:
        """The tag as it stands in the file."""
        return self.number << 3 | self.wire

    @property
    def packed_key(self) -> int:
        """The tag of the same repeated number in packed form."""
        return self.number << 3 | LENGTH


class Walk:
    """One walk through a file, and the first damage met, by place in the file."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.error: FormatError | None = None
        self._error_at = 0
        self._texts: dict[bytes | memoryview, str] = {}

    def report(self, message: str, offset: int, path: Callable[[], str]) -> None:
        """Note damage; only the one nearest to the beginning of the file is kept."""
        if self.error is None or offset < self._error_at:
            where = Where(self.source.path, offset, path())
            self.error, self._error_at = FormatError(message, where=where), offset

    def whole(self, name: str) -> Messages:
        """The whole file as one message."""
        zero = np.zeros(1, np.int64)
        ends = np.full(1, self.source.size, np.int64)
        return Messages(self, 1, zero, zero, ends, zero, lambda _: name)

    def texts(self, starts: Ints, lengths: Ints) -> list[str]:
        r"""Strings in the file, each distinct one decoded once.

        Bytes that are not UTF-8 are written as `\xff`, so that any string can be shown.
        """
        known, texts = self._texts, []
        for piece in self._pieces(starts, lengths):
            text = known.get(piece)
            if text is None:
                text = known[bytes(piece)] = str(piece, "utf-8", "backslashreplace")
            texts.append(text)
        return texts

    def contents(self, starts: Ints, lengths: Ints) -> list[bytes]:
        """Byte strings in the file."""
        return [bytes(piece) for piece in self._pieces(starts, lengths)]

    def _pieces(self, starts: Ints, lengths: Ints) -> Iterator[bytes | memoryview]:
        if not len(starts):
            return iter(())
        self.source.need_all(starts, lengths)
        low, high = int(starts.min()), int((starts + lengths).max())
        block: bytes | memoryview = self.source.view[low:high]
        if high - low <= _BLOCK_BYTES:
            block = bytes(block)
        ends = (starts + lengths - low).tolist()
        return (block[a:b] for a, b in zip((starts - low).tolist(), ends, strict=True))


_BLOCK_BYTES = 1 << 24
"""Slices of `bytes` are cheaper than slices of a view; this much is worth copying for it."""


@dataclass(frozen=True, eq=False)
class Messages:
    """Sibling messages of one kind.

    A message is one or more runs of bytes: protobuf reads a singular message that appears twice as
    if its parts were joined. `rows` says, in ascending order, to which message each part belongs;
    `parents` for each message the row of the message around it. `path` names a part.
    """

    walk: Walk
    count: int
    rows: Ints
    starts: Ints
    ends: Ints
    parents: Ints
    path: Callable[[int], str]

    def __len__(self) -> int:
        return self.count

    @property
    def offsets(self) -> Ints:
        """Where each message begins; 0 for one that is absent."""
        first = np.zeros(self.count, np.int64)
        first[self.rows[::-1]] = self.starts[::-1]
        return first

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which messages stand in the file."""
        found = np.zeros(self.count, bool)
        found[self.rows] = True
        return found

    @property
    def sizes(self) -> Ints:
        """Bytes of each message."""
        return _sums(self.rows, self.ends - self.starts, self.count)

    def take(self, chosen: Ints) -> Messages:
        """Some of the messages, in ascending order, as messages of their own."""
        new_rows = np.full(self.count, -1, np.int64)
        new_rows[chosen] = np.arange(len(chosen))
        parts = np.nonzero(new_rows[self.rows] >= 0)[0]
        return Messages(
            self.walk,
            len(chosen),
            new_rows[self.rows[parts]],
            self.starts[parts],
            self.ends[parts],
            self.parents[chosen],
            lambda part: self.path(int(parts[part])),
        )

    def scan(self) -> Fields:
        """The fields of all messages. Damage is reported to the walk, never raised."""
        table = _Table(self)
        active = np.nonzero(self.starts < self.ends)[0]
        at = self.starts[active]
        step = 0
        while len(active) >= _FEW:
            active, at = table.step(active, at, step)
            step += 1
        for part, position in zip(active.tolist(), at.tolist(), strict=True):
            table.finish(part, position, step)
        return table.fields()


class _Table:
    """Fields as they are found: blocks of (part, place in the part, where, tag, start, value)."""

    def __init__(self, messages: Messages) -> None:
        self.messages = messages
        self.source = messages.walk.source
        self.blocks: list[tuple[Ints, ...]] = []
        self.rest = array("q"), array("q"), array("q"), array("q"), array("q"), array("q")

    def step(self, active: Ints, at: Ints, step: int) -> tuple[Ints, Ints]:
        """Read one field of each active part; returns the parts that have more.

        A field that is not plainly right is left to `finish`.
        """
        source, ends = self.source, self.messages.ends[active]
        source.need_all(at, np.minimum(_HEAD_BYTES, source.size - at))
        key, after_key, bad = _varints(source.u8, at)
        wire = key & 7
        after_key = np.minimum(after_key, source.size)
        value, after_value, bad_value = _varints(source.u8, after_key)
        fixed = (wire == FIXED32) | (wire == FIXED64)
        start = np.where(wire == LENGTH, after_value, after_key)
        size = np.where(wire == VARINT, after_value - after_key, value)
        size = np.where(fixed, _FIXED_BYTES[wire], size)
        bad |= (bad_value & ~fixed) | ~_KNOWN_WIRE[wire] | (key < 8) | (key >> 32 != 0)
        bad |= (size < 0) | (size > ends - start)
        good = ~bad
        for part, position in zip(active[bad].tolist(), at[bad].tolist(), strict=True):
            self.finish(part, position, step)
        places = np.full(len(active), step, np.int64)
        block = (active, places, at, key, start, value)
        self.blocks.append(tuple(column[good] for column in block) if bad.any() else block)
        more = good & (start + size < ends)
        return active[more], (start + size)[more]

    def finish(self, part: int, at: int, place: int) -> None:
        """Read a part to its end, field by field, and say what is wrong with it."""
        parts, places, ats, keys, starts, values = self.rest
        source, end = self.source, int(self.messages.ends[part])
        view, loaded = source.view, at
        try:
            while at < end:
                if at + _HEAD_BYTES > loaded:
                    loaded = _load(source, at)
                key = view[at]
                start = at + 1
                if key >= 128:
                    key, start = read_varint(source, at, end)
                value, wire = 0, key & 7
                if wire in (LENGTH, VARINT):
                    after = start + 1
                    if start < end and view[start] < 128:
                        value = view[start]
                    else:
                        value, after = read_varint(source, start, end)
                    if wire == LENGTH:
                        start, after = after, after + value
                else:
                    after = start + _fixed_size(key, source, at)
                if key < 8 or key >> 32:
                    raise _damage(f"There is no field number {key >> 3}", source, at)
                if after > end and wire == LENGTH:
                    self._cut(part, at, start, value, end)
                    value, after = end - start, end
                elif after > end:
                    raise _damage("A number is cut short", source, at)
                parts.append(part)
                places.append(place)
                ats.append(at)
                keys.append(key)
                starts.append(start)
                values.append(value - (1 << 64) if value >> 63 else value)
                place += 1
                at = after
        except FormatError as error:
            self._report(error.message, error.where.offset_bytes or 0, part)

    def _cut(self, part: int, at: int, start: int, length: int, end: int) -> None:
        message = f"A field claims {length} bytes where {end - start} are left"
        self._report(message, at, part)

    def _report(self, message: str, offset: int, part: int) -> None:
        self.messages.walk.report(message, offset, lambda: self.messages.path(part))

    def fields(self) -> Fields:
        """The table, in the order of the parts and of the fields in each."""
        rest = [np.frombuffer(column, np.int64) for column in self.rest]
        blocks = [*self.blocks, tuple(rest)]
        parts, places, *columns = (np.concatenate(column) for column in zip(*blocks, strict=True))
        counts = np.bincount(parts, minlength=len(self.messages.starts))
        target = (np.cumsum(counts) - counts)[parts] + places
        ordered = []
        for column in (parts, *columns):
            sorted_column = np.empty_like(column)
            sorted_column[target] = column
            ordered.append(sorted_column)
        return Fields(self.messages, *ordered)


@dataclass(frozen=True, eq=False)
class Fields:
    """All fields of some messages, in the order of the messages and of the file.

    `ats` is where the tag stands, `keys` the tag, `starts` where the content begins; `values` is a
    varint's number (as a signed 64-bit one) or the length of a length-delimited field's content.
    """

    messages: Messages
    parts: Ints
    ats: Ints
    keys: Ints
    starts: Ints
    values: Ints

    @property
    def rows(self) -> Ints:
        """The message of each field."""
        return self.messages.rows[self.parts]

    def all(self, *fields: Field) -> Ints:
        """Every place in the table where one of the fields stands."""
        found = np.zeros(len(self.keys), bool)
        for field in fields:
            found |= self.keys == field.key
        return np.nonzero(found)[0]

    def last(self, *fields: Field) -> Ints:
        """For each message the place of the last of the fields, -1 where it has none."""
        found = self.all(*fields)
        places = np.full(self.messages.count, -1, np.int64)
        places[self.messages.rows[self.parts[found]]] = found
        return places

    def keys_at(self, places: Ints) -> Ints:
        """The tags at places of the table, 0 where the place is -1."""
        if not len(self.keys):
            return np.zeros(len(places), np.int64)
        return np.where(places >= 0, self.keys[places], 0)

    def counts(self, field: Field) -> Ints:
        """How often each message has the field."""
        rows = self.messages.rows[self.parts[self.all(field)]]
        return np.bincount(rows, minlength=self.messages.count)

    def sizes(self, *fields: Field) -> Ints:
        """Bytes that each message spends on the fields, tags and lengths too."""
        found = self.all(*fields)
        return _sums(self.rows[found], self.ends_at(found) - self.ats[found], self.messages.count)

    def ends_at(self, places: Ints) -> Ints:
        """Where the fields at places of the table end."""
        starts, wires = self.starts[places], self.keys[places] & 7
        ends: Ints = starts + _FIXED_BYTES[wires]
        lengths, varints = wires == LENGTH, wires == VARINT
        ends[lengths] = (starts + self.values[places])[lengths]
        ends[varints] = _varints(self.messages.walk.source.u8, starts[varints])[1]
        return ends

    def numbers(self, field: Field, default: int = 0) -> Ints:
        """The integer of each message."""
        places = self.last(field)
        if not len(self.values):
            return np.full(len(places), default, np.int64)
        return np.where(places >= 0, self.values[places], default)

    def texts(self, field: Field) -> list[str]:
        """The string of each message, empty where it has none."""
        places = self.last(field)
        found = np.nonzero(places >= 0)[0]
        texts = self.texts_at(places[found])
        if len(found) == len(places):
            return texts
        every = [""] * len(places)
        for row, text in zip(found.tolist(), texts, strict=True):
            every[row] = text
        return every

    def some_texts(self, field: Field) -> dict[int, str]:
        """The strings that are there and not empty, by message."""
        places = self.last(field)
        found = np.nonzero(places >= 0)[0]
        texts = self.texts_at(places[found])
        return {row: text for row, text in zip(found.tolist(), texts, strict=True) if text}

    def texts_at(self, places: Ints) -> list[str]:
        """The strings at places of the table."""
        return self.messages.walk.texts(self.starts[places], self.values[places])

    def every_text(self, field: Field) -> tuple[Ints, list[str]]:
        """A repeated string: where each message's begin (and the last end), and all of them."""
        found = self.all(field)
        counts = np.bincount(self.messages.rows[self.parts[found]], minlength=self.messages.count)
        return offsets_of(counts), self.texts_at(found)

    def integers(self, field: Field) -> Ragged:
        """A repeated integer, packed or not: one row for each message."""
        return self._repeated(field, np.dtype(np.int64), self.values, _unpack_varints)

    def floats(self, field: Field) -> Ragged:
        """A repeated 32-bit float, packed or not: one row for each message."""
        singles = np.zeros(len(self.keys), np.float32)
        places = self.all(field)
        singles[places] = self.floats_at(places)
        return self._repeated(field, np.dtype(np.float32), singles, _unpack_floats)

    def floats_at(self, places: Ints) -> NDArray[np.float32]:
        """The 32-bit floats at places of the table."""
        return _floats(self.messages.walk.source.u8, self.starts[places])

    def _repeated(
        self,
        field: Field,
        dtype: np.dtype[np.generic],
        singles: NDArray[np.generic],
        unpack: Callable[[Fields, Ints], tuple[Ints, NDArray[np.generic]]],
    ) -> Ragged:
        packed = self.keys == field.packed_key
        found = np.nonzero((self.keys == field.key) | packed)[0]
        runs = packed[found]
        counts = np.ones(len(found), np.int64)
        if not runs.any():
            flat = singles[found]
        else:
            counts[runs], values = unpack(self, found[runs])
            in_run = np.repeat(runs, counts)
            flat = np.empty(len(in_run), dtype)
            flat[in_run] = values
            flat[~in_run] = singles[found[~runs]]
        totals = _sums(self.rows[found], counts, self.messages.count)
        return Ragged(offsets_of(totals), flat)

    def inside(self, *fields: Field, only: NDArray[np.bool_] | None = None) -> Messages:
        """The singular message inside each message: rows stay, parts are joined.

        `only` restricts the places of the table that count.
        """
        found = self._found(fields, only)
        same = np.arange(self.messages.count)
        return self._messages(fields, found, self.rows[found], same)

    def children(self, *fields: Field, only: NDArray[np.bool_] | None = None) -> Messages:
        """The messages in the fields, in the order of the file, each with a row of its own.

        Where a field is singular, all parts of it in one message are one child.
        """
        found = self._found(fields, only)
        parents = self.rows[found]
        single = [field.key for field in fields if not field.repeated]
        new = np.ones(len(found), bool)
        new[1:] = (parents[1:] != parents[:-1]) | ~np.isin(self.keys[found[1:]], single)
        return self._messages(fields, found, np.cumsum(new) - 1, parents[new])

    def _found(self, fields: tuple[Field, ...], only: NDArray[np.bool_] | None) -> Ints:
        found = self.all(*fields)
        return found if only is None else found[only[found]]

    def _messages(
        self, fields: tuple[Field, ...], found: Ints, rows: Ints, parents: Ints
    ) -> Messages:
        def path(part: int) -> str:
            place = int(found[part])
            key = int(self.keys[place])
            field = next(field for field in fields if field.key == key)
            around = f"{self.messages.path(int(self.parts[place]))}.{field.name}"
            if not field.repeated:
                return around
            before = (self.keys[:place] == key) & (self.rows[:place] == self.rows[place])
            return f"{around}[{np.count_nonzero(before)}]"

        starts = self.starts[found]
        ends = starts + self.values[found]
        return Messages(self.messages.walk, len(parents), rows, starts, ends, parents, path)


def offsets_of(counts: Ints) -> Ints:
    """Where each of consecutive runs begins, and where the last one ends."""
    ends = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=ends[1:])
    return ends


def read_varint(source: Source, at: int, end: int) -> tuple[int, int]:
    """One unsigned varint that must end before `end`, and where it ends; the page must be there."""
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


def _fixed_size(key: int, source: Source, at: int) -> int:
    if key & 7 == FIXED32:
        return 4
    if key & 7 == FIXED64:
        return 8
    raise _damage(f"A field has wire type {key & 7}, which ONNX does not use", source, at)


def _load(source: Source, at: int) -> int:
    """Make sure of a field's head; returns up to where the file is surely in memory."""
    end = min(at + _HEAD_BYTES, source.size)
    source.need(at, end - at)
    return -(-end // PAGE_BYTES) * PAGE_BYTES + (_HEAD_BYTES if end == source.size else 0)


def _varints(u8: NDArray[np.uint8], at: Ints) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """A varint at each position: its value, where it ends, whether it is longer than 64 bits."""
    byte = u8[at]
    value = (byte & 127).astype(np.int64)
    after = at + 1
    bad = np.zeros(len(at), bool)
    more = np.nonzero(byte >= 128)[0]
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


def decode_varints(buffer: NDArray[np.uint8]) -> tuple[NDArray[np.uint64], Ints, NDArray[np.bool_]]:
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


def _unpack_varints(fields: Fields, places: Ints) -> tuple[Ints, NDArray[np.generic]]:
    """How many varints each packed field holds, and all of them; a damaged field gives none."""
    source = fields.messages.walk.source
    starts, lengths = fields.starts[places], fields.values[places].copy()
    source.need_all(starts, lengths)
    cut = (lengths > 0) & (source.u8[np.maximum(starts + lengths - 1, 0)] >= 128)
    while True:
        if cut.any():
            _report_packed(fields, int(places[np.argmax(cut)]))
            lengths[cut] = 0
        buffer = source.u8[_spread(starts, lengths)]
        values, firsts, bad = decode_varints(buffer)
        owners = np.searchsorted(np.cumsum(lengths), firsts, side="right")
        if not bad.any():
            return np.bincount(owners, minlength=len(places)), values.view(np.int64)
        cut = np.zeros(len(places), bool)
        cut[owners[bad]] = True


def _unpack_floats(fields: Fields, places: Ints) -> tuple[Ints, NDArray[np.generic]]:
    """How many floats each packed field holds, and all of them; an incomplete last one is left."""
    source = fields.messages.walk.source
    starts, lengths = fields.starts[places], fields.values[places]
    source.need_all(starts, lengths)
    if (lengths % 4).any():
        _report_packed(fields, int(places[np.argmax(lengths % 4 != 0)]))
    counts = lengths // 4
    return counts, _floats(source.u8, _spread(starts, counts, 4))


def _report_packed(fields: Fields, place: int) -> None:
    messages, part = fields.messages, int(fields.parts[place])
    number = int(fields.keys[place]) >> 3
    messages.walk.report(
        f"The packed numbers of field {number} are damaged",
        int(fields.ats[place]),
        lambda: messages.path(part),
    )


def _spread(starts: Ints, counts: Ints, step: int = 1) -> Ints:
    """`start`, `start + step`, ... for each start, `count` of them."""
    ptr = offsets_of(counts)
    within = np.arange(ptr[-1]) - np.repeat(ptr[:-1], counts)
    places: Ints = np.repeat(starts, counts) + within * step
    return places


def _floats(u8: NDArray[np.uint8], starts: Ints) -> NDArray[np.float32]:
    """The little-endian 32-bit floats at unaligned positions."""
    return np.ascontiguousarray(u8[starts[:, None] + np.arange(4)]).view("<f4")[:, 0]


def _sums(rows: Ints, values: Ints, count: int) -> Ints:
    """Exact sums of values by row."""
    totals = np.zeros(count, np.int64)
    np.add.at(totals, rows, values)
    return totals
