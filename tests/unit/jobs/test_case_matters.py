from __future__ import annotations

from pathlib import Path

import pytest

from ortstudio.jobs.platform import case_matters


def is_told_apart(folder: Path) -> bool:
    """What the file system says when it is tried."""
    (folder / "name").touch()
    return not (folder / "NAME").exists()


def test_the_answer_is_that_of_the_file_system(tmp_path: Path) -> None:
    assert case_matters(tmp_path) is is_told_apart(tmp_path)


def test_a_folder_that_is_not_there_yet_is_like_the_one_it_will_lie_in(tmp_path: Path) -> None:
    assert case_matters(tmp_path / "not" / "yet") is is_told_apart(tmp_path)


def test_two_folders_that_differ_by_case_are_two(tmp_path: Path) -> None:
    if not is_told_apart(tmp_path):
        pytest.skip("the file system takes them for one")
    for name in ("one", "ONE"):
        (tmp_path / name).mkdir()
    assert case_matters(tmp_path / "one")


def test_a_name_without_letters_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "123").mkdir()
    assert case_matters(tmp_path / "123") is is_told_apart(tmp_path)
