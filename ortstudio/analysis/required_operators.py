"""The operators that a build must have to run certain models, and the types they must take.

A version is the one that introduced the operator's form, as upstream's configs write it: 11 for a
Conv in a model of opset 17. Types hold for all versions of an operator: upstream's parser keeps
one list for each operator, the last one that it reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from ortstudio.analysis.nodes import Operator, Users, by_operator
from ortstudio.analysis.replay_products import products
from ortstudio.analysis.required_types import Types, types_of
from ortstudio.model.graph import Graph, OpsetImport, onnx_domain
from ortstudio.model.model import Model

Name = tuple[str, str]
"""An operator whatever its version: domain, operator type."""


@dataclass(frozen=True, slots=True)
class RequiredOperators:
    """What a build must have.

    `operators` are in the order of a config: by domain, version and name, ONNX's own domain being
    the empty string. An operator that is not in `types` must take every type that it can, unless
    `allowed` names the types of the whole build. With `everything` all operators that exist must be
    there, and `operators` is empty.
    """

    operators: tuple[Operator, ...] = ()
    types: Mapping[Name, Types] = field(default_factory=lambda: MappingProxyType({}))
    allowed: frozenset[str] | None = None
    everything: bool = False

    @staticmethod
    def of(
        operators: Iterable[Operator],
        types: Mapping[Name, Types | None],
        allowed: frozenset[str] | None = None,
        everything: bool = False,
    ) -> RequiredOperators:
        """In the order of a config, whatever the order in which things were found."""
        if everything:
            return RequiredOperators(allowed=allowed, everything=True)
        return RequiredOperators(
            tuple(sorted(set(operators), key=_place)),
            MappingProxyType({name: kinds for name, kinds in sorted(types.items()) if kinds}),
            allowed,
        )


def name_of(operator: Operator) -> Name:
    """The operator whatever its version."""
    return onnx_domain(operator.domain), operator.op_type


def required_operators(model: Model, *, types: bool, replayed: bool = True) -> RequiredOperators:
    """What a model needs; its subgraphs and the local functions that it calls are counted in.

    An operator has no `types` where the file does not say those of all its nodes. What saved
    runtime optimizations would make is needed too.
    """
    found: dict[Name, Types | None] = {}
    operators: set[Operator] = set()
    for operator, users, graphs in operators_run(model):
        operators.add(operator)
        for graph, rows in users.rows if types else ():
            _include(found, operator, types_of(operator, rows.tolist(), graph, graphs))
    for product in products(model) if replayed else ():
        operators.add(stated(product.operator, {}))
        _include(found, product.operator, product.types)
    return RequiredOperators.of(operators, found if types else {})


def operators_run(model: Model) -> Iterator[tuple[Operator, Users, Sequence[Graph]]]:
    """The operators as a config names them, their nodes, and the graphs that those are among.

    Calls of local functions are none; the bodies that are called come once, after the graphs.
    """
    local = {(onnx_domain(function.domain), function.name) for function in model.functions}
    for graphs, imports in _bodies(model):
        versions = {onnx_domain(row.domain): row.version for row in imports}
        for operator, users in by_operator(graphs).items():
            if name_of(operator) not in local:
                yield stated(operator, versions), users, graphs


def merged(parts: Iterable[RequiredOperators]) -> RequiredOperators:
    """What a build must have to do for all of the parts: none of them loses a type by it."""
    parts = tuple(parts)
    found: dict[Name, Types | None] = {}
    for part in parts:
        for name in dict.fromkeys(map(name_of, part.operators)):
            own = part.types.get(name)
            found[name] = either(found[name], own) if name in found else own
    limits = [part.allowed for part in parts if part.allowed is not None]
    limited = bool(parts) and len(limits) == len(parts)
    return RequiredOperators.of(
        (operator for part in parts for operator in part.operators),
        found,
        frozenset().union(*limits) if limited else None,
        any(part.everything for part in parts),
    )


def either(one: Types | None, other: Types | None) -> Types | None:
    """What either takes; None is every type."""
    return None if one is None or other is None else one | other


def _include(found: dict[Name, Types | None], operator: Operator, types: Types | None) -> None:
    name = name_of(operator)
    found[name] = either(found[name], types) if name in found else types


def _place(operator: Operator) -> tuple[str, int, str]:
    return operator.domain or "ai.onnx", operator.since_version, operator.op_type


def stated(operator: Operator, imports: Mapping[str, int]) -> Operator:
    """As a config names it: a version that neither file nor data says is that of the import."""
    domain = onnx_domain(operator.domain)
    version = operator.since_version or imports.get(domain, 1)
    return Operator(domain, operator.op_type, version)


def _bodies(model: Model) -> Iterator[tuple[Sequence[Graph], Sequence[OpsetImport]]]:
    """The model's graphs, then those of each local function that is called, once."""
    uncalled = {(onnx_domain(f.domain), f.name, f.overload): f for f in model.functions}
    waiting: list[tuple[Sequence[Graph], Sequence[OpsetImport]]]
    waiting = [(model.graphs, model.opset_imports)]
    while waiting:
        graphs, imports = waiting.pop()
        yield graphs, imports
        for call in _calls(graphs) if uncalled else ():
            function = uncalled.pop(call, None)
            if function is not None:
                waiting.append((function.graphs, function.opset_imports))


def _calls(graphs: Sequence[Graph]) -> Iterator[tuple[str, str, str]]:
    """Domain, operator and overload of every node."""
    for graph in graphs:
        nodes = graph.nodes
        for row, (domain, op_type) in enumerate(zip(nodes.domains, nodes.op_types, strict=True)):
            yield onnx_domain(domain), op_type, nodes.overloads.get(row, "")
