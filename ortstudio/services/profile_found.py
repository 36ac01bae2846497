"""What a profile found: times by node, laid on the file and back on its source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.pairing.rows import NodeRow
from ortstudio.analysis.profile_nodes import NodeTime, Times
from ortstudio.analysis.profile_tables import Part, by_operator, by_scope
from ortstudio.services.document import Document
from ortstudio.services.sessions import Level

Json = dict[str, object]

SCHEMA = "ortstudio/profile@1"


@dataclass(frozen=True, slots=True)
class Measured:
    """The times of one model. `plain_ns` are runs without the profile, which slows runs down.

    `stands_for` has, for nodes that were made at load, the nodes of the file that they came of.
    """

    document: Document
    level: Level
    times: Times
    plain_ns: tuple[int, ...]
    stands_for: Mapping[NodeTime, tuple[NodeRef, ...]] = field(default_factory=dict)

    @property
    def plain_run_ns(self) -> int:
        """The median of the runs without the profile."""
        return round(median(self.plain_ns)) if self.plain_ns else 0

    def in_file(self, node: NodeTime) -> tuple[NodeRef, ...]:
        """The nodes of the file that a time belongs to."""
        return (node.ref,) if node.in_file else self.stands_for.get(node, ())

    def by_file_node(self) -> dict[NodeRef, int]:
        """Nanoseconds by node of the file; of several that became one each has all of its time."""
        found: dict[NodeRef, int] = {}
        for node in self.times.nodes:
            for ref in self.in_file(node):
                found[ref] = found.get(ref, 0) + node.ns
        return found


@dataclass(frozen=True, slots=True)
class Fusion:
    """Nodes of the source and what they became, with the times of both."""

    row: NodeRow
    a_ns: int
    b_ns: int

    @property
    def saved_ns(self) -> int:
        """What it saved; negative where it cost more."""
        return self.a_ns - self.b_ns


@dataclass(frozen=True, slots=True)
class Profile:
    """The profile of a file and, where one was given, of its source as it is stored.

    `rows` pair the source's nodes with the file's. `notes` say what should be known of the runs.
    """

    file: Measured
    inputs: Mapping[str, Mapping[str, object]]
    sizes: Mapping[str, int]
    seed: int
    source: Measured | None = None
    rows: tuple[NodeRow, ...] = ()
    notes: tuple[str, ...] = ()

    def sources(self) -> dict[NodeRef, tuple[NodeRef, ...]]:
        """The nodes of the source that each node of the file came of."""
        return {ref: row.a for row in self.rows for ref in row.b}

    def by_source_node(self) -> dict[NodeRef, int]:
        """Nanoseconds of the file's nodes by the node of the source that they came of."""
        times, found = self.file.by_file_node(), dict[NodeRef, int]()
        for row in self.rows:
            spent = sum(times.get(ref, 0) for ref in row.b)
            for ref in row.a if spent else ():
                found[ref] = found.get(ref, 0) + spent
        return found

    def fusions(self) -> list[Fusion]:
        """What became of several nodes, or of one another one; what saved most first."""
        if self.source is None:
            return []
        a, b = self.source.by_file_node(), self.file.by_file_node()
        found = [
            Fusion(row, sum(a.get(ref, 0) for ref in row.a), sum(b.get(ref, 0) for ref in row.b))
            for row in self.rows
            if row.a and row.kind not in ("kept", "inlined")
        ]
        timed = [fusion for fusion in found if fusion.a_ns or fusion.b_ns]
        return sorted(timed, key=lambda fusion: -fusion.saved_ns)

    def to_json(self) -> Json:
        """The object of the command line's contract."""
        file, origins = self.file, Origins(self)
        found: Json = {
            "schema": SCHEMA,
            "file": _file(file),
            "level": file.level.value,
            **_run(file.times),
            "unprofiled_run_ns": file.plain_run_ns,
            "nodes": [self._node(node, origins) for node in file.times.nodes],
            "operators": [_part(part) for part in by_operator(file.times)],
            "scopes": [_part(part) for part in by_scope(file.times)],
            "inputs": {name: dict(used) for name, used in self.inputs.items()},
            "sizes": dict(self.sizes),
            "seed": self.seed,
            "notes": list(self.notes),
        }
        if self.source is not None:
            found["source"] = self._source(self.source)
            found["fusions"] = [self._fusion(fusion) for fusion in self.fusions()]
        return found

    def _node(self, node: NodeTime, origins: Origins) -> Json:
        found = _node(node, self.file.times.run_ns)
        stands_for = [] if node.in_file else self.file.in_file(node)
        found["made_at_load"] = not node.in_file
        found["stands_for"] = named(stands_for, self.file.document)
        found["source"] = (
            named(origins.in_source(node), self.source.document) if self.source else None
        )
        return found

    def _source(self, source: Measured) -> Json:
        nodes = [_node(node, source.times.run_ns) for node in source.times.nodes]
        return {
            "file": _file(source),
            "level": source.level.value,
            **_run(source.times),
            "unprofiled_run_ns": source.plain_run_ns,
            "nodes": nodes,
        }

    def _fusion(self, fusion: Fusion) -> Json:
        assert self.source
        return {
            "kind": fusion.row.kind,
            "rewrite": fusion.row.rewrite or None,
            "a": named(fusion.row.a, self.source.document),
            "b": named(fusion.row.b, self.file.document),
            "a_ns": fusion.a_ns,
            "b_ns": fusion.b_ns,
            "saved_ns": fusion.saved_ns,
        }


class Origins:
    """Where the nodes of a profile come from, looked up for many of them."""

    def __init__(self, profile: Profile) -> None:
        self._file = profile.file
        self._sources = profile.sources()

    def in_source(self, node: NodeTime) -> list[NodeRef]:
        """The nodes of the source that a time goes back to."""
        refs = self._file.in_file(node)
        return list(dict.fromkeys(a for ref in refs for a in self._sources.get(ref, ())))


def named(refs: Sequence[NodeRef], document: Document) -> list[Json]:
    """Nodes of a model as answers name them."""
    found = []
    for ref in refs:
        place = document.find_node(ref)
        if place is not None:
            nodes = document.graphs[place.graph].nodes
            name, op = nodes.names[place.row], nodes.ops[place.row]
            found.append({"graph": ref.graph, "index": ref.index, "name": name, "op": op})
    return found


def _file(measured: Measured) -> Json:
    document = measured.document
    kind = document.model.kind.value
    return {"path": str(document.path), "size_bytes": document.size_bytes, "kind": kind}


def _run(times: Times) -> Json:
    return {
        "run_ns": times.run_ns,
        "between_nodes_ns": times.between_ns,
        "runs_ns": list(times.runs_ns),
    }


def _node(node: NodeTime, run_ns: int) -> Json:
    return {
        "graph": node.ref.graph,
        "index": node.ref.index,
        "name": node.name,
        "op": node.op,
        "ns": node.ns,
        "share": node.ns / run_ns if run_ns else 0.0,
        "total_ns": node.total_ns,
        "calls": node.calls,
        "provider": node.provider,
        "output_bytes": node.output_bytes,
    }


def _part(part: Part) -> Json:
    return {"name": part.name, "ns": part.ns, "share": part.share, "nodes": part.nodes}
