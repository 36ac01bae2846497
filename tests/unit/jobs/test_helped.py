from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import onnx
import pytest

from ortstudio.jobs.helped import HelpedChild, node_child, python_child
from ortstudio.jobs.runner import Child, Ending
from tests.builders.onnx_files import identity, value

FAKE = Path(__file__).with_name("fake_agent.py")


@pytest.fixture
def child() -> Iterator[Child]:
    """Its own process only gives back what it is asked."""
    with HelpedChild([sys.executable, str(FAKE), "echo"]) as made:
        yield made


def gather(child: Child, folder: Path) -> bool:
    onnx.save(identity(value("x")), folder / "m.onnx")
    return child.ask("gather-weights", {"model": str(folder / "m.onnx"), "folder": "."}).ok


def test_what_needs_onnx_is_served_by_ours(child: Child, tmp_path: Path) -> None:
    assert child.ask("run", {}).value["number"] == 1
    assert gather(child, tmp_path)
    assert child.ask("run", {}).value["number"] == 2


def test_a_helper_that_is_gone_is_replaced(child: Child, tmp_path: Path) -> None:
    outcome = child.ask("gather-weights", {"model": "/none", "folder": "."}, timeout_s=0)
    assert outcome.ending is Ending.TIMED_OUT
    assert child.usable
    assert gather(child, tmp_path)


def test_closing_ends_both(child: Child, tmp_path: Path) -> None:
    assert gather(child, tmp_path)
    child.close()
    assert not child.usable


def test_our_own_interpreter_needs_no_help() -> None:
    assert not isinstance(python_child(sys.executable), HelpedChild)
    assert isinstance(python_child("/other/python"), HelpedChild)
    assert isinstance(node_child("node", "/folder"), HelpedChild)
