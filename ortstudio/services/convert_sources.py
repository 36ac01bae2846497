"""Which files a conversion is asked for: files as they are named, and the models in folders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ortstudio.services.convert_outputs import LEFTOVER
from ortstudio.services.paths import is_folder


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


def no_source(name: str) -> str:
    """Why a file of a folder, by its name in lower case, is nothing to convert; empty if it is."""
    if not name.endswith(".onnx"):
        return "not named .onnx"
    if name.startswith("."):
        return "hidden"
    if name.endswith(LEFTOVER):
        return "named as the optimized graph that an earlier conversion saved"
    return ""


def sources(
    paths: Iterable[str | Path], why_not: Callable[[str], str] = no_source
) -> Iterator[Found | Skipped]:
    """What the paths stand for. A folder without any model stands for itself."""
    for path in map(Path, paths):
        if is_folder(path):
            yield from _within(path, why_not)
        else:
            yield Found(path)


def _within(folder: Path, why_not: Callable[[str], str]) -> Iterator[Found | Skipped]:
    found = sorted(_below(folder, why_not), key=lambda one: one.path)
    yield from found
    if not any(isinstance(one, Found) for one in found):
        yield Found(folder)


def _below(root: Path, why_not: Callable[[str], str]) -> Iterator[Found | Skipped]:
    """All that a folder holds at any depth, but for hidden folders.

    A folder that links lead to is looked into once, and under its own name if that is below too.
    """
    seen: set[Path] = set()
    folders, linked = [root], list[Path]()
    while folders or linked:
        folder = folders.pop() if folders else linked.pop(0)
        if folder.resolve() in seen:
            continue
        seen.add(folder.resolve())
        try:
            entries = sorted(folder.iterdir())
        except OSError as error:
            yield Skipped(folder, f"cannot be read: {error.strerror}")
            continue
        for path in entries:
            if path.is_file():
                reason = why_not(path.name.lower())
                yield Skipped(path, reason) if reason else Found(path, root)
            elif path.is_dir() and not path.name.startswith("."):
                (linked if path.is_symlink() else folders).append(path)
