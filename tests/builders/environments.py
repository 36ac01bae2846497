"""Folders that look like virtual environments, made of links to our own interpreter's base."""

from __future__ import annotations

import sys
from pathlib import Path


def environment(folder: Path, release: str = "1.16.3", module: str | None = None) -> Path:
    """What looks like a virtual environment with onnxruntime in it; gives its interpreter."""
    major, minor = sys.version_info[:2]
    packages = folder / "lib" / f"python{major}.{minor}" / "site-packages"
    for name in ("numpy", "onnxruntime"):
        (packages / name).mkdir(parents=True)
    (packages / "numpy" / "__init__.py").write_text('__version__ = "1.20.0"\n')
    (packages / "onnxruntime" / "__init__.py").write_text(
        f'__version__ = "{release}"\n'
        "get_available_providers = lambda: ['CPUExecutionProvider']\n" + (module or "")
    )
    (folder / "bin").mkdir()
    base = Path(sys.base_prefix) / "bin" / f"python{major}.{minor}"
    (folder / "pyvenv.cfg").write_text(f"home = {base.parent}\n")
    (folder / "bin" / "python3").symlink_to(base)
    return folder / "bin" / "python3"
