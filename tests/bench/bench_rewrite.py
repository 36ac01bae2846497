"""Writing a model anew, against loading and saving it with the runtime."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.measure import Claim, Run, in_turns, median_seconds, peak_megabytes
from tests.bench.models import node_heavy, weight_heavy

NODES = 20_000
MEGABYTES = 400
ROUNDS = 3
OURS = """
import sys
from pathlib import Path
from ortstudio.services.ort_write import reproducible
reproducible(Path(sys.argv[1]), Path(sys.argv[2]))
"""
RUNTIME = """
import sys
import onnxruntime
options = onnxruntime.SessionOptions()
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
options.add_session_config_entry("session.save_model_format", "ORT")
options.optimized_model_filepath = sys.argv[2]
onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
"""


def claims() -> Iterator[Claim]:
    """Many nodes, then large weights."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "made.ort"
        nodes = _in_turns(node_heavy(NODES, ".ort"), target)
        ours, theirs = median_seconds(nodes["ours"]), median_seconds(nodes["runtime"])
        detail = f"{ours:.2f} s against {theirs:.2f} s"
        yield Claim(f"{NODES:,} nodes: time", ours / theirs, 3, at_most=True, detail=detail)
        path = weight_heavy(MEGABYTES, ".ort")
        weights = _in_turns(path, target)
    peak, other = peak_megabytes(weights["ours"]), peak_megabytes(weights["runtime"])
    if peak is not None and other is not None:
        detail = f"{peak:.0f} MB against {other:.0f} MB"
        share = peak / (path.stat().st_size / 1e6)
        text = f"{MEGABYTES} MB of weights: peak memory against the file"
        yield Claim(text, share, 0.25, at_most=True, detail=detail)


def _in_turns(path: Path, target: Path) -> dict[str, list[Run]]:
    programs = {"ours": OURS, "runtime": RUNTIME}
    return in_turns(
        {
            name: [sys.executable, "-c", text, str(path), str(target)]
            for name, text in programs.items()
        },
        ROUNDS,
    )
