"""Converts with the runtime directly, all models in one child process.

Run as a program it reads a list of jobs from the file it is given.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict


class Job(TypedDict):
    source: str
    result: str
    level: str
    style: str
    target: str


def convert(jobs: Sequence[Job], folder: Path) -> None:
    """Do the jobs in a child process. Raises CalledProcessError where one of them failed."""
    listed = folder / "jobs.json"
    listed.write_text(json.dumps(jobs), encoding="utf-8")
    subprocess.run([sys.executable, __file__, str(listed)], check=True, timeout=240)


def _convert_one(job: Job) -> None:
    import onnxruntime as ort

    levels = {
        "disable": ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
        "basic": ort.GraphOptimizationLevel.ORT_ENABLE_BASIC,
        "extended": ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
        "layout": ort.GraphOptimizationLevel.ORT_ENABLE_LAYOUT,
        "all": ort.GraphOptimizationLevel.ORT_ENABLE_ALL,
    }
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = levels[job["level"]]
    options.optimized_model_filepath = job["result"]
    options.add_session_config_entry("session.save_model_format", "ORT")
    signed = "1" if job["target"] == "arm" else "0"
    options.add_session_config_entry("session.qdqisint8allowed", signed)
    if job["style"] == "runtime":
        options.add_session_config_entry("optimization.minimal_build_optimizations", "save")
    portable = job["level"] in ("layout", "all") and job["target"] != "amd64"
    ort.InferenceSession(
        job["source"],
        options,
        providers=["CPUExecutionProvider"],
        disabled_optimizers=["NchwcTransformer"] if portable else None,
    )


if __name__ == "__main__":
    for found in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")):
        _convert_one(found)
