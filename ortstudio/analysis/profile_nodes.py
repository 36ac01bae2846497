"""A profile laid on the nodes of a model, subgraphs included."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.profile_events import HOLDERS, NS, Event, Ran, Run
from ortstudio.model.graph import MAIN_PATH, Graph
from ortstudio.model.model import FileKind, Model


@dataclass(frozen=True, slots=True)
class NodeTime:
    """What one node took in a run, on average. `ns` is without what ran inside it.

    `in_file` is false for a node that the runtime made at load, whose index is the runtime's.
    `calls` is how often it ran in one run.
    """

    ref: NodeRef
    name: str
    op: str
    in_file: bool
    ns: int
    total_ns: int
    calls: float
    provider: str = ""
    output_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Times:
    """What a run took: the nodes, in the order in which they first ran, and what lies between.

    Both are means over the middle half of the runs, so that they add up to `run_ns`. `runs_ns` has
    all runs.
    """

    run_ns: int
    between_ns: int
    nodes: tuple[NodeTime, ...]
    runs_ns: tuple[int, ...]


@dataclass
class _Sum:
    event: Event
    own: int = 0
    total: int = 0
    calls: int = 0


@dataclass(frozen=True, slots=True)
class _Key:
    graph: str
    index: int
    name: str
    op: str
    in_file: bool


_Place = tuple[int, int]
"""A graph's number and a row in it."""


@dataclass(eq=False)
class _Index:
    """The rows of one graph by what a profile says of a node."""

    graph: Graph
    by_index: dict[int, int]
    by_name: dict[tuple[str, str], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        nodes = self.graph.nodes
        pairs = list(zip(nodes.names, nodes.op_types, strict=True))
        several = {pair for pair, number in Counter(pairs).items() if number > 1}
        for row, pair in enumerate(pairs):
            if pair[0] and pair not in several:
                self.by_name[pair] = row

    def find(self, event: Event) -> int | None:
        """By the index and the name where both hold, else by the name alone."""
        row = self.by_index.get(_index_of(event))
        if row is not None and self._is(row, event):
            return row
        return self.by_name.get((event.name, event.op))

    def _is(self, row: int, event: Event) -> bool:
        nodes = self.graph.nodes
        return nodes.op_types[row] == event.op and nodes.names[row] in (event.name, "")


def _index_of(event: Event) -> int:
    """The profile's own, or the number behind the operator that stands for a missing name."""
    number = event.name.removeprefix(f"{event.op}_")
    return event.index if event.index >= 0 or not number.isdigit() else int(number)


class _Nodes:
    """The nodes of one model, all of its graphs."""

    def __init__(self, model: Model) -> None:
        self._graphs = [_Index(graph, _rows_by_index(model, graph)) for graph in model.graphs]
        self._inside: dict[_Place, list[int]] = {}
        self.holders = set[str]()
        for number, graph in enumerate(model.graphs):
            if graph.parent is not None:
                place = graph.parent.graph, graph.parent.node
                self._inside.setdefault(place, []).append(number)
                self.holders.add(model.graphs[place[0]].nodes.op_types[place[1]])

    def find(self, event: Event, graphs: Sequence[int]) -> _Place | None:
        """The node in one of some graphs."""
        for number in graphs:
            row = self._graphs[number].find(event)
            if row is not None:
                return number, row
        return None

    def inside(self, place: _Place | None) -> list[int]:
        """The graphs inside a node."""
        return self._inside.get(place, []) if place else []

    def key(self, place: _Place, in_file: bool) -> _Key:
        """What names the node in the answer."""
        graph, row = self._graphs[place[0]].graph, place[1]
        nodes = graph.nodes
        return _Key(graph.path, int(nodes.indices[row]), nodes.names[row], nodes.ops[row], in_file)


class Laying:
    """Lays events on the nodes of a file.

    `executed` is the graph that ran, where that is known to be another than the file's: what only
    it has was made at load.
    """

    def __init__(self, file: Model, executed: Model | None = None) -> None:
        self._models = [_Nodes(file)] + ([_Nodes(executed)] if executed else [])
        self.holders = HOLDERS.union(*(model.holders for model in self._models))

    def times(self, runs: Sequence[Run]) -> Times:
        """The middle half of the runs, averaged."""
        chosen = middle_half(runs)
        sums: dict[_Key, _Sum] = {}
        start = [[0] for _ in self._models]
        for run in chosen:
            for node in run.nodes:
                for key, ran in self._laid(node, start, start):
                    found = sums.setdefault(key, _Sum(ran.event))
                    found.own += ran.own
                    found.total += ran.event.took
                    found.calls += 1
        count = max(1, len(chosen))
        nodes = tuple(_node(key, found, count) for key, found in sums.items())
        run_ns = round(sum(run.took for run in chosen) * NS / count)
        between = run_ns - sum(node.ns for node in nodes)
        return Times(run_ns, between, nodes, tuple(run.took * NS for run in runs))

    def _laid(
        self, ran: Ran, graphs: Sequence[list[int]], around: Sequence[list[int]]
    ) -> Iterator[tuple[_Key, Ran]]:
        """A node and all that ran inside it, by model the graphs in which to look for it.

        A node of the graph around may seem to have run inside: times are cut off.
        """
        places = [
            model.find(ran.event, near) or model.find(ran.event, far)
            for model, near, far in zip(self._models, graphs, around, strict=True)
        ]
        inside = [model.inside(place) for model, place in zip(self._models, places, strict=True)]
        for one in ran.inside:
            yield from self._laid(one, inside, graphs)
        yield self._key(ran.event, places), ran

    def _key(self, event: Event, places: Sequence[_Place | None]) -> _Key:
        for number, (model, place) in enumerate(zip(self._models, places, strict=True)):
            if place is not None:
                return model.key(place, in_file=number == 0)
        return _Key(MAIN_PATH, _index_of(event), event.name, event.op, False)


def middle_half(runs: Sequence[Run]) -> list[Run]:
    """The runs without the fastest and the slowest quarter, one at least."""
    order = sorted(runs, key=lambda run: run.took)
    cut = len(order) // 4
    return order[cut : len(order) - cut]


def _node(key: _Key, found: _Sum, runs: int) -> NodeTime:
    return NodeTime(
        NodeRef(key.graph, key.index),
        key.name,
        key.op,
        key.in_file,
        ns=round(found.own * NS / runs),
        total_ns=round(found.total * NS / runs),
        calls=found.calls / runs,
        provider=found.event.provider,
        output_bytes=found.event.output_bytes,
    )


def _rows_by_index(model: Model, graph: Graph) -> dict[int, int]:
    """Row by the index that the runtime gives; of an ONNX model it counts no `Constant` nodes."""
    if model.kind is FileKind.ORT:
        return graph.nodes.rows_by_index
    rows = [row for row, op in enumerate(graph.nodes.op_types) if op != "Constant"]
    return dict(enumerate(rows))
