"""The surveys of releases that are kept in the user's folder, a file for each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import cast

from ortstudio.analysis.compatibility.releases import PARTS, Release
from ortstudio.analysis.compatibility.surveys import Row, Survey
from ortstudio.services.places import data_folder

MOST_BYTES = 1 << 24
_HIGHEST = ("opset", "ir", "ai.onnx.ml")


def surveys_folder() -> Path:
    """Where they are kept."""
    return data_folder() / "surveys"


def kept_surveys(folder: Path | None = None) -> Iterator[Survey]:
    """All that can be read and are what they should be; others are passed over."""
    for path in sorted((folder or surveys_folder()).glob("*.json")):
        with suppress(OSError, ValueError, RecursionError):
            if path.stat().st_size <= MOST_BYTES:
                found: object = json.loads(path.read_bytes())
                if is_survey(found):
                    yield cast(Survey, found)


def is_survey(found: object) -> bool:
    """Whether it has the form of a survey, down to each row."""
    if not isinstance(found, dict) or not isinstance(found.get("release"), str):
        return False
    if str(Release.parse(found["release"])) != found["release"]:
        return False
    highest = found.get("highest")
    if not isinstance(highest, dict) or not all(_is_count(highest.get(key)) for key in _HIGHEST):
        return False
    checks = {
        "reads": _is_count,
        "writes": _is_count,
        "kernels": _is_kernel,
        "schemas": _is_schema,
        "initializers": _is_count,
        "values": _is_count,
        "actions": _is_text,
    }
    needed = [part for part in checks if part not in PARTS or part in found]
    return all(
        isinstance(found.get(part), list) and all(map(checks[part], found[part])) for part in needed
    )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_kernel(row: object) -> bool:
    if not _begins_well(row, 5):
        return False
    until, types = cast(Row, row)[3:]
    return _is_count(until) and isinstance(types, dict) and all(map(_is_texts, types.values()))


def _is_schema(row: object) -> bool:
    if not _begins_well(row, 6):
        return False
    attributes, fewest, most = cast(Row, row)[3:]
    return _is_texts(attributes) and _is_count(fewest) and _is_count(most)


def _begins_well(row: object, length: int) -> bool:
    """Domain, operator and version, in a row of that length."""
    if not isinstance(row, list) or len(row) != length:
        return False
    return _is_text(row[0]) and _is_text(row[1]) and _is_count(row[2])
