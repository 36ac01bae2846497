"""What is at hand, found by looking around in folders of the test's own."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import onnxruntime
import pytest

from ortstudio.errors import JobError, MissingError, RefusedError, UsageError
from ortstudio.services import runtimes
from ortstudio.services.runtimes import Kind, Places, search
from ortstudio.services.runtimes.runtime import free_name, version_key
from tests.builders.environments import environment

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="environments are imitated by links"
)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path / "config" / "runtimes.json", tmp_path / "data")


@pytest.fixture(autouse=True)
def nothing_else_around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what a test puts there is found."""
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_EXE", "PYENV_ROOT"):
        monkeypatch.delenv(variable, raising=False)
    for folder in ("home", "cwd", "path"):
        (tmp_path / folder).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.chdir(tmp_path / "cwd")


def test_our_own_is_at_hand_and_nothing_was_started(places: Places) -> None:
    (own,) = runtimes.at_hand(places)
    assert (own.name, own.kind, own.where) == ("own", Kind.OWN, sys.executable)
    assert own.onnxruntime == onnxruntime.__version__
    assert not places.file.exists()


def test_looking_around_finds_environments_by_every_custom(
    places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {
        "1.4.0": tmp_path / "cwd" / ".venv",
        "1.5.2": tmp_path / "active",
        "1.6.0": tmp_path / "home" / ".pyenv" / "versions" / "3.8.1",
        "1.7.0": tmp_path / "elsewhere" / "conda",
        "1.8.0": tmp_path / "home" / "miniconda3" / "envs" / "old",
    }
    for release, folder in given.items():
        environment(folder, release)
    monkeypatch.setenv("VIRTUAL_ENV", str(given["1.5.2"]))
    (tmp_path / "home" / ".conda").mkdir()
    (tmp_path / "home" / ".conda" / "environments.txt").write_text(f"{given['1.7.0']}\n\n/gone\n")
    environment(tmp_path / "on path", "1.9.0")
    (tmp_path / "path" / "python3.9").symlink_to(tmp_path / "on path" / "bin" / "python3")

    asked: list[str] = []
    found = runtimes.look_around(places, on_progress=asked.append)
    names = ["own", "1.4.0", "1.5.2", "1.6.0", "1.7.0", "1.8.0"]
    assert [runtime.name for runtime in found] == names
    assert {runtime.kind for runtime in found[1:]} == {Kind.FOUND}
    assert found[0].providers == tuple(onnxruntime.get_available_providers())
    assert Path(found[1].where).is_relative_to(given["1.4.0"])
    assert runtimes.at_hand(places) == found

    asked.clear()
    assert runtimes.look_around(places, on_progress=asked.append) == found
    assert asked == [str(tmp_path / "path" / "python3.9")], "the others had not changed"


def test_what_changed_is_asked_again_and_what_is_gone_is_not_listed(
    places: Places, tmp_path: Path
) -> None:
    one = environment(tmp_path / "cwd" / ".venv", "1.4.0")
    environment(tmp_path / "cwd" / "venv", "1.5.2")
    runtimes.look_around(places)
    (package,) = one.parent.parent.glob("lib/*/site-packages/onnxruntime/__init__.py")
    package.write_text(package.read_text().replace("1.4.0", "1.6.0"))
    os.utime(package, ns=(0, 1))
    (tmp_path / "cwd" / "venv" / "bin" / "python3").unlink()
    assert [runtime.name for runtime in runtimes.at_hand(places)] == ["own"]
    assert [runtime.name for runtime in runtimes.look_around(places)] == ["own", "1.6.0"]


def test_an_interpreter_that_is_given_is_remembered(places: Places, tmp_path: Path) -> None:
    python = environment(tmp_path / "given")
    added = runtimes.add(str(tmp_path / "given"), places)
    assert runtimes.add(str(python), places) == added
    assert (added.name, added.kind, added.where) == ("1.16.3", Kind.GIVEN, str(python))
    assert runtimes.find("1.16.3", places) == added
    assert [runtime.name for runtime in runtimes.at_hand(places)] == ["own", "1.16.3"]


def test_two_of_a_release_get_names_of_their_own(places: Places, tmp_path: Path) -> None:
    major, minor = sys.version_info[:2]
    for folder in ("a", "b", "c"):
        environment(tmp_path / folder)
    names = [runtimes.add(str(tmp_path / folder), places).name for folder in ("a", "b", "c")]
    assert names == ["1.16.3", f"1.16.3-py{major}{minor}", f"1.16.3-py{major}{minor}-2"]
    assert [runtime.name for runtime in runtimes.at_hand(places)[1:]] == names


def test_what_is_removed_stays_away_until_it_is_given(places: Places, tmp_path: Path) -> None:
    python = environment(tmp_path / "cwd" / ".venv")
    runtimes.look_around(places)
    runtimes.remove("1.16.3", places)
    assert [runtime.name for runtime in runtimes.look_around(places)] == ["own"]
    assert runtimes.add(str(python), places).name == "1.16.3"
    assert python.exists()


def test_our_own_cannot_be_removed(places: Places) -> None:
    with pytest.raises(RefusedError, match="ORT Studio itself"):
        runtimes.remove("own", places)


def test_a_runtime_is_found_by_name_release_or_path(places: Places, tmp_path: Path) -> None:
    own = runtimes.find("own", places)
    assert runtimes.find(onnxruntime.__version__, places) == own
    assert runtimes.of_release(onnxruntime.__version__, places) == own
    assert runtimes.of_release("1.16.3", places) is None
    python = environment(tmp_path / "somewhere")
    for place in (python, tmp_path / "somewhere"):
        found = runtimes.find(str(place), places)
        assert (found.name, found.where, found.onnxruntime) == (str(place), str(python), "1.16.3")
    assert runtimes.at_hand(places) == [own], "a path alone is not remembered"


def test_a_name_that_nothing_has_is_answered_with_those_at_hand(places: Places) -> None:
    with pytest.raises(UsageError, match=r"no runtime '1\.2\.3' at hand, but own"):
        runtimes.find("1.2.3", places)


def test_what_has_no_onnxruntime_says_why(places: Places, tmp_path: Path) -> None:
    python = environment(tmp_path / "broken", module="raise ImportError('no library')\n")
    with pytest.raises(RefusedError, match="cannot be imported here: no library"):
        runtimes.add(str(python), places)
    with pytest.raises(MissingError, match="no Python interpreter"):
        runtimes.add(str(tmp_path / "cwd"), places)
    with pytest.raises(MissingError, match="no Python interpreter"):
        runtimes.add("python2.3", places)
    (tmp_path / "text").write_text("no program")
    with pytest.raises(JobError, match="did not start"):
        runtimes.add(str(tmp_path / "text"), places)


def test_without_a_writable_home_paths_still_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    places = Places(tmp_path / "file" / "runtimes.json", tmp_path / "file" / "runtimes")
    python = environment(tmp_path / "given")
    with pytest.raises(RefusedError, match="cannot be remembered"):
        runtimes.add(str(python), places)
    assert runtimes.find(str(python), places).onnxruntime == "1.16.3"
    assert [runtime.name for runtime in runtimes.look_around(places)] == ["own"]


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"runtimes": 3}', '{"runtimes": [1, {}, {"name": "x"}]}', "\xff"]
)
def test_a_damaged_list_is_an_empty_one(places: Places, text: str) -> None:
    places.file.parent.mkdir()
    places.file.write_text(text, "latin-1")
    assert [runtime.name for runtime in runtimes.at_hand(places)] == ["own"]


def test_half_an_environment_is_not_listed(places: Places) -> None:
    environment(places.folder / "1.16.3")
    (places.folder / ".hidden").mkdir()
    whole = {"name": "1.5.2", "kind": "installed", "where": sys.executable, "onnxruntime": "1.5.2"}
    (places.folder / ".hidden" / "runtime.json").write_text(json.dumps({**whole, "providers": []}))
    assert [runtime.name for runtime in runtimes.at_hand(places)] == ["own"]


def test_an_environment_and_its_base_are_two_interpreters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment(tmp_path / "cwd" / ".venv")
    environment(tmp_path / "cwd" / "venv")
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "cwd" / ".venv"))
    found = search.candidates()
    assert sorted(Path(path).parts[-3] for path in found) == [".venv", "venv"]


def test_names_and_order_of_releases() -> None:
    assert free_name("1.16.3", "3.10.4", set()) == "1.16.3"
    assert free_name("1.16.3", "3.10.4", {"1.16.3"}) == "1.16.3-py310"
    assert sorted(["1.16.3", "1.4.0", "1.32.0"], key=version_key) == ["1.4.0", "1.16.3", "1.32.0"]
