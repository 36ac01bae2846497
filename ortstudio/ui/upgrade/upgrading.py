"""From the menu, a chip or a finding to the wizard, and from there to the files side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from ortstudio.model.model import FileKind
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.runtimes import Kind, Runtime
from ortstudio.services.sessions import Style
from ortstudio.ui.upgrade.dialog import UpgradeDialog

if TYPE_CHECKING:
    from ortstudio.ui.runtimes.choosing import Choosing
    from ortstudio.ui.studio import Studio

FILTER = "Models in ORT format (*.ort);;All files (*)"


class Upgrading(QObject):
    """Opens the wizard over a studio's window."""

    def __init__(self, studio: Studio, window: QWidget, choosing: Callable[[], Choosing]) -> None:
        super().__init__(studio)
        self._choosing = choosing
        self._studio = studio
        self._window = window

    def start(self, paths: Sequence[Path]) -> UpgradeDialog:
        """Upgrade these files and folders."""
        dialog = UpgradeDialog(paths, self._window, runtimes=self._in_use())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open_requested.connect(self._studio.open)
        dialog.convert_requested.connect(self._convert)
        dialog.open()
        return dialog

    def _in_use(self) -> tuple[Runtime, ...]:
        """The release that models run with in the window; our own goes unsaid."""
        current = self._choosing().current
        return () if current.kind is Kind.OWN else (current,)

    def start_with_open(self) -> None:
        """Upgrade the ORT-format models that are open; ask for files where none is."""
        workspace = self._studio.workspace
        found = (workspace.document(side) for side in workspace.open_sides)
        paths = [one.path for one in found if one is not None and one.model.kind is FileKind.ORT]
        if paths:
            self.start(paths)
        else:
            self.choose()

    def choose(self) -> None:
        """Ask for files first."""
        names, _ = QFileDialog.getOpenFileNames(self._window, "Upgrade", "", FILTER)
        if names:
            self.start([Path(name) for name in names])

    def choose_folder(self) -> None:
        """Ask for a folder first."""
        name = QFileDialog.getExistingDirectory(self._window, "Upgrade all in a folder")
        if name:
            self.start([Path(name)])

    def _convert(self, source: Path, saves_optimizations: bool) -> None:
        """Open an ONNX model and offer to convert it, in the style that the old file has."""
        opening, offering = self._studio.opening, self._studio.offering

        def choose_style() -> None:
            opening.ended.disconnect(choose_style)
            if saves_optimizations and offering.sources == (source,):
                offering.use(ConvertSettings(styles=(Style.RUNTIME,)))

        opening.ended.connect(choose_style)
        opening.open([source])
