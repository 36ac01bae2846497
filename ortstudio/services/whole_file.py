"""Writes a text file whole or not at all, and replaces none unasked."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from ortstudio.errors import RefusedError, Where
from ortstudio.jobs import platform


def check_free(path: Path, *, overwrite: bool) -> None:
    """Raises RefusedError where a file of that name exists that may not be replaced."""
    if not overwrite and os.path.lexists(path):
        raise _exists(path)


def write_text(path: Path, text: str, *, overwrite: bool = False) -> None:
    """Write UTF-8. Raises RefusedError where the file exists or cannot be written."""
    check_free(path, overwrite=overwrite)
    temporary = path.parent / f".ortstudio-{secrets.token_hex(8)}.part"
    try:
        with temporary.open("xb") as file:
            file.write(text.encode("utf-8", "backslashreplace"))
        platform.publish(temporary, path, overwrite=overwrite)
    except FileExistsError:
        raise _exists(path) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise RefusedError(
            f"The file cannot be written: {reason}", where=Where(str(path))
        ) from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _exists(path: Path) -> RefusedError:
    return RefusedError(
        "The file exists already", where=Where(str(path)), hint="Replace it with --overwrite."
    )
