"""Real releases of ONNX Runtime for tests, installed once and kept outside the checkout."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ortstudio.errors import StudioError
from ortstudio.services.runtimes import Places, Runtime, store
from ortstudio.services.runtimes.install import install
from ortstudio.services.runtimes.installer import Installer

CACHE = Path(os.environ.get("ORTSTUDIO_TEST_RUNTIMES") or Path.home() / ".cache/ortstudio-tests")
"""Fixed at import, before the tests' own home is set."""


def places() -> Places:
    """Where they are kept."""
    return Places(CACHE / "runtimes.json", CACHE / "runtimes")


def release(name: str, *, fetch: bool = False) -> Runtime:
    """A release, such as `1.16.3` or `node:1.23.2`.

    The test is skipped where it is not here, nor can be fetched.
    """
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
    wanted = name.replace(":", "-")
    return next((one for one in store.installed(places()) if one.name == wanted), None)
