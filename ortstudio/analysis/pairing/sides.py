"""One graph of either model while it is paired: its columns as lists, and what is known so far."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ortstudio.analysis.pairing.constants import constant_content
from ortstudio.analysis.pairing.contents import Content, Contents
from ortstudio.analysis.pairing.signatures import Signatures
from ortstudio.model.graph import AttributeValue, Graph, GraphRef
from ortstudio.model.tensor import SparseTensor, Tensor
from ortstudio.model.types import TensorType, ValueType

NONE = -1


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """A constant value: an initializer by its row, or what else holds it.

    `data_type` is 0 where only the elements would tell type and shape.
    """

    row: int
    held: AttributeValue | GraphRef | tuple[GraphRef, ...]
    data_type: int
    dims: tuple[int, ...]


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
    def constants(self) -> Mapping[int, Known]:
        """Initializers, sparse ones too, and what `Constant` nodes make, by value."""
        graph = self.graph
        ids, tensors = graph.values.ids, graph.initializers
        found = {}
        rows = zip(tensors.names, tensors.data_types.tolist(), tensors.dims.lists(), strict=True)
        for row, (name, data_type, dims) in enumerate(rows):
            if name in ids:
                found[ids[name]] = Known(row, None, data_type, tuple(dims))
        for sparse in graph.sparse_initializers:
            if sparse.values.name in ids:
                found[ids[sparse.values.name]] = _known(sparse)
        for node, op_type in enumerate(graph.nodes.op_types):
            if op_type == "Constant" and self.outputs[node]:
                held = next(iter(graph.nodes.attribute_values(node).values()), None)
                found.setdefault(self.outputs[node][0], _known(held))
        return found

    def content(self, constant: Known) -> Content | None:
        """What the constant is equal by; None where that cannot be had."""
        if self.contents is None:
            return None
        if constant.row >= 0:
            return self.contents.key(self.graph, constant.row)
        return constant_content(self.graph, constant.held, self.contents)

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


def _known(held: AttributeValue | GraphRef | tuple[GraphRef, ...]) -> Known:
    if isinstance(held, Tensor):
        return Known(NONE, held, held.data_type, held.dims)
    if isinstance(held, SparseTensor):
        return Known(NONE, held, held.values.data_type, held.dims)
    return Known(NONE, held, 0, ())


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
