"""Edits of models in ORT format, on the content and as our reader then sees it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ortstudio.errors import FormatError, RefusedError
from ortstudio.format.content import Batch, read_content
from ortstudio.format.flatwrite import write_content
from ortstudio.format.ort_tables import SCHEMA
from ortstudio.format.ort_tables import Model as ModelTable
from ortstudio.format.source import Source
from ortstudio.model.model import Model
from ortstudio.model.ort_reader import read_ort
from ortstudio.services.edit_changes import own_names, symbols
from ortstudio.services.ort_edits import (
    drop_optimizations,
    fix_sizes,
    set_format_version,
    set_metadata,
    set_number,
    set_text,
    strip_doc_strings,
    strip_node_names,
)
from ortstudio.services.ort_rename import rename_values
from ortstudio.services.ort_write import Edit
from tests.builders.knowledge import CORPUS
from tests.builders.ort_json import Json, encode

CONTROL = "v6_ort1.32.0_control_fixed_disable.ort"
META = "v6_ort1.32.0_meta_fixed_disable.ort"
RECORDS = "v6_ort1.32.0_cnn_runtime_all.ort"


def read(file: str) -> Model:
    return read_ort(Source.open(CORPUS / file))


def edited(file: str, *edits: Edit) -> Model:
    source = Source.open(CORPUS / file)
    content = read_content(source, SCHEMA)
    for edit in edits:
        edit(content)
    made = b"".join(write_content(content, SCHEMA, source).chunks())
    model = read_ort(Source.of_bytes(made))
    assert model.error is None
    return model


def value_names(model: Model) -> list[list[str]]:
    """All names of each graph in all places, one after the other."""
    return [
        [
            *graph.values.names,
            *graph.value_names(graph.inputs.tolist()),
            *graph.value_names(graph.outputs.tolist()),
            *graph.value_names(graph.nodes.inputs.flat.tolist()),
            *graph.value_names(graph.nodes.outputs.flat.tolist()),
            *graph.value_names(graph.nodes.implicit_inputs.flat.tolist()),
            *graph.initializers.names,
            *(sparse.values.name for sparse in graph.sparse_initializers),
        ]
        for graph in model.graphs
    ]


def test_metadata_are_added_replaced_and_removed_and_the_others_stay() -> None:
    before = dict(read(META).metadata)
    assert {"author", "json"} <= before.keys()
    after = edited(META, set_metadata({"author": "me", "nü": "值"}, ["json"])).metadata
    del before["json"]
    assert dict(after) == before | {"author": "me", "nü": "值"}


def test_metadata_come_to_a_model_that_has_none() -> None:
    assert dict(edited(CONTROL, set_metadata({"a": ""})).metadata) == {"a": ""}


@pytest.mark.parametrize(
    ("field", "read_back"),
    [
        (ModelTable.doc_string, lambda model: model.doc_string),
        (ModelTable.graph_doc_string, lambda model: model.graph_doc_string),
        (ModelTable.producer_name, lambda model: model.producer_name),
        (ModelTable.domain, lambda model: model.domain),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_texts_of_the_model_are_set_and_removed(
    field: object, read_back: Callable[[Model], str | None]
) -> None:
    assert read_back(edited(META, set_text(field, "ein Wört"))) == "ein Wört"  # type: ignore[arg-type]
    assert read_back(edited(META, set_text(field, None))) is None  # type: ignore[arg-type]


def test_a_text_that_a_version_does_not_have_is_refused() -> None:
    with pytest.raises(RefusedError, match="version 2 has no place for graph doc string"):
        edited("v2_ort1.6.0_mlp_fixed_disable.ort", set_text(ModelTable.graph_doc_string, "x"))


def test_the_model_version_is_set() -> None:
    assert edited(META, set_number(ModelTable.model_version, 7)).model_version == 7


def test_all_doc_strings_go() -> None:
    before = read(META)
    assert before.doc_string
    assert before.main.nodes.doc_strings
    after = edited(META, strip_doc_strings)
    assert (after.doc_string, after.graph_doc_string) == (None, None)
    for graph in after.graphs:
        assert not graph.nodes.doc_strings
        assert not graph.values.doc_strings
        assert not graph.nodes.attributes.doc_strings
        assert not any(tensor.doc_string for tensor in graph.initializers)
    assert after.main.nodes.names == before.main.nodes.names


def test_all_names_of_nodes_go_and_nothing_else() -> None:
    before, after = read(CONTROL), edited(CONTROL, strip_node_names)
    assert any(before.main.nodes.names)
    assert not any(name for graph in after.graphs for name in graph.nodes.names)
    assert value_names(after) == value_names(before)
    assert [g.nodes.indices.tolist() for g in after.graphs] == [
        g.nodes.indices.tolist() for g in before.graphs
    ]


def test_a_symbolic_size_is_fixed_wherever_it_stands() -> None:
    before, after = read(CONTROL), edited(CONTROL, fix_sizes({"T": 5}))
    assert symbols(before)["T"] > 1
    assert symbols(after).keys() == symbols(before).keys() - {"T"}
    shown = [
        [str(of).replace("[T,", "[5,").replace("[T]", "[5]") for of in g.values.types]
        for g in before.graphs
    ]
    assert [[str(of) for of in g.values.types] for g in after.graphs] == shown


def test_dropped_optimizations_leave_no_trace_in_the_resolver() -> None:
    before = read(RECORDS)
    after = edited(RECORDS, drop_optimizations(before))
    assert before.ort
    assert after.ort
    assert any(graph.runtime_optimizations for graph in before.ort.graphs)
    assert not any(graph.runtime_optimizations for graph in after.ort.graphs)
    ids = {entry.op_id for entry in after.ort.resolver or ()}
    assert {entry.op_id for entry in before.ort.resolver or ()} - ids == {
        "com.microsoft:FusedConv:1"
    }
    assert ids == {
        f"{d}:{o}:{v}"
        for g in after.graphs
        for d, o, v in zip(
            g.nodes.domains, g.nodes.op_types, g.nodes.since_versions.tolist(), strict=True
        )
    }


def test_only_the_version_changes() -> None:
    before, after = read(META), edited(META, set_format_version(5))
    assert before.ort
    assert after.ort
    assert (before.ort.format_version, after.ort.format_version) == (6, 5)
    assert (after.ort.resolver, after.metadata) == (before.ort.resolver, before.metadata)


def test_an_input_is_renamed_wherever_a_graph_reads_it() -> None:
    before, after = read(CONTROL), edited(CONTROL, rename_values({b"x": b"image"}))
    assert sum("x" in names for names in value_names(before)) > 1
    assert value_names(after) == [
        [name if name != "x" else "image" for name in names] for names in value_names(before)
    ]


def test_a_value_that_a_subgraph_has_itself_keeps_its_name(tmp_path: Path) -> None:
    """The first subgraph has a `v` of its own, the second reads the one outside."""

    def negated(output: str, inputs: Sequence[str]) -> Json:
        node = {"op_type": "Neg", "inputs": ["v"], "outputs": [output]}
        return {"inputs": inputs, "nodes": [node], "outputs": [output]}

    attributes = [
        {"name": "own", "type": "GRAPH", "g": negated("a", ["v"])},
        {"name": "outer", "type": "GRAPH", "g": negated("b", [])},
    ]
    node = {"op_type": "If", "inputs": ["v"], "outputs": ["r"], "attributes": attributes}
    node["implicit_inputs"] = ["v"]
    graph = {"inputs": ["v"], "nodes": [node], "outputs": ["r"]}
    model = encode({"ort_version": "6", "model": {"graph": graph}}, tmp_path)
    (tmp_path / "m.ort").write_bytes(model)
    made = edited(str(tmp_path / "m.ort"), rename_values({b"v": b"new"}))
    main, own, outer = value_names(made)
    assert ("v" in main, "v" in own, "v" in outer) == (False, True, False)
    assert ("new" in main, "new" in own, "new" in outer) == (True, False, True)


def test_names_can_be_exchanged() -> None:
    after = edited(CONTROL, rename_values({b"x": b"flag", b"flag": b"x"}))
    swap = {"x": "flag", "flag": "x"}
    assert value_names(after) == [
        [swap.get(name, name) for name in names] for names in value_names(read(CONTROL))
    ]


def test_content_without_a_model_cannot_be_edited() -> None:
    with pytest.raises(FormatError, match="holds no model"):
        set_metadata({"a": "b"})(Batch(SCHEMA.tables["InferenceSession"], 1))


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12)


@settings(max_examples=20)
@given(st.data())
def test_renaming_and_renaming_back_gives_the_same_bytes(data: st.DataObject) -> None:
    file = data.draw(st.sampled_from([CONTROL, META, RECORDS]))
    model = read(file)
    own = sorted(own_names(model.main))
    taken = {name for names in value_names(model) for name in names}
    old = data.draw(st.lists(st.sampled_from(own), min_size=1, max_size=4, unique=True))
    new = data.draw(
        st.lists(
            NAMES.filter(lambda name: name not in taken),
            min_size=len(old),
            max_size=len(old),
            unique=True,
        )
    )
    there = {a.encode(): b.encode() for a, b in zip(old, new, strict=True)}
    back = {b: a for a, b in there.items()}
    assert rewritten(file, [rename_values(there), rename_values(back)]) == rewritten(file, [])
    assert rewritten(file, [rename_values(there)]) != rewritten(file, [])


def rewritten(file: str, edits: Sequence[Edit]) -> bytes:
    source = Source.open(CORPUS / file)
    content = read_content(source, SCHEMA)
    for edit in edits:
        edit(content)
    return b"".join(write_content(content, SCHEMA, source).chunks())


@settings(max_examples=30)
@given(st.dictionaries(NAMES, NAMES, max_size=4), st.lists(st.sampled_from(["author", "json"])))
def test_metadata_are_what_was_asked_for(values: dict[str, str], removed: list[str]) -> None:
    before = dict(read(META).metadata)
    after = edited(META, set_metadata(values, removed)).metadata
    assert dict(after) == {k: v for k, v in before.items() if k not in removed} | values
