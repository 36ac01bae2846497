"""One finding about a model, and the words in which several of a kind become one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ortstudio.analysis.nodes import NodeRef, node_text
from ortstudio.analysis.words import listed
from ortstudio.model.graph import Graph

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class Finding:
    """`error`: damaged, or refused by the newest release known, 1.32. `code` is stable.

    `where` is the path of a graph, or a field of the file; `nodes` are those that it is about.
    """

    severity: Severity
    code: str
    message: str
    where: str = ""
    offset_bytes: int | None = None
    nodes: tuple[NodeRef, ...] = ()

    def to_json(self) -> dict[str, object]:
        """One entry of `findings` or `notes`."""
        return {
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
            "where": self.where,
            "offset_bytes": self.offset_bytes,
            "nodes": [{"graph": node.graph, "index": node.index} for node in self.nodes],
        }


def about_nodes(
    severity: Severity, code: str, graph: Graph, rows: Sequence[int], text: str
) -> Finding:
    """A finding about nodes of one graph: the first in full, the others by name."""
    first = int(rows[0])
    others = _others([node_text(graph, row) for row in rows[1:5]], rows)
    return Finding(
        severity,
        code,
        f"{node_text(graph, first)}: {text}{others}",
        graph.path,
        int(graph.nodes.offsets[first]),
        tuple(NodeRef(graph.path, int(graph.nodes.indices[row])) for row in rows),
    )


def about_values(
    severity: Severity, code: str, graph: Graph, names: Sequence[str], text: str
) -> Finding:
    """A finding about values of one graph."""
    others = _others([repr(name) for name in names[1:5]], names)
    return Finding(severity, code, f"Value {names[0]!r}: {text}{others}", graph.path)


def _others(texts: list[str], all_of_them: Sequence[object]) -> str:
    """`; the same with a, b and 7 more`; `texts` are the first few after the one told in full."""
    if len(all_of_them) < 2:
        return ""
    rest = len(all_of_them) - 1 - len(texts)
    return "; the same with " + listed(texts + [f"{rest:,} more"] * bool(rest), at_most=5)
