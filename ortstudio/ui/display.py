"""Whether there is a display to open a window on. Imports no Qt, which ends the program without."""

from __future__ import annotations

import os
import sys


def is_missing() -> bool:
    """Whether Linux has no display, and nobody told Qt to do without."""
    places = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return sys.platform.startswith("linux") and not any(map(os.environ.get, places))
