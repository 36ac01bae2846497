"""The machine, as far as it bears on what is measured, and what disturbs it."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from pathlib import Path

from ortstudio.errors import UsageError

FEW_CPUS = 4


def environment() -> dict[str, object]:
    """What a reader of the figures must know."""
    return {
        "system": platform.platform(),
        "cpu": cpu_name(),
        "cpus": usable_cpus(),
        "governor": _text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "memory_bytes": _memory_bytes(),
        "load_average": load_average(),
    }


def cpu_name() -> str:
    """The processor's name, where the system says it."""
    for line in (_text("/proc/cpuinfo") or "").splitlines():
        if line.startswith(("model name", "Model")):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def usable_cpus() -> int:
    """How many this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_cpus(cpus: Sequence[int]) -> None:
    """Raises UsageError where this process may not keep its children to these processors."""
    if not cpus:
        return
    if not hasattr(os, "sched_setaffinity"):
        raise UsageError("This system cannot keep a process to some processors")
    usable = os.sched_getaffinity(0)
    if not usable.issuperset(cpus):
        named = ", ".join(map(str, sorted(usable)))
        raise UsageError("There are no such processors here", hint=f"Choose from {named}.")


def load_average() -> float | None:
    """How many processes wanted a processor in the last minute; None where nobody says."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def frequency_mhz() -> float | None:
    """How fast the first processor runs right now; None where nobody says."""
    text = _text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq")
    return int(text) / 1000 if text and text.isdigit() else None


class Disturbance:
    """Watches over a lab run for what makes its figures less sure."""

    def __init__(self) -> None:
        self._loads: list[float] = []
        self._frequencies: list[float] = []

    def look(self) -> None:
        """Take note, once a round."""
        for found, kept in (
            (load_average(), self._loads),
            (frequency_mhz(), self._frequencies),
        ):
            if found is not None:
                kept.append(found)

    def notes(self) -> list[str]:
        """What was found, in words."""
        notes = []
        cpus = usable_cpus()
        if cpus < FEW_CPUS:
            notes.append(f"Only {cpus} processors: whatever else runs here shows in the figures")
        # One of ours is always running; what is beyond it is somebody else's.
        if self._loads and max(self._loads) > cpus + 0.5:
            notes.append(
                f"Other work was going on: up to {max(self._loads):.1f} processes wanted"
                f" {cpus} processors"
            )
        if self._frequencies and max(self._frequencies) > 1.2 * min(self._frequencies):
            low, high = min(self._frequencies), max(self._frequencies)
            notes.append(f"The processor's speed changed: {low:.0f} to {high:.0f} MHz")
        return notes


def _memory_bytes() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _text(path: str) -> str | None:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
