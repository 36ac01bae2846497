"""The script behind `make setup`: what it installs, what it tells users, when it rests."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

Commands = list[list[str]]


@pytest.fixture
def prepare(checkout: Path) -> ModuleType:
    """A copy of the script of its own for each test. Its folder shares its name with a package."""
    path = checkout / "packaging/prepare.py"
    spec = importlib.util.spec_from_file_location("prepare", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> Commands:
    """The commands that would have been run; all of them end well."""
    seen: Commands = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        seen.append([str(part) for part in command])
        return subprocess.CompletedProcess(command, 0, stdout="3.11\n")

    monkeypatch.setattr(subprocess, "run", run)
    return seen


@pytest.fixture
def machine(prepare: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes this a machine with the given tools, user and missing libraries."""

    def become(tools: set[str], *, root: bool = False, missing: tuple[str, ...] = ()) -> None:
        monkeypatch.setattr(shutil, "which", lambda tool: tool if tool in tools else None)
        monkeypatch.setattr(os, "geteuid", lambda: 0 if root else 1000, raising=False)
        monkeypatch.setattr(prepare, "can_load", lambda name: name not in missing)
        monkeypatch.setattr(prepare, "has_font", lambda: "font" not in missing)

    return become


def test_root_on_debian_gets_what_is_missing(
    prepare: ModuleType, machine: Callable[..., None], commands: Commands
) -> None:
    machine({"apt-get", "xauth"}, root=True, missing=("libEGL.so.1", "font"))
    prepare.prepare_system()
    update, install = (command[command.index("Dpkg::Use-Pty=0") + 1 :] for command in commands)
    assert update == ["update"]
    assert install[0] == "install"
    assert install[-3:] == ["libegl1", "fonts-dejavu-core", "xvfb"]


def test_a_user_on_debian_is_told_the_command(
    prepare: ModuleType,
    machine: Callable[..., None],
    commands: Commands,
    capsys: pytest.CaptureFixture[str],
) -> None:
    machine({"apt-get"}, missing=("libEGL.so.1", "libxcb-icccm.so.4"))
    prepare.prepare_system()
    assert "    sudo apt-get install libegl1 libxcb-icccm4\n" in capsys.readouterr().out
    assert commands == []


@pytest.mark.parametrize(
    ("tools", "line"),
    [
        ({"dnf"}, "    sudo dnf install 'libEGL.so.1()(64bit)' dejavu-sans-fonts\n"),
        (set(), "    your package manager: libEGL.so.1, a TrueType font\n"),
    ],
)
def test_elsewhere_the_libraries_are_named(
    prepare: ModuleType,
    machine: Callable[..., None],
    capsys: pytest.CaptureFixture[str],
    tools: set[str],
    line: str,
) -> None:
    machine(tools, missing=("libEGL.so.1", "font"))
    prepare.prepare_system()
    assert line in capsys.readouterr().out


@pytest.mark.parametrize("root", [True, False])
def test_a_complete_system_is_left_alone(
    prepare: ModuleType,
    machine: Callable[..., None],
    commands: Commands,
    capsys: pytest.CaptureFixture[str],
    root: bool,
) -> None:
    machine({"apt-get", "Xvfb", "xauth"}, root=root)
    prepare.prepare_system()
    assert (commands, capsys.readouterr().out) == ([], "")


def test_a_library_that_no_system_has_cannot_be_loaded(prepare: ModuleType) -> None:
    assert not prepare.can_load("libortstudio-is-not-a-library.so.7")


def test_the_environment_is_made_once_and_again_when_its_pins_change(
    prepare: ModuleType,
    machine: Callable[..., None],
    commands: Commands,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    machine({"apt-get", "Xvfb", "xauth"})
    for name in prepare.MADE_FROM:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("as it was")
    monkeypatch.setattr(prepare, "ROOT", tmp_path)
    monkeypatch.setattr(prepare, "STAMP", tmp_path / "prepared")

    def installs() -> int:
        commands.clear()
        assert prepare.main() == 0
        return sum("pip" in command for command in commands)

    assert [installs(), installs()] == [2, 0]
    (tmp_path / "constraints.txt").write_text("other")
    assert [installs(), installs()] == [2, 0]


def test_an_old_python_is_refused_with_the_way_out(
    prepare: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.version_info", (3, 9, 18))
    assert prepare.main() == 1
    error = capsys.readouterr().err
    assert "Python 3.9 is too old" in error
    assert "make setup PYTHON=" in error


def test_every_pin_is_a_name_and_a_version(checkout: Path, prepare: ModuleType) -> None:
    for pins in (prepare.PINS, prepare.PINS_310):
        for line in (checkout / pins).read_text().splitlines():
            name, equals, version = line.partition("==")
            assert equals, line
            assert name.replace("-", "").replace("_", "").isalnum(), line
            assert version.replace(".", "").isalnum(), line
