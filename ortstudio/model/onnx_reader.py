"""Reads an ONNX file without its weights, without protobuf, and without trusting it."""

from __future__ import annotations

from collections.abc import Mapping

from ortstudio.errors import FormatError, Where
from ortstudio.format.onnx_messages import FunctionProto, GraphProto, ModelProto, OperatorSetIdProto
from ortstudio.format.protobuf import Field, Fields, Messages
from ortstudio.format.protowire import HEAD_BYTES, LENGTH, read_varint
from ortstudio.format.source import Source
from ortstudio.format.walk import Walk
from ortstudio.model.graph import (
    MAIN_PATH,
    AttributeValue,
    Function,
    GraphRef,
    OpsetImport,
    escape_path_part,
    onnx_domain,
)
from ortstudio.model.model import FileKind, Model, OnnxModel
from ortstudio.model.onnx_attributes import read_attributes
from ortstudio.model.onnx_bodies import FUNCTION, GRAPH, Totals
from ortstudio.model.onnx_graphs import Root, Since, read_trees
from ortstudio.model.onnx_tensors import read_entries
from ortstudio.model.onnx_types import TypeReader


def read_onnx(source: Source, since: Since | None = None) -> Model:
    """Read all but tensors' elements.

    Damage is told in `Model.error`, with whatever could be read beside it; a file without a graph
    is no ONNX model and raises `FormatError`.
    """
    walk = Walk(source)
    fields = Messages.whole(walk, "ModelProto").scan()
    if not len(fields.all(ModelProto.GRAPH)):
        raise walk.error or FormatError(
            "This is not an ONNX model: it has no graph", where=Where(source.path, 0)
        )
    opsets = _opset_imports(fields.children(ModelProto.OPSET_IMPORT), 1)[0]
    totals = Totals()
    root = Root(MAIN_PATH, _versions(opsets))
    graphs = read_trees(fields.inside(ModelProto.GRAPH), GRAPH, [root], totals, since)[0]
    _add_sizes(fields, totals)
    sizes = {use: size for use, size in totals.sizes.items() if size}
    functions = _functions(fields.children(ModelProto.FUNCTIONS), totals, since)
    return Model(
        kind=FileKind.ONNX,
        source=source,
        ir_version=_number(fields, ModelProto.IR_VERSION),
        opset_imports=opsets,
        producer_name=_text(fields, ModelProto.PRODUCER_NAME),
        producer_version=_text(fields, ModelProto.PRODUCER_VERSION),
        domain=_text(fields, ModelProto.DOMAIN),
        model_version=_number(fields, ModelProto.MODEL_VERSION),
        doc_string=_text(fields, ModelProto.DOC_STRING),
        graph_doc_string=graphs[0].doc_string or None,
        metadata=read_entries(fields.children(ModelProto.METADATA_PROPS)).get(0, {}),
        graphs=graphs,
        account=lambda: sizes,
        onnx=OnnxModel(
            functions=functions,
            has_training_info=bool(len(fields.all(ModelProto.TRAINING_INFO))),
            quantization_annotations=totals.quantization_annotations,
            device_configurations=totals.device_configurations
            + len(fields.all(ModelProto.CONFIGURATION)),
        ),
        error=walk.error,
    )


_IN_MODEL = {field.key for field in vars(ModelProto).values() if isinstance(field, Field)}
_IN_GRAPH = {field.key for field in vars(GraphProto).values() if isinstance(field, Field)}
_LOOK_FIELDS = 4096
"""How many fields of a file are looked at before giving up on a graph."""


def looks_like_onnx(source: Source) -> bool:
    """Whether the file begins as an ONNX model does, up to and into its graph.

    It may be cut short inside the graph, if an IR version stands before that.
    """
    at, has_version = 0, False
    try:
        for _ in range(_LOOK_FIELDS):
            key, start, end = _peek(source, at, source.size)
            if key not in _IN_MODEL:
                return False
            if key == ModelProto.GRAPH.key:
                whole = end <= source.size
                return (whole or has_version) and _looks_like_graph(source, start, end)
            has_version |= key == ModelProto.IR_VERSION.key
            at = end
    except FormatError:
        pass
    return False


def _looks_like_graph(source: Source, at: int, end: int) -> bool:
    """Whether the first fields are those of a graph. What is cut off is not asked for."""
    limit = min(end, source.size)
    fields = 0
    while at < limit and fields < 16:
        key, _, at = _peek(source, at, limit)
        if key not in _IN_GRAPH or at > end:
            return False
        fields += 1
    return fields > 0


