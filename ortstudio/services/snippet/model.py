"""A model as far as code that runs it has to know it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from ortstudio.analysis.operators import Operators
from ortstudio.errors import RefusedError, Where
from ortstudio.model.graph import onnx_domain, op_text
from ortstudio.model.model import FileKind, Model
from ortstudio.model.types import (
    MapType,
    OptionalType,
    SequenceType,
    TensorType,
    ValueType,
)
from ortstudio.services.document import Document
from ortstudio.services.inputs import Inputs, InputSettings, open_size

EXTENSIONS_DOMAINS = frozenset({"ai.onnx.contrib", "com.microsoft.extensions"})
"""The operators of the onnxruntime-extensions package."""


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output. An open size of an input is a symbol out of `SnippetModel.sizes`."""

    name: str
    type: ValueType | None


@dataclass(frozen=True, slots=True)
class SnippetModel:
    """What the code says of a model.

    `path` is what the code opens. `sizes` has a value for every open size of the inputs, by
    symbol. `defaults` are inputs that need not be fed. `custom_ops` maps a domain that the runtime
    does not bring to the operators used of it. `release` is the minor number of the oldest ONNX
    Runtime release from which on all load the file, None where that is not known. `cpu_bound`: it
    has nodes that only processors like the one it was made on can run.
    """

    path: str
    kind: FileKind
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    sizes: Mapping[str, int]
    defaults: tuple[str, ...] = ()
    custom_ops: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    saved_optimizations: int = 0
    replays: bool = False
    external_data: tuple[str, ...] = ()
    release: int | None = None
    cpu_bound: bool = False

    @property
    def name(self) -> str:
        """The file's name without its folder."""
        return PurePath(self.path).name or self.path

    @property
    def is_ort(self) -> bool:
        """Whether the file is in ORT format."""
        return self.kind is FileKind.ORT

    @property
    def explicit_format(self) -> str:
        """`ORT` or `ONNX` where the runtime would take the file for the other by its name."""
        # The runtime looks at the last four characters of a path and at nothing else.
        if self.path.lower().endswith(".ort") == self.is_ort:
            return ""
        return "ORT" if self.is_ort else "ONNX"

    @property
    def needs_extensions(self) -> bool:
        """Whether it uses operators of the onnxruntime-extensions package."""
        return bool(EXTENSIONS_DOMAINS & self.custom_ops.keys())

    @property
    def needs_library(self) -> bool:
        """Whether it uses operators that only a library of the user's own has."""
        return bool(self.custom_ops.keys() - EXTENSIONS_DOMAINS)


def snippet_model(
    document: Document, dims: Mapping[str, int] | None = None, path: str | None = None
) -> SnippetModel:
    """Describe an open model. `dims` are sizes by symbol; the others are 1.

    Raises StudioError for what no session loads, and UsageError for a symbol that there is not.
    """
    model = document.model
    _check_loadable(model)
    inputs = Inputs(model, InputSettings(dims=dims or {}))
    saved = document.optimizations
    version = document.known.versions.get(model.ort.format_version) if model.ort else None
    graph = model.main
    names, types = graph.values.names, graph.values.types
    return SnippetModel(
        path=path or model.source.path,
        kind=model.kind,
        inputs=tuple(Port(name, _sized(name, of)) for name, of in inputs.types.items()),
        outputs=tuple(Port(names[i], types[i]) for i in graph.outputs.tolist() if i >= 0),
        sizes=next(inputs.attempts()).sizes,
        defaults=tuple(
            names[i] for i in graph.inputs.tolist() if i >= 0 and names[i] not in inputs.types
        ),
        custom_ops=_custom_ops(model, document.known.operators),
        saved_optimizations=len(saved),
        replays=bool(saved) and all(one.replays != "no" for one in saved),
        external_data=tuple(file.path for file in document.external_files),
        release=None if version is None else _first_of_all(version.full),
        cpu_bound=document.portability.verdict == "this-cpu-family",
    )


def _check_loadable(model: Model) -> None:
    if model.error is not None:
        raise model.error
    if model.kind not in (FileKind.ORT, FileKind.ONNX):
        what = "training checkpoint" if model.kind is FileKind.CHECKPOINT else "LoRA adapter"
        raise RefusedError(
            f"This is a {what}: it is loaded beside a model and runs nothing by itself",
            where=Where(model.source.path),
        )


def _sized(name: str, of: ValueType) -> ValueType:
    """The type with a symbol for every size that is open; an unknown rank becomes one axis."""
    if isinstance(of, TensorType):
        dims = (None,) if of.dims is None else of.dims
        return replace(
            of,
            dims=tuple(
                dim if isinstance(dim, int) and dim >= 0 else open_size(name, axis, dim)
                for axis, dim in enumerate(dims)
            ),
        )
    if isinstance(of, SequenceType | OptionalType) and of.element:
        return replace(of, element=_sized(name, of.element))
    return of


def _custom_ops(model: Model, known: Operators) -> dict[str, tuple[str, ...]]:
    local = {(onnx_domain(function.domain), function.name) for function in model.functions}
    found: dict[str, dict[str, None]] = {}
    for domain, op_type in _operators(model):
        if (domain, op_type) not in local and not known.knows_domain(domain):
            found.setdefault(domain, {})[op_type] = None
    return {domain: tuple(found[domain]) for domain in sorted(found)}


def _operators(model: Model) -> Iterator[tuple[str, str]]:
    """Every operator that a node uses, at any depth, once."""
    seen = {
        (onnx_domain(domain), op_type)
        for graph in model.all_graphs
        for domain, op_type in zip(graph.nodes.domains, graph.nodes.op_types, strict=True)
    }
    return iter(sorted(seen))


def custom_op_names(model: SnippetModel) -> list[str]:
    """`my.ops.BpeLike` for each operator that the runtime does not bring."""
    return [op_text(domain, op) for domain, ops in model.custom_ops.items() for op in ops]


def _first_of_all(releases: frozenset[int]) -> int:
    """The first release from which on there is no gap."""
    first = max(releases)
    while first - 1 in releases:
        first -= 1
    return first


def element_types(of: ValueType | None) -> set[int]:
    """The element types of all tensors in a value; the keys of a map are a tensor too."""
    if isinstance(of, TensorType):
        return {of.elem_type}
    if isinstance(of, SequenceType | OptionalType):
        return element_types(of.element)
    if isinstance(of, MapType):
        return {of.key_type} | element_types(of.value)
    return set()


def has_sequence(of: ValueType | None) -> bool:
    """Whether a value is a sequence or holds one."""
    if isinstance(of, OptionalType):
        return has_sequence(of.element)
    return isinstance(of, SequenceType)


def dims_text(of: TensorType, sizes: Mapping[str, str]) -> list[str]:
    """The dimensions of an input as code, open ones by the identifiers of their constants."""
    return [sizes[dim] if isinstance(dim, str) else str(dim) for dim in of.dims or ()]


def count_text(dims: Sequence[str]) -> str:
    """How many elements there are, as code."""
    return " * ".join(dims) or "1"


def held_tensor(of: ValueType | None) -> TensorType | None:
    """The tensor that a value is, optional or not; None where it is something else."""
    while isinstance(of, OptionalType):
        of = of.element
    return of if isinstance(of, TensorType) else None
