"""What the reader makes of an ONNX model beyond its fields: defaults, types, versions, joins."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

from onnx import AttributeProto, ModelProto, TensorProto, helper

from ortstudio.format.source import PAGE_BYTES, WHOLE_FILE_BYTES, Source
from ortstudio.model.graph import OpsetImport
from ortstudio.model.onnx_reader import read_onnx
from ortstudio.model.tensor import Span
from ortstudio.model.types import OptionalType, SequenceType, TensorType
from tests.builders import wire
from tests.builders.onnx_models import graph_of, model_of, node, read
from tests.oracles import onnx_protos as oracle
from tests.unit.model import onnx_plain as ours


def test_every_kind_of_attribute_equals_what_onnx_reads() -> None:
    tensor = helper.make_tensor("t", TensorProto.FLOAT, [2], [1, 2])
    indices = helper.make_tensor("", TensorProto.INT64, [2], [1, 3])
    sparse = helper.make_sparse_tensor(tensor, indices, [5])
    kind = helper.make_tensor_type_proto(TensorProto.FLOAT, ["n", 2, None])
    inner = graph_of([node("Relu", "x", "y")], outputs="y")
    made = node(
        "Op",
        "x",
        "y",
        f=1.5,
        i=-3,
        s="text",
        t=tensor,
        g=inner,
        sparse=sparse,
        tp=helper.make_sequence_type_proto(kind),
        floats=[1.0, -0.5],
        ints=[1, -1, 1 << 40],
        strings=["a", b"\xff"],
        tensors=[tensor, tensor],
        graphs=[inner, inner],
        tps=[kind, helper.make_optional_type_proto(kind)],
    )
    many = made.attribute.add(name="sparses", type=AttributeProto.SPARSE_TENSORS)
    many.sparse_tensors.extend([sparse, sparse])
    for kind_of in (AttributeProto.INTS, AttributeProto.TENSORS, AttributeProto.STRINGS):
        made.attribute.add(name=f"empty{kind_of}", type=kind_of)
    made.attribute.add(name="ref", type=AttributeProto.INT, ref_attr_name="outer")
    made.attribute[0].doc_string = "about it"
    proto = model_of(graph_of([made, node("Op", "y", "z", s="")], inputs="x", outputs="z"))
    model = read(proto)
    expected = oracle.model(proto)
    assert len(expected["graph"]["nodes"][0]["attributes"]) == 18
    assert ours.model(model, expected) == expected


def test_an_attribute_without_a_type_has_that_of_its_value() -> None:
    attribute = wire.chunk(5, wire.chunk(1, "a") + wire.number(3, 4))
    lists = wire.chunk(5, wire.chunk(1, "b") + wire.chunk(8, b"\x01\x02"))
    nodes = read(wire.model(wire.node(attribute, lists))).main.nodes
    assert nodes.attribute_values(0) == {"a": 4, "b": (1, 2)}
    assert nodes.attributes.types.tolist() == [AttributeProto.INT, AttributeProto.INTS]


def test_everything_about_a_model_equals_what_onnx_reads() -> None:
    graph = graph_of([node("Relu", "x", "y", "n")], inputs="x", outputs="y")
    graph.node[0].doc_string = "a node"
    graph.node[0].overload = "o"
    graph.node[0].metadata_props.add(key="k", value="v")
    graph.node[0].device_configurations.add(configuration_id="c")
    graph.doc_string = "a graph"
    graph.metadata_props.add(key="g", value="1")
    graph.quantization_annotation.add(tensor_name="x")
    graph.input[0].doc_string = "an input"
    graph.value_info.add(name="y").type.denotation = "IMAGE"
    graph.value_info.add(name="unused").type.opaque_type.name = "thing"
    proto = model_of(
        graph,
        producer_name="p",
        producer_version="1",
        domain="d",
        model_version=0,
        doc_string="a model",
        opset_imports=[helper.make_opsetid("ai.onnx", 17), helper.make_opsetid("com.x", 1)],
    )
    proto.metadata_props.add(key="m", value="2")
    proto.training_info.add()
    proto.configuration.add(name="c", num_devices=2)
    model = read(proto)
    expected = oracle.model(proto)
    assert ours.model(model, expected) == expected
    assert model.onnx is not None
    assert model.onnx.quantization_annotations == 1
    assert model.onnx.device_configurations == 2
    assert model.opset_imports == (OpsetImport("", 17), OpsetImport("com.x", 1))
    assert model.graph_doc_string == "a graph"
    assert model.model_version == 0
    assert model.sizes["training_info"] == 3


def test_what_is_not_set_is_none() -> None:
    model = read_onnx(Source.of_bytes(wire.chunk(7, wire.node())))
    for value in (
        model.ir_version,
        model.model_version,
        model.producer_name,
        model.producer_version,
        model.domain,
        model.doc_string,
        model.graph_doc_string,
    ):
        assert value is None


def test_equal_types_are_one_object() -> None:
    names = [f"v{i}" for i in range(100)]
    graph = graph_of([])
    for name in names:
        graph.input.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 3]))
        graph.initializer.append(helper.make_tensor(f"i{name}", TensorProto.INT8, [0], []))
    types = read(model_of(graph)).main.values.types
    assert len({id(found) for found in types}) == 2


def test_an_omitted_input_has_no_value() -> None:
    graph = graph_of([])
    graph.node.append(helper.make_node("Resize", ["x", "", "s"], ["y", ""]))
    main = read(model_of(graph)).main
    assert main.nodes.inputs.row(0).tolist() == [main.values.ids["x"], -1, main.values.ids["s"]]
    assert main.nodes.outputs.row(0).tolist()[1] == -1
    assert "" not in main.values.names


def test_since_versions_are_asked_for_with_the_imported_opset() -> None:
    asked: list[tuple[str, str, int]] = []

    def since(domain: str, op_type: str, opset: int) -> int:
        asked.append((domain, op_type, opset))
        return 13 if op_type == "Relu" else 0

    nodes = [node("Relu", "x", "y"), node("Relu", "y", "z"), node("Neg", "z", "w")]
    nodes += [helper.make_node("Odd", ["w"], ["v"], domain="not.imported")]
    function = helper.make_function(
        "f", "F", ["a"], ["b"], [node("Relu", "a", "b")], [helper.make_opsetid("", 6)]
    )
    proto = model_of(
        graph_of(nodes, inputs="x"),
        functions=[function],
        opset_imports=[helper.make_opsetid("ai.onnx", 17)],
    )
    model = read_onnx(Source.of_bytes(proto.SerializeToString()), since)
    assert model.main.nodes.since_versions.tolist() == [13, 13, 0, 0]
    assert asked == [("", "Relu", 17), ("", "Neg", 17), ("", "Relu", 6)]
    assert read(proto).main.nodes.since_versions.tolist() == [0] * 4


def test_parts_of_a_singular_message_are_joined_as_protobuf_joins_them() -> None:
    graph = wire.chunk(2, "first") + wire.node(wire.chunk(3, "a"))
    again = wire.chunk(2, "second") + wire.node(wire.chunk(3, "b"))
    shape = wire.chunk(1, wire.number(1, 1) + wire.chunk(2, wire.chunk(1, wire.number(1, 4))))
    more = wire.chunk(1, wire.chunk(2, wire.chunk(1, wire.chunk(2, "n"))))
    value = wire.chunk(11, wire.chunk(1, "x") + wire.chunk(2, shape) + wire.chunk(2, more))
    content = wire.model(graph + value, wire.chunk(7, again), wire.number(1, 8))
    model = read(content)
    expected = oracle.model(ModelProto.FromString(content))
    assert expected["graph"]["name"] == "second"
    assert expected["graph"]["values"] == {"x": {"type": "tensor_type:1[4, 'n']"}}
    assert ours.model(model, expected) == expected


def test_the_last_kind_of_a_type_counts() -> None:
    tensor = wire.chunk(1, wire.number(1, 1))
    sequence = wire.chunk(4, wire.chunk(1, tensor))
    value = wire.chunk(11, wire.chunk(1, "x") + wire.chunk(2, tensor + sequence))
    assert read(wire.model(value)).main.values.types == [SequenceType(TensorType(1, None))]


def test_types_nest_as_deep_as_sixty_levels() -> None:
    kind = wire.chunk(1, wire.number(1, 1))
    for _ in range(60):
        kind = wire.chunk(9, wire.chunk(1, kind))
    model = read(wire.model(wire.chunk(11, wire.chunk(1, "x") + wire.chunk(2, kind))))
    found = model.main.values.types[0]
    depth = 0
    while isinstance(found, OptionalType):
        found, depth = found.element, depth + 1
    assert (found, depth) == (TensorType(1, None), 60)


def test_unknown_fields_are_left_alone() -> None:
    odd = wire.chunk(99, b"\xff") + wire.number(100, -1) + wire.float32(101, 1)
    model = read_onnx(Source.of_bytes(wire.model(odd + wire.node(odd)) + odd))
    assert model.error is None
    assert model.main.nodes.op_types == ["Op"]
    assert model.sizes["other"] == len(odd)


def test_of_a_large_file_only_the_structure_is_read(tmp_path: Path) -> None:
    """Inline weights of 16 MiB each in a sparse file: 1 GiB, of which next to nothing is read."""
    weight = 16 << 20
    path = tmp_path / "large.onnx"
    head = wire.number(1, weight // 4) + wire.number(2, 1) + wire.chunk(8, "w00")
    record = len(head) + len(wire.tag(9, 2) + wire.varint(weight)) + weight
    start = wire.tag(5, 2) + wire.varint(record)
    nodes = wire.node(wire.chunk(1, "w00"))
    graph_size = len(nodes) + 64 * (len(start) + record)
    with path.open("wb") as file:
        file.write(wire.number(1, 10) + wire.tag(7, 2) + wire.varint(graph_size) + nodes)
        for _ in range(64):
            file.write(start + head + wire.tag(9, 2) + wire.varint(weight))
            file.seek(weight, 1)
        file.truncate(file.tell())
    source = Source.open(path)
    assert source.size > 1 << 30 > WHOLE_FILE_BYTES
    tracemalloc.start()
    model = read_onnx(source)
    assert tracemalloc.get_traced_memory()[1] < 20 << 20
    tracemalloc.stop()
    assert model.error is None
    assert len(model.main.initializers) == 64
    assert model.main.initializers.sizes == [weight] * 64
    assert isinstance(model.main.initializers[63].data, Span)
    assert sum(model.sizes.values()) == source.size
    assert model.sizes["initializer_data"] == 64 * weight
    assert source.bytes_read <= 2 * 65 * PAGE_BYTES
