"""Nodes that compute what another node computes: one side merged or duplicated them."""

from __future__ import annotations

from ortstudio.analysis.pairing.closures import is_free
from ortstudio.analysis.pairing.families import RANDOM
from ortstudio.analysis.pairing.sides import NONE, Match, Side


def add_aliases(match: Match) -> bool:
    """Let each node that is left stand with one that does the same to the same and has a mate.

    Returns whether there was any.
    """
    found = False
    for side, other in ((match.a, match.b), (match.b, match.a)):
        left = {node: key for node in _left(side) if (key := _key(side, node)) is not None}
        firsts = _firsts(side, set(left.values()))
        for node, key in left.items():
            if key in firsts and not _has_namesake(match, side, other, node):
                match.alias(side, node, firsts[key])
                found = True
    return found


def _left(side: Side) -> list[int]:
    return [
        node
        for node, mate in enumerate(side.mates)
        if mate < 0
        and is_repeatable(side, node)
        and all(side.tokens[value] == NONE for value in side.outputs[node] if value >= 0)
    ]


def is_repeatable(side: Side, node: int) -> bool:
    """Whether all nodes that do the same to the same make the same, as far as is known here."""
    return side.inner(node) is None and side.graph.nodes.op_types[node] not in RANDOM


def _key(side: Side, node: int) -> tuple[int, ...] | None:
    """What the node does to which values; None where one of them is not known."""
    tokens = [side.tokens[value] if value >= 0 else 0 for value in side.inputs[node]]
    return None if NONE in tokens else (side.whole[node], *tokens)


def _firsts(side: Side, keys: set[tuple[int, ...]]) -> dict[tuple[int, ...], int]:
    found: dict[tuple[int, ...], int] = {}
    if keys:
        for node, mate in enumerate(side.mates):
            key = _key(side, node) if mate >= 0 else None
            if key in keys and key is not None:
                found.setdefault(key, node)
    return found


def _has_namesake(match: Match, side: Side, other: Side, node: int) -> bool:
    """Whether the other side has an output of the node under its name."""
    ids = other.graph.values.ids
    return match.names_hold and any(
        value >= 0 and is_free(other, ids.get(side.name(value))) for value in side.outputs[node]
    )
