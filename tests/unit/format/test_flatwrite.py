"""Every file written anew: the same content, the same bytes each time, laid out as it should be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import flatbuffers
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ortstudio.errors import FormatError, RefusedError, StudioError
from ortstudio.format import flatbuf
from ortstudio.format.arrays import ints
from ortstudio.format.buffer import Buffer
from ortstudio.format.content import Batch, LinkRows, Links, Spans, read_content
from ortstudio.format.fields import Field, TableType
from ortstudio.format.flattables import Tables
from ortstudio.format.flatwrite import PAYLOAD_ALIGNMENT, write_content
from ortstudio.format.ort_tables import (
    SCHEMA,
    Graph,
    InferenceSession,
    KernelTypeStrResolver,
    Node,
    StringStringEntry,
    Tensor,
)
from ortstudio.format.ort_tables import (
    Model as ModelTable,
)
from ortstudio.format.source import Source
from ortstudio.model.ort_reader import read_ort
from ortstudio.model.tensor import Span
from tests.builders.damage import changes, damaged
from tests.builders.knowledge import CORPUS
from tests.builders.ort_json import Json, decode, encode

FILES = sorted(path.name for path in CORPUS.glob("*.ort"))
SMALL = "v6_ort1.32.0_cnn_runtime_all.ort"


def written(content: bytes) -> bytes:
    source = Source.of_bytes(content)
    return b"".join(write_content(read_content(source, SCHEMA), SCHEMA, source).chunks())


def rows_of(batch: Batch, of: Field) -> LinkRows:
    return batch.link_rows(of, SCHEMA.tables[of.target])


@pytest.fixture(scope="module")
def rewritten() -> dict[str, bytes]:
    return {name: written((CORPUS / name).read_bytes()) for name in FILES}


@pytest.fixture(scope="module")
def decoded_again(
    rewritten: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Json]:
    folder = tmp_path_factory.mktemp("rewritten")
    for name, content in rewritten.items():
        (folder / name).write_bytes(content)
    return decode(sorted(folder.glob("*.ort")), folder)


def test_every_file_holds_what_it_held(
    decoded: dict[str, Json], decoded_again: dict[str, Json]
) -> None:
    assert decoded_again.keys() == decoded.keys()
    assert [name for name in decoded if decoded[name] != decoded_again[name]] == []


def test_what_was_written_is_written_the_same_again(rewritten: dict[str, bytes]) -> None:
    for name in FILES[::3]:
        assert written(rewritten[name]) == rewritten[name], name


def test_the_order_in_which_a_file_is_laid_out_does_not_matter(
    decoded: dict[str, Json], tmp_path: Path
) -> None:
    name = Path(SMALL).stem
    assert written(encode(decoded[name], tmp_path)) == written((CORPUS / SMALL).read_bytes())


def test_equal_strings_and_vtables_stand_in_the_file_once(rewritten: dict[str, bytes]) -> None:
    content = rewritten["v6_ort1.32.0_deep_fixed_basic.ort"]
    assert content.count(b"CPUExecutionProvider\0") == 1
    buffer = Buffer(Source.of_bytes(content))
    model = flatbuf.Tables.root(buffer, "").tables(InferenceSession.model)
    _, nodes = model.tables(ModelTable.graph).vectors(Graph.nodes).tables()
    assert len(nodes) > 40
    vtables = {
        at - int.from_bytes(content[at : at + 4], "little", signed=True)
        for at in nodes.positions.tolist()
    }
    assert len(vtables) < 5


def test_tensors_are_aligned_for_every_element_type(rewritten: dict[str, bytes]) -> None:
    seen = 0
    for name in FILES[::3]:
        model = read_ort(Source.of_bytes(rewritten[name]))
        for graph in model.graphs:
            for tensor in graph.initializers:
                if isinstance(tensor.data, Span) and tensor.data.length >= PAYLOAD_ALIGNMENT:
                    assert tensor.data.offset % PAYLOAD_ALIGNMENT == 0, name
                    seen += 1
    assert seen > 100


def test_vectors_with_a_key_are_sorted_by_it() -> None:
    source = Source.of_bytes((CORPUS / SMALL).read_bytes())
    content = read_content(source, SCHEMA)
    (resolver,) = content.all("KernelTypeStrResolver")
    entries = rows_of(resolver, KernelTypeStrResolver.op_kernel_type_str_args)
    assert entries.rows[0]
    entries.rows[0].reverse()
    made = b"".join(write_content(content, SCHEMA, source).chunks())
    assert made == written((CORPUS / SMALL).read_bytes())


def test_what_is_added_is_there_and_what_is_removed_is_not() -> None:
    source = Source.of_bytes((CORPUS / "v6_ort1.32.0_meta_fixed_disable.ort").read_bytes())
    content = read_content(source, SCHEMA)
    (model,) = content.all("Model")
    entries = rows_of(model, ModelTable.metadata_props)
    before = read_ort(source).metadata
    assert entries.rows[0]
    row = entries.batch.append({StringStringEntry.key: b"zzz", StringStringEntry.value: b"v"})
    entries.rows[0] = [*entries.rows[0][1:], row]
    model.remove(ModelTable.doc_string)
    made = read_ort(Source.of_bytes(b"".join(write_content(content, SCHEMA, source).chunks())))
    assert dict(made.metadata) == dict(list(before.items())[1:]) | {"zzz": "v"}
    assert made.doc_string is None


def test_long_vectors_are_copied_from_a_file_that_is_not_in_memory(tmp_path: Path) -> None:
    """Of a sparse file of 40 MB only the structure is ever in memory."""
    tensors = Batch(SCHEMA.tables["Tensor"], 2)
    tensors.texts(Tensor.name)[:] = [b"a", b"b"]
    size = 20_000_000
    tensors.columns[Tensor.raw_data.slot] = Spans(ints([1000, 1000 + size]), ints([size, size]))
    path = tmp_path / "weights"
    with path.open("wb") as file:
        file.seek(1000)
        file.write(b"first")
        file.seek(1000 + size)
        file.write(b"second")
        file.truncate(1000 + 2 * size)
    source = Source.open(path)
    made = write_content(model_of(tensors), SCHEMA, source)
    content = b"".join(made.chunks())
    assert (len(content), source.bytes_read) == (made.size, 0)
    found = read_ort(Source.of_bytes(content)).main.initializers
    starts = [tensor.data.offset for tensor in found if isinstance(tensor.data, Span)]
    assert [content[at : at + 6] for at in starts] == [b"first\0", b"second"]


def model_of(tensors: Batch) -> Batch:
    """A root whose graph holds nothing but initializers."""

    def link(name: str, of: Field, inner: Batch) -> Batch:
        batch = Batch(SCHEMA.tables[name], 1)
        batch.columns[of.slot] = Links(inner, ints([0]))
        return batch

    graph = Batch(SCHEMA.tables["Graph"], 1)
    rows: list[list[int] | None] = [list(range(tensors.count))]
    graph.columns[Graph.initializers.slot] = LinkRows(tensors, rows)
    return link("InferenceSession", InferenceSession.model, link("Model", ModelTable.graph, graph))


def test_tables_of_defaults_alone_are_there() -> None:
    """As a dimension of no size is: it has no field at all."""
    content = model_of(Batch(SCHEMA.tables["Tensor"], 3))
    source = Source.of_bytes(b"")
    made = b"".join(write_content(content, SCHEMA, source).chunks())
    (tensors,) = read_content(Source.of_bytes(made), SCHEMA).all("Tensor")
    assert (tensors.count, tensors.columns) == (3, {})


def test_tables_are_laid_out_as_the_builder_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which it does once for tables that look alike, the others are set like the first."""
    content = (CORPUS / SMALL).read_bytes()
    fast = written(content)
    monkeypatch.setattr(Tables, "_look", lambda *_: None)
    assert written(content) == fast


