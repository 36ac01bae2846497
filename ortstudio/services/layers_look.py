"""Runs two models and looks at their values, in batches that bound the memory.

Both are run as they are stored, once each on its own values. Where that shows a difference, the
nodes of B are run once more on A's values: what is wrong then is wrong in these very nodes, and
what is not was handed down to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from ortstudio.analysis.layers import Cone, Point, Suspects, coarseness, cone, is_drawn, points
from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.pairing.rows import NodeRow
from ortstudio.model.graph import Graph
from ortstudio.model.types import TensorType, element_count, packed_size
from ortstudio.services.agreement import OutputAgreement, Tolerance
from ortstudio.services.compare_found import Fed
from ortstudio.services.diff import Comparison
from ortstudio.services.exchange import TensorValue, Value, ValuesFile
from ortstudio.services.layers_found import Cause, FirstDifference, Layers, LayerValue
from ortstudio.services.layers_judging import (
    Form,
    Means,
    as_given,
    form_to_give,
    is_in_other_layout,
    judged,
)
from ortstudio.services.layers_side import NotGivenError, Side

BATCH_BYTES = 256 << 20
"""How much of the values of one side is in memory at a time, unless one alone is larger."""
UNKNOWN_BYTES = 1 << 20
"""What a value is taken to need whose shape the model does not say, before any was seen."""
DISTINCT = 10.0
"""A difference within the tolerance stands out when it is so many times as large as any other."""
MOST_FAILURES = 30
"""Of runs, before it is given up to find the values that are to blame."""
OTHER_LAYOUT = "The two hold its elements in another order"

Progress = Callable[[str, int, int], None]
"""Told what is done, how many values are through, and of how many."""


class Looking:
    """Compares the inside of two models."""

    def __init__(
        self,
        comparison: Comparison,
        sides: tuple[Side, Side],
        fed: Fed,
        tolerance: Tolerance,
        on_progress: Progress,
    ) -> None:
        self._a, self._b = sides
        self._fed = fed
        self._tolerance = tolerance
        self._report = on_progress
        self._suspects = Suspects(comparison.diff.nodes)
        self._points = points(self._a.graph, self._b.graph, comparison.diff.values)
        self._kept: dict[Point, ValuesFile] = {}
        self._givable: dict[Point, Form] = {}
        """Points whose value in A can be put into B, and how B holds it."""
        self._known_a: set[int] = set()
        self._known_b: dict[int, Point] = {}
        self._left_out: dict[str, str] = {}
        self._failures = 0
        self._largest = 0

    def look(self) -> Layers:
        """Compare everything. Raises StudioError where a model cannot be looked into."""
        values: list[LayerValue] = []
        for batch in self._batches(self._points):
            self._report("comparing values", len(values), len(self._points))
            values += self._free(batch)
        if any(value.differs for value in values):
            values = self._forced(values)
        return Layers(tuple(values), self._first(values), self._left_out)

    def _batches(self, wanted: Sequence[Point]) -> Iterator[list[Point]]:
        batch, size = list[Point](), 0
        for point in wanted:
            needed = self._bytes(point)
            if batch and size + needed > BATCH_BYTES:
                yield batch
                batch, size = [], 0
            batch.append(point)
            size += needed
        if batch:
            yield batch

    def _bytes(self, point: Point) -> int:
        """What a value takes, by the shape that either model states."""
        for graph, value in ((self._b.graph, point.b), (self._a.graph, point.a)):
            of = graph.values.types[value]
            if isinstance(of, TensorType) and of.dims is not None:
                dims = [self._fed.sizes.get(d) if isinstance(d, str) else d for d in of.dims]
                known = [dim for dim in dims if dim is not None and dim >= 0]
                if len(known) == len(dims):
                    return packed_size(of.elem_type, known) or 16 * element_count(known)
        return self._largest or UNKNOWN_BYTES

    def _free(self, batch: Sequence[Point]) -> Iterator[LayerValue]:
        """Each model on its own values."""
        ours = self._values(self._a, {point: point.a for point in batch}, self._fed.a, {})
        theirs = self._values(self._b, {point: point.b for point in batch}, self._fed.b, {})
        for point in batch:
            if point in ours and point in theirs:
                yield from self._compared(point, ours[point], theirs[point])
        _close(ours)
        _remove(theirs)

    def _values(
        self,
        side: Side,
        wanted: Mapping[Point, int],
        fed: Mapping[str, Value],
        given: Mapping[str, TensorValue],
    ) -> dict[Point, ValuesFile]:
        """Where the values are; what makes a run fail is found by halves, and left out.

        After many failures it is the model, and no single value: then all that is wanted is left
        out.
        """
        names = {point: side.graph.values.names[value] for point, value in wanted.items()}
        try:
            kept = side.values(list(dict.fromkeys(names.values())), fed, given)
        except NotGivenError as error:
            self._failures += 1
            if len(wanted) == 1 or self._failures > MOST_FAILURES:
                self._left_out.update(dict.fromkeys(names.values(), str(error)))
                return {}
            every, half = list(wanted.items()), len(wanted) // 2
            first = self._values(side, dict(every[:half]), fed, given)
            return first | self._values(side, dict(every[half:]), fed, given)
        return dict.fromkeys(wanted, kept)

    def _compared(self, point: Point, ours: ValuesFile, theirs: ValuesFile) -> Iterator[LayerValue]:
        a, b = self._names(point)
        x, y = ours.read(a), theirs.read(b)
        self._largest = max(self._largest, _bytes(x), _bytes(y))
        means = self._means(point)
        if is_in_other_layout(x, y):
            self._left_out[a] = OTHER_LAYOUT
            return
        self._kept[point] = ours
        form = form_to_give(x, y, means.scales)
        if form is not None:
            self._givable[point] = form
            self._known_a.add(point.a)
            self._known_b[point.b] = point
        yield LayerValue(
            point,
            a,
            b,
            _maker(self._a.graph, point.a),
            _maker(self._b.graph, point.b),
            judged(a, x, y, means, self._tolerance)[0],
            drawn=is_drawn(self._a.graph, point.a),
        )

    def _forced(self, values: Sequence[LayerValue]) -> list[LayerValue]:
        """With B's nodes on A's values, for all values that are not the same anyway."""
        wanted = [v.point for v in values if not v.found.equal and not v.drawn]
        found = {value.point: value for value in values}
        for batch in self._batches(wanted):
            self._report("looking for the node", wanted.index(batch[0]), len(wanted))
            for point, own, allowed in self._own(batch):
                found[point] = replace(found[point], own=own, allowed=allowed)
        return list(found.values())

    def _own(self, batch: Sequence[Point]) -> Iterator[tuple[Point, OutputAgreement, float]]:
        cones = {point: self._cones(point) for point in batch}
        starts = {self._known_b[value] for _, one in cones.values() for value in one.start}
        given = dict(map(self._as_given, starts))
        theirs = self._values(self._b, {point: point.b for point in batch}, self._fed.b, given)
        for point in theirs:
            a, b = self._names(point)
            x, y = self._kept[point].read(a), theirs[point].read(b)
            ours, other = cones[point]
            coarse = coarseness(self._a.graph, self._b.graph, ours.rows, other.rows)
            steps = self._b.scales.coarsest(other.rows) if coarse else 0.0
            means = self._means(point)
            yield point, *judged(a, x, y, means, self._tolerance, (coarse, steps))
        _close(self._kept)
        _remove(theirs)

    def _as_given(self, point: Point) -> tuple[str, TensorValue]:
        """A's value under B's name, as B holds it."""
        a, b = self._names(point)
        value = self._kept[point].read(a)
        assert isinstance(value, TensorValue)
        return b, as_given(value, self._givable[point], self._means(point).scales)

    def _cones(self, point: Point) -> tuple[Cone, Cone]:
        """What lies between a value and those that B can take from A, on both sides."""
        a, b = self._a.graph, self._b.graph
        return cone(a, point.a, self._known_a), cone(b, point.b, self._known_b)

    def _first(self, values: Sequence[LayerValue]) -> FirstDifference | None:
        differing = [value for value in values if value.differs]
        wrong = [value for value in values if value.own is not None and not value.own.agrees]
        if wrong:
            return FirstDifference(self._row(wrong[0].point), wrong[0], "node")
        if not differing:
            return None
        own = sorted(values, key=lambda v: v.own.excess if v.own else 0.0, reverse=True)
        sizes = [value.own.excess if value.own else 0.0 for value in own[:2]]
        if sizes[0] > DISTINCT * sum(sizes[1:]):
            cause: Cause = "types" if own[0].allowed else "small"
            return FirstDifference(self._row(own[0].point), own[0], cause)
        return FirstDifference(self._row(differing[0].point), differing[0], "sum")

    def _row(self, point: Point) -> NodeRow:
        return self._suspects.among(self._a.graph, self._b.graph, self._cones(point))

    def _names(self, point: Point) -> tuple[str, str]:
        return self._a.graph.values.names[point.a], self._b.graph.values.names[point.b]

    def _means(self, point: Point) -> Means:
        a, b = self._a.scales, self._b.scales
        step = max(a.step_of(point.a), b.step_of(point.b))
        reader = b.read_by(point.b) if a.read_by(point.a) is None else None
        return Means((a.of(point.a), b.of(point.b)), step, reader)


def _maker(graph: Graph, value: int) -> NodeRef:
    return NodeRef(graph.path, int(graph.nodes.indices[int(graph.producers[value])]))


def _bytes(value: Value) -> int:
    return value.array.nbytes if isinstance(value, TensorValue) else 0


def _close(found: Mapping[Point, ValuesFile]) -> None:
    for file in set(found.values()):
        file.close()


def _remove(found: Mapping[Point, ValuesFile]) -> None:
    for file in set(found.values()):
        file.remove()
