"""Questions about paths that people name: a path that no file can have gets an answer too.

`pathlib` raises OSError for a name that is too long, and for links that go round in a circle it
raises RuntimeError before Python 3.13.
"""

from __future__ import annotations

from pathlib import Path

from ortstudio.errors import MissingError, Where
from ortstudio.format.source import Identity


def is_folder(path: Path) -> bool:
    """Whether a folder is there."""
    try:
        return path.is_dir()
    except OSError:
        return False


def is_file(path: Path) -> bool:
    """Whether a regular file is there."""
    try:
        return path.is_file()
    except OSError:
        return False


def resolved(path: Path) -> Path:
    """The path without links, as far as these lead somewhere."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return path.absolute()


def identity_of(path: Path) -> Identity:
    """Which file is there now. Raises MissingError where that cannot be told."""
    try:
        return Identity.of(path.stat())
    except OSError as error:
        message = f"The file cannot be read: {error.strerror}"
        raise MissingError(message, where=Where(str(path))) from None
