from __future__ import annotations

from pathlib import Path

import pytest

from ortstudio.errors import FormatError, MissingError
from ortstudio.services.custom_ops import check_library
from tests.builders.native_libraries import RETURNS_NOTHING, built


def test_a_library_with_the_entry_point_passes(tmp_path: Path) -> None:
    check_library(str(built(RETURNS_NOTHING, tmp_path)))


def test_a_path_where_nothing_is_is_missing(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="There is no such custom operator library"):
        check_library(str(tmp_path / "none.so"))


@pytest.mark.parametrize("content", [b"", b"text", b"RegisterCustomOps"])
def test_what_is_no_library_is_told_so(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "fake.so"
    path.write_bytes(content)
    with pytest.raises(FormatError, match="not a shared library"):
        check_library(str(path))


def test_a_folder_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="cannot be read"):
        check_library(str(tmp_path))


def test_a_library_of_something_else_is_told_so(tmp_path: Path) -> None:
    path = built("int nothing(void) { return 0; }", tmp_path)
    with pytest.raises(FormatError, match="lacks RegisterCustomOps"):
        check_library(str(path))
