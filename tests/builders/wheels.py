"""Wheels that stand for onnxruntime and numpy, so that installing them needs no index."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

_RUNTIME = """
__version__ = "{version}"


def get_available_providers():
    return ["CPUExecutionProvider"]
"""


def write_runtime_wheels(folder: Path, release: str, *, module: str = _RUNTIME) -> None:
    """`onnxruntime` of that release and `numpy` 1.20, for every Python and machine."""
    write_wheel(folder, "onnxruntime", release, module.format(version=release))
    write_wheel(folder, "numpy", "1.20.0", '__version__ = "1.20.0"\n')


def fitting_release() -> str:
    """A release whose real wheels would do for our own Python."""
    return "1.22.0" if sys.version_info < (3, 14) else "1.31.0"


def write_wheel(folder: Path, name: str, version: str, module: str) -> None:
    """A wheel of one package with one module."""
    folder.mkdir(parents=True, exist_ok=True)
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}/__init__.py": module,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        for path, text in {**files, f"{info}/RECORD": record}.items():
            wheel.writestr(path, text)
