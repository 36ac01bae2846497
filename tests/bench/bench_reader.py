"""Our reader of `.ort` against the bindings that come with the runtime, on 50 000 nodes."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from ortstudio.format.source import Source
from ortstudio.model.graph import Graph
from ortstudio.model.ort_reader import read_ort
from ortstudio.model.types import TensorType, ValueType
from tests.bench import bindings_reader
from tests.bench.bindings_reader import Row
from tests.bench.measure import Claim, calls_in_turns, in_turns, median_seconds
from tests.bench.models import node_heavy

NODES = 50_000
ROUNDS = 5


def claims() -> Iterator[Claim]:
    """The reader alone, then the whole program."""
    path = node_heavy(NODES, ".ort")
    if _ours(path) != _theirs(path):
        raise AssertionError("the two readers disagree")
    times = calls_in_turns(
        {
            "columns": lambda: read_ort(Source.open(path)),
            "rows": lambda: _ours(path),
            "bindings": lambda: _theirs(path),
        },
        ROUNDS,
    )
    columns, rows, bindings = (statistics.median(times[key]) for key in times)
    detail = f"{columns:.2f} s against {bindings:.2f} s"
    text = f"reading the nodes, attributes, values and types of {NODES:,} nodes"
    yield Claim(text, bindings / columns, 10, at_most=False, detail=detail)
    print(f"          turned into as many Python objects as the bindings make: {rows:.2f} s")
    yield _program(path)


def _program(path: Path) -> Claim:
    inspect = [sys.executable, "-m", "ortstudio", "inspect", "--json", str(path)]
    script = [sys.executable, bindings_reader.__file__, str(path)]
    runs = in_turns({"inspect": inspect, "bindings": script}, ROUNDS)
    ours, theirs = (median_seconds(runs[key]) for key in runs)
    return Claim(
        f"the whole `inspect --json` of {NODES:,} nodes",
        theirs / ours,
        3,
        at_most=False,
        detail=f"{ours:.2f} s against {theirs:.2f} s",
    )


def _theirs(path: Path) -> tuple[Sequence[Row], Sequence[Row]]:
    graph = bindings_reader.open_graph(path.read_bytes())
    return bindings_reader.read_nodes(graph), bindings_reader.read_values(graph)


def _ours(path: Path) -> tuple[Sequence[Row], Sequence[Row]]:
    """The same rows out of our columns."""
    model = read_ort(Source.open(path))
    assert model.ort is not None
    graph = model.main
    return _nodes(graph), _values(graph)[: model.ort.graphs[0].declared_values]


def _nodes(graph: Graph) -> list[Row]:
    nodes, at = graph.nodes, graph.nodes.attributes
    names = [*graph.values.names, ""]
    values = [(name, _plain(at.value(row))) for row, name in enumerate(at.names)]
    columns = zip(
        nodes.names,
        nodes.domains,
        nodes.op_types,
        nodes.since_versions.tolist(),
        nodes.inputs.lists(),
        nodes.outputs.lists(),
        nodes.attribute_rows.lists(),
        strict=True,
    )
    return [
        (
            name,
            domain,
            op_type,
            since,
            [names[i] for i in inputs],
            [names[i] for i in outputs],
            dict(values[row] for row in rows),
        )
        for name, domain, op_type, since, inputs, outputs, rows in columns
    ]


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _values(graph: Graph) -> list[Row]:
    return [
        (name, *_parts(value_type))
        for name, value_type in zip(graph.values.names, graph.values.types, strict=True)
    ]


def _parts(value_type: ValueType | None) -> tuple[int, tuple[int | str | None, ...]]:
    assert isinstance(value_type, TensorType)
    return value_type.elem_type, value_type.dims or ()
