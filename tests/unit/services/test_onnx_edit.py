"""Edits of ONNX models, seen with the `onnx` package."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import GraphProto, ModelProto, TensorProto, helper, numpy_helper

from ortstudio.errors import FormatError, RefusedError
from ortstudio.format.source import Source
from ortstudio.services.edit_changes import Changes
from ortstudio.services.onnx_edit import edit_onnx
from tests.builders.edits import graphs
from tests.builders.knowledge import CORPUS
from tests.builders.onnx_files import FLOAT, value

SOURCES = sorted((CORPUS / "sources").glob("*.onnx"))


def edited(source: Path | ModelProto, folder: Path, **changes: object) -> ModelProto:
    if isinstance(source, ModelProto):
        (folder / "source.onnx").write_bytes(source.SerializeToString())
        source = folder / "source.onnx"
    edit_onnx(Source.open(source), folder / "made.onnx", Changes(**changes))  # type: ignore[arg-type]
    return onnx.load(folder / "made.onnx", load_external_data=False)


def sources(name: str) -> Path:
    return CORPUS / "sources" / f"{name}.onnx"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_nothing_changes_but_what_is_asked_for(path: Path, tmp_path: Path) -> None:
    made = edited(path, tmp_path, metadata={"zz": "new"})
    assert made.metadata_props[-1].key == "zz"
    del made.metadata_props[-1]
    assert made == onnx.load(path, load_external_data=False)


def test_tensors_in_every_form_come_through(tmp_path: Path) -> None:
    """Raw, packed, one element a field, strings, without elements, and each in two pieces."""
    raw = numpy_helper.from_array(np.arange(6, dtype=np.float32), "raw")
    packed = helper.make_tensor("packed", TensorProto.INT64, [2], [1, 1 << 40])
    texts = helper.make_tensor("texts", TensorProto.STRING, [2], [b"a", b"b"])  # type: ignore[list-item]
    empty = helper.make_tensor("empty", TensorProto.DOUBLE, [0], [])
    graph = helper.make_graph([], "g", [], [value("raw", FLOAT, [6])], [raw, packed, texts, empty])
    model = helper.make_model(graph)
    content = model.SerializeToString()
    # float_data of field 4, unpacked, in an initializer (field 5) of a second piece of the graph.
    single = bytes([0x25]) + np.float32(2.5).tobytes() + b"\x08\x01\x10\x01\x42\x01s"
    second = bytes([0x2A, len(single)]) + single
    source = tmp_path / "pieces.onnx"
    source.write_bytes(content + bytes([0x3A, len(second)]) + second)
    made = edited(source, tmp_path, outputs={"raw": "renamed"})
    found = {
        tensor.name: numpy_helper.to_array(tensor).tolist() for tensor in made.graph.initializer
    }
    assert found == {
        "renamed": [0, 1, 2, 3, 4, 5],
        "packed": [1, 1 << 40],
        "texts": ["a", "b"],
        "empty": [],
        "s": [2.5],
    }
    assert [output.name for output in made.graph.output] == ["renamed"]


def test_weights_are_not_in_memory(tmp_path: Path) -> None:
    big = numpy_helper.from_array(np.zeros(8_000_000, np.float32), "w")
    graph = helper.make_graph([], "g", [], [value("w", FLOAT, [8_000_000])], [big])
    path = tmp_path / "big.onnx"
    path.write_bytes(helper.make_model(graph).SerializeToString())
    source = Source.open(path)
    edit_onnx(source, tmp_path / "made.onnx", Changes(outputs={"w": "v"}))
    assert source.bytes_read < 1_000_000
    assert onnx.load(tmp_path / "made.onnx").graph.initializer[0].raw_data == big.raw_data


def test_an_input_is_renamed_in_every_graph_that_reads_it(tmp_path: Path) -> None:
    source = onnx.load(sources("control"))
    made = edited(sources("control"), tmp_path, inputs={"x": "image"})
    assert sum("x" in names(graph) for graph in graphs(source.graph)) > 1
    assert [names(graph) for graph in graphs(made.graph)] == [
        ["image" if name == "x" else name for name in names(graph)]
        for graph in graphs(source.graph)
    ]
    onnx.checker.check_model(made, full_check=True)


def names(graph: GraphProto) -> list[str]:
    found = [v.name for v in (*graph.input, *graph.output, *graph.value_info, *graph.initializer)]
    return found + [name for node in graph.node for name in (*node.input, *node.output)]


def test_a_value_that_a_subgraph_has_itself_keeps_its_name(tmp_path: Path) -> None:
    own = helper.make_graph(
        [helper.make_node("Neg", ["v"], ["a"])], "own", [value("v", FLOAT, [])], []
    )
    outer = helper.make_graph([helper.make_node("Neg", ["v"], ["b"])], "outer", [], [])
    node = helper.make_node("If", ["v"], ["r"], then_branch=own, else_branch=outer)
    graph = helper.make_graph([node], "g", [value("v", FLOAT, [])], [value("r", FLOAT, [])])
    made = edited(helper.make_model(graph), tmp_path, inputs={"v": "new"})
    main, *inner = graphs(made.graph)
    assert names(main) == ["new", "r", "new", "r"]
    assert {graph.name: names(graph) for graph in inner} == {
        "own": ["v", "v", "a"],
        "outer": ["new", "b"],
    }


def test_what_else_names_values_follows(tmp_path: Path) -> None:
    model = onnx.load(sources("sparse_init"))
    name = model.graph.sparse_initializer[0].values.name
    annotation = model.graph.quantization_annotation.add(tensor_name=name)
    annotation.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value=name)
    made = edited(model, tmp_path, inputs={name: "new"})
    sparse = made.graph.sparse_initializer[0]
    (annotation,) = made.graph.quantization_annotation
    (entry,) = annotation.quant_parameter_tensor_names
    assert (sparse.values.name, annotation.tensor_name, entry.value) == ("new", "new", "new")


def test_training_information_forbids_renaming(tmp_path: Path) -> None:
    model = onnx.load(sources("mlp"))
    model.training_info.add()
    name = model.graph.input[0].name
    with pytest.raises(RefusedError, match="training information"):
        edited(model, tmp_path, inputs={name: "new"})
    assert edited(model, tmp_path, doc_string="x").doc_string == "x"


def test_texts_versions_and_metadata(tmp_path: Path) -> None:
    made = edited(
        sources("meta"),
        tmp_path,
        doc_string="",
        graph_doc_string="graph",
        producer_name="me",
        producer_version="",
        domain="d",
        model_version=3,
        metadata={"author": "you"},
        removed_metadata=("json",),
    )
    assert not made.HasField("doc_string")
    assert made.graph.doc_string == "graph"
    assert (made.producer_name, made.producer_version, made.domain) == ("me", "", "d")
    assert made.model_version == 3
    found = {entry.key: entry.value for entry in made.metadata_props}
    assert found["author"] == "you"
    assert "json" not in found


def test_doc_strings_and_names_of_nodes_go_everywhere(tmp_path: Path) -> None:
    model = onnx.load(sources("control"))
    for graph in graphs(model.graph):
        graph.doc_string = "secret"
        for node in graph.node:
            node.doc_string = node.name = "secret"
            for attribute in node.attribute:
                attribute.doc_string = "secret"
        for found in (*graph.input, *graph.output, *graph.value_info, *graph.initializer):
            found.doc_string = "secret"
    model.graph.initializer.add(name="w", data_type=1, doc_string="secret")
    made = edited(model, tmp_path, strip_doc_strings=True, strip_names=True)
    assert b"secret" not in made.SerializeToString()
    assert b"secret" not in (tmp_path / "made.onnx").read_bytes()


def test_a_size_is_fixed_in_every_graph_and_kind_of_type(tmp_path: Path) -> None:
    model = onnx.load(sources("control"))
    sequence = helper.make_sequence_type_proto(helper.make_tensor_type_proto(FLOAT, ["T", "U"]))
    model.graph.value_info.add(name="listed").type.CopyFrom(sequence)
    made = edited(model, tmp_path, sizes={"T": 5})
    text = str(made)
    assert 'dim_param: "T"' in str(model)
    assert 'dim_param: "T"' not in text
    assert 'dim_param: "U"' in text
    sizes = made.graph.value_info[-1].type.sequence_type.elem_type.tensor_type.shape.dim
    assert sizes[0].dim_value == 5


def test_a_damaged_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.onnx"
    path.write_bytes(sources("cnn").read_bytes()[:-9])
    with pytest.raises(FormatError):
        edit_onnx(Source.open(path), tmp_path / "made.onnx", Changes(doc_string="x"))
    assert not (tmp_path / "made.onnx").exists()
