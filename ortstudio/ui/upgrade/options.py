"""What can be chosen of an upgrade besides, in a dialog of its own: nobody needs it at first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QCheckBox, QDialog, QPushButton, QVBoxLayout, QWidget

from ortstudio.services.runtimes import Runtime
from ortstudio.services.upgrade.settings import UpgradeSettings
from ortstudio.ui.offer.card import Card
from ortstudio.ui.offer.fields import PathField, Switch
from ortstudio.ui.offer.rows import Rows
from ortstudio.ui.plain import tip
from ortstudio.ui.views.flow import Flow
from ortstudio.ui.views.foot import Foot
from ortstudio.ui.views.page import Page

SIZE = (520, 400)
WIDEST = 600
ONNX = "ONNX models (*.onnx);;All files (*)"


class OptionsDialog(QDialog):
    """Asks for settings; `chosen` is what was decided, once it is accepted."""

    def __init__(
        self, settings: UpgradeSettings, at_hand: Sequence[Runtime], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self.setWindowTitle("Options of the Upgrade")
        self.resize(*SIZE)
        self.onnx = PathField("Looked for beside the file", ONNX)
        self.onnx.choose(None if settings.onnx is None else str(settings.onnx))
        self.folder = PathField("Beside the file")
        self.folder.choose(None if settings.output_dir is None else str(settings.output_dir))
        self.replace = Switch("Replace results that are there", on=settings.overwrite)
        self.verify = Switch(
            "Verify", "Run old and new on the same inputs and compare.", on=settings.verify
        )
        self.runtimes = {runtime: _box(runtime, settings) for runtime in at_hand}
        self.ok, self.cancel = QPushButton("Use"), QPushButton("Cancel")
        self._lay_out()
        self.ok.clicked.connect(self.accept)
        self.cancel.clicked.connect(self.reject)

    def _lay_out(self) -> None:
        card = Card("Options")
        rows = Rows()
        rows.add("&ONNX source", self.onnx)
        rows.add("Where &to", self.folder)
        card.column.addWidget(rows)
        card.column.addWidget(self.replace)
        card.column.addWidget(self.verify)
        card.text("Releases to run both under; with none ticked, those that the upgrade takes:")
        held = QWidget()
        held.setLayout(Flow(*self.runtimes.values()))
        card.column.addWidget(held)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(Page(card, WIDEST, from_top=True), 1)
        column.addWidget(Foot(QWidget(), Flow(self.ok, self.cancel), widest=WIDEST))
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(False)
        self.ok.setDefault(True)

    @property
    def chosen(self) -> UpgradeSettings:
        """The settings as they are ticked and filled in."""
        return replace(
            self._settings,
            onnx=None if self.onnx.path is None else Path(self.onnx.path),
            output_dir=None if self.folder.path is None else Path(self.folder.path),
            overwrite=self.replace.on,
            verify=self.verify.on,
            runtimes=tuple(one for one, box in self.runtimes.items() if box.isChecked()),
        )


def _box(runtime: Runtime, settings: UpgradeSettings) -> QCheckBox:
    box = QCheckBox(runtime.name if runtime.name != "own" else f"{runtime.onnxruntime} (own)")
    box.setToolTip(tip(f"onnxruntime {runtime.onnxruntime}\n{runtime.where}"))
    box.setChecked(runtime in settings.runtimes)
    return box
