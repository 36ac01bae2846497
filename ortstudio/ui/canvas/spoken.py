"""What a screen reader is told: the canvas has no items that it could read by itself."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleEvent
from PySide6.QtWidgets import QWidget

from ortstudio.ui.canvas.scene import Scene


def describe(scene: Scene, row: int) -> str:
    """One node in words: what it is, its texts, how many edges it has, which one of how many."""
    columns = scene.columns
    family = columns.families[row]
    sources = len(scene.links.sources.row(row))
    targets = len(scene.links.targets.row(row))
    parts = [
        columns.labels[row],
        columns.tag(row),
        columns.detail(row),
        "" if family == "other" else family,
        columns.badge(row),
        f"{sources} in, {targets} out",
        f"{row + 1} of {len(scene)}",
    ]
    return ", ".join(part for part in parts if part)


def announce(widget: QWidget, text: str) -> None:
    """Make a text the widget's description, and have it read aloud where somebody listens."""
    widget.setAccessibleDescription(text)
    if QAccessible.isActive():
        event = QAccessibleEvent(widget, QAccessible.Event.DescriptionChanged)
        QAccessible.updateAccessibility(event)
        if text:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))
