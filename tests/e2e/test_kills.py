"""Killed at any moment, the program leaves nothing half done and the next start tidies up."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.e2e.kills import Rig

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="processes are found and killed as Linux has them"
)

FEW, MANY = 6, 50


@pytest.mark.parametrize("kills", [FEW, pytest.param(MANY, marks=pytest.mark.long)])
@pytest.mark.timeout(1800)
def test_a_kill_leaves_whole_results_only_and_nothing_after_the_next_start(
    kills: int, tmp_path: Path
) -> None:
    rig = Rig.of(tmp_path)
    before = rig.hashes()
    longest = rig.run()
    assert rig.faults() == []
    for seed in range(kills):
        rig.kill(seed, longest, child=seed % 3 == 2)
        assert rig.faults() == []
        assert rig.hashes() == before
    rig.run("--resume")
    assert rig.hidden() == []
    assert rig.faults() == []
    assert rig.hashes() == before
