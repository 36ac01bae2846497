"""Models in ORT format said again in ONNX, and read back by our own reader."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import ModelProto, TensorProto

from ortstudio.analysis.checks.order import is_sorted
from ortstudio.analysis.imports import needed_imports
from ortstudio.errors import FormatError, RefusedError, StudioError
from ortstudio.format.source import Source
from ortstudio.model.elements import open_elements
from ortstudio.model.graph import Attributes, Graph, GraphRef, Parent
from ortstudio.model.model import Model
from ortstudio.model.onnx_reader import read_onnx
from ortstudio.model.ort_reader import read_ort
from ortstudio.model.tensor import ExternalData, Span, SparseTensor, Storage, StringData, Tensor
from ortstudio.model.types import DataType, TensorType
from ortstudio.services.onnx_message import GRAPH_NESTING, ir_version
from ortstudio.services.onnx_write import onnx_chunks
from tests.builders.corpus import corpus_files, corpus_model
from tests.builders.knowledge import CORPUS, operators
from tests.builders.models import Node, Value, graph, ort, tensor

Plain = Mapping[str, object]
LOST = ("v1_ort1.5.2_extdata_fixed_basic.ort", "v6_ort1.23.2_types_fixed_disable.ort")
FILES = [row["file"] for row in corpus_files() if row["file"] not in LOST]


def written(model: Model) -> bytes:
    return b"".join(onnx_chunks(model, needed_imports(model, operators())))


def message(model: Model) -> ModelProto:
    made = ModelProto()
    made.ParseFromString(written(model))
    return made


def read_back(model: Model) -> Model:
    source = Source.of_bytes(written(model), "m.onnx")
    again = read_onnx(source, operators().since)
    assert again.error is None
    return again


def content(source: Source, t: Tensor) -> object:
    if isinstance(t.data, StringData):
        return [source.payload(*span) for span in t.data.spans]
    return source.payload(*t.data) if isinstance(t.data, Span) else b""


def plain_tensor(source: Source, t: Tensor) -> Plain:
    return {
        "name": t.name,
        "type": t.data_type,
        "dims": t.dims,
        "doc": t.doc_string,
        "content": content(source, t),
    }


def plain_sparse(source: Source, t: SparseTensor) -> Plain:
    indices = open_elements(source, t.indices).array().tolist()
    return {"values": plain_tensor(source, t.values), "indices": indices, "dims": t.dims}


def plain(source: Source, value: object) -> object:
    if isinstance(value, Tensor):
        return plain_tensor(source, value)
    if isinstance(value, tuple):
        return [plain(source, item) for item in value]
    return "graph" if isinstance(value, GraphRef) else value


def trimmed(names: Sequence[str]) -> list[str]:
    while names and not names[-1]:
        names = names[:-1]
    return list(names)


def plain_node(model: Model, g: Graph, row: int) -> Plain:
    n, at = g.nodes, g.nodes.attributes
    return {
        "name": n.names[row],
        "op": n.ops[row],
        "since": int(n.since_versions[row]),
        "doc": n.doc_strings.get(row, ""),
        "inputs": trimmed(g.value_names(n.inputs.row(row).tolist())),
        "outputs": trimmed(g.value_names(n.outputs.row(row).tolist())),
        "attributes": {
            at.names[k]: (int(at.types[k]), plain(model.source, at.value(k)), at.doc_strings.get(k))
            for k in n.attribute_rows.row(row).tolist()
        },
    }


def plain_graph(model: Model, g: Graph) -> Plain:
    """All that ONNX can hold of a graph; nodes in no order."""
    made = {g.values.names[i] for i, row in enumerate(g.producers.tolist()) if row >= 0}
    ends = [*g.value_names(g.inputs.tolist()), *g.value_names(g.outputs.tolist())]
    shown = [name for name in g.values.names if name in made or name in ends]
    ids = g.values.ids
    return {
        "path": g.path,
        "inputs": g.value_names(g.inputs.tolist()),
        "outputs": g.value_names(g.outputs.tolist()),
        "types": {name: g.values.types[ids[name]] for name in shown},
        "docs": {name: g.values.doc_strings.get(ids[name]) for name in shown},
        "denotations": {name: g.values.denotations.get(ids[name]) for name in shown},
        "initializers": [plain_tensor(model.source, t) for t in g.initializers],
        "sparse": [plain_sparse(model.source, t) for t in g.sparse_initializers],
        "nodes": sorted(
            (plain_node(model, g, row) for row in range(len(g.nodes))),
            key=lambda node: (node["outputs"], node["inputs"]),
        ),
    }


def by_place(model: Model) -> dict[str, Plain]:
    """Graphs by what is the same in both formats: the names of nodes on the way, or outputs."""
    found: dict[str, Plain] = {}
    places: list[str] = []
    for g in model.graphs:
        place = "main"
        if g.parent is not None:
            owner = model.graphs[g.parent.graph]
            outputs = owner.value_names(owner.nodes.outputs.row(g.parent.node).tolist())
            place = f"{places[g.parent.graph]} > {outputs[0]} > {g.parent.attribute}"
        places.append(place)
        found[place] = {key: value for key, value in plain_graph(model, g).items() if key != "path"}
    return found


@pytest.mark.parametrize("file", FILES)
def test_what_is_read_back_equals_the_original(file: str) -> None:
    """Names, operators, attributes, types, and constants byte for byte."""
    model = corpus_model(file)
    again = read_back(model)
    before, after = by_place(model), by_place(again)
    assert before.keys() == after.keys()
    for place, found in before.items():
        for key, value in found.items():
            assert after[place][key] == value, (place, key)
    for name in ("producer_name", "producer_version", "domain", "model_version", "doc_string"):
        assert getattr(again, name) == getattr(model, name)
    assert again.graph_doc_string == model.graph_doc_string
    assert again.metadata == model.metadata
    assert all(is_sorted(g) for g in again.graphs)


def chain(*nodes: Node, **held: object) -> Model:
    return ort(graph(nodes, inputs=["x"], outputs=["y"], **held))  # type: ignore[arg-type]


def test_nodes_come_in_the_order_in_which_they_run() -> None:
    made = message(
        chain(
            Node("Exp", ["b"], ["y"], index=0),
            Node("Neg", ["a"], ["b"], index=7),
            Node("Abs", ["x"], ["a"], index=3),
        )
    )
    assert [node.op_type for node in made.graph.node] == ["Abs", "Neg", "Exp"]


def test_nodes_that_wait_for_each_other_are_refused() -> None:
    with pytest.raises(RefusedError, match="wait for each other"):
        message(chain(Node("Add", ["x", "b"], ["a"]), Node("Neg", ["a"], ["b"])))


def test_what_is_left_out_at_the_end_is_not_named_and_in_between_it_is() -> None:
    made = message(chain(Node("Clip", ["x", "", "m", ""], ["y", "", "z", ""])))
    assert list(made.graph.node[0].input) == ["x", "", "m"]
    assert list(made.graph.node[0].output) == ["y", "", "z"]


def test_only_typed_values_that_nodes_make_are_declared() -> None:
    nodes = [Node("Add", ["x", "w"], ["a"]), Node("Neg", ["a"], ["b"]), Node("Abs", ["b"], ["y"])]
    made = message(chain(*nodes, initializers=[tensor("w", (2,))], types={"b": None}))
    assert [value.name for value in made.graph.value_info] == ["a"]


def test_empty_shapes_unknown_sizes_and_unknown_ranks_stay_apart() -> None:
    types = {
        "x": TensorType(DataType.FLOAT, (None, 3, "n")),
        "y": TensorType(DataType.FLOAT, ()),
        "z": TensorType(DataType.FLOAT, None),
    }
    made = message(
        ort(graph([Node("A", ["x"], ["y", "z"])], inputs=["x"], outputs=["y", "z"], types=types))
    )
    x, y, z = (value.type.tensor_type for value in (*made.graph.input, *made.graph.output))
    assert [d.WhichOneof("value") for d in x.shape.dim] == [None, "dim_value", "dim_param"]
    assert (y.HasField("shape"), z.HasField("shape")) == (True, False)


@pytest.mark.parametrize(
    ("listed", "inputs", "found"),
    [(3, ["x"], 4), (3, ["x", "w"], 3), (1, ["x", "w"], 3), (8, ["x"], 8)],
)
def test_the_ir_version_is_raised_where_initializers_are_no_inputs(
    listed: int, inputs: Sequence[str], found: int
) -> None:
    nodes = [Node("Add", ["x", "w"], ["y"])]
    made = ort(graph(nodes, inputs=inputs, outputs=["y"], initializers=[tensor("w", (2,))]))
    assert ir_version(replace(made, ir_version=listed)) == found


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (1.5, "f"),
        (-7, "i"),
        (b"\xff\x00", "s"),
        ((1.5, 2.0), "floats"),
        ((1, -(2**63)), "ints"),
        ((b"a", b"\xfe"), "strings"),
    ],
)
def test_numbers_and_strings_go_over_as_they_are(value: Value, field: str) -> None:
    (attribute,) = (
        message(chain(Node("A", ["x"], ["y"], attributes={"k": value}))).graph.node[0].attribute
    )
    found = getattr(attribute, field)
    assert (tuple(found) if isinstance(value, tuple) else found) == value


def test_tensors_and_graphs_go_over_alone_and_in_lists() -> None:
    inner = graph(
        [Node("Neg", ["x"], ["z"])], outputs=["z"], path="/#0/one", parent=Parent(0, 0, "one")
    )
    held: dict[str, Value] = {
        "t": tensor("", (2,)),
        "ts": (tensor("a", (1,)), tensor("b", (3,))),
        "one": GraphRef(1),
        "many": (GraphRef(1), GraphRef(1)),
    }
    outer = graph([Node("A", ["x"], ["y"], attributes=held)], inputs=["x"], outputs=["y"])
    t, ts, one, many = message(ort(outer, inner)).graph.node[0].attribute
    assert (t.t.raw_data, list(t.t.dims)) == (bytes(8), [2])
    assert [found.name for found in ts.tensors] == ["a", "b"]
    assert (one.g.name, one.g.node[0].op_type) == ("/#0/one", "Neg")
    assert [found.node[0].op_type for found in many.graphs] == ["Neg", "Neg"]


def one_attribute(model: Model, change: Callable[[Attributes], Attributes]) -> Model:
    nodes = model.main.nodes
    changed = replace(nodes, attributes=change(nodes.attributes))
    return replace(model, graphs=(replace(model.main, nodes=changed), *model.graphs[1:]))


@pytest.mark.parametrize("number", [0, 11, 13, 99])
def test_an_attribute_without_a_value_of_its_type_is_refused(number: int) -> None:
    model = chain(Node("A", ["x"], ["y"], attributes={"k": 1}))
    model = one_attribute(model, lambda at: replace(at, types=at.types * 0 + number))
    with pytest.raises(FormatError, match=f"'k' has no value of its type {number}"):
        message(model)


def test_a_missing_tensor_or_graph_is_refused() -> None:
    for value in (tensor("t"), GraphRef(1)):
        model = chain(Node("A", ["x"], ["y"], attributes={"k": value}))
        with pytest.raises(FormatError, match="'k' has no value"):
            message(one_attribute(model, lambda at: replace(at, others={})))


def with_constant(t: Tensor) -> Model:
    return chain(Node("Add", ["x", "w"], ["y"]), initializers=[t])


@pytest.mark.parametrize(
    ("t", "words"),
    [
        (tensor("w", (2,), size=7), "7 bytes where its type and shape need 8"),
        (tensor("w", (2,), storage=Storage.NONE), "the file leaves them out"),
        (tensor("w", (2,), DataType.STRING, size=1), "1 strings where its shape needs 2"),
        (tensor("w", (-2,)), "negative size"),
        (tensor("w", (1,), 99, size=1), "type unknown"),
        (tensor("w", (1,), external=ExternalData("", 0, None)), "in another file"),
    ],
)
def test_a_constant_that_is_not_what_it_says_is_refused(t: Tensor, words: str) -> None:
    with pytest.raises(FormatError, match=words) as caught:
        message(with_constant(t))
    assert caught.value.where.field == "w"


def test_a_constant_of_no_elements_needs_no_data() -> None:
    made = message(with_constant(tensor("w", (0, 3), storage=Storage.NONE)))
    assert list(made.graph.initializer[0].dims) == [0, 3]


@pytest.mark.parametrize(
    ("data_type", "count", "size"), [(DataType.INT4, 5, 3), (DataType.UINT2, 5, 2)]
)
def test_elements_below_a_byte_stay_packed(data_type: DataType, count: int, size: int) -> None:
    model = with_constant(tensor("w", (count,), data_type))
    packed = bytes(range(0x31, 0x31 + 64))
    made = message(replace(model, source=Source.of_bytes(packed)))
    assert made.graph.initializer[0].raw_data == packed[:size]
    assert made.graph.initializer[0].data_type == data_type


@pytest.mark.parametrize(
    "data_type", [DataType.INT8, DataType.INT16, DataType.INT32, DataType.INT64]
)
def test_indices_of_sparse_tensors_are_widened(data_type: DataType) -> None:
    sparse = SparseTensor(tensor("w", (3,)), tensor("", (3,), data_type), (8,))
    made = message(chain(Node("Add", ["x", "w"], ["y"]), sparse=[sparse]))
    (found,) = made.graph.sparse_initializer
    assert (found.values.name, list(found.dims)) == ("w", [8])
    assert found.indices.data_type == TensorProto.INT64
    assert found.indices.raw_data == bytes(24)


def test_indices_that_are_no_integers_are_refused() -> None:
    sparse = SparseTensor(tensor("w", (3,)), tensor("", (3,)), (8,))
    with pytest.raises(FormatError, match="indices of a sparse tensor are of type float"):
        message(chain(Node("Add", ["x", "w"], ["y"]), sparse=[sparse]))


def nested(depth: int) -> Model:
    graphs = [
        graph(
            [Node("A", ["x"], ["y"], attributes={"g": GraphRef(i + 1)} if i < depth else {})],
            inputs=["x"],
            outputs=["y"],
        )
        for i in range(depth + 1)
    ]
    return ort(*graphs)


def test_graphs_are_nested_as_deep_as_protobuf_can_hold() -> None:
    assert message(nested(GRAPH_NESTING)).graph.node[0].attribute[0].g.node
    with pytest.raises(RefusedError, match="too deep for ONNX"):
        message(nested(GRAPH_NESTING + 1))


@given(st.sampled_from(FILES), st.data())
def test_a_damaged_file_raises_only_our_error(file: str, data: st.DataObject) -> None:
    changed = bytearray((CORPUS / file).read_bytes())
    words = st.sampled_from([b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x01\0\0\0", b"\0\0\0\x80"])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(changed) // 4 - 1)) * 4
        changed[at : at + 4] = data.draw(words)
    try:
        model = read_ort(Source.of_bytes(bytes(changed)))
        if model.error is None:
            written(model)
    except StudioError:
        return
