"""Comparisons by layers, through real children."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from ortstudio.jobs.runner import Child, agent_child
from ortstudio.services import layers_look
from ortstudio.services.compare import CompareSettings
from ortstudio.services.compare_sides import opened
from ortstudio.services.compare_words import layers_text
from ortstudio.services.conversion import CancelledError
from ortstudio.services.exchange import ValuesFile
from ortstudio.services.inputs import InputSettings
from ortstudio.services.layers import compare_layers
from ortstudio.services.layers_look import MOST_FAILURES
from ortstudio.services.layers_side import NotGivenError, Side
from ortstudio.services.sessions import Level
from tests.builders.conversions import to_ort
from tests.builders.faults import FAULTS, Fault, find
from tests.builders.knowledge import CORPUS
from tests.builders.onnx_files import FLOAT, onnx_model, value, weight
from tests.e2e.command import ortstudio
from tests.e2e.layers import layers_of, looked, named
from tests.pairing_truth.models import MODELS

SOURCES = CORPUS / "sources"
SPREAD = FAULTS[1::5]


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    with agent_child() as made:
        yield made


@pytest.mark.parametrize("fault", SPREAD, ids=lambda fault: fault.name)
def test_a_planted_fault_is_found_at_its_node(child: Child, tmp_path: Path, fault: Fault) -> None:
    found = looked(child, *fault.written(tmp_path))
    assert fault.node in named(found)[0]


@pytest.mark.parametrize("level", [Level.BASIC, Level.ALL])
@pytest.mark.parametrize("source", ["cnn", "encoder"])
def test_a_sound_conversion_has_no_first_difference(
    child: Child, tmp_path: Path, source: str, level: Level
) -> None:
    path = SOURCES / f"{source}.onnx"
    found = looked(child, path, to_ort(path, tmp_path / "m.ort", level))
    layers = layers_of(found)
    assert (layers.first, layers.left_out, layers.agree) == (None, {}, True)
    assert len(layers.values) >= 5


def test_the_answer_names_the_nodes_on_both_sides(tmp_path: Path) -> None:
    fault = next(fault for fault in FAULTS if fault.name == "cnn-conv1-all")
    a, b = fault.written(tmp_path)
    done = ortstudio("compare", a, b, "--layers", "--json")
    assert (done.code, done.err) == (1, "")
    answer = done.json
    first = answer["first_difference"]
    assert [node["name"] for node in first["a"]] == ["conv1", "bn1", "relu1"]
    assert [(node["name"], node["op"]) for node in first["b"]] == [
        ("conv1", "com.microsoft.FusedConv")
    ]
    assert (first["value"], first["cause"]) == ("r1", "node")
    assert first["max_abs"] > 0.01
    assert [row["a"] for row in answer["values"]] == ["r1", "p1", "r2", "gap", "flat", "scores"]
    assert answer["values"][0]["node_b"] == {"graph": "/", "index": first["b"][0]["index"]}
    later = answer["values"][1]
    assert (later["agrees"], later["own"]["agrees"]) == (False, True)
    text = ortstudio("compare", a, b, "--layers").out
    assert "Wrong from Conv 'conv1', BatchNormalization 'bn1' and Relu 'relu1', in B" in text


def test_a_conversion_from_ort_to_onnx_is_compared_in_either_order(
    child: Child, tmp_path: Path
) -> None:
    path = SOURCES / "control.onnx"
    made = to_ort(path, tmp_path / "m.ort", Level.BASIC)
    for pair in ((made, path), (path, made), (made, made)):
        layers = layers_of(looked(child, *pair))
        assert layers.agree
        assert {"v_final", "cumsum"} <= {value.a for value in layers.values}


def test_a_quantized_model_on_fused_operators_is_compared_step_by_step(child: Child) -> None:
    fused = CORPUS / "v4_ort1.12.1_qdq_fixed_all.ort"
    layers = layers_of(looked(child, SOURCES / "qdq.onnx", fused))
    steps = {value.a: value.found.max_abs for value in layers.values if value.a.endswith("_q")}
    assert max(steps[name] for name in ("x_q", "r1_q", "c2_q", "sum_q", "gap_q")) <= 1
    # Where the processor sums 8-bit products in 16 bits, the last product is cut off.
    assert layers.first is None or layers.first.value.a == "mm_q"


def test_half_precision_has_no_wrong_node(child: Child, tmp_path: Path) -> None:
    half = onnx.load(SOURCES / "deep.onnx")
    for tensor in half.graph.initializer:
        array = onnx.numpy_helper.to_array(tensor).astype(np.float16)
        tensor.CopyFrom(onnx.numpy_helper.from_array(array, tensor.name))
    del half.graph.value_info[:]
    for end in (*half.graph.input, *half.graph.output):
        end.type.tensor_type.elem_type = TensorProto.FLOAT16
    onnx.save(half, tmp_path / "half.onnx")
    found = looked(child, SOURCES / "deep.onnx", tmp_path / "half.onnx")
    layers = layers_of(found)
    assert layers.first is not None
    assert layers.first.cause == "sum"
    assert "No node is wrong by itself" in next(iter(layers_text(found, layers)))
    assert all(value.own.agrees for value in layers.values if value.own)


def test_a_fault_in_half_precision_is_found_all_the_same(child: Child, tmp_path: Path) -> None:
    a = MODELS["half_precision"]()
    onnx.save(a, tmp_path / "a.onnx")
    find(a, "sigmoid").op_type = "Tanh"
    onnx.save(a, tmp_path / "b.onnx")
    found = looked(child, tmp_path / "a.onnx", tmp_path / "b.onnx")
    assert named(found) == (["sigmoid"], ["sigmoid"])


def test_values_of_another_sign_are_compared_as_what_they_stand_for(
    child: Child, tmp_path: Path
) -> None:
    path = tmp_path / "m.onnx"
    onnx.save(MODELS["qdq_conv_signed"](), path)
    found = looked(child, path, to_ort(path, tmp_path / "m.ort"))
    layers = layers_of(found)
    assert layers.agree
    assert {"in_q_y", "out_q_y"} <= {value.a for value in layers.values}


def test_nodes_may_stand_in_any_order(child: Child, tmp_path: Path) -> None:
    model = onnx.load(SOURCES / "cnn.onnx")
    nodes = list(model.graph.node)[::-1]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.save(model, tmp_path / "m.onnx")
    layers = layers_of(looked(child, SOURCES / "cnn.onnx", tmp_path / "m.onnx"))
    assert layers.agree
    assert len(layers.values) == 11


def test_random_values_are_not_judged_and_what_follows_them_is(
    child: Child, tmp_path: Path
) -> None:
    def model(last: str) -> onnx.ModelProto:
        nodes = [
            helper.make_node("RandomNormalLike", ["x"], ["r"], "random"),
            helper.make_node("Sin", ["r"], ["s"], "sine"),
            helper.make_node("Mul", ["s", "zero"], ["m"], "silence"),
            helper.make_node(last, ["x", "m"], ["y"], "last"),
        ]
        zero = weight("zero", np.zeros(1, np.float32))
        return onnx_model(nodes, [value("x")], [value("y")], [zero])

    onnx.save(model("Add"), tmp_path / "a.onnx")
    other = model("Sub")
    # The runtime draws the same numbers again after each load, unless told otherwise.
    other.graph.node[0].attribute.append(helper.make_attribute("seed", 3.0))
    onnx.save(other, tmp_path / "b.onnx")
    layers = layers_of(looked(child, tmp_path / "a.onnx", tmp_path / "b.onnx"))
    drawn = {value.a: value.drawn for value in layers.values}
    assert drawn["r"] is True
    sines = next(value for value in layers.values if value.a == "s")
    assert sines.own is not None
    assert sines.own.agrees


def test_a_fault_inside_a_branch_is_found_at_the_node_that_holds_it(
    child: Child, tmp_path: Path
) -> None:
    model = MODELS["branches"]()
    onnx.save(model, tmp_path / "a.onnx")
    for held in find(model, "if").attribute:
        for node in held.g.node:
            if node.op_type in ("Exp", "Sin", "Cos", "Relu", "Tanh", "Sigmoid"):
                node.op_type = "Neg"
    onnx.save(model, tmp_path / "b.onnx")
    found = looked(child, tmp_path / "a.onnx", tmp_path / "b.onnx")
    first = layers_of(found).first
    assert first is not None
    assert first.value.node_a.graph == "/"
    assert "if" in named(found)[0]


def test_weights_in_another_file_are_found(child: Child, tmp_path: Path) -> None:
    for name in ("extdata.onnx", "extdata.bin"):
        shutil.copy(SOURCES / name, tmp_path / name)
    made = CORPUS / "v6_ort1.32.0_extdata_fixed_disable.ort"
    layers = layers_of(looked(child, tmp_path / "extdata.onnx", made))
    assert layers.agree
    assert layers.values


def test_a_default_value_that_the_result_lost_is_given_to_it(child: Child, tmp_path: Path) -> None:
    nodes = [
        helper.make_node("ConstantOfShape", ["size"], ["c"], "filled"),
        helper.make_node("Sub", ["x", "c"], ["m"], "sub"),
        helper.make_node("Sin", ["m"], ["y"], "sine"),
    ]
    inputs = [value("x"), value("size", TensorProto.INT64, [1])]
    source = onnx_model(nodes, inputs, [value("y")], [weight("size", np.array([2]))], opset=9)
    source.ir_version = 3  # Initializers are constants then, though inputs too.
    onnx.save(source, tmp_path / "m.onnx")
    made = to_ort(tmp_path / "m.onnx", tmp_path / "m.ort")
    for pair in ((tmp_path / "m.onnx", made), (made, tmp_path / "m.onnx")):
        found = looked(child, *pair)
        assert found.found.agrees
        assert layers_of(found).agree
        assert {value.a for value in layers_of(found).values} == {"m", "y"}


def test_batches_change_no_answer(
    child: Child, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = next(fault for fault in FAULTS if fault.name == "encoder-o_bias-extended")
    pair = fault.written(tmp_path)
    whole = looked(child, *pair)
    monkeypatch.setattr(layers_look, "BATCH_BYTES", 200)
    assert looked(child, *pair).layers == whole.layers


def test_it_is_given_up_soon_to_find_values_where_the_model_is_to_blame(
    child: Child, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    def refuse(_side: Side, names: Sequence[str], *_given: object) -> ValuesFile:
        tried.append(names)
        raise NotGivenError("not this one")

    monkeypatch.setattr(Side, "values", refuse)
    path = SOURCES / "deep.onnx"
    layers = layers_of(
        looked(child, path, path, CompareSettings(inputs=InputSettings(dims={"batch": 1})))
    )
    assert layers.values == ()
    assert len(layers.left_out) == 72
    assert len(tried) < 3 * MOST_FAILURES


def test_a_wrong_axis_shows_in_larger_sizes_only(child: Child, tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Softmax", ["x"], ["p"], "softmax", axis=-1),
        helper.make_node("Sin", ["p"], ["y"], "sine"),
    ]
    ends = [value("x", FLOAT, ["n", "m"])], [value("y", FLOAT, ["n", "m"])]
    model = onnx_model(nodes, *ends)
    onnx.save(model, tmp_path / "a.onnx")
    model.graph.node[0].attribute[0].i = 0
    onnx.save(model, tmp_path / "b.onnx")
    a, b = tmp_path / "a.onnx", tmp_path / "b.onnx"
    found = looked(child, a, b)
    assert named(found) == (["softmax"], ["softmax"])
    assert found.found.sizes == {"n": 8, "m": 8}
    chosen = CompareSettings(inputs=InputSettings(dims={"n": 1, "m": 1}))
    assert layers_of(looked(child, a, b, chosen)).agree
    same = looked(child, a, a)
    assert same.found.sizes == {"n": 1, "m": 1}
    assert same.notes == ("With n = 8 and m = 8 all agrees too",)


def test_of_values_that_all_agree_nothing_else_is_said(child: Child) -> None:
    fused = CORPUS / "v4_ort1.12.1_qdq_fixed_all.ort"
    found = looked(child, fused, fused)
    assert list(layers_text(found, layers_of(found))) == ["All values agree."]


def test_it_can_be_cancelled() -> None:
    path = SOURCES / "cnn.onnx"
    with pytest.raises(CancelledError):
        compare_layers(opened(path), opened(path), CompareSettings(), cancelled=lambda: True)
