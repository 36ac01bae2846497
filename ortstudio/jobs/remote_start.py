"""The first thing that a remote interpreter runs: it takes the agent from its standard input.

The text of this module is sent whole, so it has the syntax of Python 3.6 and knows nothing of ours.
"""

# ruff: noqa: UP006, UP035, UP045

import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import sys
from types import ModuleType
from typing import Dict, Optional


class Sent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports modules from their sources; what has modules below it is a package."""

    def __init__(self, sources: Dict[str, str]) -> None:
        self._sources = sources

    def find_spec(self, name: str, *_: object) -> Optional[importlib.machinery.ModuleSpec]:
        """The way to one of our modules; None for all others."""
        if name not in self._sources:
            return None
        is_package = any(other.startswith(name + ".") for other in self._sources)
        return importlib.util.spec_from_loader(name, self, is_package=is_package)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        """As the interpreter does by itself."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's source."""
        name = module.__name__
        exec(compile(self._sources[name], name, "exec"), module.__dict__)


def start() -> None:
    """Take one line with all sources, and serve what comes after it.

    The environment could tell ONNX Runtime to do something else, as it could at home.
    """
    for name in [name for name in os.environ if name.startswith("ORT_")]:
        del os.environ[name]
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    sources = json.loads(sys.stdin.buffer.readline().decode())
    sys.meta_path.insert(0, Sent(sources))
    importlib.import_module("ortstudio_agent.main").main()
