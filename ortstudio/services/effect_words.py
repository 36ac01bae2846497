"""What a conversion does to a model, in sentences, from what it is compared with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from ortstudio.analysis.nchwc import NCHWC_DOMAIN
from ortstudio.analysis.pairing.rows import NodeRow, RowKind
from ortstudio.analysis.pairing.verdict import CONSTANT_NODE
from ortstudio.analysis.quantized_nodes import quantized_types
from ortstudio.analysis.resolver import parse_op_id
from ortstudio.analysis.runtime_optimizations import SavedOptimization
from ortstudio.analysis.words import count, listed
from ortstudio.services.diff import Comparison
from ortstudio.services.diff_groups import MOST_OPERATORS, Group, Nodes, grouped, operators
from ortstudio.services.document import Document

SHOWN = 3
"""Changes that are told one by one."""

_RUNS = {
    "portable": "Standard operators only, which other runtimes have too",
    "onnxruntime-only": "Only ONNX Runtime can run it",
    "this-cpu-family": "It loads only on x64 processors of the kind that made it",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened, and to how many nodes: `Conv + Relu → FusedConv`, 9 times."""

    kind: RowKind
    text: str
    times: int


def steps(found: Comparison) -> list[Step]:
    """What became of nodes otherwise than before, alike things together."""
    a, b = Nodes(found.a.model), Nodes(found.b.model)
    rows = [row for row in found.diff.nodes if row.kind != "kept"]
    constants = [row for row in rows if row.rewrite == CONSTANT_NODE]
    rows = [row for row in rows if row.rewrite != CONSTANT_NODE]
    changed = [row for row in rows if _keeps_operators(row, a, b)]
    single = [row for row in rows if row.kind in _SINGLE and not _keeps_operators(row, a, b)]
    told = [_step(group, a, b) for group in grouped(single, lambda row: _key(row, a, b))]
    for kind in _ALL_AT_ONCE:
        side = [(row.b, b) if kind == "added" else (row.a, a) for row in rows if row.kind == kind]
        told += _together(kind, Counter(nodes.op(ref) for refs, nodes in side for ref in refs))
    told += _together("changed", Counter(a.op(ref) for row in changed for ref in row.a))
    if constants:
        number = sum(len(row.a) for row in constants)
        text = f"{count(number, 'Constant node')} {_verb(number, 'becomes', 'become')} "
        told.append(Step("folded", text + _verb(number, "an initializer", "initializers"), 1))
    return told


_SINGLE: tuple[RowKind, ...] = ("fused", "split", "changed")
_ALL_AT_ONCE: tuple[RowKind, ...] = ("folded", "inlined", "added", "removed")
_TOGETHER: dict[RowKind, str] = {
    "folded": "computed beforehand",
    "inlined": "inlined",
    "added": "added",
    "removed": "left out",
    "changed": "changed",
}
"""Kinds of which all nodes are told at once, and what was done with them."""


def _keeps_operators(row: NodeRow, a: Nodes, b: Nodes) -> bool:
    return row.kind == "changed" and [*map(a.op, row.a)] == [*map(b.op, row.b)]


def _key(row: NodeRow, a: Nodes, b: Nodes) -> Hashable:
    return tuple(sorted(map(a.op, row.a))), tuple(sorted(map(b.op, row.b)))


def _step(group: Group[NodeRow], a: Nodes, b: Nodes) -> Step:
    row, times = group.first, len(group.rows)
    before, after = (_operators(Counter(map(n.op, refs))) for n, refs in ((a, row.a), (b, row.b)))
    if before == after and [*map(a.op, row.a)] != [*map(b.op, row.b)]:
        after = operators(row.b, b)
    one = len(row.a) == 1 and times == 1
    return Step(row.kind, f"{before} {_verb(one, 'becomes', 'become')} {after}", times)


def _verb(number: int, one: str, more: str) -> str:
    return one if number == 1 else more


def _together(kind: RowKind, ops: Counter[str]) -> Iterator[Step]:
    if ops:
        text = f"{_operators(ops)} {_verb(ops.total(), 'is', 'are')} {_TOGETHER[kind]}"
        yield Step(kind, text, 1)


def _operators(ops: Counter[str]) -> str:
    """`2 DequantizeLinear, Conv and QuantizeLinear`."""
    texts = [_short(op) if n == 1 else f"{n:,} {_short(op)}" for op, n in ops.items()]
    return listed(texts, MOST_OPERATORS)


def _short(op: str) -> str:
    """`FusedConv`, `blocked Conv`: what an operator is called where its domain is told below."""
    domain, _, name = op.rpartition(".")
    return {"com.microsoft": name, NCHWC_DOMAIN: f"blocked {name}"}.get(domain, op)


def changes_text(found: Sequence[Step]) -> str:
    """The first few steps, and how many more there are; empty for none."""
    texts = [
        step.text if step.times == 1 else f"{step.times:,} × {step.text}" for step in found[:SHOWN]
    ]
    if len(found) > SHOWN:
        texts.append(count(len(found) - SHOWN, "other change"))
    return "; ".join(texts)


def nodes_text(before: Document, after: Document) -> str:
    """`14 nodes fewer`; empty where there are as many."""
    more = after.totals.nodes - before.totals.nodes
    if not more:
        return ""
    return f"{count(abs(more), 'node')} {'more' if more > 0 else 'fewer'}"


def initializers_text(found: Comparison) -> str:
    """`5 initializers fewer`; empty where the two have the same."""
    if "initializers" not in found.differs_in:
        return ""
    more = found.b.totals.initializers - found.a.totals.initializers
    if not more:
        return "other initializers"
    return f"{count(abs(more), 'initializer')} {'more' if more > 0 else 'fewer'}"


def runs_text(document: Document) -> str:
    """Where it runs, as a sentence without its period."""
    return _RUNS[document.portability.verdict]


def types_text(before: Document, after: Document) -> str:
    """What became of the type of quantized activations; empty where it is the same."""
    old, new = quantized_types(before.model), quantized_types(after.model)
    gone, come = sorted(old - new), sorted(new - old)
    if not gone or not come:
        return ""
    return f"{listed(gone)} activations become {listed(come)}"


def saved_text(saved: Sequence[SavedOptimization]) -> str:
    """The optimizations that are saved beside the nodes, and which of them cannot be replayed."""
    if not saved:
        return "no optimization is saved beside the nodes"
    made = Counter(
        operator.text
        for one in saved
        for operator in map(parse_op_id, one.record.produced_op_ids)
        if operator is not None
    )
    text = f"{count(len(saved), 'optimization')} {_verb(len(saved), 'is', 'are')} saved beside them"
    if made:
        text += f" ({_operators(made)})"
    bad = [one for one in saved if one.replays == "no"]
    if bad:
        actions = listed(sorted({one.record.action for one in bad}))
        text += f", of which {len(bad)} cannot be replayed ({actions})"
    if any(problem.stops_load for one in bad for problem in one.problems):
        text += ": where replay is enabled, and up to 1.29, the file does not load"
    return text
