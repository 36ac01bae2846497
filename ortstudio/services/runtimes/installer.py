"""Runs an installer, and gives what it made its name only once it is whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ortstudio.errors import JobError, RefusedError, Where
from ortstudio.jobs import command
from ortstudio.services.conversion import CancelledError
from ortstudio.services.runtimes import store
from ortstudio.services.runtimes.runtime import Runtime
from ortstudio.services.runtimes.store import Places
from ortstudio.services.staging import reserved_folder

_ENVIRONMENT = {
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_INPUT": "1",
    "PIP_REQUIRE_VIRTUALENV": "0",
    "PIP_USER": "0",
    "PYTHONIOENCODING": "utf-8",
}


@dataclass(frozen=True, slots=True)
class InstallProgress:
    """What is being done: a `phase` of `PHASES`, and what the installer said last."""

    phase: str
    text: str = ""


PHASES = ("choose", "environment", "fetch", "install", "try")

OnProgress = Callable[[InstallProgress], None]
Question = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Installer:
    """How to install, and whom to tell. `wheels` is a folder to use instead of the index."""

    places: Places
    wheels: Path | None = None
    on_progress: OnProgress | None = None
    cancelled: Question | None = None

    def report(self, phase: str, text: str = "") -> None:
        """Tell what is being done. Raises CancelledError where it is no longer wanted."""
        self.check()
        if self.on_progress:
            self.on_progress(InstallProgress(phase, text))

    def check(self) -> None:
        """Raises CancelledError where the work is no longer wanted."""
        if self.cancelled and self.cancelled():
            raise CancelledError("The installation was cancelled")

    def run(self, words: Sequence[str], phase: str) -> command.Done:
        """Run a program and hand on what it says. Raises CancelledError."""

        def heard(line: str) -> None:
            if line.strip() and not line.startswith("WARNING"):
                self.report("install" if line.startswith("Installing") else phase, line.strip())

        done = command.run(words, on_line=heard, cancelled=self.cancelled, environment=_ENVIRONMENT)
        self.check()
        return done


def names_taken(places: Places) -> set[str]:
    """The names that installed runtimes have."""
    folder = places.folder
    return {entry.name for entry in os.scandir(folder)} if folder.is_dir() else set()


def settled(name: str, make: Callable[[Path], Runtime], installer: Installer) -> Runtime:
    """Have a runtime made in a hidden folder, which gets its name at the end, or is removed."""
    target = installer.places.folder / name
    with reserved_folder(target) as folder:
        made = make(folder)
        moved = replace(
            made,
            where=made.where.replace(str(folder), str(target), 1),
            package=made.package.replace(str(folder), str(target), 1),
        )
        installer.check()
        if not store.write_manifest(moved, folder):
            raise RefusedError("Nothing can be written here", where=Where(str(folder)))
        try:
            folder.rename(target)
        except OSError as error:
            raise RefusedError(
                f"The environment cannot get its name: {error.strerror or error}",
                where=Where(str(target)),
            ) from None
    return moved


def failed(work: str, done: command.Done, where: str) -> JobError:
    """The error for an installer that failed, in its own words."""
    reason = next(
        (line for line in done.text.splitlines() if line.startswith("ERROR")), done.last_line
    )
    return JobError(
        f"{work} failed: {reason.removeprefix('ERROR: ') or f'exit status {done.code}'}",
        where=Where(where),
        details=done.text,
    )
