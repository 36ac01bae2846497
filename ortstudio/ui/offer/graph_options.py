"""How the graph is made that will be saved: custom operators, opset, optimizers, providers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QVBoxLayout, QWidget

from ortstudio.errors import StudioError
from ortstudio.jobs.runner import agent_child
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.optimizers import optimizer_names
from ortstudio.services.providers import SUFFIX, offered
from ortstudio.ui.offer.fields import NumberBox, PathField, Switch
from ortstudio.ui.offer.rows import Rows
from ortstudio.ui.tasks import Tasks
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.labels import PlainLabel

_LIBRARIES = "Libraries (*.so *.dll *.dylib);;All files (*)"
_NEWEST_OPSET = 99
_CPU = f"CPU{SUFFIX}"
_SEPARATORS = re.compile(r"[\s,;]+")


class GraphOptions(Rows):
    """Everything that the runtime's session for saving can be told."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.custom_ops = PathField("None", _LIBRARIES)
        self.opset = NumberBox(0, _NEWEST_OPSET, "As it is")
        self.disabled = NamesEdit()
        self.providers = Providers()
        self.add("&Custom operators", self.custom_ops)
        text = "The source is updated to this version of ONNX's operator set first."
        self.add("&Opset", self.opset, PlainLabel(text, muted=True))
        text = "Optimizers of the runtime that are left out, by their names."
        self.add("&Disable", self.disabled, PlainLabel(text, muted=True))
        self.add("&Providers", self.providers)
        self.custom_ops.chosen.connect(self.changed)
        self.opset.valueChanged.connect(lambda _value: self.changed.emit())
        self.disabled.editingFinished.connect(self.changed)
        self.providers.chosen.connect(self.changed)

    def applied(self, settings: ConvertSettings) -> ConvertSettings:
        """The settings with what is chosen here."""
        return replace(
            settings,
            custom_ops=self.custom_ops.path,
            opset=self.opset.value() or None,
            disabled_optimizers=self.disabled.names,
            providers=self.providers.value,
        )

    def show_settings(self, settings: ConvertSettings) -> None:
        """Choose as these settings say."""
        self.custom_ops.choose(settings.custom_ops)
        self.opset.setValue(settings.opset or 0)
        self.disabled.setText(", ".join(settings.disabled_optimizers))
        self.providers.choose(settings.providers)


class NamesEdit(QLineEdit):
    """Names of optimizers in a line, the last of which is completed."""

    def __init__(self) -> None:
        super().__init__()
        self.setPlaceholderText("Names, such as ConvActivationFusion")
        self._completer = QCompleter(list(optimizer_names()), self)
        self._completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self._completer.setWidget(self)
        self._completer.activated.connect(self._complete)
        self.textEdited.connect(self._offer)

    @property
    def names(self) -> tuple[str, ...]:
        """All names that stand there."""
        return tuple(dict.fromkeys(name for name in _SEPARATORS.split(self.text()) if name))

    def _offer(self, text: str) -> None:
        last = _SEPARATORS.split(text)[-1]
        self._completer.setCompletionPrefix(last)
        popup = self._completer.popup()
        if len(last) > 1 and self._completer.completionCount():
            self._completer.complete()
        elif popup is not None:
            popup.hide()

    def _complete(self, name: str) -> None:
        kept = self.text()[: len(self.text()) - len(_SEPARATORS.split(self.text())[-1])]
        self.setText(f"{kept}{name}, ")


class Providers(QWidget):
    """Execution providers at hand that may take nodes; asked for when first looked at."""

    chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._tasks = Tasks(self)
        self._asked = False
        self._wanted: tuple[str, ...] = ()
        self._boxes: dict[str, Switch] = {}
        self._said = PlainLabel("Looking for providers…", muted=True)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(SPACE)
        self._column.addWidget(self._said)

    def showEvent(self, event: QShowEvent) -> None:
        """Ask a child process which there are."""
        super().showEvent(event)
        if not self._asked:
            self._asked = True
            self._tasks.run(
                lambda _task: offered(agent_child), done=self.show_names, failed=self._show_error
            )

    @property
    def value(self) -> tuple[str, ...]:
        """Those that are chosen."""
        if not self._boxes:
            return self._wanted
        return tuple(name for name, box in self._boxes.items() if box.on)

    def choose(self, names: Sequence[str]) -> None:
        """Choose these."""
        self._wanted = tuple(names)
        for name, box in self._boxes.items():
            box.turn(name in names)

    def show_names(self, names: Sequence[str]) -> None:
        """Offer these, which are at hand."""
        others = [name for name in names if name != _CPU]
        text = "They may take nodes before the CPU; the result then needs them."
        self._said.setText(text if others else "Only the CPU is at hand.")
        for name in others:
            box = self._boxes[name] = Switch(name.removesuffix(SUFFIX), on=name in self._wanted)
            box.chosen.connect(self.chosen)
            self._column.insertWidget(self._column.count() - 1, box)

    def _show_error(self, error: StudioError) -> None:
        self._said.setText(str(error))
