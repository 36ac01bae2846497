"""A FlatBuffers file: what stands at an offset, tested before it is looked at.

Offsets, lengths and alignments are tested for whole columns in one numpy step. What is damaged
reads as absent and the first damage is kept, so that everything else can still be shown.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from ortstudio.errors import FormatError, Where
from ortstudio.format.account import Account
from ortstudio.format.arrays import Ints
from ortstudio.format.flatrows import FEW, Rows, UnsoundError
from ortstudio.format.source import Source


class Buffer:
    """A FlatBuffers file; `account` says which of the bytes that were read serve what.

    What is damaged reads as absent; `damage` is the first of it.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.damage: FormatError | None = None
        self.table_count = 0
        self.account = Account(source)
        self._rows = Rows(source) if source.is_whole else None

    def rows(self, count: int) -> Rows | None:
        """What reads so many rows one at a time; None where columns do better."""
        return self._rows if count <= FEW else None

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
        alignment = alignment_of(width)
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
        if (rows := self.rows(len(places))) is not None:
            with suppress(UnsoundError):
                return np.array([rows.follow(at) for at in places.tolist()], np.int64)
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
        return [*map([*unique, None].__getitem__, which.tolist())]

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
        if (rows := self.rows(len(positions))) is not None:
            with suppress(UnsoundError):
                return self._few_strings(rows, positions.tolist(), use)
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
        self.account.claim(use, distinct, lengths + 5)
        ptr = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=ptr[1:])
        places = np.repeat(distinct + 4 - ptr[:-1], lengths) + np.arange(ptr[-1])
        return self.source.u8.take(places).tobytes(), ptr.tolist(), which

    def _few_strings(
        self, rows: Rows, positions: list[int], use: str
    ) -> tuple[bytes, list[int], Ints]:
        distinct = sorted({at for at in positions if at >= 0})
        lengths = [rows.length(at) for at in distinct]
        self.account.claim(use, distinct, [length + 5 for length in lengths])
        view, number = self.source.view, {at: i for i, at in enumerate(distinct)}
        runs = zip(distinct, lengths, strict=True)
        content = b"".join(view[at + 4 : at + 4 + n] for at, n in runs)
        which = np.array([number.get(at, -1) for at in positions], np.int64)
        return content, [0, *accumulate(lengths)], which


def alignment_of(width: int) -> int:
    """Of elements so wide. A struct is aligned as its numbers are: all in this format have 4."""
    return width if width in (1, 2, 4, 8) else 4
