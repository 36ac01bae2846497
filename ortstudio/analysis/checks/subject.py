"""What is checked, and what is known besides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ortstudio.analysis.nodes import Operator, Users, by_operator
from ortstudio.analysis.operators import Operators
from ortstudio.analysis.versions import FormatVersions
from ortstudio.model.graph import Graph
from ortstudio.model.model import FileKind, Model, OrtGraph


@dataclass(frozen=True, eq=False)
class Subject:
    """`external`: bytes of each external file by location, None where it is missing."""

    model: Model
    operators: Operators
    versions: FormatVersions
    path: str = ""
    external: Mapping[str, int | None] | None = None

    @cached_property
    def used(self) -> dict[Operator, Users]:
        """All nodes of the model's graphs by their operator."""
        return by_operator(self.model.graphs)

    @cached_property
    def imported(self) -> dict[str, int]:
        """The imported version of each domain."""
        return {row.domain: row.version for row in self.model.opset_imports}

    @property
    def is_ort(self) -> bool:
        """Whether the rules of the ORT format hold."""
        return self.model.kind is FileKind.ORT

    def ort_graphs(self) -> Iterator[tuple[Graph, OrtGraph]]:
        """Each graph with what an `.ort` says beyond it; none for other files."""
        if self.model.ort is not None:
            yield from zip(self.model.graphs, self.model.ort.graphs, strict=True)
