"""The pairs are converted once for a run."""

from __future__ import annotations

import onnxruntime
import pytest

from tests.pairing_truth.pairs import Pairs

RUNTIME = "1.32."
"""The releases whose rewrites the truth describes."""


@pytest.fixture(scope="session")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Pairs:
    if not onnxruntime.__version__.startswith(RUNTIME):
        pytest.skip(f"written for onnxruntime {RUNTIME}x, this is {onnxruntime.__version__}")
    return Pairs.made(tmp_path_factory.mktemp("pairing_truth"))
