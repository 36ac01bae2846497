"""Whether a file can be a library of custom operators, from its bytes and without loading it."""

from __future__ import annotations

import mmap
import sys
from pathlib import Path

from ortstudio.errors import FormatError, MissingError, Where

ENTRY_POINT = b"RegisterCustomOps"
"""What ONNX Runtime calls in such a library; the name stands in the file as it is."""

_MACHO = (b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf")
_MAGIC = {"win32": (b"MZ",), "darwin": _MACHO}
_ELF = (b"\x7fELF",)


def check_library(path: str) -> None:
    """Raises MissingError or FormatError where it cannot be one.

    Whether the system loads it and what its entry point does, only a child that loads it can tell.
    """
    where = Where(path)
    try:
        is_library, has_entry_point = _looked_at(path)
    except FileNotFoundError:
        raise MissingError("There is no such custom operator library", where=where) from None
    except OSError as error:
        message = f"The custom operator library cannot be read: {error.strerror}"
        raise MissingError(message, where=where) from None
    if not is_library:
        raise FormatError("This is not a shared library that this system can load", where=where)
    if not has_entry_point:
        raise FormatError(
            "This is a shared library, but not one of custom operators: it lacks RegisterCustomOps",
            where=where,
        )


def _looked_at(path: str) -> tuple[bool, bool]:
    """Whether it begins as a library of this system does, and whether it names the entry point."""
    with Path(path).open("rb") as file:
        if not file.read(4).startswith(_MAGIC.get(sys.platform, _ELF)):
            return False, False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return True, content.find(ENTRY_POINT) >= 0
