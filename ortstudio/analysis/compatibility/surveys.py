"""What releases answered when they were surveyed, put together by what they have in common.

A survey is an object with

- `release`; `reads`, `writes`: format versions; `highest`: {opset, ir, ai.onnx.ml} accepted
- `kernels`: [domain, operator, since, until, {constraint: types}] as registered for the CPU
- `schemas`: [domain, operator, since, attributes, fewest inputs, most inputs], -1 for not asked
- `initializers`, `values`: element types (numbers) that a file may hold as constants, as types
- `actions`: `optimizer:action` of saved optimizations that the release replays

What a release could not be asked is absent.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict, cast

from ortstudio.analysis.compatibility.releases import (
    PARTS,
    UNCHANGING_DOMAINS,
    Ranges,
    Release,
    ReleaseData,
)

OPEN = 2147483647
"""The last version of a kernel that serves no other than its first."""
Row = Sequence[object]


class _Always(TypedDict):
    release: str
    reads: Sequence[int]
    writes: Sequence[int]
    highest: Mapping[str, int]


class Survey(_Always, total=False):
    """What one release answered."""

    kernels: Sequence[Row]
    schemas: Sequence[Row]
    initializers: Sequence[int]
    values: Sequence[int]
    actions: Sequence[str]


def release_data(surveys: Iterable[Survey]) -> ReleaseData:
    """The answers of all, oldest release first, those alike in one row."""
    ordered = sorted(surveys, key=lambda survey: _number(survey["release"]))
    names = [survey["release"] for survey in ordered]
    asked = {
        part: _ranges(names, [survey["release"] for survey in ordered if part in survey])
        for part in PARTS
    }
    types, kernels = _kernels(names, ordered)
    return {
        "releases": names,
        "asked": asked,
        "reads": {survey["release"]: survey["reads"] for survey in ordered},
        "writes": {survey["release"]: survey["writes"] for survey in ordered},
        "highest": {survey["release"]: survey["highest"] for survey in ordered},
        "initializers": _by_item(names, ordered, "initializers"),
        "values": _by_item(names, ordered, "values"),
        "actions": _by_item(names, ordered, "actions"),
        "type_names": types,
        "kernels": kernels,
        "schemas": _schemas(names, ordered),
    }


def _number(name: str) -> Release:
    release = Release.parse(name)
    if release is None:
        raise ValueError(name)
    return release


def _ranges(names: Sequence[str], some: Iterable[str]) -> Ranges:
    """Runs of neighbours among the releases: [first, last] of each."""
    runs: list[list[int]] = []
    for place in sorted(map(names.index, some)):
        if runs and runs[-1][1] == place - 1:
            runs[-1][1] = place
        else:
            runs.append([place, place])
    return [[names[first], names[last]] for first, last in runs]


def _grouped(surveys: Iterable[Survey], part: str) -> dict[str, list[str]]:
    """Each item of a part, as JSON, and the releases that have it."""
    found: dict[str, list[str]] = {}
    for survey in surveys:
        for item in cast("Mapping[str, Sequence[object]]", survey).get(part, ()):
            key = item if isinstance(item, str) else json.dumps(item, sort_keys=True)
            found.setdefault(key, []).append(survey["release"])
    return dict(sorted(found.items()))


def _by_item(names: Sequence[str], surveys: Iterable[Survey], part: str) -> Mapping[str, Ranges]:
    return {item: _ranges(names, some) for item, some in _grouped(surveys, part).items()}


def _kernels(
    names: Sequence[str], surveys: Iterable[Survey]
) -> tuple[Sequence[str], Sequence[Row]]:
    """All kernels, and the names of the types that they number."""
    found = [(json.loads(key), some) for key, some in _grouped(surveys, "kernels").items()]
    types = sorted({t for row, _ in found for allowed in row[4].values() for t in allowed})
    places = {name: place for place, name in enumerate(types)}
    rows = [
        [
            *row[:3],
            None if row[3] == OPEN else row[3],
            {name: [places[t] for t in allowed] for name, allowed in row[4].items()},
            _ranges(names, some),
        ]
        for row, some in found
    ]
    return types, rows


def _schemas(names: Sequence[str], surveys: Iterable[Survey]) -> list[Row]:
    """All schemas; those of ONNX's own domains never change once released."""
    found: dict[str, list[str]] = {}
    for survey in surveys:
        for row in survey.get("schemas", ()):
            short = [*row[:3], None, -1, -1] if row[0] in UNCHANGING_DOMAINS else row
            found.setdefault(json.dumps(short), []).append(survey["release"])
    return [[*json.loads(key), _ranges(names, found[key])] for key in sorted(found)]
