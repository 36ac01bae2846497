"""Writes a file whole or not at all, and replaces none unasked."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO

from ortstudio.errors import RefusedError, UsageError, Where
from ortstudio.jobs import platform
from ortstudio.services.hidden import hidden_folder


def check_free(path: Path, *, overwrite: bool) -> None:
    """Raises RefusedError where a file of that name exists that may not be replaced."""
    if not overwrite and os.path.lexists(path):
        raise _exists(path)


def check_apart(path: Path, option: str, models: Iterable[str | Path | None]) -> None:
    """Raises UsageError where the option names a model that is read: those are never replaced."""
    for model in models:
        with contextlib.suppress(OSError):
            if model is not None and path.samefile(model):
                raise UsageError(f"{option} names a model", where=Where(str(path)))


def write_text(path: Path, text: str, *, overwrite: bool = False) -> None:
    """Write UTF-8. Raises RefusedError where the file exists or cannot be written."""
    content = text.encode("utf-8", "backslashreplace")
    write_whole(path, lambda file: file.write(content), overwrite=overwrite)


def write_whole(
    path: Path, write: Callable[[BinaryIO], object], *, overwrite: bool = False
) -> None:
    """Have `write` fill a file. Raises RefusedError where it exists or cannot be written."""
    check_free(path, overwrite=overwrite)
    try:
        with hidden_folder(path.parent) as folder:
            temporary = folder / path.name
            with temporary.open("xb") as file:
                write(file)
            platform.publish(temporary, path, overwrite=overwrite)
    except FileExistsError:
        raise _exists(path) from None
    except OSError as error:
        raise RefusedError(
            f"The file cannot be written: {error.strerror or error}", where=Where(str(path))
        ) from None


def _exists(path: Path) -> RefusedError:
    return RefusedError(
        "The file exists already", where=Where(str(path)), hint="Replace it with --overwrite."
    )
