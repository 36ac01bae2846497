"""The types that a model's nodes ask of an operator, as far as a build can be told of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ortstudio.analysis.kernel_types import Tracked, cpp_type, tracked
from ortstudio.analysis.nodes import Operator
from ortstudio.format.arrays import Ints, Ragged, distinct
from ortstudio.model.graph import Graph
from ortstudio.model.types import ValueType

Slots = Mapping[int, frozenset[str]]
"""C++ types by the position of an input or output."""


@dataclass(frozen=True, slots=True)
class Types:
    """The types that an operator must take; a position that is not named takes all.

    `together` holds combinations, for operators whose kernels exist by combination.
    """

    inputs: Slots = field(default_factory=dict)
    outputs: Slots = field(default_factory=dict)
    together: frozenset[tuple[str, ...]] | None = None

    def __or__(self, other: Types) -> Types:
        """What either takes."""
        return Types(
            _union(self.inputs, other.inputs),
            _union(self.outputs, other.outputs),
            None
            if self.together is None or other.together is None
            else self.together | other.together,
        )


def _union(one: Slots, other: Slots) -> Slots:
    return {place: one[place] | other[place] for place in sorted(one.keys() & other.keys())}


def types_of(
    operator: Operator,
    rows: Iterable[int],
    graph: Graph,
    graphs: Sequence[Graph],
    *,
    instead: Mapping[int, int] | None = None,
) -> Types | None:
    """The types of some nodes of one operator in a graph, itself one of `graphs`.

    None where a build keeps all types of the operator, or where the file does not say one of them.
    `instead` has, by their ids, values for which others are looked at.
    """
    rule = tracked(operator.domain, operator.op_type)
    if rule is None:
        return None
    return _Reader(graph, graphs, instead or {}).types(rule, list(rows))


@dataclass(frozen=True, slots=True)
class _Reader:
    graph: Graph
    graphs: Sequence[Graph]
    instead: Mapping[int, int]

    def types(self, rule: Tracked, rows: Sequence[int]) -> Types | None:
        """What a rule asks for; None where one type is not said."""
        nodes = self.graph.nodes
        inputs = {place: self._column(nodes.inputs, rows, place) for place in rule.inputs}
        outputs = {place: self._column(nodes.outputs, rows, place) for place in rule.outputs}
        together = self._combinations(rows, rule.together)
        if None in inputs.values() or None in outputs.values() or together is None:
            return None
        return Types(_said(inputs), _said(outputs), together if rule.together else None)

    def _column(self, values: Ragged, rows: Sequence[int], place: int) -> frozenset[str] | None:
        """The types at one place. A node that has none there adds nothing."""
        at = values.ptr[:-1][rows] + place
        found: Ints = values.flat[at[at < values.ptr[1:][rows]]]
        kinds = {self._type(value) for value in distinct(found).tolist() if value >= 0}
        return None if None in kinds else frozenset(kind for kind in kinds if kind is not None)

    def _combinations(
        self, rows: Sequence[int], places: tuple[int, ...]
    ) -> frozenset[tuple[str, ...]] | None:
        found = set()
        for row in rows if places else ():
            ids = self.graph.nodes.inputs.row(row).tolist()
            if max(places) >= len(ids):
                return None
            kinds = [self._type(ids[place]) for place in places]
            named = tuple(kind for kind in kinds if kind is not None)
            if len(named) < len(kinds):
                return None
            found.add(named)
        return frozenset(found)

    def _type(self, value: int) -> str | None:
        value = self.instead.get(value, value)
        return cpp_type(self._value_type(value)) if value >= 0 else None

    def _value_type(self, value: int) -> ValueType | None:
        """As declared, or as the nearest graph around it declares the value of that name."""
        graph = self.graph
        found, name = graph.values.types[value], graph.values.names[value]
        while found is None and graph.parent is not None:
            graph = self.graphs[graph.parent.graph]
            outer = graph.values.ids.get(name)
            found = None if outer is None else graph.values.types[outer]
        return found


def _said(slots: Mapping[int, frozenset[str] | None]) -> Slots:
    return {place: kinds for place, kinds in slots.items() if kinds is not None}
