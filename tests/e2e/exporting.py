"""Exports of files of the corpus."""

from __future__ import annotations

from pathlib import Path

from ortstudio.services.export import Exported, ExportSettings, export
from tests.builders.knowledge import CORPUS


def exported(name: str, target: Path, **settings: object) -> Exported:
    return export(CORPUS / name, ExportSettings(target, **settings))  # type: ignore[arg-type]


def listing(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def codes(row: Exported) -> set[str]:
    return {note.code for note in row.notes}
