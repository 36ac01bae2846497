"""An `.ort` file as a `Model`: everything in it but the tensor payloads."""

from __future__ import annotations

import numpy as np

from ortstudio.errors import FormatError
from ortstudio.format.fields import Field
from ortstudio.format.flatbuf import Buffer, Tables
from ortstudio.format.ort_tables import (
    InferenceSession,
    OperatorSetId,
    StringStringEntry,
)
from ortstudio.format.ort_tables import (
    Model as ModelTable,
)
from ortstudio.format.source import Source
from ortstudio.model.graph import MAIN_PATH, Graph, OpsetImport
from ortstudio.model.model import FileKind, Model, OrtGraph, OrtModel
from ortstudio.model.ort_columns import string_map
from ortstudio.model.ort_graph import Damage, GraphQueue, Pending, read_graph
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
    return _Reading(buffer, buffer.root("metadata")).model()


class _Reading:
    """One pass over a file, collecting the first damage it meets."""

    def __init__(self, buffer: Buffer, root: Tables) -> None:
        self._buffer = buffer
        self._root = root
        self._damage = Damage()
        absent = Tables(buffer, np.full(1, -1), "metadata", "Model")
        self._model = self._damage.attempt(
            lambda: root.tables(InferenceSession.model), lambda: absent
        )

    def model(self) -> Model:
        graphs, ort_graphs = self._graphs()
        ort = self._ort(ort_graphs)
        model_version = self._number(ModelTable.model_version)
        return Model(
            kind=FileKind.ORT,
            source=self._buffer.source,
            ir_version=self._number(ModelTable.ir_version),
            opset_imports=self._damage.attempt(self._opset_imports, tuple),
            producer_name=self._text(ModelTable.producer_name),
            producer_version=self._text(ModelTable.producer_version),
            domain=self._text(ModelTable.domain),
            model_version=None if model_version in _UNSET_MODEL_VERSIONS else model_version,
            doc_string=self._text(ModelTable.doc_string),
            graph_doc_string=self._text(ModelTable.graph_doc_string),
            metadata=self._damage.attempt(self._metadata, dict),
            graphs=graphs,
            account=self._buffer.sizes,
            ort=ort,
            error=self._damage.first,
        )

    def _ort(self, graphs: tuple[OrtGraph, ...]) -> OrtModel:
        root, attempt = self._root, self._damage.attempt
        version = attempt(lambda: root.texts(InferenceSession.ort_version)[0], str)
        resolver = attempt(
            lambda: read_resolver(
                root.tables(InferenceSession.kernel_type_str_resolver, "kernel_type_resolver")
            ),
            lambda: None,
        )
        hashes = attempt(
            lambda: read_kernel_hashes(
                root.tables(InferenceSession.session_state, "kernel_hashes")
            ),
            lambda: (),
        )
        return OrtModel(
            format_version_text=version,
            format_version=strict_version(version),
            has_identifier=has_identifier(self._buffer.source),
            graphs=graphs,
            resolver=resolver,
            kernel_hashes=hashes,
            table_count=self._buffer.table_count,
        )

    def _graphs(self) -> tuple[tuple[Graph, ...], tuple[OrtGraph, ...]]:
        """The main graph, then every graph found on the way, as long as there are any."""
        position = int(
            self._damage.attempt(
                lambda: self._model.follow(ModelTable.graph), lambda: np.full(1, -1)
            )[0]
        )
        if position < 0 and self._damage.first is None:
            self._damage.first = FormatError("The file holds no graph")
        queue = GraphQueue()
        queue.add(Pending(position, MAIN_PATH, None, 0))
        graphs, ort_graphs = [], []
        for index, pending in enumerate(queue.found):
            if pending.depth > GRAPH_NESTING:
                raise self._buffer.fail(
                    f"Graphs are nested more than {GRAPH_NESTING} deep", pending.position, "Graph"
                )
            graph, ort_graph = read_graph(self._buffer, index, queue, self._damage)
            graphs.append(graph)
            ort_graphs.append(ort_graph)
        return tuple(graphs), tuple(ort_graphs)

    def _text(self, field: Field) -> str | None:
        text = self._damage.attempt(lambda: self._model.optional_texts(field)[0], lambda: None)
        return text or None

    def _number(self, field: Field) -> int:
        return int(self._damage.attempt(lambda: self._model.ints(field)[0], lambda: 0))

    def _opset_imports(self) -> tuple[OpsetImport, ...]:
        _, tables = self._model.vectors(ModelTable.opset_import).tables()
        versions = tables.ints(OperatorSetId.version).tolist()
        pairs = zip(tables.texts(OperatorSetId.domain), versions, strict=True)
        return tuple(OpsetImport("" if d == "ai.onnx" else d, version) for d, version in pairs)

    def _metadata(self) -> dict[str, str]:
        _, tables = self._model.vectors(ModelTable.metadata_props).tables()
        return string_map(tables, StringStringEntry.key, StringStringEntry.value)
