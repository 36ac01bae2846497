"""`ortstudio compare` from the outside: verdicts, exit codes, what the answer holds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, helper, numpy_helper

from tests.builders.conversions import to_ort
from tests.builders.knowledge import CORPUS
from tests.builders.onnx_files import FLOAT, onnx_model, value, weight
from tests.e2e.command import ortstudio
from tests.e2e.converting import equal_defaults
from tests.pairing_truth.quantized import QuantizedNet

SOURCES = CORPUS / "sources"
FUSED = CORPUS / "v6_ort1.22.1_cnn_fixed_all.ort"
OUTPUT_KEYS = {"name", "equal", "max_abs", "max_rel", "where", "nan_both", "nan_one"}


def dense(change: float = 0.0) -> ModelProto:
    """A product and a sum with a symbolic batch; one weight may be changed."""
    weights = np.linspace(-1, 1, 32, dtype=np.float32).reshape(8, 4)
    weights[3, 2] += change
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["m"], "product"),
        helper.make_node("Add", ["m", "b"], ["y"], "sum"),
    ]
    ends = [value("x", FLOAT, ["batch", 8])], [value("y", FLOAT, ["batch", 4])]
    return onnx_model(nodes, *ends, [weight("w", weights), weight("b", np.ones(4, np.float32))])


def saved(model: ModelProto, path: Path) -> Path:
    onnx.save(model, path)
    return path


def test_a_model_agrees_with_its_conversion_in_either_order(tmp_path: Path) -> None:
    source = saved(dense(), tmp_path / "m.onnx")
    made = to_ort(source, tmp_path / "m.ort")
    done = ortstudio("compare", made, source, "--dim", "batch=3", "--seed", "7", "--json")
    assert (done.code, done.err) == (0, "")
    answer = done.json
    assert (answer["schema"], answer["agrees"]) == ("ortstudio/compare@1", True)
    assert (answer["seed"], answer["rtol"], answer["atol"]) == (7, 1e-3, 1e-4)
    assert answer["sizes"] == {"batch": 3}
    assert answer["inputs"] == {"x": {"type": "tensor(float)[3,8]", "values": "random"}}
    (row,) = answer["outputs"]
    assert row.keys() >= OUTPUT_KEYS
    assert (row["name"], row["agrees"], row["nan_one"]) == ("y", True, 0)
    assert answer["runtime"]["onnxruntime"] == "1.32.0"
    assert (answer["a"]["kind"], answer["b"]["kind"]) == ("ort", "onnx")
    text = ortstudio("compare", source, made, "--level", "disable")
    assert (text.code, text.err) == (0, "")
    assert "All outputs are equal." in text.out
    assert "seed 0, batch = 1" in text.out
    assert "level disable" in text.out


def test_a_changed_weight_is_found_with_its_size_and_place(tmp_path: Path) -> None:
    a, b = saved(dense(), tmp_path / "a.onnx"), saved(dense(0.01), tmp_path / "b.onnx")
    done = ortstudio("compare", a, b, "--json")
    assert done.code == 1
    (row,) = done.json["outputs"]
    assert (row["agrees"], row["where"]) == (False, [0, 2])
    assert 0 < row["max_abs"] < 0.05
    assert row["max_rel"] > 0
    assert ortstudio("compare", a, b, "--rtol", "1").code == 0
    text = ortstudio("compare", a, b)
    assert text.code == 1
    assert "The only output differs." in text.out
    assert "at [0, 2]" in text.out


def test_nan_equals_nan_and_differs_from_a_number(tmp_path: Path) -> None:
    x = [value("x", FLOAT, [4])]
    roots = [helper.make_node("Sqrt", ["x"], ["y"])]
    zeros = [
        helper.make_node("Relu", ["x"], ["r"]),
        helper.make_node("Sqrt", ["r"], ["y"]),
    ]
    a, b = (
        saved(onnx_model(nodes, x, [value("y", FLOAT, [4])]), tmp_path / name)
        for nodes, name in ((roots, "a.onnx"), (zeros, "b.onnx"))
    )
    np.savez(tmp_path / "in.npz", x=np.array([-1, 4, -9, 16], np.float32))
    given = ["--inputs", str(tmp_path / "in.npz"), "--json"]
    (same,) = ortstudio("compare", a, a, *given).json["outputs"]
    assert (same["equal"], same["nan_both"], same["nan_one"]) == (True, 2, 0)
    done = ortstudio("compare", a, b, *given)
    (row,) = done.json["outputs"]
    assert (done.code, row["nan_both"], row["nan_one"], row["where"]) == (1, 0, 2, [0])
    text = ortstudio("compare", a, b, *given[:-1]).out
    assert "differs: NaN against a number in 2 places" in " ".join(text.split())


def test_two_models_of_the_runtimes_own_format_are_compared() -> None:
    old, new = CORPUS / "v1_ort1.5.1_mlp_fixed_extended.ort", SOURCES / "mlp.onnx"
    newer = CORPUS / "v6_ort1.32.0_from_v1_ort1.5.2_mlp_fixed_extended.ort"
    assert ortstudio("compare", newer, new).code == 0
    assert ortstudio("compare", newer, newer).code == 0
    refused = ortstudio("compare", newer, old, "--json")
    assert refused.code == 1
    assert refused.json["schema"] == "ortstudio/error@1"


def test_other_inputs_and_other_outputs_are_named(tmp_path: Path) -> None:
    other = dense()
    other.graph.input[0].name = other.graph.node[0].input[0] = "pixels"
    a, b = saved(dense(), tmp_path / "a.onnx"), saved(other, tmp_path / "b.onnx")
    done = ortstudio("compare", a, b)
    assert done.code == 1
    assert "B needs pixels, which A lacks, and B lacks x" in done.err
    third = dense()
    third.graph.output[0].name = third.graph.node[1].output[0] = "z"
    done = ortstudio("compare", a, saved(third, tmp_path / "c.onnx"), "--json")
    assert done.code == 1
    assert [row["note"] for row in done.json["outputs"]] == [
        "only one of the two has this output"
    ] * 2


def test_models_of_different_precision_are_compared_in_the_narrower_one(tmp_path: Path) -> None:
    half = dense()
    for tensor in half.graph.initializer:
        narrow = numpy_helper.to_array(tensor).astype(np.float16)
        tensor.CopyFrom(numpy_helper.from_array(narrow, tensor.name))
    for end in (half.graph.input[0], half.graph.output[0]):
        end.type.tensor_type.elem_type = onnx.TensorProto.FLOAT16
    a, b = saved(dense(), tmp_path / "a.onnx"), saved(half, tmp_path / "b.onnx")
    done = ortstudio("compare", a, b, "--rtol", "0.01", "--json")
    assert (done.code, done.err) == (0, "")
    assert done.json["notes"] == ["y is compared as float16: A gives float, B float16"]


def test_int8_that_becomes_uint8_at_load_is_no_fault_of_the_result(tmp_path: Path) -> None:
    """On processors that multiply uint8 by int8 in 16 bits the sums saturate, on others not."""
    net = QuantizedNet("int8")
    x = net.pair(net.input("x", [1, 16, 8, 8]), "in")
    w = net.const("w", np.full((8, 16, 3, 3), 120), "int8")
    scale, zero = net.const("w_scale", 0.01), net.const("w_zero", 0, "int8")
    weight = net.node("DequantizeLinear", w, scale, zero, name="w_dq")
    h = net.node("Conv", x, weight, name="conv")
    source = saved(net.model(net.pair(h, "out", 10.0)), tmp_path / "m.onnx")
    assert ortstudio("convert", source, "--target", "arm", "-o", tmp_path).code == 0
    given = ["--range", "x=5:6"]
    done = ortstudio("compare", source, tmp_path / "m.ort", *given, "--json")
    if done.code == 0:
        pytest.skip("nothing saturates on this processor")
    first, second = done.json["notes"]
    assert first.startswith("At level disable the outputs agree")
    assert second.startswith("B computes on int8 (QLinearConv), as --target arm has it.")
    plain = ortstudio("compare", source, tmp_path / "m.ort", *given, "--level", "disable", "--json")
    assert (plain.code, plain.json["notes"]) == (0, [])


def test_a_model_that_draws_random_numbers_cannot_be_compared(tmp_path: Path) -> None:
    node = helper.make_node("RandomNormalLike", ["x"], ["y"])
    model = onnx_model([node], [value("x")], [value("y")])
    path = saved(model, tmp_path / "m.onnx")
    done = ortstudio("compare", path, path)
    assert done.code == 1
    assert "A draws random numbers" in done.err


def test_runs_with_and_without_saved_optimizations_are_told_apart_by_what_ran() -> None:
    recorded = CORPUS / "v6_ort1.32.0_qdq_conv_runtime_all.ort"
    done = ortstudio("compare", recorded, recorded, "--replay", "b", "--json")
    assert (done.code, done.err) == (0, "")
    ran = done.json["executed"]
    assert {"Conv": 2, "Relu": 1}.items() <= ran["a"].items()
    assert "Conv" not in ran["b"]
    assert ran["b"]["com.microsoft.FusedConv"] == 1
    assert any("files that you trust" in note for note in done.json["notes"])
    assert "executed" not in ortstudio("compare", recorded, recorded, "--json").json


@pytest.mark.parametrize("missing", [0, 1])
def test_a_file_that_is_not_there_cannot_be_read(tmp_path: Path, missing: int) -> None:
    files = [FUSED, FUSED]
    files[missing] = tmp_path / "gone.ort"
    done = ortstudio("compare", *files)
    assert done.code == 3
    assert "gone.ort" in done.err


def test_a_source_that_does_not_run_fails(tmp_path: Path) -> None:
    unknown = onnx_model(
        [helper.make_node("Nothing", ["x"], ["y"], domain="my.ops")],
        [value("x")],
        [value("y")],
        domains=["my.ops"],
    )
    path = saved(unknown, tmp_path / "m.onnx")
    done = ortstudio("compare", path, path, "--json")
    assert done.code == 1
    assert done.json["kind"] == "runtime"
    assert "my.ops" in done.json["message"]
    assert "is not a registered function/op" in done.json["details"]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_what_the_runtime_refuses_is_said_once_and_in_its_own_words_too(
    order: tuple[int, int],
) -> None:
    files = SOURCES / "mlp.onnx", CORPUS / "v1_ort1.5.1_mlp_fixed_extended.ort"
    done = ortstudio("compare", *(files[place] for place in order), "--json")
    said = done.json
    assert (done.code, said["kind"], Path(said["where"]).name) == (1, "runtime", files[1].name)
    assert said["message"] == "The structure of the ORT-format file is broken"
    assert said["hint"]
    assert said["details"]


def test_a_lost_default_value_is_given_on_either_side(tmp_path: Path) -> None:
    source = saved(equal_defaults(), tmp_path / "m.onnx")
    result = to_ort(source, tmp_path / "m.ort")
    for pair in ((source, result), (result, source)):
        answer = ortstudio("compare", *map(str, pair), "--layers", "--json")
        assert answer.code == 0
        assert answer.json["agrees"]
