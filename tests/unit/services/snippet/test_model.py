"""What is said of a model before any code is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from ortstudio.errors import FormatError, RefusedError, UsageError
from ortstudio.services.document import open_document
from ortstudio.services.snippet import SnippetModel, snippet_model
from ortstudio.services.snippet.model import custom_op_names
from tests.builders.knowledge import CORPUS
from tests.builders.siblings import write_adapter, write_checkpoint


def described(name: str, **dims: int) -> SnippetModel:
    return snippet_model(open_document(CORPUS / name), dims)


def test_open_sizes_are_symbols_with_a_value() -> None:
    model = described("v6_ort1.32.0_seqmap_fixed_disable.ort", N=3)
    assert model.sizes == {"N": 3, "M": 1}
    assert [str(port.type) for port in model.inputs] == [
        "tensor(float)[N,2]",
        "map(string,tensor(float)[])",
        "seq(tensor(float)[M,2])",
        "tensor(int64)[]",
    ]
    with pytest.raises(UsageError, match="no symbolic size named K"):
        described("v6_ort1.32.0_seqmap_fixed_disable.ort", K=3)


def test_a_size_without_a_name_and_an_unknown_rank_get_one(tmp_path: Path) -> None:
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 3]),
        helper.make_tensor_value_info("y", TensorProto.FLOAT, None),
    ]
    made = _saved(tmp_path, [helper.make_node("Add", ["x", "y"], ["z"])], inputs)
    model = snippet_model(open_document(made))
    assert model.sizes == {"x[0]": 1, "y[0]": 1}
    assert str(model.inputs[1].type) == "tensor(float)[y[0]]"


def test_inputs_with_a_default_need_not_be_fed(tmp_path: Path) -> None:
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "xw"]
    weight = helper.make_tensor("w", TensorProto.FLOAT, [1], [2.0])
    path = _saved(tmp_path, [helper.make_node("Add", ["x", "w"], ["z"])], inputs, [weight])
    model = snippet_model(open_document(path))
    assert [port.name for port in model.inputs] == ["x"]
    assert model.defaults == ("w",)


def test_operators_of_other_domains_need_a_library(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("BpeLike", ["x"], ["a"], domain="my.ops"),
        helper.make_node("Gelu", ["a"], ["b"], domain="com.microsoft"),
        helper.make_node("BertTokenizer", ["b"], ["z"], domain="ai.onnx.contrib"),
    ]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])]
    model = snippet_model(open_document(_saved(tmp_path, nodes, inputs)))
    assert custom_op_names(model) == ["ai.onnx.contrib.BertTokenizer", "my.ops.BpeLike"]
    assert model.needs_extensions
    assert model.needs_library


def test_a_local_function_needs_no_library() -> None:
    assert described("sources/functions.onnx").custom_ops == {}


def test_the_oldest_release_is_the_one_from_which_on_all_load_the_file() -> None:
    assert described("v6_ort1.32.0_cnn_runtime_all.ort").release == 16
    assert described("v5_ort1.13.1_mlp_fixed_basic.ort").release == 13
    # 1.8 to 1.12 load it, 1.13 does not, and all later ones do.
    assert described("v4_ort1.12.1_mlp_fixed_basic.ort").release == 14
    assert described("sources/cnn.onnx").release is None


def test_saved_optimizations_are_counted_and_judged() -> None:
    good = described("v6_ort1.32.0_cnn_runtime_all.ort")
    assert (good.saved_optimizations, good.replays) == (1, True)
    bad = described("v6_ort1.17.0_qdq_conv_runtime_all.ort")
    assert bad.saved_optimizations > 0


def test_nodes_of_one_kind_of_processor_are_noted() -> None:
    assert described("v6_ort1.32.0_cnn_nchwc_all.ort").cpu_bound
    assert not described("v6_ort1.32.0_cnn_runtime_all.ort").cpu_bound


def test_a_damaged_file_is_no_model(tmp_path: Path) -> None:
    cut = tmp_path / "cut.ort"
    cut.write_bytes((CORPUS / "v6_ort1.32.0_cnn_runtime_all.ort").read_bytes()[:9000])
    with pytest.raises(FormatError):
        snippet_model(open_document(cut))


@pytest.mark.parametrize(
    ("write", "what"), [(write_checkpoint, "training checkpoint"), (write_adapter, "LoRA adapter")]
)
def test_what_is_loaded_beside_a_model_runs_nothing(
    write: Callable[[Path], Path], what: str, tmp_path: Path
) -> None:
    with pytest.raises(RefusedError, match=what):
        snippet_model(open_document(write(tmp_path / "checkpoint")))


def _saved(
    folder: Path,
    nodes: list[onnx.NodeProto],
    inputs: list[onnx.ValueInfoProto],
    initializers: list[onnx.TensorProto] | None = None,
) -> Path:
    out = helper.make_tensor_value_info("z", TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "g", inputs, [out], initializers or [])
    domains = {node.domain for node in nodes} | {""}
    imports = [helper.make_opsetid(domain, 17 if not domain else 1) for domain in domains]
    path = folder / "made.onnx"
    onnx.save(helper.make_model(graph, opset_imports=imports, ir_version=8), path)
    return path
