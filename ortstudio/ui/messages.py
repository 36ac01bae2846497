"""What the window says in dialogs of its own, each behind one call that tests replace."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QMessageBox, QWidget

import ortstudio
from ortstudio.errors import JobError, StudioError
from ortstudio.services.runtime_words import RuntimeRefusedError
from ortstudio.ui.hints import in_window


def show_error(
    parent: QWidget, error: StudioError, explain: Callable[[str], None] | None = None
) -> None:
    """What, where, what next; the child's own words one click away. Does not block.

    `explain` takes the words of ONNX Runtime that are to be explained.
    """
    box = QMessageBox(parent)
    box.setObjectName("error")
    box.setWindowTitle("ORT Studio")
    box.setText(error.message)
    lines = [line for line in (str(error.where), in_window(error.hint)) if line]
    box.setInformativeText("\n".join(lines))
    if isinstance(error, JobError) and error.details:
        box.setDetailedText(error.details)
        if explain is not None and error.kind == RuntimeRefusedError.kind:
            _offer_to_explain(box, error.details, explain)
    for label in box.findChildren(QLabel):
        label.setTextFormat(Qt.TextFormat.PlainText)
    box.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()


def _offer_to_explain(box: QMessageBox, details: str, explain: Callable[[str], None]) -> None:
    box.addButton(QMessageBox.StandardButton.Ok)
    button = box.addButton("Explain…", QMessageBox.ButtonRole.ActionRole)
    button.clicked.connect(lambda: explain(details))


def show_about(parent: QWidget) -> None:
    """The program, its version and licence."""
    QMessageBox.about(
        parent,
        "ORT Studio",
        f"<b>ORT Studio {ortstudio.__version__}</b><p>See, convert and prove ONNX Runtime's"
        " ORT-format models.</p><p>MIT licence.</p>",
    )
