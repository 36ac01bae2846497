"""What people asked about in the field: fused vendor operators, growth, signs, functions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto

from ortstudio.analysis.pairing.rows import Diff
from ortstudio.services.comparison import compare_models
from ortstudio.services.reading import read_model
from ortstudio.services.sessions import Level, Target
from tests.builders.conversions import to_ort
from tests.builders.small_graphs import FLOAT, floats, ints, model
from tests.unit.analysis.pairing.rewriting import GELU, GELU_NUMBERS, SEQUENCE, calls, quantized


def became(
    source: ModelProto, folder: Path, level: Level = Level.ALL, target: Target | None = None
) -> Diff:
    """The comparison of a model and what is made of it."""
    onnx.save(source, folder / "source.onnx")
    result = to_ort(folder / "source.onnx", folder / "result.ort", level, processor=target)
    return compare_models(read_model(folder / "source.onnx"), read_model(result))


VENDOR = {
    "convolution": model(
        [("Conv", "x w", "c"), ("Relu", "c", "y")], arrays={"w": floats(16, 16, 1, 1)}
    ),
    "gelu": model(GELU, SEQUENCE, arrays=GELU_NUMBERS),
}


@pytest.mark.parametrize("name", VENDOR)
def test_fused_vendor_operators_name_their_sources_and_what_they_cost(
    name: str, tmp_path: Path
) -> None:
    source = VENDOR[name]
    (row,) = became(source, tmp_path).nodes
    assert row.kind == "fused"
    assert len(row.a) == len(source.graph.node)
    assert len(row.b) == 1
    assert row.portability.startswith("Only ONNX Runtime")


@pytest.mark.parametrize("name", VENDOR)
def test_level_basic_leaves_standard_operators(name: str, tmp_path: Path) -> None:
    rows = became(VENDOR[name], tmp_path, Level.BASIC).nodes
    assert {row.kind for row in rows} == {"kept"}
    assert not any(row.portability for row in rows)


def test_a_folded_constant_says_how_many_bytes_it_added(tmp_path: Path) -> None:
    source = model(
        [("ConstantOfShape", "n", "c"), ("Add", "x c", "y")],
        {"x": (FLOAT, [512, 512])},
        arrays={"n": ints(512, 512)},
    )
    rows = became(source, tmp_path).nodes
    assert [row.kind for row in rows] == ["folded", "kept"]
    assert "1.05 MB" in rows[0].reason


@pytest.mark.parametrize("target", [None, Target.AMD64, Target.ARM])
def test_signed_activations_become_unsigned_but_for_arm(
    target: Target | None, tmp_path: Path
) -> None:
    rows = became(quantized("int8", 0), tmp_path, target=target).nodes
    signs = [row for row in rows if row.rewrite == "signed-to-unsigned"]
    if target is Target.ARM:
        assert not signs
    else:
        assert [row.kind for row in signs] == ["changed", "changed"]
        texts = {(change.before[-6:], change.after[-7:]) for row in signs for change in row.changes}
        assert texts == {("int8[]", "uint8[]")}
    layout = [row for row in rows if row.rewrite == "nhwc-layout"]
    assert [row.kind for row in layout] == ["added", "added"]
    fused = [row for row in rows if row.kind == "fused"]
    assert [row.rewrite for row in fused] == ["qdq"]
    assert fused[0].portability.startswith("Only ONNX Runtime")


def test_functions_unused_weights_and_defaults_that_can_be_overridden(tmp_path: Path) -> None:
    source = calls()
    unused = onnx.numpy_helper.from_array(np.zeros(50_000, np.float32), "unused")
    source.graph.initializer.append(unused)
    default = onnx.numpy_helper.from_array(np.ones(4, np.float32), "offset")
    source.graph.initializer.append(default)
    source.graph.input.append(onnx.helper.make_tensor_value_info("offset", FLOAT, [4]))
    source.graph.node[1].output[0] = "h2"
    source.graph.node.append(onnx.helper.make_node("Sum", ["h2"], ["s"], "sum"))
    source.graph.node.append(onnx.helper.make_node("Expand", ["offset", "n"], ["e"], "spread"))
    source.graph.initializer.append(onnx.numpy_helper.from_array(ints(2, 4), "n"))
    source.graph.output.append(onnx.helper.make_tensor_value_info("e", FLOAT, None))
    source.graph.output[0].name = "s"
    diff = became(source, tmp_path, Level.DISABLE)
    assert [row.kind for row in diff.nodes[:2]] == ["inlined", "inlined"]
    assert {row.kind for row in diff.nodes[2:]} == {"kept"}
    (gone,) = [row for row in diff.initializers if row.kind == "removed"]
    assert gone.a is not None
    assert gone.a.name == "unused"
    assert any(row.name == "graph name" and row.kind == "removed" for row in diff.model)
    overridable = [row for row in diff.model if row.name == "input offset"]
    assert [row.kind for row in overridable] == ["kept"]
