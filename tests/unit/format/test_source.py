"""The one door to a file's bytes: checked, sparse, and safe when the file changes underneath."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from ortstudio.errors import ChangedError, FormatError, MissingError
from ortstudio.format.source import PAGE_BYTES, WHOLE_FILE_BYTES, Source

LARGE = WHOLE_FILE_BYTES + 5 * PAGE_BYTES + 17


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A file too large to be read at once: zeros, with marks at its start, middle and end."""
    path = tmp_path / "large.bin"
    with path.open("wb") as file:
        file.truncate(LARGE)
        for at in (0, LARGE // 2, LARGE - 4):
            file.seek(at)
            file.write(b"mark")
    return path


def test_a_small_file_is_read_at_once(tmp_path: Path) -> None:
    path = tmp_path / "small.bin"
    path.write_bytes(b"0123456789")
    source = Source.open(path)
    assert source.bytes_read == 10
    path.unlink()
    assert source.read(2, 3) == b"234"
    assert source.payload(7, 3) == b"789"


def test_of_a_large_file_only_what_is_asked_for_is_read(large: Path) -> None:
    source = Source.open(large)
    assert source.bytes_read == 0
    assert source.read(LARGE // 2, 4) == b"mark"
    assert source.read(LARGE - 4, 4) == b"mark"
    assert source.bytes_read <= 4 * PAGE_BYTES


def test_a_payload_is_not_kept(large: Path) -> None:
    source = Source.open(large)
    assert source.payload(0, LARGE)[:4] == b"mark"
    assert source.bytes_read == 0


def test_many_ranges_load_the_pages_they_touch_and_no_others(large: Path) -> None:
    source = Source.open(large)
    offsets = np.array([3 * PAGE_BYTES - 2, 9 * PAGE_BYTES])
    source.need_all(offsets, 4)
    assert source.bytes_read == 3 * PAGE_BYTES
    source.need_all(np.array([20 * PAGE_BYTES]), np.array([3 * PAGE_BYTES]))
    assert source.bytes_read == 6 * PAGE_BYTES


def test_an_empty_range_may_stand_at_the_end_of_a_file_of_whole_pages(tmp_path: Path) -> None:
    path = tmp_path / "pages.bin"
    size = WHOLE_FILE_BYTES + 2 * PAGE_BYTES
    with path.open("wb") as file:
        file.truncate(size)
    source = Source.open(path)
    source.need_all(np.array([size]), 0)
    source.need_all(np.array([size]), np.array([0]))
    assert source.bytes_read == 0
    source.need_all(np.array([size - 1, size]), np.array([1, 0]))
    assert source.bytes_read == PAGE_BYTES
    assert source.read(size, 0) == b""


@pytest.mark.parametrize(
    ("offset", "length"), [(-1, 1), (0, -1), (11, 0), (8, 3), (2**63, 1), (0, 2**64)]
)
def test_a_range_outside_is_refused(offset: int, length: int) -> None:
    source = Source.of_bytes(b"0123456789")
    with pytest.raises(FormatError):
        source.read(offset, length)


def test_the_error_names_the_file_the_place_and_what_was_read() -> None:
    source = Source.of_bytes(bytes(100), "model.ort")
    with pytest.raises(FormatError) as caught:
        source.read(99, 4, "Node.name")
    assert caught.value.where.offset_bytes == 99
    assert "Node.name" in str(caught.value)
    assert "model.ort" in str(caught.value)


def test_a_file_that_is_cut_or_overwritten_while_open_is_told(large: Path) -> None:
    source = Source.open(large)
    assert source.read(0, 4) == b"mark"
    assert not source.changed
    os.truncate(large, 100)
    assert source.changed
    assert source.read(0, 4) == b"mark"
    for read in (source.read, source.payload):
        with pytest.raises(ChangedError):
            read(LARGE // 2, 4)
    large.write_bytes(b"x" * LARGE)
    with pytest.raises(ChangedError):
        source.payload(0, 4)
    large.unlink()
    with pytest.raises(MissingError):
        source.payload(0, 4)


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="no such file"):
        Source.open(tmp_path / "absent")
    with pytest.raises(FormatError, match="folder"):
        Source.open(tmp_path)
    if Path("/dev/zero").exists():
        with pytest.raises(FormatError, match="regular"):
            Source.open("/dev/zero")
    with pytest.raises(MissingError):
        Source.open("a\0b")


def test_an_empty_file_has_no_bytes(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.touch()
    source = Source.open(path)
    assert source.size == 0
    assert source.payload(0, 0) == b""
