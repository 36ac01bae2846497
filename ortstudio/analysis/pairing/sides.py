"""One graph of either model while it is paired: its columns as lists, and what is known so far."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.pairing.constants import constant_content
from ortstudio.analysis.pairing.contents import Content, Contents
from ortstudio.analysis.pairing.signatures import Signatures
from ortstudio.model.graph import AttributeValue, Graph, GraphRef
from ortstudio.model.tensor import SparseTensor, Tensor
from ortstudio.model.types import TensorType, ValueType

NONE = -1
Held = AttributeValue | GraphRef | tuple[GraphRef, ...]


@dataclass(eq=False)
class Side:
    """A graph and its state: `tokens` by value, `mates` by node, both -1 where not known yet.

    `inner` gives a key for what the graphs inside a node compute, None for nodes without any.

    Two values with the same token are the same value, or constants of the same content.
    """

    graph: Graph
    operators: list[int]
    whole: list[int]
    contents: Contents | None
    inner: Callable[[int], Hashable] = lambda _node: None
    inputs: list[list[int]] = field(init=False)
    outputs: list[list[int]] = field(init=False)
    implicit: list[list[int]] = field(init=False)
    tokens: list[int] = field(init=False)
    mates: list[int] = field(init=False)

    def __post_init__(self) -> None:
        nodes = self.graph.nodes
        self.inputs = [_trimmed(row) for row in nodes.inputs.lists()]
        self.outputs = [_trimmed(row) for row in nodes.outputs.lists()]
        self.implicit = nodes.implicit_inputs.lists()
        self.tokens = [NONE] * len(self.graph.values)
        self.mates = [NONE] * len(nodes)

    @cached_property
    def producers(self) -> list[int]:
        """The node that makes each value, -1 where none of this graph does."""
        made: list[int] = self.graph.producers.tolist()
        return made

    @cached_property
    def consumers(self) -> list[list[int]]:
        """The nodes that read each value, in themselves or in their subgraphs."""
        return self.graph.consumers.lists()

    @cached_property
    def graph_outputs(self) -> frozenset[int]:
        """The values that the graph gives."""
        return frozenset(self.graph.outputs.tolist())

    @cached_property
    def graph_inputs(self) -> frozenset[int]:
        """The values that the graph is given."""
        return frozenset(self.graph.inputs.tolist())

    @cached_property
    def constants(self) -> Mapping[int, int]:
        """The row of the initializer of each value that has one, -1 for those in `held`."""
        ids = self.graph.values.ids
        rows = {ids[n]: row for row, n in enumerate(self.graph.initializers.names) if n in ids}
        return {**dict.fromkeys(self.held, NONE), **rows}

    @cached_property
    def held(self) -> Mapping[int, Held]:
        """What `Constant` nodes and sparse initializers hold, by value."""
        graph = self.graph
        ids = graph.values.ids
        found: dict[int, Held] = {
            ids[sparse.values.name]: sparse
            for sparse in graph.sparse_initializers
            if sparse.values.name in ids
        }
        for node, op_type in enumerate(graph.nodes.op_types):
            if op_type == "Constant" and self.outputs[node]:
                values = graph.nodes.attribute_values(node).values()
                found[self.outputs[node][0]] = next(iter(values), None)
        return found

    @cached_property
    def _shapes(self) -> list[tuple[int, list[int]]]:
        tensors = self.graph.initializers
        return list(zip(tensors.data_types.tolist(), tensors.dims.lists(), strict=True))

    def declared(self, value: int) -> tuple[int, list[int]] | None:
        """Type and shape of a constant; None where only the elements would tell."""
        row = self.constants[value]
        if row >= 0:
            return self._shapes[row]
        held = self.held[value]
        if isinstance(held, SparseTensor):
            return held.values.data_type, list(held.dims)
        return (held.data_type, list(held.dims)) if isinstance(held, Tensor) else None

    def content(self, value: int) -> Content | None:
        """What a constant is equal by; None where that cannot be had."""
        if self.contents is None:
            return None
        row = self.constants[value]
        if row >= 0:
            return self.contents.key(self.graph, row)
        return constant_content(self.graph, self.held[value], self.contents)

    @cached_property
    def versions(self) -> list[int]:
        """The since-version of each node's operator."""
        found: list[int] = self.graph.nodes.since_versions.tolist()
        return found

    @cached_property
    def refs(self) -> list[NodeRef]:
        """What names each node everywhere."""
        path = self.graph.path
        return [NodeRef(path, index) for index in self.graph.nodes.indices.tolist()]

    def name(self, value: int) -> str:
        """A value's name."""
        return self.graph.values.names[value]

    def type(self, value: int) -> ValueType | None:
        """A value's type."""
        return self.graph.values.types[value]

    @staticmethod
    def of(
        graph: Graph,
        signatures: Signatures,
        contents: Contents | None,
        inner: Callable[[int], Hashable] = lambda _node: None,
    ) -> Side:
        """A graph of which nothing is known yet."""
        signature = signatures.of(graph)
        return Side(graph, signature.operators, signature.whole, contents, inner)


