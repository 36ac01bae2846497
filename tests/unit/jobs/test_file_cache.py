"""The agent brings a file's pages into the system's memory, and out of it."""

from __future__ import annotations

import errno
import importlib
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from ortstudio.jobs.runner import AGENT

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells whether a page is in memory"
)
PLACE = 1 << 19
"""In the middle of the file: the system reads a few pages more than it is asked for."""


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(AGENT))
    return importlib.import_module("ortstudio_agent.memory")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    kind = subprocess.check_output(["stat", "-f", "-c", "%T", tmp_path], text=True).strip()
    if kind in ("tmpfs", "ramfs"):
        pytest.skip("files are in memory only")
    path = tmp_path / "weights.bin"
    path.write_bytes(bytes(2 * PLACE))
    return path


def is_in_memory(path: Path) -> bool:
    """Whether a read would wait for the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.preadv(descriptor, [bytearray(4096)], PLACE, os.RWF_NOWAIT) > 0
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno != errno.EOPNOTSUPP:
            raise
        pytest.skip("this file system does not tell")
    finally:
        os.close(descriptor)


def test_pages_are_dropped_and_read_again(memory: ModuleType, file: Path) -> None:
    assert is_in_memory(file)
    assert memory.drop_cached(str(file))
    assert not is_in_memory(file)
    memory.read_through(str(file))
    assert is_in_memory(file)
