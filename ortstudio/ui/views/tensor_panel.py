"""The elements of a tensor: statistics, read when this is first shown."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from ortstudio.errors import StudioError
from ortstudio.format.source import Source
from ortstudio.model.graph import Tensor
from ortstudio.model.statistics import Statistics, statistics
from ortstudio.model.tensor import open_elements
from ortstudio.ui.tasks import Task, Tasks


class TensorPanel(QWidget):
    """Reads a tensor in another thread and says what is in it."""

    def __init__(self, source: Source, tensor: Tensor, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tasks = Tasks(self)
        self._text = QLabel("Reading", self)
        self._text.setWordWrap(True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._text)

        def read(_task: Task) -> Statistics:
            return statistics(open_elements(source, tensor))

        self._tasks.run(read, done=self._show, failed=self._failed)

    def _show(self, found: Statistics) -> None:
        rows = [
            ("min", found.min),
            ("max", found.max),
            ("mean", found.mean),
            ("std", found.std),
            ("zeros", found.zeros),
            ("nan", found.nan),
            ("inf", found.inf),
        ]
        self._text.setText(
            "   ".join(f"{name} {value:g}" for name, value in rows if value is not None)
        )

    def _failed(self, error: StudioError) -> None:
        self._text.setText(str(error))
