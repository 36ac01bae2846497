"""All that can be changed of a model, as parts that fold."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ortstudio.analysis.words import count
from ortstudio.model.model import Model
from ortstudio.services.edit_changes import Changes
from ortstudio.ui.edit.metadata_part import MetadataPart
from ortstudio.ui.edit.names_part import NamesPart, SizesPart
from ortstudio.ui.edit.section import Section
from ortstudio.ui.edit.texts_part import RemovalsPart, TextsPart
from ortstudio.ui.theme import SPACE


class EditForm(QWidget):
    """Begins as the model is; what is then different is a change."""

    changed = Signal()

    def __init__(self, model: Model, sizes: Mapping[str, int]) -> None:
        """`sizes` are the model's symbols and how often each occurs."""
        super().__init__()
        self.names, self.sizes = NamesPart(model), SizesPart(sizes)
        self.metadata, self.texts = MetadataPart(model.metadata), TextsPart(model)
        self.removals = RemovalsPart(model)
        self._sections = {
            "Inputs and outputs": self.names,
            "Symbolic sizes": self.sizes,
            "Metadata": self.metadata,
            "What it says of itself": self.texts,
            "Leave out": self.removals,
        }
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2 * SPACE)
        self.sections = {title: Section(title, part) for title, part in self._sections.items()}
        for section in self.sections.values():
            column.addWidget(section)
        column.addStretch(1)
        self.sections["Inputs and outputs"].title.setChecked(True)
        self.sections["Symbolic sizes"].setVisible(bool(sizes))
        for part in (self.names, self.sizes, self.metadata, self.texts, self.removals):
            part.changed.connect(self._tell)
        self._tell()

    @property
    def changes(self) -> Changes:
        """What is not as it was."""
        inputs, outputs = self.names.renamed
        return Changes(
            inputs=inputs,
            outputs=outputs,
            sizes=self.sizes.sizes,
            metadata=self.metadata.new,
            removed_metadata=self.metadata.removed,
            model_version=self.texts.model_version,
            strip_doc_strings=self.removals.doc_strings.on,
            strip_names=self.removals.names.on,
            drop_optimizations=self.removals.optimizations.on,
            **self.texts.texts,
        )

    def _tell(self) -> None:
        """Say in each title how much is changed below it."""
        found = self.changes
        numbers = {
            "Inputs and outputs": len(found.inputs) + len(found.outputs),
            "Symbolic sizes": len(found.sizes),
            "Metadata": len(found.metadata) + len(found.removed_metadata),
            "What it says of itself": len(self.texts.texts) + (found.model_version is not None),
            "Leave out": found.strip_doc_strings + found.strip_names + found.drop_optimizations,
        }
        for title, number in numbers.items():
            self.sections[title].say(count(number, "change") if number else "")
        self.changed.emit()
