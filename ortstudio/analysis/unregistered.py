"""Operators of a model that ONNX Runtime, as it comes, has nothing for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from ortstudio.analysis.nodes import Operator, Users, by_operator
from ortstudio.analysis.operators import Operators
from ortstudio.analysis.portability import TRAINING_DOMAINS
from ortstudio.analysis.words import listed
from ortstudio.model.graph import MAIN_PATH, Graph, OpsetImport, onnx_domain
from ortstudio.model.model import Model

NOT_BUILT_IN = ("ai.onnx.preview", *TRAINING_DOMAINS)
"""Domains that ONNX specifies, and of which release 1.32 has no operator."""


class Lack(Enum):
    """Why an operator is not there; the value goes on after the operator's name."""

    CUSTOM = "is not known: it needs a custom operator library"
    NOT_BUILT_IN = "is not in this build of ONNX Runtime"
    VERSION = "does not exist in the version of its operator set that the model imports"


@dataclass(frozen=True, slots=True)
class Unregistered:
    """One such operator, and the nodes that need it."""

    operator: Operator
    lack: Lack
    users: Users

    @property
    def text(self) -> str:
        """`BpeLike of domain my.ops (node 'tokenize')`."""
        domain = onnx_domain(self.operator.domain) or "ai.onnx"
        names = [_named(graph, row) for graph, rows in self.users.rows for row in rows.tolist()]
        nodes = "node" if len(names) == 1 else "nodes"
        return f"{self.operator.op_type} of domain {domain} ({nodes} {listed(names)})"


def unregistered(model: Model, known: Operators) -> tuple[Unregistered, ...]:
    """All of them, in the graphs and in the bodies of the local functions that are called."""
    local = {(onnx_domain(one.domain), one.name) for one in model.functions}
    found = []
    for graphs, imports in _scopes(model):
        imported = {onnx_domain(one.domain) for one in imports}
        for operator, users in by_operator(graphs).items():
            if (onnx_domain(operator.domain), operator.op_type) not in local:
                lack = _lack(operator, known, onnx_domain(operator.domain) in imported)
                if lack is not None:
                    found.append(Unregistered(operator, lack, users))
    return tuple(found)


def _lack(operator: Operator, known: Operators, imported: bool) -> Lack | None:
    """A known domain that is not imported is one that the runtime imports by itself."""
    if operator.domain in NOT_BUILT_IN:
        return Lack.NOT_BUILT_IN
    if not known.knows_domain(operator.domain):
        return Lack.CUSTOM
    if not known.versions(operator.domain, operator.op_type):
        return Lack.NOT_BUILT_IN
    return Lack.VERSION if imported and not operator.since_version else None


def _scopes(model: Model) -> Iterator[tuple[Sequence[Graph], Sequence[OpsetImport]]]:
    """The model's graphs, then those of each function that is called, with what they import."""
    yield model.graphs, model.opset_imports
    left = {(onnx_domain(one.domain), one.name): one for one in model.functions}
    waiting = list(model.graphs)
    while waiting:
        nodes = waiting.pop().nodes
        for domain, op_type in set(zip(nodes.domains, nodes.op_types, strict=True)):
            function = left.pop((onnx_domain(domain), op_type), None)
            if function is not None:
                yield function.graphs, function.opset_imports
                waiting.extend(function.graphs)


def _named(graph: Graph, row: int) -> str:
    """A node by its name, and by its graph outside the main one."""
    nodes = graph.nodes
    name = repr(nodes.names[row]) if nodes.names[row] else f"#{nodes.indices[row]}"
    return name if graph.path == MAIN_PATH else f"{name} in {graph.path}"
