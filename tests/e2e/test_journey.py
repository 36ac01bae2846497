"""The main job on the sample, as one command: it is checked, and tidies up after itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

OTHERWISE = """
import sys
from pathlib import Path
from types import SimpleNamespace
from ortstudio.ui import journey
journey.samples.sample = lambda: SimpleNamespace(source=Path(sys.argv[1]))
sys.exit(journey.main())
"""
"""The journey with another model in place of the sample."""


def travel(tmp_path: Path, *program: str) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """What it said, and what stands in its folder afterwards; nothing may be left elsewhere."""
    temporary, here = tmp_path / "temporary", tmp_path / "here"
    temporary.mkdir()
    here.mkdir()
    done = subprocess.run(
        [sys.executable, *program],
        cwd=here,
        env=os.environ | {"TMPDIR": str(temporary), "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert list(temporary.iterdir()) == []
    return done, [path.name for path in here.iterdir()]


def test_the_journey_without_a_display_ends_in_a_picture_and_leaves_nothing_else(
    tmp_path: Path,
) -> None:
    done, left = travel(tmp_path, "-m", "ortstudio.ui.journey")
    assert done.returncode == 0, done.stderr
    assert "Outputs agree" in done.stdout
    assert left == ["ortstudio-sample.png"]


def test_a_step_that_fails_ends_it_with_the_reason(tmp_path: Path, corpus: Path) -> None:
    refused = corpus / "sources" / "optional_io.onnx"
    done, left = travel(tmp_path, "-c", OTHERWISE, str(refused))
    assert done.returncode == 1
    assert "which the ORT format cannot hold" in done.stderr
    assert left == []


def test_what_cannot_be_opened_ends_it_too(tmp_path: Path) -> None:
    text = tmp_path / "model.onnx"
    text.write_text("no model", encoding="utf-8")
    done, left = travel(tmp_path, "-c", OTHERWISE, str(text))
    assert done.returncode == 1
    assert "text file" in done.stderr
    assert left == []
