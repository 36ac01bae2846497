"""What a model says of itself, and what can be left out of it."""

from __future__ import annotations

from PySide6.QtCore import QRegularExpression, Signal
from PySide6.QtGui import QRegularExpressionValidator
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from ortstudio.analysis.words import count
from ortstudio.model.model import FileKind, Model
from ortstudio.ui.offer.fields import Switch
from ortstudio.ui.offer.rows import Rows
from ortstudio.ui.theme import SPACE

_LINES = 3


class TextsPart(QWidget):
    """Producer, domain, version, doc strings."""

    changed = Signal()

    def __init__(self, model: Model) -> None:
        super().__init__()
        self._before = {
            "producer_name": model.producer_name or "",
            "producer_version": model.producer_version or "",
            "domain": model.domain or "",
            "doc_string": model.doc_string or "",
            "graph_doc_string": model.graph_doc_string or "",
        }
        self._version = "" if model.model_version is None else str(model.model_version)
        self.lines = {
            name: QLineEdit(self._before[name])
            for name in ("producer_name", "producer_version", "domain")
        }
        self.docs = {name: _Text(self._before[name]) for name in ("doc_string", "graph_doc_string")}
        self.version = QLineEdit(self._version)
        self.version.setPlaceholderText("not set")
        digits = QRegularExpression(r"\d{1,18}")
        self.version.setValidator(QRegularExpressionValidator(digits, self.version))
        rows = Rows()
        rows.add("&Producer", self.lines["producer_name"])
        rows.add("P&roducer version", self.lines["producer_version"])
        rows.add("&Domain", self.lines["domain"])
        rows.add("&Model version", self.version)
        rows.add("Doc &string", self.docs["doc_string"])
        rows.add("&Graph doc string", self.docs["graph_doc_string"])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(rows)
        for line in (*self.lines.values(), self.version):
            line.textChanged.connect(lambda _text: self.changed.emit())
        for text in self.docs.values():
            text.textChanged.connect(self.changed.emit)

    @property
    def texts(self) -> dict[str, str]:
        """The texts that are not as they were, by the names that `Changes` has for them."""
        now = {name: line.text() for name, line in self.lines.items() if line.isModified()}
        now |= {name: text.toPlainText() for name, text in self.docs.items()}
        return {name: text for name, text in now.items() if text != self._before[name]}

    @property
    def model_version(self) -> int | None:
        """The new number, if there is one."""
        text = self.version.text()
        return int(text) if text and text != self._version else None


class _Text(QPlainTextEdit):
    """A text of some lines."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setTabChangesFocus(True)
        self.setFixedHeight(self.fontMetrics().lineSpacing() * _LINES + 4 * SPACE)


class RemovalsPart(QWidget):
    """Boxes to tick."""

    changed = Signal()

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.doc_strings = Switch(
            "Doc strings", "Of the model, its graphs, nodes, attributes, tensors and values."
        )
        self.names = Switch("Names of nodes", "Nothing in the model refers to them.")
        saved = sum(len(g.runtime_optimizations) for g in model.ort.graphs) if model.ort else 0
        self.optimizations = Switch(
            count(saved, "saved optimization").capitalize(),
            "Kept otherwise. Runtimes that do not replay them run the model as it is.",
        )
        self.optimizations.setVisible(bool(saved) and model.kind is FileKind.ORT)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2 * SPACE)
        for switch in (self.doc_strings, self.names, self.optimizations):
            column.addWidget(switch)
            switch.chosen.connect(self.changed)
