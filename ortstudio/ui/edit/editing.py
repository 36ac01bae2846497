"""From the menu to the dialog, and from there to the result beside what it was made from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from ortstudio.services.edit import Edited
from ortstudio.ui.edit.dialog import EditDialog
from ortstudio.ui.job import summary

if TYPE_CHECKING:
    from ortstudio.ui.studio import Studio


def start_edit(studio: Studio, window: QWidget) -> EditDialog | None:
    """Edit the document where something was chosen last. Does not block."""
    document = studio.workspace.document(studio.workspace.active)
    if document is None:
        return None
    dialog = EditDialog(document.model, window)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.edited.connect(lambda result: _show(studio, result))
    dialog.open()
    return dialog


def _show(studio: Studio, result: Edited) -> None:
    """Open the result beside its source, and say what came of it."""
    paths = [result.source, result.outputs[0].path]

    def tell(opened: list[Path]) -> None:
        studio.opened.disconnect(tell)
        if opened == paths:
            studio.tell(f"Edited to {summary(result)}", result)

    studio.opened.connect(tell)
    studio.open(paths)
