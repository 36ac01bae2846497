"""Finds texts that are cut: in labels and buttons that do not give way by themselves."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from ortstudio.ui.views.labels import ElidedLabel


def cut_texts(within: QWidget) -> list[str]:
    """The texts that have less room than they need, or stick out of what holds them."""
    found = []
    for widget in within.findChildren(QWidget):
        text = _text(widget)
        if text and widget.isVisible() and (_is_squeezed(widget) or _sticks_out(widget)):
            found.append(text)
    return found


def _text(widget: QWidget) -> str:
    if isinstance(widget, ElidedLabel):
        return ""
    return widget.text() if isinstance(widget, (QLabel, QAbstractButton)) else ""


def _is_squeezed(widget: QWidget) -> bool:
    if isinstance(widget, QLabel) and widget.wordWrap():
        return widget.heightForWidth(widget.width()) > widget.height()
    hint = widget.sizeHint()
    return hint.width() > widget.width() or hint.height() > widget.height()


def _sticks_out(widget: QWidget) -> bool:
    parent = widget.parentWidget()
    return parent is not None and not parent.rect().contains(widget.geometry())
