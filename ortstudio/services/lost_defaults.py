"""Inputs that have a default value in a source, and must be given to its result.

Of constants that are equal, and inputs too, ONNX Runtime 1.32 keeps one. Of the others it drops the
default value and not the input, though no node reads it any more.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from ortstudio.analysis.finding import Finding
from ortstudio.analysis.words import count, listed
from ortstudio.errors import FormatError, Where
from ortstudio.format.arrays import Numbers
from ortstudio.model.elements import open_elements
from ortstudio.model.model import Model
from ortstudio.model.tensor import SparseTensor
from ortstudio.model.types import DataType
from ortstudio.services.exchange import TensorValue
from ortstudio.services.inputs import as_tensor


def defaulted(model: Model) -> tuple[str, ...]:
    """The inputs of the main graph that have a default value."""
    graph = model.main
    defaults = set(graph.initializers.names)
    defaults |= {sparse.values.name for sparse in graph.sparse_initializers}
    return tuple(name for name in _inputs(model) if name in defaults)


def constants(model: Model) -> frozenset[str]:
    """The inputs with a default value that no run can give another one.

    Before IR version 4 every initializer had to be an input too, and ONNX Runtime refuses to be
    given it.
    """
    return frozenset(defaulted(model) if (model.ir_version or 0) < 4 else ())


def lost(defaults: Collection[str], result: Model) -> list[str]:
    """Which of a source's inputs with a default value must be given to the result."""
    needed = set(_inputs(result)) - set(defaulted(result))
    return [name for name in defaults if name in needed]


def lost_values(source: Model, result: Model) -> dict[str, TensorValue]:
    """The source's default value of each input that is lost in the result.

    Raises StudioError where the source does not hold what it says.
    """
    return {name: _value(source, name) for name in lost(defaulted(source), result)}


def lost_note(names: Sequence[str]) -> Finding:
    """What whoever runs the result must know."""
    text = (
        f"The result must be given {count(len(names), 'input')} that the source has a default value"
        f" for ({listed(names)}): of equal constants ONNX Runtime keeps one. No node reads the"
        " others: any value of their type and shape will do"
    )
    return Finding("warning", "default-value-lost", text)


def _inputs(model: Model) -> list[str]:
    return model.main.value_names(model.main.inputs.tolist())


def _value(model: Model, name: str) -> TensorValue:
    graph = model.main
    if name not in graph.initializers.rows:
        found = next(one for one in graph.sparse_initializers if one.values.name == name)
        return _dense(model, found)
    tensor = graph.initializers[graph.initializers.rows[name]]
    return _typed(tensor.data_type, open_elements(model.source, tensor).array())


def _dense(model: Model, sparse: SparseTensor) -> TensorValue:
    """With all that is not stored as zero. Indices are of the whole, or a row of one each axis."""
    values, indices = (
        open_elements(model.source, tensor).array() for tensor in (sparse.values, sparse.indices)
    )
    nothing = "" if values.dtype == object else 0
    try:
        dense = np.full(sparse.dims, nothing, values.dtype)
        if indices.ndim > 1:
            dense[tuple(indices.astype(np.int64).T)] = values
        else:
            dense.reshape(-1)[indices.astype(np.int64)] = values
    except (IndexError, ValueError, MemoryError) as error:
        where = Where(model.source.path, sparse.indices.offset, sparse.values.name)
        raise FormatError(
            f"The sparse tensor does not fit its shape: {error}", where=where
        ) from None
    return _typed(sparse.values.data_type, dense)


def _typed(data_type: int, elements: Numbers) -> TensorValue:
    if data_type == DataType.STRING:
        return TensorValue(data_type, elements.shape, elements)
    return as_tensor(data_type, elements)
