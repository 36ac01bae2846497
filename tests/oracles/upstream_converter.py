"""The converter in onnxruntime's wheel, run as a child on many models with many options."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.sessions import Level, Style, Target

VARIABLE = "ORT_CONVERT_ONNX_MODELS_TO_ORT_OPTIMIZATION_LEVEL"

PROGRAM = """
import json, os, sys
from pathlib import Path
from onnxruntime.tools.convert_onnx_models_to_ort import OptimizationStyle
from onnxruntime.tools.convert_onnx_models_to_ort import convert_onnx_models_to_ort

answer, sys.stdout = sys.stdout, sys.stderr
for job in json.load(sys.stdin):
    os.environ[sys.argv[1]] = job["level"]
    said = ""
    try:
        convert_onnx_models_to_ort(
            Path(job["model"]),
            Path(job["folder"]),
            [OptimizationStyle[style] for style in job["styles"]],
            target_platform=job["target"],
            save_optimized_onnx_model=job["twin"],
            enable_type_reduction=job["types"],
        )
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    print(json.dumps(said), file=answer, flush=True)
"""


@dataclass(frozen=True)
class Options:
    """One combination of the converter's options."""

    level: Level = Level.ALL
    styles: tuple[Style, ...] = (Style.FIXED, Style.RUNTIME)
    target: Target | None = None
    types: bool = False
    twin: bool = False

    @property
    def text(self) -> str:
        """A name for a folder."""
        styles = "_".join(style.value for style in self.styles)
        target = self.target.value if self.target else "any"
        return f"{self.level.value}-{styles}-{target}-{'types' * self.types}-{'twin' * self.twin}"

    def settings(self, folder: Path, *, verify: bool) -> ConvertSettings:
        """The same for our own converter."""
        return ConvertSettings(
            level=self.level,
            styles=self.styles,
            target=self.target,
            type_reduction=self.types,
            optimized_onnx=self.twin,
            output_dir=str(folder),
            verify=verify,
        )


@dataclass(frozen=True)
class Job:
    """A model, the options, and the folder for what comes of it."""

    model: Path
    options: Options
    folder: Path

    def to_json(self) -> dict[str, object]:
        """As the child takes it."""
        options = self.options
        return {
            "model": str(self.model),
            "folder": str(self.folder),
            "level": options.level.value,
            "styles": [style.value.capitalize() for style in options.styles],
            "target": options.target.value if options.target else None,
            "types": options.types,
            "twin": options.twin,
        }


def convert(jobs: Sequence[Job]) -> list[str]:
    """Do them all; for each what upstream raised, empty where it did its work."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, VARIABLE],
        input=json.dumps([job.to_json() for job in jobs]),
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"ORT_LOGGING_LEVEL": "4"},
    )
    return [str(json.loads(line)) for line in done.stdout.splitlines()]
