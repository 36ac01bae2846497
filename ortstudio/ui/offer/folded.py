"""Choices that are made when they are first unfolded; their title says what of them is unusual."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar, cast

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.section_title import SectionTitle


class Part(Protocol):
    """Some of the choices: a widget that puts them into settings, and shows those of others."""

    @property
    def changed(self) -> SignalInstance:
        """Something else is chosen."""

    def applied(self, settings: ConvertSettings) -> ConvertSettings:
        """The settings with what is chosen here."""

    def show_settings(self, settings: ConvertSettings) -> None:
        """Choose as these settings say."""


Content = TypeVar("Content", bound=Part)


class Folded(QWidget, Generic[Content]):
    """A title over choices that are made when they are first unfolded: few people need them."""

    def __init__(self, title: str, make: Callable[[], Content]) -> None:
        super().__init__()
        self._make = make
        self.made: Content | None = None
        self.title = SectionTitle(title)
        self.title.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(3 * SPACE)
        self._column.addWidget(self.title)
        self.title.toggled.connect(self._unfold)

    @property
    def content(self) -> Content:
        """The choices, made now if they were not yet."""
        if self.made is None:
            self.made = self._make()
            widget = cast(QWidget, self.made)
            widget.setVisible(self.title.isChecked())
            self._column.addWidget(widget)
        return self.made

    def say(self, summary: str) -> None:
        """What of it is not as usual, in a word or two at the right."""
        self.title.set_count(summary)

    def _unfold(self, unfolded: bool) -> None:
        cast(QWidget, self.content).setVisible(unfolded)
