"""The runtime's profile as a Chrome trace that can be passed on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from ortstudio.services.whole_file import write_text


def write_trace(
    raw: Path, target: Path, folders: Sequence[Path], *, overwrite: bool = False
) -> None:
    """Write what the runtime wrote, with files in `folders` by their names only.

    Raises RefusedError where the file exists or cannot be written.
    """
    found = json.loads(raw.read_text(encoding="utf-8", errors="replace"))
    text = json.dumps(without_folders(found, [str(folder) for folder in folders]))
    write_text(target, text + "\n", overwrite=overwrite)


def without_folders(value: object, folders: Sequence[str]) -> object:
    """The same without these folders in any of its texts."""
    if isinstance(value, dict):
        return {key: without_folders(held, folders) for key, held in value.items()}
    if isinstance(value, list):
        return [without_folders(held, folders) for held in value]
    if not isinstance(value, str):
        return value
    for folder in folders:
        for separator in "/\\":
            value = value.replace(f"{folder}{separator}", "")
    return value
