"""What became of every node, value and initializer: two files in, the answer of `diff` out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.pairing.overview import overview
from ortstudio.analysis.pairing.rows import (
    Change,
    Diff,
    ModelRow,
    Named,
    NamedRow,
    NodeRow,
)
from ortstudio.analysis.pairing.verdict import (
    initializer_differs,
    model_differs,
    node_differs,
)
from ortstudio.analysis.words import listed
from ortstudio.errors import DONE_NO, DONE_YES
from ortstudio.model.model import Model
from ortstudio.services.comparison import compare_models
from ortstudio.services.conversion import CancelledError
from ortstudio.services.document import Document, open_document
from ortstudio.services.inspect import portability_json

Json = dict[str, object]

SCHEMA = "ortstudio/diff@1"

Progress = Callable[[int, int], None]
"""Told the bytes of constants read so far, and how many there are."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two documents and all that they differ in."""

    a: Document
    b: Document
    diff: Diff

    @property
    def other_format(self) -> bool:
        """Whether the two are of different formats, one of which cannot hold all of the other."""
        return self.a.model.kind is not self.b.model.kind

    @property
    def differs(self) -> bool:
        """Whether in more than names, defaults and what the format loses by nature."""
        return bool(self.differs_in)

    @cached_property
    def differs_in(self) -> tuple[str, ...]:
        """Which of nodes, initializers and model hold a difference."""
        parts: dict[str, Iterable[NodeRow | NamedRow | ModelRow]] = {
            "nodes": self.diff.nodes,
            "initializers": self.diff.initializers,
            "model": self.diff.model,
        }
        return tuple(name for name, rows in parts.items() if any(map(self.is_difference, rows)))

    @property
    def verdict(self) -> str:
        """Whether they differ, and in what, as a sentence."""
        if not self.differs_in:
            return "They differ in no more than names, defaults and form."
        texts = {"model": "what is said of the model"}
        return f"They differ in {listed([texts.get(part, part) for part in self.differs_in])}."

    @cached_property
    def overview(self) -> str:
        """What happened, in one sentence."""
        verdict = self.b.portability.verdict
        return overview(self.a.model, self.b.model, self.diff, verdict)

    @property
    def exit_code(self) -> int:
        """That of the command line's contract."""
        return DONE_NO if self.differs else DONE_YES

    def is_difference(self, row: NodeRow | NamedRow | ModelRow) -> bool:
        """Whether one row of nodes, initializers or the model makes the two differ."""
        if isinstance(row, NodeRow):
            return node_differs(row)
        if isinstance(row, NamedRow):
            return initializer_differs(row, other_format=self.other_format)
        return model_differs(row, other_format=self.other_format)


def compare_files(
    a: str | Path,
    b: str | Path,
    on_progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Comparison:
    """Open two files and compare them. Raises StudioError where one cannot be read."""
    return compare_documents(open_document(a), open_document(b), on_progress, cancelled)


def compare_documents(
    a: Document,
    b: Document,
    on_progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Comparison:
    """Compare two open files. Blocks while their constants are read.

    Raises the error of a damaged one, CancelledError where `cancelled` says so, which is asked
    with each part that is read.
    """
    for document in (a, b):
        if document.model.error is not None:
            raise document.model.error
    total = _constant_bytes(a.model) + _constant_bytes(b.model)
    done = 0

    def read(size: int) -> None:
        nonlocal done
        if cancelled is not None and cancelled():
            raise CancelledError("The comparison was cancelled")
        done += size
        if on_progress is not None:
            on_progress(min(done, total), total)

    return Comparison(a, b, compare_models(a.model, b.model, read))


def _constant_bytes(model: Model) -> int:
    return sum(sum(graph.initializers.sizes) for graph in model.graphs)


def answer(found: Comparison) -> Json:
    """The object of the command line's contract."""
    names_a, names_b = _NodeNames(found.a.model), _NodeNames(found.b.model)
    diff = found.diff
    return {
        "schema": SCHEMA,
        "a": _file(found.a),
        "b": _file(found.b),
        "differs": found.differs,
        "differs_in": list(found.differs_in),
        "overview": found.overview,
        "portability": portability_json(found.b.portability),
        "summary": diff.summary(),
        "nodes": [
            {
                "kind": row.kind,
                "a": names_a.rows(row.a),
                "b": names_b.rows(row.b),
                "reason": row.reason,
                "changes": _changes(row.changes),
                "rewrite": row.rewrite or None,
                "portability": row.portability or None,
            }
            for row in diff.nodes
        ],
        "initializers": [_named_row(row) for row in diff.initializers],
        "values": [_named_row(row) for row in diff.values],
        "model": [
            {"kind": row.kind, "name": row.name, "a": row.a, "b": row.b, "reason": row.reason}
            for row in diff.model
        ],
    }


def _file(document: Document) -> Json:
    source = document.model.source
    return {
        "path": source.path,
        "size_bytes": source.size,
        "kind": document.model.kind.value,
    }


class _NodeNames:
    """Nodes of one model as the answer names them."""

    def __init__(self, model: Model) -> None:
        self._graphs = {graph.path: graph for graph in model.graphs}

    def rows(self, refs: Sequence[NodeRef]) -> list[Json]:
        """One object for each node."""
        return [self._row(ref) for ref in refs]

    def _row(self, ref: NodeRef) -> Json:
        nodes = self._graphs[ref.graph].nodes
        row = nodes.rows_by_index[ref.index]
        return {
            "graph": ref.graph,
            "index": ref.index,
            "name": nodes.names[row],
            "op": nodes.ops[row],
        }


def _named_row(row: NamedRow) -> Json:
    return {
        "kind": row.kind,
        "a": _named(row.a),
        "b": _named(row.b),
        "reason": row.reason,
        "changes": _changes(row.changes),
    }


def _named(named: Named | None) -> Mapping[str, str] | None:
    return None if named is None else {"graph": named.graph, "name": named.name}


def _changes(changes: Sequence[Change]) -> list[Json]:
    return [{"what": c.what, "before": c.before, "after": c.after} for c in changes]
