from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from ortstudio.jobs import platform

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="the code for POSIX")


def no_link(_source: Path, _target: Path) -> None:
    raise OSError(errno.EPERM, "hard links are not for this file system")


@pytest.fixture(params=["links", "no links", "claims"])
def names(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder on a file system with or without hard links."""
    if request.param != "links":
        monkeypatch.setattr(os, "link", no_link, raising=False)
    if request.param == "claims":
        monkeypatch.setattr(platform, "_rename_exclusively", lambda *_: False)
    (tmp_path / "temporary").write_bytes(b"new")
    return tmp_path


def listing(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_publishing_gives_a_file_its_name(names: Path) -> None:
    platform.publish(names / "temporary", names / "final", overwrite=False)
    assert listing(names) == {"final": b"new"}


def test_publishing_replaces_nothing_unasked(names: Path) -> None:
    (names / "final").write_bytes(b"old")
    with pytest.raises(FileExistsError):
        platform.publish(names / "temporary", names / "final", overwrite=False)
    assert listing(names) == {"final": b"old", "temporary": b"new"}


def test_publishing_replaces_when_asked(names: Path) -> None:
    (names / "final").write_bytes(b"old")
    platform.publish(names / "temporary", names / "final", overwrite=True)
    assert listing(names) == {"final": b"new"}


@POSIX
def test_a_link_to_nowhere_counts_as_an_existing_file(names: Path) -> None:
    (names / "final").symlink_to(names / "nowhere")
    with pytest.raises(FileExistsError):
        platform.publish(names / "temporary", names / "final", overwrite=False)
    assert (names / "final").is_symlink()


@POSIX
def test_a_failed_publication_leaves_no_claim_behind(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(_source: Path, _target: Path) -> None:
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(os, "link", no_link)
    monkeypatch.setattr(platform, "_rename_exclusively", lambda *_: False)
    monkeypatch.setattr(Path, "replace", full)
    (tmp_path / "temporary").write_bytes(b"new")
    with pytest.raises(OSError, match="no space"):
        platform.publish(tmp_path / "temporary", tmp_path / "final", overwrite=False)
    assert listing(tmp_path) == {"temporary": b"new"}


@POSIX
@pytest.mark.parametrize(
    ("code", "name"),
    [(0, None), (1, None), (-11, "SIGSEGV"), (-6, "SIGABRT"), (-200, "signal 200")],
)
def test_exit_codes_of_crashes_have_names(code: int, name: str | None) -> None:
    assert platform.crash_name(code) == name


def test_a_lock_is_for_one_at_a_time_and_ends_with_the_file(tmp_path: Path) -> None:
    (tmp_path / "lock").write_bytes(b"")
    with (tmp_path / "lock").open("r+b") as one, (tmp_path / "lock").open("r+b") as other:
        assert platform.lock(one.fileno()) is True
        assert platform.lock(other.fileno()) is False
        one.close()
        assert platform.lock(other.fileno()) is True


@pytest.mark.skipif(sys.platform != "linux", reason="errors as Linux has them")
def test_a_file_system_without_locks_is_told_from_one_where_another_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    def flock(_descriptor: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    with (tmp_path / "lock").open("wb") as file:
        assert platform.lock(file.fileno()) is None


def test_a_process_has_something_in_memory_and_a_dead_one_nothing() -> None:
    found = platform.resident_bytes(os.getpid())
    assert (found is None) is (sys.platform == "win32")
    assert found is None or found > 1 << 20
    assert platform.resident_bytes(1 << 30) is None


def test_a_note_that_cannot_be_kept_is_none(tmp_path: Path) -> None:
    assert platform.set_note(tmp_path / "none", "x") is False
    assert platform.note(tmp_path / "none") is None
