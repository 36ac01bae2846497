"""Sorts the nodes of one block into groups: what became of what."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ortstudio.analysis.pairing.aliases import is_repeatable
from ortstudio.analysis.pairing.blocks import Block
from ortstudio.analysis.pairing.explain import attributes
from ortstudio.analysis.pairing.families import ACTIVATIONS, GLUE, QUANTIZERS, work
from ortstudio.analysis.pairing.folding import Folding
from ortstudio.analysis.pairing.inlining import Inlining
from ortstudio.analysis.pairing.recognize import Recognizer
from ortstudio.analysis.pairing.rewrites import is_quantized
from ortstudio.analysis.pairing.sides import NONE, Match, Side

NCHWC_SUFFIX = "_nchwc"
_FUSION_NAME = re.compile(r"(.+)/\w+/")
"""How ONNX Runtime names what it makes: after a value, or after a node and the rewrite."""
SUM_INPUT = 3


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


class Alignment:
    """The groups of one block. What finds its counterpart here is taken out of `folding`."""

    def __init__(
        self,
        match: Match,
        block: Block,
        folding: Folding,
        inlining: Inlining,
        recognizer: Recognizer,
        same: Callable[[int, int], bool],
    ) -> None:
        self._match = match
        self._block = block
        self._inlining = inlining
        self._folding = folding
        self._recognizer = recognizer
        self._same = same
        self._of_a: dict[int, Group] = {}
        self._of_b: dict[int, Group] = {}
        self._free_a = {n for n in block.a if match.a.mates[n] < 0 and n not in folding.sure}
        self._free_b = {n for n in block.b if match.b.mates[n] < 0}
        self._hints = {n: hint for n in block.b if (hint := self._hint(n)) is not None}

    def groups(self) -> list[Group]:
        """Every node of the block once, but for those that are folded."""
        for node in self._block.a:
            mate = self._match.a.mates[node]
            if mate >= 0 and node not in self._match.aliases_a:
                self._found(node, mate)
        self._add_aliases()
        if self._free_a and self._free_b:
            self._inline()
        for keys in (self._by_output, self._by_name, self._by_constants, self._by_inputs):
            self._unique(keys)
        self._in_order(_exactly)
        self._in_order(self._work)
        self._moved_glue(self._free_a & self._folding.nodes)
        self._free_a -= self._folding.nodes
        self._attach_epilogues()
        self._claim_from_outputs()
        self._claim_from_inputs()
        self._moved_glue(self._free_a)
        self._leftovers_of_b()
        self._leftovers_of_a()
        return self._distinct()

    def _found(self, a: int, b: int) -> None:
        group = Group([a], [b], (a, b), self._same(a, b))
        self._of_a[a] = self._of_b[b] = group
        self._free_a.discard(a)
        self._free_b.discard(b)
        self._folding.nodes.discard(a)

    def _inline(self) -> None:
        for node, made in self._inlining.found(self._block):
            group = Group(is_inlined=True)
            self._join_a(node, group)
            for one in made:
                self._join_b(one, group)

    def _add_aliases(self) -> None:
        for node in self._block.a:
            first = self._match.aliases_a.get(node)
            if first is not None:
                self._join_a(node, self._of_a[first])
        for node in self._block.b:
            first = self._match.aliases_b.get(node)
            if first is not None:
                self._join_b(node, self._of_b[first])

    def _join_a(self, node: int, group: Group) -> None:
        group.a.append(node)
        self._of_a[node] = group
        self._free_a.discard(node)

    def _join_b(self, node: int, group: Group) -> None:
        group.b.append(node)
        self._of_b[node] = group
        self._free_b.discard(node)

    # Nodes that do the same work, by evidence that only one of each side has.

    def _unique(self, keys: Callable[[Side, int], Iterable[Hashable]]) -> None:
        if not self._free_a or not self._free_b:
            return
        a = self._by_key(self._match.a, self._free_a, keys)
        b = self._by_key(self._match.b, self._free_b, keys)
        for key, mine in a.items():
            other = b.get(key, [])
            unique = len(mine) == len(other) == 1
            if unique and mine[0] in self._free_a and other[0] in self._free_b:
                self._found(mine[0], other[0])

    def _by_key(
        self, side: Side, nodes: set[int], keys: Callable[[Side, int], Iterable[Hashable]]
    ) -> dict[Hashable, list[int]]:
        found: dict[Hashable, list[int]] = {}
        for node in sorted(nodes):
            name = self._work(side, node)
            for key in set(keys(side, node)):
                found.setdefault((name, key), []).append(node)
        return found

    def _work(self, side: Side, node: int) -> str:
        return work(side.graph.nodes.op_types[node])

    def _by_output(self, side: Side, node: int) -> Iterator[Hashable]:
        yield from (side.tokens[v] for v in side.outputs[node] if v >= 0 and side.tokens[v] > 0)

    def _by_name(self, side: Side, node: int) -> Iterator[Hashable]:
        name = side.graph.nodes.names[node]
        if name and side.graph.nodes.op_types[node] not in GLUE:
            yield name

    def _by_constants(self, side: Side, node: int) -> Iterator[Hashable]:
        for value in side.inputs[node]:
            if value in side.constants and side.tokens[value] > 0:
                yield side.tokens[value]

    def _by_inputs(self, side: Side, node: int) -> Iterator[Hashable]:
        if side.graph.nodes.op_types[node] not in GLUE:
            yield from (side.tokens[v] for v in side.inputs[node] if v >= 0 and side.tokens[v] > 0)

    def _in_order(self, kind: Callable[[Side, int], Hashable]) -> None:
        """Where both sides have as many left of a kind, pair them in order."""
        kinds_a: dict[Hashable, list[int]] = {}
        kinds_b: dict[Hashable, list[int]] = {}
        for side, nodes, kinds in (
            (self._match.a, self._free_a, kinds_a),
            (self._match.b, self._free_b, kinds_b),
        ):
            for node in sorted(nodes):
                if side.graph.nodes.op_types[node] not in GLUE:
                    kinds.setdefault(kind(side, node), []).append(node)
        for key, mine in kinds_a.items():
            other = kinds_b.get(key, [])
            if len(mine) == len(other):
                for one, two in zip(mine, other, strict=True):
                    self._found(one, two)

    def _hint(self, node: int) -> int | None:
        """The value of A at which what a node took over ends, as far as its name tells."""
        name, side = self._match.b.graph.nodes.names[node], self._match.a
        if name.endswith(NCHWC_SUFFIX):
            return side.graph.values.ids.get(name.removesuffix(NCHWC_SUFFIX))
        named = _FUSION_NAME.fullmatch(name)
        row = side.graph.nodes.rows_by_name.get(named[1]) if named else None
        return side.outputs[row][0] if row in self._free_a and side.outputs[row] else None

    # What one node of B took over.

    def _claim_from_outputs(self) -> None:
        if not self._free_a:
            return
        match = self._match
        for node in self._in_order_of_a():
            ends = [match.partner_of_b.get(v, NONE) for v in match.b.outputs[node]]
            if node in self._hints:
                ends.append(self._hints[node])
            self._claim(self._worker(node), [value for value in ends if value >= 0])

    def _in_order_of_a(self) -> list[int]:
        """The nodes of B, those with a counterpart first, as these stand in A."""
        last = len(self._match.a.mates)

        def place(node: int) -> int:
            group = self._of_b.get(node)
            return group.a[0] if group and group.a else last

        return sorted(self._block.b, key=place)

    def _worker(self, node: int) -> int:
        """The node itself, or where it only carries on what another new node makes, that one."""
        side = self._match.b
        first, seen = node, {node}
        while node in self._free_b and side.graph.nodes.op_types[node] in GLUE:
            value = side.inputs[node][0] if side.inputs[node] else NONE
            node = side.producers[value] if self._is_inside(side, value) else NONE
            if node < 0 or node in seen:
                return first
            seen.add(node)
        return node

    def _claim(self, node: int, ends: Sequence[int]) -> None:
        """Everything of A that stands free between the ends and what is known."""
        side = self._match.a
        types = side.graph.nodes.op_types
        to_dequantize = is_quantized(self._match.b.graph.nodes.ops[node])
        stack = list(reversed(ends))
        while stack:
            value = stack.pop()
            producer = side.producers[value] if value >= 0 else NONE
            if producer not in self._free_a:
                continue
            self._join_a(producer, self._of_b.get(node) or self._fresh(node))
            if not (to_dequantize and types[producer] == "DequantizeLinear"):
                stack += [v for v in reversed(side.inputs[producer]) if self._is_inside(side, v)]

    def _fresh(self, node: int) -> Group:
        group = self._of_b[node] = Group([], [node])
        self._free_b.discard(node)
        return group

    def _is_inside(self, side: Side, value: int) -> bool:
        return value >= 0 and side.tokens[value] == NONE

    def _attach_epilogues(self) -> None:
        """A sum and an activation go to the node before them where that changed."""
        if not self._free_a:
            return
        side = self._match.a
        for node in self._block.a:
            group = self._of_a.get(node)
            if group is None or group.core is None or group.core[0] != node or group.is_same:
                continue
            seen = {node}
            while (after := self._only_reader(side, node)) >= 0 and after not in seen:
                seen.add(after)
                if after in self._free_a and self._absorbs(group.core[1], after):
                    self._join_a(after, group)
                elif after not in group.a:
                    break
                node = after

    def _only_reader(self, side: Side, node: int) -> int:
        """The one node that reads what this one makes, -1 where there is no such."""
        value = side.outputs[node][0] if side.outputs[node] else NONE
        if not self._is_inside(side, value) or value in side.graph_outputs:
            return NONE
        readers = side.consumers[value]
        return readers[0] if len(readers) == 1 else NONE

    def _absorbs(self, node: int, after: int) -> bool:
        """Whether a node of B can do what stands after its counterpart as well."""
        op_type = self._match.a.graph.nodes.op_types[after]
        side = self._match.b
        if is_quantized(side.graph.nodes.ops[node]):
            return op_type == "QuantizeLinear" or op_type in ACTIVATIONS
        if op_type in ACTIVATIONS:
            return "activation" in attributes(side, node)
        has_sum = len(side.inputs[node]) > SUM_INPUT
        return op_type == "BatchNormalization" or (op_type == "Add" and has_sum)

    def _claim_from_inputs(self) -> None:
        """What stands before a node that changed and after nothing that is known."""
        if not self._free_a:
            return
        side = self._match.a
        for node in self._in_order_of_a():
            group = self._of_b.get(node)
            if group is not None and group.core is not None and not group.is_same:
                inputs = side.inputs[group.core[0]]
                self._claim(node, [v for v in inputs if self._is_inside(side, v)])

    def _moved_glue(self, nodes: set[int]) -> None:
        """The same glue left on both sides is the same node at another place."""
        a, b = self._match.a, self._match.b
        for with_constants in (True, False):
            left_a = self._glue(a, nodes & self._free_a, with_constants)
            left_b = self._glue(b, self._free_b, with_constants)
            for key, mine in left_a.items():
                others = left_b.get(key, [])
                if with_constants or len(mine) == len(others) == 1:
                    for one, other in zip(mine, others, strict=False):
                        self._found(one, other)

    def _glue(self, side: Side, nodes: set[int], with_constants: bool) -> dict[Hashable, list[int]]:
        found: dict[Hashable, list[int]] = {}
        for node in sorted(nodes):
            if side.graph.nodes.op_types[node] in GLUE:
                constants = [side.tokens[v] for v in side.inputs[node] if v in side.constants]
                key = (side.whole[node], *(constants if with_constants else ()))
                found.setdefault(key, []).append(node)
        return found

    def _leftovers_of_b(self) -> None:
        """Nodes of other work join what they hang on, if that changed its own; glue is added."""
        side = self._match.b
        for node in sorted(self._free_b, reverse=True):
            group = None
            if side.graph.nodes.op_types[node] not in GLUE:
                group = self._neighbour(side, node, self._of_b)
            if group is None:
                self._fresh(node)
            else:
                self._join_b(node, group)

    def _leftovers_of_a(self) -> None:
        side = self._match.a
        for node in sorted(self._free_a, reverse=True):
            group = self._neighbour(side, node, self._of_a)
            if group is None:
                self._of_a[node] = Group([node], [])
                self._free_a.discard(node)
            else:
                self._join_a(node, group)

    def _neighbour(self, side: Side, node: int, groups: Mapping[int, Group]) -> Group | None:
        """The group of a node after this one, else before it, that does not do the same as ever."""
        after = [
            consumer
            for value in side.outputs[node]
            if self._is_inside(side, value)
            for consumer in side.consumers[value]
        ]
        before = [
            side.producers[value] for value in side.inputs[node] if self._is_inside(side, value)
        ]
        for other in (*after, *before):
            group = groups.get(other)
            if group is not None and self._takes(group, side, node):
                return group
        return None

    def _takes(self, group: Group, side: Side, node: int) -> bool:
        """Whether a node may join: its work changed, or a known rewrite leaves it as it was."""
        if not group.a or not group.b or side.graph.nodes.op_types[node] in QUANTIZERS:
            return False
        if not group.is_same and side.graph.nodes.op_types[node] not in GLUE:
            return True
        known = side is self._match.a and self._recognizer.fusion(
            [*group.a, node], group.b, group.is_same
        )
        return bool(known)

    def _distinct(self) -> list[Group]:
        found = dict.fromkeys((*self._of_a.values(), *self._of_b.values()))
        for group in found:
            group.a.sort()
            group.b.sort()
        return list(found)


def merged(match: Match, groups: Sequence[Group]) -> list[Group]:
    """Let a node of A of which nothing came stand with one that did the same to the same."""
    side = match.a
    alone = [group for group in groups if not group.b and len(group.a) == 1]
    keys = {group.a[0]: _exactly(side, group.a[0]) for group in alone}
    wanted = {
        key for node, key in keys.items() if NONE not in key[1:] and is_repeatable(side, node)
    }
    firsts: dict[tuple[int, ...], Group] = {}
    for group in groups if wanted else ():
        if group.b:
            for node in group.a:
                firsts.setdefault(_exactly(side, node), group)
    gone = set()
    for group in alone:
        node = group.a[0]
        first = firsts.get(keys[node]) if keys[node] in wanted else None
        if first is not None:
            match.aliases_a[node] = first.a[0]
            first.a.append(node)
            gone.add(id(group))
    return [group for group in groups if id(group) not in gone]


def _exactly(side: Side, node: int) -> tuple[int, ...]:
    """What a node does to which known values."""
    return (side.whole[node], *(side.tokens[v] if v >= 0 else 0 for v in side.inputs[node]))
