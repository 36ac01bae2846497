from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ortstudio.errors import RefusedError
from ortstudio.services.npy import write_npy


def test_an_array_comes_back_as_it_was(tmp_path: Path) -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    write_npy(tmp_path / "a.npy", array)
    found = np.load(tmp_path / "a.npy", allow_pickle=False)
    assert found.dtype == array.dtype
    assert (found == array).all()


def test_strings_need_no_unpickling(tmp_path: Path) -> None:
    write_npy(tmp_path / "a.npy", np.array(["a", "値"], object))
    assert np.load(tmp_path / "a.npy", allow_pickle=False).tolist() == ["a", "値"]


def test_a_file_is_replaced_only_where_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    path.write_text("precious")
    with pytest.raises(RefusedError, match="exists already"):
        write_npy(path, np.zeros(1))
    assert path.read_text() == "precious"
    write_npy(path, np.zeros(1), overwrite=True)
    assert np.load(path).tolist() == [0.0]


def test_where_nothing_can_be_written_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="cannot be written"):
        write_npy(tmp_path / "no" / "a.npy", np.zeros(1))
    (tmp_path / "folder").mkdir()
    with pytest.raises(RefusedError, match="cannot be written"):
        write_npy(tmp_path / "folder", np.zeros(1), overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_failure_on_the_way_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(RefusedError, match="No space left"):
        write_npy(tmp_path / "a.npy", np.zeros(1))
    assert list(tmp_path.iterdir()) == []
