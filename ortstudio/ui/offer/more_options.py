"""What is one step away: everything else that can be chosen of a conversion."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDoubleSpinBox, QLineEdit, QVBoxLayout, QWidget

from ortstudio.services.agreement import Tolerance
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.ui.offer.fields import NumberBox, PathField, Switch
from ortstudio.ui.offer.rows import Rows
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.labels import PlainLabel

_ARRAYS = "Inputs (*.npz);;All files (*)"
_GREATEST_SEED = 2**31 - 1
_MOST_JOBS = 64
_MOST_GIGABYTES = 4096.0
_TENTH_OF_A_GIGABYTE = 100_000_000


class ResultOptions(QWidget):
    """What is written beside the model, and what stands in it."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        default = ConvertSettings()
        self.config = Switch(
            "Operator config", "Which operators a minimal build needs.", on=default.write_config
        )
        self.types = Switch("With element types", "A still smaller build.")
        self.onnx = Switch("Optimized ONNX", "The same graph, to look at or to run elsewhere.")
        self.reproducible = Switch("Reproducible", "The same bytes every time.")
        self.stamp = Switch("Stamp", "The metadata say of which source and how it was made.")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2 * SPACE)
        for switch in self._switches():
            column.addWidget(switch)
            switch.chosen.connect(self.changed)
        self.types.setContentsMargins(6 * SPACE, 0, 0, 0)
        self.config.chosen.connect(lambda: self.types.setEnabled(self.config.on))

    def _switches(self) -> tuple[Switch, ...]:
        return self.config, self.types, self.onnx, self.reproducible, self.stamp

    def applied(self, settings: ConvertSettings) -> ConvertSettings:
        """The settings with what is chosen here."""
        return replace(
            settings,
            write_config=self.config.on,
            type_reduction=self.types.on,
            optimized_onnx=self.onnx.on,
            reproducible=self.reproducible.on,
            stamp=self.stamp.on,
        )

    def show_settings(self, settings: ConvertSettings) -> None:
        """Choose as these settings say."""
        self.config.turn(settings.write_config)
        self.types.turn(settings.type_reduction)
        self.onnx.turn(settings.optimized_onnx)
        self.reproducible.turn(settings.reproducible)
        self.stamp.turn(settings.stamp)


class VerificationOptions(QWidget):
    """Whether and how source and result are compared."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.verify = Switch(
            "Verify that the outputs agree",
            "Source and result run on the same inputs before the result gets its name.",
            on=True,
        )
        self.file = PathField("Generated", _ARRAYS)
        self.seed = NumberBox(0, _GREATEST_SEED)
        default = Tolerance()
        self.rtol, self.atol = QLineEdit(f"{default.rtol:g}"), QLineEdit(f"{default.atol:g}")
        rows = Rows()
        rows.add("&Inputs", self.file)
        rows.add("S&eed", self.seed, _note("The same seed makes the same inputs."))
        rows.add("&Relative", self.rtol, _note("How far apart, relative to the value."))
        rows.add("&Absolute", self.atol, _note("Relative to the largest value, at least 1."))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3 * SPACE)
        column.addWidget(self.verify)
        column.addWidget(rows)
        self.verify.chosen.connect(self.changed)
        self.file.chosen.connect(self.changed)
        self.seed.valueChanged.connect(lambda _value: self.changed.emit())
        self.rtol.editingFinished.connect(self.changed)
        self.atol.editingFinished.connect(self.changed)

    def applied(self, settings: ConvertSettings) -> ConvertSettings:
        """The settings with what is chosen here."""
        default = Tolerance()
        rtol, atol = _number(self.rtol, default.rtol), _number(self.atol, default.atol)
        return replace(
            settings,
            verify=self.verify.on,
            inputs=replace(settings.inputs, file=self.file.path, seed=self.seed.value()),
            tolerance=Tolerance(rtol=rtol, atol=atol),
        )

    def show_settings(self, settings: ConvertSettings) -> None:
        """Choose as these settings say."""
        self.verify.turn(settings.verify)
        self.file.choose(settings.inputs.file)
        self.seed.setValue(settings.inputs.seed)
        self.rtol.setText(f"{settings.tolerance.rtol:g}")
        self.atol.setText(f"{settings.tolerance.atol:g}")


class SeveralOptions(QWidget):
    """How several models are worked on."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.keep_going = Switch(
            "Go on after a failure", "Otherwise the first failure ends the run.", on=True
        )
        self.resume = Switch("Skip what an earlier run finished")
        self.jobs = NumberBox(0, _MOST_JOBS, "As many as fit")
        self.memory = QDoubleSpinBox()
        self.memory.setRange(0, _MOST_GIGABYTES)
        self.memory.setDecimals(1)
        self.memory.setSuffix(" GB")
        self.memory.setSpecialValueText("What is free")
        rows = Rows()
        rows.add("At a &time", self.jobs)
        rows.add("&Memory", self.memory, _note("What all child processes may use together."))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3 * SPACE)
        column.addWidget(self.keep_going)
        column.addWidget(self.resume)
        column.addWidget(rows)
        self.keep_going.chosen.connect(self.changed)
        self.resume.chosen.connect(self.changed)
        self.jobs.valueChanged.connect(lambda _value: self.changed.emit())
        self.memory.valueChanged.connect(lambda _value: self.changed.emit())

    def applied(self, settings: ConvertSettings) -> ConvertSettings:
        """The settings with what is chosen here."""
        memory = round(self.memory.value() * 10) * _TENTH_OF_A_GIGABYTE
        return replace(
            settings,
            keep_going=self.keep_going.on,
            resume=self.resume.on,
            jobs=self.jobs.value() or None,
            memory=memory or None,
        )

    def show_settings(self, settings: ConvertSettings) -> None:
        """Choose as these settings say."""
        self.keep_going.turn(settings.keep_going)
        self.resume.turn(settings.resume)
        self.jobs.setValue(settings.jobs or 0)
        self.memory.setValue((settings.memory or 0) / _TENTH_OF_A_GIGABYTE / 10)


def _note(text: str) -> PlainLabel:
    return PlainLabel(text, muted=True)


def _number(box: QLineEdit, default: float) -> float:
    """What stands in a box; the default, which is put back, where that is no number from 0 up."""
    try:
        found = float(box.text())
    except ValueError:
        found = -1.0
    if not 0 <= found < float("inf"):
        box.setText(f"{default:g}")
        return default
    return found
