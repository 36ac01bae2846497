"""Protobuf messages as tables of fields, many siblings at once.

A message is known by where it stands. `Messages.scan` puts the fields of all siblings in one table,
`Fields`, whose columns answer questions about every message together: the last `name` of each, all
`dims` of each, the messages inside. Damage is reported to the `Walk` and never raised.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ortstudio.format.arrays import Ints, Numbers, Ragged, offsets_of
from ortstudio.format.packed import floats_at, unpack_floats, unpack_varints
from ortstudio.format.protowire import LENGTH, Mask, scan
from ortstudio.format.source import Source
from ortstudio.format.walk import Walk


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


class Origin(NamedTuple):
    """Where a part is from: a part of the messages around, and the step from there."""

    messages: Messages | None
    part: int
    step: str


_PATH_STEPS = 24
"""Of a longer path the middle is left out."""


@dataclass(frozen=True, eq=False)
class Messages:
    """Sibling messages of one kind.

    A message is one or more runs of bytes: protobuf reads a singular message that appears twice as
    if its parts were joined. `rows` says, in ascending order, to which message each part belongs;
    `parents` for each message the row of the message around it.
    """

    walk: Walk
    count: int
    rows: Ints
    starts: Ints
    ends: Ints
    parents: Ints
    origin: Callable[[int], Origin]

    @staticmethod
    def whole(walk: Walk, name: str) -> Messages:
        """The whole file as one message."""
        zero = np.zeros(1, np.int64)
        ends = np.full(1, walk.source.size, np.int64)
        return Messages(walk, 1, zero, zero, ends, zero, lambda _: Origin(None, 0, name))

    def __len__(self) -> int:
        return self.count

    def path(self, part: int) -> str:
        """Where a part stands, as `GraphProto.node[3].attribute[0]`."""
        steps: list[str] = []
        origin = self.origin(part)
        while origin.messages is not None:
            steps.append(origin.step)
            origin = origin.messages.origin(origin.part)
        steps = [origin.step, *reversed(steps)]
        if len(steps) > _PATH_STEPS:
            steps = [*steps[: _PATH_STEPS // 2], "...", *steps[-_PATH_STEPS // 2 :]]
        return ".".join(step for step in steps if step)

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
            lambda part: Origin(self, int(parts[part]), ""),
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

    @cached_property
    def rows(self) -> Ints:
        """The message of each field."""
        return self.messages.rows[self.parts]

    def all(self, *fields: Field) -> Ints:
        """Every place in the table where one of the fields stands."""
        return np.nonzero(self.having([field.key for field in fields]))[0]

    def having(self, keys: Sequence[int]) -> Mask:
        """Where in the table one of the tags stands."""
        found = np.zeros(len(self.keys), bool)
        for key in keys:
            found |= self.keys == key
        return found

    def last(self, *fields: Field) -> Ints:
        """For each message the place of the last of the fields, -1 where it has none."""
        found = self.all(*fields)
        places = np.full(self.messages.count, -1, np.int64)
        places[self.rows[found]] = found
        return places

    def keys_at(self, places: Ints) -> Ints:
        """The tags at places of the table, 0 where the place is -1."""
        if not len(self.keys):
            return np.zeros(len(places), np.int64)
        return np.where(places >= 0, self.keys[places], 0)

    def counts(self, field: Field) -> Ints:
        """How often each message has the field."""
        rows = self.rows[self.all(field)]
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
        counts = np.bincount(self.rows[found], minlength=self.messages.count)
        return offsets_of(counts), self.texts_at(found)

    def integers(self, field: Field) -> Ragged:
        """A repeated integer, packed or not: one row for each message."""
        return self._repeated(field, self.values, unpack_varints)

    def floats(self, field: Field) -> Ragged:
        """A repeated 32-bit float, packed or not: one row for each message."""
        singles = np.zeros(len(self.keys), np.float32)
        places = self.all(field)
        singles[places] = self.floats_at(places)
        return self._repeated(field, singles, unpack_floats)

    def floats_at(self, places: Ints) -> NDArray[np.float32]:
        """The 32-bit floats at places of the table."""
        return floats_at(self.messages.walk.source, self.starts[places])

    def _repeated(
        self,
        field: Field,
        singles: Numbers,
        unpack: Callable[[Source, Ints, Ints], tuple[Ints, Numbers, Mask]],
    ) -> Ragged:
        packed = self.keys == field.packed_key
        found = np.nonzero((self.keys == field.key) | packed)[0]
        runs = packed[found]
        if not runs.any():
            counts = np.bincount(self.rows[found], minlength=self.messages.count)
            return Ragged(offsets_of(counts), singles[found])
        places = found[runs]
        source = self.messages.walk.source
        counts = np.ones(len(found), np.int64)
        counts[runs], values, bad = unpack(source, self.starts[places], self.values[places])
        if bad.any():
            self._report(int(places[np.argmax(bad)]), f"The packed {field.name} are damaged")
        in_run = np.repeat(runs, counts)
        flat = np.empty(len(in_run), singles.dtype)
        flat[in_run] = values
        flat[~in_run] = singles[found[~runs]]
        totals = _sums(self.rows[found], counts, self.messages.count)
        return Ragged(offsets_of(totals), flat)

    def _report(self, place: int, message: str) -> None:
        messages, part = self.messages, int(self.parts[place])
        messages.walk.report(message, int(self.ats[place]), lambda: messages.path(part))

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
        joined = self.having([field.key for field in fields if not field.repeated])[found]
        joined[1:] &= parents[1:] == parents[:-1]
        joined[:1] = False
        return self._messages(fields, found, np.cumsum(~joined) - 1, parents[~joined])

    def _found(self, fields: tuple[Field, ...], only: Mask | None) -> Ints:
        found = self.all(*fields)
        return found if only is None else found[only[found]]

    def _messages(
        self, fields: tuple[Field, ...], found: Ints, rows: Ints, parents: Ints
    ) -> Messages:
        def origin(part: int) -> Origin:
            place = int(found[part])
            key = int(self.keys[place])
            field = next(field for field in fields if field.key == key)
            step = field.name
            if field.repeated:
                before = (self.keys[:place] == key) & (self.rows[:place] == self.rows[place])
                step = f"{step}[{np.count_nonzero(before)}]"
            return Origin(self.messages, int(self.parts[place]), step)

        starts = self.starts[found]
        ends = starts + self.values[found]
        return Messages(self.messages.walk, len(parents), rows, starts, ends, parents, origin)


def _sums(rows: Ints, values: Ints, count: int) -> Ints:
    """Exact sums of values by row."""
    totals = np.zeros(count, np.int64)
    np.add.at(totals, rows, values)
    return totals
