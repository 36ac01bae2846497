"""The models that benchmarks read, made once and kept in the system's temporary folder.

`node_heavy` has many nodes and small weights, `weight_heavy` few nodes and large ones. The `.ort`
is written by ONNX Runtime without optimizations, so that both formats hold the same graph.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

MAKER = Path(__file__).with_name("make_model.py")
FOLDER_MAKER = Path(__file__).with_name("make_folder.py")


def node_heavy(nodes: int, suffix: str) -> Path:
    """A model of that many nodes, a multiple of 10; `suffix` is `.onnx` or `.ort`."""
    return _cached("nodes", nodes, suffix)


def weight_heavy(megabytes: int, suffix: str) -> Path:
    """A model of a few dozen nodes and that many megabytes of weights."""
    return _cached("weights", megabytes, suffix)


def folder_of_models() -> Path:
    """A folder of models as a team might have one."""
    folder = Path(tempfile.gettempdir()) / "ortstudio-bench" / "folder"
    if not folder.exists():
        part = folder.with_suffix(".part")
        subprocess.run([sys.executable, FOLDER_MAKER, part], check=True)
        part.rename(folder)
    return folder


def _cached(kind: str, size: int, suffix: str) -> Path:
    folder = Path(tempfile.gettempdir()) / "ortstudio-bench"
    folder.mkdir(exist_ok=True)
    path = folder / f"{kind}-{size}{suffix}"
    if suffix != ".onnx":
        _cached(kind, size, ".onnx")
    if not path.exists():
        # In a process of its own: making it takes several times its size of memory, and a child's
        # peak memory would count what its parent has imported.
        subprocess.run([sys.executable, MAKER, kind, str(size), path], check=True)
    return path
