"""Has a child run a model with the profile on, and finds out which graph it was that ran."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.profile_events import read_events, sorted_into_runs
from ortstudio.analysis.profile_nodes import Laying, NodeTime, Times
from ortstudio.errors import JobError, StudioError, Where
from ortstudio.services.conversion import CancelledError
from ortstudio.services.diff import compare_documents
from ortstudio.services.document import Document, open_document
from ortstudio.services.profile_found import Measured
from ortstudio.services.runtime_words import child_error
from ortstudio.services.sessions import Session, Style, saving_config
from ortstudio.services.verify import Ask, Runs

MOST_EVENTS = 40_000
"""Nodes that are written down; the runtime itself stops at a million."""
LEAST_RUNS = 3


class Profiling:
    """Profiles models on the inputs that were fed last; `raw` is the last profile's file."""

    def __init__(
        self, ask: Ask, runs: Runs, folder: Path, most_runs: int, warmup: int, budget_s: float
    ) -> None:
        self._ask = ask
        self._inputs = runs
        self._folder = folder
        self._most_runs = most_runs
        self._warmup = warmup
        self._budget_s = budget_s
        self.raw = folder / "profile.json"

    def measured(self, document: Document, session: Session) -> Measured:
        """Run a model and lay what it took on its nodes. Raises JobError where it does not run."""
        plain = self._run(document, session)
        laying = Laying(document.model)
        events = read_events(self.raw.read_text(encoding="utf-8", errors="replace"))
        runs = sorted_into_runs(events, laying.holders)[self._warmup :]
        if not runs:
            where = Where(str(document.path))
            raise JobError("The runtime's profile holds no whole run", where=where)
        times = laying.times(runs)
        came_of: Mapping[NodeTime, tuple[NodeRef, ...]] = {}
        if not all(node.in_file for node in times.nodes):
            executed = self._executed(session)
            if executed is not None:
                times = Laying(document.model, executed.model).times(runs)
                times, came_of = _followed(times, document, executed)
        return Measured(document, session.level, times, plain, came_of)

    def _run(self, document: Document, session: Session) -> tuple[int, ...]:
        nodes = sum(len(graph.nodes) for graph in document.model.graphs)
        runs = max(LEAST_RUNS, min(self._most_runs, MOST_EVENTS // max(nodes, 1)))
        arguments = {
            "session": session.to_json(),
            "inputs": {
                "file": str(self._inputs.inputs_file),
                "values": self._inputs.described,
            },
            "outputs": str(self.raw),
            "warmup": self._warmup,
            "runs": runs,
            "budget_ns": int(self._budget_s * 1e9),
        }
        outcome = self._ask("profile", arguments)
        if not outcome.ok:
            where = Where(str(document.path))
            raise child_error(outcome, "The profile", where, session.custom_ops)
        return tuple(cast("list[int]", outcome.value["run_ns"]))

    def _executed(self, session: Session) -> Document | None:
        """The graph that ran, saved by the runtime; None where that cannot be had."""
        target = self._folder / "executed.ort"
        saving = replace(session, config={**session.config, **saving_config(Style.FIXED)})
        arguments = {"session": saving.to_json(), "output": str(target)}
        try:
            if not self._ask("convert", arguments).ok:
                return None
            found = open_document(target)
        except CancelledError:
            raise
        except StudioError:
            return None
        return found if found.model.error is None else None


def _followed(
    times: Times, file: Document, executed: Document
) -> tuple[Times, dict[NodeTime, tuple[NodeRef, ...]]]:
    """What was made at load, with the file's nodes that it came of; what was kept is the file's."""
    rows = compare_documents(file, executed).diff.nodes
    row_of = {ref: row for row in rows for ref in row.b}
    nodes, came_of = list[NodeTime](), dict[NodeTime, tuple[NodeRef, ...]]()
    for node in times.nodes:
        row = None if node.in_file else row_of.get(node.ref)
        if row is not None and row.kind == "kept" and len(row.a) == len(row.b) == 1:
            node = _as_in_file(node, row.a[0], file)
        elif row is not None:
            came_of[node] = row.a
        nodes.append(node)
    return replace(times, nodes=tuple(nodes)), came_of


def _as_in_file(node: NodeTime, ref: NodeRef, file: Document) -> NodeTime:
    place = file.find_node(ref)
    assert place is not None
    nodes = file.graphs[place.graph].nodes
    name, op = nodes.names[place.row], nodes.ops[place.row]
    return replace(node, ref=ref, in_file=True, name=name, op=op)
