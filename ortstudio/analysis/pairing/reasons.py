"""Why a node stands alone in its row, and what a change of a node is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from ortstudio.analysis.nchwc import NCHWC_DOMAIN
from ortstudio.analysis.pairing.explain import attributes
from ortstudio.analysis.pairing.families import QUANTIZERS
from ortstudio.analysis.pairing.groups import Group
from ortstudio.analysis.pairing.inlining import CAST_PREFIX
from ortstudio.analysis.pairing.recognize import Recognizer
from ortstudio.analysis.pairing.rewrites import RESHAPING
from ortstudio.analysis.pairing.rows import Change
from ortstudio.analysis.pairing.sides import NONE, Match, Side
from ortstudio.analysis.words import listed
from ortstudio.model.types import DataType

NHWC_DOMAIN = "com.ms.internal.nhwc"
_CASTS = (CAST_PREFIX, "InsertedCast_")


class Reason(NamedTuple):
    """A sentence, and the name of the rewrite where it is known."""

    text: str
    rewrite: str = ""


class Reasons:
    """Looks at what stands around a node; `groups` are all of one pair of graphs."""

    def __init__(self, match: Match, groups: Sequence[Group], recognizer: Recognizer) -> None:
        self._match = match
        self._recognizer = recognizer
        self._of_a = {node: group for group in groups for node in group.a}
        self._of_b = {node: group for group in groups for node in group.b}

    def removed(self, node: int) -> Reason:
        """Why nothing of B came of a node of A."""
        side = self._match.a
        op = side.graph.nodes.ops[node]
        if not any(side.consumers[v] or v in side.graph_outputs for v in _given(side, node)):
            return Reason("Nothing reads what it makes", "unused")
        if op in QUANTIZERS:
            return self._quantizer_removed(node)
        known = self._recognizer.elimination(node)
        if known is not None:
            return Reason(known.sentence, known.name)
        if op == "Cast" and self._is_any_cast_inserted:
            return Reason("What reads it runs in float32 now", "insert-cast")
        if op == "Cast" and self._only_shapes_read(node):
            return Reason("Only the shape is read, which has no type", "pre-shape-elimination")
        if op == "Transpose" and self._are_transposes_moved():
            return Reason("Transposes cancel out, or were moved together", "transpose-optimizer")
        return Reason(f"The result has no {op} in this place")

    @cached_property
    def _is_any_cast_inserted(self) -> bool:
        return any(n.startswith(CAST_PREFIX) for n in self._match.b.graph.values.names)

    def _only_shapes_read(self, node: int) -> bool:
        readers = _after(self._match.a, node)
        return {self._match.a.graph.nodes.ops[n] for n in readers} == {"Shape"}

    def _are_transposes_moved(self) -> bool:
        """Whether several of them are gone or new."""
        gone = [n for n, group in self._of_a.items() if not group.b]
        new = [n for n, group in self._of_b.items() if not group.a]
        ops_a, ops_b = self._match.a.graph.nodes.ops, self._match.b.graph.nodes.ops
        texts = [*(ops_a[n] for n in gone), *(ops_b[n] for n in new)]
        return texts.count("Transpose") > 1 and any(ops_a[n] == "Transpose" for n in gone)

    def _quantizer_removed(self, node: int) -> Reason:
        side = self._match.a
        around = [*_before(side, node), *_after(side, node)]
        kept = [n for n in around if side.graph.nodes.ops[n] not in QUANTIZERS]
        if not around or (kept and not any(self._is_on_both_sides(n) for n in kept)):
            return Reason(f"The result has no {side.graph.nodes.ops[node]} in this place")
        if kept:
            what = listed([side.graph.nodes.ops[n] for n in kept])
            return Reason(f"{what} works on the quantized values themselves", "qdq-drop")
        return Reason("The values were quantized twice in a row: once is enough", "double-qdq")

    def _is_on_both_sides(self, node: int) -> bool:
        group = self._of_a.get(node)
        return group is not None and bool(group.b)

    def added(self, node: int) -> Reason:
        """What a node of B is for that came of no node of A."""
        side = self._match.b
        nodes = side.graph.nodes
        op, domain = nodes.op_types[node], nodes.domains[node]
        if domain == NCHWC_DOMAIN:
            way = "into blocks of channels" if op == "ReorderInput" else "out of blocks of channels"
            return Reason(f"It brings the values {way}", "nchwc-layout")
        if op == "Cast" and nodes.names[node].startswith(_CASTS):
            return self._cast(node)
        if op == "Transpose":
            return self._transpose(node)
        if op in QUANTIZERS:
            return self._quantizer_added(node)
        return self._fitting(node) or Reason(f"The source has no {nodes.ops[node]} in this place")

    def _cast(self, node: int) -> Reason:
        side = self._match.b
        to_float = attributes(side, node).get("to") == DataType.FLOAT
        others = _after(side, node) if to_float else _before(side, node)
        what = listed([side.graph.nodes.ops[n] for n in others]) or "An operator"
        text = f"{what} runs in float32: ONNX Runtime has no code for it in half precision"
        return Reason(text, "insert-cast")

    def _transpose(self, node: int) -> Reason:
        side = self._match.b
        for other in (*_after(side, node), *_before(side, node)):
            if is_channels_last(side, other):
                what = side.graph.nodes.ops[other]
                return Reason(f"{what} wants the channels last", "nhwc-layout")
        if self._are_transposes_moved():
            return Reason("Transposes cancel out, or were moved together", "transpose-optimizer")
        if self._is_any_channels_last:
            text = "It changes between layouts with the channels first and last"
            return Reason(text, "nhwc-layout")
        return Reason("The source has no Transpose in this place")

    @cached_property
    def _is_any_channels_last(self) -> bool:
        nodes = range(len(self._match.b.mates))
        return any(is_channels_last(self._match.b, node) for node in nodes)

    def _quantizer_added(self, node: int) -> Reason:
        side = self._match.b
        if side.inputs[node] and side.inputs[node][0] in side.constants:
            return Reason("A constant is kept quantized", "weight-bias-quantization")
        if any(self._is_new_quantizer(n) for n in (*_before(side, node), *_after(side, node))):
            text = "The quantization is repeated on the other side of nodes that only move values"
            return Reason(text, "qdq-propagation")
        return Reason(f"The source has no {side.graph.nodes.ops[node]} in this place")

    def _is_new_quantizer(self, node: int) -> bool:
        group = self._of_b.get(node)
        is_new = group is not None and not group.a
        return is_new and self._match.b.graph.nodes.op_types[node] in QUANTIZERS

    def _fitting(self, node: int) -> Reason | None:
        """A change of shape that a known fusion next to it wants."""
        side = self._match.b
        for other in (*_before(side, node), *_after(side, node)):
            group = self._of_b.get(other)
            known = self._fusion(group) if group and group.a else None
            if known in RESHAPING:
                return Reason(f"It fits the shape for {side.graph.nodes.ops[other]}", known)
        return None

    def _fusion(self, group: Group) -> str:
        known = self._recognizer.fusion(group.a, group.b, group.is_same)
        return known.name if known else ""

    def changed(self, a: int, b: int, changes: Sequence[Change]) -> Reason:
        """What the change of a node is about."""
        nodes = self._match.b.graph.nodes
        if nodes.domains[b] == NCHWC_DOMAIN:
            return Reason("It computes on blocks of channels", "nchwc-layout")
        if is_channels_last(self._match.b, b) and not is_channels_last(self._match.a, a):
            return Reason("It computes with the channels last", "nhwc-layout")
        if nodes.op_types[b] in QUANTIZERS and self._becomes_unsigned(a, b):
            return Reason("Signed values became unsigned", "signed-to-unsigned")
        if any(change.after.startswith("FusedBack_") for change in changes):
            text = "Constants are held in float32, in which it runs"
            return Reason(text, "fuse-initializers")
        if nodes.op_types[b] == "Cast" and self._is_any_cast_inserted:
            return Reason("What reads it runs in float32 now", "insert-cast")
        if [change.what for change in changes] == ["version"]:
            return Reason("Another version of the same operator")
        what = listed([change.what for change in changes])
        return Reason(f"Same work, but other {what}")

    def _becomes_unsigned(self, a: int, b: int) -> bool:
        types = [
            declared[0]
            for side, node in ((self._match.a, a), (self._match.b, b))
            for value in side.inputs[node][2:3]
            if value in side.constants and (declared := side.declared(value))
        ]
        return types in (
            [DataType.INT8, DataType.UINT8],
            [DataType.INT16, DataType.UINT16],
        )


def is_channels_last(side: Side, node: int) -> bool:
    """Whether a node computes in the layout that has the channels last."""
    nodes = side.graph.nodes
    if nodes.domains[node] == NHWC_DOMAIN or nodes.op_types[node].startswith("Nhwc"):
        return True
    return nodes.domains[node] != "" and attributes(side, node).get("channels_last") == 1


def _given(side: Side, node: int) -> Iterator[int]:
    return (value for value in side.outputs[node] if value >= 0)


def _after(side: Side, node: int) -> list[int]:
    """The nodes that read what a node makes."""
    return [reader for value in _given(side, node) for reader in side.consumers[value]]


def _before(side: Side, node: int) -> list[int]:
    """The nodes that make what a node reads."""
    made = (side.producers[value] for value in side.inputs[node] if value >= 0)
    return [maker for maker in made if maker != NONE]
