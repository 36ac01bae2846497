"""What there is for us of the machine: processors, and memory that is free."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

_MEMORY = Path("/proc/meminfo")
_GROUPS = Path("/sys/fs/cgroup")
_V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_V2 = ("memory.max", "memory.current", "inactive_file")
"""Of a control group: its limit, what counts against it, and the caches in that, which can go."""


def processors() -> int:
    """Those that we may use; all of them where the system does not say."""
    if sys.platform == "linux":
        return min([len(os.sched_getaffinity(0)), *_allotted_processors()])
    return os.cpu_count() or 1


def free_memory_bytes() -> int:
    """What programs can take without swapping.

    Of all that says something of it, the least. Where nothing does, half of the memory that is
    built in, and 4 GiB where even that is not known.
    """
    said = [*_free_of_system(), *_free_of_groups()]
    return min(said) if said else _half_of_memory()


def _free_of_system() -> Iterator[int]:
    if sys.platform == "win32":
        import ctypes

        # MEMORYSTATUSEX: its own size, then the memory that is built in, then what is free.
        status = (ctypes.c_uint64 * 8)(64)
        if ctypes.windll.kernel32.GlobalMemoryStatusEx(status):
            yield status[2]
    with contextlib.suppress(OSError, ValueError):
        for line in _MEMORY.read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                yield int(line.split()[1]) << 10


def _free_of_groups() -> Iterator[int]:
    """What is left in the control groups that a container or a scheduler put us into."""
    for folder in _group_folders("memory"):
        for most, now, cached in (_V1, _V2):
            with contextlib.suppress(OSError, ValueError):
                limit, used = (int((folder / name).read_text("ascii")) for name in (most, now))
                lines = (folder / "memory.stat").read_text("ascii").splitlines()
                statistics = dict(line.split() for line in lines)
                yield max(limit - used + int(statistics.get(cached, "0")), 0)


def _allotted_processors() -> Iterator[int]:
    for folder in _group_folders("cpu"):
        with contextlib.suppress(OSError, ValueError):
            quota, period = map(int, (folder / "cpu.max").read_text("ascii").split())
            yield max(quota // period, 1)


def _group_folders(controller: str) -> Iterator[Path]:
    """Our control group and those around it."""
    for line in _own_groups():
        _, controllers, path = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        root = _GROUPS / controller if controllers else _GROUPS
        folder = root / path.lstrip("/")
        yield from (one for one in (folder, *folder.parents) if one.is_relative_to(root))


def _own_groups() -> list[str]:
    """`number:controllers:path` of each; the newer kind has no controllers."""
    with contextlib.suppress(OSError):
        return Path("/proc/self/cgroup").read_text("utf-8").splitlines()
    return []


def _half_of_memory() -> int:
    if sys.platform != "win32":
        with contextlib.suppress(OSError, ValueError):
            return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return 4 << 30
