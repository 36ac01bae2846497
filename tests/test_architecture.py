"""Who may know whom: the arrows between our packages, and where outside packages may stand."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = Path(__file__).parent.parent / "ortstudio"
MODULES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))

KNOWS = {
    "__init__": "",
    "errors": "",
    "format": "errors",
    "jobs": "errors",
    "model": "errors format",
    "analysis": "errors format model",
    "services": "errors format jobs model analysis",
    "cli": "errors format jobs model analysis services",
    "ui": "errors format jobs model analysis services",
    "__main__": "errors analysis services cli ui",
}
"""Each part of the package, and the parts that it may import besides itself."""

ANYWHERE = {
    "numpy": ("format/*", "model/*", "analysis/*", "services/*", "cli/*", "ui/*"),
    "PySide6": ("ui/*",),
    "shiboken6": ("ui/*",),
}
"""Outside packages, and the modules that may import them."""

AGENT = "ortstudio_agent"
"""The package in `jobs/agent`: started by its path, and known to nothing of ortstudio."""

LATE = {
    "flatbuffers": ("format/flatwrite.py",),
    "google": ("services/onnx_*.py",),
    "numpy": ("jobs/agent/*",),
    "onnx": ("jobs/agent/*", "services/operators.py", "services/onnx_*.py"),
    "onnxruntime": ("jobs/agent/*",),
}
"""The same, inside functions or for type checkers only.

These are slow to load or belong to the child process.
"""


class Import(NamedTuple):
    """One imported module; `late` where it is imported inside a function, or for types only."""

    name: str
    line: int
    late: bool


def imports(tree: ast.AST, late: bool = False) -> Iterator[Import]:
    """Every import below a node, in the order of the source."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno, late) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            names = [f"{module}.{alias.name}" for alias in node.names]
            yield from (Import(name, node.lineno, late) for name in names)
        else:
            inside = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            yield from imports(node, late or inside or is_for_types(node))


def is_for_types(node: ast.AST) -> bool:
    """Whether this is `if TYPE_CHECKING:`, which never runs."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def faults(module: str, source: str) -> list[str]:
    """What a module imports against the rules; `module` is its path below the package."""
    part = module.partition("/")[0].removesuffix(".py")
    return [
        f"{module}:{found.line}: {found.name}"
        for found in imports(ast.parse(source))
        if not may_import(module, part, found)
    ]


def may_import(module: str, part: str, found: Import) -> bool:
    top, _, rest = found.name.partition(".")
    is_agent = module.startswith("jobs/agent/")
    if top == AGENT:
        return is_agent
    if top == "ortstudio":
        wanted = rest.partition(".")[0]
        known = ("", "__version__", part, *KNOWS[part].split())
        return wanted in known and not is_agent
    if top in sys.stdlib_module_names:
        return True
    places = ANYWHERE.get(top, ()) + (LATE.get(top, ()) if found.late else ())
    return any(fnmatch(module, place) for place in places)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_what_its_place_allows(module: str) -> None:
    assert faults(module, (PACKAGE / module).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("format/source.py", "from ortstudio.model.graph import Graph"),
        ("format/source.py", "from ortstudio import model"),
        ("format/source.py", "import ortstudio.services.convert"),
        ("format/source.py", "from .flatbuf import Buffer"),
        ("analysis/layout.py", "import PySide6.QtGui"),
        ("services/open.py", "def f():\n    from PySide6 import QtCore"),
        ("format/flatwrite.py", "import flatbuffers"),
        ("format/flatbuf.py", "def f():\n    import flatbuffers"),
        ("services/operators.py", "import onnx"),
        ("services/operators.py", "if sys.argv:\n    import onnx"),
        ("services/convert.py", "if TYPE_CHECKING:\n    import onnx"),
        ("services/convert.py", "def f():\n    import onnxruntime"),
        ("jobs/agent/ortstudio_agent/runtime.py", "import onnxruntime"),
        ("jobs/agent/ortstudio_agent/runtime.py", "from ortstudio.errors import StudioError"),
        ("jobs/runner.py", "from ortstudio_agent.channel import PROTOCOL"),
        ("jobs/runner.py", "def f():\n    import numpy"),
        ("jobs/runner.py", "from ortstudio.format.source import Source"),
        ("cli/main.py", "def f():\n    from ortstudio.ui import app"),
        ("ui/app.py", "from ortstudio.cli.main import main"),
        ("model/graph.py", "import pandas"),
    ],
)
def test_an_import_against_the_arrows_is_found(module: str, source: str) -> None:
    assert len(faults(module, source)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("services/operators.py", "def f():\n    from onnx import defs"),
        ("services/onnx_message.py", "if TYPE_CHECKING:\n    import onnx"),
        (
            "jobs/agent/ortstudio_agent/runtime.py",
            "class A:\n    def f(self):\n        import onnxruntime, numpy",
        ),
        ("jobs/agent/ortstudio_agent/main.py", "from ortstudio_agent.channel import PROTOCOL"),
        ("ui/views/canvas.py", "from PySide6.QtGui import QPainter"),
        ("cli/main.py", "from ortstudio import __version__"),
        ("__main__.py", "def main():\n    from ortstudio.ui import app"),
    ],
)
def test_an_import_along_the_arrows_is_allowed(module: str, source: str) -> None:
    assert faults(module, source) == []


@pytest.mark.parametrize(
    ("part", "unwanted"),
    [
        ("cli", {"PySide6", "onnx", "onnxruntime", "google.protobuf", "flatbuffers"}),
        ("ui", {"onnx", "onnxruntime", "google.protobuf", "flatbuffers"}),
        ("jobs", {"PySide6", "numpy", "onnx", "onnxruntime"}),
    ],
)
def test_a_fresh_process_loads_all_modules_without_slow_packages(
    part: str, unwanted: set[str]
) -> None:
    names = [module_name(module) for module in MODULES if module.startswith(f"{part}/")]
    program = f"import importlib, sys\nsys.path.append({str(PACKAGE / 'jobs/agent')!r})\n"
    program += f"for name in {names}: importlib.import_module(name)\n"
    program += "print(*sys.modules)"
    child = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert child.returncode == 0, child.stderr
    assert unwanted.isdisjoint(child.stdout.split())


def module_name(module: str) -> str:
    if module.startswith("jobs/agent/"):
        return module.removeprefix("jobs/agent/").removesuffix(".py").replace("/", ".")
    return "ortstudio." + module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
