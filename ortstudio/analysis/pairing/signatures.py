"""What a node does, as numbers that are equal where two nodes do the same to equal inputs.

Attributes that are spelled out with their default value count as left out, constants by content.
Subgraphs are no part of it: they are compared on their own.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from ortstudio.analysis.pairing.contents import Contents
from ortstudio.analysis.pairing.defaults import Defaults
from ortstudio.model.graph import AttributeValue, Graph, GraphRef, onnx_domain
from ortstudio.model.tensor import SparseTensor, Tensor
from ortstudio.model.types import AttributeType

_INTEGERS = frozenset(map(int, (AttributeType.INT, AttributeType.INTS)))
_FLOATS = frozenset(map(int, (AttributeType.FLOAT, AttributeType.FLOATS)))


@dataclass(frozen=True, slots=True)
class Signature:
    """Columns along a graph's nodes: the operator, and the operator with its attributes."""

    operators: list[int]
    whole: list[int]


class Signatures:
    """Hands out the numbers, the same ones for both models."""

    def __init__(self, contents: Contents | None, defaults: Defaults) -> None:
        self._contents = contents
        self.defaults = defaults
        self._numbers: dict[Hashable, int] = {}
        self._default_numbers: dict[tuple[str, str, int], frozenset[int]] = {}

    def of(self, graph: Graph) -> Signature:
        """The signatures of all nodes of a graph."""
        nodes = graph.nodes
        attributes = self._attributes(graph)
        operators, whole = [], []
        kinds: dict[tuple[str, str, int], tuple[int, frozenset[int]]] = {}
        keys = zip(nodes.domains, nodes.op_types, nodes.since_versions.tolist(), strict=True)
        for key, mine in zip(keys, nodes.attribute_rows.lists(), strict=True):
            known = kinds.get(key)
            if known is None:
                name = ("operator", onnx_domain(key[0]), key[1])
                known = kinds[key] = self.number(name), self._usual(*key)
            operator, usual = known
            operators.append(operator)
            given = [a for row in mine if (a := attributes[row]) not in usual]
            whole.append(self.number((operator, *sorted(given))) if given else operator)
        return Signature(operators, whole)

    def number(self, key: Hashable) -> int:
        """A number for a key, the same for equal ones."""
        return self._numbers.setdefault(key, len(self._numbers))

    def _usual(self, domain: str, op_type: str, since: int) -> frozenset[int]:
        """The numbers of attributes that have their default value."""
        key = (domain, op_type, since)
        found = self._default_numbers.get(key)
        if found is None:
            defaults = self.defaults.of(domain, op_type, since)
            found = frozenset(
                self.number((name, value if isinstance(value, tuple) else (value,)))
                for name, value in defaults.items()
            )
            self._default_numbers[key] = found
        return found

    def _attributes(self, graph: Graph) -> list[int]:
        """A number for each attribute of the graph."""
        attributes = graph.nodes.attributes
        floats = [_equal(x) for x in attributes.floats_column.flat.tolist()]
        floats_at = attributes.floats_column.ptr
        integers, ints_at = attributes.ints_column.flat.tolist(), attributes.ints_column.ptr
        starts_f, starts_i = floats_at.tolist(), ints_at.tolist()
        kinds = attributes.types.tolist()
        numbers, found = self._numbers, []
        for row, (name, kind) in enumerate(zip(attributes.names, kinds, strict=True)):
            value: Hashable
            if kind in _INTEGERS:
                value = tuple(integers[starts_i[row] : starts_i[row + 1]])
            elif kind in _FLOATS:
                value = tuple(floats[starts_f[row] : starts_f[row + 1]])
            else:
                value = self.value_key(graph, attributes.others.get(row))
            key = (name, value)
            found.append(numbers.setdefault(key, len(numbers)))
        return found

    def value_key(
        self, graph: Graph, value: AttributeValue | GraphRef | tuple[GraphRef, ...]
    ) -> Hashable:
        """What an attribute's value is equal by."""
        if isinstance(value, tuple):
            return tuple(self.value_key(graph, one) for one in value)
        if isinstance(value, GraphRef):
            return ("graph",)
        if isinstance(value, SparseTensor):
            parts = (value.values, value.indices)
            return ("sparse", value.dims, *(self._tensor(graph, part) for part in parts))
        if isinstance(value, Tensor):
            return ("tensor", self._tensor(graph, value))
        return (value,)

    def _tensor(self, graph: Graph, tensor: Tensor) -> Hashable:
        content = self._contents.tensor_key(graph, tensor) if self._contents else None
        return content or (tensor.data_type, tensor.dims)


def _equal(number: float) -> float | str:
    """NaN equals NaN here."""
    return number if number == number else "nan"
