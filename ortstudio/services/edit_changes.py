"""What `edit` is asked to change, and whether a model has what is to be changed."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields

from ortstudio.analysis.words import count, listed
from ortstudio.errors import RefusedError, UsageError, Where
from ortstudio.model.graph import Graph
from ortstudio.model.model import FileKind, Model
from ortstudio.model.types import (
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    TensorType,
    ValueType,
)


@dataclass(frozen=True, slots=True)
class Changes:
    """Edits of a model; what is None or empty stays as it is.

    `inputs` and `outputs` are new names by old ones, `sizes` numbers by symbol. An empty doc string
    or producer removes it.
    """

    inputs: Mapping[str, str] = field(default_factory=dict)
    outputs: Mapping[str, str] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    metadata: Mapping[str, str] = field(default_factory=dict)
    removed_metadata: tuple[str, ...] = ()
    doc_string: str | None = None
    graph_doc_string: str | None = None
    producer_name: str | None = None
    producer_version: str | None = None
    domain: str | None = None
    model_version: int | None = None
    strip_doc_strings: bool = False
    strip_names: bool = False
    drop_optimizations: bool = False

    @property
    def renamed(self) -> dict[str, str]:
        """Old → new of all values of the main graph that get another name."""
        return {**self.inputs, **self.outputs}

    @property
    def none(self) -> bool:
        """Whether there is nothing to do."""
        return self == Changes()

    @property
    def texts(self) -> dict[str, str]:
        """The texts of the model that are set, by the names of both formats."""
        names = ("doc_string", "producer_name", "producer_version", "domain")
        return {name: text for name in names if (text := getattr(self, name)) is not None}

    def words(self, model: Model) -> list[str]:
        """A line for each thing that is changed, such as `Input x is renamed to image`."""
        return list(_words(self, model))


def check_kind(model: Model) -> None:
    """Raises RefusedError for what is no model, and what is wrong with one that is damaged."""
    what = {FileKind.CHECKPOINT: "a training checkpoint", FileKind.ADAPTER: "a LoRA adapter"}
    if model.kind in what:
        raise RefusedError(
            f"This is {what[model.kind]}: only ONNX models and models in ORT format can be edited"
        )
    if model.error is not None:
        raise model.error


def check_changes(changes: Changes, model: Model) -> None:
    """Raises UsageError for what asks for nothing, or for something that the model has not.

    RefusedError where the model forbids it.
    """
    if changes.none:
        raise UsageError("Nothing is to be changed", hint="Name at least one edit: see --help.")
    graph = model.main
    inputs = graph.value_names(graph.inputs.tolist())
    outputs = graph.value_names(graph.outputs.tolist())
    where = Where(model.source.path)
    _check_known("input", changes.inputs, inputs, where)
    _check_known("output", changes.outputs, outputs, where)
    _check_known("metadata entry", changes.removed_metadata, model.metadata, where)
    _check_known("symbolic size", changes.sizes, symbols(model), where)
    for key in changes.metadata:
        if key in changes.removed_metadata:
            raise UsageError(f"The metadata entry {key!r} cannot be both set and removed")
    _check_renames(changes, model)
    if changes.drop_optimizations and model.kind is not FileKind.ORT:
        raise RefusedError("Only a model in ORT format has saved optimizations")


def _check_known(what: str, asked: Iterable[str], known: Iterable[str], where: Where) -> None:
    known = list(known)
    for name in asked:
        if name not in known:
            close = difflib.get_close_matches(name, known, 3) or known
            hint = f"It has {listed([repr(text) for text in close])}." if close else ""
            raise UsageError(f"The model has no {what} named {name!r}", where=where, hint=hint)


def _check_renames(changes: Changes, model: Model) -> None:
    """Refuse names that would then mean two things."""
    for old in changes.inputs.keys() & changes.outputs.keys():
        if changes.inputs[old] != changes.outputs[old]:
            raise UsageError(f"{old!r} is an input and an output: it can get one new name only")
    renamed = changes.renamed
    if "" in renamed.values():
        raise UsageError("A value cannot be renamed to nothing")
    for new, uses in Counter(renamed.values()).items():
        if uses > 1:
            raise UsageError(f"Two values cannot both be named {new!r}")
    main, *inner = model.graphs
    taken = set(main.values.names) - renamed.keys()
    taken.update(name for graph in inner for name in own_names(graph))
    for old, new in renamed.items():
        if new in taken and new != old:
            raise RefusedError(
                f"{old!r} cannot be renamed to {new!r}: the model has a value of that name"
            )


def own_names(graph: Graph) -> set[str]:
    """The values that a graph brings itself, not those of outer graphs that it reads."""
    ids = [*graph.inputs.tolist(), *graph.nodes.outputs.flat.tolist()]
    names = set(graph.value_names(ids)) - {""}
    names.update(graph.initializers.names)
    return names | {sparse.values.name for sparse in graph.sparse_initializers}


def symbols(model: Model) -> Mapping[str, int]:
    """Every named size in the type of a value of any graph, and how often it occurs."""
    found: Counter[str] = Counter()
    for graph in model.all_graphs:
        # The ONNX reader makes equal types one object.
        types = {id(of): of for of in graph.values.types}
        for key, uses in Counter(map(id, graph.values.types)).items():
            for symbol in _symbols(types[key]):
                found[symbol] += uses
    return found


def input_symbols(model: Model) -> set[str]:
    """The named sizes in the types of the main graph's inputs."""
    types = model.main.values.types
    return {symbol for i in model.main.inputs.tolist() for symbol in _symbols(types[i])}


def _symbols(of: ValueType | None) -> Iterator[str]:
    if isinstance(of, TensorType | SparseTensorType):
        yield from (dim for dim in of.dims or () if isinstance(dim, str) and dim)
    elif isinstance(of, SequenceType | OptionalType):
        yield from _symbols(of.element)
    elif isinstance(of, MapType):
        yield from _symbols(of.value)


_LABELS = {
    "doc_string": "doc string",
    "graph_doc_string": "graph doc string",
    "producer_name": "producer",
    "producer_version": "producer version",
    "domain": "domain",
}


def _words(changes: Changes, model: Model) -> Iterator[str]:
    for what, names in (("Input", changes.inputs), ("Output", changes.outputs)):
        for old, new in names.items():
            yield f"{what} {old} is renamed to {new}"
    occur = symbols(model) if changes.sizes else {}
    for symbol, size in changes.sizes.items():
        yield f"Size {symbol} is fixed to {size:,} in {count(occur[symbol], 'place')}"
    for key in changes.metadata:
        verb = "replaced" if key in model.metadata else "added"
        yield f"Metadata {key} is {verb}"
    for key in changes.removed_metadata:
        yield f"Metadata {key} is removed"
    if changes.strip_doc_strings:
        yield "Doc strings are removed"
    if changes.strip_names:
        yield "Names of nodes are removed"
    for of in fields(changes):
        if of.name in _LABELS and (text := getattr(changes, of.name)) is not None:
            yield f"The {_LABELS[of.name]} is {'set' if text else 'removed'}"
    if changes.model_version is not None:
        yield f"The model version is set to {changes.model_version}"
    if changes.drop_optimizations:
        saved = sum(len(g.runtime_optimizations) for g in model.ort.graphs) if model.ort else 0
        verb = "is" if saved == 1 else "are"
        text = f"{count(saved, 'saved optimization')} {verb} dropped"
        yield text if saved else "There are no saved optimizations to drop"
