"""Finds the files of `resources/`: in a checkout, an installed wheel, a frozen program."""

from __future__ import annotations

from pathlib import Path

import ortstudio
from ortstudio.errors import MissingError, Where

# A wheel carries the files inside the package, and so does what a freezer makes of the wheel.
PLACES = ("_resources", "../resources")


def find(name: str) -> Path:
    """The path of a file or folder of `resources/`, such as `samples`.

    Raises `MissingError` where the program was installed without it.
    """
    package = Path(ortstudio.__file__).resolve().parent
    for place in PLACES:
        path = package.joinpath(place, name).resolve()
        if path.exists():
            return path
    raise MissingError(
        f"ORT Studio was installed without its file {name}",
        where=Where(str(package)),
        hint="Install it again.",
    )
