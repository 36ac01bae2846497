"""Moves a camera to where it should be: in a short glide, or at once where motion is unwelcome."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, QVariantAnimation
from PySide6.QtWidgets import QStyle, QWidget

from ortstudio.ui.canvas.camera import Camera

GLIDE_MS = 150


def wants_less_motion(widget: QWidget) -> bool:
    """Whether the system asks for less motion: its style then gives animations no time."""
    hint = QStyle.StyleHint.SH_Widget_Animation_Duration
    return widget.style().styleHint(hint, None, widget) == 0


class Glide:
    """Calls `move` with cameras on the way from one to another."""

    def __init__(self, widget: QWidget, move: Callable[[Camera], None]) -> None:
        self._widget = widget
        self._move = move
        self._start = self._end = Camera()
        self._animation = QVariantAnimation(widget)
        self._animation.setDuration(GLIDE_MS)
        self._animation.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.valueChanged.connect(self._step)

    def go(self, start: Camera, end: Camera) -> None:
        """Begin a way; one that is under way ends here."""
        self.stop()
        if wants_less_motion(self._widget) or not self._widget.isVisible():
            self._move(end)
            return
        self._start, self._end = start, end
        self._animation.start()

    def stop(self) -> None:
        """Stay where the camera is."""
        self._animation.stop()

    @property
    def running(self) -> bool:
        """Whether a way is not at its end."""
        return self._animation.state() == QVariantAnimation.State.Running

    def _step(self, share: float) -> None:
        # Starting an animation reports its first value too, which `stop` makes a second time.
        if self.running:
            self._move(self._start.between(self._end, share))
