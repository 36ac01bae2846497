"""From one side of a comparison to the other, and what became of each node."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.pairing.rows import KINDS, Named, NamedRow, NodeRow
from ortstudio.format.arrays import Ints
from ortstudio.model.refs import Ref, RefKind
from ortstudio.services.counterparts import counterpart as same_name
from ortstudio.services.diff import Comparison
from ortstudio.services.document import Document


class Crossing:
    """Looks things up in a comparison by where they stand; sides are 0 for A and 1 for B."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self._documents = (comparison.a, comparison.b)
        self._kinds: dict[tuple[int, int], Ints] = {}
        self._partners: dict[tuple[int, int], dict[int, Ref]] = {}

    def prepare(self) -> None:
        """Look up now what takes long for a large graph: all of the main graphs."""
        for side in (0, 1):
            self.kinds(side, 0)
            self.partners(side, 0)
        _ = self._value_rows, self._initializer_rows

    def document(self, side: int) -> Document:
        """The document of a side."""
        return self._documents[side]

    def row_of(self, side: int, ref: Ref) -> NodeRow | None:
        """The row that a node stands in."""
        if ref.kind is not RefKind.NODE:
            return None
        graph = self._documents[side].graphs[ref.graph]
        place = self._node_rows[side].get(NodeRef(graph.path, int(graph.nodes.indices[ref.row])))
        return None if place is None else self.comparison.diff.nodes[place]

    def nodes_of(self, side: int, row: NodeRow) -> list[Ref]:
        """The nodes of a row on one side."""
        found = (self._documents[side].find_node(node) for node in _side(row, side))
        return [ref for ref in found if ref is not None]

    def counterpart(self, side: int, ref: Ref) -> Ref | None:
        """What a thing of one side became, or came from; by name where no row says."""
        ours, theirs = self._documents[side], self._documents[1 - side]
        if ref.kind is RefKind.NODE:
            row = self.row_of(side, ref)
            others = [] if row is None else self.nodes_of(1 - side, row)
            # The last of several sources is the one whose output lives on.
            return others[-1] if others else None
        if ref.kind in (RefKind.VALUE, RefKind.INITIALIZER):
            found = self._named(side, ref)
            if found is not None:
                return found
        return same_name(ours, ref, theirs)

    def _named(self, side: int, ref: Ref) -> Ref | None:
        graph = self._documents[side].graphs[ref.graph]
        theirs = self._documents[1 - side]
        is_value = ref.kind is RefKind.VALUE
        names = graph.values.names if is_value else graph.initializers.names
        rows = self._value_rows[side] if is_value else self._initializer_rows[side]
        row = rows.get(Named(graph.path, names[ref.row]))
        other = None if row is None else (row.b if side == 0 else row.a)
        number = None if other is None else theirs.graph_numbers.get(other.graph)
        if other is None or number is None:
            return None
        target = theirs.graphs[number]
        known = target.values.ids if is_value else target.initializers.rows
        place = known.get(other.name)
        return None if place is None else Ref(ref.kind, number, place)

    def kinds(self, side: int, graph: int) -> Ints:
        """For each node of a graph the place of its row's kind in `KINDS`, -1 for none."""
        if (side, graph) not in self._kinds:
            self._kinds[side, graph] = self._kinds_of(side, graph)
        return self._kinds[side, graph]

    def _kinds_of(self, side: int, graph: int) -> Ints:
        found = self._documents[side].graphs[graph]
        rows, places = self.comparison.diff.nodes, self._node_rows[side]
        kinds = np.full(len(found.nodes), -1, np.int64)
        for row, index in enumerate(found.nodes.indices.tolist()):
            place = places.get(NodeRef(found.path, index))
            if place is not None:
                kinds[row] = KINDS.index(rows[place].kind)
        return kinds

    def partners(self, side: int, graph: int) -> dict[int, Ref]:
        """For each row of a graph that has one the node of the other side."""
        if (side, graph) not in self._partners:
            count = len(self._documents[side].graphs[graph].nodes)
            refs = (Ref(RefKind.NODE, graph, row) for row in range(count))
            found = {ref.row: self.counterpart(side, ref) for ref in refs}
            self._partners[side, graph] = {
                row: ref for row, ref in found.items() if ref is not None
            }
        return self._partners[side, graph]

    @cached_property
    def _node_rows(self) -> tuple[dict[NodeRef, int], dict[NodeRef, int]]:
        rows = self.comparison.diff.nodes
        first = {node: place for place, row in enumerate(rows) for node in row.a}
        return first, {node: place for place, row in enumerate(rows) for node in row.b}

    @cached_property
    def _value_rows(self) -> tuple[dict[Named, NamedRow], dict[Named, NamedRow]]:
        return _by_name(self.comparison.diff.values)

    @cached_property
    def _initializer_rows(self) -> tuple[dict[Named, NamedRow], dict[Named, NamedRow]]:
        return _by_name(self.comparison.diff.initializers)


def _side(row: NodeRow, side: int) -> tuple[NodeRef, ...]:
    return row.b if side else row.a


def _by_name(
    rows: tuple[NamedRow, ...],
) -> tuple[dict[Named, NamedRow], dict[Named, NamedRow]]:
    first = {row.a: row for row in rows if row.a is not None}
    return first, {row.b: row for row in rows if row.b is not None}
