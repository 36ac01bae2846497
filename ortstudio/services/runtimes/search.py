"""Where interpreters may be: virtual environments, pyenv, conda, PATH."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ortstudio.jobs import command

ASK_S = 20.0
AT_ONCE = 4

_ASK = (
    "import importlib.util, json, sys;"
    "print(json.dumps([list(sys.version_info[:3]), *[importlib.util.find_spec(name) is not None"
    " for name in ('pip', 'venv', 'ensurepip')]]))"
)


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python, its version, and what it has for making environments."""

    path: str
    version: tuple[int, ...]
    pip: bool
    venv: bool
    ensurepip: bool

    @property
    def minor(self) -> str:
        """`3.10`."""
        return ".".join(map(str, self.version[:2]))


def interpreters(*, cancelled: Callable[[], bool] | None = None) -> list[Interpreter]:
    """Every Python 3.6 or newer, our own first. Starts each one; blocks for a second or so."""
    paths = [sys.executable, *candidates()]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(pool.map(lambda path: interpreter(path, cancelled=cancelled), paths))
    return [python for python in found if python is not None and python.version >= (3, 6)]


def interpreter(path: str, *, cancelled: Callable[[], bool] | None = None) -> Interpreter | None:
    """What an interpreter says of itself; None where it does not run."""
    try:
        done = command.run([path, "-c", _ASK], cancelled=cancelled, timeout_s=ASK_S)
        version, pip, venv, ensurepip = json.loads(done.last_line)
    except (OSError, ValueError):
        return None
    return Interpreter(path, tuple(version), pip, venv, ensurepip)


def candidates() -> list[str]:
    """Paths of interpreters, each file once, without starting any; ours is left out."""
    found: dict[str, str] = {}
    for path in _places():
        if path.is_file() and os.access(path, os.X_OK):
            found.setdefault(_identity(path), str(path))
    found.pop(_identity(Path(sys.executable)), None)
    return list(found.values())


def python_in(folder: Path) -> Path | None:
    """The interpreter of an environment or an installation; None where the folder is neither."""
    for name in ("bin/python3", "bin/python", "Scripts/python.exe", "python.exe"):
        if (folder / name).is_file():
            return folder / name
    return None


def _places() -> Iterator[Path]:
    for folder in _folders():
        if path := python_in(folder):
            yield path
    yield from _on_path()


def _folders() -> Iterator[Path]:
    """Environments and installations, by the customs of the tools that make them."""
    yield from _named("VIRTUAL_ENV", "CONDA_PREFIX")
    yield from (Path.cwd() / name for name in (".venv", "venv", "env"))
    home = Path(os.environ.get("HOME") or os.environ.get("USERPROFILE") or "/nonexistent")
    for root in [*_named("PYENV_ROOT"), home / ".pyenv", home / ".pyenv" / "pyenv-win"]:
        yield from _inside(root / "versions")
    yield from _listed(home / ".conda" / "environments.txt")
    for root in _conda_roots(home):
        yield root
        yield from _inside(root / "envs")


def _conda_roots(home: Path) -> Iterator[Path]:
    for program in _named("CONDA_EXE"):
        yield program.parent.parent
    yield from (home / name for name in ("miniconda3", "anaconda3", "miniforge3", "mambaforge"))


def _named(*variables: str) -> list[Path]:
    return [Path(os.environ[name]) for name in variables if os.environ.get(name)]


def _inside(folder: Path) -> Sequence[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_dir())
    except OSError:
        return []


def _listed(file: Path) -> list[Path]:
    try:
        return [Path(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
    except (OSError, ValueError):
        return []


def _on_path() -> Iterator[Path]:
    """`python3`, `python3.12`, ... of each folder of PATH.

    The shims of pyenv stand for interpreters found elsewhere, and those of Windows for its shop.
    """
    for text in os.environ.get("PATH", "").split(os.pathsep):
        folder = Path(text)
        if text and folder.name not in ("shims", "WindowsApps") and folder.is_dir():
            names = ["python.exe"] if sys.platform == "win32" else ["python3", "python"]
            yield from (folder / name for name in names)
            found = sorted(folder.glob("python3.*"))
            yield from (path for path in found if re.fullmatch(r"python3\.\d+", path.name))


def _identity(path: Path) -> str:
    """An environment's interpreter is a link to another one, and yet not the same."""
    if (path.parent.parent / "pyvenv.cfg").exists():
        return str(path.parent.resolve())
    return str(path.resolve())
