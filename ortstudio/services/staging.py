"""Results that are made in a hidden folder beside their target, and get their name at the end."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ortstudio.errors import RefusedError, Where
from ortstudio.jobs import platform
from ortstudio.services.hidden import hidden_folder

NAME_BYTES = 255
"""The longest name that common file systems take."""

_ELSEWHERE = "Choose another place with -o."
_REPLACE = "Replace it with --overwrite, or choose another place with -o."


@contextmanager
def reserved(target: Path) -> Iterator[Path]:
    """A new empty file of the target's name in a hidden folder beside it; gone at the end."""
    with reserved_folder(target) as folder:
        temporary = folder / target.name
        try:
            temporary.open("xb").close()
        except OSError as error:
            raise unwritable(target.parent, error) from None
        yield temporary


@contextmanager
def reserved_folder(target: Path) -> Iterator[Path]:
    """A new folder beside the target, for files that name each other; gone at the end."""
    with ExitStack() as stack:
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            folder = stack.enter_context(hidden_folder(target.parent))
        except OSError as error:
            raise unwritable(target.parent, error) from None
        yield folder


def check_target(target: Path, inputs: Sequence[Path], *, overwrite: bool) -> None:
    """Raises RefusedError where what has the target's name must not be touched, or none can."""
    length = len(os.fsencode(target.name))
    if length > NAME_BYTES:
        raise RefusedError(
            f"The name of the result is too long: it has {length} bytes, {NAME_BYTES} may be",
            where=Where(str(target)),
            hint="Rename the source.",
        )
    if not os.path.lexists(target):
        return
    if any(target.exists() and target.samefile(path) for path in inputs):
        raise RefusedError(
            "The result would replace the very file that it is made from",
            where=Where(str(target)),
            hint=_ELSEWHERE,
        )
    if target.is_dir():
        raise RefusedError("There is a folder of the result's name", where=Where(str(target)))
    if not overwrite:
        raise RefusedError(
            "The result exists already",
            where=Where(str(target)),
            hint=_REPLACE,
        )


def check_suffix(target: Path, suffix: str) -> None:
    """Raises RefusedError where the name is that of the other format: runtimes go by it."""
    if target.suffix.lower() in {".onnx", ".ort"} - {suffix}:
        what = {".onnx": "an ONNX model", ".ort": "in ORT format"}
        raise RefusedError(
            f"The result is {what[suffix]}, and runtimes would go by its name and refuse it",
            where=Where(str(target)),
            hint=f"Name it {target.with_suffix(suffix).name}.",
        )


def check_folder(folder: Path) -> None:
    """Raises RefusedError where the folder is none, or nothing can be written or made in it."""
    there = folder
    while not os.path.lexists(there) and there != there.parent:
        there = there.parent
    if not there.is_dir():
        raise RefusedError(
            "The results cannot be written here: it is not a folder",
            where=Where(str(there)),
            hint=_ELSEWHERE,
        )
    if not os.access(there, os.W_OK | os.X_OK):
        raise RefusedError(
            "There is no permission to write here", where=Where(str(there)), hint=_ELSEWHERE
        )


def publish(temporary: Path, target: Path, *, overwrite: bool) -> None:
    """Give a finished file its name. Raises RefusedError where that cannot be."""
    try:
        platform.publish(temporary, target, overwrite=overwrite)
    except FileExistsError:
        raise RefusedError(
            "A file of the result's name appeared meanwhile",
            where=Where(str(target)),
            hint=_REPLACE,
        ) from None
    except OSError as error:
        raise unwritable(target, error) from None


def disk_full(path: Path) -> RefusedError:
    """The error for a file that the disk has no room for."""
    return RefusedError(
        "The disk is full",
        where=Where(str(path)),
        hint="Make room, or choose another folder with -o.",
    )


def unwritable(path: Path, error: OSError) -> RefusedError:
    """The error for a place where the system lets nothing, or not all, be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return disk_full(path)
    return RefusedError(
        f"Nothing can be written here: {error.strerror or error}",
        where=Where(str(path)),
        hint=_ELSEWHERE,
    )
