"""Where what two models are fed with lies while they run."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from ortstudio.jobs.runner import agent_child
from ortstudio.services.compare_sides import asking
from ortstudio.services.hidden import hidden_path


def test_what_a_killed_comparison_left_is_removed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left = hidden_path(tmp_path)
    left.mkdir()
    (left / "lock").touch()
    (left / "inputs.npz").touch()
    with asking(None, None, agent_child) as (_, folder):
        assert list(folder.iterdir()) == []
        assert not left.exists()
    assert list(tmp_path.iterdir()) == []
