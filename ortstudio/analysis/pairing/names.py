"""Whether names can be trusted: exporters number values, and then one new node renames the rest."""

from __future__ import annotations

from collections.abc import Iterator

from ortstudio.analysis.pairing.families import work
from ortstudio.analysis.pairing.sides import NONE, Match, Side


def names_hold(match: Match) -> bool:
    """Whether values of one name are mostly made by the same node, as far as nodes can tell.

    Where the operators differ, a fusion is no evidence: names it went over are gone. It is where
    what B makes under a name is what A makes next to it under a name that B makes as well.
    """
    a, b = match.a, match.b
    agree, contradict = 0, 0
    for value, other in _namesakes(match):
        x, y = a.producers[value], b.producers[other]
        if a.operators[x] == b.operators[y]:
            same = a.whole[x] == b.whole[y] and _constants_agree(match, x, y)
            agree += same
            contradict += not same
        elif work(b.graph.nodes.op_types[y]) in _around(match, value):
            contradict += 1
    return contradict <= agree


def _namesakes(match: Match) -> Iterator[tuple[int, int]]:
    a, b = match.a, match.b
    ids = b.graph.values.ids
    for value, name in enumerate(a.graph.values.names):
        other = ids.get(name, NONE)
        if other >= 0 and a.producers[value] >= 0 and b.producers[other] >= 0:
            yield value, other


def _constants_agree(match: Match, x: int, y: int) -> bool:
    a, b = match.a, match.b
    return not any(
        v in a.constants and w in b.constants and a.tokens[v] != b.tokens[w]
        for v, w in zip(a.inputs[x], b.inputs[y], strict=False)
    )


def _around(match: Match, value: int) -> set[str]:
    """The work of the nodes before and after what makes a value, where B makes what they make."""
    side = match.a
    maker = side.producers[value]
    before = [side.producers[v] for v in side.inputs[maker] if v >= 0]
    return {
        work(side.graph.nodes.op_types[node])
        for node in (*before, *side.consumers[value])
        if node >= 0 and any(_is_made(match.b, side.name(v)) for v in side.outputs[node] if v >= 0)
    }


def _is_made(side: Side, name: str) -> bool:
    """Whether a node makes the value: an `.ort` lists those of removed nodes too."""
    value = side.graph.values.ids.get(name, NONE)
    return value >= 0 and side.producers[value] >= 0
