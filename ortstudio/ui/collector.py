"""Garbage is collected in the UI thread only.

Python collects in whichever thread happens to allocate. As soon as other threads run Python, that
may take down a widget that waits in a reference cycle, outside the UI thread, and with it the
program. So automatic collection is off, and a timer does by the same thresholds what it would do.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

INTERVAL_MS = 250


class Collector(QObject):
    """Takes garbage collection over, as long as it lives."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self.destroyed.connect(gc.enable)
        timer = QTimer(self, interval=INTERVAL_MS)
        timer.timeout.connect(collect)
        timer.start()


def collect() -> None:
    """Collect the oldest generation whose time has come, as Python would."""
    counts, thresholds = gc.get_count(), gc.get_threshold()
    for generation in (2, 1, 0):
        if counts[generation] > thresholds[generation]:
            gc.collect(generation)
            return
