"""Operator configs as the scripts in onnxruntime's wheel write and read them."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

from onnxruntime.tools import reduced_build_config_parser
from onnxruntime.tools.ort_format_model import create_config_from_models


def lines(text: str) -> list[str]:
    """A config without its comments, in one order."""
    return sorted(line for line in text.splitlines() if line and not line.startswith("#"))


def written(models: Sequence[Path], folder: Path, *, types: bool) -> list[str]:
    """The lines that upstream writes for some `.ort` files. Raises what it raises."""
    target = folder / "upstream.config"
    with warnings.catch_warnings():
        # It leaves the models open.
        warnings.simplefilter("ignore", ResourceWarning)
        create_config_from_models(models, target, types)
    return lines(target.read_text(encoding="utf-8"))


def operators(config: Path) -> dict[str, dict[int, set[str]]] | None:
    """Domain → version → operators as upstream reads them; None where all are required."""
    found, _ = reduced_build_config_parser.parse_config(str(config), False)
    return (
        None
        if found is None
        else {d: {v: set(ops) for v, ops in r.items()} for d, r in found.items()}
    )


def types(config: Path, operator: str) -> Mapping[str, object] | None:
    """The types of `domain:operator` as upstream's build knows them; None where it keeps all."""
    _, kept = reduced_build_config_parser.parse_config(str(config), True)
    manager = getattr(kept, "_manager", None)
    entry = manager and manager.get_config_entry(*operator.split(":"))
    found: Mapping[str, object] | None = json.loads(entry) if entry else None
    return found
