"""What the graphs inside a node compute, as keys that are equal whatever the names are."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping

from ortstudio.analysis.pairing.sides import NONE, Side
from ortstudio.model.graph import Graph

Children = Mapping[tuple[int, int], Mapping[tuple[str, int], int]]
"""The graphs inside each node: graph and row → attribute and place in it → graph."""

Number = Callable[[Hashable], int]
"""Numbers for keys, the same for equal keys of either model."""


def inner_keys(
    sides: Mapping[int, Side], children: Children, number: Number
) -> dict[tuple[int, int], Hashable]:
    """A key for each node that has graphs inside, by the place of its graph and its row.

    `sides` are all nested graphs by their place; a graph stands before those inside it.
    """
    holders: dict[int, list[int]] = {}
    for owner, row in children:
        holders.setdefault(owner, []).append(row)
    found: dict[tuple[int, int], Hashable] = {}
    of_graph: dict[int, Hashable] = {}
    for index in sorted(holders.keys() | sides.keys(), reverse=True):
        own: dict[int, Hashable] = {}
        for row in holders.get(index, []):
            graphs = children[index, row].items()
            own[row] = found[index, row] = number(
                tuple((*name, of_graph.get(graph)) for name, graph in graphs)
            )
        if index in sides:
            of_graph[index] = number(_graph_key(sides[index], own, number))
    return found


def _graph_key(side: Side, inside: Mapping[int, Hashable], number: Number) -> Hashable:
    """All that the graph computes from its inputs, constants and what is around it."""
    values: list[Hashable] = ["outer"] * len(side.tokens)
    for place, value in enumerate(side.graph.inputs.tolist()):
        values[value] = place
    for value in side.constants:
        values[value] = side.content(value) or repr(side.declared(value))
    nodes = []
    for node in in_order(side.graph):
        read = tuple(values[value] if value >= 0 else None for value in side.inputs[node])
        key = number((side.whole[node], inside.get(node), read))
        nodes.append(key)
        for place, value in enumerate(side.outputs[node]):
            if value >= 0:
                values[value] = ("made", key, place)
    outputs = tuple(values[value] for value in side.graph.outputs.tolist())
    return outputs, tuple(sorted(nodes))


def in_order(graph: Graph) -> list[int]:
    """The nodes in an order that their edges allow; those of a cycle are left out."""
    producers = graph.producers.tolist()
    reads = [
        {producers[v] for v in (*inputs, *implicit) if v >= 0 and producers[v] != NONE}
        for inputs, implicit in zip(
            graph.nodes.inputs.lists(), graph.nodes.implicit_inputs.lists(), strict=True
        )
    ]
    waiting = [len(row) for row in reads]
    readers: list[list[int]] = [[] for _ in reads]
    for node, row in enumerate(reads):
        for maker in row:
            readers[maker].append(node)
    order = [node for node, count in enumerate(waiting) if not count]
    for node in order:
        for reader in readers[node]:
            waiting[reader] -= 1
            if not waiting[reader]:
                order.append(reader)
    return order
