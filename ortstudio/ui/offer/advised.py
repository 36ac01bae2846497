"""What is found out about the one model that is offered: settings for a use, effects of choices."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from ortstudio.errors import StudioError
from ortstudio.services.advice import Advice, advise_file
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.ui.tasks import Task, Tasks


class Advised(QObject):
    """Asks for advice once, and once more with every choice tried."""

    found = Signal(object)
    """The `Advice`; what it says of effects is empty where they were not tried."""
    failed = Signal(object)
    """A `StudioError`: there is no advice."""
    progressed = Signal(str)
    """What is tried now; empty when nothing is."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._tasks = Tasks(self)
        self._path: Path | None = None
        self._base = ConvertSettings()
        self.advice: Advice | None = None

    def begin(self, path: Path | None) -> None:
        """Another model is offered, or several: None."""
        self._forget()
        self._path = path

    @property
    def is_possible(self) -> bool:
        """Whether there is one model to be asked about."""
        return self._path is not None

    def settle(self, chosen: ConvertSettings) -> None:
        """What the user has settled besides; advice that rests on something else is forgotten."""
        base = _settled(chosen)
        if replace(base, fixed_dims=self._base.fixed_dims) != self._base:
            self._forget()
        self._base = base

    def ask(self, *, with_effects: bool = False) -> None:
        """Find out, unless it is known: answers come as signals."""
        path, base = self._path, self._base
        if path is None:
            return
        if self.advice is not None and (self.advice.effects or not with_effects):
            self.found.emit(self.advice)
            return
        told: list[str] = []

        def work(task: Task) -> Advice:
            def report(what: str, done: int, of: int) -> None:
                told.append(what)
                task.progress(done, of)

            return advise_file(
                path, base, with_effects=with_effects, on_progress=report, cancelled=task.cancelled
            )

        def show(done: int, of: int) -> None:
            self.progressed.emit(f"Trying {told[-1]}, {done + 1} of {of}" if of > 1 else "")

        self._tasks.run(
            work,
            done=self._take,
            failed=self._failed,
            progress=show,
            cancelled=lambda: self.progressed.emit(""),
            lane="advice",
        )

    def cancel(self) -> None:
        """Ask for the end of what is being tried."""
        self._tasks.cancel_all()

    def _take(self, advice: Advice) -> None:
        self.advice = advice
        self.progressed.emit("")
        self.found.emit(advice)

    def _failed(self, error: StudioError) -> None:
        self.progressed.emit("")
        self.failed.emit(error)

    def _forget(self) -> None:
        self._tasks.drop("advice")
        self.advice = None
        self.progressed.emit("")


def _settled(chosen: ConvertSettings) -> ConvertSettings:
    """Only what decides how the model is loaded, whatever is chosen for a use."""
    return ConvertSettings(
        custom_ops=chosen.custom_ops,
        disabled_optimizers=chosen.disabled_optimizers,
        fixed_dims=chosen.fixed_dims,
        opset=chosen.opset,
        providers=chosen.providers,
    )
