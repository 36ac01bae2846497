"""Finds the files of `resources/`: in a checkout, an installed wheel, a frozen program."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import ortstudio
from ortstudio.errors import MissingError, Where

# A wheel carries the files inside the package, and so does what a freezer makes of the wheel.
PLACES = ("_resources", "../resources")


def find(name: str) -> Path:
    """The path of a file or folder of `resources/`, such as `samples`.

    Raises `MissingError` where the program was installed without it.
    """
    package = str(Path(ortstudio.__file__).parent)
    for folder in _folders(package):
        path = folder / name
        if path.exists():
            return path
    raise MissingError(
        f"ORT Studio was installed without its file {name}",
        where=Where(package),
        hint="Install it again.",
    )


@cache
def _folders(package: str) -> tuple[Path, ...]:
    """Looked for once: dozens of icons are found before a window stands."""
    return tuple(Path(package, place).resolve() for place in PLACES)
