"""An open model with all that can be said of it, worked out when first asked for."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from ortstudio.analysis import resolver, runtime_optimizations
from ortstudio.analysis.finding import Finding
from ortstudio.analysis.nodes import NodeRef, node_text
from ortstudio.analysis.portability import Portability, portability
from ortstudio.analysis.resolver import ResolverUse
from ortstudio.analysis.runtime_optimizations import SavedOptimization
from ortstudio.analysis.totals import Totals, totals
from ortstudio.model.external import ExternalFile, external_files
from ortstudio.model.graph import Graph, GraphRef
from ortstudio.model.model import Model
from ortstudio.model.refs import Ref, RefKind
from ortstudio.model.tensor import Tensor
from ortstudio.model.types import ValueType
from ortstudio.services.knowledge import Knowledge, knowledge
from ortstudio.services.reading import read_model


class Document:
    """A model, where it came from, and the answers to what people ask of it.

    Safe to share between threads: an answer may be worked out twice, but is the same.
    """

    def __init__(self, model: Model, known: Knowledge) -> None:
        self.model = model
        self.known = known

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self.model.source.path)

    @cached_property
    def graphs(self) -> tuple[Graph, ...]:
        """The model's graphs, then those of its local functions: what `Ref.graph` counts in."""
        return self.model.all_graphs

    @cached_property
    def _first_of_family(self) -> list[int]:
        """For each graph where the family starts that its references and its parent count in."""
        starts = [0] * len(self.model.graphs)
        for function in self.model.functions:
            starts += [len(starts)] * len(function.graphs)
        return starts

    def family(self, graph: int) -> tuple[Graph, ...]:
        """The graphs that references in this one count in: the model's, or those of a function."""
        first = self._first_of_family[graph]
        return tuple(
            found
            for start, found in zip(self._first_of_family, self.graphs, strict=True)
            if start == first
        )

    def referred(self, graph: int, reference: GraphRef) -> int:
        """The place in `graphs` of a graph that an attribute in `graph` refers to."""
        return self._first_of_family[graph] + reference.index

    def parent(self, graph: int) -> Ref | None:
        """The node that a subgraph hangs on."""
        parent = self.graphs[graph].parent
        if parent is None:
            return None
        return Ref(RefKind.NODE, self._first_of_family[graph] + parent.graph, parent.node)

    def opened_by(self, node: Ref) -> list[int]:
        """The graphs that a node leads into: those that hang on it, or the function it calls."""
        hanging = [n for n in range(len(self.graphs)) if self.parent(n) == node]
        body = self.called_by(node)
        return hanging if body is None else [*hanging, body]

    def called_by(self, node: Ref) -> int | None:
        """The body of the local function that a node calls; None for every other node."""
        nodes, row = self.graphs[node.graph].nodes, node.row
        called = nodes.domains[row], nodes.op_types[row], nodes.overloads.get(row, "")
        return self._bodies.get(called)

    @cached_property
    def _bodies(self) -> dict[tuple[str, str, str], int]:
        """The place of each local function's body in `graphs`, by domain, name and overload."""
        found, place = {}, len(self.model.graphs)
        for function in self.model.functions:
            found[function.domain, function.name, function.overload] = place
            place += len(function.graphs)
        return found

    def graph_title(self, graph: int) -> str:
        """What to call a graph: the main one by its file, a subgraph by what it hangs on."""
        found, node = self.graphs[graph], self.parent(graph)
        if found.parent is None or node is None:
            return self.path.name if graph == 0 else found.path
        return f"{found.parent.attribute} of {node_text(self.graphs[node.graph], node.row)}"

    @cached_property
    def graph_numbers(self) -> dict[str, int]:
        """The place of each graph in `graphs`, by its path."""
        return {graph.path: i for i, graph in reversed(list(enumerate(self.graphs)))}

    def find_node(self, node: NodeRef) -> Ref | None:
        """The node of that name; None where the file holds none."""
        number = self.graph_numbers.get(node.graph)
        row = None if number is None else self.graphs[number].nodes.rows_by_index.get(node.index)
        return None if number is None or row is None else Ref(RefKind.NODE, number, row)

    def outer_value(self, graph: int, value: int) -> tuple[int, int] | None:
        """The value of the same name in the nearest graph around; None where there is none."""
        name = self.graphs[graph].values.names[value]
        parent = self.parent(graph)
        while parent is not None:
            found = self.graphs[parent.graph].values.ids.get(name)
            if found is not None:
                return parent.graph, found
            parent = self.parent(parent.graph)
        return None

    def outer_type(self, graph: int, value: int) -> ValueType | None:
        """The type that an outer graph states for a value which the graph itself only reads."""
        outer = self.outer_value(graph, value)
        return None if outer is None else self.graphs[outer[0]].values.types[outer[1]]

    def tensors(self, ref: Ref) -> dict[str, Tensor]:
        """The constants behind a `Ref`, by what they hold; none behind most things.

        An initializer, a value that one gives, or the two parts of a sparse initializer.
        """
        graph = self.graphs[ref.graph]
        if ref.kind is RefKind.SPARSE_INITIALIZER:
            sparse = graph.sparse_initializers[ref.row]
            return {"Stored values": sparse.values, "Stored indices": sparse.indices}
        row = ref.row if ref.kind is RefKind.INITIALIZER else None
        if ref.kind is RefKind.VALUE:
            row = graph.initializers.rows.get(graph.values.names[ref.row])
        return {} if row is None else {"Values": graph.initializers[row]}

    @cached_property
    def totals(self) -> Totals:
        """Counts over all graphs."""
        return totals(self.model)

    @cached_property
    def portability(self) -> Portability:
        """Where the model can run, judged by its nodes."""
        return portability(self.model, self.known.operators)

    @cached_property
    def external_files(self) -> tuple[ExternalFile, ...]:
        """The files with external data that the model names, and whether they are there."""
        return external_files(self.model)

    @property
    def size_bytes(self) -> int:
        """The file, and the files with external data that are there."""
        return self.model.source.size + sum(file.size_bytes or 0 for file in self.external_files)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What is worth knowing before the file is shipped."""
        # Late: the checks take longer to load than most models take to read.
        from ortstudio.analysis.findings import findings

        known = self.known
        external = {
            file.path: file.size_bytes if file.found else None for file in self.external_files
        }
        found = findings(
            self.model,
            known.operators,
            known.versions,
            path=self.model.source.path,
            external=external,
        )
        return tuple(found)

    @cached_property
    def resolver(self) -> tuple[ResolverUse, ...]:
        """The kernel type resolver in words."""
        return resolver.explain(self.model, self.known.operators)

    @cached_property
    def optimizations(self) -> tuple[SavedOptimization, ...]:
        """The saved runtime optimizations in words."""
        return runtime_optimizations.explain(self.model)


def open_document(path: str | Path) -> Document:
    """Open a file. Raises StudioError where it is no model that can be read at all."""
    return Document(read_model(path), knowledge())
