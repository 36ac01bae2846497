"""Installs a release into an environment of its own: by pip, or by npm where it is for Node."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ortstudio.errors import MissingError, RefusedError, UsageError, Where
from ortstudio.jobs.helped import python_child
from ortstudio.services.runtimes import search, store
from ortstudio.services.runtimes.installer import Installer, failed, names_taken, settled
from ortstudio.services.runtimes.node import install_package
from ortstudio.services.runtimes.runtime import Kind, Runtime, free_name, probed, version_key
from ortstudio.services.runtimes.search import Interpreter

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

_NO_WHEEL = re.compile(r"No matching distribution found|Could not find a version that satisfies")


class NoWheelError(RefusedError):
    """The index or folder has no wheel of the release for an interpreter."""


def install(release: str, installer: Installer, python: str | None = None) -> Runtime:
    """Install a release, such as `1.16.3` or `node:1.23.2`. Blocks, for a minute or so.

    Of Python one is chosen that the release has wheels for, unless `python` names one. What was
    installed before is given as it is.
    Raises RefusedError where it has no wheel for any Python here, JobError where pip fails.
    """
    kind, _, package_release = release.partition(":")
    if kind in ("node", "web"):
        _check_release(package_release)
        return install_package(Kind(kind), package_release, installer)
    _check_release(release)
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


def _check_release(release: str) -> None:
    if not re.fullmatch(r"\d+(\.\d+)+([a-z]+\d*|\.dev\d+|-dev\.[\w-]+)?", release):
        raise UsageError(f"{release!r} is not a release, such as 1.16.3, node:1.23.2 or web:1.23.2")


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
    """Make an environment, fill it and try it."""
    name = free_name(release, python.minor, names_taken(installer.places))

    def make(folder: Path) -> Runtime:
        _make_environment(python, folder, installer)
        _fetch(release, python, folder, installer)
        installer.report("try")
        inside = str(_interpreter_in(folder))
        return probed(name, Kind.INSTALLED, inside, python_child(inside))

    return settled(name, make, installer)


def _make_environment(python: Interpreter, folder: Path, installer: Installer) -> None:
    installer.report("environment", f"Python {python.minor}")
    without_pip = ["--without-pip"] if python.pip else []
    done = installer.run(
        [python.path, "-m", "venv", *without_pip, str(folder)],
        "environment",
    )
    if done.code != 0:
        raise failed("Making an environment", done, python.path)
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
        raise failed("pip", done, python.path)


def _packages(folder: Path, python: Interpreter) -> Path:
    if sys.platform == "win32":
        return folder / "Lib" / "site-packages"
    return folder / "lib" / f"python{python.minor}" / "site-packages"


def _interpreter_in(folder: Path) -> Path:
    found = search.python_in(folder)
    assert found, "an environment has an interpreter"
    return found
