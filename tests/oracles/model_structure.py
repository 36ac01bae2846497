"""A model up to the numbers that the runtime gives to nodes and values that it makes.

It numbers some in the order of addresses in memory: two runs of one process differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from ortstudio.model.graph import Graph, GraphRef
from ortstudio.model.model import Model
from ortstudio.services.reading import read_model
from tests.oracles.model_content import elements_text, plain

Known = Mapping[str, str]
"""What each value is made of, by its name."""


def same_structure(a: Path, b: Path) -> bool:
    """Whether both compute the same from the same in the same way, saving nothing for later."""
    models = read_model(a), read_model(b)
    if any(_records(model) for model in models):
        return False
    x, y = (_told(model) for model in models)
    return x == y


def _records(model: Model) -> int:
    graphs = model.ort.graphs if model.ort else ()
    return sum(len(graph.runtime_optimizations) for graph in graphs)


def _told(model: Model) -> object:
    resolver = sorted(map(str, model.ort.resolver or ())) if model.ort else []
    providers = (
        Counter(p for graph in model.ort.graphs for p in graph.execution_providers)
        if model.ort
        else {}
    )
    imports = sorted(map(str, model.opset_imports))
    return _graph(model, model.main, {}), resolver, providers, imports, dict(model.metadata)


def _graph(model: Model, graph: Graph, outer: Known) -> object:
    """Its inputs, its nodes whatever their order, and what its outputs are made of."""
    known = dict(outer)
    names, types = graph.values.names, graph.values.types
    for tensor in graph.initializers:
        known[tensor.name] = _digest(elements_text(model.source, tensor))
    inputs = [(names[i], str(types[i])) for i in graph.inputs.tolist()]
    known |= {name: _digest(f"{name} {of}") for name, of in inputs}
    nodes = Counter(digest for _, digest in _nodes(model, graph, known))
    outputs = [(names[i], str(types[i]), known[names[i]]) for i in graph.outputs.tolist()]
    return inputs, sorted(nodes.items()), outputs


def _nodes(model: Model, graph: Graph, known: dict[str, str]) -> Iterator[tuple[int, str]]:
    """Every node once all that it reads is known; what it makes is known then."""
    nodes, left = graph.nodes, list(range(len(graph.nodes)))
    while left:
        waiting = []
        for row in left:
            read = graph.value_names(nodes.inputs.row(row).tolist())
            if not all(name in known for name in read if name):
                waiting.append(row)
                continue
            digest = _node(model, graph, row, [known.get(name, "") for name in read], known)
            for place, name in enumerate(graph.value_names(nodes.outputs.row(row).tolist())):
                known[name] = _digest(f"{digest} {place}")
            yield row, digest
        assert len(waiting) < len(left), "the graph has a cycle"
        left = waiting


def _node(model: Model, graph: Graph, row: int, read: list[str], known: Known) -> str:
    attributes = {
        name: _graph(model, model.graphs[value.index], known)
        if isinstance(value, GraphRef)
        else plain(model.source, value)
        for name, value in sorted(graph.nodes.attribute_values(row).items())
    }
    made = [graph.values.types[i] for i in graph.nodes.outputs.row(row).tolist() if i >= 0]
    what = graph.nodes.ops[row], int(graph.nodes.since_versions[row])
    return _digest(f"{what} {read} {attributes} {list(map(str, made))}")


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]
