"""The sample model: made anew, checked, and converted by the runtime in every way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray

from resources.samples import make_sample

LEVELS = list(onnxruntime.GraphOptimizationLevel.__members__.values())
STYLES = {
    "fixed": {},
    "runtime": {"optimization.minimal_build_optimizations": "save"},
}
QUIET, LOUD = 0.01, 1.0

Floats = NDArray[np.float32]


@pytest.fixture(scope="module")
def sample(checkout: Path) -> Path:
    return checkout / "resources/samples" / make_sample.FILE_NAME


def session(
    path: Path, level: object, entries: dict[str, str], output: Path | None = None
) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.log_severity_level = 3
    for key, value in entries.items():
        options.add_session_config_entry(key, value)
    if output is not None:
        options.optimized_model_filepath = str(output)
        options.add_session_config_entry("session.save_model_format", "ORT")
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def scores(model: onnxruntime.InferenceSession, loudness: float) -> Floats:
    shape = (2, 1, make_sample.FRAMES, make_sample.BANDS)
    features = np.random.default_rng(7).standard_normal(shape) * loudness
    result: Floats = model.run(["scores"], {"features": features.astype(np.float32)})[0]
    return result


def test_the_script_makes_the_committed_bytes(sample: Path) -> None:
    assert make_sample.make_model().SerializeToString() == sample.read_bytes()


def test_it_is_small_and_passes_the_checker(sample: Path) -> None:
    assert sample.stat().st_size < 1_000_000
    onnx.checker.check_model(sample, full_check=True)


def test_only_quiet_clips_are_brought_to_a_common_level(sample: Path) -> None:
    model = session(sample, LEVELS[0], {})
    np.testing.assert_allclose(scores(model, QUIET), scores(model, QUIET / 4), atol=5e-3)
    assert np.abs(scores(model, LOUD) - scores(model, LOUD * 4)).max() > 0.1


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
def test_its_conversion_computes_the_same(
    sample: Path, tmp_path: Path, level: object, style: str
) -> None:
    converted = tmp_path / "sample.ort"
    source = session(sample, level, STYLES[style], converted)
    result = session(converted, level, {})
    for loudness in (QUIET, LOUD):
        np.testing.assert_allclose(
            scores(result, loudness), scores(source, loudness), rtol=1e-3, atol=1e-4
        )


def test_runtime_style_saves_optimizations_of_floats_and_of_steps(
    sample: Path, tmp_path: Path
) -> None:
    converted = tmp_path / "sample.ort"
    session(sample, LEVELS[-1], STYLES["runtime"], converted)
    content = converted.read_bytes()
    for optimizer in (b"ConvActivationFusion", b"QDQSelectorActionTransformer"):
        assert optimizer in content
