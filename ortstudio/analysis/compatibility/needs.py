"""What a model asks of a release: gathered once, judged for each release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ortstudio.analysis.checks.subject import Subject
from ortstudio.analysis.finding import Finding
from ortstudio.analysis.nodes import NodeRef, Users
from ortstudio.analysis.operators import Formal
from ortstudio.analysis.runtime_optimizations import explain
from ortstudio.model.graph import Graph, onnx_domain, op_text
from ortstudio.model.model import FileKind, Model, OptimizationRecord
from ortstudio.model.types import (
    MapType,
    OptionalType,
    SequenceType,
    TensorType,
    ValueType,
    data_type_text,
)

_Kinds = tuple[str | None, ...]
"""Kernel types of inputs or outputs: "" where none is stated, None for what is left out."""
_Uses = tuple[frozenset[str], _Kinds, _Kinds]
"""The attributes, inputs and outputs of a node."""
_OF_ACTIONS = ("unknown-action", "no-produced-operator")
"""Codes of problems that depend on the release's own actions."""


@dataclass(frozen=True, slots=True)
class Form:
    """Nodes that ask the same of a release: one operator, imported version, attributes and types.

    `types` maps each of the schema's type names to the types of the values that it stands for.
    """

    domain: str
    op_type: str
    version: int
    attributes: frozenset[str]
    inputs: int
    types: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """`Conv`, or `com.microsoft.FusedConv` outside the ONNX domain."""
        return op_text(self.domain, self.op_type)


@dataclass(frozen=True, eq=False)
class Needs:
    """A model's demands. `findings` are those that any release may mind."""

    subject: Subject
    findings: tuple[Finding, ...] = ()

    @property
    def model(self) -> Model:
        """The model itself."""
        return self.subject.model

    @property
    def is_ort(self) -> bool:
        """Whether it is in ORT format."""
        return self.model.kind is FileKind.ORT

    @cached_property
    def imported(self) -> Mapping[str, int]:
        """The imported version of each domain that a node is of."""
        used = {onnx_domain(operator.domain) for operator in self.subject.used}
        rows = self.model.opset_imports
        return {onnx_domain(r.domain): r.version for r in rows if onnx_domain(r.domain) in used}

    @cached_property
    def forms(self) -> dict[Form, NodeRef]:
        """Every form of node that occurs, and the first node of it."""
        found: dict[Form, NodeRef] = {}
        for operator, users in self.subject.used.items():
            version = self.imported.get(onnx_domain(operator.domain), operator.since_version)
            since = self.subject.operators.since(operator.domain, operator.op_type, version)
            signature = self.subject.operators.signature(
                operator.domain, operator.op_type, since or operator.since_version
            )
            formals = (signature.inputs, signature.outputs) if signature else ((), ())
            for graph, row, (attributes, inputs, outputs) in self._unlike(users):
                form = Form(
                    operator.domain,
                    operator.op_type,
                    version,
                    attributes,
                    _count(inputs),
                    _types(((inputs, formals[0]), (outputs, formals[1]))),
                )
                found.setdefault(form, NodeRef(graph.path, int(graph.nodes.indices[row])))
        return found

    def _unlike(self, users: Users) -> Iterator[tuple[Graph, int, _Uses]]:
        """The first of all nodes of an operator that are alike, and what it uses."""
        seen: set[_Uses] = set()
        for graph, rows in users.rows:
            kinds, nodes = self._kinds[id(graph)], graph.nodes
            for row in rows.tolist():
                uses = (
                    _attributes(graph, row),
                    tuple(kinds[value] for value in nodes.inputs.row(row).tolist()),
                    tuple(kinds[value] for value in nodes.outputs.row(row).tolist()),
                )
                if uses not in seen:
                    seen.add(uses)
                    yield graph, row, uses

    @cached_property
    def _kinds(self) -> dict[int, list[str | None]]:
        """By graph, the kernel type of each value; the last is what -1 stands for."""
        return {
            id(graph): [
                *("" if kind is None else kernel_type(kind) for kind in graph.values.types),
                None,
            ]
            for graph in self.model.all_graphs
        }

    @cached_property
    def initializer_types(self) -> dict[int, str]:
        """Element types of constants, each with the name of one that has it."""
        found: dict[int, str] = {}
        for graph in self.model.graphs:
            tensors = graph.initializers
            kinds, rows = np.unique(tensors.data_types, return_index=True)
            for kind, row in zip(kinds.tolist(), rows.tolist(), strict=True):
                found.setdefault(kind, tensors.names[row])
        return found

    @cached_property
    def value_types(self) -> dict[int, str]:
        """Element types of values, each with the name of one that has it."""
        found: dict[int, str] = {}
        for graph in self.model.graphs:
            for name, kind in zip(graph.values.names, graph.values.types, strict=True):
                if isinstance(kind, TensorType):
                    found.setdefault(kind.elem_type, name)
        return found

    @cached_property
    def records(self) -> tuple[OptimizationRecord, ...]:
        """All saved optimizations of all graphs."""
        graphs = self.model.ort.graphs if self.model.ort else ()
        return tuple(record for graph in graphs for record in graph.runtime_optimizations)

    @cached_property
    def stopping_problems(self) -> tuple[str, ...]:
        """Why replay would stop the load in the newest release, apart from what an action lacks."""
        problems = (problem for saved in explain(self.model) for problem in saved.problems)
        found = [p.text for p in problems if p.stops_load and p.code not in _OF_ACTIONS]
        return tuple(dict.fromkeys(found))


def _attributes(graph: Graph, row: int) -> frozenset[str]:
    names = graph.nodes.attributes.names
    return frozenset(names[k] for k in graph.nodes.attribute_rows.row(row).tolist())


def _count(inputs: _Kinds) -> int:
    """How many inputs are given, those left out at the end not counted."""
    return max((place + 1 for place, kind in enumerate(inputs) if kind is not None), default=0)


def _types(sides: Iterable[tuple[_Kinds, tuple[Formal, ...]]]) -> tuple[tuple[str, str], ...]:
    """Type name and type of each value given; under the parameter's own name too."""
    found: set[tuple[str, str]] = set()
    for kinds, formals in sides:
        for place, kind in enumerate(kinds):
            if not kind or not formals:
                continue
            formal = formals[min(place, len(formals) - 1)]
            if place < len(formals) or formal.variadic:
                found |= {(formal.constraint, kind), (formal.name, kind)}
    return tuple(sorted(found))


def kernel_type(kind: ValueType) -> str:
    """The type as kernels name it: `tensor(float)`, `seq(tensor(int64))`, without shapes."""
    if isinstance(kind, TensorType):
        return f"tensor({data_type_text(kind.elem_type)})"
    if isinstance(kind, SequenceType):
        return f"seq({_element(kind.element)})"
    if isinstance(kind, OptionalType):
        return f"optional({_element(kind.element)})"
    if isinstance(kind, MapType):
        return f"map({data_type_text(kind.key_type)},{_element(kind.value)})"
    return str(kind).partition("[")[0]


def _element(kind: ValueType | None) -> str:
    return "?" if kind is None else kernel_type(kind)
