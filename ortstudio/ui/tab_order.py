"""Where Tab goes: through the window as it is read, whatever was made or replaced meanwhile."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget


def focus_next(window: QWidget, zones: Iterable[QWidget | None], *, forward: bool) -> bool:
    """Move the keyboard on, or back, from where it is. Zones come one after the other."""
    order = [widget for zone in zones if zone is not None for widget in _stops(window, zone)]
    if not order:
        return False
    now = QApplication.focusWidget()
    place = order.index(now) if now in order else (-1 if forward else 0)
    target = order[(place + (1 if forward else -1)) % len(order)]
    reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
    target.setFocus(reason)
    _bring_into_view(target)
    return True


def _stops(window: QWidget, zone: QWidget) -> list[QWidget]:
    """What takes the keyboard in a zone, by lines from the top."""
    found = [
        widget
        for widget in zone.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.isEnabled()
        and widget.isVisibleTo(window)
        and widget.focusProxy() is None
    ]
    return sorted(found, key=lambda widget: _place(window, widget))


def _place(window: QWidget, widget: QWidget) -> tuple[int, int]:
    at = widget.mapTo(window, QPoint())
    return at.y(), at.x()


def _bring_into_view(widget: QWidget) -> None:
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(parent, QScrollArea):
            parent.ensureWidgetVisible(widget)
        parent = parent.parentWidget()
