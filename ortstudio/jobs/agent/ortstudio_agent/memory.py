"""What this process holds in memory, where the system says it."""

import os
import sys
from typing import Optional


def resident_bytes() -> Optional[int]:
    """What is in memory now; None where nobody says."""
    return _status("VmRSS")


def private_bytes() -> Optional[int]:
    """That part of it that no file backs; None where nobody says."""
    return _status("RssAnon")


def peak_bytes() -> Optional[int]:
    """The most that was in memory since the last `reset_peak`, or since the start."""
    found = _status("VmHWM")
    if found is not None:
        return found
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def reset_peak() -> bool:
    """Forget the peak so far; False where the system cannot."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        return False
    return True


def bytes_read() -> Optional[int]:
    """What was read by calls so far, from the disk or from its cache; None where nobody says."""
    return _number("/proc/self/io", "rchar")


def drop_cached(path: str) -> bool:
    """Have the system forget the file's pages; False where it cannot."""
    if not hasattr(os, "posix_fadvise"):
        return False
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fdatasync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)
    return True


def read_through(path: str) -> None:
    """Have the system keep the file's pages, without a copy where it can."""
    with open(path, "rb", buffering=0) as file, open(os.devnull, "wb") as nowhere:
        try:
            done, count = 0, 1
            while count:
                count = os.sendfile(nowhere.fileno(), file.fileno(), done, 1 << 30)
                done += count
        except (AttributeError, OSError):
            buffer = bytearray(1 << 18)
            while file.readinto(buffer):
                pass


def _status(name: str) -> Optional[int]:
    found = _number("/proc/self/status", name)
    return None if found is None else found * 1024


def _number(path: str, name: str) -> Optional[int]:
    try:
        with open(path) as file:
            for line in file:
                if line.startswith(name + ":"):
                    return int(line.split()[1])
    except (OSError, ValueError):
        pass
    return None
