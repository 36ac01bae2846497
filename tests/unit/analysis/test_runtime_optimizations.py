from __future__ import annotations

from collections.abc import Sequence

import pytest

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.runtime_optimizations import SavedOptimization, explain, summary
from ortstudio.model.model import NO_NODE, Model, OptimizationRecord, ResolverEntry
from ortstudio.model.types import DataType
from tests.builders.corpus import CorpusFile, corpus_files, corpus_model
from tests.builders.models import Node, graph, ort, ort_graph, record, resolver, tensor

QDQ = [
    Node("DequantizeLinear", ["x"], ["a"], since=13),
    Node("DequantizeLinear", ["w"], ["b"], since=13),
    Node("Conv", ["a", "b"], ["c"], name="conv", since=11),
    Node("QuantizeLinear", ["c"], ["d"], since=13),
    Node("DequantizeLinear", ["d"], ["e"], since=13),
    Node("MatMul", ["e", "e"], ["f"], since=13),
    Node("Relu", ["f"], ["y"], since=14),
]
CONV = record("Conv", [0, 1, NO_NODE, 2, 3], [":QLinearConv:10"], inputs=3)
MATMUL = record("MatMul", [4, 5, 6])


def model(
    records: Sequence[OptimizationRecord],
    version: str = "6",
    nodes: Sequence[Node] = QDQ,
    entries: Sequence[ResolverEntry] | None = None,
) -> Model:
    """A model with records, and a resolver that covers what they make unless given."""
    g = graph(nodes, inputs=["x", "w"], outputs=["y"])
    if entries is None:
        made = [ResolverEntry(op, ()) for row in records for op in row.produced_op_ids]
        entries = (*resolver(g), *made)
    others = [ort_graph(g, nodes, records)]
    return ort(g, others=others, version=version, entries=entries if int(version) > 4 else None)


def one(made: OptimizationRecord, **options: object) -> SavedOptimization:
    return explain(model([made], **options))[0]  # type: ignore[arg-type]


def codes(saved: SavedOptimization) -> list[str]:
    return [problem.code for problem in saved.problems]


def test_a_sound_record_replays_when_enabled_and_says_since_when() -> None:
    saved = one(CONV)
    assert saved.replays == "when enabled"
    assert "up to 1.29" in saved.why
    assert "session.enable_saved_runtime_optimizations" in saved.why


def test_roles_stand_on_their_sides_and_an_absent_node_is_none() -> None:
    saved = one(CONV)
    assert [(role.side, role.node, role.op) for role in saved.roles] == [
        ("input", NodeRef("/", 0), "DequantizeLinear"),
        ("input", NodeRef("/", 1), "DequantizeLinear"),
        ("input", None, ""),
        ("target", NodeRef("/", 2), "Conv"),
        ("output", NodeRef("/", 3), "QuantizeLinear"),
    ]


def test_variadic_sides_hold_several_nodes() -> None:
    concat = record("*DQ", [0, 1, 4, 2, 3], ["com.microsoft:QLinearConcat:1"], variadic_inputs=3)
    assert [role.side for role in one(concat).roles] == ["input"] * 3 + ["target", "output"]
    assert one(concat).problems == ()
    split = record("dropSplitQDQ", [0, 2, 3, 6], variadic_outputs=2)
    assert [role.side for role in one(split).roles] == ["input", "target", "output", "output"]
    assert codes(one(split)) == ["no-produced-operator"]


@pytest.mark.parametrize(
    ("made", "named", "became"),
    [
        (CONV, "2 DequantizeLinear, Conv and QuantizeLinear become", "QLinearConv"),
        (record("1DQ", [0, 2, 3], hashes=1), "and QuantizeLinear become", "microsoft.QLinearConv"),
        (MATMUL, "DequantizeLinear, MatMul and Relu become QLinearMatMul or", "ToFloat"),
        (record("NewRule", [0, 2, 3]), "and QuantizeLinear become", "other nodes"),
        (record("drop", [0, 2, 3]), "Conv works on quantized data;", "QuantizeLinear go"),
        (record("dropDQ", [0, 2], outputs=0), "Conv works on", "; DequantizeLinear goes"),
    ],
)
def test_a_record_says_which_nodes_become_what(
    made: OptimizationRecord, named: str, became: str
) -> None:
    text = one(made).text
    assert named in text
    assert text.endswith(became)


@pytest.mark.parametrize("action", ["MatMul", "dropSplitQDQ"])
def test_actions_whose_product_is_never_recorded_always_fail(action: str) -> None:
    saved = one(record(action, [0, 2, 3]))
    assert saved.replays == "no"
    assert codes(saved) == ["no-produced-operator"]
    assert "by default not at all in releases up to 1.29" in saved.why


