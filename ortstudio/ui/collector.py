"""Garbage is collected in the UI thread only.

Python collects in whichever thread happens to allocate. As soon as other threads run Python, that
may take down a widget that waits in a reference cycle, outside the UI thread, and with it the
program. So automatic collection is off, and a timer does what it would do: by the same thresholds
for what is young, and rarely for what is old, which is most of an open model and takes long.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

INTERVAL_MS = 250
RARELY = 10
"""How many times Python's threshold old things wait for."""
CLOSED_MS = 2000
"""Long enough for what opened instead to be painted."""


class Collector(QObject):
    """Takes garbage collection over, as long as it lives."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self.destroyed.connect(gc.enable)
        timer = QTimer(self, interval=INTERVAL_MS)
        timer.timeout.connect(collect)
        timer.start()


def collector_of_closed(parent: QObject) -> QTimer:
    """A timer to start when something large was closed: it collects all generations, once.

    What was open waits in cycles otherwise until enough small things have come and gone.
    """
    timer = QTimer(parent, singleShot=True, interval=CLOSED_MS)
    timer.timeout.connect(gc.collect)
    return timer


def collect() -> None:
    """Collect the oldest generation whose time has come."""
    counts, thresholds = gc.get_count(), gc.get_threshold()
    for generation, factor in ((2, RARELY), (1, 1), (0, 1)):
        if counts[generation] > thresholds[generation] * factor:
            gc.collect(generation)
            return