def _peek(source: Source, at: int, end: int) -> tuple[int, int, int]:
    """The field at a place: its tag, and where its content begins and ends."""
    source.need(at, min(HEAD_BYTES, source.size - at))
    key, at = read_varint(source, at, end)
    value, after = read_varint(source, at, end)
    return (key, after, after + value) if key & 7 == LENGTH else (key, at, after)


def _text(fields: Fields, field: Field) -> str | None:
    """A string; None where the file leaves it out."""
    return fields.texts(field)[0] if len(fields.all(field)) else None


def _number(fields: Fields, field: Field) -> int | None:
    """A number; None where the file leaves it out."""
    place = fields.last(field)[0]
    return None if place < 0 else int(fields.values[place])


def _add_sizes(fields: Fields, totals: Totals) -> None:
    """Share out the whole file; `other` is what is damaged or not known to us."""
    sizes = totals.sizes
    graph_content = int(fields.inside(ModelProto.GRAPH).sizes.sum())
    small = (
        ModelProto.IR_VERSION,
        ModelProto.PRODUCER_NAME,
        ModelProto.PRODUCER_VERSION,
        ModelProto.DOMAIN,
        ModelProto.MODEL_VERSION,
        ModelProto.DOC_STRING,
        ModelProto.OPSET_IMPORT,
        ModelProto.CONFIGURATION,
    )
    sizes["graph"] += int(fields.sizes(ModelProto.GRAPH)[0]) - graph_content
    sizes["model"] += int(fields.sizes(*small)[0])
    sizes["metadata"] += int(fields.sizes(ModelProto.METADATA_PROPS)[0])
    sizes["functions"] += int(fields.sizes(ModelProto.FUNCTIONS)[0])
    sizes["training_info"] += int(fields.sizes(ModelProto.TRAINING_INFO)[0])
    sizes["other"] += fields.messages.walk.source.size - sum(sizes.values())


def _opset_imports(messages: Messages, count: int) -> list[tuple[OpsetImport, ...]]:
    """The imports of each model or function."""
    fields = messages.scan()
    found: list[list[OpsetImport]] = [[] for _ in range(count)]
    for parent, domain, version in zip(
        messages.parents.tolist(),
        fields.texts(OperatorSetIdProto.DOMAIN),
        fields.numbers(OperatorSetIdProto.VERSION).tolist(),
        strict=True,
    ):
        found[parent].append(OpsetImport(onnx_domain(domain), version))
    return [tuple(imports) for imports in found]


def _versions(imports: tuple[OpsetImport, ...]) -> Mapping[str, int]:
    return {found.domain: found.version for found in imports}


def _functions(messages: Messages, totals: Totals, since: Since | None) -> tuple[Function, ...]:
    if not len(messages):
        return ()
    fields = messages.scan()
    count = len(messages)
    names, domains, overloads, docs = (
        fields.texts(field)
        for field in (
            FunctionProto.NAME,
            FunctionProto.DOMAIN,
            FunctionProto.OVERLOAD,
            FunctionProto.DOC_STRING,
        )
    )
    opsets = _opset_imports(fields.children(FunctionProto.OPSET_IMPORT), count)
    ptr, attributes = fields.every_text(FunctionProto.ATTRIBUTE)
    defaults = _defaults(fields.children(FunctionProto.ATTRIBUTE_PROTO), count)
    roots = [
        Root(_function_path(domain, name, overload), _versions(imports))
        for domain, name, overload, imports in zip(domains, names, overloads, opsets, strict=True)
    ]
    trees = read_trees(messages, FUNCTION, roots, totals, since)
    return tuple(
        Function(
            domain=domains[i],
            name=names[i],
            overload=overloads[i],
            doc_string=docs[i],
            attributes=tuple(attributes[ptr[i] : ptr[i + 1]]),
            opset_imports=opsets[i],
            graphs=trees[i],
            attribute_defaults=defaults[i],
        )
        for i in range(count)
    )


def _defaults(
    messages: Messages, count: int
) -> list[dict[str, AttributeValue | GraphRef | tuple[GraphRef, ...]]]:
    """The default values of each function's attributes. A graph as a default is not read."""
    read = read_attributes(messages, TypeReader())
    found: list[dict[str, AttributeValue | GraphRef | tuple[GraphRef, ...]]]
    found = [{} for _ in range(count)]
    for row, owner in enumerate(read.parents.tolist()):
        found[owner][read.columns.names[row]] = read.columns.value(row)
    return found


def _function_path(domain: str, name: str, overload: str) -> str:
    """The path of a function's body: without a leading slash, so never that of a graph."""
    parts = [domain, name, overload] if overload else [domain, name]
    return ":".join(escape_path_part(part) for part in parts)
