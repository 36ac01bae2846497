"""What is told of saved optimizations, against the runtime with replay enabled."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pytest

from ortstudio.analysis.runtime_optimizations import explain
from ortstudio.format.source import Source
from ortstudio.model.ort_reader import read_ort
from tests.builders.corpus import corpus_files, corpus_model
from tests.builders.knowledge import CORPUS

FILES = [
    file["file"]
    for file in corpus_files()
    if file["runtime_optimizations"] and int(file["format_version"]) >= 5
]

pytestmark = pytest.mark.skipif(
    tuple(map(int, version("onnxruntime").split(".")[:2])) < (1, 30),
    reason="before 1.30 there is no option for replay",
)


def replayed_ops(path: Path, target: Path) -> list[str]:
    """The operators that are left after loading with replay enabled."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(target)
    options.add_session_config_entry("session.enable_saved_runtime_optimizations", "1")
    onnxruntime.InferenceSession(
        str(path), options, providers=["CPUExecutionProvider"], enable_fallback=0
    )
    return read_ort(Source.open(target)).main.nodes.ops


@pytest.mark.parametrize("file", FILES)
def test_the_runtime_replays_what_was_said_to_replay(file: str, tmp_path: Path) -> None:
    saved = explain(corpus_model(file))
    target = tmp_path / "replayed.ort"
    if any(problem.stops_load for one in saved for problem in one.problems):
        with pytest.raises(Exception, match="Not enough produced nodes"):
            replayed_ops(CORPUS / file, target)
        return
    ops = replayed_ops(CORPUS / file, target)
    made = [op for one in saved for op in one.record.produced_op_ids]
    assert made
    for op in made:
        domain, op_type, _ = op.split(":")
        assert f"{domain}.{op_type}".lstrip(".") in ops
