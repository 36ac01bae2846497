"""Calls of functions, and `If` nodes whose condition is constant, that became the nodes inside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ortstudio.analysis.pairing.blocks import Block
from ortstudio.analysis.pairing.groups import Group
from ortstudio.analysis.pairing.sides import NONE, Match

INLINED = "_inlfunc_"
BRANCHES = ("_if_then_branch", "_if_else_branch")
CAST_PREFIX = "InsertedPrecisionFreeCast_"
"""How ONNX Runtime names what it makes: nodes out of functions, out of branches, and casts."""

FUNCTIONS = frozenset({"CastLike"})
"""Operators that are always replaced by their definition, of one node, which leaves no name."""


class Inlining:
    """Finds them in the blocks of one pair of graphs; `calls` are the nodes that call functions."""

    def __init__(self, match: Match, calls: frozenset[int]) -> None:
        self._match = match
        self._calls = calls

    def found(self, block: Block) -> Iterator[tuple[int, list[int]]]:
        """Nodes of A, and all that each became."""
        nodes = self._match.a.graph.nodes
        taken: set[int] = set()
        for node in block.a:
            if self._match.a.mates[node] >= 0:
                continue
            made = [n for n in self._made(node) if n not in taken]
            is_if = nodes.op_types[node] == "If"
            is_call = node in self._calls or nodes.op_types[node] in FUNCTIONS
            if made and (is_call or self._is_marked(made, is_if)):
                taken.update(made)
                yield node, sorted(made)

    def _is_marked(self, made: Sequence[int], is_if: bool) -> bool:
        """Whether the names say that the nodes come from inside another."""
        side = self._match.b
        if is_if:
            return any(side.graph.nodes.names[n].startswith(BRANCHES) for n in made)
        return any(
            INLINED in side.name(value)
            for n in made
            for value in (*side.inputs[n], *side.outputs[n])
            if value >= 0
        )

    def _made(self, node: int) -> list[int]:
        """Everything free in B between the outputs of the node and what is known."""
        match, side = self._match, self._match.b
        stack = [match.partner_of_a.get(value, NONE) for value in match.a.outputs[node]]
        found: dict[int, None] = {}
        seen = set()
        while stack:
            value = stack.pop()
            maker = side.producers[value] if value >= 0 else NONE
            if maker < 0 or maker in seen or side.mates[maker] >= 0:
                continue
            seen.add(maker)
            if not side.graph.nodes.names[maker].startswith(CAST_PREFIX):
                found[maker] = None
            stack += [v for v in side.inputs[maker] if v >= 0 and side.tokens[v] == NONE]
        return list(found)


def adopted(match: Match, groups: Sequence[Group]) -> list[Group]:
    """Let nodes of functions that nothing reads stand with the call that they come from."""
    calls = [group for group in groups if group.is_inlined]
    gone = set()
    for group in groups if calls else ():
        if not group.a:
            node = group.b[0]
            call = next((one for one in calls if _comes_from(match, node, one)), None)
            if call is not None:
                call.b = sorted([*call.b, node])
                gone.add(id(group))
    return [group for group in groups if id(group) not in gone]


def _comes_from(match: Match, node: int, group: Group) -> bool:
    """Whether the names say that a node stood in the function, and what it reads fits."""
    call = group.a[0]
    side = match.b
    prefix = INLINED + match.a.graph.nodes.op_types[call]
    if not any(prefix in side.name(value) for value in side.outputs[node] if value >= 0):
        return False
    known = {match.a.tokens[value] for value in match.a.inputs[call] if value >= 0} - {NONE}
    return any(
        side.tokens[value] in known or side.producers[value] in group.b
        for value in side.inputs[node]
        if value >= 0
    )
