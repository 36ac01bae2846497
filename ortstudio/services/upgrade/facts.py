"""What an old file is: its version and what that means, and what an upgrade has to do with."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ortstudio.analysis.compatibility.oracle import Compatibility
from ortstudio.analysis.nodes import by_operator
from ortstudio.model.model import Model
from ortstudio.services.compatibility import strip
from ortstudio.services.document import Document
from ortstudio.services.release_strip import stretches


@dataclass(frozen=True, slots=True)
class Facts:
    """What a model in ORT format holds that an upgrade may keep or lose.

    `full` and `minimal` name the releases whose builds read the version, `records` counts the saved
    optimizations by optimizer.
    """

    version: int
    written_by: str
    guess: str
    full: str
    minimal: str
    nodes: int
    operators: int
    records: tuple[tuple[str, int], ...]
    kernel_hashes: int
    has_identifier: bool

    @property
    def record_count(self) -> int:
        """All saved optimizations together."""
        return sum(number for _, number in self.records)

    def to_json(self) -> dict[str, object]:
        """The answer's `file`."""
        return {
            "format_version": self.version,
            "written_by": self.written_by,
            "perhaps_by": self.guess or None,
            "read_by": {"full": self.full, "minimal": self.minimal},
            "nodes": self.nodes,
            "operators": self.operators,
            "runtime_optimizations": dict(self.records),
            "kernel_hashes": self.kernel_hashes,
            "has_identifier": self.has_identifier,
        }


@dataclass(frozen=True, slots=True)
class Strips:
    """Which releases load a file, in full builds and in minimal ones."""

    full: tuple[Compatibility, ...]
    minimal: tuple[Compatibility, ...]

    def to_json(self) -> dict[str, object]:
        """Neighbouring releases with the same answer stand together."""
        return {
            "full": [part.to_json() for part in stretches(self.full)],
            "minimal": [part.to_json() for part in stretches(self.minimal)],
        }


def strips_of(document: Document) -> Strips:
    """Ask the oracle for all releases. Runs nothing."""
    return Strips(strip(document), strip(document, "minimal"))


def facts_of(document: Document) -> Facts:
    """The facts of a sound model of a known format version."""
    model, versions = document.model, document.known.versions
    assert model.ort is not None
    version = versions.get(model.ort.format_version)
    assert version is not None
    guess = versions.guess(model)
    return Facts(
        version.number,
        versions.written_by(model),
        guess.text if guess else "",
        versions.words(version.full),
        versions.words(version.minimal),
        sum(len(graph.nodes) for graph in model.graphs),
        len(by_operator(model.graphs)),
        records_by_optimizer(model),
        len(model.ort.kernel_hashes),
        model.ort.has_identifier,
    )


def records_by_optimizer(model: Model) -> tuple[tuple[str, int], ...]:
    """How many saved optimizations each optimizer has, in the order of the file."""
    graphs = model.ort.graphs if model.ort else ()
    found = Counter(record.optimizer for graph in graphs for record in graph.runtime_optimizations)
    return tuple(found.items())
