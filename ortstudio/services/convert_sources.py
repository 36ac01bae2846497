"""Which files a conversion is asked for: files as they are named, and the models in folders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ortstudio.services.convert_outputs import LEFTOVER
from ortstudio.services.hidden import PREFIX


@dataclass(frozen=True, slots=True)
class Found:
    """A source. `root` is the folder that was named instead, if one was."""

    path: Path
    root: Path | None = None

    @property
    def below(self) -> Path:
        """Where below the root it lies, which is where its results go below the output folder."""
        return self.path.parent.relative_to(self.root) if self.root else Path()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file of a folder that is not converted, and why."""

    path: Path
    reason: str

    def to_json(self) -> dict[str, object]:
        """One entry of a plan's `skipped`."""
        return {"path": str(self.path), "reason": self.reason}


def sources(paths: Iterable[str | Path]) -> Iterator[Found | Skipped]:
    """What the paths stand for. A folder without any model stands for itself."""
    for path in map(Path, paths):
        if path.is_dir():
            yield from _within(path)
        else:
            yield Found(path)


def _within(folder: Path) -> Iterator[Found | Skipped]:
    found = False
    for path in sorted(folder.rglob("*")):
        if path.name.startswith(PREFIX) or not path.is_file():
            continue
        reason = _why_not(path.name.lower())
        found |= not reason
        yield Skipped(path, reason) if reason else Found(path, folder)
    if not found:
        yield Found(folder)


def _why_not(name: str) -> str:
    if not name.endswith(".onnx"):
        return "not named .onnx"
    if name.endswith(LEFTOVER):
        return "named as the optimized graph that an earlier conversion saved"
    return ""
