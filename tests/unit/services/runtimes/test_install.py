from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ortstudio.errors import JobError, MissingError, RefusedError, UsageError
from ortstudio.services import runtimes
from ortstudio.services.conversion import CancelledError
from ortstudio.services.runtimes import Kind, Places, search
from ortstudio.services.runtimes.install import install, pythons_of, suitable
from ortstudio.services.runtimes.installer import Installer, InstallProgress
from ortstudio.services.runtimes.search import Interpreter
from tests.builders.wheels import fitting_release, write_runtime_wheels, write_wheel

BROKEN = 'raise ImportError("not for this machine")\n'


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path / "runtimes.json", tmp_path / "runtimes")


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """A folder with a release, in wheels that hold next to nothing."""
    write_runtime_wheels(tmp_path / "wheels", "1.31.0")
    return tmp_path / "wheels"


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()] if folder.exists() else []


def python(minor: int, *, pip: bool = True, ensurepip: bool = True) -> Interpreter:
    return Interpreter(f"/python3.{minor}", (3, minor, 1), pip, True, ensurepip)


def test_a_release_gets_an_environment_of_its_own(places: Places, wheels: Path) -> None:
    phases: list[str] = []

    def report(progress: InstallProgress) -> None:
        if progress.phase not in phases:
            phases.append(progress.phase)

    made = install("1.31.0", Installer(places, wheels, report), sys.executable)
    assert (made.name, made.kind, made.onnxruntime) == ("1.31.0", Kind.INSTALLED, "1.31.0")
    assert Path(made.where).is_relative_to(places.folder / "1.31.0")
    assert phases == ["choose", "environment", "fetch", "install", "try"]
    assert runtimes.of_release("1.31.0", places) == made
    assert names_in(places.folder) == ["1.31.0"]
    with made.child() as child:
        package = child.ask("probe", {}).value["package"]
    assert package == made.package
    assert not list(places.folder.rglob("[aA]ctivate*"))

    assert install("1.31.0", Installer(places)) == made
    assert runtimes.remove("1.31.0", places) == made
    assert names_in(places.folder) == []
    assert runtimes.of_release("1.31.0", places) is None


def test_a_fitting_python_is_found_by_itself(places: Places, tmp_path: Path) -> None:
    release = fitting_release()
    write_runtime_wheels(tmp_path / "fitting", release)
    made = install(release, Installer(places, tmp_path / "fitting"))
    low, high = pythons_of(release)
    assert low <= int(made.python.split(".")[1]) <= high


@pytest.mark.parametrize("phase", ["environment", "fetch", "try"])
def test_cancelling_leaves_nothing(places: Places, wheels: Path, phase: str) -> None:
    seen: list[str] = []

    def report(progress: InstallProgress) -> None:
        seen.append(progress.phase)

    with pytest.raises(CancelledError):
        install("1.31.0", Installer(places, wheels, report, lambda: phase in seen), sys.executable)
    assert names_in(places.folder) == []
    assert runtimes.of_release("1.31.0", places) is None


def test_what_cannot_be_imported_is_refused_and_removed(places: Places, wheels: Path) -> None:
    write_wheel(wheels, "onnxruntime", "1.30.0", BROKEN)
    with pytest.raises(RefusedError, match="not for this machine"):
        install("1.30.0", Installer(places, wheels), sys.executable)
    assert names_in(places.folder) == []


def test_a_release_that_is_not_there_is_named_with_the_place(places: Places, wheels: Path) -> None:
    with pytest.raises(RefusedError, match=r"no wheel of onnxruntime 1\.29\.0 .* in .*wheels"):
        install("1.29.0", Installer(places, wheels), sys.executable)
    assert names_in(places.folder) == []


def test_other_troubles_of_pip_are_told_in_its_words(places: Places, tmp_path: Path) -> None:
    (tmp_path / "onnxruntime-1.31.0-py3-none-any.whl").write_bytes(b"no wheel")
    write_wheel(tmp_path, "numpy", "1.20.0", "")
    with pytest.raises(JobError, match=r"pip failed: .*onnxruntime") as found:
        install("1.31.0", Installer(places, tmp_path), sys.executable)
    assert "onnxruntime" in found.value.details


@pytest.mark.parametrize("release", ["newest", "1", "../1.2", "1.2 --index-url=x", "-r", ""])
def test_what_is_no_release_is_refused(places: Places, release: str) -> None:
    with pytest.raises(UsageError, match="is not a release"):
        install(release, Installer(places))


def test_a_python_that_is_not_there_is_named(places: Places) -> None:
    with pytest.raises(MissingError, match="no Python interpreter"):
        install("1.31.0", Installer(places), "/nonexistent/python")


def test_a_folder_that_cannot_be_written_to_is_named(places: Places, wheels: Path) -> None:
    places.folder.write_text("a file")
    with pytest.raises(RefusedError, match="Nothing can be written here"):
        install("1.31.0", Installer(places, wheels), sys.executable)


@pytest.mark.parametrize(
    ("release", "pythons"),
    [
        ("1.5.2", (5, 8)),
        ("1.10.0", (6, 9)),
        ("1.16.3", (8, 11)),
        ("1.19.2", (8, 12)),
        ("1.32.0", (11, 14)),
        ("1.40.0", (11, 99)),
        ("2.0.0", (11, 99)),
    ],
)
def test_the_pythons_of_a_release_are_known(release: str, pythons: tuple[int, int]) -> None:
    assert pythons_of(release) == pythons


def test_the_newest_fitting_python_is_tried_first() -> None:
    here = [python(11), python(8), python(13), python(10), python(7)]
    assert [found.version[1] for found in suitable("1.16.3", here)] == [11, 10, 8]


def test_of_two_pythons_alike_the_first_is_taken() -> None:
    own, other = python(11), Interpreter("/other", (3, 11, 9), True, True, True)
    assert suitable("1.16.3", [own, other]) == [own]


def test_a_python_without_means_to_install_is_left_out() -> None:
    here = [python(11, pip=False, ensurepip=False), python(10, pip=False)]
    assert [found.version[1] for found in suitable("1.16.3", here)] == [10]


@pytest.mark.parametrize(
    ("release", "here", "words"),
    [
        ("1.5.2", [10, 11], r"wheels for Python 3\.5 to 3\.8, and here is 3\.10, 3\.11"),
        ("1.32.0", [], r"wheels for Python 3\.11 to 3\.14, and here is none"),
        ("1.40.0", [10], r"wheels for Python 3\.11 and newer, and here is 3\.10"),
    ],
)
def test_it_is_said_where_no_python_fits(release: str, here: list[int], words: str) -> None:
    with pytest.raises(RefusedError, match=words):
        suitable(release, [python(minor) for minor in here])


@pytest.mark.long
def test_an_environment_without_pip_gets_one(
    places: Places, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask: Callable[..., Interpreter | None] = search.interpreter

    def without_pip(path: str, **_: object) -> Interpreter | None:
        found = ask(path)
        return found and Interpreter(found.path, found.version, False, found.venv, True)

    monkeypatch.setattr(search, "interpreter", without_pip)
    made = install("1.31.0", Installer(places, wheels), sys.executable)
    assert made.onnxruntime == "1.31.0"
