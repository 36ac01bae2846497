"""Default values of a source that its result lost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, SparseTensorProto, TensorProto, helper

from ortstudio.errors import FormatError
from ortstudio.services.compare_sides import opened, other_inputs
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


def sparse(name: str, indices: list[int]) -> SparseTensorProto:
    """3 and 4 at their places among two rows of three."""
    values = weight(name, np.array([3, 4]))
    return helper.make_sparse_tensor(values, weight("", np.array(indices)), [2, 3])


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


@pytest.mark.parametrize("indices", [[1, 5], [[0, 1], [1, 2]]])
def test_a_sparse_default_value_is_given_whole(indices: list[int]) -> None:
    made = model()
    made.graph.sparse_initializer.append(sparse("count", indices))
    (found,) = lost_values(read(made), read(model())).values()
    assert found.numbers.tolist() == [[0, 3, 0], [0, 0, 4]]


def test_what_a_sparse_default_value_feeds_is_no_other_input(tmp_path: Path) -> None:
    made = model(TEXTS, HALVES)
    made.graph.sparse_initializer.append(sparse("count", [1, 5]))
    onnx.save(made, tmp_path / "a.onnx")
    onnx.save(model(TEXTS, HALVES), tmp_path / "b.onnx")
    a, b = opened(tmp_path / "a.onnx"), opened(tmp_path / "b.onnx")
    assert other_inputs(a, b, ("A", "B")) == ""
    assert other_inputs(b, a, ("B", "A")) == ""


def test_a_sparse_default_value_that_does_not_fit_is_damage() -> None:
    made = model()
    made.graph.sparse_initializer.append(sparse("count", [1, 6]))
    with pytest.raises(FormatError, match="does not fit its shape"):
        lost_values(read(made), read(model()))


def test_before_ir_version_4_what_has_a_default_value_cannot_be_given() -> None:
    made = model(COUNTS)
    assert constants(read(made)) == set()
    made.ir_version = 3
    assert constants(read(made)) == {"count"}
