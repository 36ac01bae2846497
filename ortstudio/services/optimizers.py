"""The runtime's graph optimizers, by the names under which they can be left out."""

from __future__ import annotations

import json
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from typing import TypedDict, cast

from ortstudio.errors import UsageError
from ortstudio.services import resources


class OptimizerData(TypedDict):
    """`optimizers.json`, parsed."""

    made_with: dict[str, str]
    optimizers: list[str]


@cache
def optimizer_names() -> tuple[str, ...]:
    """All of them, sorted, as release 1.32 has them."""
    parsed: object = json.loads(resources.find("optimizers.json").read_bytes())
    return tuple(cast(OptimizerData, parsed)["optimizers"])


def check_optimizers(names: Iterable[str]) -> None:
    """Raises UsageError for a name that is none: the runtime would ignore it without a word."""
    known = {name.lower(): name for name in optimizer_names()}
    for name in names:
        if known.get(name.lower()) != name:
            close = get_close_matches(name.lower(), known, n=3, cutoff=0.5)
            meant = ", ".join(known[one] for one in close)
            hint = f"Did you mean {meant}?" if meant else ""
            raise UsageError(f"ONNX Runtime has no optimizer named {name}", hint=hint)
