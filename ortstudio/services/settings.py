"""What the user chose and what was open last, kept between runs in one small JSON file."""

from __future__ import annotations

import contextlib
import os
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path

from ortstudio.services.places import config_folder

MOST_RECENT = 12


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings. A field that the file lacks, or holds as another type, has its default.

    `theme` is `system`, `light` or `dark`. Each entry of `recent` is one file, or a source and its
    result.
    """

    theme: str = "system"
    recent: list[list[str]] = field(default_factory=list)
    level: str = "all"
    style: str = "fixed"
    language: str = "python"

    def with_recent(self, paths: list[str]) -> Settings:
        """With these files as the last that were open."""
        others = [entry for entry in self.recent if entry != paths]
        return replace(self, recent=[paths, *others][:MOST_RECENT])


def settings_file() -> Path:
    """Where they are kept."""
    return config_folder() / "settings.json"


def load(path: Path) -> Settings:
    """Read settings; whatever is missing or damaged has its default."""
    if not path.exists():
        return Settings()
    import json  # Late, as in `save`: the empty window does not wait for it.

    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return Settings()
    default = Settings()
    if not isinstance(found, dict):
        return default
    known = {
        f.name: found[f.name]
        for f in fields(Settings)
        if type(found.get(f.name)) is type(getattr(default, f.name))
    }
    known["recent"] = [
        [str(path) for path in entry]
        for entry in known.get("recent", [])
        if isinstance(entry, list) and 1 <= len(entry) <= 2
    ]
    return replace(default, **known)


def save(settings: Settings, path: Path) -> bool:
    """Write settings whole or not at all; False where the folder cannot be written to."""
    import json

    temporary = path.with_name(f".{path.name}-{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(json.dumps(asdict(settings), indent=1), "utf-8")
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        return False
    return True
