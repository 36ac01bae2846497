"""Runs programs in turns and holds their ratio against what is claimed."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

ROUNDS = 9


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a program: wall time, and peak memory, None where the system does not say."""

    seconds: float
    peak_bytes: int | None


@dataclass(frozen=True, slots=True)
class Claim:
    """What was measured against its limit."""

    text: str
    measured: float
    limit: float
    at_most: bool
    unit: str = "×"
    detail: str = ""

    @property
    def holds(self) -> bool:
        """Whether it is true here."""
        return self.measured <= self.limit if self.at_most else self.measured >= self.limit

    def __str__(self) -> str:
        sign = "≤" if self.at_most else "≥"
        mark = "holds " if self.holds else "MISSED"
        text = f"{mark}  {self.measured:7.2f} {self.unit} {sign} {self.limit:g} {self.unit}"
        return f"{text}  {self.text}" + (f" ({self.detail})" if self.detail else "")


def in_turns(programs: Mapping[str, Sequence[str]], rounds: int = ROUNDS) -> dict[str, list[Run]]:
    """Run each program once unmeasured, then all of them in turns, so that load hits all alike."""
    for command in programs.values():
        run(command)
    found: dict[str, list[Run]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, command in programs.items():
            found[name].append(run(command))
    return found


def run(command: Sequence[str]) -> Run:
    """Run a program to its end; its output goes nowhere. Raises where it fails."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as child:
        if not hasattr(os, "wait4"):
            code, peak = child.wait(), None
        else:
            _, status, usage = os.wait4(child.pid, 0)
            code = child.returncode = os.waitstatus_to_exitcode(status)
            # Kilobytes on Linux, bytes on macOS.
            peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    seconds = time.perf_counter() - start
    if code:
        raise subprocess.CalledProcessError(code, command)
    return Run(seconds, peak)


def calls_in_turns(
    calls: Mapping[str, Callable[[], object]], rounds: int = ROUNDS
) -> dict[str, list[float]]:
    """The same for functions of this process: seconds of each call."""
    found: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            found[name].append(time.perf_counter() - start)
    return found


def median_seconds(runs: Sequence[Run]) -> float:
    """The middle of the wall times."""
    return statistics.median(one.seconds for one in runs)


def peak_megabytes(runs: Sequence[Run]) -> float | None:
    """The largest memory of any run."""
    peaks = [one.peak_bytes for one in runs if one.peak_bytes is not None]
    return max(peaks) / 1e6 if peaks else None
