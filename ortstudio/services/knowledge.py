"""What we know beyond any file, read from `resources/` once."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import cast

from ortstudio.analysis.operators import OperatorData, Operators
from ortstudio.analysis.versions import FormatVersionData, FormatVersions
from ortstudio.services import resources


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Operators and their versions; format versions and the releases that write and read them."""

    operators: Operators
    versions: FormatVersions


@cache
def knowledge() -> Knowledge:
    """All of it, read on first use. Raises MissingError where the program lacks its resources."""
    return Knowledge(
        Operators(cast(OperatorData, _parsed("operators.json"))),
        FormatVersions(cast(FormatVersionData, _parsed("format_versions.json"))),
    )


def _parsed(name: str) -> object:
    parsed: object = json.loads(resources.find(name).read_bytes())
    return parsed
