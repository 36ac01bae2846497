"""Groups of nodes, and the nodes of one block while they are sorted into them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ortstudio.analysis.pairing.aliases import is_repeatable
from ortstudio.analysis.pairing.blocks import Block
from ortstudio.analysis.pairing.folding import Folding
from ortstudio.analysis.pairing.sides import NONE, Match, Side


@dataclass(eq=False, slots=True)
class Group:
    """Nodes of A and the nodes of B that came of them.

    `core` are the two that do the same work; `is_same` says that they do it the same way.
    """

    a: list[int] = field(default_factory=list)
    b: list[int] = field(default_factory=list)
    core: tuple[int, int] | None = None
    is_same: bool = False
    is_inlined: bool = False


class Sorting:
    """What is known of one block: the groups so far, and the nodes that are in none yet.

    A node that joins a group is taken out of `folding`.
    """

    def __init__(
        self, match: Match, block: Block, folding: Folding, same: Callable[[int, int], bool]
    ) -> None:
        self.match = match
        self.block = block
        self.folding = folding
        self.of_a: dict[int, Group] = {}
        self.of_b: dict[int, Group] = {}
        self.free_a = {n for n in block.a if match.a.mates[n] < 0 and n not in folding.sure}
        self.free_b = {n for n in block.b if match.b.mates[n] < 0}
        self._same = same

    def found(self, a: int, b: int) -> None:
        """Two nodes do the same work."""
        group = Group(core=(a, b), is_same=self._same(a, b))
        self.join_a(a, group)
        self.join_b(b, group)

    def join_a(self, node: int, group: Group) -> None:
        """A node of A belongs to a group."""
        group.a.append(node)
        self.of_a[node] = group
        self.free_a.discard(node)
        self.folding.nodes.discard(node)

    def join_b(self, node: int, group: Group) -> None:
        """A node of B belongs to a group."""
        group.b.append(node)
        self.of_b[node] = group
        self.free_b.discard(node)

    def groups(self) -> list[Group]:
        """All groups, those of A first."""
        found = dict.fromkeys((*self.of_a.values(), *self.of_b.values()))
        for group in found:
            group.a.sort()
            group.b.sort()
        return list(found)


def is_inside(side: Side, value: int) -> bool:
    """Whether a value stands between nodes of its block: it has no counterpart."""
    return value >= 0 and side.tokens[value] == NONE


def merged(match: Match, groups: Sequence[Group]) -> list[Group]:
    """Let a node of A of which nothing came stand with one that did the same to the same."""
    side = match.a
    alone = [group for group in groups if not group.b and len(group.a) == 1]
    keys = {group.a[0]: exactly(side, group.a[0]) for group in alone}
    wanted = {
        key for node, key in keys.items() if NONE not in key[1:] and is_repeatable(side, node)
    }
    firsts: dict[tuple[int, ...], Group] = {}
    for group in groups if wanted else ():
        if group.b:
            for node in group.a:
                firsts.setdefault(exactly(side, node), group)
    gone = set()
    for group in alone:
        node = group.a[0]
        first = firsts.get(keys[node]) if keys[node] in wanted else None
        if first is not None:
            match.aliases_a[node] = first.a[0]
            first.a = sorted([*first.a, node])
            gone.add(id(group))
    return [group for group in groups if id(group) not in gone]


def exactly(side: Side, node: int) -> tuple[int, ...]:
    """What a node does to which known values."""
    return (side.whole[node], *(side.tokens[v] if v >= 0 else 0 for v in side.inputs[node]))
