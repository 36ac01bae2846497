"""Protobuf messages as tables of fields, many siblings at once.

A message is known by where it stands. `Messages.scan` puts the fields of all siblings in one table,
`Fields`, whose columns answer questions about every message together: the last `name` of each, all
`dims` of each, the messages inside. Damage is reported to the `Walk` and never raised.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ortstudio.errors import FormatError, Where
from ortstudio.format.arrays import Ints, Ragged
from ortstudio.format.protowire import (
    LENGTH,
    Mask,
    decode_varints,
    scan,
)
from ortstudio.format.source import Source


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
        self._words = _Words()

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
        r"""Strings in the file.

        Bytes that are not UTF-8 are written as `\xff`, so that any string can be shown.
        """
        block, spans = self._block(starts, lengths)
        # Every byte is a character of Latin-1, and slices of text that is ASCII mean the same.
        latin = str(block, "latin-1")
        texts = [latin[a:b] for a, b in spans]
        if not all(map(str.isascii, texts)):
            for i, (a, b) in enumerate(spans):
                if not texts[i].isascii():
                    texts[i] = str(block[a:b], "utf-8", "backslashreplace")
        return texts

    def words(self, starts: Ints, lengths: Ints) -> list[str]:
        """Strings of which there are few: equal ones are one object."""
        block, spans = self._block(starts, lengths)
        known = self._words
        return [known[block[a:b]] for a, b in spans]

    def contents(self, starts: Ints, lengths: Ints) -> list[bytes]:
        """Byte strings in the file."""
        block, spans = self._block(starts, lengths)
        return [bytes(block[a:b]) for a, b in spans]

    def _block(
        self, starts: Ints, lengths: Ints
    ) -> tuple[bytes | memoryview, list[tuple[int, int]]]:
        """The bytes around some strings, and where in them each begins and ends."""
        if not len(starts):
            return b"", []
        self.source.need_all(starts, lengths)
        low, high = int(starts.min()), int((starts + lengths).max())
        block: bytes | memoryview = self.source.view[low:high]
        if high - low <= _BLOCK_BYTES:
            block = bytes(block)
        ends = (starts + lengths - low).tolist()
        return block, list(zip((starts - low).tolist(), ends, strict=True))


class _Words(dict[bytes | memoryview, str]):
    """Decoded strings by their bytes."""

    def __missing__(self, piece: bytes | memoryview) -> str:
        text = self[bytes(piece)] = str(piece, "utf-8", "backslashreplace")
        return text


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
    def present(self) -> Mask:
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
        """The fields of all messages."""
        walk = self.walk

        def report(message: str, offset: int, part: int) -> None:
            walk.report(message, offset, lambda: self.path(part))

        return Fields(self, *scan(walk.source, self.starts, self.ends, report))


@dataclass(frozen=True, eq=False)
class Fields:
    """All fields of some messages, in the order of the messages and of the file.

    The columns are those of `protowire.Table`.
    """

    messages: Messages
    parts: Ints
    ats: Ints
    keys: Ints
    starts: Ints
    ends: Ints
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
        return _sums(self.rows[found], self.ends[found] - self.ats[found], self.messages.count)

    def numbers(self, field: Field, default: int = 0) -> Ints:
        """The integer of each message."""
        places = self.last(field)
        if not len(self.values):
            return np.full(len(places), default, np.int64)
        return np.where(places >= 0, self.values[places], default)

    def texts(self, field: Field) -> list[str]:
        """The string of each message, empty where it has none."""
        return self._strings(field, self.messages.walk.texts)

    def words(self, field: Field) -> list[str]:
        """`texts` for a field in which the same strings come again and again."""
        return self._strings(field, self.messages.walk.words)

    def _strings(self, field: Field, read: Callable[[Ints, Ints], list[str]]) -> list[str]:
        places = self.last(field)
        found = np.nonzero(places >= 0)[0]
        texts = read(self.starts[places[found]], self.values[places[found]])
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

    def inside(self, *fields: Field, only: Mask | None = None) -> Messages:
        """The singular message inside each message: rows stay, parts are joined.

        `only` restricts the places of the table that count.
        """
        found = self._found(fields, only)
        same = np.arange(self.messages.count)
        return self._messages(fields, found, self.rows[found], same)

    def children(self, *fields: Field, only: Mask | None = None) -> Messages:
        """The messages in the fields, in the order of the file, each with a row of its own.

        Where a field is singular, all parts of it in one message are one child.
        """
        found = self._found(fields, only)
        parents = self.rows[found]
        single = [field.key for field in fields if not field.repeated]
        new = np.ones(len(found), bool)
        new[1:] = (parents[1:] != parents[:-1]) | ~np.isin(self.keys[found[1:]], single)
        return self._messages(fields, found, np.cumsum(new) - 1, parents[new])

    def _found(self, fields: tuple[Field, ...], only: Mask | None) -> Ints:
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
