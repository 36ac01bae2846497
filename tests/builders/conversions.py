"""Conversions by the runtime in this process, for tests that make many."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import onnx
import onnxruntime
from onnxruntime import GraphOptimizationLevel as RuntimeLevel

from ortstudio.services.sessions import (
    Level,
    Style,
    Target,
    converter_config,
    converter_disabled,
    saving_config,
)

_LEVELS = {
    Level.DISABLE: RuntimeLevel.ORT_DISABLE_ALL,
    Level.BASIC: RuntimeLevel.ORT_ENABLE_BASIC,
    Level.EXTENDED: RuntimeLevel.ORT_ENABLE_EXTENDED,
    Level.LAYOUT: RuntimeLevel.ORT_ENABLE_LAYOUT,
    Level.ALL: RuntimeLevel.ORT_ENABLE_ALL,
}
_SILENT = 4


def to_ort(
    source: Path | onnx.ModelProto,
    target: Path,
    level: Level = Level.ALL,
    style: Style = Style.FIXED,
    processor: Target | None = None,
    disabled: Sequence[str] = (),
) -> Path:
    """Write what the upstream converter would; the target. Raises what the runtime raises."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = _SILENT
    options.graph_optimization_level = _LEVELS[level]
    options.optimized_model_filepath = str(target)
    for key, value in {**converter_config(processor), **saving_config(style)}.items():
        options.add_session_config_entry(key, value)
    onnxruntime.InferenceSession(
        source.SerializeToString() if isinstance(source, onnx.ModelProto) else str(source),
        options,
        providers=["CPUExecutionProvider"],
        disabled_optimizers=[*converter_disabled(level, processor), *disabled],
    )
    return target
