"""Default values of a source that its result lost."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto, TensorProto, helper

from ortstudio.services.lost_defaults import constants, defaulted, lost, lost_values
from tests.builders.onnx_files import onnx_model, read, value, weight

TEXTS = weight("text", np.array(["a", "é"], object))
HALVES = helper.make_tensor("half", TensorProto.BFLOAT16, [2], [0.5, -2.0])
COUNTS = weight("count", np.array([3, 4]))


def model(*defaults: TensorProto) -> ModelProto:
    """Reads x only, and has three more inputs, some of them with a default value."""
    inputs = [
        value("x"),
        value("text", TensorProto.STRING),
        value("half", TensorProto.BFLOAT16),
        value("count", TensorProto.INT64),
    ]
    return onnx_model([helper.make_node("Abs", ["x"], ["y"])], inputs, [value("y")], defaults)


def test_what_only_the_result_must_be_given_is_lost() -> None:
    source, result = read(model(TEXTS, COUNTS)), read(model(COUNTS))
    assert defaulted(source) == ("text", "count")
    assert lost(defaulted(source), result) == ["text"]
    assert lost(defaulted(result), source) == []


def test_lost_values_are_those_of_the_source_whatever_their_type() -> None:
    found = lost_values(read(model(TEXTS, HALVES, COUNTS)), read(model()))
    assert {name: one.numbers.tolist() for name, one in found.items()} == {
        "text": ["a", "é"],
        "half": [0.5, -2.0],
        "count": [3, 4],
    }


def test_before_ir_version_4_what_has_a_default_value_cannot_be_given() -> None:
    made = model(COUNTS)
    assert constants(read(made)) == set()
    made.ir_version = 3
    assert constants(read(made)) == {"count"}
