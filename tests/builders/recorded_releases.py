"""What releases registered, read and wrote when the corpus was made."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from ortstudio.services.runtimes.runtime import version_key


@cache
def recorded_survey(corpus: Path, release: str) -> dict[str, Any]:
    """The facts of a release in the form of a survey, in a fixed order; empty where none are known.

    Releases before 1.16 have no kernels and schemas.
    """
    registry = json.loads((corpus / "registry.json").read_bytes())
    compat = json.loads((corpus / "compat.json").read_bytes())
    if release not in registry["highest"]:
        return {}
    facts = {
        "highest": registry["highest"][release],
        "writes": [int(version) for version in compat["writes"][release]],
        "reads": [int(version) for version in compat["reads"][release]],
    }
    if release in registry["releases"]:
        facts["kernels"] = sorted(
            (
                [row["domain"], row["op"], row["since"], row["until"], _types(row, registry)]
                for row in registry["kernels"]
                if _is_in(release, row["releases"])
            ),
            key=repr,
        )
        facts["schemas"] = sorted(
            [row["domain"], row["op"], row["since"]]
            for row in registry["schemas"]
            if _is_in(release, row["releases"])
        )
    return facts


def in_order(facts: dict[str, Any]) -> dict[str, Any]:
    """A survey's facts in that form and order."""
    found = {name: facts[name] for name in ("highest", "writes", "reads")}
    if "kernels" in facts:
        found["kernels"] = sorted(
            (
                [*row[:4], {name: sorted(t) for name, t in row[4].items()}]
                for row in facts["kernels"]
            ),
            key=repr,
        )
        found["schemas"] = sorted(row[:3] for row in facts["schemas"])
    return found


def _types(row: dict[str, Any], registry: dict[str, Any]) -> dict[str, list[str]]:
    names = registry["type_names"]
    return {name: sorted(names[place] for place in some) for name, some in row["types"].items()}


def _is_in(release: str, ranges: Iterable[tuple[str, str]]) -> bool:
    key = version_key(release)
    return any(version_key(first) <= key <= version_key(last) for first, last in ranges)
