"""The window's tests need no display, and each begins in the same light."""

from __future__ import annotations

import os
from collections.abc import Iterator

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtWidgets import QApplication

from ortstudio.ui import theme


@pytest.fixture(autouse=True)
def light(qapp: QApplication) -> Iterator[None]:
    """Dress the application in the light theme; a test may ask for the other."""
    theme.apply(qapp, "light")
    yield
    theme.apply(qapp, "light")
