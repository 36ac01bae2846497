"""What only the user can decide of an upgrade: shown where there is something to decide."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from ortstudio.services.upgrade.questions import Choice as Version
from ortstudio.services.upgrade.questions import agreement
from ortstudio.services.upgrade.settings import UpgradeSettings
from ortstudio.services.upgrade.wizard import Explained
from ortstudio.ui.offer.choices import Choice
from ortstudio.ui.offer.fields import ChoiceField, PathField, Switch
from ortstudio.ui.offer.rows import Rows
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.flow import Flow

LIBRARIES = "Libraries (*.so *.dll *.dylib);;All files (*)"


class Asking(QWidget):
    """The version, a library, a release to install, the agreement to a loss."""

    changed = Signal(object)
    """Something else is wanted: the `UpgradeSettings`."""
    agreed = Signal(bool)
    install_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = UpgradeSettings()
        self._choices: tuple[Version, ...] = ()
        self._filling = False
        self._release = ""
        self.version: ChoiceField[int | None] | None = None
        self._versions = QWidget()
        self._versions_column = QVBoxLayout(self._versions)
        self._versions_column.setContentsMargins(0, 0, 0, 0)
        self.library = PathField("No library", LIBRARIES)
        self._library_row = Rows()
        self._library_row.add("&Operators", self.library)
        self.install = QPushButton()
        self._install_row = QWidget()
        self._install_row.setLayout(Flow(self.install))
        self.agree = Switch("")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2 * SPACE)
        for part in (self._versions, self._library_row, self._install_row, self.agree):
            column.addWidget(part)
        self.install.setAutoDefault(False)
        self.library.chosen.connect(self._choose_library)
        self.install.clicked.connect(lambda: self.install_requested.emit(self._release))
        self.agree.chosen.connect(
            lambda: None if self._filling else self.agreed.emit(self.agree.on)
        )

    def show_state(self, state: Explained) -> None:
        """Ask what this leaves open."""
        self._filling = True
        self._settings = settings = state.request.settings
        asked = state.questions
        self._show_versions(asked.versions)
        if self.version is not None:
            self.version.choose(settings.to)
        self.library.choose(settings.custom_ops)
        self._library_row.setVisible(asked.needs_library or settings.custom_ops is not None)
        self._release = asked.release
        self.install.setText(f"Install {asked.release}")
        self._install_row.setVisible(bool(asked.release))
        self.agree.box.setText(agreement(asked.losing))
        self.agree.turn(state.agreed)
        self.agree.setVisible(bool(asked.losing))
        parts = (asked.versions, asked.needs_library, settings.custom_ops, asked.release)
        self.setVisible(any(parts) or bool(asked.losing))
        self._filling = False

    def _show_versions(self, choices: tuple[Version, ...]) -> None:
        """A list of the versions, made anew only where it is another one: it may have the focus."""
        self._versions.setVisible(bool(choices))
        if choices == self._choices:
            return
        self._choices = choices
        while (item := self._versions_column.takeAt(0)) is not None:
            old = item.widget()
            assert old is not None
            old.deleteLater()
        self.version = None
        if choices:
            made = [Choice(one.to, one.name, one.effect) for one in choices]
            self.version = ChoiceField(made)
            rows = Rows()
            self.version.add_to(rows, "&Version")
            self._versions_column.addWidget(rows)
            self.version.chosen.connect(self._choose_version)

    def _choose_version(self) -> None:
        if not self._filling and self.version is not None:
            self.changed.emit(replace(self._settings, to=self.version.value))

    def _choose_library(self) -> None:
        if not self._filling:
            self.changed.emit(replace(self._settings, custom_ops=self.library.path))
