"""Shared libraries in C, where the machine has a compiler."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.builders.toolchains import program

SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")

RETURNS_NOTHING = """
void *RegisterCustomOps(void *options, const void *api) { return 0; }
"""
"""An entry point that registers no operator and finds nothing wrong."""

CRASHES = """
#include <stdlib.h>
void *RegisterCustomOps(void *options, const void *api) { abort(); }
"""


def built(code: str, folder: Path, *flags: str) -> Path:
    """The library; skips the test where there is no compiler."""
    compiler = program("cc")
    source, library = folder / "library.c", folder / f"library{SUFFIX}"
    source.write_text(code, encoding="ascii")
    command = [compiler, "-shared", "-fPIC", *flags, str(source), "-o", str(library)]
    subprocess.run(command, check=True, capture_output=True)
    return library
