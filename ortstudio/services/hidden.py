"""Hidden places of ours, for what is not whole yet: gone at the end, however that comes.

A hidden folder belongs to whoever holds the lock of the file `lock` in it, and the system lets go
of a lock when its holder dies in whatever way. So the next work in a place removes at once what the
dead left there. Where a file system has no locks, what was not written to for a day is taken as
left.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ortstudio.errors import RefusedError, Where
from ortstudio.jobs import platform
from ortstudio.services.paths import is_folder

PREFIX, SUFFIX = ".ortstudio-", ".part"
STALE_S = 24 * 3600
_LOCK, _CONTENT = "lock", "files"


def hidden_path(folder: Path) -> Path:
    """A new name of ours, for what is not whole yet."""
    return folder / f"{PREFIX}{secrets.token_hex(8)}{SUFFIX}"


@contextmanager
def hidden_folder(parent: Path) -> Iterator[Path]:
    """An empty folder in another one. Raises OSError where it cannot be made."""
    remove_left(parent)
    folder, lock = _owned(parent)
    content = folder / _CONTENT
    try:
        content.mkdir()
        yield content
    finally:
        shutil.rmtree(content, ignore_errors=True)
        # Windows removes no file that is open. The lock guards an empty folder by now.
        os.close(lock)
        _remove(folder)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """An empty folder where the system keeps temporary files. Raises RefusedError without one."""
    import tempfile  # Late: it takes longer to load than the window has.

    with ExitStack() as stack:
        try:
            place = Path(tempfile.gettempdir())
            folder = stack.enter_context(hidden_folder(place))
        except OSError as error:
            raise RefusedError(
                f"There is no place for temporary files: {error.strerror or error}",
                where=Where(str(error.filename or "")),
                hint="Set TMPDIR to a folder that has room.",
            ) from None
        yield folder


def remove_left(parent: Path) -> None:
    """Remove what is ours in a folder and belongs to nobody alive."""
    if not is_folder(parent):
        return
    for path in parent.glob(f"{PREFIX}*{SUFFIX}"):
        with contextlib.suppress(OSError):
            if not path.is_dir() or path.is_symlink():
                _remove_if_stale(path)
            else:
                _remove_if_dead(path)


def _owned(parent: Path) -> tuple[Path, int]:
    """A new folder and its lock, which is ours."""
    while True:
        folder = hidden_path(parent)
        folder.mkdir(mode=0o700)
        try:
            lock = _locked(folder / _LOCK)
        except OSError:
            _remove(folder)
            raise
        if lock is not None:
            return folder, lock


def _locked(path: Path) -> int | None:
    """A new lock that is ours; None where somebody took its folder for left before it was."""
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except FileNotFoundError:
        return None
    with contextlib.suppress(FileNotFoundError):
        if platform.lock(lock) is not False and os.path.samestat(path.stat(), os.fstat(lock)):
            return lock
    os.close(lock)
    return None


def _remove_if_dead(folder: Path) -> None:
    """Remove a folder whose lock nobody has. Raises OSError."""
    flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        lock = os.open(folder / _LOCK, flags)
    except FileNotFoundError:
        if _is_dead_without_lock(folder):
            _take_away(folder)
        return
    with ExitStack() as stack:
        stack.callback(os.close, lock)
        taken = platform.lock(lock)
        if taken is None:
            _remove_if_stale(folder)
        elif taken:
            if sys.platform == "win32":
                stack.close()  # Nothing is renamed there that is open.
            _take_away(folder)


def _take_away(folder: Path) -> None:
    """Without its name first: a child of the dead may be about to write there.

    The lock is held meanwhile, or who has just made the folder might take it for his.
    """
    _remove(folder.rename(hidden_path(folder.parent)))


def _is_dead_without_lock(folder: Path) -> bool:
    """A folder just made is empty and gets its lock next; all others are dead."""
    with contextlib.suppress(OSError):
        folder.rmdir()
    return not (folder / _LOCK).exists()


def _remove_if_stale(path: Path) -> None:
    inside = [path, *path.rglob("*")] if path.is_dir() and not path.is_symlink() else [path]
    if max(one.lstat().st_mtime for one in inside) < time.time() - STALE_S:
        _remove(path)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
