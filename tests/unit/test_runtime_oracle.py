from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ortstudio.jobs.runner import Child, agent_child, children
from tests.oracles.runtime import RefusedByRuntimeError, Runtime


def test_a_file_that_takes_the_child_down_is_refused_and_the_next_one_is_loaded(
    corpus: Path, tmp_path: Path
) -> None:
    waiting = [agent_child(), Child([sys.executable, "-c", "import os; os.abort()"])]
    content = (corpus / "v6_ort1.16.0_mlp_fixed_disable.ort").read_bytes()
    expected = corpus / "sources" / "mlp.npz"
    with children(waiting.pop) as child:
        runtime = Runtime(child, tmp_path)
        with pytest.raises(RefusedByRuntimeError, match=r"crashed|exited"):
            runtime.check(content, expected)
        runtime.check(content, expected)
