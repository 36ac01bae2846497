"""The main job on the sample, as one command: it is checked, and tidies up after itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_the_journey_without_a_display_ends_in_a_picture_and_leaves_nothing_else(
    tmp_path: Path,
) -> None:
    temporary, here = tmp_path / "temporary", tmp_path / "here"
    temporary.mkdir()
    here.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "ortstudio.ui.journey"],
        cwd=here,
        env=os.environ | {"TMPDIR": str(temporary), "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Outputs agree" in done.stdout
    assert [path.name for path in here.iterdir()] == ["ortstudio-sample.png"]
    assert list(temporary.iterdir()) == []
