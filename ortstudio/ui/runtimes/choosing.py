"""The runtimes at hand and the one in use; work on them goes on in other threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from ortstudio.errors import StudioError
from ortstudio.jobs.runner import Child
from ortstudio.services import compatibility, runtimes
from ortstudio.services.runtimes import Places, Runtime
from ortstudio.services.runtimes.install import install
from ortstudio.services.runtimes.installer import Installer, InstallProgress
from ortstudio.ui.tasks import Task, Tasks

_PHASES = {
    "choose": "Looking for a Python that it has wheels for",
    "environment": "Making an environment",
    "fetch": "Fetching",
    "install": "Installing",
    "try": "Trying it",
}


class Choosing(QObject):
    """Which runtimes there are, which one is used, and what is being done about them."""

    changed = Signal()
    """Other runtimes are at hand, or another one is in use."""
    said = Signal(str)
    """What is being done; empty when it is over."""
    made = Signal(object)
    """A `Runtime` was taken in or installed."""
    failed = Signal(object)
    """A `StudioError`."""

    def __init__(self, places: Places, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._places = places
        self._tasks = Tasks(self)
        self._task: Task | None = None
        self._words = ""
        self.all: Sequence[Runtime] = ()
        self.current = runtimes.own()

    @property
    def is_busy(self) -> bool:
        """Whether runtimes are being looked for, asked or installed."""
        return self._task is not None

    def is_current(self, runtime: Runtime) -> bool:
        """Whether it is the one in use."""
        return self.current.name == runtime.name

    def make_child(self) -> Child:
        """A child under the release in use."""
        return self.current.child()

    def use(self, runtime: Runtime) -> None:
        """Run models with this one, as long as the window is open."""
        self.current = runtime
        self.changed.emit()

    def read(self) -> None:
        """Read which ones are known, at once: a few small files."""
        self._take(runtimes.at_hand(self._places))

    def reload(self) -> None:
        """The same in another thread."""
        self._tasks.run(
            lambda _task: runtimes.at_hand(self._places),
            done=self._take,
            failed=self.failed.emit,
            lane="reload",
        )

    def look_around(self) -> None:
        """Look for more, in environments, pyenv, conda and PATH."""

        def work(task: Task) -> None:
            def tell(path: str) -> None:
                self._tell(task, f"Asking {path}")

            runtimes.look_around(self._places, on_progress=tell, cancelled=task.cancelled)

        self._start("Looking around", work, self._looked)

    def add(self, place: str) -> None:
        """Take in an interpreter, an environment or another machine."""

        def work(task: Task) -> Runtime:
            return runtimes.add(place, self._places, cancelled=task.cancelled)

        self._start(f"Asking {place}", work, self._made)

    def install(self, release: str) -> None:
        """Bring a release into an environment of its own."""

        def work(task: Task) -> Runtime:
            def tell(progress: InstallProgress) -> None:
                self._tell(task, f"{_PHASES[progress.phase]}\n{progress.text}")

            installer = Installer(self._places, on_progress=tell, cancelled=task.cancelled)
            return install(release, installer)

        self._start(f"Installing {release}", work, self._made)

    def remove(self, runtime: Runtime) -> None:
        """Delete it where we installed it, else forget it."""
        if self.current == runtime:
            self.current = runtimes.own()
        name = runtime.name
        self._start(
            f"Removing {name}", lambda _task: runtimes.remove(name, self._places), self._looked
        )

    def cancel(self) -> None:
        """Stop what is under way."""
        if self._task is not None:
            self.said.emit("Cancelling")
            self._task.cancel()

    def _start(
        self, words: str, work: Callable[[Task], object], done: Callable[[object], None]
    ) -> None:
        if self.is_busy:
            return

        def end(answer: object) -> None:
            self._over()
            done(answer)

        def fail(error: StudioError) -> None:
            self._over()
            self.failed.emit(error)

        self._task = self._tasks.run(
            work,
            done=end,
            failed=fail,
            progress=lambda _done, _total: self.said.emit(self._words),
            cancelled=self._over,
        )
        self.said.emit(words)

    def _tell(self, task: Task, words: str) -> None:
        """Called in another thread; the window hears the newest words only."""
        self._words = words
        task.progress(0, 0)

    def _over(self) -> None:
        self._task = None
        self.said.emit("")

    def _looked(self, _answer: object) -> None:
        self.reload()

    def _made(self, runtime: object) -> None:
        self.reload()
        self.made.emit(runtime)

    def _take(self, found: Sequence[Runtime]) -> None:
        self.all = found
        self.changed.emit()


def releases_to_install() -> list[str]:
    """What can be asked for, the newest first."""
    known = compatibility.releases().all
    return [str(release) for release in reversed(known)]