def test_a_result_that_would_pass_2_gib_is_refused_before_anything_is_read() -> None:
    tensors = Batch(SCHEMA.tables["Tensor"], 2)
    size = 1_200_000_000
    tensors.columns[Tensor.raw_data.slot] = Spans(ints([0, 0]), ints([size, size]))
    with pytest.raises(RefusedError, match="2 GiB"):
        write_content(model_of(tensors), SCHEMA, Source.of_bytes(b""))


def test_a_slot_that_the_schema_does_not_have_is_refused() -> None:
    """Of a later version, or of one that was changed: it would be lost."""
    tables = dict(SCHEMA.tables)
    tables["Node"] = TableType("Node", tables["Node"].fields[:-1])
    older = replace(SCHEMA, tables=tables)
    source = Source.of_bytes((CORPUS / "v6_ort1.32.0_control_fixed_disable.ort").read_bytes())
    with pytest.raises(FormatError, match="A Node has a slot"):
        read_content(source, older)


def test_more_tables_than_a_release_loads_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ortstudio.format.content.MOST_TABLES", 50)
    with pytest.raises(RefusedError, match="more than 50 tables"):
        read_content(Source.of_bytes((CORPUS / SMALL).read_bytes()), SCHEMA)


def test_tables_nested_too_deep_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    content = (CORPUS / "v6_ort1.32.0_control_fixed_disable.ort").read_bytes()
    assert written(content)
    monkeypatch.setattr("ortstudio.format.content.MOST_NESTED", 9)
    with pytest.raises(RefusedError, match="nested more than 9 deep"):
        written(content)


def test_a_file_that_names_one_table_over_and_over_is_refused() -> None:
    """A graph of 50,000 nodes that are all the same table: it would be written 50,000 times."""
    builder = flatbuffers.Builder(1 << 20)
    text = builder.CreateString("x")
    builder.StartObject(len(SCHEMA.tables["Node"].fields))
    for of in (Node.name, Node.doc_string, Node.domain, Node.op_type, Node.execution_provider_type):
        builder.PrependUOffsetTRelativeSlot(of.slot, text, 0)
    for of in (Node.since_version, Node.index, Node.type):
        builder.PrependInt32Slot(of.slot, 4, 0)
    node = builder.EndObject()
    builder.StartVector(4, 50_000, 4)
    for _ in range(50_000):
        builder.PrependUOffsetTRelative(node)
    inner = builder.EndVector()
    for of in (Graph.nodes, ModelTable.graph, InferenceSession.model):
        builder.StartObject(10)
        builder.PrependUOffsetTRelativeSlot(of.slot, inner, 0)
        inner = builder.EndObject()
    builder.Finish(inner, file_identifier=SCHEMA.identifier)
    with pytest.raises(FormatError, match="over and over"):
        written(bytes(builder.Output()))


@given(st.sampled_from(FILES), changes)
def test_a_damaged_file_is_refused_or_written(file: str, places: list[tuple[float, bytes]]) -> None:
    content = damaged((CORPUS / file).read_bytes(), places)
    try:
        made = written(content)
    except StudioError:
        return
    assert written(made) == made
