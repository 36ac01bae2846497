"""Why a constant is no longer there, or was not there before: what its users and makers say."""

from __future__ import annotations

from collections.abc import Sequence

from ortstudio.analysis.nodes import NodeRef, node_text
from ortstudio.analysis.pairing.constants import Constant
from ortstudio.analysis.pairing.rows import NamedRow, RowKind
from ortstudio.analysis.pairing.uses import Uses
from ortstudio.analysis.words import size_text
from ortstudio.model.graph import Graph

UNUSED = "No node used it"
"""How the reason begins for what nothing needed."""

_TAKEN: tuple[tuple[RowKind, RowKind, str], ...] = (
    ("folded", "folded", "Constant folding took it up with {a}"),
    ("fused", "fused", "Taken up when {a} became {b}"),
    ("split", "removed", "Taken up when {a} became {b}"),
    ("inlined", "removed", "{a} was inlined and does not need it"),
    ("changed", "removed", "{a} no longer uses it"),
    ("removed", "removed", "Gone with {a}"),
)
"""By the kind of a user's row: what kind that makes the constant, and why it is gone."""

_GIVEN: tuple[tuple[RowKind, RowKind, str], ...] = (
    ("fused", "fused", "Made when {a} became {b}"),
    ("added", "added", "For {b}, which was added"),
    ("split", "added", "Made when {a} became {b}"),
    ("inlined", "inlined", "From the body of {a}, which was inlined"),
    ("changed", "added", "{b} uses it now"),
)


def gone(constant: Constant, a: Uses, b: Uses) -> NamedRow:
    """The row of a constant of A that nothing in B answers to."""
    size = size_text(constant.size_bytes)
    users = a.places(constant)
    kind: RowKind = "removed"
    if len(constant.graph.nodes) and not a.uses(constant) and not _is_output(constant):
        reason = f"{UNUSED}: dropped, {size} less"
    else:
        kind, text = _told([number for number, _ in users], a, b, _TAKEN)
        reason = f"{text or 'It is not in the result'} ({size})"
    return NamedRow(kind, constant.named, None, reason)


def came(constant: Constant, a: Uses, b: Uses) -> NamedRow:
    """The row of a constant of B that nothing in A answers to."""
    size = size_text(constant.size_bytes)
    maker = _maker(constant, a, b)
    kind: RowKind
    if maker:
        kind, text = "folded", f"Computed ahead from {maker}"
    else:
        kind, text = _told([number for number, _ in b.places(constant)], a, b, _GIVEN, "added")
    return NamedRow(kind, None, constant.named, f"{text or 'New'}: {size} that the source had not")


def _is_output(constant: Constant) -> bool:
    graph = constant.graph
    return graph.values.ids.get(constant.name, -1) in graph.outputs


def _told(
    numbers: Sequence[int],
    a: Uses,
    b: Uses,
    table: tuple[tuple[RowKind, RowKind, str], ...],
    otherwise: RowKind = "removed",
) -> tuple[RowKind, str]:
    """What the rows of the users say, the first kind of the table that one of them has."""
    rows = [a.rows[number] for number in dict.fromkeys(numbers)]
    for of_row, kind, text in table:
        for row in rows:
            if row.kind == of_row:
                words = {"a": a.words(row.a), "b": b.words(row.b)}
                return kind, text.format(**words)
    return otherwise, ""


def _maker(constant: Constant, a: Uses, b: Uses) -> str:
    """The node of A that computed what is a constant in B; empty where none did."""
    graph = a.graphs.get(constant.graph.path)
    if graph is not None:
        row = _producer(graph, graph.values.ids.get(constant.name, -1))
        if row >= 0:
            return node_text(graph, row)
    for number, use in b.places(constant):
        for ref in a.rows[number].a:
            found = _folded_input(a, ref, use.position)
            if found:
                return found
    return ""


def _folded_input(a: Uses, ref: NodeRef, position: int) -> str:
    """The node that made this input of a node of A, if constant folding took it."""
    graph, row = a.locate(ref)
    inputs = graph.nodes.inputs.row(row).tolist()
    made = _producer(graph, inputs[position]) if 0 <= position < len(inputs) else -1
    if made < 0:
        return ""
    of_maker = a.row_of(NodeRef(ref.graph, int(graph.nodes.indices[made])))
    return node_text(graph, made) if of_maker and of_maker.kind == "folded" else ""


def _producer(graph: Graph, value: int) -> int:
    return int(graph.producers[value]) if value >= 0 else -1
