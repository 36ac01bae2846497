"""Real releases of ONNX Runtime for tests, installed once and kept outside the checkout."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ortstudio.errors import StudioError
from ortstudio.services import runtimes
from ortstudio.services.runtimes import Kind, Places, Runtime
from ortstudio.services.runtimes.install import Installer, install

CACHE = Path(os.environ.get("ORTSTUDIO_TEST_RUNTIMES") or Path.home() / ".cache/ortstudio-tests")
"""Fixed at import, before the tests' own home is set."""


def places() -> Places:
    """Where they are kept."""
    return Places(CACHE / "runtimes.json", CACHE / "runtimes")


def release(name: str, *, fetch: bool = False) -> Runtime:
    """A release of that name; the test is skipped where it is not here, nor can be fetched."""
    found = installed(name)
    if found is None and fetch:
        try:
            return install(name, Installer(places()))
        except StudioError as error:
            # Another test process may have been quicker.
            found = installed(name)
            if found is None:
                pytest.skip(f"onnxruntime {name} cannot be installed: {error}")
    if found is None:
        pytest.skip(f"onnxruntime {name} is not in the tests' cache; a long test brings it")
    return found


def installed(name: str) -> Runtime | None:
    """The release in the tests' cache."""
    found = runtimes.of_release(name, places())
    return found if found and found.kind is Kind.INSTALLED else None
