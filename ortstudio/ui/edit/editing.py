"""From the menu to the dialog, and from there to the result beside what it was made from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from ortstudio.model.model import Model
from ortstudio.services.edit import Edited
from ortstudio.services.edit_changes import check_kind, symbols
from ortstudio.ui.edit.dialog import EditDialog
from ortstudio.ui.job import summary
from ortstudio.ui.tasks import Tasks

if TYPE_CHECKING:
    from ortstudio.ui.studio import Studio


class Editing(QObject):
    """Edits what a studio shows, in dialogs over its window."""

    def __init__(self, studio: Studio, window: QWidget) -> None:
        super().__init__(studio)
        self._studio = studio
        self._window = window
        self._tasks = Tasks(self)

    def start(self) -> None:
        """Edit the document where something was chosen last, once it was looked through."""
        studio = self._studio
        document = studio.workspace.document(studio.workspace.active)
        if document is not None:
            model = document.model
            self._tasks.run(
                lambda _task: _sizes(model),
                done=lambda sizes: self._open(model, sizes),
                failed=studio.failed.emit,
                lane="edit",
            )

    def _open(self, model: Model, sizes: Mapping[str, int]) -> None:
        dialog = EditDialog(model, sizes, self._window)
        dialog.make_child = self._studio.make_child
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.edited.connect(self._show)
        dialog.open()

    def _show(self, result: Edited) -> None:
        """Open the result beside its source, and say what came of it."""
        studio, paths = self._studio, [result.source, result.outputs[0].path]

        def tell(opened: list[Path]) -> None:
            studio.opened.disconnect(tell)
            if opened == paths:
                studio.tell(f"Edited to {summary(result)}", result, with_details=False)

        studio.opened.connect(tell)
        studio.open(paths)


def _sizes(model: Model) -> Mapping[str, int]:
    """Raises StudioError for what cannot be edited."""
    check_kind(model)
    return symbols(model)
