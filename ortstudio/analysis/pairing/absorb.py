"""Nodes that others took over, and what is left when all of that is found."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ortstudio.analysis.pairing.explain import attributes
from ortstudio.analysis.pairing.families import ACTIVATIONS, GLUE, QUANTIZERS
from ortstudio.analysis.pairing.groups import Group, Sorting, is_inside
from ortstudio.analysis.pairing.inlining import CAST_PREFIX
from ortstudio.analysis.pairing.recognize import Recognizer
from ortstudio.analysis.pairing.rewrites import is_quantized
from ortstudio.analysis.pairing.sides import NONE, Side

NCHWC_SUFFIX = "_nchwc"
_FUSION_NAME = re.compile(r"(.+)/\w+/")
"""How ONNX Runtime names what it makes: after a value, or after a node and the rewrite."""
SUM_INPUT = 3
"""The input of a fused convolution that is added to its result."""


class Absorption:
    """Lets the nodes of B claim what they do of A's work."""

    def __init__(self, sorting: Sorting, recognizer: Recognizer) -> None:
        self._sorting = sorting
        self._recognizer = recognizer
        self._hints = {n: hint for n in sorting.block.b if (hint := self._hint(n)) is not None}

    def claim(self) -> None:
        """First what follows a node that changed, then what makes the same values, then before."""
        if self._sorting.free_a:
            self._attach_epilogues()
            self._claim_from_outputs()
            self._claim_from_inputs()

    def settle(self) -> None:
        """Every node that is left joins a neighbour, or stands alone."""
        self._leftovers_of_b()
        self._leftovers_of_a()

    def _hint(self, node: int) -> int | None:
        """The value of A at which what a node took over ends, as far as its name tells."""
        name, side = self._sorting.match.b.graph.nodes.names[node], self._sorting.match.a
        if name.endswith(NCHWC_SUFFIX):
            return side.graph.values.ids.get(name.removesuffix(NCHWC_SUFFIX))
        named = _FUSION_NAME.fullmatch(name)
        row = side.graph.nodes.rows_by_name.get(named[1]) if named else None
        return side.outputs[row][0] if row in self._sorting.free_a and side.outputs[row] else None

    def _claim_from_outputs(self) -> None:
        match = self._sorting.match
        for node in self._in_order_of_a():
            ends = [match.partner_of_b.get(v, NONE) for v in match.b.outputs[node]]
            if node in self._hints:
                ends.append(self._hints[node])
            worker = self._worker(node)
            if not match.b.graph.nodes.names[worker].startswith(CAST_PREFIX):
                self._claim(worker, [value for value in ends if value >= 0])

    def _in_order_of_a(self) -> list[int]:
        """The nodes of B, those with a counterpart first, as these stand in A."""
        last = len(self._sorting.match.a.mates)

        def place(node: int) -> int:
            group = self._sorting.of_b.get(node)
            return group.a[0] if group and group.a else last

        return sorted(self._sorting.block.b, key=place)

    def _worker(self, node: int) -> int:
        """The node itself, or where it only carries on what another new node makes, that one."""
        side = self._sorting.match.b
        first, seen = node, {node}
        while node in self._sorting.free_b and side.graph.nodes.op_types[node] in GLUE:
            value = side.inputs[node][0] if side.inputs[node] else NONE
            node = side.producers[value] if is_inside(side, value) else NONE
            if node < 0 or node in seen:
                return first
            seen.add(node)
        return node

    def _claim(self, node: int, ends: Sequence[int]) -> None:
        """Everything of A that stands free between the ends and what is known."""
        side = self._sorting.match.a
        types = side.graph.nodes.op_types
        to_dequantize = is_quantized(self._sorting.match.b.graph.nodes.ops[node])
        stack = list(reversed(ends))
        while stack:
            value = stack.pop()
            producer = side.producers[value] if value >= 0 else NONE
            if producer not in self._sorting.free_a:
                continue
            self._sorting.join_a(producer, self._sorting.of_b.get(node) or self._alone_b(node))
            if not (to_dequantize and types[producer] == "DequantizeLinear"):
                stack += [v for v in reversed(side.inputs[producer]) if is_inside(side, v)]

    def _alone_b(self, node: int) -> Group:
        group = Group()
        self._sorting.join_b(node, group)
        return group

    def _attach_epilogues(self) -> None:
        """A sum and an activation go to the node before them where that changed."""
        side = self._sorting.match.a
        for node in self._sorting.block.a:
            group = self._sorting.of_a.get(node)
            if group is None or group.core is None or group.core[0] != node or group.is_same:
                continue
            seen = {node}
            while (after := self._only_reader(side, node)) >= 0 and after not in seen:
                seen.add(after)
                if after in self._sorting.free_a and self._absorbs(group.core[1], after):
                    self._sorting.join_a(after, group)
                elif after not in group.a:
                    break
                node = after

    def _only_reader(self, side: Side, node: int) -> int:
        """The one node that reads what this one makes, -1 where there is no such."""
        value = side.outputs[node][0] if side.outputs[node] else NONE
        if not is_inside(side, value) or value in side.graph_outputs:
            return NONE
        readers = side.consumers[value]
        return readers[0] if len(readers) == 1 else NONE

    def _absorbs(self, node: int, after: int) -> bool:
        """Whether a node of B can do what stands after its counterpart as well."""
        op_type = self._sorting.match.a.graph.nodes.op_types[after]
        side = self._sorting.match.b
        if is_quantized(side.graph.nodes.ops[node]):
            return op_type == "QuantizeLinear" or op_type in ACTIVATIONS
        if op_type in ACTIVATIONS:
            return "activation" in attributes(side, node)
        has_sum = len(side.inputs[node]) > SUM_INPUT
        return op_type == "BatchNormalization" or (op_type == "Add" and has_sum)

    def _claim_from_inputs(self) -> None:
        """What stands before a node that changed and after nothing that is known."""
        side = self._sorting.match.a
        for node in self._in_order_of_a():
            group = self._sorting.of_b.get(node)
            if group is not None and group.core is not None and not group.is_same:
                inputs = side.inputs[group.core[0]]
                self._claim(node, [v for v in inputs if is_inside(side, v)])

    def _leftovers_of_b(self) -> None:
        """Nodes of other work join what they hang on, if that changed its own; glue is added."""
        side = self._sorting.match.b
        for node in sorted(self._sorting.free_b, reverse=True):
            group = None
            if side.graph.nodes.op_types[node] not in GLUE:
                group = self._neighbour(side, node, self._sorting.of_b)
            if group is None:
                self._alone_b(node)
            else:
                self._sorting.join_b(node, group)

    def _leftovers_of_a(self) -> None:
        side = self._sorting.match.a
        for node in sorted(self._sorting.free_a, reverse=True):
            group = self._neighbour(side, node, self._sorting.of_a)
            if group is None:
                self._sorting.join_a(node, Group())
            else:
                self._sorting.join_a(node, group)

    def _neighbour(self, side: Side, node: int, groups: Mapping[int, Group]) -> Group | None:
        """The group of a node after this one, else before it, that does not do the same as ever."""
        after = [
            consumer
            for value in side.outputs[node]
            if is_inside(side, value)
            for consumer in side.consumers[value]
        ]
        before = [side.producers[value] for value in side.inputs[node] if is_inside(side, value)]
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
        known = side is self._sorting.match.a and self._recognizer.fusion(
            [*group.a, node], group.b, group.is_same
        )
        return bool(known)
