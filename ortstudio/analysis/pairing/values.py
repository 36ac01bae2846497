"""Which value of one graph is which value of the other, and which node which node."""

from __future__ import annotations

from collections.abc import Mapping

from ortstudio.analysis.pairing.aliases import add_aliases
from ortstudio.analysis.pairing.anchors import anchor
from ortstudio.analysis.pairing.closures import Closure
from ortstudio.analysis.pairing.inlining import CAST_PREFIX
from ortstudio.analysis.pairing.names import names_hold
from ortstudio.analysis.pairing.sides import NONE, Match, fits


def pair_values(match: Match, outer_a: Mapping[str, int], outer_b: Mapping[str, int]) -> None:
    """Find all pairs: what is certain first, each step growing from what the last one found."""
    anchor(match, outer_a, outer_b)
    match.names_hold = names_hold(match)
    exact, near = Closure(match, exact=True), Closure(match, exact=False)
    exact.grow()
    if match.names_hold:
        _by_name(match, same_operator=False)
        _by_cast_name(match)
        exact.grow()
    near.grow()
    exact.grow()
    if not match.names_hold:
        _by_name(match, same_operator=True)
        near.grow()
    while add_aliases(match):
        exact.grow()
        near.grow()
    _constant_nodes(match)


def _by_name(match: Match, same_operator: bool) -> None:
    """Values that nodes make, by name where the types do not contradict each other."""
    a, b = match.a, match.b
    ids = b.graph.values.ids
    for value, name in enumerate(a.graph.values.names):
        if a.tokens[value] != NONE or a.producers[value] < 0:
            continue
        other = ids.get(name, NONE)
        if other < 0 or b.tokens[other] != NONE or b.producers[other] < 0:
            continue
        operators = a.operators[a.producers[value]], b.operators[b.producers[other]]
        if same_operator and operators[0] != operators[1]:
            continue
        if fits(a.type(value), b.type(other)):
            match.pair(value, other)


def _constant_nodes(match: Match) -> None:
    """`Constant` nodes that the same nodes read at the same places."""
    a, b = match.a, match.b
    if not a.held or not b.held:
        return
    for node, mate in enumerate(a.mates):
        if mate < 0:
            continue
        for x, y in zip(a.inputs[node], b.inputs[mate], strict=False):
            if x in a.constants and y in b.constants:
                one, other = a.producers[x], b.producers[y]
                if one >= 0 and other >= 0 and a.mates[one] < 0 and b.mates[other] < 0:
                    match.mate(one, other)


def _by_cast_name(match: Match) -> None:
    """Values that the runtime computes in float32 now: their names tell what they were."""
    a, b = match.a, match.b
    ids = a.graph.values.ids
    for other, name in enumerate(b.graph.values.names):
        if name.startswith(CAST_PREFIX) and b.tokens[other] == NONE and b.producers[other] >= 0:
            value = ids.get(name.removeprefix(CAST_PREFIX), NONE)
            if value >= 0 and a.tokens[value] == NONE and a.producers[value] >= 0:
                match.pair(value, other)
