"""What the program knows beyond a file, read from the checkout's `resources`."""

from __future__ import annotations

import functools
import json
from pathlib import Path

from ortstudio.analysis.compatibility.releases import Releases
from ortstudio.analysis.operators import Operators
from ortstudio.analysis.versions import FormatVersions

ROOT = Path(__file__).parents[2]
RESOURCES = ROOT / "resources"
CORPUS = ROOT / "tests" / "corpus"


@functools.cache
def operators() -> Operators:
    """All operators known."""
    return Operators(json.loads((RESOURCES / "operators.json").read_text(encoding="utf-8")))


@functools.cache
def format_versions() -> FormatVersions:
    """All format versions known."""
    return FormatVersions(
        json.loads((RESOURCES / "format_versions.json").read_text(encoding="utf-8"))
    )


@functools.cache
def releases() -> Releases:
    """All releases that were measured."""
    return Releases(json.loads((RESOURCES / "releases.json").read_text(encoding="utf-8")))
