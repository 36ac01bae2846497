"""What people met with operator configs: of a fused graph, of branches, of several models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

from ortstudio.services.ops import Ops, needs, write
from ortstudio.services.sessions import Level, Style
from tests.builders.conversions import to_ort
from tests.oracles import upstream_config

FLOAT, BOOL, INT32, INT64 = (
    TensorProto.FLOAT,
    TensorProto.BOOL,
    TensorProto.INT32,
    TensorProto.INT64,
)


def model(nodes: Sequence[NodeProto], opset: int, **ends: tuple[int, Sequence[int]]) -> ModelProto:
    """Ends that begin with `y` are outputs."""
    infos = {name: helper.make_tensor_value_info(name, *end) for name, end in ends.items()}
    graph = helper.make_graph(
        nodes,
        "g",
        [info for name, info in infos.items() if name[0] != "y"],
        [info for name, info in infos.items() if name[0] == "y"],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def conv_relu() -> ModelProto:
    nodes = [helper.make_node("Conv", ["x", "w"], ["a"]), helper.make_node("Relu", ["a"], ["y"])]
    made = model(nodes, 17, x=(FLOAT, [1, 3, 8, 8]), y=(FLOAT, [1, 8, 6, 6]))
    weights = np.ones((8, 3, 3, 3), np.float32)
    made.graph.initializer.append(numpy_helper.from_array(weights, "w"))
    return made


def branching() -> ModelProto:
    def branch(op: str) -> GraphProto:
        made = helper.make_tensor_value_info(op, FLOAT, [2])
        return helper.make_graph([helper.make_node(op, ["x"], [op])], op, [], [made])

    node = helper.make_node(
        "If", ["c"], ["y"], then_branch=branch("Sin"), else_branch=branch("Cos")
    )
    return model([node], 17, c=(BOOL, []), x=(FLOAT, [2]), y=(FLOAT, [2]))


def one_op(op: str, opset: int, source: int, target: int, **attributes: int) -> ModelProto:
    node = helper.make_node(op, ["x"], ["y"])
    node.attribute.extend(helper.make_attribute(key, number) for key, number in attributes.items())
    return model([node], opset, x=(source, [2]), y=(target, [] if op == "ReduceProd" else [2]))


def op_ids(found: Ops) -> list[str]:
    return [operator.op_id for operator in found.required.operators]


def test_the_config_is_of_the_graph_that_the_file_holds(tmp_path: Path) -> None:
    fixed = to_ort(conv_relu(), tmp_path / "fixed.ort")
    runtime = to_ort(conv_relu(), tmp_path / "runtime.ort", style=Style.RUNTIME)
    fused = "com.microsoft:FusedConv:1"
    assert op_ids(needs([fixed], types=False)) == [fused]
    assert op_ids(needs([runtime], types=False)) == [":Conv:11", ":Relu:14", fused]


def test_from_onnx_the_fused_operators_are_missing_and_that_is_said(tmp_path: Path) -> None:
    onnx.save(conv_relu(), tmp_path / "m.onnx")
    found = needs([tmp_path / "m.onnx"], types=False)
    assert op_ids(found) == [":Conv:11", ":Relu:14"]
    (note,) = found.rows[0].notes
    assert (note.severity, note.code) == ("warning", "from-onnx")
    assert "fusion makes are missing" in found.text()


@pytest.mark.parametrize("suffix", [".ort", ".onnx"])
def test_operators_in_branches_count(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"m{suffix}"
    if suffix == ".ort":
        to_ort(branching(), path, Level.DISABLE)
    else:
        onnx.save(branching(), path)
    assert op_ids(needs([path], types=False)) == [":Cos:7", ":Sin:7", ":If:16"]


def test_the_text_explains_its_numbers_round_trips_and_names_no_place(tmp_path: Path) -> None:
    made = to_ort(branching(), tmp_path / "m.ort", Level.DISABLE)
    target = tmp_path / "m.config"
    texts = set()
    for _ in range(2):
        write(needs([made], types=True), target, overwrite=True)
        texts.add(target.read_text())
    (text,) = texts
    assert "the version that introduced an operator's form, not the opset of a model" in text
    assert str(tmp_path) not in text
    assert "/" not in text
    assert upstream_config.operators(target) == {"ai.onnx": {7: {"Cos", "Sin"}, 16: {"If"}}}
    assert upstream_config.types(target, "ai.onnx:Sin") == {"inputs": {"0": ["float"]}}


@pytest.fixture
def parts(tmp_path: Path) -> list[Path]:
    """Two sets of models, `a` and `b`, that need types of the same operators."""
    made = {
        "a": [
            one_op("ReduceProd", 11, INT64, INT64, keepdims=0),
            one_op("Cast", 11, FLOAT, INT64, to=INT64),
        ],
        "b": [
            one_op("ReduceProd", 11, INT32, INT32, keepdims=0),
            one_op("Cast", 13, INT64, FLOAT, to=FLOAT),
        ],
    }
    for folder, models in made.items():
        (tmp_path / folder).mkdir()
        for place, one in enumerate(models):
            to_ort(one, tmp_path / folder / f"{place}.ort", Level.DISABLE)
    return [tmp_path / folder for folder in made]


def test_one_build_for_several_models_has_the_types_of_all(
    parts: list[Path], tmp_path: Path
) -> None:
    configs = []
    for part in parts:
        configs.append(tmp_path / f"{part.name}.config")
        write(needs([part], types=True), configs[-1])
    merges = [
        needs(order, types=types, configs=True)
        for types, order in ((False, configs), (False, configs[::-1]), (True, parts))
    ]
    for found in merges:
        target = tmp_path / "all.config"
        write(found, target, overwrite=True)
        ints, both = ["int32_t", "int64_t"], {"0": ["float", "int64_t"]}
        assert upstream_config.types(target, "ai.onnx:ReduceProd") == {"inputs": {"0": ints}}
        assert upstream_config.types(target, "ai.onnx:Cast") == {"inputs": both, "outputs": both}
        operators = {9: {"Cast"}, 11: {"ReduceProd"}, 13: {"Cast"}}
        assert upstream_config.operators(target) == {"ai.onnx": operators}
    assert len({upstream_config.lines(found.text())[0] for found in merges}) == 1


def test_joined_texts_lose_what_merged_ones_keep(parts: list[Path], tmp_path: Path) -> None:
    joined = tmp_path / "joined.config"
    joined.write_text("".join(needs([part], types=True).text() for part in parts))
    assert upstream_config.types(joined, "ai.onnx:ReduceProd") == {"inputs": {"0": ["int32_t"]}}
    found = needs([joined], types=False, configs=True)
    assert [note.code for note in found.rows[0].notes] == ["types-overridden"]
    mended = tmp_path / "mended.config"
    write(found, mended)
    both = {"inputs": {"0": ["int32_t", "int64_t"]}}
    assert upstream_config.types(mended, "ai.onnx:ReduceProd") == both


def test_the_matrix_shows_which_model_needs_which_type(parts: list[Path]) -> None:
    rows = needs(parts, types=True).to_json()["operators"]
    assert isinstance(rows, list)
    found = {row["op_id"]: row["types_by_model"] for row in rows}
    assert found[":ReduceProd:11"] == {
        str(parts[0] / "0.ort"): {"inputs": {"0": ["int64_t"]}},
        str(parts[1] / "0.ort"): {"inputs": {"0": ["int32_t"]}},
    }
