"""The releases side by side: how a file stands with each, and which neighbours answer alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby

from ortstudio.analysis.compatibility.oracle import Compatibility
from ortstudio.analysis.compatibility.releases import Release

Strip = Sequence[Compatibility]
"""The answers of all releases that were measured, for one build, oldest first."""


class Standing(Enum):
    """What a release does with a file, in the words that people read."""

    LOADS = "loads"
    SLOWER = "loads, without its saved optimizations"
    WARNED = "loads, with a warning"
    REFUSES = "refuses"
    UNKNOWN = "not known"

    @property
    def loads(self) -> bool:
        """Whether the release loads the file, however well."""
        return self in (Standing.LOADS, Standing.SLOWER, Standing.WARNED)


def standing(found: Compatibility) -> Standing:
    """What an answer comes to."""
    if found.loads == "no":
        return Standing.REFUSES
    if found.loads == "not known":
        return Standing.UNKNOWN
    kinds = {said.kind for said in found.said}
    if "warning" in kinds:
        return Standing.WARNED
    return Standing.SLOWER if "slower" in kinds else Standing.LOADS


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbouring releases with which a file stands alike; `why` is what the last one answers."""

    first: Release
    last: Release
    standing: Standing
    why: str

    def to_json(self) -> dict[str, str]:
        """One entry of an answer's strip."""
        return {
            "first": str(self.first),
            "last": str(self.last),
            "standing": self.standing.value,
            "why": self.why,
        }


def stretches(strip: Strip) -> tuple[Stretch, ...]:
    """The strip in as few parts as say the same."""
    runs = [list(run) for _, run in groupby(strip, standing)]
    return tuple(
        Stretch(run[0].release, run[-1].release, standing(run[-1]), run[-1].why) for run in runs
    )


def strip_text(strip: Strip) -> str:
    """`loads: 1.14 and newer; refuses: 1.4 to 1.13`."""
    return "; ".join(
        f"{wanted.value}: {_standing_so(strip, wanted)}"
        for wanted in Standing
        if any(standing(answer) is wanted for answer in strip)
    )


def _standing_so(strip: Strip, wanted: Standing) -> str:
    return releases_text(strip, lambda place: standing(strip[place]) is wanted)


def releases_text(strip: Strip, wanted: Callable[[int], bool]) -> str:
    """`1.8 to 1.12, 1.14 and newer`: the releases at the places that are wanted."""
    all_ = [answer.release for answer in strip]
    runs = [
        [place for place, _ in run]
        for is_wanted, run in groupby(enumerate(all_), lambda one: wanted(one[0]))
        if is_wanted
    ]
    return ", ".join(_run_text(all_, run[0], run[-1]) for run in runs)


def _run_text(releases: Sequence[Release], first: int, last: int) -> str:
    """By minor numbers where all of a minor's releases are in it: `1.8 to 1.12`, `1.13`."""
    begin, end = releases[first], releases[last]
    starts = not first or releases[first - 1].minor != begin.minor
    is_newest = last + 1 == len(releases)
    ends = is_newest or releases[last + 1].minor != end.minor
    if begin.minor == end.minor:
        starts = ends = starts and ends
    start, stop = (
        f"{one.major}.{one.minor}" if whole else str(one)
        for one, whole in ((begin, starts), (end, ends))
    )
    if is_newest and first != last:
        return f"{start} and newer"
    return start if start == stop else f"{start} to {stop}"
