"""What the axes of values stand for in an `.ort`: read when asked, since few files say it."""

from __future__ import annotations

import numpy as np

from ortstudio.format.buffer import Buffer
from ortstudio.format.flatbuf import Tables
from ortstudio.format.ort_tables import (
    Dimension,
    Shape,
    TensorTypeAndShape,
    TypeInfo,
    TypeInfoValue,
    ValueInfo,
)
from ortstudio.format.ort_tables import Graph as GraphTable
from ortstudio.format.source import Source
from ortstudio.model.graph import Graph

Axes = dict[int, tuple[str, ...]]
"""By the id of a value what each of its axes stands for, empty where nothing is said."""


def axis_denotations(source: Source, graph: Graph) -> Axes:
    """Those of tensors in a graph of an ORT-format model; values without any are left out."""
    buffer = Buffer(source)
    tables = Tables(buffer, np.array([graph.offset]), "graph", "Graph")
    _, infos = tables.vectors(GraphTable.node_args, "values").tables()
    types = infos.tables(ValueInfo.type)
    is_tensor = types.ints(TypeInfo.value_type) == TypeInfoValue.tensor_type
    targets = np.where(is_tensor, types.follow(TypeInfo.value), -1)
    tensors = Tables(buffer, targets, "values", TypeInfo.value.path)
    ptr, dimensions = tensors.tables(TensorTypeAndShape.shape).vectors(Shape.dim).tables()
    texts = dimensions.some_texts(Dimension.denotation)
    if not texts:
        return {}
    names, found = infos.texts(ValueInfo.name), Axes()
    owners = np.searchsorted(ptr, np.array(list(texts)), side="right") - 1
    for row in np.unique(owners).tolist():
        value = graph.values.ids.get(names[row])
        if value is not None:
            found.setdefault(value, tuple(texts.get(i, "") for i in range(ptr[row], ptr[row + 1])))
    return found
