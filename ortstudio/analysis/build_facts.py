"""What a model has that decides the flags of a build of ONNX Runtime for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ortstudio.analysis.element_types import refused
from ortstudio.analysis.nchwc import NCHWC_DOMAIN
from ortstudio.analysis.nodes import Operator
from ortstudio.analysis.operators import Operators
from ortstudio.analysis.portability import ONNX_DOMAINS, TRAINING_DOMAINS
from ortstudio.analysis.required_operators import RequiredOperators
from ortstudio.analysis.runtime_optimizations import explain
from ortstudio.model.graph import Graph
from ortstudio.model.model import FileKind, Model
from ortstudio.model.tensor import SparseTensor, Tensor
from ortstudio.model.types import (
    DataType,
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    TensorType,
)

_FLOAT8 = frozenset(kind for kind in DataType if kind.name.startswith("FLOAT8"))
_OPTIONAL = frozenset({"Optional", "OptionalGetElement", "OptionalHasElement"})
_CPU = ("", "CPUExecutionProvider")


@dataclass(frozen=True, slots=True)
class BuildFacts:
    """The facts about one model, which `name` stands for.

    `custom`, `contrib`, `ml` and `training` name its operators of these kinds, `kinds` are those of
    `float8`, `map`, `optional` and `sparsetensor` that it has anything of. `providers` were given
    nodes when the runtime saved the file. `stops` says why replaying saved optimizations stops the
    load; `refused` is set where 1.28 and newer do not load the types of its constants.
    """

    name: str
    is_onnx: bool
    format_version: int | None
    optimizations: int
    stops: str
    custom: tuple[str, ...]
    contrib: tuple[str, ...]
    ml: tuple[str, ...]
    training: tuple[str, ...]
    blocked: bool
    kinds: frozenset[str]
    providers: tuple[str, ...]
    refused: bool


def build_facts(
    name: str, model: Model, required: RequiredOperators, known: Operators
) -> BuildFacts:
    """Look for all of them; `required` are the operators that the model needs."""

    def named(fits: Callable[[str], bool]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(o.text for o in required.operators if fits(o.domain)))

    saved = explain(model)
    return BuildFacts(
        name=name,
        is_onnx=model.kind is FileKind.ONNX,
        format_version=model.ort.format_version if model.ort else None,
        optimizations=len(saved),
        stops=next((p.text for one in saved for p in one.problems if p.stops_load), ""),
        custom=named(lambda domain: not known.knows_domain(domain) and not _is_runtimes(domain)),
        contrib=named(_is_runtimes),
        ml=named(lambda domain: domain == "ai.onnx.ml"),
        training=named(lambda domain: domain in TRAINING_DOMAINS),
        blocked=any(operator.domain == NCHWC_DOMAIN for operator in required.operators),
        kinds=frozenset(_kinds(model, required.operators)),
        providers=_providers(model),
        refused=model.ort is not None
        and any(len(refused(graph.initializers.data_types)) for graph in model.graphs),
    )


def _is_runtimes(domain: str) -> bool:
    """Whether operators of the domain are ONNX Runtime's own."""
    return domain.startswith(("com.microsoft", "com.ms.")) and domain not in ONNX_DOMAINS


def _kinds(model: Model, operators: tuple[Operator, ...]) -> Iterator[str]:
    """The kinds that anything in the model is of, with repetitions."""
    if any(not operator.domain and operator.op_type in _OPTIONAL for operator in operators):
        yield "optional"
    for graph in model.all_graphs:
        if graph.sparse_initializers:
            yield "sparsetensor"
        if _FLOAT8 & set(graph.initializers.data_types.tolist()):
            yield "float8"
        for found in _typed(graph):
            yield from _kinds_of(found)


def _typed(graph: Graph) -> Iterator[object]:
    """Types and constants, of values and in attributes; those that are alike often once."""
    yield from {id(found): found for found in graph.values.types}.values()
    yield from graph.nodes.attributes.others.values()


def _kinds_of(found: object) -> Iterator[str]:
    if isinstance(found, TensorType | SparseTensorType) and found.elem_type in _FLOAT8:
        yield "float8"
    if isinstance(found, Tensor) and found.data_type in _FLOAT8:
        yield "float8"
    if isinstance(found, SparseTensorType | SparseTensor):
        yield "sparsetensor"
    if isinstance(found, MapType):
        yield "map"
        yield from _kinds_of(found.value)
    if isinstance(found, SequenceType | OptionalType):
        yield from ["optional"] * isinstance(found, OptionalType)
        yield from _kinds_of(found.element)
    if isinstance(found, tuple):
        for part in found:
            yield from _kinds_of(part)


def _providers(model: Model) -> tuple[str, ...]:
    graphs = model.ort.graphs if model.ort else ()
    found = (provider for graph in graphs for provider in graph.execution_providers)
    return tuple(dict.fromkeys(provider for provider in found if provider not in _CPU))