def _trimmed(row: list[int]) -> list[int]:
    """Without optional ones that are left out at the end."""
    while row and row[-1] < 0:
        row.pop()
    return row


_SIGNS = frozenset({2, 3})
"""uint8 and int8: conversion turns one into the other, and the value stays what it is."""


def fits(a: ValueType | None, b: ValueType | None) -> bool:
    """Whether two types may be those of one value: what only one says contradicts nothing."""
    if not isinstance(a, TensorType) or not isinstance(b, TensorType):
        return a is None or b is None or type(a) is type(b)
    if a.elem_type != b.elem_type and {a.elem_type, b.elem_type} != _SIGNS and a.elem_type:
        return False
    if a.dims is None or b.dims is None:
        return True
    return len(a.dims) == len(b.dims) and all(
        x == y or not isinstance(x, int) or not isinstance(y, int)
        for x, y in zip(a.dims, b.dims, strict=True)
    )


@dataclass(eq=False)
class Match:
    """The two sides and the pairs of values and nodes found so far, in the order they were found.

    `names_hold` says that values of the same name are the same where nothing contradicts it.
    `aliases_a` and `aliases_b` hold further nodes that compute what a node with a mate does.
    """

    a: Side
    b: Side
    next_token: int = 0
    pairs: list[tuple[int, int]] = field(default_factory=list)
    partner_of_a: dict[int, int] = field(default_factory=dict)
    partner_of_b: dict[int, int] = field(default_factory=dict)
    aliases_a: dict[int, int] = field(default_factory=dict)
    aliases_b: dict[int, int] = field(default_factory=dict)
    names_hold: bool = True

    def token(self) -> int:
        """A token that nothing has."""
        self.next_token += 1
        return self.next_token

    def pair(self, a: int, b: int, token: int = NONE) -> None:
        """Two values are one. Neither may be paired. `token` is that of an equal value."""
        token = self.token() if token == NONE else token
        self.a.tokens[a] = self.b.tokens[b] = token
        self.partner_of_a[a], self.partner_of_b[b] = b, a
        self.pairs.append((a, b))

    def alias(self, side: Side, node: int, first: int) -> None:
        """A node computes what another node of its side, which has a mate, computes as well."""
        mine = side is self.a
        (self.aliases_a if mine else self.aliases_b)[node] = first
        side.mates[node] = side.mates[first]
        partners = self.partner_of_a if mine else self.partner_of_b
        for value, known in zip(side.outputs[node], side.outputs[first], strict=False):
            if value >= 0 and known >= 0:
                partner = partners[known]
                side.tokens[value] = side.tokens[known]
                partners[value] = partner
                self.pairs.append((value, partner) if mine else (partner, value))

    def may_pair(self, a: int, b: int) -> bool:
        """Whether both are still free, or are each other's already."""
        if a < 0 or b < 0:
            return a == b
        mine, other = self.a.tokens[a], self.b.tokens[b]
        return mine == other

    def free(self, a: int, b: int) -> bool:
        """Whether neither has a partner."""
        return a >= 0 and b >= 0 and self.a.tokens[a] == NONE and self.b.tokens[b] == NONE

    def mate(self, a: int, b: int) -> None:
        """Two nodes are one."""
        self.a.mates[a], self.b.mates[b] = b, a
