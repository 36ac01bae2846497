from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from ortstudio.jobs import machine

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="files as Linux has them")


@pytest.fixture
def groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A control group, and that around it, in a folder of ours."""
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    monkeypatch.setattr(machine, "_GROUPS", tmp_path)
    monkeypatch.setattr(machine, "_own_groups", lambda: ["0::/outer/inner"])
    return tmp_path


def test_there_is_something_of_everything() -> None:
    assert 1 <= machine.processors() <= (os.cpu_count() or 1)
    assert machine.free_memory_bytes() > 100 << 20


@LINUX
def test_the_tightest_group_says_how_much_memory_is_free(groups: Path) -> None:
    for name, limit, used in (("outer", 500, 300), ("outer/inner", 400, 350)):
        (groups / name / "memory.max").write_text(f"{limit}\n")
        (groups / name / "memory.current").write_text(f"{used}\n")
        (groups / name / "memory.stat").write_text("anon 7\ninactive_file 20\n")
    assert machine.free_memory_bytes() == 400 - 350 + 20


@LINUX
def test_a_group_without_a_limit_says_nothing(groups: Path) -> None:
    (groups / "outer" / "memory.max").write_text("max\n")
    (groups / "outer" / "memory.current").write_text("300\n")
    (groups / "outer" / "memory.stat").write_text("inactive_file 20\n")
    assert machine.free_memory_bytes() > 100 << 20


@LINUX
def test_older_groups_have_a_folder_for_each_resource(
    groups: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "_own_groups", lambda: ["4:memory:/gone/from/here", "0::/"])
    folder = groups / "memory"
    folder.mkdir()
    (folder / "memory.limit_in_bytes").write_text("900\n")
    (folder / "memory.usage_in_bytes").write_text("700\n")
    (folder / "memory.stat").write_text("total_inactive_file 100\n")
    assert machine.free_memory_bytes() == 300


@LINUX
@pytest.mark.parametrize(("quota", "count"), [("100000 100000", 1), ("20000 100000", 1)])
def test_a_group_may_allot_processors(quota: str, count: int, groups: Path) -> None:
    (groups / "outer" / "cpu.max").write_text(quota)
    assert machine.processors() == count


@LINUX
def test_where_nothing_says_what_is_free_it_is_half_of_what_is_built_in(
    groups: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert list(groups.iterdir()), "a group that says nothing"
    monkeypatch.setattr(machine, "_MEMORY", Path("/nonexistent"))
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    assert machine.free_memory_bytes() == pages * size // 2
