"""What is remembered of the runtimes at hand: a file of ours, and one in each installed one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from ortstudio.services.hidden import hidden_path
from ortstudio.services.places import config_folder, data_folder
from ortstudio.services.runtimes.runtime import Kind, Runtime

MANIFEST = "runtime.json"


@dataclass(frozen=True, slots=True)
class Places:
    """Where the list of runtimes is kept, and the folder that installed ones lie in."""

    file: Path = field(default_factory=lambda: config_folder() / "runtimes.json")
    folder: Path = field(default_factory=lambda: data_folder() / "runtimes")


@dataclass(frozen=True, slots=True)
class Remembered:
    """Runtimes that were found or given, and the interpreters that the user wants hidden."""

    runtimes: tuple[Runtime, ...] = ()
    hidden: tuple[str, ...] = ()


def load(places: Places) -> Remembered:
    """Read what is remembered; what is missing or damaged is not."""
    found = _parsed(places.file)
    rows, hidden = found.get("runtimes"), found.get("hidden")
    return Remembered(
        _runtimes(rows if isinstance(rows, list) else []),
        tuple(map(str, hidden)) if isinstance(hidden, list) else (),
    )


def save(remembered: Remembered, places: Places) -> bool:
    """Write it whole or not at all; False where that cannot be."""
    rows = [_row(runtime) for runtime in remembered.runtimes]
    return _write({"runtimes": rows, "hidden": list(remembered.hidden)}, places.file)


def installed(places: Places) -> tuple[Runtime, ...]:
    """The runtimes that were installed, by name; what is half made has no manifest yet."""
    with suppress(OSError):
        manifests = sorted(places.folder.glob(f"[!.]*/{MANIFEST}"))
        return _runtimes(map(_parsed, manifests))
    return ()


def write_manifest(runtime: Runtime, folder: Path) -> bool:
    """Say what an installed runtime is, in its own folder."""
    return _write(_row(runtime), folder / MANIFEST)


def _row(runtime: Runtime) -> dict[str, object]:
    return asdict(runtime) | {"kind": runtime.kind.value, "providers": list(runtime.providers)}


def _runtimes(rows: Iterable[object]) -> tuple[Runtime, ...]:
    return tuple(runtime for row in rows if (runtime := _runtime(row)) is not None)


def _runtime(row: object) -> Runtime | None:
    """A runtime from its row; None where the row is not whole."""
    if not isinstance(row, dict):
        return None
    texts = {f.name: row.get(f.name, "") for f in fields(Runtime) if f.name != "providers"}
    providers = row.get("providers")
    if not isinstance(providers, list) or not all(isinstance(v, str) for v in texts.values()):
        return None
    if not texts["name"] or not texts["where"] or not texts["onnxruntime"]:
        return None
    try:
        kind = Kind(texts.pop("kind"))
    except ValueError:
        return None
    return Runtime(kind=kind, providers=tuple(map(str, providers)), **texts)


def _parsed(path: Path) -> dict[str, object]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _write(content: Mapping[str, object], path: Path) -> bool:
    temporary = hidden_path(path.parent)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(json.dumps(content, indent=1), "utf-8")
        temporary.replace(path)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        return False
    return True
