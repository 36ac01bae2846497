"""What holds two models against each other sees what differs, and nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, helper

from tests.builders.onnx_files import FLOAT, onnx_model, value, weight
from tests.oracles.model_content import differences
from tests.oracles.model_structure import same_structure


def model(
    inner: str = "h", alpha: float = 0.5, factor: float = 2, swapped: bool = False
) -> ModelProto:
    """Two branches that are added; `inner` names what is made on the way."""
    nodes = [
        helper.make_node("LeakyRelu", ["x"], [f"{inner}1"], name=f"{inner}a", alpha=alpha),
        helper.make_node("Mul", ["x", f"{inner}w"], [f"{inner}2"], name=f"{inner}b"),
        helper.make_node("Add", [f"{inner}1", f"{inner}2"], ["y"]),
    ]
    if swapped:
        nodes[:2] = nodes[1::-1]
    weights = [weight(f"{inner}w", np.array([factor], np.float32))]
    return onnx_model(nodes, [value("x", FLOAT, [3])], [value("y", FLOAT, [3])], weights)


def compared(tmp_path: Path, other: ModelProto) -> tuple[bool, bool]:
    """Whether the two say the same, and whether they are built the same."""
    a, b = tmp_path / "a.onnx", tmp_path / "b.onnx"
    onnx.save(model(), a)
    onnx.save(other, b)
    return not differences(a, b), same_structure(a, b)


def test_a_model_is_like_itself(tmp_path: Path) -> None:
    assert compared(tmp_path, model()) == (True, True)


@pytest.mark.parametrize("other", [model(inner="token_7_"), model(swapped=True)])
def test_names_and_the_order_on_the_way_are_no_matter_of_structure(
    other: ModelProto, tmp_path: Path
) -> None:
    assert compared(tmp_path, other) == (False, True)


@pytest.mark.parametrize("other", [model(alpha=0.25), model(factor=3)])
def test_attributes_and_weights_are(other: ModelProto, tmp_path: Path) -> None:
    assert compared(tmp_path, other) == (False, False)


def test_what_is_saved_for_later_names_nodes_by_number(corpus: Path) -> None:
    path = corpus / "v6_ort1.32.0_qdq_conv_runtime_all.ort"
    assert differences(path, path) == []
    assert not same_structure(path, path)
