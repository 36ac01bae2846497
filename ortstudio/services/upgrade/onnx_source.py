"""The ONNX model that an `.ort` was made from: looked for beside it, recognized by its content."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ortstudio.analysis.pairing.fates import UNUSED
from ortstudio.analysis.pairing.rows import NamedRow, NodeRow
from ortstudio.analysis.words import count
from ortstudio.errors import RefusedError, StudioError, Where
from ortstudio.format.source import Source
from ortstudio.model.model import FileKind, Model
from ortstudio.model.sniff import sniff
from ortstudio.services.conversion import CancelledError
from ortstudio.services.diff import compare_documents
from ortstudio.services.document import Document, open_document
from ortstudio.services.sessions import Level

MOST_CANDIDATES = 12
"""So many files beside the model are looked into."""
ALIKE = 0.75
"""So many nodes and weights must be known to come from the source: layouts and casts add some."""

_MADE = re.compile(
    rf"(\.v\d+)?(\.({'|'.join(level.value for level in Level)}))?(\.with_runtime_opt)?(\.v\d+)?$"
)
"""What the names of converted and upgraded models have after the name of their source."""


@dataclass(frozen=True, slots=True)
class OnnxSource:
    """An ONNX model that an `.ort` may have been made from; `misfit` says why it was not.

    `given` says that the user named it.
    """

    path: Path
    misfit: str = ""
    given: bool = False

    @property
    def fits(self) -> bool:
        """Whether the `.ort` can have been made from it."""
        return not self.misfit

    def to_json(self) -> dict[str, object]:
        """The answer's `onnx_source`."""
        return {
            "path": str(self.path),
            "given": self.given,
            "fits": self.fits,
            "why_not": self.misfit or None,
        }


def find_source(document: Document, cancelled: Callable[[], bool]) -> OnnxSource | None:
    """The ONNX model in the same folder that the file can have been made from.

    Reads the structure of a few files, and the constants of those whose inputs and outputs have the
    same names. Raises CancelledError.
    """
    for path in _candidates(document.path):
        try:
            misfit = _misfit(open_document(path), document, cancelled)
        except CancelledError:
            raise
        except StudioError:
            continue
        if not misfit:
            return OnnxSource(path)
    return None


def given_source(document: Document, path: Path, cancelled: Callable[[], bool]) -> OnnxSource:
    """The ONNX model that the user named. Raises StudioError where it is none."""
    other = open_document(path)
    if other.model.kind is not FileKind.ONNX:
        raise RefusedError("What was named as the source is no ONNX model", where=Where(str(path)))
    return OnnxSource(path, _misfit(other, document, cancelled), given=True)


def _candidates(path: Path) -> Iterator[Path]:
    """ONNX models in the folder, those with a name like the file's first."""
    stem = path.name.removesuffix(path.suffix)
    likely = [stem, _MADE.sub("", stem)]
    try:
        beside = sorted(other for other in path.parent.iterdir() if other.suffix.lower() == ".onnx")
    except OSError:
        return
    beside.sort(key=lambda other: other.stem not in likely)
    for other in beside[:MOST_CANDIDATES]:
        with suppress(StudioError):
            if sniff(Source.open(other)) is FileKind.ONNX:
                yield other


def _ends(model: Model) -> tuple[list[str], list[str]]:
    """The names of inputs that must be fed, and of outputs; old files list weights as inputs."""
    graph = model.main
    names = graph.value_names(graph.inputs.tolist())
    needed = [name for name in names if name not in graph.initializers.rows]
    return needed, graph.value_names(graph.outputs.tolist())


def _misfit(source: Document, made: Document, cancelled: Callable[[], bool]) -> str:
    """Why one cannot have been made from the other. Raises StudioError where one is damaged."""
    if source.model.error is None and _ends(source.model) != _ends(made.model):
        return "its inputs and outputs have other names"
    found = compare_documents(source, made, cancelled=cancelled)
    if any(row.kind == "changed" and row.a == row.b for row in found.diff.initializers):
        return "weights of the same name hold other numbers"
    nodes = sum(len(graph.nodes) for graph in made.model.graphs)
    explained = sum(len(row.b) for row in found.diff.nodes if _is_explained(row))
    if explained < ALIKE * nodes:
        return f"only {explained:,} of {count(nodes, 'node')} come from there"
    return "" if _weights_come_along(found.diff.initializers) else "it has other weights"


def _is_explained(row: NodeRow) -> bool:
    """Whether it is known how the nodes came about; else they only stand in the same place."""
    return row.kind in ("kept", "inlined") or (row.kind != "added" and bool(row.rewrite))


def _weights_come_along(rows: Sequence[NamedRow]) -> bool:
    """Whether most weights of the source are in what was made of it, and few are new there."""
    before, after = ([row for row in rows if side(row)] for side in (_of_source, _of_result))
    lost = sum(row.kind == "removed" and not row.reason.startswith(UNUSED) for row in before)
    new = sum(row.kind == "added" for row in after)
    same = any(row.kind in ("kept", "changed") for row in after)
    few = lost <= (1 - ALIKE) * len(before) and new <= (1 - ALIKE) * len(after)
    return few and (same or not after)


def _of_source(row: NamedRow) -> bool:
    return row.a is not None


def _of_result(row: NamedRow) -> bool:
    return row.b is not None
