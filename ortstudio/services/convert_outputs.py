"""What a conversion writes: which files, under which names, and what each is for.

Names are those of the upstream converter, L being the level unless that is `all`:
`M[.L].ort`, `M[.L].with_runtime_opt.ort`, and beside either `M[.L]….optimized.onnx` and
`M.required_operators[_and_types][.L]….config`; without `M.` where a config is for a whole folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.sessions import Level, Style, Target

LEFTOVER = ".optimized.onnx"
"""What an earlier conversion may have left in a folder of sources."""

_SUFFIXES = (".onnx", ".ort", ".pb")


class Role(Enum):
    """What a written file is. The value is the contract's word."""

    FIXED = "fixed"
    RUNTIME = "runtime"
    OPTIMIZED_ONNX = "optimized-onnx"
    CONFIG = "config"

    @property
    def is_model(self) -> bool:
        """Whether it is the `.ort` that all others stand beside."""
        return self in (Role.FIXED, Role.RUNTIME)


@dataclass(frozen=True, slots=True)
class PlannedOutput:
    """A file that will be written; `replaces` where one of its name is there already."""

    path: Path
    style: Style
    role: Role
    purpose: str
    replaces: bool = False

    def to_json(self) -> dict[str, object]:
        """One entry of a planned row's `outputs`."""
        return {
            "path": str(self.path),
            "role": self.role.value,
            "size_bytes": None,
            "purpose": self.purpose,
            "replaces": self.replaces,
        }


def planned_outputs(
    source: Path, folder: Path, settings: ConvertSettings, *, config: bool
) -> Iterator[PlannedOutput]:
    """What one source leads to in a folder; `config` where it gets an operator config of its own.

    By style, and in each the model first.
    """
    stem, level = stem_of(source), settings.level
    for style in settings.styles:
        yield _planned(
            folder / output_name(source, level, style), style, Role(style.value), settings
        )
        if settings.optimized_onnx:
            path = folder / f"{stem}{_middle(level, style)}{LEFTOVER}"
            yield _planned(path, style, Role.OPTIMIZED_ONNX, settings)
        if config:
            path = folder / f"{stem}.{_config_name(settings, style)}"
            yield _planned(path, style, Role.CONFIG, settings)


def folder_configs(folder: Path, settings: ConvertSettings) -> Iterator[PlannedOutput]:
    """The operator configs for all models of a folder together, written into one."""
    for style in settings.styles if settings.write_config else ():
        yield _planned(folder / _config_name(settings, style), style, Role.CONFIG, settings)


def output_name(source: Path, level: Level, style: Style) -> str:
    """The name of a result: `M.ort` at level all and style fixed."""
    return f"{stem_of(source)}{_middle(level, style)}.ort"


def stem_of(source: Path) -> str:
    """The name of a source without the suffix of a model."""
    for suffix in _SUFFIXES:
        if source.name.lower().endswith(suffix) and len(source.name) > len(suffix):
            return source.name[: -len(suffix)]
    return source.name


def _middle(level: Level, style: Style) -> str:
    part = "" if level is Level.ALL else f".{level.value}"
    return part + (".with_runtime_opt" if style is Style.RUNTIME else "")


def _config_name(settings: ConvertSettings, style: Style) -> str:
    types = "_and_types" if settings.type_reduction else ""
    return f"required_operators{types}{_middle(settings.level, style)}.config"


def _planned(path: Path, style: Style, role: Role, settings: ConvertSettings) -> PlannedOutput:
    return PlannedOutput(path, style, role, _purpose(style, role, settings), os.path.lexists(path))


def _purpose(style: Style, role: Role, settings: ConvertSettings) -> str:
    """What the file is for, in one line."""
    if role is Role.FIXED:
        return _fixed_purpose(settings)
    if role is Role.RUNTIME:
        return (
            "for devices where an accelerator may take nodes: its graph has only the basic"
            " optimizations, the others are recorded for what the CPU keeps and applied where the"
            " session enables it"
        )
    what = "operators and element types" if settings.type_reduction else "operators"
    if role is Role.CONFIG and style is Style.FIXED:
        return f"the {what} that a minimal build needs for the fixed model"
    if role is Role.CONFIG:
        return (
            f"the {what} that a minimal build needs for the runtime model, whether its recorded"
            " optimizations are applied or not"
        )
    if style is Style.FIXED:
        return "the graph of the fixed model as ONNX, to look at or to compare"
    return (
        "the graph of the runtime model as ONNX with the recorded optimizations applied: fused"
        " where the .ort beside it holds the single nodes and the records"
    )


def _fixed_purpose(settings: ConvertSettings) -> str:
    if settings.level is Level.DISABLE:
        return "for the CPU: the graph as the source has it"
    if settings.target is Target.AMD64 and settings.level in (Level.LAYOUT, Level.ALL):
        return (
            "for the CPU: all optimizations of the level are applied; any node in the blocked"
            " layout fits only x64 CPUs like this one"
        )
    return "for the CPU: all optimizations of the level are applied"
