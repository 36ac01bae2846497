"""Where operating systems differ, and what is done where one lacks something."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

_NOTE = "ortstudio.made-from"
_WINDOWS_CRASHES = {
    0xC0000005: "access violation",
    0xC00000FD: "stack overflow",
    0xC000001D: "illegal instruction",
    0xC0000374: "heap corruption",
    0xC0000409: "stack buffer overrun",
}


def start(command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start a child with three unbuffered pipes, apart from our terminal's signals. Raises OSError.

    It leads a process group of its own, so that Ctrl-C reaches us alone and we end it in order.
    """
    pipe = subprocess.PIPE
    if sys.platform == "win32":
        flags = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
        return subprocess.Popen(
            command, 0, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, creationflags=flags
        )
    return subprocess.Popen(
        command, 0, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, start_new_session=True
    )


def terminate(child: subprocess.Popen[bytes]) -> None:
    """Ask the child's whole group to end; on Windows, where nobody can be asked, end the child."""
    if sys.platform == "win32":
        child.terminate()
    else:
        _signal_group(child, signal.SIGTERM)


def kill(child: subprocess.Popen[bytes]) -> None:
    """End the child's whole group at once; on Windows the child alone."""
    if sys.platform == "win32":
        child.kill()
    else:
        _signal_group(child, signal.SIGKILL)


def _signal_group(child: subprocess.Popen[bytes], number: signal.Signals) -> None:
    if child.poll() is None:  # A number that was reaped may belong to somebody else by now.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, number)


def limit_memory(child: subprocess.Popen[bytes], memory_bytes: int) -> bool:
    """Cap the memory that the child can have written to; may be called again with another number.

    Libraries and mapped files do not count. False where the system cannot, and the child runs
    without.
    """
    if sys.platform != "linux":
        return False
    import resource

    try:
        _, hard = resource.prlimit(child.pid, resource.RLIMIT_DATA)
        resource.prlimit(child.pid, resource.RLIMIT_DATA, (memory_bytes, hard))
    except (OSError, ValueError):
        return False
    return True


def resident_bytes(process_id: int) -> int | None:
    """What a process has in memory, libraries included; None where the system does not say."""
    if sys.platform == "win32":
        return None
    asked = ["ps", "-o", "rss=", "-p", str(process_id)]
    with contextlib.suppress(OSError, ValueError, IndexError):
        if sys.platform == "linux":
            pages = Path(f"/proc/{process_id}/statm").read_text("ascii").split()[1]
            return int(pages) * os.sysconf("SC_PAGE_SIZE")
        return int(subprocess.run(asked, capture_output=True, check=False).stdout) << 10
    return None


def crash_name(exit_code: int) -> str | None:
    """`SIGSEGV`, `access violation`, ... for an exit code that means a crash, None otherwise."""
    if sys.platform == "win32":
        code = exit_code & 0xFFFFFFFF
        if code < 0xC0000000:
            return None
        return _WINDOWS_CRASHES.get(code, f"exception {code:#010x}")
    if exit_code >= 0:
        return None
    try:
        return signal.Signals(-exit_code).name
    except ValueError:
        return f"signal {-exit_code}"


def case_matters(folder: Path) -> bool:
    """Whether names in a folder may differ by letter case alone.

    Asked of the nearest part of its path that exists and has letters; where none has, the system's
    usual answer.
    """
    for there in (folder, *folder.parents):
        other = there.with_name(there.name.swapcase()) if there.name else there
        try:
            if other != there and there.exists():
                return not other.samefile(there)
        except OSError:
            return True
    return sys.platform not in ("win32", "darwin")


def publish(temporary: Path, final: Path, *, overwrite: bool) -> None:
    """Give a finished file its name in one step; `temporary` lies in the same file system.

    Without `overwrite` an existing file is never replaced, even one that appears at this moment:
    FileExistsError. Other troubles are OSError too, and `final` is then as it was.
    """
    _flush(temporary)
    if overwrite:
        temporary.replace(final)
    elif sys.platform == "win32":
        temporary.rename(final)  # Refuses to replace on Windows.
    else:
        _rename_new(temporary, final)


def _rename_new(temporary: Path, final: Path) -> None:
    """POSIX `rename` replaces and `link` does not; file systems without links have other ways.

    The last of them is a claim, which would stay, empty, if we were killed at that very moment.
    """
    try:
        os.link(temporary, final)
    except FileExistsError:
        raise
    except OSError:
        if not _rename_exclusively(temporary, final):
            _rename_onto_claim(temporary, final)
    else:
        with contextlib.suppress(OSError):  # The file has its name; a second one does no harm.
            temporary.unlink()


def _rename_exclusively(temporary: Path, final: Path) -> bool:
    """Linux's own way, which FAT has too; False where it does not work."""
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if sys.platform != "linux" or call is None:
        return False
    here, no_replace = -100, 1  # AT_FDCWD, RENAME_NOREPLACE
    if call(here, os.fsencode(temporary), here, os.fsencode(final), no_replace) == 0:
        return True
    if ctypes.get_errno() == errno.EEXIST:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(final))
    return False


def _rename_onto_claim(temporary: Path, final: Path) -> None:
    os.close(os.open(final, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    try:
        temporary.replace(final)
    except OSError:
        final.unlink()
        raise


def _flush(path: Path) -> None:
    """Have the bytes on disk before the name is, or a power cut could leave an empty file."""
    descriptor = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def lock(descriptor: int) -> bool | None:
    """Lock an open file for as long as it stays open here; False where another process has it.

    None where the file system has no locks.
    """
    busy = (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK)
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return False if error.errno in busy else None
    return True


def set_note(path: Path, text: str) -> bool:
    """Put a note of ours on a file; False where the file system keeps none.

    It stays with the file when that is renamed, changes neither content nor time, and does not go
    with copies as a rule.
    """
    data = text.encode()
    try:
        if sys.platform == "linux":
            os.setxattr(path, f"user.{_NOTE}", data)
        elif sys.platform == "win32":
            status = path.stat()
            Path(f"{path}:{_NOTE}").write_bytes(data)  # A second stream of the same file.
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        else:
            size = ctypes.c_size_t(len(data))
            where = os.fsencode(path), _NOTE.encode()
            return bool(ctypes.CDLL(None).setxattr(*where, data, size, 0, 0) == 0)
    except OSError:
        return False
    return True


def note(path: Path) -> str | None:
    """The note that was put on a file; None where there is none."""
    try:
        if sys.platform == "linux":
            data = os.getxattr(path, f"user.{_NOTE}")
        elif sys.platform == "win32":
            data = Path(f"{path}:{_NOTE}").read_bytes()
        else:
            room = ctypes.create_string_buffer(4096)
            size = ctypes.c_size_t(len(room))
            where = os.fsencode(path), _NOTE.encode()
            found = ctypes.CDLL(None).getxattr(*where, room, size, 0, 0)
            data = room.raw[: max(found, 0)]
    except OSError:
        return None
    return data.decode(errors="replace") or None
