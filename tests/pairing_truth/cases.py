"""The ground truth: what `truth/*.json` says, and its names of nodes resolved.

A node of the source is named by its name, one of the result by operator and first output; in a
subgraph ` @ PATH` follows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, final

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.pairing.rows import RowKind
from ortstudio.model.graph import MAIN_PATH, Graph
from ortstudio.model.model import Model

TRUTH = Path(__file__).parent / "truth"


@dataclass(frozen=True)
class Row:
    """A row with its nodes in any order."""

    kind: RowKind
    a: frozenset[NodeRef]
    b: frozenset[NodeRef]


@dataclass(frozen=True)
class Choice:
    """Rows that are right together; more than one reading only where each can be defended."""

    readings: tuple[frozenset[Row], ...]


@final
class WrittenRow(TypedDict):
    kind: RowKind
    a: list[str]
    b: list[str]
    why: str


@final
class WrittenChoice(TypedDict):
    either: list[list[WrittenRow]]
    why: str


class WrittenCase(TypedDict):
    """One entry of a file; each run is LEVEL/STYLE/TARGET."""

    model: str
    runs: list[str]
    rows: list[WrittenRow | WrittenChoice]


class HostCase(WrittenCase, total=False):
    """`host` is the machine whose CPU the rewrite asks for, where it asks for one."""

    host: str


@dataclass(frozen=True)
class Case:
    """One model converted in one way, and its rows."""

    model: str
    level: str
    style: str
    target: str
    host: str
    rows: tuple[WrittenRow | WrittenChoice, ...]

    @property
    def name(self) -> str:
        """`MODEL-LEVEL-STYLE-TARGET`."""
        return f"{self.model}-{self.level}-{self.style}-{self.target}"

    def expected(self, a: Model, b: Model) -> list[Choice]:
        """The rows with their nodes resolved. Raises KeyError for a node that is not there."""
        sources, results = source_names(a), result_names(b)
        return [Choice(tuple(_readings(row, sources, results))) for row in self.rows]


def cases() -> list[Case]:
    """Every case of every family, one for each way of converting."""
    return [
        Case(entry["model"], level, style, target, entry.get("host", ""), tuple(entry["rows"]))
        for path in sorted(TRUTH.glob("*.json"))
        for entry in _entries(path)
        for level, style, target in (run.split("/") for run in entry["runs"])
    ]


def _entries(path: Path) -> list[HostCase]:
    found: list[HostCase] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _readings(
    written: WrittenRow | WrittenChoice,
    sources: dict[str, NodeRef],
    results: dict[str, NodeRef],
) -> Iterator[frozenset[Row]]:
    if "kind" in written:
        yield frozenset([_row(written, sources, results)])
    else:
        for rows in written["either"]:
            yield frozenset(_row(row, sources, results) for row in rows)


def _row(row: WrittenRow, sources: dict[str, NodeRef], results: dict[str, NodeRef]) -> Row:
    return Row(row["kind"], _refs(row["a"], sources), _refs(row["b"], results))


def _refs(names: Sequence[str], known: dict[str, NodeRef]) -> frozenset[NodeRef]:
    return frozenset(known[name] for name in names)


def source_names(model: Model) -> dict[str, NodeRef]:
    """The nodes of the source by their names."""
    return _named(
        (graph, row, graph.nodes.names[row])
        for graph in model.graphs
        for row in range(len(graph.nodes))
    )


def result_names(model: Model) -> dict[str, NodeRef]:
    """The nodes of the result by operator and first output."""
    return _named(
        (graph, row, f"{graph.nodes.ops[row]} {_first_output(graph, row)}")
        for graph in model.graphs
        for row in range(len(graph.nodes))
    )


def _first_output(graph: Graph, row: int) -> str:
    return next(filter(None, graph.value_names(graph.nodes.outputs.row(row).tolist())))


def _named(nodes: Iterable[tuple[Graph, int, str]]) -> dict[str, NodeRef]:
    found: dict[str, NodeRef] = {}
    for graph, row, name in nodes:
        if graph.path != MAIN_PATH:
            name = f"{name} @ {graph.path}"
        assert name not in found, f"two nodes are named {name}"
        found[name] = NodeRef(graph.path, int(graph.nodes.indices[row]))
    return found
