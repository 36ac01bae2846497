"""Renames values of the main graph of an ORT-format model, in every graph that reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ortstudio.format.content import Batch, LinkRows, Links, TextRows, Texts
from ortstudio.format.fields import Field
from ortstudio.format.ort_tables import (
    SCHEMA,
    Attribute,
    Graph,
    Node,
    SparseTensor,
    Tensor,
    ValueInfo,
)
from ortstudio.services.ort_write import Edit

Names = Mapping[bytes, bytes]
_NONE: Names = {}


def rename_values(names: Names) -> Edit:
    """Give values of the main graph other names.

    A subgraph that has a value of its own by the old name means that one, and keeps it.
    """

    def edit(root: Batch) -> None:
        main = next(root.all("Graph"))
        _Graphs(main).rename([names])

    return edit


class _Graphs:
    """Some graphs, as rows of one batch."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._nodes = self._rows(Graph.nodes)
        self._sparse = self._rows(Graph.sparse_initializers)

    def _rows(self, of: Field) -> LinkRows:
        return self._batch.link_rows(of, SCHEMA.tables[of.target])

    def rename(self, names: Sequence[Names]) -> None:
        """Rename in each graph, and in those inside it, by the names that hold there."""
        inner = list(self._inner(names))
        for row, here in enumerate(names):
            for of in (Graph.inputs, Graph.outputs):
                _rename_row(self._batch.text_rows(of), row, here)
            nodes = self._nodes.rows[row] or ()
            for of in (Node.inputs, Node.outputs, Node.implicit_inputs):
                column = self._nodes.batch.text_rows(of)
                for node in nodes:
                    _rename_row(column, node, here)
            for texts, rows in self._single(row):
                for i in rows:
                    texts[i] = here.get(texts[i] or b"", texts[i])
        for graphs, known in inner:
            graphs.rename(known)

    def _single(self, row: int) -> Iterator[tuple[Texts, Sequence[int]]]:
        """The columns in which a graph names its values, and where in them."""
        for of, name in (
            (Graph.node_args, ValueInfo.name),
            (Graph.initializers, Tensor.name),
        ):
            links = self._rows(of)
            yield links.batch.texts(name), links.rows[row] or ()
        values = self._sparse.batch.links(SparseTensor.values)
        if values is not None:
            rows = [int(values.rows[i]) for i in self._sparse.rows[row] or ()]
            yield values.batch.texts(Tensor.name), [i for i in rows if i >= 0]

    def _inner(self, names: Sequence[Names]) -> Iterator[tuple[_Graphs, list[Names]]]:
        """The graphs in attributes of nodes, and the names that hold in each of them."""
        attributes = self._nodes.batch.link_rows(Node.attributes, SCHEMA.tables["Attribute"])
        owners = {
            attribute: row
            for row, nodes in enumerate(self._nodes.rows)
            for node in nodes or ()
            for attribute in attributes.rows[node] or ()
        }
        for column in (
            attributes.batch.columns.get(Attribute.g.slot),
            attributes.batch.columns.get(Attribute.graphs.slot),
        ):
            if isinstance(column, Links | LinkRows):
                graphs, known = _Graphs(column.batch), [_NONE] * column.batch.count
                for attribute, row in owners.items():
                    for graph in _targets(column, attribute):
                        known[graph] = graphs.outer(graph, names[row])
                yield graphs, known

    def outer(self, row: int, names: Names) -> Names:
        """Those of the names that mean a value of an outer graph here."""
        own = self._own(row)
        return {old: new for old, new in names.items() if old not in own}

    def _own(self, row: int) -> set[bytes]:
        """The values that a graph itself brings."""
        own = set(self._batch.text_rows(Graph.inputs)[row] or ())
        outputs = self._nodes.batch.text_rows(Node.outputs)
        for node in self._nodes.rows[row] or ():
            own.update(outputs[node] or ())
        _, *tensors = self._single(row)
        for column, rows in tensors:
            own.update(column[i] or b"" for i in rows)
        return own


def _targets(column: Links | LinkRows, row: int) -> Sequence[int]:
    if isinstance(column, LinkRows):
        return column.rows[row] or ()
    target = int(column.rows[row])
    return (target,) if target >= 0 else ()


def _rename_row(column: TextRows, row: int, names: Names) -> None:
    found = column[row]
    if found is not None and names:
        column[row] = [names.get(name, name) for name in found]
