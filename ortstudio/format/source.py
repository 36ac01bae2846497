"""The one door to a file's bytes.

A mapped file that is cut while it is open kills the process that reads it, and ONNX Runtime
rewrites its outputs in place. So nothing is mapped: pages are copied into memory of our own the
first time they are asked for, and every later read from disk first makes sure that the file is
still the one that was opened. The memory is anonymous and untouched pages of it cost nothing, which
keeps opening a large model as cheap as opening a small one.
"""

from __future__ import annotations

import mmap
import os
import stat
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ortstudio.errors import ChangedError, FormatError, MissingError, Where

PAGE_BYTES = 1 << 16
WHOLE_FILE_BYTES = 1 << 24
"""Files up to this size are read at once: one read costs less than finding out what is needed."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Identity:
    """What tells a file from the one that took its place."""

    size: int
    modified_ns: int
    inode: int

    @staticmethod
    def of(status: os.stat_result) -> Identity:
        """Of what the system says of a file."""
        return Identity(status.st_size, status.st_mtime_ns, status.st_ino)


class Source:
    """A file's bytes by position. Safe to read from several threads: pages only ever get filled.

    `u8`, `u16`, `u32`, `u64` are views of the copy, zero where a page was not asked for yet: call
    `need` before looking. They run up to 16 bytes past the end, so that a wide view is never short.
    """

    def __init__(
        self, path: str, size: int, identity: Identity | None, content: bytes | None
    ) -> None:
        self.path = path
        self.size = size
        self._identity = identity
        capacity = (size + 31) // 16 * 16
        if content is not None:
            memory: bytearray | mmap.mmap = bytearray(capacity)
            memory[:size] = content
            self._missing: NDArray[np.bool_] | None = None
        else:
            memory = mmap.mmap(-1, capacity)
            if hasattr(mmap, "MADV_NOHUGEPAGE"):
                # One touched page must not make two megabytes resident.
                memory.madvise(mmap.MADV_NOHUGEPAGE)
            # A range at the very end may stand in a page that has no bytes: it is never missing.
            self._missing = np.arange(size // PAGE_BYTES + 1) * PAGE_BYTES < size
        self._memory = memory
        self.view = memoryview(memory).toreadonly()
        self.u8: NDArray[np.uint8] = np.frombuffer(self.view, np.uint8)
        self.u16: NDArray[np.uint16] = np.frombuffer(self.view, "<u2")
        self.u32: NDArray[np.uint32] = np.frombuffer(self.view, "<u4")
        self.u64: NDArray[np.uint64] = np.frombuffer(self.view, "<u8")
        self.bytes_read = size if content is not None else 0

    @staticmethod
    def open(path: str | os.PathLike[str]) -> Source:
        """Open a regular file; a small one is read whole, of a large one nothing yet."""
        name = os.fspath(path)
        status = _status(name)
        if status.st_size > WHOLE_FILE_BYTES:
            return Source(name, status.st_size, Identity.of(status), None)
        identity = Identity.of(status)
        return Source(name, status.st_size, identity, _read(name, identity, 0, status.st_size))

    @staticmethod
    def of_bytes(content: bytes, path: str = "") -> Source:
        """Bytes that are at hand already."""
        return Source(path, len(content), None, content)

    @property
    def identity(self) -> Identity | None:
        """What tells the file from one that takes its place; None of bytes from elsewhere."""
        return self._identity

    @property
    def is_whole(self) -> bool:
        """Whether all of it is in memory: nothing has to be asked for."""
        return self._missing is None

    @property
    def changed(self) -> bool:
        """Whether the file on disk is no longer the one that was opened."""
        if self._identity is None:
            return False
        try:
            return Identity.of(Path(self.path).stat()) != self._identity
        except OSError:
            return True

    def check(self, offset: int, length: int, what: str) -> None:
        """Refuse a range that is not wholly inside the file."""
        if offset < 0 or length < 0 or offset + length > self.size:
            raise FormatError(
                f"{what} reaches past the end of the file: it needs {length} bytes,"
                f" the file has {self.size}",
                where=Where(self.path, offset, what),
            )

    def need(self, offset: int, length: int) -> None:
        """Make sure that a checked range is in memory."""
        missing = self._missing
        if missing is None or length <= 0:
            return
        first, last = offset // PAGE_BYTES, (offset + length - 1) // PAGE_BYTES
        if missing[first : last + 1].any():
            self._load(first + np.nonzero(missing[first : last + 1])[0])

    def need_all(self, offsets: Ints, lengths: Ints | int) -> None:
        """`need` for many checked ranges at once."""
        missing = self._missing
        if missing is None or not len(offsets):
            return
        first = offsets // PAGE_BYTES
        last = (offsets + np.maximum(lengths, 1) - 1) // PAGE_BYTES
        if isinstance(lengths, int) and not (missing[first].any() or missing[last].any()):
            return
        edges = np.bincount(first, minlength=len(missing) + 1)
        edges -= np.bincount(last + 1, minlength=len(missing) + 1)
        wanted = np.nonzero((np.cumsum(edges)[:-1] > 0) & missing)[0]
        if len(wanted):
            self._load(wanted)

    def read(self, offset: int, length: int, what: str = "data") -> bytes:
        """A checked range, from the copy."""
        self.check(offset, length, what)
        self.need(offset, length)
        return bytes(self.view[offset : offset + length])

    def payload(self, offset: int, length: int, what: str = "data") -> bytes:
        """A checked range for one use: of a large file it is read from disk and not kept."""
        self.check(offset, length, what)
        if self._identity is None or self._missing is None:
            return bytes(self.view[offset : offset + length])
        return _read(self.path, self._identity, offset, length)

    def _load(self, pages: Ints) -> None:
        """Copy pages in, neighbours in one read."""
        assert self._identity is not None
        assert self._missing is not None
        breaks = np.nonzero(np.diff(pages) != 1)[0] + 1
        for run in np.split(pages, breaks):
            start = int(run[0]) * PAGE_BYTES
            end = min((int(run[-1]) + 1) * PAGE_BYTES, self.size)
            self._memory[start:end] = _read(self.path, self._identity, start, end - start)
            self.bytes_read += end - start
        self._missing[pages] = False
        if not self._missing.any():
            self._missing = None


def _status(path: str) -> os.stat_result:
    try:
        status = Path(path).stat()
    except FileNotFoundError:
        raise MissingError("There is no such file", where=Where(path)) from None
    except (OSError, ValueError) as error:
        raise MissingError(
            f"The file cannot be opened: {_reason(error)}", where=Where(path)
        ) from None
    if not stat.S_ISREG(status.st_mode):
        what = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
        raise FormatError(f"This is {what}, not a model file", where=Where(path))
    return status


def _read(path: str, identity: Identity, offset: int, length: int) -> bytes:
    """Read from disk, having made sure that the file is still the one that was opened."""
    try:
        with Path(path).open("rb", buffering=0) as file:
            if Identity.of(os.fstat(file.fileno())) != identity:
                raise ChangedError(
                    "The file was changed since it was opened",
                    where=Where(path, offset),
                    hint="Open it again to see what it holds now.",
                )
            file.seek(offset)
            parts, left = [], length
            while left:
                part = file.read(left)
                if not part:
                    raise ChangedError(
                        "The file was cut while it was being read",
                        where=Where(path, offset + length - left),
                        hint="Open it again once it is written in full.",
                    )
                parts.append(part)
                left -= len(part)
    except OSError as error:
        raise MissingError(
            f"The file can no longer be read: {_reason(error)}", where=Where(path, offset)
        ) from None
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _reason(error: OSError | ValueError) -> str:
    return (getattr(error, "strerror", None) or str(error)).rstrip(".")
