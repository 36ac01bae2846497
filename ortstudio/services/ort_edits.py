"""Edits of a model in ORT format, one function each; `ort_write.rewrite` applies them.

Names and texts are changed by value, wherever they stand, so that what is written agrees with
itself: edges, node indices and saved optimizations do not name values and stay as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ortstudio.analysis.nodes import by_operator
from ortstudio.analysis.resolver import looked_up, produced_op_ids
from ortstudio.errors import FormatError, RefusedError
from ortstudio.format.content import Batch, LinkRows
from ortstudio.format.fields import Field
from ortstudio.format.ort_tables import (
    SCHEMA,
    DimensionValue,
    DimensionValueType,
    Graph,
    InferenceSession,
    KernelTypeStrResolver,
    Model,
    Node,
    OpIdKernelTypeStrArgsEntry,
    StringStringEntry,
)
from ortstudio.model.model import Model as ReadModel
from ortstudio.model.ort_reader import strict_version
from ortstudio.services.ort_write import Edit
from ortstudio.services.stamp import KEYS, Stamp


def set_text(of: Field, text: str | None) -> Edit:
    """Give a field of the model another text, or none."""

    def edit(root: Batch) -> None:
        check_has(root, of)
        _model(root).texts(of)[0] = None if text is None else encoded(text)

    return edit


def set_number(of: Field, number: int) -> Edit:
    """Give a field of the model another number."""

    def edit(root: Batch) -> None:
        _model(root).numbers(of)[0] = number

    return edit


def set_format_version(version: int) -> Edit:
    """Say another format version, and change nothing else."""

    def edit(root: Batch) -> None:
        root.texts(InferenceSession.ort_version)[0] = str(version).encode()

    return edit


def set_metadata(values: Mapping[str, str], removed: Collection[str] = ()) -> Edit:
    """Add or replace entries of the metadata, and remove others."""
    new = {encoded(key): encoded(text) for key, text in values.items()}
    gone = {encoded(key) for key in removed} | new.keys()

    def edit(root: Batch) -> None:
        check_has(root, Model.metadata_props)
        entries = _rows(_model(root), Model.metadata_props)
        keys = entries.batch.texts(StringStringEntry.key)
        kept = [row for row in entries.rows[0] or () if keys[row] not in gone]
        added = [
            entries.batch.append({StringStringEntry.key: key, StringStringEntry.value: text})
            for key, text in new.items()
        ]
        entries.rows[0] = kept + added

    return edit


def set_stamp(stamp: Stamp) -> Edit:
    """Say in the metadata how the file was made, instead of whatever was said before."""
    return set_metadata(stamp.entries(), KEYS)


def strip_doc_strings(root: Batch) -> None:
    """Remove the doc strings of the model, its graphs, nodes, attributes, tensors and values."""
    for name, table in SCHEMA.tables.items():
        for of in table.fields:
            if of.name in ("doc_string", "graph_doc_string"):
                for batch in root.all(name):
                    batch.remove(of)


def strip_node_names(root: Batch) -> None:
    """Remove the names of nodes, which nothing refers to."""
    for nodes in root.all("Node"):
        nodes.remove(Node.name)


def fix_sizes(sizes: Mapping[str, int]) -> Edit:
    """Put numbers in the place of symbolic sizes, in the type of every value."""
    by_name = {encoded(symbol): size for symbol, size in sizes.items()}

    def edit(root: Batch) -> None:
        for dims in root.all("DimensionValue"):
            kinds = dims.numbers(DimensionValue.dim_type)
            numbers = dims.numbers(DimensionValue.dim_value)
            names = dims.texts(DimensionValue.dim_param)
            for row, name in enumerate(names):
                if kinds[row] == DimensionValueType.PARAM and name in by_name:
                    kinds[row] = DimensionValueType.VALUE
                    numbers[row] = by_name[name]
                    names[row] = None

    return edit


def drop_optimizations(model: ReadModel) -> Edit:
    """Remove the saved optimizations, and what the resolver holds for nothing else."""
    used = {op for operator in by_operator(model.graphs) for op in looked_up(operator)}
    unneeded: set[bytes | None] = {encoded(op) for op in produced_op_ids(model) - used}

    def edit(root: Batch) -> None:
        for graphs in root.all("Graph"):
            graphs.remove(Graph.runtime_optimizations)
        for resolver in root.all("KernelTypeStrResolver"):
            entries = _rows(resolver, KernelTypeStrResolver.op_kernel_type_str_args)
            ids = entries.batch.texts(OpIdKernelTypeStrArgsEntry.op_id)
            entries.rows = [_without(rows, ids, unneeded) for rows in entries.rows]

    return edit


def encoded(text: str) -> bytes:
    """A text as it stands in a file; what the command line could not decode goes as it came."""
    return text.encode("utf-8", "surrogateescape")


def check_has(root: Batch, of: Field) -> None:
    """Raises RefusedError where the file's format version does not have the field yet."""
    version = strict_version((root.texts(InferenceSession.ort_version)[0] or b"").decode("latin-1"))
    if version is not None and version < of.since:
        what = of.name.replace("_", " ").replace("metadata props", "metadata")
        raise RefusedError(
            f"ORT format version {version} has no place for {what}",
            hint=f"Upgrade the file first: version {of.since} has.",
        )


def _model(root: Batch) -> Batch:
    model = root.links(InferenceSession.model)
    if model is None:
        raise FormatError("The file holds no model")
    return model.batch


def _rows(batch: Batch, of: Field) -> LinkRows:
    return batch.link_rows(of, SCHEMA.tables[of.target])


def _without(
    rows: list[int] | None, texts: list[bytes | None], unwanted: Collection[bytes | None]
) -> list[int] | None:
    return None if rows is None else [row for row in rows if texts[row] not in unwanted]
