"""Models as JSON by ort.fbs, read, changed and written by flatc, which shares nothing with us."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from schema.generate import SCHEMAS, flatc

Json = dict[str, Any]
REMOVED = object()


def decode(paths: Iterable[Path], folder: Path) -> dict[str, Json]:
    """Files in ORT format, by their name without its end; defaults are left out."""
    options = ("--json", "--strict-json", "--raw-binary", "--allow-non-utf8")
    flatc(*options, "-o", folder, SCHEMAS / "ort.fbs", "--", *paths)
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"), strict=False)
        for path in sorted(folder.glob("*.json"))
    }


def encode(model: Json, folder: Path) -> bytes:
    """The file, in ORT format, that a model makes."""
    source = folder / "model.json"
    source.write_text(json.dumps(model), encoding="utf-8")
    flatc("--binary", "-o", folder, SCHEMAS / "ort.fbs", source)
    return source.with_suffix(".bin").read_bytes()


def changed(model: Json, path: str, value: object) -> Json:
    """A copy with the value at a path such as `model.graph.nodes.0.index` replaced or removed."""
    model = copy.deepcopy(model)
    at: Any = model
    *way, last = (int(part) if part.isdecimal() else part for part in path.split("."))
    for part in way:
        at = at[part]
    if value is REMOVED:
        del at[last]
    else:
        at[last] = value
    return model
