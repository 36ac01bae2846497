"""Installs a release into an environment of its own, by pip."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from ortstudio.errors import JobError, MissingError, RefusedError, UsageError, Where
from ortstudio.jobs import command
from ortstudio.jobs.runner import agent_child
from ortstudio.services.conversion import CancelledError
from ortstudio.services.runtimes import search, store
from ortstudio.services.runtimes.runtime import Kind, Runtime, free_name, probed, version_key
from ortstudio.services.runtimes.search import Interpreter
from ortstudio.services.runtimes.store import Places
from ortstudio.services.staging import reserved_folder

_PYTHONS = (
    ((1, 2), (5, 8)),
    ((1, 7), (6, 9)),
    ((1, 11), (7, 9)),
    ((1, 12), (7, 10)),
    ((1, 15), (8, 11)),
    ((1, 17), (8, 12)),
    ((1, 20), (10, 13)),
    ((1, 24), (11, 14)),
)
"""From which release on there are wheels for which Python 3 minors, by the package index."""

_NEWEST_KNOWN = (1, 32)
_NUMPY_2 = (1, 19)
"""Releases before this one were built for numpy 1 and fail to import with numpy 2."""

_ENVIRONMENT = {
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_INPUT": "1",
    "PIP_REQUIRE_VIRTUALENV": "0",
    "PIP_USER": "0",
    "PYTHONIOENCODING": "utf-8",
}
_NO_WHEEL = re.compile(r"No matching distribution found|Could not find a version that satisfies")


@dataclass(frozen=True, slots=True)
class InstallProgress:
    """What is being done: a `phase` of `PHASES`, and what the installer said last."""

    phase: str
    text: str = ""


PHASES = ("choose", "environment", "fetch", "install", "try")

OnProgress = Callable[[InstallProgress], None]
Question = Callable[[], bool]


class NoWheelError(RefusedError):
    """The index or folder has no wheel of the release for an interpreter."""


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


def install(release: str, installer: Installer, python: str | None = None) -> Runtime:
    """Install a release under a Python that it has wheels for. Blocks, for a minute or so.

    A release that was installed before is given as it is, unless another `python` is asked for.
    Raises RefusedError where it has no wheel for any Python here, JobError where pip fails.
    """
    if not re.fullmatch(r"\d+(\.\d+)+([a-z]+\d*|\.dev\d+)?", release):
        raise UsageError(f"{release!r} is not a release, such as 1.16.3")
    if python is None:
        for known in store.installed(installer.places):
            if known.onnxruntime == release:
                return known
    installer.report("choose")
    chosen = [_named(python)] if python else suitable(release, search.interpreters())
    for interpreter in chosen:
        with suppress(NoWheelError):
            return _installed(release, interpreter, installer)
    where = str(installer.wheels) if installer.wheels else "the package index"
    tried = ", ".join(interpreter.minor for interpreter in chosen)
    raise RefusedError(
        f"There is no wheel of onnxruntime {release} for this machine and Python {tried} in {where}"
    )


def suitable(release: str, interpreters: Sequence[Interpreter]) -> list[Interpreter]:
    """An interpreter for each Python that the release may have wheels for, the newest first.

    Raises RefusedError where there is none.
    """
    able = [python for python in interpreters if python.venv and (python.pip or python.ensurepip)]
    versions = {python.version[:2]: python for python in reversed(able)}
    low, high = pythons_of(release)
    fitting = [versions[key] for key in sorted(versions, reverse=True) if low <= key[1] <= high]
    if not fitting:
        here = ", ".join(".".join(map(str, key)) for key in sorted(versions)) or "none"
        raise RefusedError(
            f"onnxruntime {release} has wheels for {_range_text(low, high)}, and here is {here}",
            hint="Install such a Python, or name one with --python.",
        )
    return fitting


def pythons_of(release: str) -> tuple[int, int]:
    """The lowest and highest Python 3 minor that a release has wheels for, as far as we know."""
    key = version_key(release)[:2]
    low, high = 6, 99
    for since, pythons in _PYTHONS:
        if key >= since:
            low, high = pythons
    return (low, 99) if key > _NEWEST_KNOWN else (low, high)


def _range_text(low: int, high: int) -> str:
    return f"Python 3.{low} and newer" if high == 99 else f"Python 3.{low} to 3.{high}"


def _named(python: str) -> Interpreter:
    """The interpreter that the user wants. Raises MissingError or RefusedError."""
    found = search.interpreter(python)
    if found is None:
        raise MissingError("There is no Python interpreter here", where=Where(python))
    if not found.venv or not (found.pip or found.ensurepip):
        raise RefusedError("This Python lacks venv, or pip and ensurepip", where=Where(python))
    return found


def _installed(release: str, python: Interpreter, installer: Installer) -> Runtime:
    """Make the environment under a hidden name, try it, and give it its own."""
    places = installer.places
    taken = {path.name for path in _entries(places.folder)}
    name = free_name(release, python.minor, taken)
    target = places.folder / name
    with reserved_folder(target) as folder:
        _make_environment(python, folder, installer)
        _fetch(release, python, folder, installer)
        installer.report("try")
        inside = _interpreter_in(folder)
        found = probed(name, Kind.INSTALLED, str(inside), agent_child(str(inside)))
        moved = replace(
            found,
            where=str(target / inside.relative_to(folder)),
            package=found.package.replace(str(folder), str(target), 1),
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


def _make_environment(python: Interpreter, folder: Path, installer: Installer) -> None:
    installer.report("environment", f"Python {python.minor}")
    without_pip = ["--without-pip"] if python.pip else []
    done = installer.run(
        [python.path, "-m", "venv", *without_pip, str(folder)],
        "environment",
    )
    if done.code != 0:
        raise _failed("Making an environment", done, python.path)
    # They name the folder that the environment is made in, and nobody is to activate it.
    for script in (*folder.glob("bin/[aA]ctivate*"), *folder.glob("Scripts/[aA]ctivate*")):
        script.unlink()


def _fetch(release: str, python: Interpreter, folder: Path, installer: Installer) -> None:
    """Have pip put onnxruntime and numpy there, and nothing that they do not need to run models.

    The pip of the interpreter itself does it where there is one: that of a new environment would
    often be older than the wheels.
    """
    installer.report("fetch", f"onnxruntime {release}")
    numpy = "numpy" if version_key(release)[:2] >= _NUMPY_2 else "numpy<2"
    words = ["-m", "pip", "install", "--no-deps", "--only-binary=:all:", "--progress-bar=off"]
    if installer.wheels:
        words += ["--no-index", f"--find-links={installer.wheels}"]
    words += [f"onnxruntime=={release}", numpy]
    if python.pip:
        done = installer.run(
            [python.path, *words, f"--target={_packages(folder, python)}"], "fetch"
        )
    else:
        done = installer.run([str(_interpreter_in(folder)), *words], "fetch")
    if done.code != 0:
        if _NO_WHEEL.search(done.text):
            raise NoWheelError(done.last_line)
        raise _failed("pip", done, python.path)


def _packages(folder: Path, python: Interpreter) -> Path:
    if sys.platform == "win32":
        return folder / "Lib" / "site-packages"
    return folder / "lib" / f"python{python.minor}" / "site-packages"


def _interpreter_in(folder: Path) -> Path:
    found = search.python_in(folder)
    assert found, "an environment has an interpreter"
    return found


def _entries(folder: Path) -> list[Path]:
    return [Path(entry.path) for entry in os.scandir(folder)] if folder.is_dir() else []


def _failed(work: str, done: command.Done, where: str) -> JobError:
    reason = next(
        (line for line in done.text.splitlines() if line.startswith("ERROR")), done.last_line
    )
    return JobError(
        f"{work} failed: {reason.removeprefix('ERROR: ') or f'exit status {done.code}'}",
        where=Where(where),
        details=done.text,
    )
