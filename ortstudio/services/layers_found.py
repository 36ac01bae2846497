"""What a comparison by layers found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ortstudio.analysis.layers import Point
from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.pairing.rows import NodeRow
from ortstudio.model.graph import Graph
from ortstudio.services.agreement import OutputAgreement

Cause = Literal["node", "types", "small", "sum"]


@dataclass(frozen=True, slots=True)
class LayerValue:
    """One value of both, by its name in each, and the nodes that make it.

    `found` compares what each model computes from the inputs on. `own` compares what B's nodes make
    of A's values with A's; None where that was not asked, or could not be. For it `allowed` was
    added to the tolerance, for the types that they compute in. `drawn` values are random and not
    judged.
    """

    point: Point
    a: str
    b: str
    node_a: NodeRef
    node_b: NodeRef
    found: OutputAgreement
    own: OutputAgreement | None = None
    allowed: float = 0.0
    drawn: bool = False

    @property
    def differs(self) -> bool:
        """Whether it counts as a difference."""
        return not self.drawn and not self.found.agrees

    def to_json(self) -> dict[str, object]:
        """An entry of the answer's `values`."""
        own = None if self.own is None else _figures(self.own)
        nodes = {"node_a": _ref(self.node_a), "node_b": _ref(self.node_b)}
        names = {"a": self.a, "b": self.b}
        return names | nodes | _figures(self.found) | {"own": own, "drawn": self.drawn}


@dataclass(frozen=True, slots=True)
class FirstDifference:
    """Where the difference begins.

    `cause` is `node` where these nodes compute something else, `types` where the difference is no
    more than their narrow or quantized types explain, `small` where it is within the tolerance and
    grows from there, and `sum` where each node is right within the tolerance and only all of them
    together are not.
    """

    row: NodeRow
    value: LayerValue
    cause: Cause

    @property
    def figures(self) -> OutputAgreement:
        """How far apart the value is: by these nodes alone, or by all up to it."""
        own = self.value.own
        return self.value.found if self.cause == "sum" or own is None else own


@dataclass(frozen=True, slots=True)
class Layers:
    """All values that were compared, in the order of A, and where they begin to differ.

    `left_out` has the reason for each value that a run did not give.
    """

    values: tuple[LayerValue, ...]
    first: FirstDifference | None
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def agree(self) -> bool:
        """Whether all values agree that were compared."""
        return not any(value.differs for value in self.values)

    def to_json(self, a: Graph, b: Graph) -> dict[str, object]:
        """What the answer of the command line's contract says of layers."""
        return {
            "first_difference": None if self.first is None else _first(self.first, a, b),
            "values": [value.to_json() for value in self.values],
            "left_out": dict(self.left_out),
        }


def _first(found: FirstDifference, a: Graph, b: Graph) -> dict[str, object]:
    return {
        "a": nodes_json(found.row.a, a),
        "b": nodes_json(found.row.b, b),
        "value": found.value.a,
        "max_abs": found.figures.max_abs,
        "max_rel": found.figures.max_rel,
        "where": _where(found.figures),
        "cause": found.cause,
    }


def nodes_json(refs: Sequence[NodeRef], graph: Graph) -> list[dict[str, object]]:
    """Nodes of a main graph as answers name them; those of graphs inside are left to their node."""
    nodes = graph.nodes
    rows = [(ref, nodes.rows_by_index[ref.index]) for ref in refs if ref.graph == graph.path]
    return [_ref(ref) | {"name": nodes.names[row], "op": nodes.ops[row]} for ref, row in rows]


def _figures(found: OutputAgreement) -> dict[str, object]:
    figures = found.to_json()
    del figures["name"]
    return figures


def _where(found: OutputAgreement) -> list[int | str] | None:
    return None if found.where is None else list(found.where)


def _ref(ref: NodeRef) -> dict[str, object]:
    return {"graph": ref.graph, "index": ref.index}
