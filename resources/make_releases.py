"""Makes `releases.json` from what releases of ONNX Runtime answered: `make_releases.py FOLDER`.

FOLDER holds one file for each release, named after it, as `ortstudio runtimes survey` writes it;
see `ortstudio/analysis/compatibility/surveys.py`. The schemas of releases before 1.16, which list
none, come from loading a model of one node for each operator and attribute of 1.16.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from ortstudio.analysis.compatibility.surveys import release_data

TARGET = Path(__file__).parent / "releases.json"
ABOUT = (
    "What each release of ONNX Runtime (wheels for Linux on x64, CPU) reads, writes, registers and"
    " replays, measured. Releases are given as ranges, both ends included; `asked` says which"
    " releases could be asked for what. `until` null: served to no other version."
)


def main(folder: Path) -> None:
    """Write the file."""
    data = release_data(json.loads(path.read_bytes()) for path in folder.glob("*.json"))
    whole = {"about": ABOUT, **cast("Mapping[str, object]", data)}
    TARGET.write_text(text(whole), encoding="utf-8")


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
