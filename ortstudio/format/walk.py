"""What a walk through a protobuf file shares: the bytes, the strings, and the damage met."""

from __future__ import annotations

from collections.abc import Callable

from ortstudio.errors import FormatError, Where
from ortstudio.format.arrays import Ints
from ortstudio.format.source import Source

_UTF8, _SHOWN = "utf-8", "backslashreplace"
_BLOCK_BYTES = 1 << 24
"""Slices of `bytes` are cheaper than slices of a view; this much is worth copying for it."""


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

    def texts(self, starts: Ints, lengths: Ints) -> list[str]:
        r"""Strings in the file.

        Bytes that are not UTF-8 are written as `\xff`, so that any string can be shown.
        """
        block, firsts, ends = self._block(starts, lengths)
        if isinstance(block, memoryview):
            return [str(block[a:b], _UTF8, _SHOWN) for a, b in zip(firsts, ends, strict=True)]
        # Every byte is a character of Latin-1, and slices of text that is ASCII mean the same.
        latin = str(block, "latin-1")
        texts = [latin[a:b] for a, b in zip(firsts, ends, strict=True)]
        if not all(map(str.isascii, texts)):
            for i, text in enumerate(texts):
                if not text.isascii():
                    texts[i] = str(block[firsts[i] : ends[i]], _UTF8, _SHOWN)
        return texts

    def words(self, starts: Ints, lengths: Ints) -> list[str]:
        """Strings of which there are few: equal ones are one object."""
        block, firsts, ends = self._block(starts, lengths)
        known = self._words
        return [known[block[a:b]] for a, b in zip(firsts, ends, strict=True)]

    def contents(self, starts: Ints, lengths: Ints) -> list[bytes]:
        """Byte strings in the file."""
        block, firsts, ends = self._block(starts, lengths)
        return [bytes(block[a:b]) for a, b in zip(firsts, ends, strict=True)]

    def _block(
        self, starts: Ints, lengths: Ints
    ) -> tuple[bytes | memoryview, list[int], list[int]]:
        """The bytes around some strings, and where in them each begins and ends."""
        if not len(starts):
            return b"", [], []
        self.source.need_all(starts, lengths)
        low, high = int(starts.min()), int((starts + lengths).max())
        block: bytes | memoryview = self.source.view[low:high]
        if high - low <= _BLOCK_BYTES:
            block = bytes(block)
        return block, (starts - low).tolist(), (starts + lengths - low).tolist()


class _Words(dict[bytes | memoryview, str]):
    """Decoded strings by their bytes."""

    def __missing__(self, piece: bytes | memoryview) -> str:
        text = self[bytes(piece)] = str(piece, _UTF8, _SHOWN)
        return text
