"""Finds the nodes of one block that do the same work, by what only they have in common."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator

from ortstudio.analysis.pairing.absorb import Absorption
from ortstudio.analysis.pairing.families import GLUE, work
from ortstudio.analysis.pairing.groups import Group, Sorting, exactly
from ortstudio.analysis.pairing.inlining import Inlining
from ortstudio.analysis.pairing.recognize import Recognizer
from ortstudio.analysis.pairing.sides import Side


class Alignment:
    """Sorts the nodes of one block into groups: what became of what."""

    def __init__(self, sorting: Sorting, inlining: Inlining, recognizer: Recognizer) -> None:
        self._sorting = sorting
        self._inlining = inlining
        self._recognizer = recognizer

    def groups(self) -> list[Group]:
        """Every node of the block once, but for those that are folded."""
        sorting, match = self._sorting, self._sorting.match
        for node in sorting.block.a:
            if match.a.mates[node] >= 0 and node not in match.aliases_a:
                sorting.found(node, match.a.mates[node])
        self._add_aliases()
        if sorting.free_a and sorting.free_b:
            self._inline()
        for keys in (_by_output, _by_name, _by_constants, _by_inputs):
            self._unique(keys)
        self._in_order(exactly)
        self._in_order(_work)
        self._moved_glue(sorting.free_a & sorting.folding.nodes)
        sorting.free_a -= sorting.folding.nodes
        absorption = Absorption(sorting, self._recognizer)
        absorption.claim()
        self._moved_glue(sorting.free_a)
        absorption.settle()
        return sorting.groups()

    def _inline(self) -> None:
        for node, made in self._inlining.found(self._sorting.block):
            group = Group(is_inlined=True)
            self._sorting.join_a(node, group)
            for one in made:
                self._sorting.join_b(one, group)

    def _add_aliases(self) -> None:
        for node in self._sorting.block.a:
            first = self._sorting.match.aliases_a.get(node)
            if first is not None:
                self._sorting.join_a(node, self._sorting.of_a[first])
        for node in self._sorting.block.b:
            first = self._sorting.match.aliases_b.get(node)
            if first is not None:
                self._sorting.join_b(node, self._sorting.of_b[first])

    def _unique(self, keys: Callable[[Side, int], Iterable[Hashable]]) -> None:
        if not self._sorting.free_a or not self._sorting.free_b:
            return
        a = self._by_key(self._sorting.match.a, self._sorting.free_a, keys)
        b = self._by_key(self._sorting.match.b, self._sorting.free_b, keys)
        for key, mine in a.items():
            other = b.get(key, [])
            unique = len(mine) == len(other) == 1
            if unique and mine[0] in self._sorting.free_a and other[0] in self._sorting.free_b:
                self._sorting.found(mine[0], other[0])

    def _by_key(
        self, side: Side, nodes: set[int], keys: Callable[[Side, int], Iterable[Hashable]]
    ) -> dict[Hashable, list[int]]:
        found: dict[Hashable, list[int]] = {}
        for node in sorted(nodes):
            name = _work(side, node)
            for key in set(keys(side, node)):
                found.setdefault((name, key), []).append(node)
        return found

    def _in_order(self, kind: Callable[[Side, int], Hashable]) -> None:
        """Where both sides have as many left of a kind, pair them in order."""
        kinds_a: dict[Hashable, list[int]] = {}
        kinds_b: dict[Hashable, list[int]] = {}
        for side, nodes, kinds in (
            (self._sorting.match.a, self._sorting.free_a, kinds_a),
            (self._sorting.match.b, self._sorting.free_b, kinds_b),
        ):
            for node in sorted(nodes):
                if side.graph.nodes.op_types[node] not in GLUE:
                    kinds.setdefault(kind(side, node), []).append(node)
        for key, mine in kinds_a.items():
            other = kinds_b.get(key, [])
            if len(mine) == len(other):
                for one, two in zip(mine, other, strict=True):
                    self._sorting.found(one, two)

    def _moved_glue(self, nodes: set[int]) -> None:
        """The same glue left on both sides is the same node at another place."""
        a, b = self._sorting.match.a, self._sorting.match.b
        for with_constants in (True, False):
            left_a = self._glue(a, nodes & self._sorting.free_a, with_constants)
            left_b = self._glue(b, self._sorting.free_b, with_constants)
            for key, mine in left_a.items():
                others = left_b.get(key, [])
                if with_constants or len(mine) == len(others) == 1:
                    for one, other in zip(mine, others, strict=False):
                        self._sorting.found(one, other)

    def _glue(self, side: Side, nodes: set[int], with_constants: bool) -> dict[Hashable, list[int]]:
        found: dict[Hashable, list[int]] = {}
        for node in sorted(nodes):
            if side.graph.nodes.op_types[node] in GLUE:
                constants = [side.tokens[v] for v in side.inputs[node] if v in side.constants]
                key = (side.whole[node], *(constants if with_constants else ()))
                found.setdefault(key, []).append(node)
        return found


def _work(side: Side, node: int) -> str:
    return work(side.graph.nodes.op_types[node])


def _by_output(side: Side, node: int) -> Iterator[Hashable]:
    yield from (side.tokens[v] for v in side.outputs[node] if v >= 0 and side.tokens[v] > 0)


def _by_name(side: Side, node: int) -> Iterator[Hashable]:
    name = side.graph.nodes.names[node]
    if name and side.graph.nodes.op_types[node] not in GLUE:
        yield name


def _by_constants(side: Side, node: int) -> Iterator[Hashable]:
    for value in side.inputs[node]:
        if value in side.constants and side.tokens[value] > 0:
            yield side.tokens[value]


def _by_inputs(side: Side, node: int) -> Iterator[Hashable]:
    if side.graph.nodes.op_types[node] not in GLUE:
        yield from (side.tokens[v] for v in side.inputs[node] if v >= 0 and side.tokens[v] > 0)
