"""Whether a rewrite that the operators suggest is what really happened, as far as can be seen."""

from __future__ import annotations

from collections.abc import Sequence

from ortstudio.analysis.pairing.explain import attributes
from ortstudio.analysis.pairing.rewrites import ELIMINATIONS, Rewrite, fusion
from ortstudio.analysis.pairing.sides import NONE, Match, Side
from ortstudio.model.tensor import Tensor
from ortstudio.model.types import DataType, TensorType

_FEW = 64
_LOWEST = {DataType.UINT8: 0, DataType.INT8: -128, DataType.UINT16: 0, DataType.INT16: -32768}
_NEUTRAL = {"Add": 0, "Sub": 0, "Mul": 1, "Div": 1}


class Recognizer:
    """Knows two graphs, and asks for the few numbers that decide."""

    def __init__(self, match: Match) -> None:
        self._match = match

    def fusion(self, a: Sequence[int], b: Sequence[int], is_same: bool) -> Rewrite | None:
        """The rewrite that made nodes of A into those of B; None where none is known.

        `is_same` says that the node of B does what one of A does already: few rewrites leave it so.
        """
        ops_a, ops_b = self._match.a.graph.nodes.ops, self._match.b.graph.nodes.ops
        found = fusion([ops_a[n] for n in a], [ops_b[n] for n in b])
        if found is None or (is_same and not found.keeps):
            return None
        if found.name == "relu-clip":
            return found if self._starts_at_zero(b[0]) else None
        if found.name == "activation-quantize":
            return found if self._cuts_off_below_zero(b[0]) else None
        return found

    def _starts_at_zero(self, clip: int) -> bool:
        side = self._match.b
        bound = attributes(side, clip).get("min")
        if len(side.inputs[clip]) > 1:
            values = numbers(side, side.inputs[clip][1])
            bound = values[0] if values else None
        return isinstance(bound, int | float) and bound >= 0

    def _cuts_off_below_zero(self, quantize: int) -> bool:
        """Whether zero is the lowest value that the quantization knows."""
        side = self._match.b
        if len(side.inputs[quantize]) < 3:
            return True
        zero = side.inputs[quantize][2]
        declared = side.declared(zero) if zero in side.constants else None
        values = numbers(side, zero)
        return (
            declared is not None
            and values is not None
            and set(values) == {_LOWEST.get(DataType(declared[0]))}
        )

    def elimination(self, node: int) -> Rewrite | None:
        """Why the values are the same without a node of A; None where that cannot be seen."""
        side = self._match.a
        op = side.graph.nodes.ops[node]
        rule = ELIMINATIONS.get(op)
        if rule is None or op in ("Identity", "Dropout"):
            return rule
        if op == "Cast":
            return rule if self._same_type(node) else None
        if op in _NEUTRAL:
            return rule if self._is_neutral(node, _NEUTRAL[op]) else None
        if op == "Slice":
            return rule if self._takes_all(node) or self._same_shape(node) else None
        if op == "Pad":
            pads = numbers(side, side.inputs[node][1]) if len(side.inputs[node]) > 1 else None
            return rule if pads and not any(pads) else None
        if op == "Expand":
            return rule if self._fills_nothing(node) else None
        return rule if self._same_shape(node) else None

    def _fills_nothing(self, expand: int) -> bool:
        """Whether the size that is asked for is there already."""
        side = self._match.a
        if len(side.inputs[expand]) < 2:
            return False
        wanted, read = numbers(side, side.inputs[expand][1]), self._type(side.inputs[expand][0])
        if wanted is None or read is None or read.dims is None or len(wanted) > len(read.dims):
            return False
        there = read.dims[len(read.dims) - len(wanted) :]
        return all(want in (1, dim) for want, dim in zip(wanted, there, strict=True))

    def _type(self, value: int) -> TensorType | None:
        """A value's type, from B where A does not say."""
        found = self._match.a.type(value)
        partner = self._match.partner_of_a.get(value)
        if not isinstance(found, TensorType) and partner is not None:
            found = self._match.b.type(partner)
        return found if isinstance(found, TensorType) else None

    def _same_type(self, cast: int) -> bool:
        side = self._match.a
        read = self._type(side.inputs[cast][0])
        return read is not None and attributes(side, cast).get("to") == read.elem_type

    def _same_shape(self, node: int) -> bool:
        side = self._match.a
        if not side.inputs[node] or not side.outputs[node]:
            return False
        read, made = self._type(side.inputs[node][0]), self._type(side.outputs[node][0])
        if read is None or made is None or read.dims is None:
            return False
        return read.dims == made.dims and None not in read.dims

    def _is_neutral(self, node: int, neutral: int) -> bool:
        side = self._match.a
        inputs = side.inputs[node]
        places = inputs if side.graph.nodes.op_types[node] in ("Add", "Mul") else inputs[1:]
        return any(
            values is not None and len(values) > 0 and set(values) == {neutral}
            for values in (numbers(side, value) for value in places)
        )

    def _takes_all(self, node: int) -> bool:
        side = self._match.a
        given = [numbers(side, value) for value in side.inputs[node][1:]]
        if len(given) < 2 or given[0] is None or given[1] is None:
            return False
        steps = given[3] if len(given) > 3 else [1]
        far = (1 << 31) - 1
        return not any(given[0]) and all(end >= far for end in given[1]) and set(steps or ()) == {1}


def numbers(side: Side, value: int) -> list[float] | None:
    """The elements of a small constant; None where it is none. I/O."""
    if value == NONE or value not in side.constants or side.contents is None:
        return None
    row = side.constants[value]
    tensor = side.graph.initializers[row] if row >= 0 else side.held[value]
    if not isinstance(tensor, Tensor):
        return None
    elements = side.contents.elements(side.graph, tensor)
    if elements is None or elements.count > _FEW or tensor.data_type == DataType.STRING:
        return None
    found: list[float] = elements.array().reshape(-1).tolist()
    return found
