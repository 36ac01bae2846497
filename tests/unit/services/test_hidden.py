from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from ortstudio.errors import RefusedError
from ortstudio.jobs import platform
from ortstudio.services.hidden import (
    PREFIX,
    STALE_S,
    SUFFIX,
    hidden_folder,
    hidden_path,
    remove_left,
    temporary_folder,
)

OWNER = """
import sys, time
from pathlib import Path
from ortstudio.services.hidden import hidden_folder

with hidden_folder(Path(sys.argv[1])) as folder:
    (folder / "half").write_bytes(b"half of a")
    print("ready", flush=True)
    sys.stdin.read()
"""


def owner(parent: Path) -> subprocess.Popen[bytes]:
    """Another process that has a hidden folder, until its stdin ends."""
    pipe = subprocess.PIPE
    process = subprocess.Popen([sys.executable, "-c", OWNER, str(parent)], stdin=pipe, stdout=pipe)
    assert process.stdout is not None
    assert process.stdout.readline().strip() == b"ready"
    return process


def listing(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def age(path: Path) -> None:
    old = time.time() - STALE_S - 1
    for one in [path, *path.rglob("*")]:
        os.utime(one, (old, old))


def test_a_hidden_folder_is_empty_at_first_and_gone_at_the_end(tmp_path: Path) -> None:
    with hidden_folder(tmp_path) as folder:
        assert listing(folder) == []
        (folder / "deep").mkdir()
        (folder / "deep" / "file").write_bytes(b"")
        (outer,) = listing(tmp_path)
        assert outer.name.startswith(PREFIX)
        assert outer.name.endswith(SUFFIX)
    assert listing(tmp_path) == []


def test_it_is_gone_after_an_error_too(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), hidden_folder(tmp_path):
        raise KeyboardInterrupt
    assert listing(tmp_path) == []


def test_what_the_dead_left_is_removed_at_once(tmp_path: Path) -> None:
    process = owner(tmp_path)
    process.kill()
    process.communicate()
    assert len(listing(tmp_path)) == 1
    with hidden_folder(tmp_path):
        assert len(listing(tmp_path)) == 1
    assert listing(tmp_path) == []


def test_what_belongs_to_the_living_stays(tmp_path: Path) -> None:
    with owner(tmp_path) as process:
        (theirs,) = listing(tmp_path)
        age(theirs)
        remove_left(tmp_path)
        with hidden_folder(tmp_path):
            remove_left(tmp_path)
            assert len(listing(tmp_path)) == 2
        assert (theirs / "files" / "half").read_bytes() == b"half of a"
        process.communicate()
    assert listing(tmp_path) == []


def test_a_folder_whose_owner_died_before_or_after_its_lock_is_removed(tmp_path: Path) -> None:
    hidden_path(tmp_path).mkdir()
    half = hidden_path(tmp_path)
    half.mkdir()
    (half / "files").mkdir()
    remove_left(tmp_path)
    assert listing(tmp_path) == []


def test_only_what_is_ours_is_removed(tmp_path: Path) -> None:
    file, foreign = tmp_path / f"{PREFIX}1{SUFFIX}", tmp_path / ".other.part"
    for path in (file, foreign):
        path.write_bytes(b"")
    remove_left(tmp_path)
    assert listing(tmp_path) == [file, foreign], "nobody knows yet whose it is"
    for path in (file, foreign):
        age(path)
    remove_left(tmp_path)
    assert listing(tmp_path) == [foreign]


@pytest.mark.skipif(sys.platform == "win32", reason="links need no rights on POSIX only")
def test_nothing_is_removed_through_a_link(tmp_path: Path) -> None:
    precious, place = tmp_path / "precious", tmp_path / "place"
    precious.mkdir()
    (precious / "file").write_bytes(b"")
    place.mkdir()
    (place / f"{PREFIX}1{SUFFIX}").symlink_to(precious)
    (place / f"{PREFIX}2{SUFFIX}").mkdir()
    (place / f"{PREFIX}2{SUFFIX}" / "lock").symlink_to(precious / "file")
    remove_left(place)
    assert (precious / "file").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is renamed there that is open")
def test_who_takes_a_folder_away_holds_its_lock_till_it_has_no_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else who made it a moment ago would get the lock, and lose the folder all the same."""
    left = hidden_path(tmp_path)
    left.mkdir()
    (left / "lock").write_bytes(b"")
    free: list[bool | None] = []
    rename = Path.rename

    def renamed(path: Path, target: Path) -> Path:
        with (path / "lock").open("r+b") as lock:
            free.append(platform.lock(lock.fileno()))
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", renamed)
    remove_left(tmp_path)
    assert free == [False]
    assert listing(tmp_path) == []


@pytest.mark.parametrize("old", [False, True])
def test_without_locks_only_age_tells_what_was_left(
    old: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "lock", lambda _descriptor: None)
    with hidden_folder(tmp_path):
        (folder,) = listing(tmp_path)
        if old:
            age(folder)
        remove_left(tmp_path)
        assert folder.exists() is not old


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"), hidden_folder(tmp_path / "none"):
        pass


def test_without_a_place_for_temporary_files_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with pytest.raises(RefusedError, match="no place for temporary files"), temporary_folder():
        pass
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with temporary_folder() as folder:
        assert tmp_path in folder.parents
    assert listing(tmp_path) == []


def test_nobody_loses_a_folder_while_all_tidy_up(tmp_path: Path) -> None:
    lost: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(40):
                with hidden_folder(tmp_path) as folder:
                    (folder / "file").write_bytes(b"")
                    remove_left(tmp_path)
                    assert (folder / "file").exists()
        except BaseException as error:  # noqa: BLE001 - for the thread that asserts
            lost.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lost == []
    assert listing(tmp_path) == []
