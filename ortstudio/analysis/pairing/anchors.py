"""What pairs before any node does: graph inputs and outputs, outer values and constants."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import count

from ortstudio.analysis.pairing.sides import NONE, Match, Side, fits

Keyed = Mapping[int, Hashable]


def anchor(match: Match, outer: Mapping[str, int], outer_b: Mapping[str, int]) -> None:
    """Pair all of it. `outer` and `outer_b` give the tokens of values of the graphs around."""
    _outer(match.a, outer)
    _outer(match.b, outer_b)
    _boundary(match, match.a.graph.inputs.tolist(), match.b.graph.inputs.tolist())
    _constants(match)
    _boundary(match, match.a.graph.outputs.tolist(), match.b.graph.outputs.tolist())


def _outer(side: Side, tokens: Mapping[str, int]) -> None:
    """Values that are made outside have the tokens they have there."""
    if not tokens:
        return
    for value, name in enumerate(side.graph.values.names):
        own = side.producers[value] >= 0 or value in side.graph_inputs or value in side.constants
        if not own:
            side.tokens[value] = tokens.get(name, NONE)


def _boundary(match: Match, a: Sequence[int], b: Sequence[int]) -> None:
    """By name; the rest by place, where the types do not contradict each other."""
    a, b = [value for value in a if value >= 0], [value for value in b if value >= 0]
    names = {match.b.name(value): value for value in b}
    for mine in a:
        other = names.get(match.a.name(mine))
        if other is not None and match.free(mine, other):
            match.pair(mine, other)
    rest_a = [value for value in a if match.a.tokens[value] == NONE]
    rest_b = [value for value in b if match.b.tokens[value] == NONE]
    if len(rest_a) == len(rest_b):
        for mine, other in zip(rest_a, rest_b, strict=True):
            if match.free(mine, other) and fits(match.a.type(mine), match.b.type(other)):
                match.pair(mine, other)


def _constants(match: Match) -> None:
    """By name, type and shape where all of one side are found so; else by content as well."""
    a = _unpaired(match.a)
    b = _unpaired(match.b)
    names = {match.b.name(value): value for value in b}
    named = [
        (mine, other)
        for mine in a
        if (other := names.get(match.a.name(mine))) is not None and _alike(match, mine, other)
    ]
    if len(named) < min(len(a), len(b)):
        _by_content(match, a, b, named)
        return
    for mine, other in named:
        match.pair(mine, other)


def _unpaired(side: Side) -> list[int]:
    return [value for value in side.constants if side.tokens[value] == NONE]


def _alike(match: Match, mine: int, other: int) -> bool:
    """Whether nothing that is declared says that they differ."""
    a, b = match.a.declared(mine), match.b.declared(other)
    return a is None or b is None or a == b


def _by_content(
    match: Match,
    a: Sequence[int],
    b: Sequence[int],
    named: Sequence[tuple[int, int]],
) -> None:
    """Pair by name what has its content nowhere else, and give equal contents equal tokens."""
    of_a = {value: match.a.content(value) for value in a}
    of_b = {value: match.b.content(value) for value in b}
    in_a, in_b = set(of_a.values()), set(of_b.values())
    for mine, other in named:
        key_a, key_b = of_a[mine], of_b[other]
        if key_a is None or key_b is None or (key_a not in in_b and key_b not in in_a):
            match.pair(mine, other)
    known: dict[Hashable, int] = {}
    for side, keys in ((match.a, of_a), (match.b, of_b)):
        for value, key in keys.items():
            if key is not None and side.tokens[value] == NONE:
                side.tokens[value] = known.get(key) or match.token()
                known[key] = side.tokens[value]
    _partners(match, of_a, of_b, named)


def _partners(match: Match, of_a: Keyed, of_b: Keyed, named: Sequence[tuple[int, int]]) -> None:
    """One partner for each constant of equal content: by name, else in order."""
    for mine, other in named:
        if of_a[mine] is not None and of_a[mine] == of_b[other]:
            match.partner_of_a[mine], match.partner_of_b[other] = other, mine
    places: dict[tuple[Hashable, int], int] = {}
    ordinal: dict[Hashable, count[int]] = {}
    for other, key in of_b.items():
        if other not in match.partner_of_b:
            places[key, next(ordinal.setdefault(key, count()))] = other
    ordinal = {}
    for mine, key in of_a.items():
        if mine not in match.partner_of_a and key is not None:
            found = places.get((key, next(ordinal.setdefault(key, count()))))
            if found is not None:
                match.partner_of_a[mine], match.partner_of_b[found] = found, mine
