"""Verdicts that hold up: nothing is found where nothing differs, and ten percent more work is.

How many comparisons are made is in the environment variable `COMPARISONS`; forty are the measure of
it, a few show that it works at all.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from ortstudio.services.lab.bench import BenchSettings, bench
from ortstudio.services.lab.measuring import MOST_ROUNDS, LabSettings
from ortstudio.services.lab.results import Result
from ortstudio.services.sessions import Level

pytestmark = pytest.mark.long

COMPARISONS = int(os.environ.get("COMPARISONS", "3"))
MISSED = COMPARISONS // 20
"""Two of forty may go wrong."""
SIZE = 96
"""Small, so that a child takes many runs: what interrupts some of them leaves the median alone."""
WORK = 40
"""Products of matrices in a model: ten percent are four."""


def model(path: Path, products: int) -> Path:
    """So many products with the identity: whatever their number, the outputs are the same."""
    nodes = [
        helper.make_node("MatMul", [f"x{k}", "eye"], [f"x{k + 1}"], name=f"product_{k}")
        for k in range(products)
    ]
    nodes.append(helper.make_node("Identity", [f"x{products}"], ["y"], name="end"))
    ports = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [SIZE, SIZE]) for name in ("x0", "y")
    ]
    eye = numpy_helper.from_array(np.eye(SIZE, dtype=np.float32), "eye")
    graph = helper.make_graph(nodes, "products", ports[:1], ports[1:], [eye])
    onnx.save(helper.make_model(graph, ir_version=8), path)
    return path


def compared(first: Path, second: Path, rounds: int, seed: int) -> Result:
    """A quick comparison on one thread, nothing optimized away."""
    lab = LabSettings(budget_s=600, most_rounds=rounds, warmup=1, runs_s=0.2, seed=seed)
    settings = BenchSettings(levels=(Level.DISABLE,), threads=(1,), lab=lab)
    return bench([first, second], settings)


@contextmanager
def busy_core() -> Iterator[None]:
    """Something else that wants a processor all the time."""
    other = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        other.kill()
        other.wait()


def differing(found: Result) -> list[str]:
    lines = {measure: found.line(1, measure).against_first for measure in found.measures()}
    return [m for m, line in lines.items() if line and line.verdict != "no clear difference"]


@pytest.mark.parametrize("busy", [False, True])
def test_a_file_against_its_own_copy_claims_nothing(tmp_path: Path, busy: bool) -> None:
    first = model(tmp_path / "a.onnx", WORK)
    second = Path(shutil.copy(first, tmp_path / "b.onnx"))
    wrong = 0
    for seed in range(COMPARISONS):
        if busy:
            with busy_core():
                found = compared(first, second, 10, seed)
        else:
            found = compared(first, second, 10, seed)
        assert [one.status for one in found.subjects] == ["ok", "ok"]
        wrong += bool(differing(found))
    assert wrong <= MISSED


def test_ten_percent_more_work_is_found(tmp_path: Path) -> None:
    first = model(tmp_path / "a.onnx", WORK)
    second = model(tmp_path / "b.onnx", WORK * 11 // 10)
    found = 0
    for seed in range(COMPARISONS):
        # As many rounds as anybody gets: a busy machine needs them, an idle one ends before.
        against = compared(first, second, MOST_ROUNDS, seed).line(1, "run_ns").against_first
        assert against is not None
        found += against.verdict == "slower"
    assert found >= COMPARISONS - MISSED
