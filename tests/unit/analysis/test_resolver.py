from __future__ import annotations

import pytest

from ortstudio.analysis.nodes import NodeRef, Operator, by_operator
from ortstudio.analysis.resolver import explain, missing, parse_op_id, summary, unused
from ortstudio.model.model import KernelTypeStr, ResolverEntry
from tests.builders.corpus import corpus_files, corpus_model
from tests.builders.knowledge import operators
from tests.builders.models import Node, graph, ort, ort_graph, record

CHAIN = [
    Node("Relu", ["x"], ["a"], name="first", since=14, index=3),
    Node("Relu", ["a"], ["b"], since=14, index=5),
    Node("Conv", ["b", "b"], ["y"], since=11, index=6),
]


def entry(op: str, **strs: str) -> ResolverEntry:
    """An entry; each type string's arguments stand in one text."""
    return ResolverEntry(op, tuple(KernelTypeStr(n, tuple(a.split())) for n, a in strs.items()))


@pytest.mark.parametrize(
    ("op", "name", "args", "words"),
    [
        (":Conv:11", "T", "I0 I2", "T covers inputs 0 and 2 (X, B)"),
        (":Relu:14", "T", "I0 O0", "T covers input 0 (X) and output 0 (Y)"),
        (":Concat:13", "T", "I0 O0", "T covers input 0 (inputs…) and output 0 (concat_result)"),
        (":DequantizeLinear:13", "x_scale", "I1", "x_scale covers input 1 (x_scale)"),
        ("my.ops:BpeLike:1", "T", "I0 I1 I2 O0", "T covers inputs 0, 1 and 2 and output 0"),
        (":Relu:14", "T", "I7", "T covers input 7"),
        (":Relu:14", "U", "", "U covers nothing"),
        ("malformed", "T", "O0", "T covers output 0"),
    ],
)
def test_a_type_string_reads_in_words(op: str, name: str, args: str, words: str) -> None:
    model = ort(graph(CHAIN, inputs=["x"]), entries=[entry(op, **{name: args})])
    assert explain(model, operators())[0].words == (words,)


def test_an_entry_leads_to_its_nodes() -> None:
    model = ort(graph(CHAIN, inputs=["x"]))
    uses = {use.entry.op_id: use for use in explain(model, operators())}
    assert uses[":Relu:14"].nodes == (NodeRef("/", 3), NodeRef("/", 5))
    assert uses[":Relu:14"].note == ""
    assert summary(tuple(uses.values())) == "2 operators"


def test_an_entry_without_a_node_hints_at_saved_optimizations() -> None:
    g = graph(CHAIN, inputs=["x"])
    fused = "com.microsoft:FusedConv:1"
    entries = [entry(":Conv:11"), entry(":Relu:14"), entry(fused)]
    stripped = explain(ort(g, entries=entries), operators())
    assert "no longer holds" in stripped[2].note
    assert summary(stripped) == "3 operators, 1 of them without a node"
    saved = ort_graph(g, CHAIN, [record("ConvAct", [6, 5], [fused])])
    assert (
        "saved optimization makes one"
        in explain(ort(g, others=[saved], entries=entries), operators())[2].note
    )


def test_operators_without_an_entry_are_missing() -> None:
    g = graph(CHAIN, inputs=["x"])
    lacking = ort(g, entries=[entry(":Relu:14")])
    assert missing(lacking, by_operator(lacking.graphs)) == [Operator("", "Conv", 11)]
    assert missing(ort(g), by_operator([g])) == []


def test_entries_that_neither_nodes_nor_records_use_are_left_over() -> None:
    g = graph(CHAIN, inputs=["x"])
    entries = [entry(":Conv:11"), entry(":Relu:14"), entry(":Sin:7"), entry(":Cos:7")]
    saved = ort_graph(g, CHAIN, [record("ConvAct", [6, 5], [":Sin:7"])])
    model = ort(g, others=[saved], entries=entries)
    assert unused(model, by_operator(model.graphs)) == [":Cos:7"]


def test_nothing_is_missing_before_format_5() -> None:
    model = ort(graph(CHAIN, inputs=["x"]), version="4")
    assert missing(model, by_operator(model.graphs)) == []
    assert explain(model, operators()) == ()


def test_a_channels_last_operator_uses_the_plain_entry() -> None:
    node = Node("Conv", ["x", "x"], ["y"], domain="com.ms.internal.nhwc", since=11)
    model = ort(graph([node], inputs=["x"]), entries=[entry(":Conv:11")])
    assert missing(model, by_operator(model.graphs)) == []
    assert explain(model, operators())[0].nodes == (NodeRef("/", 0),)


@pytest.mark.parametrize(
    ("text", "operator"),
    [
        (":Conv:11", Operator("", "Conv", 11)),
        ("com.microsoft:FusedConv:1", Operator("com.microsoft", "FusedConv", 1)),
        ("Conv:11", None),
        ("a:b:c:1", None),
        ("::11", None),
        (":Conv:x", None),
        (":Conv:-1", None),
        ("", None),
    ],
)
def test_op_ids_are_parsed_strictly(text: str, operator: Operator | None) -> None:
    assert parse_op_id(text) == operator


@pytest.mark.parametrize("file", [file["file"] for file in corpus_files()])
def test_resolvers_written_by_the_runtime_are_complete_and_fully_named(file: str) -> None:
    model = corpus_model(file)
    assert model.ort is not None
    assert missing(model, by_operator(model.graphs)) == []
    uses = explain(model, operators())
    assert bool(uses) == (model.ort.format_version is not None and model.ort.format_version >= 5)
    assert all(" (" in words for use in uses for words in use.words)
