"""The window's tests need no display, and each begins in the same light."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtWidgets import QApplication

from ortstudio.ui import theme


@pytest.fixture(scope="session")
def qapp_args() -> list[str]:
    """The style of the program, whatever the system's own is."""
    return ["ortstudio", "-style", "fusion"]


@pytest.fixture(autouse=True)
def light(qapp: QApplication) -> None:
    """Dress the application in the light theme, unless the last test left it so."""
    if theme.current() is not theme.LIGHT or not qapp.styleSheet():
        theme.apply(qapp, "light")
