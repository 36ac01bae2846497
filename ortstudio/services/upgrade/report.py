"""The proof of an upgrade as a file to keep: JSON for machines, one HTML page for people."""

from __future__ import annotations

import json
import platform
from pathlib import Path

from ortstudio import __version__
from ortstudio.errors import UsageError
from ortstudio.services.conversion import Conversion
from ortstudio.services.upgrade.page import page
from ortstudio.services.whole_file import check_free, write_text

FORMATS = (".json", ".html")


def check_report(path: Path, *, overwrite: bool) -> None:
    """Raises UsageError where the name says no format, RefusedError where the file exists."""
    if path.suffix.lower() not in FORMATS:
        raise UsageError(
            f"A report is written as .json or .html, and {path.name!r} is neither",
            hint="Name it so.",
        )
    check_free(path, overwrite=overwrite)


def write_report(path: Path, done: Conversion, *, overwrite: bool = False) -> None:
    """Write it. Raises RefusedError where the file exists or cannot be written."""
    if path.suffix.lower() == ".json":
        answer = {**done.to_json(), "made_by": made_by()}
        text = json.dumps(answer, indent=2, allow_nan=False) + "\n"
    else:
        text = page(done, ", ".join(f"{name} {version}" for name, version in made_by().items()))
    write_text(path, text, overwrite=overwrite)


def made_by() -> dict[str, str]:
    """What the upgrade was made with."""
    return {
        "ORT Studio": __version__,
        "Python": platform.python_version(),
        platform.system(): platform.machine(),
    }
