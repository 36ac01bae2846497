"""Makes `releases.json` from what releases of ONNX Runtime answered: `make_releases.py FOLDER`.

FOLDER holds one file for each release, named after it, as `ortstudio runtimes survey` writes it:

- `release`; `reads`, `writes`: format versions; `highest`: {opset, ir, ai.onnx.ml} accepted
- `kernels`: [domain, operator, since, until, {constraint: types}] as registered for the CPU
- `schemas`: [domain, operator, since, attributes, fewest inputs, most inputs], -1 for not asked
- `initializers`, `values`: element types (numbers) that a file may hold as constants, as types
- `actions`: `optimizer:action` of saved optimizations that the release can replay

What a release could not be asked is absent there. The schemas of releases before 1.16, which list
none, come from loading a model of one node for each operator and attribute of 1.16.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

TARGET = Path(__file__).parent / "releases.json"
ABOUT = (
    "What each release of ONNX Runtime (wheels for Linux on x64, CPU) reads, writes, registers and"
    " replays, measured. Releases are given as ranges, both ends included; `asked` says which"
    " releases could be asked for what. `until` null: served to no other version."
)
OPEN = 2147483647
Survey = Mapping[str, object]


def main(folder: Path) -> None:
    """Write the file."""
    surveys = [json.loads(path.read_bytes()) for path in folder.glob("*.json")]
    surveys.sort(key=lambda survey: tuple(map(int, survey["release"].split("."))))
    names = [survey["release"] for survey in surveys]
    data = {
        "about": ABOUT,
        "releases": names,
        "asked": {
            part: ranges(names, [s["release"] for s in surveys if part in s])
            for part in ("kernels", "schemas", "initializers", "values", "actions")
        },
        "reads": {survey["release"]: survey["reads"] for survey in surveys},
        "writes": {survey["release"]: survey["writes"] for survey in surveys},
        "highest": {survey["release"]: survey["highest"] for survey in surveys},
        **{part: by_item(names, surveys, part) for part in ("initializers", "values", "actions")},
    }
    data |= kernels(names, surveys)
    data["schemas"] = schemas(names, surveys)
    TARGET.write_text(text(data), encoding="utf-8")


def ranges(names: list[str], some: Iterable[str]) -> list[list[str]]:
    """Runs of neighbours among the releases: [first, last] of each."""
    runs: list[list[int]] = []
    for place in sorted(map(names.index, some)):
        if runs and runs[-1][1] == place - 1:
            runs[-1][1] = place
        else:
            runs.append([place, place])
    return [[names[first], names[last]] for first, last in runs]


def by_item(names: list[str], surveys: list[dict[str, list[object]]], part: str) -> object:
    """Item → the releases that have it."""
    found: dict[str, list[str]] = {}
    for survey in surveys:
        for item in survey.get(part, ()):
            found.setdefault(str(item), []).append(str(survey["release"]))
    return {item: ranges(names, some) for item, some in sorted(found.items())}


def kernels(names: list[str], surveys: list[dict[str, list[object]]]) -> dict[str, object]:
    """The kernels of all releases, those alike in one row, and the types that they name."""
    found: dict[str, list[str]] = {}
    for survey in surveys:
        for row in survey.get("kernels", ()):
            found.setdefault(json.dumps(row, sort_keys=True), []).append(str(survey["release"]))
    rows = [(json.loads(key), found[key]) for key in sorted(found)]
    types = sorted({t for row, _ in rows for allowed in row[4].values() for t in allowed})
    places = {name: place for place, name in enumerate(types)}
    return {
        "type_names": types,
        "kernels": [
            [
                *row[:3],
                None if row[3] == OPEN else row[3],
                {name: [places[t] for t in allowed] for name, allowed in row[4].items()},
                ranges(names, some),
            ]
            for row, some in rows
        ],
    }


def schemas(names: list[str], surveys: list[dict[str, list[object]]]) -> list[list[object]]:
    """The schemas of all releases; those of ONNX's own domains never change once released."""
    found: dict[str, list[str]] = {}
    for survey in surveys:
        for row in survey.get("schemas", ()):
            assert isinstance(row, list)
            if row[0] in ("", "ai.onnx.ml"):
                row = [*row[:3], None, -1, -1]
            found.setdefault(json.dumps(row), []).append(str(survey["release"]))
    rows = [(json.loads(key), found[key]) for key in sorted(found)]
    return [[*row, ranges(names, some)] for row, some in rows]


def text(data: Mapping[str, object]) -> str:
    """JSON with a line for each row, so that a change shows as one."""
    parts = []
    for key, value in data.items():
        if isinstance(value, list) and value and isinstance(value[0], list):
            rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in value)
            parts.append(f'"{key}": [\n{rows}\n]')
        else:
            parts.append(f'"{key}": {json.dumps(value)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
