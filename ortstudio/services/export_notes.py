"""What an ORT-format model cannot give back to ONNX, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ortstudio.analysis.operators import Operators
from ortstudio.analysis.portability import Tie, portability
from ortstudio.analysis.words import count, listed
from ortstudio.model.graph import OpsetImport
from ortstudio.model.model import Model

_WHAT_FOLLOWS = {
    Tie.VENDOR: "The export loads in ONNX Runtime only, and what was fused cannot be taken apart"
    " without the source",
    Tie.CPU_FAMILY: "Their weights were packed anew, and cannot be turned back without the source",
    Tie.COMPILED: "What they stand for cannot be had without the source",
    Tie.RUNTIME_ONLY: "The export loads in ONNX Runtime only, and the ONNX checker refuses it",
}
_DEFAULT_PROVIDERS = ("", "CPUExecutionProvider")


@dataclass(frozen=True, slots=True)
class Note:
    """Something that a user should know of the result. `code` is stable."""

    code: str
    message: str

    def to_json(self) -> dict[str, object]:
        """One entry of a row's `notes`."""
        return {"code": self.code, "message": self.message}


def notes_on(
    model: Model, imports: Sequence[OpsetImport], ir_version: int, known: Operators
) -> tuple[Note, ...]:
    """All that becomes of a model but for its nodes and weights, which are the same."""
    return (
        Note("not-kept", _not_kept(model)),
        *_versions(model, imports, ir_version),
        *_ties(model, known),
        *_runtime_data(model),
    )


def _not_kept(model: Model) -> str:
    subgraphs = ", each subgraph after its place in it" if len(model.graphs) > 1 else ""
    return (
        "The ORT format keeps neither the names of graphs, nor local functions, nor Constant nodes:"
        f" the graph is named main_graph{subgraphs}, functions stay inlined, constants initializers"
    )


def _versions(model: Model, imports: Sequence[OpsetImport], ir_version: int) -> Iterator[Note]:
    if ir_version != model.ir_version:
        yield Note(
            "ir-version",
            f"The IR version is {ir_version}, not {model.ir_version}, which asks for more inputs",
        )
    listed_versions = {row.domain: row.version for row in model.opset_imports}
    unused = len(listed_versions.keys() - {row.domain for row in imports})
    if unused:
        yield Note("unused-imports", f"Left out: {count(unused, 'import')} that no node uses")
    other = [
        f"{row.domain or 'ai.onnx'} {row.version}"
        for row in imports
        if listed_versions.get(row.domain) != row.version
    ]
    if other:
        yield Note(
            "changed-imports",
            f"Imported as the nodes need it, not as the file says: {listed(other)}",
        )


def _ties(model: Model, known: Operators) -> Iterator[Note]:
    """What ties the nodes to less than all runtimes, and cannot be undone."""
    found = portability(model, known)
    if found.verdict == "portable":
        return
    ties = {tie.value: tie for tie in Tie}
    for reason in found.reasons:
        if reason.nodes:
            follows = _WHAT_FOLLOWS.get(ties[reason.code], "")
            yield Note(reason.code, f"{reason.text}. {follows}" if follows else reason.text)
        elif reason.code == "padded-weights":
            yield Note(reason.code, reason.text)


def _runtime_data(model: Model) -> Iterator[Note]:
    """What only the runtime has a use for, and is left out."""
    if model.ort is None:
        return
    saved = sum(len(graph.runtime_optimizations) for graph in model.ort.graphs)
    if saved:
        yield Note(
            "runtime-optimizations",
            f"Left out: {count(saved, 'saved runtime optimization')}, which ONNX has no place for",
        )
    providers = Counter(
        provider
        for graph in model.ort.graphs
        for provider in graph.execution_providers
        if provider not in _DEFAULT_PROVIDERS
    )
    for provider, nodes in providers.items():
        yield Note(
            "execution-provider",
            f"Left out: the choice of {provider} for {count(nodes, 'node')}",
        )
