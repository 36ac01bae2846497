"""Values inside two models that can be held against each other, and what lies between them.

A point is a value that nodes of both models make and the pairing takes for the same. Between
points lie the nodes that compute one of them from others: its cone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from operator import mul

from ortstudio.analysis.checks.order import running_order
from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.pairing.families import RANDOM
from ortstudio.analysis.pairing.rows import NamedRow, NodeRow
from ortstudio.analysis.pairing.verdict import node_differs
from ortstudio.model.graph import MAIN_PATH, Graph
from ortstudio.model.types import DataType, OptionalType, SparseTensorType, TensorType, ValueType

_QUANTIZED = re.compile(r"Quantize|QLinear|Integer|NBits|^Q[A-Z]")
"""Operators that read, write or compute on quantized numbers."""

_HALF = {
    DataType.FLOAT16: 2.0**-11,
    DataType.BFLOAT16: 2.0**-8,
    DataType.FLOAT8E4M3FN: 2.0**-4,
    DataType.FLOAT8E4M3FNUZ: 2.0**-4,
    DataType.FLOAT8E5M2: 2.0**-3,
    DataType.FLOAT8E5M2FNUZ: 2.0**-3,
    DataType.FLOAT4E2M1: 2.0**-2,
}
_STEPS = {
    DataType.UINT16: 2.0**-16,
    DataType.INT16: 2.0**-16,
    DataType.UINT8: 2.0**-8,
    DataType.INT8: 2.0**-8,
    DataType.UINT4: 2.0**-4,
    DataType.INT4: 2.0**-4,
    DataType.UINT2: 2.0**-2,
    DataType.INT2: 2.0**-2,
}
"""How coarse numbers of a type are against the largest of them: of floats half a last place."""


@dataclass(frozen=True, slots=True)
class Point:
    """A value of both: its id in the main graph of A, and in that of B."""

    a: int
    b: int


def points(a: Graph, b: Graph, values: Sequence[NamedRow]) -> list[Point]:
    """All of them, in the order in which A computes them."""
    places = {row: place for place, row in enumerate(running_order(a))}
    found = []
    for row in values:
        if row.a is None or row.b is None or {row.a.graph, row.b.graph} != {MAIN_PATH}:
            continue
        point = Point(a.values.ids[row.a.name], b.values.ids[row.b.name])
        types = a.values.types[point.a], b.values.types[point.b]
        made = a.producers[point.a] in places and b.producers[point.b] >= 0
        if made and all(map(_can_be_had, types)):
            found.append(point)
    return sorted(found, key=lambda point: places[int(a.producers[point.a])])


def _can_be_had(of: ValueType | None) -> bool:
    """Whether a run can give a value of this type."""
    return not isinstance(of, OptionalType | SparseTensorType)


def is_drawn(graph: Graph, value: int) -> bool:
    """Whether the value is drawn at random."""
    row = int(graph.producers[value])
    return row >= 0 and graph.nodes.op_types[row] in RANDOM


@dataclass(frozen=True, slots=True)
class Cone:
    """The rows of the nodes between a value and the points behind it, and those points' values.

    The node that makes the value comes first.
    """

    rows: tuple[int, ...]
    start: tuple[int, ...]


def cone(graph: Graph, value: int, known: Collection[int]) -> Cone:
    """What computes a value out of values that are known."""
    nodes, rows, start = graph.nodes, dict[int, None](), dict[int, None]()
    pending = [int(graph.producers[value])]
    while pending:
        row = pending.pop()
        if row < 0 or row in rows:
            continue
        rows[row] = None
        for read in (*nodes.inputs.row(row).tolist(), *nodes.implicit_inputs.row(row).tolist()):
            if read in known:
                start[read] = None
            elif read >= 0:
                pending.append(int(graph.producers[read]))
    return Cone(tuple(rows), tuple(start))


def coarseness(a: Graph, b: Graph, rows_a: Sequence[int], rows_b: Sequence[int]) -> float:
    """How far the two may be apart for the types that they compute in, against the largest value.

    Narrow floats round wherever they stand; quantization is a difference only where one side has
    it and the other has not.
    """
    kinds_a, kinds_b = _kinds(a, rows_a), _kinds(b, rows_b)
    rounded = {_HALF[kind] for kind in kinds_a | kinds_b if kind in _HALF}
    steps_a, steps_b = ({_STEPS[k] for k in kinds if k in _STEPS} for kinds in (kinds_a, kinds_b))
    return max(rounded | (steps_a ^ steps_b), default=0.0)


def _kinds(graph: Graph, rows: Sequence[int]) -> set[DataType]:
    """The narrow types that the nodes compute in."""
    nodes, found = graph.nodes, set[DataType]()
    for row in rows:
        quantized = bool(_QUANTIZED.search(nodes.op_types[row]))
        for value in (*nodes.inputs.row(row).tolist(), *nodes.outputs.row(row).tolist()):
            kind = _kind(graph, value) if value >= 0 else None
            if kind in _HALF or (quantized and kind in _STEPS):
                found.add(DataType(kind))
        bits = nodes.attribute_values(row).get("bits") if "NBits" in nodes.op_types[row] else None
        if bits is not None:
            found.add(DataType.UINT4 if bits == 4 else DataType.UINT8)
    return found


def _kind(graph: Graph, value: int) -> int | None:
    row = graph.initializers.rows.get(graph.values.names[value])
    if row is not None:
        return int(graph.initializers.data_types[row])
    of = graph.values.types[value]
    return of.elem_type if isinstance(of, TensorType) else None


class Suspects:
    """Which nodes are not the same on both sides, so that a difference may come from them."""

    def __init__(self, rows: Sequence[NodeRow]) -> None:
        self._of_a = {ref: row for row in rows for ref in row.a}
        self._of_b = {ref: row for row in rows for ref in row.b}

    def among(self, a: Graph, b: Graph, cones: tuple[Cone, Cone]) -> NodeRow:
        """The row to name for a value that came out wrong of these nodes.

        The one that makes the value, unless only others differ: then the first of those.
        """
        rows = [self._of_a[_ref(a, row)] for row in cones[0].rows]
        rows += [self._of_b[_ref(b, row)] for row in cones[1].rows]
        makers = [self._of_b[_ref(b, cones[1].rows[0])], self._of_a[_ref(a, cones[0].rows[0])]]
        # What only one side has, such as a Transpose, tells less than what both have.
        makers.sort(key=lambda row: not row.a or not row.b)
        differing = [row for row in rows if node_differs(row)]
        found = next((maker for maker in makers if maker in differing), None)
        return found or (differing[-1] if differing else makers[0])


def is_regrouped(a: Sequence[int], b: Sequence[int]) -> bool:
    """Whether the elements stand in the same order under both shapes, as after a Reshape.

    That is so where one shape joins neighbouring dimensions of the other; of the same number of
    elements in other dimensions the order is not known.
    """
    if prod(a) != prod(b):
        return False
    steps_a, steps_b = set(accumulate(a, mul)), set(accumulate(b, mul))
    return steps_a <= steps_b | {1} or steps_b <= steps_a | {1}


def _ref(graph: Graph, row: int) -> NodeRef:
    return NodeRef(graph.path, int(graph.nodes.indices[row]))
