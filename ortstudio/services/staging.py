"""Results that are made beside their target under a hidden name, and get their own at the end.

What is hidden is removed on every path, and by the next work on that folder should the whole
program die.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ortstudio.errors import RefusedError, Where
from ortstudio.jobs import platform
from ortstudio.services.whole_file import PREFIX, SUFFIX, hidden_path

STALE_S = 24 * 3600
_ELSEWHERE = "Choose another place with -o."
_REPLACE = "Replace it with --overwrite, or choose another place with -o."


@contextmanager
def reserved(target: Path) -> Iterator[Path]:
    """A new file beside the target; gone at the end."""
    with _cleared(target.parent) as temporary:
        try:
            temporary.open("xb").close()
        except OSError as error:
            raise unwritable(target.parent, error) from None
        yield temporary


@contextmanager
def reserved_folder(target: Path) -> Iterator[Path]:
    """A new folder beside the target, for files that name each other; gone at the end."""
    with _cleared(target.parent) as temporary:
        try:
            temporary.mkdir()
        except OSError as error:
            raise unwritable(target.parent, error) from None
        yield temporary


@contextmanager
def _cleared(folder: Path) -> Iterator[Path]:
    """A free hidden name in the folder, which is made if need be; nothing has it at the end."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error) from None
    _remove_leftovers(folder)
    temporary = hidden_path(folder)
    try:
        yield temporary
    finally:
        _remove(temporary)


def _remove_leftovers(folder: Path) -> None:
    """What is ours and nobody has written to for a day: whoever made it is dead."""
    for path in folder.glob(f"{PREFIX}*{SUFFIX}"):
        with contextlib.suppress(OSError):
            if path.lstat().st_mtime < time.time() - STALE_S:
                _remove(path)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def check_target(target: Path, inputs: Sequence[Path], *, overwrite: bool) -> None:
    """Raises RefusedError where what has the target's name must not be touched."""
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


def unwritable(path: Path, error: OSError) -> RefusedError:
    """The error for a place where the system lets nothing be written."""
    return RefusedError(
        f"Nothing can be written here: {error.strerror or error}",
        where=Where(str(path)),
        hint=_ELSEWHERE,
    )
