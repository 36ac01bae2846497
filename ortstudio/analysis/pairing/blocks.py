"""Cuts two graphs at their paired values: what hangs together between them is one block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ortstudio.analysis.pairing.sides import NONE, Match, Side


@dataclass(slots=True)
class Block:
    """Nodes of both sides by row, in the order of the files."""

    a: list[int] = field(default_factory=list)
    b: list[int] = field(default_factory=list)


def became_constants(match: Match) -> dict[int, int]:
    """Values that nodes of A make and that are constants of B, which then are computed no more."""
    a, b = match.a, match.b
    ids = b.graph.values.ids
    found: dict[int, int] = {}
    for value, name in enumerate(a.graph.values.names):
        if a.producers[value] >= 0 and a.tokens[value] == NONE:
            other = ids.get(name, NONE)
            if other in b.constants:
                found[value] = other
    for mine, other in enumerate(a.mates):
        if other >= 0 and mine not in match.aliases_a:
            for x, y in zip(a.inputs[mine], b.inputs[other], strict=False):
                if x >= 0 and a.tokens[x] == NONE and a.producers[x] >= 0 and y in b.constants:
                    found.setdefault(x, y)
    return found


def cut(match: Match, became: dict[int, int]) -> Iterator[Block]:
    """The blocks, in the order of their first nodes, those of A first."""
    a, b = match.a, match.b
    count = len(a.mates)
    parents = list(range(count + len(b.mates)))

    def root(node: int) -> int:
        while parents[node] != node:
            parents[node] = parents[parents[node]]
            node = parents[node]
        return node

    def join(one: int, other: int) -> None:
        one, other = root(one), root(other)
        if one != other:
            parents[max(one, other)] = min(one, other)

    for node, mate in enumerate(a.mates):
        if mate >= 0:
            join(node, count + mate)
    _join_inside(a, 0, join, became)
    _join_inside(b, count, join, {})
    for x, y in match.pairs:
        if a.producers[x] >= 0 and b.producers[y] >= 0:
            join(a.producers[x], count + b.producers[y])
    yield from _gathered([root(node) for node in range(len(parents))], count)


def _join_inside(
    side: Side, first: int, join: Callable[[int, int], None], cut_at: dict[int, int]
) -> None:
    """Join what makes a value that is not paired with all that reads it."""
    consumers = side.consumers
    for value, node in enumerate(side.producers):
        if node >= 0 and side.tokens[value] == NONE and value not in cut_at:
            for consumer in consumers[value]:
                join(first + node, first + consumer)


def _gathered(roots: list[int], count: int) -> Iterator[Block]:
    blocks: dict[int, Block] = {}
    for node, root in enumerate(roots):
        block = blocks.get(root)
        if block is None:
            block = blocks[root] = Block()
        if node < count:
            block.a.append(node)
        else:
            block.b.append(node - count)
    yield from blocks.values()
