"""Nodes that compute constants: the runtime computes them once and keeps the result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ortstudio.analysis.pairing.blocks import became_constants
from ortstudio.analysis.pairing.families import QUANTIZERS, RANDOM, words
from ortstudio.analysis.pairing.sides import Match
from ortstudio.model.types import TensorType

_NEVER = RANDOM | QUANTIZERS | words("If Loop Scan")


class Folding:
    """What was folded: `nodes` of A, and which value became which constant of B.

    Of the nodes, `sure` are those whose constant B has; the others are folded if B has no node for
    them.
    """

    def __init__(self, match: Match) -> None:
        self._side = match.a
        self.became = became_constants(match)
        self.nodes: set[int] = set()
        types, mates, producers = match.a.graph.nodes.op_types, match.a.mates, match.a.producers
        computable = _computable(match)
        makers = [producers[value] for value in self.became]
        self._spread(n for n in makers if n in computable or not self._is_copied_shape(n))
        self.sure = frozenset(self.nodes)
        self.became = {x: y for x, y in self.became.items() if producers[x] in self.sure}
        self.nodes |= {n for n in computable if mates[n] < 0}
        self.nodes |= {n for n, op in enumerate(types) if op == "Constant" and mates[n] < 0}

    def chains(self) -> Iterator[list[int]]:
        """The nodes, those together that feed each other: each chain is folded as a whole.

        A Constant node stands alone, since it computes nothing.
        """
        side, waiting = self._side, set(self.nodes)
        for node in sorted(self.nodes):
            if node not in waiting:
                continue
            waiting.discard(node)
            chain, stack = [node], [] if side.graph.nodes.op_types[node] == "Constant" else [node]
            while stack:
                near = waiting.intersection(self._neighbours(stack.pop()))
                waiting -= near
                chain += near
                stack += near
            yield sorted(chain)

    def _neighbours(self, node: int) -> Iterator[int]:
        side = self._side
        for value in side.inputs[node]:
            maker = side.producers[value] if value >= 0 else -1
            if maker >= 0 and side.graph.nodes.op_types[maker] != "Constant":
                yield maker
        for value in side.outputs[node]:
            if value >= 0:
                yield from side.consumers[value]

    def _spread(self, start: Iterable[int]) -> None:
        """From nodes that are folded to those that only they read."""
        side = self._side
        stack = [node for node in start if side.mates[node] < 0]
        self.nodes.update(stack)
        while stack:
            node = stack.pop()
            for value in side.inputs[node]:
                maker = side.producers[value] if value >= 0 else -1
                if maker >= 0 and maker not in self.nodes and self._only_folded_read(maker):
                    self.nodes.add(maker)
                    stack.append(maker)

    def _is_copied_shape(self, node: int) -> bool:
        """Whether only a Reshape reads it, whose shape can say "as it was" instead."""
        side = self._side
        return all(
            side.graph.nodes.op_types[reader] == "Reshape"
            for value in side.outputs[node]
            for reader in side.consumers[value]
        )

    def _only_folded_read(self, node: int) -> bool:
        side = self._side
        return side.mates[node] < 0 and all(
            value not in side.graph_outputs
            and all(reader in self.nodes for reader in side.consumers[value])
            for value in side.outputs[node]
            if value >= 0
        )


def _computable(match: Match) -> set[int]:
    """Nodes that read constants only, or what such nodes make."""
    side = match.a
    nodes = side.graph.nodes
    known = {value for value in side.constants if value not in side.graph_inputs}
    shapes = {
        value
        for node, op_type in enumerate(nodes.op_types)
        if op_type in ("Shape", "Size")
        for value in side.outputs[node]
        if value >= 0 and _is_static(match, value)
    }
    known |= shapes
    waiting = {node for value in known for node in side.consumers[value]}
    found = {side.producers[value] for value in shapes}
    while waiting:
        ready = [
            node
            for node in waiting
            if node not in found
            and nodes.domains[node] in ("", "ai.onnx")
            and nodes.op_types[node] not in _NEVER
            and all(value < 0 or value in known for value in side.inputs[node])
            and not side.implicit[node]
        ]
        found.update(ready)
        made = {value for node in ready for value in side.outputs[node] if value >= 0}
        known |= made
        waiting = {node for value in made for node in side.consumers[value]}
    return found


def _is_static(match: Match, value: int) -> bool:
    """Whether the value is the shape of something whose shape either model states."""
    side, other = match.a, match.b
    maker = side.producers[value]
    read = side.inputs[maker][0] if side.inputs[maker] else -1
    if read < 0:
        return False
    # The result keeps the types of values that it no longer makes.
    named = other.graph.values.ids.get(side.name(read)) if match.names_hold else None
    partner = match.partner_of_a.get(read, named)
    shapes = [side.type(read), other.type(partner) if partner is not None else None]
    return any(
        isinstance(shape, TensorType)
        and shape.dims is not None
        and all(isinstance(dim, int) for dim in shape.dims)
        for shape in shapes
    )
