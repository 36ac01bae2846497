"""An `.ort` file as a `Model`: everything in it but the tensor payloads."""

from __future__ import annotations

from ortstudio.errors import FormatError, Where
from ortstudio.format.buffer import Buffer
from ortstudio.format.fields import Field
from ortstudio.format.flatbuf import Tables
from ortstudio.format.ort_tables import (
    InferenceSession,
    OperatorSetId,
    StringStringEntry,
)
from ortstudio.format.ort_tables import (
    Model as ModelTable,
)
from ortstudio.format.source import Source
from ortstudio.model.graph import MAIN_PATH, Graph, OpsetImport, onnx_domain
from ortstudio.model.model import FileKind, Model, OrtGraph, OrtModel
from ortstudio.model.ort_graph import GraphQueue, Pending, read_graph
from ortstudio.model.ort_optimizations import read_kernel_hashes, read_resolver

IDENTIFIER = b"ORTM"

GRAPH_NESTING = 1000
"""Graphs in graphs deeper than this are refused; the runtime itself stops at 19."""

_UNSET_MODEL_VERSIONS = (0, 2**63 - 1)
"""A source without a model version: 0 from writers up to 1.8, the largest number since."""


def has_identifier(source: Source) -> bool:
    """Whether bytes 4 to 8 say `ORTM`; 1.5.1 wrote files without it."""
    return source.size >= 8 and source.read(4, 4) == IDENTIFIER


def strict_version(text: str) -> int | None:
    """The ORT format version as a number; None for anything but plain digits.

    The runtime is lenient here (`5abc` loads); a person should see what really stands there.
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def read_ort(source: Source) -> Model:
    """Read the structure of an ORT-format model.

    Raises FormatError where not even the root can be read. Damage further in stands in
    `Model.error`, with everything that can be read beside it.
    """
    buffer = Buffer(source)
    root = Tables.root(buffer, "metadata")
    if buffer.damage is not None:
        raise buffer.damage
    model = root.tables(InferenceSession.model)
    graphs, ort_graphs = _graphs(buffer, int(model.follow(ModelTable.graph)[0]))
    model_version = _number(model, ModelTable.model_version)
    return Model(
        kind=FileKind.ORT,
        source=source,
        ir_version=_number(model, ModelTable.ir_version),
        opset_imports=_opset_imports(model),
        producer_name=_text(model, ModelTable.producer_name),
        producer_version=_text(model, ModelTable.producer_version),
        domain=_text(model, ModelTable.domain),
        model_version=None if model_version in _UNSET_MODEL_VERSIONS else model_version,
        doc_string=_text(model, ModelTable.doc_string),
        graph_doc_string=_text(model, ModelTable.graph_doc_string),
        metadata=_metadata(model),
        graphs=graphs,
        account=buffer.account.sizes,
        ort=_ort_model(buffer, root, ort_graphs),
        error=buffer.damage,
    )


def _ort_model(buffer: Buffer, root: Tables, graphs: tuple[OrtGraph, ...]) -> OrtModel:
    version = root.texts(InferenceSession.ort_version)[0]
    resolver = root.tables(InferenceSession.kernel_type_str_resolver, "kernel_type_resolver")
    session_state = root.tables(InferenceSession.session_state, "kernel_hashes")
    return OrtModel(
        format_version_text=version,
        format_version=strict_version(version),
        has_identifier=has_identifier(buffer.source),
        graphs=graphs,
        resolver=read_resolver(resolver),
        kernel_hashes=read_kernel_hashes(session_state),
        table_count=buffer.table_count,
    )


def _graphs(buffer: Buffer, main: int) -> tuple[tuple[Graph, ...], tuple[OrtGraph, ...]]:
    """The main graph, then every graph found on the way, as long as there are any."""
    if main < 0 and buffer.damage is None:
        buffer.damage = FormatError("The file holds no graph", where=Where(buffer.source.path))
    queue = GraphQueue()
    queue.add(Pending(main, MAIN_PATH, None, 0))
    graphs, ort_graphs = [], []
    for index, pending in enumerate(queue.found):
        if pending.depth > GRAPH_NESTING:
            raise FormatError(
                f"Graphs are nested more than {GRAPH_NESTING} deep",
                where=Where(buffer.source.path, pending.position),
            )
        graph, ort_graph = read_graph(buffer, index, queue)
        graphs.append(graph)
        ort_graphs.append(ort_graph)
    return tuple(graphs), tuple(ort_graphs)


def _text(model: Tables, field: Field) -> str | None:
    return model.optional_texts(field)[0] or None


def _number(model: Tables, field: Field) -> int:
    return int(model.ints(field)[0])


def _opset_imports(model: Tables) -> tuple[OpsetImport, ...]:
    _, tables = model.vectors(ModelTable.opset_import).tables()
    versions = tables.ints(OperatorSetId.version).tolist()
    pairs = zip(tables.texts(OperatorSetId.domain), versions, strict=True)
    return tuple(OpsetImport(onnx_domain(d), version) for d, version in pairs)


def _metadata(model: Tables) -> dict[str, str]:
    _, tables = model.vectors(ModelTable.metadata_props).tables()
    keys = tables.texts(StringStringEntry.key)
    return dict(zip(keys, tables.texts(StringStringEntry.value), strict=True))
