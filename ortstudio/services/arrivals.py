"""What happens with files that are dropped or named: decided by content, said in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ortstudio.analysis.words import count, listed
from ortstudio.errors import StudioError
from ortstudio.format.source import Source
from ortstudio.model.model import FileKind
from ortstudio.model.sniff import sniff
from ortstudio.services.paths import is_folder

MOST_FILES = 400
"""Files looked at in dropped folders; more than anyone opens at once."""

SUFFIXES = (".onnx", ".ort", ".onnx_adapter", ".ckpt")
"""What is looked for in folders. A file that was named itself may be called anything."""


@dataclass(frozen=True, slots=True)
class Arrivals:
    """The models among some paths, by kind, and what is none.

    `in_folder` where a folder was named: its sources are there to be converted, not compared.
    `more` where there are more files than were looked at.
    """

    onnx: tuple[Path, ...]
    others: tuple[Path, ...]
    refused: tuple[Path, ...]
    in_folder: bool = False
    more: bool = False

    @property
    def models(self) -> tuple[Path, ...]:
        """All models, sources first."""
        return self.onnx + self.others

    @property
    def pair(self) -> tuple[Path, Path] | None:
        """Two models to open side by side, the source first."""
        if len(self.models) != 2 or (self.in_folder and len(self.onnx) == 2):
            return None
        return self.models[0], self.models[1]

    def sentence(self) -> str:
        """What will happen: `Open side by side`, `Convert 3 models`, `Not a model: notes.txt`."""
        if not self.models:
            if not self.refused:
                return "No models here"
            return f"Not a model: {listed([path.name for path in self.refused], 2)}"
        if self.pair:
            return "Open side by side"
        if len(self.models) == 1:
            return f"Open {self.models[0].name}"
        if self.onnx:
            found = count(len(self.onnx), "model")
            return f"Convert more than {found}" if self.more else f"Convert {found}"
        return f"Open the first of {count(len(self.others), 'model')}"


def arrivals(paths: Sequence[Path]) -> Arrivals:
    """Look at files, and into folders. Reads a few pages of each file."""
    onnx: list[Path] = []
    others: list[Path] = []
    refused: list[Path] = []
    files = _files(paths)
    for path in files[:MOST_FILES]:
        kind = _kind_of(path)
        if kind is FileKind.ONNX:
            onnx.append(path)
        elif kind is not None:
            others.append(path)
        else:
            refused.append(path)
    in_folder = any(is_folder(path) for path in paths)
    more = len(files) > MOST_FILES
    return Arrivals(tuple(onnx), tuple(others), tuple(refused), in_folder, more)


def _files(paths: Sequence[Path]) -> list[Path]:
    found: dict[Path, None] = {}
    for path in paths:
        if is_folder(path):
            inside = (p for p in sorted(path.rglob("*")) if p.suffix.lower() in SUFFIXES)
            found.update((p, None) for p in inside if p.is_file())
        else:
            found[path] = None
    return list(found)


def _kind_of(path: Path) -> FileKind | None:
    """The kind of a model file by its content; None for what is none or cannot be read."""
    try:
        return sniff(Source.open(path))
    except StudioError:
        return None
