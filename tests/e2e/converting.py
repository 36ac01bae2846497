"""What the tests of conversions share: small models, and children with faults."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper

from ortstudio.jobs.runner import Child
from ortstudio.services.conversion import Conversion, Converted, ConvertProgress
from ortstudio.services.convert import run
from ortstudio.services.convert_plan import plan
from ortstudio.services.convert_settings import ConvertSettings
from tests.builders.onnx_files import FLOAT, onnx_model, value, weight

plain = partial(ConvertSettings, write_config=False)
"""What is chosen here, where operator configs would only be in the way."""

TAMPERED = Path(__file__).with_name("tampered_agent.py")
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="crashes are named by their signals")


def tampered() -> Child:
    return Child([sys.executable, str(TAMPERED)])


def converted(
    paths: Iterable[Path],
    settings: ConvertSettings | None = None,
    *,
    cancelled: Callable[[], bool] | None = None,
    on_progress: Callable[[ConvertProgress], None] | None = None,
) -> Conversion:
    planned = plan(list(paths), settings or plain())
    return run(planned, make_child=tampered, cancelled=cancelled, on_progress=on_progress)


def one(path: Path, settings: ConvertSettings | None = None) -> Converted:
    (row,) = converted([path], settings).results
    return row


def small_model() -> ModelProto:
    """Y = |x · w| for any number of rows."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["m"], name="multiply"),
        helper.make_node("Abs", ["m"], ["y"], name="size"),
    ]
    rows = value("x", FLOAT, ["n", 3]), value("y", FLOAT, ["n", 2])
    return onnx_model(nodes, rows[:1], rows[1:], [weight("w", np.ones((3, 2), np.float32))])


def save(path: Path, model: ModelProto | None = None) -> Path:
    onnx.save(model or small_model(), path)
    return path


def listing(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def equal_defaults() -> ModelProto:
    """Of its two inputs that are equal constants the runtime keeps one, and of both the inputs."""
    nodes = [
        helper.make_node("Reshape", ["x", "first"], ["a"]),
        helper.make_node("Sin", ["a"], ["b"]),
        helper.make_node("Reshape", ["b", "second"], ["y"]),
    ]
    shapes = [weight(name, np.array([3, -1])) for name in ("first", "second")]
    inputs = [value(name, TensorProto.INT64, [2]) for name in ("first", "second")]
    ends = value("x", FLOAT, ["n", 3]), value("y", FLOAT, [3, "n"])
    model = onnx_model(nodes, [ends[0], *inputs], ends[1:], shapes, opset=9)
    model.ir_version = 3  # Initializers are constants then, though inputs too.
    return model
