"""What happened, in one sentence, and where the result can run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ortstudio.analysis.pairing.initializers import NOT_KNOWN
from ortstudio.analysis.pairing.rows import Diff, NodeRow, RowKind
from ortstudio.analysis.pairing.verdict import CONSTANT_NODE
from ortstudio.analysis.portability import Verdict
from ortstudio.analysis.words import count, listed
from ortstudio.model.model import FileKind, Model

_RUNS = {
    "portable": "Portable",
    "onnxruntime-only": "Runs in ONNX Runtime only",
    "this-cpu-family": "Runs on this family of CPUs only",
}
_MOST_OPERATORS = 3


def overview(a: Model, b: Model, diff: Diff, verdict: Verdict) -> str:
    """Such as `148 nodes became 97: 31 fusions, 12 folded, 9 Casts added. Portable`, and a period.

    `verdict` is B's. Checkpoints and adapters have no nodes and run nowhere.
    """
    sentences = [_nodes(a, b, diff), *_weights(diff)]
    if b.kind in (FileKind.ONNX, FileKind.ORT):
        sentences.append(_RUNS[verdict])
    return " ".join(f"{sentence}." for sentence in sentences if sentence)


def _nodes(a: Model, b: Model, diff: Diff) -> str:
    before, after = (sum(len(graph.nodes) for graph in model.graphs) for model in (a, b))
    if not before and not after:
        kept = sum(row.kind == "kept" for row in diff.initializers)
        return f"{count(kept, 'initializer')} kept"
    parts = [text for text in _happened(diff, b) if text]
    text = count(before, "node")
    if not parts and before == after:
        return f"{text}, kept as it is" if before == 1 else f"{text}, all kept"
    text += f" became {after:,}" if before != after else " before and after"
    return f"{text}: {', '.join(parts)}" if parts else text


def _happened(diff: Diff, b: Model) -> Iterator[str]:
    rows: dict[RowKind, list[NodeRow]] = {}
    for row in diff.nodes:
        rows.setdefault(row.kind, []).append(row)
    folded = rows.get("folded", [])
    constants = sum(len(row.a) for row in folded if row.rewrite == CONSTANT_NODE)
    yield _some(len(rows.get("fused", [])), "fusion", "fusions")
    yield _some(sum(len(row.a) for row in folded) - constants, "folded")
    yield _some(constants, "Constant node held otherwise", "Constant nodes held otherwise")
    yield _some(len(rows.get("inlined", [])), "call inlined", "calls inlined")
    yield _some(len(rows.get("split", [])), "split")
    yield _some(len(rows.get("changed", [])), "changed")
    yield _some(sum(len(row.a) for row in rows.get("removed", [])), "removed")
    yield _added(rows.get("added", []), b)


def _some(number: int, one: str, more: str = "") -> str:
    """Nothing for none."""
    return f"{number:,} {one if number == 1 else more or one}" if number else ""


def _added(rows: list[NodeRow], b: Model) -> str:
    graphs = {graph.path: graph for graph in b.graphs}
    ops: Counter[str] = Counter()
    for row in rows:
        for ref in row.b:
            graph = graphs[ref.graph]
            ops[graph.nodes.op_types[graph.nodes.rows_by_index[ref.index]]] += 1
    if not ops:
        return ""
    if len(ops) > _MOST_OPERATORS:
        return f"{ops.total():,} added"
    return f"{listed([count(number, op) for op, number in ops.most_common()])} added"


def _weights(diff: Diff) -> Iterator[str]:
    """Of initializers, what a look at the nodes does not tell."""
    changed = sum(row.kind == "changed" for row in diff.initializers)
    dropped = sum(row.kind == "removed" for row in diff.initializers)
    unknown = sum(row.reason.startswith(NOT_KNOWN) for row in diff.initializers)
    if changed:
        yield f"{count(changed, 'initializer')} changed"
    if dropped:
        yield f"{count(dropped, 'initializer')} dropped"
    if unknown:
        yield f"{count(unknown, 'initializer')} could not be compared"
