"""What NNAPI, CoreML and XNNPACK would take of a model, from the checker that ONNX Runtime brings.

The checker knows operators, ranks and sizes; what it does not look at stands in the caveats. For
XNNPACK, which it does not know, rules of ours answer. All of it is an estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, cast

from ortstudio.analysis.accelerators import (
    Accelerator,
    Cause,
    Estimate,
    FreeSizes,
    NotTaken,
    Outlook,
    estimate,
    free_sizes,
    pieces,
    uncommon_types,
)
from ortstudio.analysis.checks.order import running_order
from ortstudio.analysis.imports import needed_imports
from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.xnnpack import xnnpack_estimate
from ortstudio.errors import Where
from ortstudio.jobs.runner import Outcome
from ortstudio.model.graph import op_text
from ortstudio.model.model import FileKind, Model
from ortstudio.services.document import Document
from ortstudio.services.onnx_skeleton import write_skeleton
from ortstudio.services.sessions import Level
from ortstudio.services.trials import Choice, Trials

Ask = Callable[[str, Mapping[str, object]], Outcome]


@dataclass(frozen=True, eq=False)
class Accelerators:
    """An outlook for each accelerator.

    `looked_at` is the file itself, or what level basic makes of it: that is the graph which an
    accelerator is offered. `sources` are the nodes of the file that became those looked at.
    """

    outlooks: tuple[Outlook, ...]
    free: FreeSizes
    file: Document
    looked_at: Document
    sources: Mapping[NodeRef, tuple[NodeRef, ...]]

    @property
    def basis(self) -> str:
        """What was looked at, in words."""
        return "the file as it is" if self.looked_at is self.file else "the nodes of level basic"

    def outlook(self, accelerator: Accelerator) -> Outlook:
        """The one for an accelerator."""
        return next(one for one in self.outlooks if one.as_is.accelerator is accelerator)

    def in_file(self, node: NodeRef) -> tuple[NodeRef, ...]:
        """The nodes of the file that a node looked at came from; none for one that was added."""
        return self.sources.get(node, ())


def look(trials: Trials) -> Accelerators:
    """Look at a source, or a file in ORT format. Raises StudioError where it cannot be."""
    document = trials.source
    if document.model.kind is FileKind.ORT:
        looked_at, sources = document, _same(document.model)
    else:
        looked_at = trials.result(Choice(Level.BASIC))
        rows = trials.compared(document, looked_at).diff.nodes
        sources = {node: row.a for row in rows for node in row.b}
    outlooks = estimates(looked_at, trials.folder, trials.ask)
    return Accelerators(outlooks, free_sizes(looked_at.model), document, looked_at, sources)


def _same(model: Model) -> dict[NodeRef, tuple[NodeRef, ...]]:
    refs = [
        NodeRef(graph.path, index)
        for graph in model.graphs
        for index in graph.nodes.indices.tolist()
    ]
    return {ref: (ref,) for ref in refs}


def estimates(document: Document, folder: Path, ask: Ask) -> tuple[Outlook, ...]:
    """An outlook for each accelerator on a model in ORT format."""
    model, path = document.model, folder / "skeleton.onnx"
    write_skeleton(model, needed_imports(model, document.known.operators), path)
    outcome = ask("accelerators", {"model": str(path)})
    if not outcome.ok:
        raise outcome.error("Looking for what accelerators would take", Where(str(document.path)))
    answer = cast(_Answer, outcome.value)
    basis = f"the checker of onnxruntime {answer['onnxruntime']}"
    order = _Order(model, basis)
    as_is = [order.estimate(found) for found in answer["as_is"]]
    fixed = [order.estimate(found) for found in answer["if_fixed"]]
    as_is.append(xnnpack_estimate(model))
    fixed.append(xnnpack_estimate(model, sizes_fixed=True))
    better = {one.accelerator: one for one in fixed}
    return tuple(_outlook(one, better.get(one.accelerator)) for one in as_is)


def _outlook(as_is: Estimate, if_fixed: Estimate | None) -> Outlook:
    if if_fixed is None or (if_fixed.taken, len(if_fixed.pieces)) == (
        as_is.taken,
        len(as_is.pieces),
    ):
        return Outlook(as_is)
    return Outlook(as_is, if_fixed)


class _Found(TypedDict):
    """One estimate as the child gives it."""

    accelerator: str
    groups: Sequence[Sequence[int]]
    left: Sequence[tuple[int, str, str]]
    caveats: Sequence[str]


class _Answer(TypedDict):
    """What the child gives."""

    onnxruntime: str
    as_is: Sequence[_Found]
    if_fixed: Sequence[_Found]


class _Order:
    """Nodes by their place in the skeleton."""

    def __init__(self, model: Model, basis: str) -> None:
        self._model = model
        self._basis = basis
        self._rows = running_order(model.main)
        self._odd = uncommon_types(model.main)

    def estimate(self, found: _Found) -> Estimate:
        """What the checker said. It does not look at element types, so we do."""
        name = next(one for one in Accelerator if one.key == found["accelerator"])
        left = {
            self._rows[place]: self._left(self._rows[place], name, Cause(cause), detail)
            for place, cause, detail in found["left"]
        }
        odd = [row for row in self._odd if row not in left]
        left |= {row: self._odd_type(row, name) for row in odd}
        groups = [
            tuple(self._ref(self._rows[place]) for place in group) for group in found["groups"]
        ]
        if odd:
            rows = range(len(self._model.main.nodes))
            groups = list(pieces(self._model.main, [row not in left for row in rows]))
        caveats = [_caveat(text) for text in found["caveats"]]
        rest = [left[row] for row in sorted(left)]
        return estimate(self._model, name, groups, rest, caveats, self._basis)

    def _ref(self, row: int) -> NodeRef:
        return NodeRef(self._model.main.path, int(self._model.main.nodes.indices[row]))

    def _left(self, row: int, accelerator: Accelerator, cause: Cause, detail: str) -> NotTaken:
        name, op = accelerator.value, self._model.main.nodes.ops[row]
        texts = {
            Cause.OPERATOR: f"{name} has no {op}",
            Cause.DYNAMIC: "The sizes of its inputs are not fixed",
            Cause.RANK: f"Its input has {detail} dimensions, too many for {name}",
            Cause.LIMIT: f"{name} does not take it as it is used here",
        }
        return NotTaken(self._ref(row), op, cause, texts[cause])

    def _odd_type(self, row: int, accelerator: Accelerator) -> NotTaken:
        why = f"It computes on {self._odd[row]}, which {accelerator.value} does not have"
        return NotTaken(self._ref(row), self._model.main.nodes.ops[row], Cause.LIMIT, why)


def _caveat(text: str) -> str:
    """`Conv: Only 2D Conv is supported`, from `ai.onnx:Conv:Only 2D Conv is supported.`."""
    domain, op_type, limit = text.split(":", 2)
    return f"{op_text(domain, op_type)}: {' '.join(limit.split()).rstrip('.')}"