@pytest.mark.parametrize(
    ("made", "code", "stops_load"),
    [
        (record("Conv", [0, 2, 3]), "no-produced-operator", True),
        (record("Conv", [0, 2, 3], ["QLinearConv"]), "malformed-op-id", True),
        (record("NewRule", [0, 2, 3], [":QLinearConv:10"]), "unknown-action", True),
        (record("Any", [0, 2, 3], optimizer="Other"), "unknown-optimizer", False),
        (record("drop", [0, 2, 99]), "node-not-in-graph", True),
        (record("drop", [0, NO_NODE, 3]), "no-target", True),
        (record("drop", [0, 2]), "counts-do-not-add-up", True),
    ],
)
def test_a_record_that_cannot_be_replayed_says_why(
    made: OptimizationRecord, code: str, stops_load: bool
) -> None:
    saved = one(made)
    assert saved.replays == "no"
    assert codes(saved)[0] == code
    assert saved.problems[0].stops_load == stops_load


def test_a_node_missing_from_a_gap_only_skips_the_record() -> None:
    gap = [*QDQ[:3], Node("QuantizeLinear", ["c"], ["y"], since=13, index=9)]
    saved = one(record("drop", [0, 2, 5]), nodes=gap)
    assert codes(saved) == ["node-not-in-graph"]
    assert not saved.problems[0].stops_load


def test_an_operator_to_be_made_must_stand_in_the_resolver() -> None:
    saved = explain(model([CONV], entries=resolver(graph(QDQ))))[0]
    assert codes(saved) == ["produced-operator-unresolved"]
    assert ":QLinearConv:10" in saved.why


def test_records_of_format_4_are_never_replayed_again() -> None:
    saved = one(record("Conv", [0, 1, NO_NODE, 2, 3], inputs=3, hashes=1), version="4")
    assert saved.replays == "no"
    assert codes(saved) == ["older-than-format-5"]


def test_of_two_records_with_a_node_in_common_the_first_wins() -> None:
    first, second = explain(model([record("drop", [0, 2, 3]), record("drop", [4, 5, 3])]))
    assert first.replays == "when enabled"
    assert codes(second) == ["node-used-twice"]


def test_quantization_is_replayed_before_activations_are_fused() -> None:
    fuse = record(
        "ConvAct", [2, 3], ["com.microsoft:FusedConv:1"], optimizer="ConvActivationFusion", inputs=0
    )
    fused, quantized = explain(model([fuse, CONV]))
    assert codes(fused) == ["node-used-twice"]
    assert quantized.replays == "when enabled"


def test_a_record_that_cannot_be_replayed_leaves_its_nodes_to_others() -> None:
    broken, sound = explain(model([record("drop", [0, 2, 99]), record("drop", [0, 2, 3])]))
    assert broken.replays == "no"
    assert sound.replays == "when enabled"


def test_nothing_is_replayed_in_a_model_whose_weights_are_refused() -> None:
    g = graph(QDQ, inputs=["x"], initializers=[tensor("w", (4,), DataType.INT4)])
    nbits = record("DQMatMulToMatMulNBits", [0, 5], ["com.microsoft:MatMulNBits:1"], outputs=0)
    entries = (*resolver(g), ResolverEntry("com.microsoft:MatMulNBits:1", ()))
    saved = explain(ort(g, others=[ort_graph(g, QDQ, [nbits])], entries=entries))[0]
    assert codes(saved) == ["model-refused"]


def test_a_sound_record_warns_of_one_that_stops_the_load() -> None:
    sound, _ = explain(model([CONV, MATMUL]))
    assert "MatMul record stops the load" in sound.why


def test_the_summary_counts() -> None:
    assert summary(explain(model([CONV]))) == (
        "1 saved optimization, not applied unless replay is enabled"
    )
    assert summary(explain(model([CONV, MATMUL]))) == (
        "2 saved optimizations, not applied unless replay is enabled; 1 cannot be replayed"
    )
    assert summary(explain(model([MATMUL]))) == "1 saved optimization, which cannot be replayed"


@pytest.mark.parametrize(
    "file", [f for f in corpus_files() if f["runtime_optimizations"]], ids=lambda f: f["file"]
)
def test_the_records_of_the_corpus(file: CorpusFile) -> None:
    saved = explain(corpus_model(file["file"]))
    actions: dict[str, list[str]] = {}
    for one_ in saved:
        actions.setdefault(one_.record.optimizer, []).append(one_.record.action)
    assert actions == file["runtime_optimizations"]
    for one_ in saved:
        fails = int(file["format_version"]) < 5 or one_.record.action == "MatMul"
        assert one_.replays == ("no" if fails else "when enabled")
        assert [role.side for role in one_.roles].count("target") == 1
